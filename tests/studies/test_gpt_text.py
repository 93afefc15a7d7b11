"""Parts of a text: nested, with the words of the whole, and the test of the whole."""

from dataclasses import replace

import pytest

from lookback.ngram import END, KneserNey, NgramModel
from lookback.recipes.gpt import GPTLearner, TrainedConfig
from lookback.recipes.ngram import NgramConfig, NgramLearner
from lookback.studies import gpt_text
from lookback.studies.gpt_text import (
    PARTS,
    STUDY,
    Part,
    counted,
    for_part,
    measured,
    part,
    systems,
)
from lookback.studies.language_models import lines
from lookback.text.corpora import grammar
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import Budget, Data, Optimiser, Recipe, english, results

TEXT = grammar(160, seed=0, size="small")
WORDS = Vocabulary.build(english(TEXT, "train"), min_count=2)


def test_a_smaller_part_is_within_a_larger_one() -> None:
    before = set(english(TEXT, "train"))
    for of in sorted(PARTS):
        some = part(TEXT, of)
        assert len(some.train) == len(TEXT.train) // of
        assert set(english(some, "train")) <= before
        assert (some.validation, some.test) == (TEXT.validation, TEXT.test)
        before = set(english(some, "train"))


def test_half_the_text_is_read_more_often_but_in_fewer_steps() -> None:
    for name, recipe in systems().items():
        some = [for_part(recipe, of) for of in (1, 2, 4, 8)]
        if name.startswith("5"):
            assert {*some} == {recipe}
            continue
        assert [one.budget.steps for one in some] == [1200, 800, 533, 356]
        shares = [one.optimiser.warmup / one.budget.steps for one in some]
        assert shares == pytest.approx([shares[0]] * 4, abs=1e-3)
        assert {one.data for one in some} == {recipe.data}
        assert {one.budget.tokens for one in some} == {500}


def test_the_networks_have_read_as_many_words_as_each_other() -> None:
    for of in PARTS:
        gru, gpt = (
            STUDY.cases[f"{name}, 1/{of}, seed 0"].recipe for name in ("GRU", "GPT")
        )
        assert gru.budget == gpt.budget and gru.data == gpt.data
        for one in ("GRU", "GPT"):
            cases = [STUDY.cases[f"{one}, 1/{of}, seed {k}"] for k in range(3)]
            assert [case.recipe.seed for case in cases] == [0, 1, 2]
            again = replace(cases[2], recipe=replace(cases[2].recipe, seed=0))
            assert again == cases[0]


def test_counting_knows_the_words_that_it_never_read() -> None:
    config = NgramConfig(2, "Kneser–Ney")
    some = part(TEXT, 8)
    found = counted(config, some, WORDS)
    read = [WORDS.words(WORDS.ids(s)) for s in english(some, "train")]
    alone = NgramModel(2, KneserNey()).fit(read)
    assert found["parameters"] == len(alone.counts.count)
    assert len(alone.counts.vocab) < len(WORDS) - 2  # it knows fewer words by itself
    everything = counted(config, TEXT, WORDS)
    whole = NgramModel(2, KneserNey()).fit(
        [WORDS.words(WORDS.ids(s)) for s in english(TEXT, "train")]
    )
    assert everything["test perplexity"] == pytest.approx(
        whole.perplexity(english(TEXT, "test")), abs=1e-3
    )
    model = gpt_text.Model(2, KneserNey()).fit(read)
    model = model.over(frozenset(WORDS.entries) - {"<pad>", "<s>"})
    choices = [*WORDS.entries[4:], "<unk>", END]
    assert sum(model.score(w, ["the"]) for w in choices) == pytest.approx(1)


def test_a_part_has_a_row_for_each_word_of_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gpt_text, "corpus", lambda data: TEXT)
    recipe = Recipe(
        GPTLearner,
        Data("t", min_count=2),
        0,
        TrainedConfig(N=1, d_model=4, h=2, d_ff=6, max_positions=80),
        Optimiser("adamw", 0.01),
        Budget(2, 200, evaluate_every=2),
    )
    rows = [measured(Part(of, recipe)) for of in (1, 8)]
    assert rows[0]["parameters"] == rows[1]["parameters"]
    assert rows[0]["words"] > 4 * rows[1]["words"] > 0
    assert rows[0]["steps"] == 2
    assert {row["words of the whole"] for row in rows} == {rows[0]["words"]}
    grams = Recipe(
        NgramLearner, recipe.data, 0, NgramConfig(2, "Kneser–Ney"), None, Budget(1)
    )
    row = measured(Part(8, replace(grams, data=recipe.data)))
    assert row["words"] == rows[1]["words"] and row["test perplexity"] > 1


def test_more_text_helps_each_of_them() -> None:
    found, whole = results("gpt_text"), lines("gpt", gpt_text.TEXT)
    for name in systems():
        tests = [found[f"{name}, 1/{of}, seed 0"]["test perplexity"] for of in PARTS]
        tests += [line.test for line in whole if line.system == name]
        assert len(tests) == 4 and sorted(tests, reverse=True) == tests
