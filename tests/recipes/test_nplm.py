"""Neural models in the workshop: their windows, their decay, and their study."""

import math
from pathlib import Path

import pytest
import torch
from lookback.workshop.language_models import ENTRIES, TEXTS
from lookback.workshop.makers import Bench
from lookback.workshop.ranks import Ranks
from lookback.workshop.recipes import Budget, Data, Optimiser, Recipe
from lookback.workshop.windows import NPLMMaker
from torch import nn

from lookback.nplm import NPLM, NPLMConfig, contexts
from lookback.text.corpora import Corpus
from lookback.workshop import RECIPES, windows

TRAIN = tuple(
    tuple(s.split())
    for s in ("a b a c", "b c", "a b", "c a b", "b a b a b", "d a", "a b c a b", "c d")
)
CORPUS = Corpus(
    "t", "1", 1, TRAIN, (("a", "b", "c"), ("c", "a")), (("d", "a", "b"),) * 2, (), {}
)
ASKED = Recipe(
    Data("t"),
    0,
    NPLMConfig(n=3, m=2, h=4, direct=True),
    Optimiser("adamw", 0.05, (("weight_decay", 0.01),), decay="linear"),
    Budget(30, 12, evaluate_every=10),
)


@pytest.fixture
def untrained() -> tuple[NPLMMaker, dict, NPLM]:
    maker = NPLMMaker()
    words = dict(maker.vocabularies(ASKED, CORPUS))
    torch.manual_seed(0)
    return maker, words, maker.module(ASKED.model, words)


def test_each_word_is_priced_behind_its_window(untrained) -> None:
    maker, words, module = untrained
    known = words["words"]
    (found,) = maker.log_probabilities(module, words, [["b", "zz"]])
    s, b, unk, end = known.start, *known.ids(["b", "zz"]), known.end
    behind = {(s, s): b, (b, s): unk, (unk, b): end}  # the nearest word first
    for price, (context, word) in zip(found, behind.items(), strict=True):
        p = torch.softmax(module(torch.tensor(context)), dim=0)[word].item()
        assert price == pytest.approx(math.log(p), abs=1e-6)


def test_scores_are_the_modules_at_every_place(untrained) -> None:
    maker, words, module = untrained
    ids = torch.tensor([[2, 4, 5, 6], [2, 7, 7, 3]])
    scores = maker.logits(module, ids)
    assert scores.shape == (2, 4, len(words["words"]))
    torch.testing.assert_close(scores, module(contexts(ids, 3)))


def test_several_processes_call_the_wrapped_module(untrained, monkeypatch) -> None:
    maker, _, module = untrained

    class Wrapped(nn.Module):
        def __init__(self, module: nn.Module) -> None:
            super().__init__()
            self.module, self.calls = module, 0

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            self.calls += 1
            return self.module(ids)

    monkeypatch.setattr(windows, "DistributedDataParallel", Wrapped)
    wrapped, ids = Wrapped(module), torch.tensor([[2, 4, 5]])
    torch.testing.assert_close(maker.logits(wrapped, ids), maker.logits(module, ids))
    assert wrapped.calls == 1


@pytest.mark.parametrize("direct", [True, False])
def test_weights_decay_and_biases_do_not(direct: bool) -> None:
    module = NPLM(NPLMConfig(n=3, m=2, h=4, direct=direct), 5)
    optimiser = ASKED.optimiser.over(NPLMMaker().groups(module))  # type: ignore[union-attr]
    decay = {
        id(tensor): group["weight_decay"]
        for group in optimiser.param_groups
        for tensor in group["params"]
    }
    named = {name: decay[id(tensor)] for name, tensor in module.named_parameters()}
    weights = dict.fromkeys("CHUW" if direct else "CHU", 0.01)
    assert named == {**weights, "b": 0.0, "d": 0.0}


def test_training_lowers_the_price_and_comes_back_from_its_tensors(
    untrained, tmp_path: Path
) -> None:
    maker, words, module = untrained
    before = maker.measure(module, words, CORPUS)
    bench = Bench(torch.device("cpu"), tmp_path / "state", Ranks(), False)
    made = maker.train(ASKED, CORPUS, bench)
    after = maker.measure(made.model, words, CORPUS)
    assert after["validation perplexity"] < 0.8 * before["validation perplexity"]
    again = maker.build(ASKED, maker.tensors(made.model, words), words)
    assert maker.measure(again, words, CORPUS) == after
    V = len(words["words"])
    assert maker.parameters(again) == ASKED.model.parameters(V)


def test_the_shipped_models_stand_in_the_running_table() -> None:
    for name, text in (("nplm", "python_reference"), ("nplm-grammar", "grammar")):
        assert RECIPES[name].data == TEXTS[text]
        entry = ENTRIES[f"NPLM on {text}, seed 0"]
        assert entry.recipes == (RECIPES[name],)
        assert entry.chapter == "nplm"
    for text in windows.OURS:
        ours = ENTRIES[f"NPLM on {text}, seed 0"].recipes
        mixture = ENTRIES[f"NPLM and trigrams, mixed on {text}, seed 0"].recipes
        assert mixture[:1] == ours
        assert mixture[1:] == ENTRIES[f"trigrams, Kneser–Ney on {text}, seed 0"].recipes
