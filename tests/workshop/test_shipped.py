"""The checkpoints that come with the package are right: their numbers are found again.

`make train` renews what fails here because a recipe or a corpus changed.
"""

import pytest

from lookback.workshop import RECIPES, checkpoints, pretrained
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
    recorded = pretrained(name).metrics
    assert recorded
    assert measure(name) == pytest.approx(recorded, rel=1e-6)


@pytest.mark.parametrize("name", SHIPPED)
def test_it_is_small(name: str) -> None:
    assert checkpoints.path_of(name).stat().st_size < 1_000_000
