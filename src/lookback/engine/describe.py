"""A page in a sentence or two: what a search engine or a shared link shows of it."""

from __future__ import annotations

import html
import re

MOST = 200  # characters; more is cut off by those who show it

_PARAGRAPH = re.compile(r"<p\b[^>]*>(.*?)</p>", re.DOTALL)
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")


def description(question: str, page: str) -> str:
    """The page's question, then the first sentences of its text that still fit.

    question  "" where the page has none
    page      its HTML; the first paragraph without a formula is taken
    →  "" for a page without either
    """
    parts = [question.strip()] if question.strip() else []
    for paragraph in _PARAGRAPH.findall(page):
        if "<math" in paragraph or "\ue000" in paragraph:
            continue
        words = _plain(paragraph)
        if words == question.strip() or len(words) < 20:
            continue
        for sentence in _SENTENCE.findall(words) or [words]:
            text = sentence.strip()
            if text in parts:
                continue
            if len(" ".join([*parts, text])) > MOST:
                break
            parts.append(text)
        return _shortened(" ".join(parts) or words)
    return _shortened(" ".join(parts))


def _plain(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


def _shortened(text: str) -> str:
    """Whole words, and a mark where some are left out."""
    if len(text) <= MOST:
        return text
    return text[: MOST - 1].rpartition(" ")[0].rstrip(",;:") + "…"
