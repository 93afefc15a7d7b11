"""How word2vec is trained: what it reads, draws, and loses."""

import math
from dataclasses import replace

import pytest
import torch

from kit import text_corpus
from lookback.recipes.word2vec import (
    Word2VecConfig,
    Word2VecLearner,
    examples,
)
from lookback.trainer import seeds
from lookback.trainer.fit import once
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe
from lookback.word2vec import (
    CBOW,
    SkipGram,
    keep_probability,
    noise_distribution,
    running_text,
    windows,
)

CORPUS = text_corpus(
    ["a b c a", "b a c", "a rare b", "c a b b", "a b c a", "c b d d"],
    ["a b", "c zz a"],
    ["b"],
)
CONFIG = Word2VecConfig("skip-gram", m=6, window=2, negatives=3, t=1.0)
RECIPE = Recipe(
    Word2VecLearner, Data("t", min_count=2), 0, CONFIG, Optimiser("adam", 0.1),
    Budget(30, 8, evaluate_every=10),
)  # fmt: skip


@pytest.fixture
def untrained() -> Word2VecLearner:
    learner = Word2VecLearner(RECIPE)
    learner.vocabularies = learner.words_of(CORPUS)
    learner.network = learner.untrained(learner.vocabularies)
    return learner


def test_it_reads_one_running_text_of_sentences(untrained: Word2VecLearner) -> None:
    assert untrained.words == ("b", "a", "c", "d")
    ids, sentence = running_text(untrained.rows(CORPUS, "train"))
    assert ids.tolist() == [1, 0, 2, 1, 0, 1, 2, 1, 0, 2, 1, 0, 0, 2, 0, 3, 3]
    assert sentence.tolist() == [0] * 4 + [1] * 3 + [2] * 2 + [3] * 4 + [4] * 4
    ids, _ = running_text(untrained.rows(CORPUS, "validation"))
    assert ids.tolist() == [1, 0, 2, 1]


@pytest.mark.parametrize("t", [1.0, 0.05])
def test_examples_are_windows_of_what_is_left(t: float) -> None:
    ids = torch.randint(9, (400,), generator=seeds.generator(0))
    sentence = torch.arange(400) // 8
    counts = ids.bincount(minlength=9)
    config = replace(CONFIG, t=t)
    batches = [
        *examples(config, ids, sentence, counts, size=50, generator=seeds.generator(1))
    ]
    assert all(len(centre) == 50 for centre, _ in batches[:-1])
    assert all(words.shape == (len(centre), 4) for centre, words in batches)
    # the same draws, one after another
    draw = seeds.generator(1)
    kept = torch.rand(400, generator=draw) < keep_probability(counts, t)[ids]
    around, mask = windows(ids[kept], sentence[kept], 2, generator=draw)
    expected = sorted(
        (int(centre), int(word))
        for centre, row, there in zip(ids[kept], around, mask, strict=True)
        for word in row[there]
    )
    pairs = [
        (int(c), int(row[0])) for centre, words in batches
        for c, row in zip(centre, words, strict=True)
    ]  # fmt: skip
    assert sorted(pairs) == expected
    assert pairs != expected  # they come in any order
    assert (len(expected) < 900) == (t < 1)


def test_the_noise_follows_its_power() -> None:
    ids = torch.tensor([0] * 600 + [1] * 60 + [2] * 6 + [3] * 30)
    sentence, counts = torch.arange(696) // 12, ids.bincount(minlength=5)
    for power in (0.75, 0.0):
        config = replace(CONFIG, power=power)
        drawn = torch.cat([
            words[:, 1:].flatten()
            for _, words in examples(
                config, ids, sentence, counts, size=500, generator=seeds.generator(2)
            )
        ])  # fmt: skip
        share = drawn.bincount(minlength=5) / len(drawn)
        expected = noise_distribution(counts, power)
        assert share.tolist() == pytest.approx(expected.tolist(), abs=0.02)
        assert share[4] == 0


def test_a_softmax_scores_the_true_words_alone() -> None:
    ids, sentence = torch.arange(6), torch.zeros(6, dtype=torch.long)
    config = replace(CONFIG, negatives=0, window=1)
    counts = ids.bincount()
    ((centre, words),) = examples(
        config, ids, sentence, counts, size=99, generator=seeds.generator(0)
    )
    assert centre.shape == words.shape == (10,)
    assert ((centre - words).abs() == 1).all()
    total, n = Word2VecLearner(RECIPE).loss(SkipGram(6, 3), (centre, words))
    assert (total.item(), n) == (pytest.approx(10 * math.log(6)), 10)


def test_cbow_takes_words_with_neighbours_alone() -> None:
    ids, sentence = torch.tensor([0, 1, 2, 3]), torch.tensor([0, 0, 0, 1])
    config = replace(CONFIG, kind="cbow", window=1)
    ((around, mask, words),) = examples(
        config, ids, sentence, ids.bincount(), size=99, generator=seeds.generator(0)
    )
    seen = {
        int(w): sorted(row[some].tolist())
        for w, row, some in zip(words[:, 0], around, mask, strict=True)
    }
    assert seen == {0: [1], 1: [0, 2], 2: [1]}
    total, n = Word2VecLearner(RECIPE).loss(CBOW(4, 3), (around, mask, words))
    assert (total.item(), n) == (pytest.approx(3 * 4 * math.log(2)), 3)


@pytest.mark.parametrize(("kind", "made"), [("skip-gram", SkipGram), ("cbow", CBOW)])
def test_each_kind_learns_its_network(kind: str, made: type) -> None:
    learner = train_recipe(replace(RECIPE, model=replace(CONFIG, kind=kind)), CORPUS)
    assert type(learner.network) is made
    first, *_, last = (entry.loss for entry in learner.log.entries)
    assert first == pytest.approx(4 * math.log(2)) and last < first


def test_validation_is_the_same_each_time(untrained: Word2VecLearner) -> None:
    one, two = (
        untrained.batches(CORPUS, "validation", seeds.generator(seed))
        for seed in (1, 2)
    )
    assert [[t.tolist() for t in b] for b in once(one)] == [
        [t.tolist() for t in b] for b in once(two)
    ]
    train = untrained.batches(CORPUS, "train", seeds.generator(3))
    drawn = [[t.tolist() for b in once(train) for t in b] for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no kind 'bow': did you mean 'cbow'"):
        replace(CONFIG, kind="bow")
