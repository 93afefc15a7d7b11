"""The running table: what is entered, mixed, grouped and shown."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lookback.workshop.language_models import (
    CHAPTERS,
    ENTRIES,
    TEXTS,
    Entry,
    enter,
    lines,
    measured,
    mixed,
    mixture_weights,
    on,
    table,
)
from lookback.workshop.recipes import Budget, Data, Ibm1Config, NgramConfig, Recipe
from lookback.workshop.studies import Results

from lookback.ngram import KneserNey
from lookback.text.corpora import Corpus
from lookback.workshop import data, language_models

SENTENCES = tuple(tuple(s.split()) for s in ("a b a", "b", "a b", "c a b", "b a b c"))
CORPUS = Corpus("t", "1", 1, SENTENCES, SENTENCES[:3], SENTENCES[2:], (), {})


def counting(order: int, seed: int = 0) -> Recipe:
    return Recipe(
        TEXTS["grammar"], seed, NgramConfig(order, KneserNey()), None, Budget(1)
    )


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """All texts are the toy; the table is empty."""
    monkeypatch.setattr(language_models, "corpus", lambda data: CORPUS)
    monkeypatch.setattr(language_models, "CHAPTERS", ("first", "second"))
    monkeypatch.setattr(language_models, "ENTRIES", {})


@pytest.fixture
def filled(toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two chapters; one system with two seeds, one on two texts."""
    enter("first", "plain", "grammar", counting(2))
    enter("second", "mixed", "grammar", counting(3, 1), counting(2, 1))
    enter("second", "mixed", "grammar", counting(3, 2), counting(2, 2))
    other = on("python_reference", counting(2))
    enter("first", "plain", "python_reference", other)
    tests = iter([50.0, 30.0, 40.0, 90.0])
    rows = {
        label: {
            "parameters": 1000, "seconds": 0.25, "validation perplexity": 7.0,
            "test perplexity": next(tests), "weights": [0.5, 0.5],
        }
        for label in language_models.ENTRIES
    }  # fmt: skip
    found = Results("language_models", rows, {})
    monkeypatch.setattr(language_models, "results", lambda name: found)


def test_one_model_scores_as_it_does_alone(toy: None) -> None:
    found = measured(Entry("first", "plain", "grammar", (counting(2),)))
    from lookback.ngram import NgramModel

    model = NgramModel(2, KneserNey()).fit(SENTENCES)
    assert found["test perplexity"] == pytest.approx(model.perplexity(CORPUS.test))
    assert found["validation perplexity"] == pytest.approx(
        model.perplexity(CORPUS.validation)
    )
    assert found["parameters"] == len(model.counts.count)
    assert found["weights"] == [1.0]


def test_a_mixture_is_no_worse_on_validation_than_its_best_part(toy: None) -> None:
    parts = [measured(Entry("f", "s", "grammar", (counting(n),))) for n in (1, 3)]
    both = measured(Entry("f", "s", "grammar", (counting(1), counting(3))))
    best = min(part["validation perplexity"] for part in parts)
    assert both["validation perplexity"] <= best * (1 + 1e-6)
    assert both["parameters"] == sum(part["parameters"] for part in parts)
    assert sum(both["weights"]) == pytest.approx(1, abs=1e-3)


def test_mixture_weights_by_hand() -> None:
    # Two tokens that one model gives 1 and the other 0, and one the other way round.
    with np.errstate(divide="ignore"):
        log_p = np.log([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    weights = mixture_weights(log_p)
    np.testing.assert_allclose(weights, [2 / 3, 1 / 3])
    np.testing.assert_allclose(np.exp(mixed(log_p, weights)), [2 / 3, 2 / 3, 1 / 3])
    # One step from a half each: credit .8 and .2, then .2 and .8, then .5 and .5.
    log_p = np.log([[0.4, 0.1, 0.3, 0.4], [0.1, 0.4, 0.3, 0.1]])
    np.testing.assert_allclose(mixture_weights(log_p, 1), [0.575, 0.425])
    assert mixture_weights(np.log([[0.2, 0.3]])).tolist() == [1.0]


@pytest.mark.parametrize("shape", [(3,), (0, 4), (2, 0)])
def test_prices_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="K models for N tokens"):
        mixture_weights(np.zeros(shape))


def test_lines_are_means_over_seeds_in_the_order_of_texts_and_chapters(
    filled: None,
) -> None:
    found = lines()
    names = [(line.text, line.system, line.seeds) for line in found]
    assert names == [
        ("grammar", "plain", 1),
        ("grammar", "mixed", 2),
        ("python_reference", "plain", 1),
    ]
    assert found[1].test == 35.0
    assert found[1].spread == pytest.approx(np.std([30, 40], ddof=1))
    assert found[0].spread == 0.0


def test_a_chapter_sees_what_was_entered_until_then(filled: None) -> None:
    assert {line.system for line in lines(until="first")} == {"plain"}
    assert [line.text for line in lines(text="python_reference")] == [
        "python_reference"
    ]
    with pytest.raises(ValueError, match="no chapter with a language model 'third'"):
        lines(until="third")
    with pytest.raises(ValueError, match="no text 'gramar': did you mean 'grammar'"):
        lines(text="gramar")


def test_it_is_shown_with_its_spread(filled: None) -> None:
    header, rows = table(text="grammar")
    assert header[0] == "system"
    assert rows[0] == ["plain", "1,000", "0.25", "7.0", "50.0"]
    assert rows[1][-1] == "35.0 ± 7.1"
    header, rows = table(until="first")
    assert header[:2] == ["text", "system"]
    assert [row[0] for row in rows] == ["grammar", "python_reference"]


def test_entries_must_be_trained_on_their_text(toy: None) -> None:
    with pytest.raises(ValueError, match="needs recipes on"):
        enter("first", "plain", "python_reference", counting(2))
    with pytest.raises(ValueError, match="needs recipes on"):
        enter("first", "plain", "grammar")
    with pytest.raises(ValueError, match="no text 'french'"):
        enter("first", "plain", "french", counting(2))
    with pytest.raises(ValueError, match="no chapter with a language model 'frist'"):
        enter("frist", "plain", "grammar", counting(2))
    assert not language_models.ENTRIES


def test_what_predicts_no_words_is_refused(toy: None) -> None:
    pairs = replace(counting(2), model=Ibm1Config())
    with pytest.raises(ValueError, match="learns from pairs"):
        measured(Entry("first", "plain", "grammar", (pairs,)))


def test_the_texts_are_corpora_that_there_are() -> None:
    for found in TEXTS.values():
        assert isinstance(found, Data)
        assert found.corpus in data.names()
        assert {option for option, _ in found.options} <= set(
            data.options(found.corpus)
        )


def test_the_chapters_stand_in_the_order_of_history() -> None:
    nav = (Path(__file__).parents[2] / "mkdocs.yml").read_text(encoding="utf-8")
    places = [nav.index(f"- {chapter}.md") for chapter in CHAPTERS]
    assert places == sorted(places)
    assert set(CHAPTERS) == {entry.chapter for entry in ENTRIES.values()}
