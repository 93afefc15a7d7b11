"""word2vec: small numbers by hand, gensim's steps, its own laws."""

import math

import pytest
import torch
from gensim.models import Word2Vec
from torch import nn

from kit import generator, randint, randn, sigmoid
from lookback.word2vec import (
    CBOW,
    SkipGram,
    analogy,
    keep_probability,
    negative_sampling_loss,
    noise_distribution,
    running_text,
    sentence_pairs,
    softmax_loss,
    windows,
)


def shaken(kind=SkipGram, V=7, m=3, seed=0):
    """A model whose vectors are far from 0, in double precision."""
    model = kind(V, m).double()
    with torch.no_grad():
        for vectors in (model.v, model.u):
            vectors.copy_(randn(V, m, seed=seed))
            seed += 1
    return model


def hand(kind):
    """Three words with two numbers each."""
    model = kind(3, 2)
    with torch.no_grad():
        model.v.copy_(torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 4.0]]))
        model.u.copy_(torch.tensor([[1.0, 1.0], [0.0, 3.0], [-1.0, 2.0]]))
    return model


# --- by hand -------------------------------------------------------------------------


def test_skip_gram_scores_by_hand():
    # u · v for v_1 = (2, 1): 3, 3, 0; for v_0 = (1, 0): 1, 0, -1
    model = hand(SkipGram)
    found = model(torch.tensor([1, 0]))
    assert found.tolist() == [[3, 3, 0], [1, 0, -1]]
    some = model(torch.tensor([1, 0]), torch.tensor([[2, 0, 2], [0, 1, 2]]))
    assert some.tolist() == [[0, 3, 0], [1, 0, -1]]


def test_cbow_scores_by_hand():
    # the mean of v_0 and v_2 is (1/2, 2); of v_1 alone it is v_1
    model = hand(CBOW)
    around = torch.tensor([[0, 2, 1], [1, 0, 0]])
    mask = torch.tensor([[True, True, False], [True, False, False]])
    assert model(around, mask).tolist() == [[2.5, 6, 3.5], [3, 3, 0]]
    some = model(around, mask, torch.tensor([[1, 2], [0, 2]]))
    assert some.tolist() == [[6, 3.5], [3, 0]]


def test_the_losses_by_hand():
    scores = torch.tensor([[1.0, 2.0, -1.0], [0.0, 0.0, 3.0]])
    by_hand = [
        -math.log(sigmoid(1)) - math.log(sigmoid(-2)) - math.log(sigmoid(1)),
        math.log(2) + math.log(2) - math.log(sigmoid(-3)),
    ]
    assert negative_sampling_loss(scores).tolist() == pytest.approx(by_hand)
    by_hand = [
        -math.log(math.exp(-1) / (math.e + math.e**2 + math.exp(-1))),
        -math.log(1 / (2 + math.e**3)),
    ]
    assert softmax_loss(scores, torch.tensor([2, 0])).tolist() == pytest.approx(by_hand)


def test_the_noise_by_hand():
    # 1, 16 and 81 to the power of three quarters are 1, 8 and 27
    counts = torch.tensor([16, 0, 1, 81])
    expected = [8 / 36, 0, 1 / 36, 27 / 36]
    assert noise_distribution(counts).tolist() == pytest.approx(expected)
    plain = [16 / 98, 0, 1 / 98, 81 / 98]
    assert noise_distribution(counts, 1.0).tolist() == pytest.approx(plain)
    alike = [1 / 3, 0, 1 / 3, 1 / 3]  # 0 to the power of 0 is not 1 here
    assert noise_distribution(counts, 0.0).tolist() == pytest.approx(alike)


def test_thinning_out_by_hand():
    # shares .64, .32, .04, 0: √(.01 / .64) = 1/8, √(.01 / .04) = 1/2
    counts = torch.tensor([64, 32, 4, 0])
    found = keep_probability(counts, t=0.01)
    assert found.tolist() == pytest.approx([1 / 8, math.sqrt(1 / 32), 1 / 2, 1])
    assert keep_probability(counts, t=0.04).tolist()[2:] == [1, 1]
    assert keep_probability(torch.tensor([1, 1])).tolist() == pytest.approx(
        [math.sqrt(2e-5)] * 2
    )


