"""Vocabulary: ids by hand, words back from ids, JSON that is whole or refused."""

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


def test_dumps_and_loads_keep_every_character():
    made = Vocabulary.build([["été", "l'", '"', "\\"]])
    assert Vocabulary.loads(made.dumps()) == made
    assert "\n" not in made.dumps()
    assert Vocabulary.loads(SMALL.dumps()) == SMALL


OTHER = SMALL.dumps().replace("vocabulary 1", "vocabulary 2")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Vocabulary.build([["a", "<s>"]]), "'<s>'.* occur in the sentences"),
        (lambda: Vocabulary.build(["the dog"]), "list of words, got the string 'the"),
        (lambda: SMALL.ids("the dog"), "list of words, got the string 'the dog'"),
        (lambda: SMALL.words([0, 99]), r"from 0 to 6, got \[99\]"),
        (lambda: SMALL.words([-1]), r"from 0 to 6, got \[-1\]"),
        (lambda: Vocabulary((*SPECIALS, "a", "a")), r"once, got twice \['a'\]"),
        (lambda: Vocabulary(("a", "b")), "begins with its four specials"),
        (lambda: Vocabulary.loads(OTHER), "does not say 'lookback vocabulary 1'"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
