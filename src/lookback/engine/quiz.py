"""Write self-tests as HTML: what one chooses from, the answers, those on paper.

docs/live/quiz.js tells whoever answers which mistake it was. Without it the answers
are a fold; on paper they stand at the end of the page.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from .blocks import Page
from .errors import PageError
from .output import Output
from .run import Run
from .search import EXCLUDE


def judged(page: Page, run: Run) -> Run:
    """Fail a run at a block whose options do not fit the self-test that it gave.

    The key of a stored run holds no options, so they are compared with each use of it.
    """
    for at, (piece, outputs) in enumerate(zip(page.running, run.outputs, strict=False)):
        if at != run.failed and (fault := _misfit(piece.options, outputs)):
            number = sum(each.kind == "code" for each in page.running[: at + 1])
            error = PageError(page.name, piece.line, f"block {number}: {fault}")
            return replace(run, outputs=run.outputs[:at], error=error, failed=at)
    return run


def _misfit(options: dict[str, str], outputs: list[Output]) -> str:
    """Say what is wrong with `#| quiz:` and `#| answer:` of a block; "" for nothing."""
    quiz = next((one.settings for one in outputs if one.kind == "quiz"), None)
    question, key = options.get("quiz"), options.get("answer")
    if not quiz and (question or key):
        return (
            "this block has `#| quiz:` or `#| answer:`, and its last value is no "
            "Quiz: end it with `Quiz(right, {mistake: what it gives})`"
        )
    if not quiz:
        return ""
    if not (question and key):
        return (
            "a Quiz needs its question and its answer as readers see them: begin the "
            "block with `#| quiz: …` and `#| answer: …`"
        )
    if (right := quiz["right"]) != key:
        return f"`#| answer: {key}` is not what the program gives: it gives {right}"
    return ""


def quiz_html(test: Mapping[str, Any], question: str, number: int) -> tuple[str, str]:
    """Write a self-test: what is asked, and the list of answers for its fold.

    test      settings of the output;  question  its words, as HTML
    number    of the self-test on its page
    """
    legend = f"<legend><strong>Test yourself {number}.</strong> {question}</legend>"
    if test["cells"]:
        asked = _map(*test["cells"])
    elif test["typed"]:
        asked = ""  # the script writes the field
    else:
        asked = "".join(
            f'<label><input type="radio" name="test-{number}" '
            f'value="{html.escape(each)}"> {_text(each)}</label>'
            for each in test["answers"]
        )
    kind = "cells" if test["cells"] else "typed" if test["typed"] else "choice"
    shown = (
        f'<div class="lb-quiz" id="test-{number}" data-live="quiz" data-kind="{kind}">'
        f'<fieldset>{legend}{asked}</fieldset><p role="status"></p></div>'
    )
    told = "".join(
        f'<li data-answer="{html.escape(answer)}"{"" if why else " data-right"}>'
        f"<b>{_text(answer)}</b>{_why(why)}</li>"
        for answer, why in test["answers"].items()
    )
    return shown, f'<ul class="lb-answers" {EXCLUDE}>{told}</ul>'


def on_paper(quizzes: Iterable[Mapping[str, Any]]) -> str:
    """Write the answers to all self-tests of a page, which only paper shows."""
    told = "".join(
        f"<li>{_text(test['right'])}. "
        + " ".join(
            f"({_text(answer)}: {_text(why)})"
            for answer, why in test["answers"].items()
            if why
        )
        + "</li>"
        for test in quizzes
    )
    head = f'<section class="lb-unseen" {EXCLUDE}><h2>Answers to the tests</h2>'
    return f"{head}<ol>{told}</ol></section>" if told else ""


def _map(rows: list[str], columns: list[str]) -> str:
    """Write an empty map whose cells the script makes buttons of."""
    head = "".join(f'<th scope="col">{html.escape(each)}</th>' for each in columns)
    body = "".join(
        f'<tr><th scope="row">{html.escape(row)}</th>'
        + "".join(
            f'<td data-cell="{html.escape(f"{row}, {c}")}"></td>' for c in columns
        )
        + "</tr>"
        for row in rows
    )
    return (
        f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _why(why: str) -> str:
    return f" {_text(why)}" if why else " is right."


def _text(words: str) -> str:
    return html.escape(words, quote=False)
