"""Vectors that are learnt, and vectors that are not: the windows and the rows."""

from dataclasses import replace

import torch

from lookback.studies import nplm_vectors
from lookback.studies.nplm_vectors import Task, measured, windows
from lookback.text.corpora import Pair
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import results

QUICK = Task(True, seed=0, pairs=40, steps=3)


def test_each_word_has_its_own_context_the_nearest_word_first() -> None:
    pairs = (Pair(("a", "b"), ("x",)), Pair(("b",), ("x",)))
    words = Vocabulary.build([pair.source for pair in pairs])
    context, target = windows(pairs, words)
    read = [words.words(row) for row in context.tolist()]
    assert read == [
        ["<s>", "<s>", "<s>"],
        ["a", "<s>", "<s>"],
        ["b", "a", "<s>"],
        ["<s>", "<s>", "<s>"],
        ["b", "<s>", "<s>"],
    ]
    assert words.words(target.tolist()) == ["a", "b", "</s>", "b", "</s>"]


def test_what_is_measured_repeats_itself_and_random_vectors_stay(monkeypatch) -> None:
    models = []
    build = nplm_vectors.NPLM

    def kept(*args: object) -> object:
        models.append(build(*args))  # type: ignore[arg-type]
        models[-1].first = models[-1].C.detach().clone()
        return models[-1]

    monkeypatch.setattr(nplm_vectors, "NPLM", kept)
    found = [measured(replace(QUICK, learnt=learnt)) for learnt in (True, False)]
    assert found[0] == measured(QUICK)
    assert found[0]["perplexity"] != found[1]["perplexity"]
    moved = [not torch.equal(model.C, model.first) for model in models]
    assert moved == [True, False, True]


def test_learnt_vectors_are_far_better_on_every_seed() -> None:
    stored = results("nplm_vectors")
    learnt, random = (
        [row["perplexity"] for row in stored.seeds(name)]
        for name in ("learnt", "random")
    )
    assert 2 * max(learnt) < min(random)
