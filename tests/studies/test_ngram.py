"""Orders and smoothings: the one discount, and plain counts below."""

import pytest

from lookback.ngram import END, START, KneserNey, NgramModel, OneDiscount
from lookback.studies.ngram import (
    Model,
    PlainBelow,
    bits_apart,
    costs,
    first,
    perplexities,
    shuffled,
)
from lookback.text.corpora import python_reference

TEN = [s.split() for s in ("San Francisco",) * 3 + ("new glasses", "reading glasses")]


def test_plain_counts_below_are_plain() -> None:
    model = NgramModel(2, PlainBelow()).fit(TEN)
    assert model.counts.count["Francisco",] == 3
    assert NgramModel(2, KneserNey()).fit(TEN).counts.count["Francisco",] == 1
    words = [*model.counts.vocab]
    assert sum(model.score(w, [START]) for w in words) == pytest.approx(1)


def test_words_that_were_not_read_have_a_share() -> None:
    words = frozenset([*"abcd", END])
    model = Model(2, OneDiscount()).fit([["a", "b"], ["a"]]).over(words)
    p = {w: model.score(w, ["a"]) for w in words}
    assert sum(p.values()) == pytest.approx(1)
    assert p["c"] == p["d"] > 0


def test_sentences_in_the_order_of_a_seed_up_to_so_many_words() -> None:
    text = [(str(n),) * 3 for n in range(20)]
    one, two = shuffled(text, 0), shuffled(text, 1)
    assert one != two and one == shuffled(text, 0) and sorted(one) == sorted(two)
    assert len(first(text, 6)) == 2 and len(first(text, 7)) == 3
    assert first(text, None) == text


def test_bits_apart_is_the_difference_of_the_entropies() -> None:
    text = python_reference(100)
    model = NgramModel(1).fit(text.train)
    other = NgramModel(2, KneserNey()).fit(text.train)
    few = text.test[:40]
    value, low, high = bits_apart(costs(other, few), costs(model, few))
    apart = model.entropy(few) - other.entropy(few)
    assert value == pytest.approx(apart) and low < value < high


def test_an_impossible_text_has_no_perplexity() -> None:
    found = perplexities(NgramModel(2).fit([["a"]]), python_reference(100))
    assert found == {"validation": None, "test": None}