def test_running_text():
    ids, sentence = running_text([[5, 6], [], [7], [8, 5, 5]])
    assert ids.tolist() == [5, 6, 7, 8, 5, 5]
    assert sentence.tolist() == [0, 0, 2, 3, 3, 3]


def test_windows_by_hand():
    ids, sentence = running_text([[5, 6, 7], [8], [9, 4]])
    around, mask = windows(ids, sentence, 1, generator=generator())
    found = [row[some].tolist() for row, some in zip(around, mask, strict=True)]
    assert found == [[6], [5, 7], [6], [], [4], [9]]


def test_an_analogy_by_hand():
    words = ["man", "woman", "king", "queen", "tree"]
    # at length 1 they lie at 0°, 90°, 30°, 100° and 200°; b - a + c points to 101°
    turned = torch.deg2rad(torch.tensor([0.0, 90.0, 30.0, 100.0, 200.0]))
    vectors = torch.stack([turned.cos(), turned.sin()], 1) * torch.tensor(
        [[3.0], [1.0], [2.0], [5.0], [1.0]]
    )
    found = analogy("man", "woman", "king", words, vectors, k=2)
    assert [word for word, _ in found] == ["queen", "tree"]
    x, y = -1 + math.cos(math.pi / 6), 1 + math.sin(math.pi / 6)
    goal = math.atan2(y, x)
    assert found[0][1] == pytest.approx(math.cos(goal - math.radians(100)))
    assert found[1][1] == pytest.approx(math.cos(goal - math.radians(200)))
    # signs: king is to queen as woman to what? q - k + w is 127°, the tree is nearer
    assert analogy("king", "queen", "woman", words, vectors, k=1)[0][0] == "tree"


# --- against the reference -----------------------------------------------------------


# A word may be the centre twice.
CENTRE = [4, 1, 4, 0, 6]


def gensim(sg):
    """gensim with words 0, 1, 2, 3, its noise always the word 3, one for each pair.

    Of two noise words it would see the first one's step before the second one's.
    """
    theirs = Word2Vec(
        vector_size=5, window=1, min_count=1, sg=sg, negative=1, workers=1, sample=0,
        alpha=0.5, min_alpha=0.5, seed=3,
    )  # fmt: skip
    theirs.build_vocab([["0"] * 9 + ["1"] * 7 + ["2"] * 5 + ["3"] * 3])
    assert theirs.wv.index_to_key == ["0", "1", "2", "3"]
    theirs.cum_table[:] = [0, 0, 0, 2**31 - 1]
    theirs.wv.vectors[:] = torch.randn(4, 5, generator=generator(1)).numpy()
    theirs.syn1neg[:] = torch.randn(4, 5, generator=generator(2)).numpy()
    return theirs


def like(theirs, kind):
    ours = kind(4, 5)
    with torch.no_grad():
        ours.v.copy_(torch.from_numpy(theirs.wv.vectors))
        ours.u.copy_(torch.from_numpy(theirs.syn1neg))
    return ours


def same(ours, theirs):
    # theirs looks σ up in a table of a thousand values
    for one, two in ((ours.v, theirs.wv.vectors), (ours.u, theirs.syn1neg)):
        torch.testing.assert_close(one.data, torch.from_numpy(two), atol=0.01, rtol=0)


def test_a_sentence_moves_gensims_vectors_as_ours():
    theirs = gensim(sg=1)
    ours = like(theirs, SkipGram)
    theirs.train([["0", "1", "2"]], total_examples=1, epochs=1)
    steps = torch.optim.SGD(ours.parameters(), lr=0.5)
    moved = ours.v.detach().clone()
    # theirs looks the other way: from each word near a centre to it
    for word, centre in sentence_pairs([0, 1, 2], 1, generator=generator()):
        steps.zero_grad()
        asked = torch.tensor([[word, 3]])
        negative_sampling_loss(ours(torch.tensor([centre]), asked)).sum().backward()
        steps.step()
    assert (ours.v - moved).abs()[:3].max() > 0.1
    same(ours, theirs)


