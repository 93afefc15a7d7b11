"""The checkpoints that come with the package are right: their numbers are found again.

`make train` renews what fails here because a recipe or a corpus changed.
"""

import pytest

from lookback.text.corpora import DataError
from lookback.workshop import RECIPES, checkpoints, pretrained
from lookback.workshop.data import MOVING, corpus
from lookback.workshop.train import measure, stale

SHIPPED = sorted(path.stem for path in checkpoints.SHIPPED.glob("*.safetensors"))


@pytest.fixture(autouse=True)
def nothing_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(checkpoints.VARIABLE, raising=False)


def test_every_recipe_ships() -> None:
    assert sorted(RECIPES) == SHIPPED


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
    assert checkpoints.path_of(name).stat().st_size < 1_500_000


def test_together_they_are_small() -> None:
    sizes = [checkpoints.path_of(name).stat().st_size for name in SHIPPED]
    assert sum(sizes) < 25_000_000
