"""word2vec: small numbers by hand, gensim's steps, its own laws."""

import math

import pytest
import torch
from gensim.models import Word2Vec
from torch import nn

from kit import generator, randint, randn, sigmoid
from lookback.nplm import nearest
from lookback.text.corpora import grammar
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


def closed_form(model, v, true, noise):
    """The gradient of the loss by v, and by u, written down from its derivative."""
    by_v, by_u = torch.zeros_like(v), torch.zeros_like(model.u)
    for row, (word, others) in enumerate(zip(true, noise, strict=True)):
        for w, y in [(word, 1), *((other, 0) for other in others)]:
            error = torch.sigmoid(model.u[w] @ v[row]) - y
            by_v[row] += error * model.u[w]
            by_u[w] += error * v[row]
    return by_v, by_u


# Words come up again: as centre, as true word, as noise of another and of itself.
CENTRE, TRUE = [4, 1, 4, 0, 6], [2, 2, 3, 4, 6]
NOISE = [[1, 5], [2, 6], [3, 3], [0, 2], [4, 1]]


def test_skip_grams_gradient_is_the_closed_form():
    model = shaken()
    words = torch.cat([torch.tensor(TRUE).unsqueeze(1), torch.tensor(NOISE)], dim=1)
    negative_sampling_loss(model(torch.tensor(CENTRE), words)).sum().backward()
    with torch.no_grad():
        by_rows, by_u = closed_form(model, model.v[CENTRE], TRUE, NOISE)
        by_v = torch.zeros_like(model.v).index_add_(0, torch.tensor(CENTRE), by_rows)
    torch.testing.assert_close(model.v.grad, by_v)
    torch.testing.assert_close(model.u.grad, by_u)


def test_cbows_gradient_is_the_closed_form():
    model = shaken(CBOW)
    around = torch.tensor([[1, 2, 3, 0], [0, 0, 5, 4], [6, 1, 0, 0]])
    mask = around > 0
    words = torch.cat([torch.tensor(TRUE[:3])[:, None], torch.tensor(NOISE[:3])], 1)
    negative_sampling_loss(model(around, mask, words)).sum().backward()
    with torch.no_grad():
        means = torch.stack(
            [model.v[row[some]].mean(0) for row, some in zip(around, mask, strict=True)]
        )
        by_means, by_u = closed_form(model, means, TRUE[:3], NOISE[:3])
        by_v = torch.zeros_like(model.v)
        for row, some, grad in zip(around, mask, by_means, strict=True):
            for word in row[some]:
                by_v[word] += grad / some.sum()
    torch.testing.assert_close(model.v.grad, by_v)
    torch.testing.assert_close(model.u.grad, by_u)


def test_the_softmaxs_gradient_is_the_closed_form():
    model = shaken()
    softmax_loss(model(torch.tensor(CENTRE)), torch.tensor(TRUE)).sum().backward()
    with torch.no_grad():
        v = model.v[CENTRE]
        error = torch.softmax(v @ model.u.T, dim=1)
        error[range(len(TRUE)), TRUE] -= 1
        by_v = torch.zeros_like(model.v).index_add_(
            0, torch.tensor(CENTRE), error @ model.u
        )
    torch.testing.assert_close(model.v.grad, by_v)
    torch.testing.assert_close(model.u.grad, error.T @ v)


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


def test_gensims_cbow_does_not_divide_what_it_hands_back():
    # Each word around gets all of the mean's gradient, not its share 1/n of it.
    theirs = gensim(sg=0)
    ours = like(theirs, CBOW)
    theirs.train([["0", "1"]], total_examples=1, epochs=1)  # one word around: n = 1
    steps = torch.optim.SGD(ours.parameters(), lr=0.5)
    for around, centre in (([[1]], 0), ([[0]], 1)):
        steps.zero_grad()
        words = torch.tensor([[centre, 3]])
        scores = ours(torch.tensor(around), torch.tensor([[True]]), words)
        negative_sampling_loss(scores).sum().backward()
        steps.step()
    same(ours, theirs)
    theirs, ours = gensim(sg=0), like(gensim(sg=0), CBOW)
    before = ours.v.detach().clone()
    theirs.train([["1", "0", "2"]], total_examples=1, epochs=1)
    # 1 from 0, then 0 from 1 and 2, then 2 from 0: what 2 gets, it gets in the middle
    theirs_got = torch.from_numpy(theirs.wv.vectors)[2] - before[2]
    for n, (around, centre) in enumerate([([0], 1), ([1, 2], 0)]):
        steps = torch.optim.SGD(ours.parameters(), lr=0.5)
        steps.zero_grad()
        mask = torch.ones(1, n + 1, dtype=torch.bool)
        scores = ours(torch.tensor([around]), mask, torch.tensor([[centre, 3]]))
        negative_sampling_loss(scores).sum().backward()
        steps.step()
    ours_got = ours.v.detach()[2] - before[2]
    assert ours_got.abs().max() > 0.1
    torch.testing.assert_close(theirs_got, 2 * ours_got, atol=0.02, rtol=0)


