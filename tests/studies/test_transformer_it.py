"""Minimal pairs for *it*: the sentences, and what is measured of a network's choice."""

from itertools import product

import pytest
import torch
from torch import Tensor, nn

from lookback.studies.transformer_it import (
    FOR_ANIMALS,
    FORMS,
    ORDERS,
    TRANSLATORS,
    choices,
    preferences,
    sentences,
)
from lookback.workshop import pretrained


def test_a_pair_differs_in_its_adjective_alone() -> None:
    asked = sentences()
    for one, other in product(asked[:4], asked[:4]):
        assert one.source.split()[:-2] == other.source.split()[:-2]
        assert one.prefix == other.prefix
        same = (one.adjective in FOR_ANIMALS) == (other.adjective in FOR_ANIMALS)
        assert (one.right == other.right) == same
    assert {one.order for one in asked} == set(ORDERS)
    first = asked[0]
    assert first.source == (
        "the dog did not see the street because it was intelligent ."
    )
    assert first.prefix == "le chien n' a pas vu la rue parce qu'"
    assert first.right == "il" and asked[2].right == "elle"
    last = next(one for one in asked if one.order == ORDERS[1])
    assert last.source.startswith("the street was not seen by the dog because it was")
    assert last.prefix.startswith("la rue n' a pas été vue par le chien parce qu'")


def test_where_number_decides() -> None:
    for one in sentences(number=True):
        assert ("it was" in one.source) == (one.right == "il")
        assert ("they were" in one.source) == (one.right == "elles")


@pytest.mark.parametrize("name", TRANSLATORS.values())
def test_every_word_is_known(name: str) -> None:
    words = pretrained(name).vocabularies
    known, french = {*words["source"].entries}, {*words["target"].entries}
    for one in (*sentences(), *sentences(number=True)):
        assert {*one.source.split()} <= known and {*one.prefix.split()} <= french


class Understands(nn.Module):
    """It writes il where the source has one of these ids, elle elsewhere."""

    def __init__(self, ids: list[int], forms: list[int], V: int) -> None:
        super().__init__()
        self.ids, self.forms, self.V = ids, forms, V

    def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> Tensor:
        logits = torch.zeros(*target.shape, self.V)
        for row, ids in zip(logits, source.tolist(), strict=True):
            animal = any(i in self.ids for i in ids)
            row[-1, self.forms[0 if animal else 1]] = 9
        return logits


def test_one_that_understands_has_every_pair_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learner = pretrained("transformer")
    source, target = learner.sides
    forms = [target.ids([form])[0] for form in FORMS]
    network = Understands(source.ids(FOR_ANIMALS), forms, len(target))
    monkeypatch.setattr(learner, "network", network)
    p = preferences(learner, sentences()[:3], FORMS)
    assert [row[0] > row[1] for row in p] == [True, True, False]
    row = choices(learner)
    assert row["right"] == row["pairs"] == 1.0
    assert all(a < 0.01 and b > 0.99 for a, b in row["elle"].values())
    network.ids = []  # always elle
    row = choices(learner)
    assert row["pairs"] == 0.0
    assert 0.5 < row["right"] < 0.6
