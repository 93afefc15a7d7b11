"""The models that come with the package are right: their metrics are measured again.

`make train` renews what fails here because a recipe or a corpus changed.
"""

import pytest

from lookback.text.corpora import DataError
from lookback.trainer import checkpoint
from lookback.trainer.checkpoint import evaluate, is_bundled, outdated, pretrained
from lookback.trainer.data import CHANGING, LICENCES, NOT_SHIPPED, corpus
from lookback.trainer.recipe import recipes

SHIPPED = sorted(path.stem for path in checkpoint.SHIPPED.glob("*.safetensors"))
LARGEST = {
    "bahdanau-tatoeba": 8_000_000,
    "bpe-transformer": 3_000_000,
    "bpe-bahdanau": 3_000_000,
    "stack_decoder": 2_000_000,
}
"""Tables, and translators of what people write, are larger than other networks."""


@pytest.fixture(autouse=True)
def nothing_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(checkpoint.VARIABLE, raising=False)


def test_every_recipe_ships_that_may() -> None:
    assert sorted(filter(is_bundled, recipes())) == SHIPPED
    read = {pretrained(name).metadata["data"]["name"] for name in SHIPPED}
    assert not read.intersection(NOT_SHIPPED)


def test_the_authors_of_their_texts_are_named_beside_them() -> None:
    text = (checkpoint.SHIPPED / "ATTRIBUTION.md").read_text(encoding="utf-8")
    for name in SHIPPED:
        owed = pretrained(name).metadata["data"]["name"] in LICENCES
        assert (f"`{name}.safetensors`" in text) == owed


@pytest.mark.parametrize("name", SHIPPED)
def test_it_is_up_to_date_and_measures_as_recorded(name: str) -> None:
    assert outdated(name) is None
    learner = pretrained(name)
    assert learner.metrics
    try:
        text = corpus(learner.recipe.data)
    except DataError as error:
        pytest.skip(f"LOOKBACK_DATA has no copy: {error}")
    version = learner.metadata["data"]["version"]
    other = text.name in CHANGING and text.version != version
    # Another text of the same manual; or the same, summed by another processor.
    expected = pytest.approx(learner.metrics, rel=0.2 if other else 1e-4)
    assert evaluate(name) == expected


@pytest.mark.parametrize("name", SHIPPED)
def test_it_is_small(name: str) -> None:
    most = LARGEST.get(name, 1_500_000)
    assert checkpoint.path_of(name).stat().st_size < most


def test_together_they_are_small() -> None:
    sizes = [checkpoint.path_of(name).stat().st_size for name in SHIPPED]
    assert sum(sizes) < 30_000_000
