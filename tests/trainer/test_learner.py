"""What every learner can do, follows, and refuses."""

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn

from kit import parameters, same
from lookback.recipes.ibm1 import Ibm1Learner
from lookback.recipes.transformer import TransformerLearner
from lookback.text.corpora import Corpus
from lookback.text.vocabulary import Vocabulary
from lookback.trainer.data import corpus
from lookback.trainer.fit import once
from lookback.trainer.language import LanguageLearner
from lookback.trainer.learner import (
    SKILLS,
    Learner,
    NeuralLearner,
    summary,
    train_recipe,
)
from lookback.trainer.translation import AttentionLearner, TranslationLearner
from lookback.trainer.vectors import VectorLearner

# --- what a kind can do


@pytest.mark.parametrize(
    ("kind", "skills"),
    [
        (Learner, []),
        (NeuralLearner, []),
        (LanguageLearner, ["generate", "log_probabilities", "perplexity"]),
        (TranslationLearner, ["translate"]),
        (AttentionLearner, ["attention", "hidden", "link", "translate"]),
        (TransformerLearner, ["attention", "hidden", "link", "translate", "without"]),
        (Ibm1Learner, ["attention", "link", "translate"]),
        (VectorLearner, ["vectors"]),
    ],
)
def test_a_kind_has_its_skills(kind: type[Learner], skills: list[str]) -> None:
    assert kind.skills() == skills


def test_what_a_learner_cannot_do_is_refused_with_what_it_can(
    tiny: ModuleType,
) -> None:
    class Translator(tiny.TinyLearner):  # type: ignore[misc, name-defined]
        def translate(self, source: Any) -> list[str]:
            return ["read", *source]

    learner = Translator(tiny.TINY)
    assert learner.translate(["a"]) == ["read", "a"]
    for skill in {*SKILLS} - {"translate"}:
        with pytest.raises(
            AttributeError, match=rf"^Translator has no {skill}: it has"
        ):
            getattr(learner, skill)
    learner.name = "tiny"
    with pytest.raises(AttributeError, match=r"^tiny has no link: it has translate$"):
        learner.link(["a"], ["b"])
    with pytest.raises(AttributeError, match=r"^tiny has no attribute 'other'$"):
        _ = learner.other


# --- following a recipe


