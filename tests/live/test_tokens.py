"""What a reader types is cut in the browser as in Python; French is written alike."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from lookback import pretrained
from lookback.cli.reading import pieces
from lookback.text.corpora import grammar
from lookback.text.tokens import lower, tokenize, write_french

from .conftest import Node

IMPORTS = {"tokens": "read", "vocabulary": "Vocabulary"}


def code_points() -> list[str]:
    """All there are but those that this Python's Unicode has not assigned yet.

    A browser may know them already, and whether they are letters. The last two planes
    are of one kind, private: an end of each stands for them.
    """
    points = map(chr, (*range(0xF0000), 0xF0000, sys.maxunicode))
    return [c for c in points if unicodedata.category(c) != "Cn"]


def texts(pattern: str, size: int = 64) -> list[str]:
    """The pattern with each code point for its ◌, `size` of them in each text."""
    points = code_points()
    some = [points[n : n + size] for n in range(0, len(points), size)]
    return [" ".join(pattern.replace("◌", c) for c in each) for each in some]


def test_every_code_point_ends_words_where_it_does_in_python(node: Node) -> None:
    """Between two words: it is a letter, a mark, or white space; and it is lowered."""
    given = [[text, ["ab", *{*lower(text)}]] for text in texts("AB◌ab", 32)]
    script = "return given.map(([text, signs]) => read(text, new Set(signs)).words);"
    found = node(script, {"tokens": "read"}, given)
    for (text, signs), words in zip(given, found, strict=True):
        cuts = [pieces(part, frozenset(signs)) for part in lower(text).split()]
        assert words == [word for cut in cuts for word in cut or []], ascii(text)


@pytest.mark.parametrize(
    "pattern", ["aB◌b’◌ ◌◌", "a◌‘b ◌‘", "E◌\u0301 ◌\u0307", "AΣ◌ aΣ◌b"]
)
def test_a_text_is_cut_into_words_and_marks_as_in_python(
    node: Node, pattern: str
) -> None:
    """Each code point between letters, alone and doubled, and before accents."""
    given = texts(pattern)
    found = node("return given.map(tokenize);", {"tokens": "tokenize"}, given)
    for text, words in zip(given, found, strict=True):
        assert words == [*tokenize(text)], ascii(text)


def test_what_people_write_is_cut_as_in_python(node: Node) -> None:
    given = [
        "It doesn't matter (see PEP 8).",
        "I.e., e.g. the U.S. army's left-hand sys.path: 3.14!",
        "<code> <unk> <Code> <a1> -- well-- 'tis ‘so’ I‘m",
        "İstanbul I\u0307 STRAẞE ΟΔΟΣ ΣΑΣ. J\u030c",
        " \t\n",
        "",
    ]
    found = node("return given.map(tokenize);", {"tokens": "tokenize"}, given)
    assert found == [[*tokenize(text)] for text in given]


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
        ("\ufeffThe min\xadister\u200b’s\xa0law", ["the", "minister", "'s", "law"], []),
        ("the " + "." * 9_000, ["the", *"." * 9_000], []),
        ("." * 9_000 + "x" + "." * 9_000, [], ["x"]),
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
        ["oui", "-", "non", "-", "'", "a"],  # a mark alone is no ending
        ["(", "a", ")", "…", "l'", "œuvre", ".", "<code>", "b"],
        [],
    ]
    found = node("return given.map(writeFrench);", {"tokens": "writeFrench"}, sentences)
    assert found == [write_french(words) for words in sentences]
