"""The checkpoints that come with the package are right: their numbers are found again.

`make train` renews what fails here because a recipe or a corpus changed.
"""

import pytest
from lookback.workshop.train import measure, stale

from lookback.text.corpora import DataError
from lookback.workshop import RECIPES, checkpoints, pretrained
from lookback.workshop.data import KEPT_BACK, LICENCES, MOVING, corpus

SHIPPED = sorted(path.stem for path in checkpoints.SHIPPED.glob("*.safetensors"))
REAL = ("bahdanau-tatoeba",)
"""Translators of what people write: they need more words than those of a grammar."""


@pytest.fixture(autouse=True)
def nothing_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(checkpoints.VARIABLE, raising=False)


def test_every_recipe_ships_that_may() -> None:
    assert sorted(filter(checkpoints.ships, RECIPES)) == SHIPPED
    read = {pretrained(name).card["data"]["name"] for name in SHIPPED}
    assert not read.intersection(KEPT_BACK)


def test_whose_words_they_learnt_from_is_told_beside_them() -> None:
    told = (checkpoints.SHIPPED / "ATTRIBUTION.md").read_text(encoding="utf-8")
    for name in SHIPPED:
        owed = pretrained(name).card["data"]["name"] in LICENCES
        assert (f"`{name}.safetensors`" in told) == owed


@pytest.mark.parametrize("name", SHIPPED)
def test_it_is_up_to_date_and_measures_as_recorded(name: str) -> None:
    assert stale(name) is None
    found = pretrained(name)
    assert found.metrics
    try:
        text = corpus(found.recipe.data)
    except DataError as error:
        pytest.skip(f"LOOKBACK_DATA has no copy: {error}")
    other = text.name in MOVING and text.version != found.card["data"]["version"]
    # Another text of the same manual; or the same, summed by another processor.
    assert measure(name) == pytest.approx(found.metrics, rel=0.2 if other else 1e-4)


@pytest.mark.parametrize("name", SHIPPED)
def test_it_is_small(name: str) -> None:
    most = 8_000_000 if name in REAL else 1_500_000
    assert checkpoints.path_of(name).stat().st_size < most


def test_together_they_are_small() -> None:
    sizes = [checkpoints.path_of(name).stat().st_size for name in SHIPPED]
    assert sum(sizes) < 25_000_000