def test_to_follow_is_to_train_and_to_store_nothing(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with torch.random.fork_rng():
        torch.manual_seed(99)  # a state in which no other test has left it
        before = torch.get_rng_state()
        train_recipe(tiny.DROPPING)
        assert torch.equal(torch.get_rng_state(), before)
    learner = train_recipe(tiny.TINY)
    assert isinstance(learner, tiny.TinyLearner)
    assert learner.seconds > 0
    assert learner.log is not None
    assert len(learner.log.entries) == 23
    assert not learner.network.training
    assert "<TinyLearner>" in repr(learner)
    assert same(
        parameters(learner.network), parameters(train_recipe(tiny.TINY).network)
    )
    other = train_recipe(replace(tiny.TINY, seed=4))
    assert not same(parameters(learner.network), parameters(other.network))
    assert list(tmp_path.iterdir()) == []


def test_it_learns_from_another_text_if_one_is_given(tiny: ModuleType) -> None:
    text = Corpus("t", "1", 1, (("x", "y"),) * 3, (("x",),), (("y",),), (), {})
    learner = train_recipe(tiny.TINY, text)
    assert learner.vocabularies["words"].entries[4:] == ("x", "y")
    assert learner.evaluate(text)["test loss"] > 0


def test_the_network_is_prepared_before_the_first_step(tiny: ModuleType) -> None:
    seen = list[list[torch.Tensor]]()

    def prepare(network: nn.Module) -> None:
        seen.append([p.detach().clone() for p in network.parameters()])
        nn.init.zeros_(network.out.weight)  # type: ignore[union-attr, arg-type]
        nn.init.zeros_(network.out.bias)  # type: ignore[union-attr, arg-type]

    learner = train_recipe(tiny.TINY, prepare=prepare)
    assert len(seen) == 1
    fresh = tiny.TinyLearner(tiny.TINY).untrained(learner.vocabularies)
    assert same(seen[0], [p.detach() for p in fresh.parameters()])
    uniform = torch.log(torch.tensor(15.0))  # all scores are 0
    assert learner.log.entries[0].loss == pytest.approx(uniform.item())
    assert train_recipe(tiny.TINY).log.entries[0].loss != pytest.approx(uniform.item())


def test_each_evaluation_is_reported(tiny: ModuleType) -> None:
    losses = list[float]()
    learner = train_recipe(tiny.TINY, evaluated=losses.append)
    assert learner.log is not None
    assert len(losses) == 5
    assert losses == [evaluation.score for evaluation in learner.log.evaluations]


def test_given_vocabularies_take_the_place_of_the_corpuss(tiny: ModuleType) -> None:
    words = {"words": Vocabulary.build([("the", "zebra", "cat")])}
    learner = train_recipe(tiny.TINY, vocabularies=words)
    assert learner.vocabularies is words
    assert learner.network.out.weight.shape == (4 + 3, 7)


def test_the_bar_is_shown_if_wanted(
    tiny: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    train_recipe(tiny.TINY)
    assert capsys.readouterr().err == ""
    train_recipe(tiny.TINY, progress=True)
    assert "23/23" in capsys.readouterr().err


def test_a_network_without_an_optimiser_is_refused(tiny: ModuleType) -> None:
    with pytest.raises(ValueError, match="a torch module needs an optimiser"):
        train_recipe(replace(tiny.TINY, optimiser=None))


def test_an_untrained_network_is_the_seeds_and_leaves_no_trace(
    tiny: ModuleType,
) -> None:
    learner = tiny.TinyLearner(tiny.TINY)
    words = learner.words_of(corpus(tiny.TINY.data))
    before = torch.get_rng_state()
    one, again = (
        list(learner.untrained(words).state_dict().values()) for _ in range(2)
    )
    assert torch.equal(torch.get_rng_state(), before)
    assert same(one, again)
    other = tiny.TinyLearner(replace(tiny.TINY, seed=4)).untrained(words)
    assert not same(one, list(other.state_dict().values()))


# --- what it has learned


def test_a_learner_goes_through_tensors_and_back(tiny: ModuleType) -> None:
    learner, again = train_recipe(tiny.DROPPING), tiny.TinyLearner(tiny.DROPPING)
    again.restore(learner.tensors(), learner.vocabularies)
    assert same(parameters(again.network), parameters(learner.network))
    assert not again.network.training
    text = corpus(tiny.TINY.data)
    assert again.evaluate(text) == learner.evaluate(text)
    assert again.parameters == learner.parameters == 225
    wrong = {**learner.tensors(), "out.bias": torch.zeros(3)}
    with pytest.raises(ValueError, match=r"out\.bias"):
        again.restore(wrong, learner.vocabularies)


def test_the_mean_loss_is_that_of_all_tokens(tiny: ModuleType) -> None:
    learner, text = train_recipe(tiny.DROPPING), corpus(tiny.TINY.data)
    batches = list(once(learner.batches(text, "test", torch.Generator())))
    assert len(batches) > 1
    learner.network.train()
    found = learner.mean_loss(learner.network, batches)
    assert not learner.network.training  # nothing was dropped out
    with torch.no_grad():
        each = [learner.loss(learner.network, batch) for batch in batches]
    total, tokens = (sum(part) for part in zip(*each, strict=True))
    assert found == pytest.approx(float(total) / tokens)
    with pytest.raises(ValueError, match="there is nothing to measure the loss on"):
        learner.mean_loss(learner.network, [])


def test_the_outline_is_the_head_of_a_row(tiny: ModuleType) -> None:
    learner, text = train_recipe(tiny.TINY), corpus(tiny.TINY.data)
    learner.seconds = 1.23456
    row = summary(learner)
    assert list(row) == ["parameters", "seconds", "test loss"]
    assert (row["parameters"], row["seconds"]) == (225, 1.23456)
    assert row["test loss"] == learner.evaluate(text)["test loss"]
    short = replace(text, test=text.test[:2])
    assert summary(learner, short)["test loss"] != row["test loss"]
