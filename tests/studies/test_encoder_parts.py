"""Which part of a layer does what: the sizes, the minimal pairs and the probes."""

import pytest
import torch

from lookback.studies.encoder import MaskedLM
from lookback.studies.encoder_parts import (
    ATTRACTORS,
    SYSTEMS,
    at_rate,
    balanced,
    levels,
    masked_verbs,
    minimal_pairs,
    nouns,
    plural,
)
from lookback.text.grammar import grammar
from lookback.text.vocabulary import Vocabulary

SAID = ("the dog dogs minister ministers of seen by queen .", "is are was were")
WORDS = Vocabulary.build([words.split() for words in SAID])


def network(name: str = "both") -> MaskedLM:
    torch.manual_seed(0)
    return MaskedLM(at_rate(name, 0.1, 0).model, len(WORDS)).eval()


def test_attention_alone_is_as_large_as_both() -> None:
    sizes = {
        name: sum(p.numel() for p in network(name).parameters()) for name in SYSTEMS
    }
    both = sizes["both"]
    assert abs(sizes["attention alone, wider"] / both - 1) < 0.01
    assert sizes["attention alone"] < 0.6 * both


def test_nouns_are_those_with_two_known_forms() -> None:
    assert nouns({"words": WORDS}) == [("dog", "dogs"), ("minister", "ministers")]


def test_minimal_pairs_differ_in_number_alone() -> None:
    forms = [(f"n{i}", f"n{i}s") for i in range(50)]
    found = minimal_pairs(forms)
    assert len(found["sg"]) == len(found["pl"]) == 50
    four = [found[f"{n} of {m}"] for n in ("sg", "pl") for m in ("sg", "pl")]
    for rows in zip(*four, strict=True):
        (a, b), (c, d), (e, f), (g, h) = rows
        assert (a, b) == (c, d[:-1]) == (e[:-1], f) == (g[:-1], h[:-1])
        assert a != b
    assert len(four[0]) == 50 * ATTRACTORS


def test_the_probability_of_a_plural_is_that_of_its_forms() -> None:
    model = network()
    named = [("dogs", "minister"), ("dog", "ministers")]
    found = plural(model, WORDS, named)
    for p, (subject, nearer) in zip(found, named, strict=True):
        sentence = f"the {subject} of the {nearer} ? seen by the queen .".split()
        ids = torch.tensor([WORDS.ids(sentence)])
        ids[0, 5] = len(WORDS)
        share = model(ids, torch.ones_like(ids).bool())[0, 5].softmax(dim=0)
        one, many = (sum(share[i] for i in WORDS.ids(f))
                     for f in (("is", "was"), ("are", "were")))  # fmt: skip
        assert p.item() == pytest.approx((many / (one + many)).item(), abs=1e-5)


def test_levels_end_in_what_is_scored() -> None:
    model, ids = network(), torch.tensor([WORDS.ids(["the", "dogs", "are", "seen"])])
    found = levels(model, ids)
    logits = model(ids, torch.ones_like(ids).bool())
    assert len(found) == 3
    torch.testing.assert_close(found[-1] @ model.table[:-1].T, logits)


def test_masked_verbs_have_the_number_of_their_subject() -> None:
    text = grammar(200, seed=1)
    rows = masked_verbs(text.train)
    assert {row[2] for row in rows} == {0, 1}
    for words, position, number, _ in rows:
        if words[position] in ("is", "was", "has"):
            assert number == 0
        if words[position] in ("are", "were", "have"):
            assert number == 1
    numbers, kinds = ([row[2] for row in some] for some in (rows, balanced(rows)))
    few = min(numbers.count(n) for n in (0, 1))
    assert kinds.count(0) == kinds.count(1) == few
