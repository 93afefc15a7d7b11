"""Vocabulary: ids by hand, words back from ids, JSON that is whole or refused."""

import json

import pytest
import torch

from lookback.text.vocabulary import SPECIALS, Vocabulary

TEXT = [["the", "cat", "sees", "the", "dog", "."], ["the", "dog", "sleeps", "."]]
SMALL = Vocabulary.build(TEXT, min_count=2)


def test_ids_by_hand():
    # the 3 times; . and dog twice, in the order of the alphabet; the rest once
    assert SMALL.entries == ("<pad>", "<unk>", "<s>", "</s>", "the", ".", "dog")
    assert SMALL.ids(["the", "cat", ".", "dog"]) == [4, 1, 5, 6]
    assert SMALL.words([6, 1, 0, 4]) == ["dog", "<unk>", "<pad>", "the"]
    assert (SMALL.pad, SMALL.unk, SMALL.start, SMALL.end) == (0, 1, 2, 3)
    assert len(SMALL) == 7
    assert "dog" in SMALL and "cat" not in SMALL


def test_words_undo_ids():
    whole = Vocabulary.build(TEXT)
    for sentence in TEXT:
        assert whole.words(whole.ids(sentence)) == sentence
        assert whole.words(torch.tensor(whole.ids(sentence))) == sentence
    assert whole.ids([]) == whole.words([]) == []


def test_the_order_of_sentences_does_not_matter():
    assert Vocabulary.build(TEXT[::-1]) == Vocabulary.build(TEXT)
    assert Vocabulary.build(iter(TEXT)) == Vocabulary.build(TEXT)


def test_unknown_words_of_the_text_stay_unknown():
    made = Vocabulary.build([["a", "<unk>", "<unk>"]])
    assert made.entries == (*SPECIALS, "a")
    assert made.ids(["<unk>", "a"]) == [1, 4]


def test_specials_of_ones_own():
    made = Vocabulary.build(TEXT, specials=["_", "?", "[", "]"])
    assert made.words([0, 1, 2, 3]) == ["_", "?", "[", "]"]
    assert made.ids(["bird"]) == [1]
    assert Vocabulary.loads(made.dumps()) == made


@pytest.mark.parametrize("special", ["<pad>", "<s>", "</s>"])
def test_other_specials_must_not_stand_in_the_text(special):
    with pytest.raises(ValueError, match=f"'{special}'.* occur in the sentences"):
        Vocabulary.build([["a", special]])


@pytest.mark.parametrize("min_count", [0, -2, 1.5, True, None, "2"])
def test_min_count_must_be_a_whole_number(min_count):
    with pytest.raises(ValueError, match="min_count must be"):
        Vocabulary.build(TEXT, min_count)


@pytest.mark.parametrize("sentence", ["the dog", None, 3, [1, 2], ["a", ""], [None]])
def test_a_sentence_is_a_list_of_words(sentence):
    with pytest.raises(ValueError, match="expected a list of words"):
        Vocabulary.build([sentence])
    with pytest.raises(ValueError, match="expected a list of words"):
        SMALL.ids(sentence)


@pytest.mark.parametrize("ids", [[7], [-1], [0, 99]])
def test_ids_must_be_of_the_vocabulary(ids):
    with pytest.raises(ValueError, match=rf"from 0 to 6, got \[{ids[-1]}\]"):
        SMALL.words(ids)


@pytest.mark.parametrize(
    ("entries", "specials", "message"),
    [
        ((*SPECIALS, "a", "a"), SPECIALS, r"each word once, got twice \['a'\]"),
        (("a", "b"), SPECIALS, "begins with its four specials"),
        (SPECIALS[:3], SPECIALS[:3], "begins with its four specials"),
        ((*SPECIALS, 3), SPECIALS, "begins with its four specials"),
        ((*SPECIALS, ""), SPECIALS, "begins with its four specials"),
    ],
)
def test_a_vocabulary_that_is_none(entries, specials, message):
    with pytest.raises(ValueError, match=message):
        Vocabulary(entries, specials)


def test_dumps_and_loads_keep_every_character():
    made = Vocabulary.build([["été", "l'", '"', "\\"]])
    assert Vocabulary.loads(made.dumps()) == made
    assert "\n" not in made.dumps()
    assert Vocabulary.loads(SMALL.dumps()) == SMALL


GOOD = json.loads(SMALL.dumps())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SMALL.dumps()[:-20], "not a vocabulary, since not JSON"),
        ("", "not a vocabulary, since not JSON"),
        ("[1]", "does not say 'lookback vocabulary 1'"),
        (json.dumps(GOOD | {"format": "2"}), "does not say"),
        (json.dumps(GOOD | {"words": "the"}), "lacks its words"),
        (json.dumps(GOOD | {"specials": None}), "lacks its words"),
        (json.dumps(GOOD | {"words": [*SPECIALS, "a", "a"]}), "each word once"),
    ],
)
def test_a_text_that_is_no_vocabulary_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        Vocabulary.loads(text)
