"""The maker of word vectors: what it reads, draws, loses and measures."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from lookback.workshop.company import STUDIES, Case, measure, text_of
from lookback.workshop.embedding import (
    FIRST,
    Word2VecConfig,
    Word2VecMaker,
    examples,
    found_in,
    sentences,
    word_vectors,
)
from lookback.workshop.makers import Bench
from lookback.workshop.ranks import Ranks
from lookback.workshop.recipes import RECIPES, Budget, Data, Optimiser, Recipe

from lookback.text.corpora import Corpus
from lookback.word2vec import (
    CBOW,
    SkipGram,
    keep_probability,
    noise_distribution,
    windows,
)
from lookback.workshop import pretrained

TRAIN = tuple(
    tuple(s.split())
    for s in ("a b c a", "b a c", "a rare b", "c a b b", "a b c a", "c b d d")
)
CORPUS = Corpus("t", "1", 2, TRAIN, (("a", "b"), ("c", "zz", "a")), (("b",),), (), {})
CONFIG = Word2VecConfig("skip-gram", m=6, window=2, negatives=3, t=1.0)
ASKED = Recipe(
    Data("t", min_count=2), 0, CONFIG, Optimiser("adam", 0.1),
    Budget(30, 8, evaluate_every=10),
)  # fmt: skip
MAKER = Word2VecMaker()


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


def bench(where: Path) -> Bench:
    return Bench(torch.device("cpu"), where / "state", Ranks(), False)


def test_each_sentence_is_read_once_and_rare_words_make_room():
    assert len(sentences(CORPUS, "train")) == 5
    words = MAKER.vocabularies(ASKED, CORPUS)
    assert words["words"].entries[FIRST:] == ("b", "a", "c", "d")
    ids, sentence = MAKER.text(words, CORPUS, "train")
    assert ids.tolist() == [1, 0, 2, 1, 0, 1, 2, 1, 0, 2, 1, 0, 0, 2, 0, 3, 3]
    assert sentence.tolist() == [0] * 4 + [1] * 3 + [2] * 2 + [3] * 4 + [4] * 4
    ids, _ = MAKER.text(words, CORPUS, "validation")
    assert ids.tolist() == [1, 0, 2, 1]


@pytest.mark.parametrize("t", [1.0, 0.05])
def test_examples_are_windows_of_what_was_kept(t):
    ids = torch.randint(9, (400,), generator=chance())
    sentence = torch.arange(400) // 8
    counts = ids.bincount(minlength=9)
    config = replace(CONFIG, t=t)
    batches = [*examples(config, ids, sentence, counts, size=50, generator=chance(1))]
    assert all(len(centre) == 50 for centre, _ in batches[:-1])
    assert all(words.shape == (len(centre), 4) for centre, words in batches)
    # the same draws, one after another
    draw = chance(1)
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


def test_the_noise_follows_its_power():
    ids = torch.tensor([0] * 600 + [1] * 60 + [2] * 6 + [3] * 30)
    sentence, counts = torch.arange(696) // 12, ids.bincount(minlength=5)
    for power in (0.75, 0.0):
        config = replace(CONFIG, power=power)
        drawn = torch.cat([
            words[:, 1:].flatten()
            for _, words in examples(
                config, ids, sentence, counts, size=500, generator=chance(2)
            )
        ])  # fmt: skip
        share = drawn.bincount(minlength=5) / len(drawn)
        expected = noise_distribution(counts, power)
        assert share.tolist() == pytest.approx(expected.tolist(), abs=0.02)
        assert share[4] == 0


def test_a_softmax_asks_about_the_true_words_alone():
    ids, sentence = torch.arange(6), torch.zeros(6, dtype=torch.long)
    config = replace(CONFIG, negatives=0, window=1)
    counts = ids.bincount()
    ((centre, words),) = examples(
        config, ids, sentence, counts, size=99, generator=chance()
    )
    assert centre.shape == words.shape == (10,)
    assert ((centre - words).abs() == 1).all()
    total, n = MAKER.loss(SkipGram(6, 3), (centre, words))
    assert (total.item(), n) == (pytest.approx(10 * math.log(6)), 10)


def test_cbow_takes_words_with_company_alone():
    ids, sentence = torch.tensor([0, 1, 2, 3]), torch.tensor([0, 0, 0, 1])
    config = replace(CONFIG, kind="cbow", window=1)
    ((around, mask, words),) = examples(
        config, ids, sentence, ids.bincount(), size=99, generator=chance()
    )
    seen = {
        int(w): sorted(row[some].tolist())
        for w, row, some in zip(words[:, 0], around, mask, strict=True)
    }
    assert seen == {0: [1], 1: [0, 2], 2: [1]}
    total, n = MAKER.loss(CBOW(4, 3), (around, mask, words))
    assert (total.item(), n) == (pytest.approx(3 * 4 * math.log(2)), 3)


@pytest.mark.parametrize("kind", ["skip-gram", "cbow"])
def test_training_lowers_the_loss_and_repeats(kind, tmp_path):
    asked = replace(ASKED, model=replace(CONFIG, kind=kind))
    made = MAKER.train(asked, CORPUS, bench(tmp_path))
    (tmp_path / "state").unlink()
    again = MAKER.train(asked, CORPUS, bench(tmp_path))
    assert made.log.entries[0].loss == pytest.approx(4 * math.log(2))
    assert made.log.best.score < 4 * math.log(2)
    assert made.model.v.shape == (4, 6)
    assert (made.model.v == again.model.v).all()
    assert isinstance(made.model, CBOW if kind == "cbow" else SkipGram)
    tensors = MAKER.tensors(made.model, made.vocabularies)
    built = MAKER.build(asked, tensors, made.vocabularies)
    assert (MAKER.vectors(built) == made.model.v).all()


def test_validation_is_the_same_each_time():
    words = MAKER.vocabularies(ASKED, CORPUS)
    one, two = (
        MAKER.batches(ASKED, words, CORPUS, "validation", chance(seed))
        for seed in (1, 2)
    )
    assert [[t.tolist() for t in b] for b in one] == [
        [t.tolist() for t in b] for b in two
    ]
    train = MAKER.batches(ASKED, words, CORPUS, "train", chance(3))
    drawn = [[t.tolist() for b in train for t in b] for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_what_is_measured():
    words = ["man", "woman", "king", "queen", "boy", "girl", "dog", "cat"]
    vectors = torch.tensor(
        [[-1.0, 2, 5], [1, 2, 5], [-1, 9, 5], [1, 9, 5], [-1, 5, 5], [1, 5, 5],
         [0, -3, 1], [0, -3, 2]]
    )  # fmt: skip
    assert found_in(words, vectors, "tatoeba") == {"analogies": 1.0}
    assert found_in(words, vectors, "grammar") == {"analogies": 1.0, "same kind": 1.0}
    assert found_in(words[6:], vectors[6:], "tatoeba") == {}


@pytest.mark.parametrize("name", ["word2vec", "word2vec-tatoeba"])
def test_vectors_of_a_trained_model(name):
    found = pretrained(name)
    words, vectors = word_vectors(found)
    assert len(words) == len(vectors) == len(found.vocabularies["words"]) - FIRST
    assert words[0] not in found.vocabularies["words"].specials
    assert vectors.shape[1] == RECIPES[name].model.m
    assert not vectors.requires_grad


def test_other_models_have_none():
    with pytest.raises(ValueError, match="ngram is no model of word vectors"):
        word_vectors(pretrained("ngram"))


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind is one of skip-gram, cbow, got 'bow'"):
        replace(CONFIG, kind="bow")


def test_a_case_may_learn_from_the_french():
    quick = STUDIES["word2vec"].cases["quick"]
    french = text_of(replace(quick, text="french"))
    assert "le" in {word for s in french.train for word in s}
    assert len(french.train) == len(text_of(quick).train)
    with pytest.raises(ValueError, match="there is no text 'german'"):
        text_of(replace(quick, text="german"))


def test_a_case_asks_what_its_text_can_answer():
    quick = STUDIES["word2vec"].cases["quick"]
    short = replace(quick.recipe, budget=replace(quick.recipe.budget, steps=2))
    told = {"words", "examples", "seconds", "loss"}
    asked = {"kind", "number", "he or she", "French gender"}
    assert measure(Case(short, "english", asks=False)).keys() == told
    assert measure(Case(short, "english")).keys() == told | asked | {"analogies"}
    assert measure(Case(short, "french")).keys() == told | asked
