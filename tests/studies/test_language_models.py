"""The running table of language models: what is listed, mixed, grouped and shown."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lookback.ngram import KneserNey, NgramModel
from lookback.recipes.ibm1 import RECIPES as IBM1
from lookback.recipes.ngram import NgramConfig, NgramLearner
from lookback.studies import language_models
from lookback.studies.language_models import (
    CHAPTERS,
    NAME,
    SMALL,
    STUDY,
    SYSTEMS,
    Entry,
    System,
    lines,
    measured,
    mixed,
    mixture_weights,
    table,
    tokens_log_p,
)
from lookback.text.corpora import Corpus
from lookback.workshop import TEXTS, Budget, Data, Recipe, Results, data, learner, on

SENTENCES = tuple(tuple(s.split()) for s in ("a b a", "b", "a b", "c a b", "b a b c"))
CORPUS = Corpus("t", "1", 1, SENTENCES, SENTENCES[:3], SENTENCES[2:], (), {})


def counting(order: int, seed: int = 0) -> Recipe[NgramLearner]:
    config, budget = NgramConfig(order, "Kneser–Ney"), Budget(1)
    return Recipe(NgramLearner, TEXTS["grammar"], seed, config, None, budget)


def system(chapter: str, name: str, text: str, seeds: int, *orders: int) -> System:
    def recipes(seed: int) -> tuple[Recipe[NgramLearner], ...]:
        return tuple(on(text, counting(order), seed) for order in orders)

    return System(chapter, name, text, seeds, recipes)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """All texts are the toy."""
    monkeypatch.setattr(language_models, "corpus", lambda data: CORPUS)
    monkeypatch.setattr(learner, "corpus", lambda data: CORPUS)


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two chapters; one system with two seeds, one on two texts."""
    systems = [
        system("first", "plain", "grammar", 1, 2),
        system("second", "mixed", "grammar", 2, 3, 2),
        system("first", "plain", "python_reference", 1, 2),
    ]
    monkeypatch.setattr(language_models, "CHAPTERS", ("first", "second"))
    monkeypatch.setattr(language_models, "SYSTEMS", systems)
    tests = iter([50.0, 30.0, 40.0, 90.0])
    rows = {
        label: {
            "parameters": 1000, "seconds": 0.25, "validation perplexity": 7.0,
            "test perplexity": next(tests), "weights": [0.5, 0.5],
        }
        for one in systems
        for label in one.labels()
    }  # fmt: skip

    def results(name: str, *, cases: list[str]) -> Results:
        return Results(name, {label: rows[label] for label in cases}, {})

    monkeypatch.setattr(language_models, "results", results)


def test_one_model_scores_as_it_does_alone(toy: None) -> None:
    found = measured(Entry("grammar", (counting(2),)))
    model = NgramModel(2, KneserNey()).fit(SENTENCES)
    assert found["test perplexity"] == pytest.approx(model.perplexity(CORPUS.test))
    assert found["validation perplexity"] == pytest.approx(
        model.perplexity(CORPUS.validation)
    )
    assert found["parameters"] == len(model.counts.count)
    assert found["weights"] == [1.0]


def test_a_mixture_is_no_worse_on_validation_than_its_best_part(toy: None) -> None:
    parts = [measured(Entry("grammar", (counting(n),))) for n in (1, 3)]
    both = measured(Entry("grammar", (counting(1), counting(3))))
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
def test_log_probabilities_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
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


def test_a_chapter_sees_the_systems_up_to_its_own_time(filled: None) -> None:
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


def test_what_predicts_no_words_is_refused(toy: None) -> None:
    pairs = replace(IBM1["ibm1"], data=TEXTS["grammar"])
    with pytest.raises(ValueError, match="needs pairs of sentences: t has none"):
        measured(Entry("grammar", (pairs,)))
    with pytest.raises(ValueError, match="has no log_probabilities"):
        tokens_log_p(pairs.learner(pairs), [["a"]])


def test_the_texts_are_corpora_that_there_are() -> None:
    for found in TEXTS.values():
        assert isinstance(found, Data)
        assert found.corpus in data.corpora_names()
        assert {option for option, _ in found.options} <= set(
            data.options(found.corpus)
        )


def test_the_chapters_stand_in_the_order_of_history() -> None:
    nav = (Path(__file__).parents[2] / "mkdocs.yml").read_text(encoding="utf-8")
    places = [nav.index(f"- {chapter}.md") for chapter in CHAPTERS]
    assert places == sorted(places)
    assert set(CHAPTERS) == {system.chapter for system in SYSTEMS}
    order = [([*TEXTS].index(s.text), CHAPTERS.index(s.chapter)) for s in SYSTEMS]
    assert order == sorted(order)


def test_each_case_is_a_seed_of_a_system_on_its_text() -> None:
    labels = [label for system in SYSTEMS for label in system.labels()]
    assert list(STUDY.cases) == labels
    assert len(set(labels)) == len(labels)
    more = {("GPT", "multi30k"), ("GPT", "wikitext2"), ("GRU", "multi30k")}
    for system in SYSTEMS:
        drawn = system.text in SMALL and system.chapter != "ngram"
        assert system.seeds == (3 if drawn or (system.name, system.text) in more else 1)
        entries = [STUDY.cases[label] for label in system.labels()]
        for seed, entry in enumerate(entries):
            assert entry.text == system.text
            assert len(entry.recipes) == (2 if "mixed" in system.name else 1)
            assert {recipe.data for recipe in entry.recipes} == {TEXTS[system.text]}
            assert entry.recipes[0].seed == seed
    assert all(len(line.system) and line.seeds for line in lines())


def test_a_chapter_depends_on_no_later_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nplm", "recurrent", "lstm", "gpt"):  # these cannot be imported now
        monkeypatch.setitem(sys.modules, f"lookback.recipes.{name}", None)
    assert {line.chapter for line in lines(until="ngram")} == {"ngram"}
    with pytest.raises(ModuleNotFoundError, match="nplm"):
        lines(until="nplm")


def test_the_table_says_what_was_measured() -> None:
    line = next(n for n in lines(until="nplm", text="grammar") if n.system == "NPLM")
    rows = language_models.results(NAME).seeds("NPLM on grammar")
    tests = [row["test perplexity"] for row in rows]
    assert len(tests) == line.seeds == 3
    assert line.test == pytest.approx(np.mean(tests))
    assert line.parameters == rows[0]["parameters"]
