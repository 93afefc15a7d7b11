"""Where a translator looks: counted by hand on two sentences.

Mutants, each caught: the end counted as a place, a step taken from the wrong side, rows
of </s> not left out, words of either language exchanged, ties in the order of chance.
"""

import pytest

from lookback.workshop import gaze
from lookback.workshop.gaze import sources_of, steps_of

READ = [
    (("the", "red", "cat", "sleeps"), ("le", "chat", "rouge", "dort", ".")),
    (("a", "cat"), ("le", "chat")),
]
NOT = "at a negation"
PLACES = [[0, 2, 1, 3, 4], [1, 1]]  # the full stop looks at </s>


def test_what_each_word_looked_at_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaze, "LEAST", 1)
    assert sources_of(("le", "chat", ".", "chien"), READ, PLACES) == [
        {"word": "le", "times": 2, "at": [["cat", 1], ["the", 1]], NOT: 0},
        {"word": "chat", "times": 2, "at": [["cat", 2]], NOT: 0},
        {"word": ".", "times": 1, "at": [["</s>", 1]], NOT: 0},
    ]
    monkeypatch.setattr(gaze, "MOST", 1)
    (le,) = sources_of(("le",), READ, PLACES)
    assert le["at"] == [["cat", 1]]
    monkeypatch.setattr(gaze, "LEAST", 2)
    assert [row["word"] for row in sources_of(("chat", "."), READ, PLACES)] == ["chat"]


def test_looks_at_negations_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaze, "LEAST", 1)
    source = ("i", "don't", "know", "nothing", "not", "notes", "won't")
    target = ("pas", "pas", "ne", "pas", "pas", "pas", "pas")
    pas, ne = sources_of(("pas", "ne"), [(source, target)], [[0, 1, 2, 3, 4, 5, 6]])
    assert pas["times"] == 6
    assert pas[NOT] == 4  # don't, nothing, not, won't
    assert ne[NOT] == 0


def test_steps_of_the_gaze_are_counted_and_those_back_are_named() -> None:
    found = steps_of(READ, PLACES)
    # le → chat +2, chat → rouge -1, rouge → dort +2, dort → . is no step; le → chat 0
    assert found["steps"] == [[-2, 0], [-1, 1], [0, 1], [1, 0], [2, 2]]
    assert found["back"] == [["red cat → chat rouge", 1]]


def test_far_steps_are_told_with_the_nearest() -> None:
    words = tuple("abcdefg")
    found = steps_of([(words, words[:4])], [[6, 0, 1, 5]])
    assert found["steps"] == [[-2, 1], [-1, 0], [0, 0], [1, 1], [2, 1]]