def trained(sentences, vocabulary, m=24, window=3, seed=0):
    """Our skip-gram, as the chapter trains it."""
    place = {word: n for n, word in enumerate(vocabulary)}
    rows = [[place[w] for w in s if w in place] for s in sentences]
    ids, sentence = running_text(rows)
    counts = ids.bincount(minlength=len(place))
    noise, keep = noise_distribution(counts), keep_probability(counts, 1e-3)
    torch_chance = torch.random.get_rng_state()
    torch.manual_seed(seed)
    model, draw = SkipGram(len(place), m), generator(seed)
    torch.random.set_rng_state(torch_chance)
    steps, losses = torch.optim.Adam(model.parameters(), lr=0.03), []
    for _ in range(8):
        kept = torch.rand(len(ids), generator=draw) < keep[ids]
        around, mask = windows(ids[kept], sentence[kept], window, generator=draw)
        pairs = ids[kept].unsqueeze(1).expand_as(around)[mask], around[mask]
        for rows in torch.randperm(len(pairs[0]), generator=draw).split(1024):
            others = torch.multinomial(noise, 5 * len(rows), True, generator=draw)
            centre, true = (side[rows] for side in pairs)
            asked = torch.cat([true[:, None], others.view(-1, 5)], dim=1)
            loss = negative_sampling_loss(model(centre, asked)).mean()
            steps.zero_grad()
            loss.backward()
            steps.step()
            losses.append(loss.item())
    return model, losses


def test_neighbours_are_gensims():
    sentences = [p.source for p in grammar(2500, seed=5).train]
    theirs = Word2Vec(
        [list(s) for s in sentences], vector_size=24, window=3, min_count=20, sg=1,
        negative=5, sample=1e-3, workers=1, epochs=20, seed=1, alpha=0.05,
    )  # fmt: skip
    words = theirs.wv.index_to_key
    model, losses = trained(sentences, words)
    assert losses[0] == pytest.approx(6 * math.log(2))
    assert sum(losses[-20:]) / 20 < 3
    asked = [word for word in words[:150] if word.isalpha()]
    shared = [
        len(
            {w for w, _ in nearest(word, words, model.v.data, k=10)}
            & {w for w, _ in theirs.wv.most_similar(word, topn=10)}
        )
        for word in asked
    ]
    assert sum(shared) / len(shared) > 3.5  # blindly it would be 10 · 10 / V, 0.4


# --- laws ----------------------------------------------------------------------------


@pytest.mark.parametrize(("V", "m", "k"), [(11, 4, 1), (50, 3, 5), (7, 9, 20)])
def test_the_first_loss_is_known_beforehand(V, m, k):
    around, mask = torch.arange(6).view(2, 3), torch.ones(2, 3, dtype=torch.bool)
    words = randint(V, 2, 1 + k)
    for scores in (
        SkipGram(V, m)(torch.tensor([0, 5]), words),
        CBOW(V, m)(around, mask, words),
    ):
        assert scores.shape == (2, 1 + k)
        found = negative_sampling_loss(scores)
        assert found.tolist() == pytest.approx([(k + 1) * math.log(2)] * 2)
    for scores in (SkipGram(V, m)(torch.tensor([0, 5])), CBOW(V, m)(around, mask)):
        assert scores.shape == (2, V)
        found = softmax_loss(scores, torch.tensor([V - 1, 3]))
        assert found.tolist() == pytest.approx([math.log(V)] * 2)


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


def test_windows_keep_to_their_sentences_and_to_r():
    rows = [list(range(100 * n, 100 * n + n)) for n in range(1, 30)]  # each id once
    ids, sentence = running_text(rows)
    around, mask = windows(ids, sentence, 4, generator=generator(7))
    assert around.shape == mask.shape == (len(ids), 8)
    # the same draw as in `windows`: R for each word
    R = torch.randint(1, 5, (len(ids), 1), generator=generator(7)).flatten().tolist()
    assert set(R) == {1, 2, 3, 4}
    for place, (word, r) in enumerate(zip(ids.tolist(), R, strict=True)):
        row = rows[word // 100 - 1]
        at = row.index(word)
        expected = row[max(0, at - r) : at] + row[at + 1 : at + 1 + r]
        assert around[place][mask[place]].tolist() == expected


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


def test_arguments_stay_as_they_came():
    model = shaken(CBOW)
    around, mask = torch.tensor([[1, 2, 0]]), torch.tensor([[True, True, False]])
    words, counts = torch.tensor([[3, 4]]), torch.tensor([4, 0, 2])
    vectors, names = torch.randn(4, 3, generator=generator()), ["a", "b", "c", "d"]
    told = [around, mask, words, counts, vectors]
    copies = [tensor.clone() for tensor in told]
    model(around, mask, words)
    noise_distribution(counts)
    keep_probability(counts)
    analogy("a", "b", "c", names, vectors, k=1)
    assert all((one == two).all() for one, two in zip(told, copies, strict=True))


def test_analogies_agree_with_a_slow_search():
    names = [f"w{n}" for n in range(12)]
    vectors = torch.randn(12, 4, generator=generator(2))
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    goal = unit[5] - unit[2] + unit[9]
    cosines = nn.functional.cosine_similarity(unit, goal.unsqueeze(0)).tolist()
    order = sorted(
        (n for n in range(12) if n not in (2, 5, 9)), key=lambda n: -cosines[n]
    )
    found = analogy("w2", "w5", "w9", names, vectors, k=9)
    assert [word for word, _ in found] == [names[n] for n in order]
    assert [x for _, x in found] == pytest.approx([cosines[n] for n in order])
    lengths = torch.rand(12, 1, generator=generator(3)) + 0.1
    again = analogy("w2", "w5", "w9", names, vectors * lengths, k=9)
    assert [word for word, _ in again] == [word for word, _ in found]
    # one word asked twice leaves more to answer
    assert len(analogy("w2", "w2", "w9", names, vectors, k=10)) == 10
    assert len(analogy("w2", "w5", "w9", names, vectors)) == 5
