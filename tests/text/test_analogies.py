"""The lists of analogies: whole, lower-case, and each question with one answer."""

from lookback.text.analogies import ANALOGIES, TABLES, questions
from lookback.text.tokens import tokenize


def test_every_class_holds_pairs_of_single_words():
    assert ANALOGIES.keys() == TABLES.keys()
    for name, pairs in ANALOGIES.items():
        assert len(pairs) >= 13, name
        for pair in pairs:
            assert len(pair) == 2
            assert pair[0] != pair[1]
            assert tuple(tokenize(" ".join(pair))) == pair, (name, pair)


def test_no_word_stands_twice_in_a_class():
    for name, pairs in ANALOGIES.items():
        words = [word for pair in pairs for word in pair]
        twice = {word for word in words if words.count(word) > 1}
        assert not twice, (name, twice)


def test_some_pairs():
    assert ANALOGIES["gender"][0] == ("man", "woman")
    assert ("go", "went") in ANALOGIES["past"]
    assert ANALOGIES["capital"][-1] == ("portugal", "lisbon")


def test_a_question_for_each_class_with_two_known_pairs() -> None:
    known = ["car", "cars", "dog", "cat", "cats", "go", "goes", "see"]
    assert [*questions(known)] == [("plural", ("car", "cars", "cat", "cats"))]
