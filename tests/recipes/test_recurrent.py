"""The maker of recurrent models: whole sentences in, no padding in what comes out."""

from pathlib import Path

import numpy as np
import pytest
import torch
from lookback.workshop.language_models import ENTRIES, TEXTS
from lookback.workshop.makers import Bench, maker_of
from lookback.workshop.ranks import Ranks
from lookback.workshop.recipes import RECIPES, Budget, Data, Optimiser, Recipe
from lookback.workshop.remembering import SIZES, SYSTEMS

from lookback.recurrent import RecurrentConfig
from lookback.text.corpora import Corpus

TRAIN = tuple(tuple(s.split()) for s in ("a b a", "b", "a b", "c a b", "b a b a b"))
CORPUS = Corpus("t", "1", 1, TRAIN, (("a", "b"), ("c",)), (("zz", "a"),), (), {})
BENCH = Bench(torch.device("cpu"), Path("none"), Ranks(), progress=False)


def asked(cell: str, **changes: float) -> Recipe:
    return Recipe(
        Data("t"),
        0,
        RecurrentConfig(cell, m=3, n=4, **changes),
        Optimiser("adam", 0.05, clip=1.0),
        Budget(40, 12, evaluate_every=20),
    )


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
def test_it_learns_and_comes_back_from_its_tensors(cell: str, tmp_path: Path) -> None:
    recipe = asked(cell)
    maker = maker_of(recipe)
    bench = Bench(BENCH.device, tmp_path / "state", Ranks(), False)
    made = maker.train(recipe, CORPUS, bench)
    losses = [entry.loss for entry in made.log.entries]
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])
    tensors = maker.tensors(made.model, made.vocabularies)
    again = maker.build(recipe, tensors, made.vocabularies)
    measured = [
        maker.measure(m, made.vocabularies, CORPUS) for m in (made.model, again)
    ]
    assert measured[0] == measured[1]
    assert maker.parameters(again) == sum(t.numel() for t in tensors.values())


def test_logits_are_those_of_the_model_and_padding_reaches_no_word() -> None:
    recipe = asked("lstm")
    maker = maker_of(recipe)
    words = maker.vocabularies(recipe, CORPUS)
    model = maker.module(recipe.model, words).eval()
    sentences = [("a", "b", "a", "c"), ("b",), ("c", "a")]
    together = maker.log_probabilities(model, words, sentences)
    for sentence, found in zip(sentences, together, strict=True):
        ids = torch.tensor([[words["words"].start, *words["words"].ids(sentence)]])
        p = torch.log_softmax(maker.logits(model, ids), dim=-1)[0]
        after = [*words["words"].ids(sentence), words["words"].end]
        expected = p[range(len(after)), after].detach().numpy()
        assert found == pytest.approx(expected, abs=1e-6)
        assert torch.equal(maker.logits(model, ids), model(ids)[0])


def test_the_three_systems_have_about_as_many_parameters() -> None:
    types = {"grammar": 460, "python_reference": 1617, "multi30k": 5971}
    for text, V in types.items():
        sizes = []
        for cell, blocks in (("rnn", 1), ("lstm", 4), ("gru", 3)):
            m, n = SIZES[text][0], SIZES[text][1][cell]
            sizes.append(V * m + blocks * n * (m + n + 1) + V * (n + 1))
        assert max(sizes) < 1.25 * min(sizes)


def test_what_ships_and_what_stands_in_the_table() -> None:
    for system, name in SYSTEMS.items():
        assert RECIPES[name].data == TEXTS["grammar"]
        for text in ("grammar", "python_reference"):
            for seed in (0, 1, 2):
                entry = ENTRIES[f"{system} on {text}, seed {seed}"]
                assert entry.chapter == "recurrent"
                assert entry.recipes[0].seed == seed
        assert ENTRIES[f"{system} on grammar, seed 0"].recipes == (RECIPES[name],)
