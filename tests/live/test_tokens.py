"""What a reader types is cut in the browser as in Python; French is written alike."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from lookback import pretrained
from lookback.cli.reading import pieces
from lookback.text.corpora import grammar
from lookback.text.tokens import tokenize, write_french

from .conftest import Node

IMPORTS = {"tokens": "read", "vocabulary": "Vocabulary"}


def code_points() -> list[str]:
    """All that this Python's Unicode has assigned, without surrogates."""
    points = map(chr, range(sys.maxunicode + 1))
    return [c for c in points if unicodedata.category(c) not in ("Cn", "Cs", "Co")]


def test_every_code_point_ends_words_where_it_does_in_python(node: Node) -> None:
    """Between two words: it is a letter, a mark, or white space; and it is lowered."""
    points = code_points()
    some = [points[n : n + 32] for n in range(0, len(points), 32)]  # in one text
    texts = [" ".join(f"AB{c}ab" for c in each) for each in some]
    signs = [["ab", *(c.lower() for c in each)] for each in some]
    script = """
        return given.map(([text, signs]) => read(text, new Set(signs)).words);
    """
    found = node(script, {"tokens": "read"}, list(zip(texts, signs, strict=True)))
    wrong = []
    for text, sign, cut in zip(texts, signs, found, strict=True):
        known = frozenset(sign)
        cuts = [pieces(part, known) for part in text.lower().replace("’", "'").split()]
        expected = [word for cut in cuts for word in cut or []]
        if cut != expected:
            wrong.append((hex(ord(text[2])), cut, expected))
    assert not wrong, wrong[:3]


def test_a_text_is_cut_into_words_and_marks_as_in_python(node: Node) -> None:
    """Each code point between letters, alone and doubled; and what people write."""
    points = code_points()
    texts = [
        " ".join(f"aB{c}b’{c} {c}{c}" for c in points[n : n + 64])
        for n in range(0, len(points), 64)
    ]
    texts += [
        "It doesn't matter (see PEP 8).",
        "I.e., e.g. the U.S. army's left-hand sys.path: 3.14!",
        "<code> <unk> <Code> <a1> -- well-- 'tis",
        " \t\n",
        "",
    ]
    found = node("return given.map(tokenize);", {"tokens": "tokenize"}, texts)
    for text, words in zip(texts, found, strict=True):
        assert words == [*tokenize(text)], text


def test_sentences_of_the_grammar_come_back(node: Node) -> None:
    """With the possessive 's, which people write without a space before it."""
    test = [list(pair.source) for pair in grammar(pairs=6500).test]
    assert sum("'s" in words for words in test) > 5
    known = pretrained("bahdanau").vocabularies["source"]
    script = """
        const known = new Vocabulary(given.known);
        return given.test.map((words) => read(writeEnglish(words), known));
    """
    imports = {"tokens": "read, writeEnglish", "vocabulary": "Vocabulary"}
    found = node(script, imports, {"known": known.dumps(), "test": test})
    assert found == [{"words": words, "unknown": []} for words in test]


@pytest.mark.parametrize(
    ("text", "words", "unknown"),
    [
        ("The minister's law.", ["the", "minister", "'s", "law", "."], []),
        ("the ministers’ law", ["the", "ministers", "'", "law"], []),
        (" ", [], []),
        ("the Zebra, sleeps", ["the", "sleeps"], ["zebra"]),
    ],
)
def test_what_people_type(
    node: Node, text: str, words: list[str], unknown: list[str]
) -> None:
    known = pretrained("bahdanau").vocabularies["source"].dumps()
    script = "return read(given.text, new Vocabulary(given.known));"
    found = node(script, IMPORTS, {"known": known, "text": text})
    assert found == {"words": words, "unknown": unknown}


def test_suggestions(node: Node) -> None:
    """A third of the letters at most; none for short words."""
    words = ["minister", "ministers", "sleeps", "sleep", "law", "laws", "he"]
    script = "return given.map(([word, words]) => near(word, words));"
    typed = ["minster", "slep", "zebra", "lw", "lawz", "ministre"]
    found = node(script, {"tokens": "near"}, [[word, words] for word in typed])
    assert found == [
        ["minister", "ministers"],
        ["sleep"],
        [],
        [],
        ["law", "laws"],
        ["minister", "ministers"],
    ]


def test_french_is_written_as_in_python(node: Node) -> None:
    pairs = grammar(pairs=6500)
    sentences = [list(p.target) for p in (*pairs.test, *pairs.train)]
    sentences += [
        ["«", "élan", "!", "»", "dit", "-il", ".", '"', "oui", '"', "?", "non"],
        ["(", "a", ")", "…", "l'", "œuvre", ".", "<code>", "b"],
        [],
    ]
    found = node("return given.map(writeFrench);", {"tokens": "writeFrench"}, sentences)
    assert found == [write_french(words) for words in sentences]
