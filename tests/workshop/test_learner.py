"""What every learner can do, follows, and refuses."""

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn

from lookback.recipes.ibm1 import Ibm1Learner
from lookback.recipes.transformer import TransformerLearner
from lookback.text.corpora import Corpus
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import (
    AttentionLearner,
    LanguageLearner,
    Learner,
    NeuralLearner,
    TranslationLearner,
    VectorLearner,
    corpus,
    follow,
    outline,
    pretrained,
)
from lookback.workshop.learner import SKILLS, once


def weights(learner: NeuralLearner) -> list[torch.Tensor]:
    return [p.detach().clone() for p in learner.network.parameters()]


def equal(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(map(torch.equal, one, other))


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


CALLS: dict[str, Any] = {
    "attention": (["a"], ["b"]),
    "generate": (3,),
    "hidden": ("a",),
    "link": (["a"], ["b"]),
    "log_probabilities": ([["a"]],),
    "perplexity": ([["a"]],),
    "translate": (["a"],),
    "vectors": (),
    "without": (),
}


@pytest.mark.parametrize("method", sorted(CALLS))
def test_what_a_learner_cannot_do_is_refused_with_what_it_can(
    method: str, tiny: ModuleType
) -> None:
    class Translator(tiny.TinyLearner):  # type: ignore[misc, name-defined]
        def translate(self, source: Any) -> list[str]:
            return ["read", *source]

        def link(self, source: Any, target: Any) -> set[tuple[int, int]]:
            return {(0, 0)}

    learner = Translator(tiny.TINY)
    call = getattr(learner, method)
    options: Any = {"generate": {"generator": torch.Generator()}}
    options = options.get(method, {"heads": []} if method == "without" else {})
    if method in ("translate", "link"):
        assert call(*CALLS[method])
        return
    refused = "log_probabilities" if method == "perplexity" else method
    words = rf"^Translator has no {refused}: it has link, translate$"
    with pytest.raises(ValueError, match=words):
        call(*CALLS[method], **options)
    learner.name = "tiny"
    with pytest.raises(ValueError, match=rf"^tiny has no {refused}: it has link, tr"):
        call(*CALLS[method], **options)


def test_every_skill_is_refused_by_default() -> None:
    assert {*SKILLS, "perplexity"} == CALLS.keys()


def test_a_trained_model_is_asked_by_its_kind() -> None:
    model = pretrained("ngram", kind=Learner)
    generator = torch.Generator().manual_seed(0)
    assert model.generate(3, generator=generator)
    with pytest.raises(
        ValueError, match=r"^ngram has no vectors: it has generate, log"
    ):
        model.vectors()
    words = "ngram is a NgramLearner, which has generate, .*: expected a VectorLearner"
    with pytest.raises(ValueError, match=words):
        pretrained("ngram", kind=VectorLearner)


# --- following a recipe


def test_to_follow_is_to_train_and_to_store_nothing(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    learner = follow(tiny.TINY)
    assert isinstance(learner, tiny.TinyLearner)
    assert learner.seconds > 0
    assert learner.log is not None
    assert len(learner.log.entries) == 23
    assert not learner.network.training
    assert "<TinyLearner>" in repr(learner)
    assert equal(weights(learner), weights(follow(tiny.TINY)))
    other = follow(replace(tiny.TINY, seed=4))
    assert not equal(weights(learner), weights(other))
    assert list(tmp_path.iterdir()) == []


def test_it_learns_from_another_text_if_one_is_given(tiny: ModuleType) -> None:
    text = Corpus("t", "1", 1, (("x", "y"),) * 3, (("x",),), (("y",),), (), {})
    learner = follow(tiny.TINY, text)
    assert learner.vocabularies["words"].entries[4:] == ("x", "y")
    assert learner.evaluate(text)["test loss"] > 0


def test_the_network_is_prepared_before_the_first_step(tiny: ModuleType) -> None:
    seen = list[list[torch.Tensor]]()

    def prepare(network: nn.Module) -> None:
        seen.append([p.detach().clone() for p in network.parameters()])
        nn.init.zeros_(network.out.weight)  # type: ignore[union-attr, arg-type]
        nn.init.zeros_(network.out.bias)  # type: ignore[union-attr, arg-type]

    learner = follow(tiny.TINY, prepare=prepare)
    assert len(seen) == 1
    fresh = tiny.TinyLearner(tiny.TINY).untrained(learner.vocabularies)
    assert equal(seen[0], [p.detach() for p in fresh.parameters()])
    uniform = torch.log(torch.tensor(15.0))  # all scores are 0
    assert learner.log.entries[0].loss == pytest.approx(uniform.item())
    assert follow(tiny.TINY).log.entries[0].loss != pytest.approx(uniform.item())


def test_each_evaluation_is_reported(tiny: ModuleType) -> None:
    losses = list[float]()
    learner = follow(tiny.TINY, evaluated=losses.append)
    assert learner.log is not None
    assert len(losses) == 5
    assert losses == [evaluation.score for evaluation in learner.log.evaluations]


def test_given_vocabularies_take_the_place_of_the_corpuss(tiny: ModuleType) -> None:
    words = {"words": Vocabulary.build([("the", "zebra", "cat")])}
    learner = follow(tiny.TINY, vocabularies=words)
    assert learner.vocabularies is words
    assert learner.network.out.weight.shape == (4 + 3, 7)


def test_a_state_is_written_where_the_run_says(
    tiny: ModuleType, tmp_path: Path
) -> None:
    one = follow(tiny.TINY, state=tmp_path / "state")
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
    again = follow(tiny.TINY, state=tmp_path / "state")
    assert again.losses == 0  # it was finished
    assert equal(weights(one), weights(again))


def test_the_bar_is_shown_if_wanted(
    tiny: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    follow(tiny.TINY)
    assert capsys.readouterr().err == ""
    follow(tiny.TINY, progress=True)
    assert "23/23" in capsys.readouterr().err


def test_a_network_without_an_optimiser_is_refused(tiny: ModuleType) -> None:
    with pytest.raises(ValueError, match="a torch module needs an optimiser"):
        follow(replace(tiny.TINY, optimiser=None))


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
    assert equal(one, again)
    other = tiny.TinyLearner(replace(tiny.TINY, seed=4)).untrained(words)
    assert not equal(one, list(other.state_dict().values()))


# --- what it has learned


def test_a_learner_goes_through_tensors_and_back(tiny: ModuleType) -> None:
    learner, again = follow(tiny.DROPPING), tiny.TinyLearner(tiny.DROPPING)
    again.restore(learner.tensors(), learner.vocabularies)
    assert equal(weights(again), weights(learner))
    assert not again.network.training
    text = corpus(tiny.TINY.data)
    assert again.evaluate(text) == learner.evaluate(text)
    assert again.parameters == learner.parameters == 225
    wrong = {**learner.tensors(), "out.bias": torch.zeros(3)}
    with pytest.raises(ValueError, match=r"out\.bias"):
        again.restore(wrong, learner.vocabularies)


def test_the_mean_loss_is_that_of_all_tokens(tiny: ModuleType) -> None:
    learner, text = follow(tiny.DROPPING), corpus(tiny.TINY.data)
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
    learner, text = follow(tiny.TINY), corpus(tiny.TINY.data)
    learner.seconds = 1.23456
    row = outline(learner)
    assert list(row) == ["parameters", "seconds", "test loss"]
    assert (row["parameters"], row["seconds"]) == (225, 1.23456)
    assert row["test loss"] == learner.evaluate(text)["test loss"]
    short = replace(text, test=text.test[:2])
    assert outline(learner, short)["test loss"] != row["test loss"]