def test_a_pair_moves_gensims_vectors_as_our_cbows():
    """Of more words around gensim hands each the whole gradient, we a share of it."""
    theirs = gensim(sg=0)
    ours = like(theirs, CBOW)
    theirs.train([["0", "1"]], total_examples=1, epochs=1)
    steps = torch.optim.SGD(ours.parameters(), lr=0.5)
    for around, centre in (([[1]], 0), ([[0]], 1)):
        steps.zero_grad()
        words = torch.tensor([[centre, 3]])
        scores = ours(torch.tensor(around), torch.tensor([[True]]), words)
        negative_sampling_loss(scores).sum().backward()
        steps.step()
    same(ours, theirs)


# --- laws ----------------------------------------------------------------------------


def test_vectors_at_first():
    model = SkipGram(400, 8)
    assert model.v.shape == model.u.shape == (400, 8)
    assert not model.u.any()
    assert 0.99 / 16 < model.v.max() <= 1 / 16
    assert -1 / 16 <= model.v.min() < -0.99 / 16
    assert abs(model.v.mean()) < 0.005
    assert {name for name, _ in model.named_parameters()} == {"v", "u"}


def test_some_scores_are_those_of_all():
    words = randint(7, 5, 4, seed=3)
    model = shaken()
    centre = torch.tensor(CENTRE)
    torch.testing.assert_close(model(centre, words), model(centre).gather(1, words))
    model = shaken(CBOW)
    around = randint(7, 5, 6, seed=4)
    mask = torch.rand(5, 6, generator=generator(5)) < 0.6
    assert mask.any(1).all()
    every = model(around, mask)
    torch.testing.assert_close(model(around, mask, words), every.gather(1, words))
    hidden = around.masked_fill(~mask, 0)  # what is masked does not matter, nor order
    torch.testing.assert_close(model(hidden, mask), every)
    torch.testing.assert_close(model(around.flip(1), mask.flip(1)), every)


def test_the_best_scores_are_pmi_less_log_k():
    # Levy and Goldberg 2014: where the loss over all text is least,
    # s(c, o) = log P(c, o) / (P(c) P_n(o)) - log k. Five words, their pairs at random.
    joint = torch.rand(5, 5, generator=generator(6), dtype=torch.double) + 0.1
    joint /= joint.sum()
    noise, k = noise_distribution(joint.sum(0) * 1000), 3
    best = (joint / (joint.sum(1, keepdim=True) * noise)).log() - math.log(k)
    scores = best.clone().requires_grad_()
    true = negative_sampling_loss(
        torch.stack([scores, -40 + 0 * scores], 2).flatten(0, 1)
    )
    false = negative_sampling_loss(
        torch.stack([40 + 0 * scores, scores], 2).flatten(0, 1)
    )
    weights = joint.sum(1, keepdim=True) * noise * k
    loss = (joint * true.view(5, 5)).sum() + (weights * false.view(5, 5)).sum()
    (slope,) = torch.autograd.grad(loss, scores)
    assert slope.abs().max() < 1e-9


def test_the_plain_pairs_are_those_of_the_windows_from_the_same_chance():
    rows = [[3, 1, 4, 1, 5], [], [9, 2], [6], [5, 3, 5, 8, 9, 7, 9, 3]]
    plain, fast = generator(10), generator(10)
    by_hand = [p for row in rows for p in sentence_pairs(row, 3, generator=plain)]
    ids, sentence = running_text(rows)
    around, mask = windows(ids, sentence, 3, generator=fast)
    centres = ids.unsqueeze(1).expand_as(around)[mask].tolist()
    assert by_hand == [*zip(centres, around[mask].tolist(), strict=True)]
    assert len(by_hand) > 30
    assert torch.equal(plain.get_state(), fast.get_state())  # one number a word


def test_analogies_agree_with_a_slow_search():
    names = [f"w{n}" for n in range(12)]
    vectors = torch.randn(12, 4, generator=generator(2))
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    goal = unit[5] - unit[2] + unit[9]
    cosines = nn.functional.cosine_similarity(unit, goal.unsqueeze(0)).tolist()
    order = sorted({*range(12)} - {2, 5, 9}, key=lambda n: -cosines[n])
    found = analogy("w2", "w5", "w9", names, 3 * vectors, k=9)
    assert found == [(names[n], pytest.approx(cosines[n])) for n in order]
    # one word asked twice leaves more to answer
    assert len(analogy("w2", "w2", "w9", names, vectors, k=10)) == 10
    assert len(analogy("w2", "w5", "w9", names, vectors)) == 5
