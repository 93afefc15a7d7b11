"""word2vec: small numbers by hand, gensim's steps, laws, refusals.

Mutants killed: each sign of the loss; the true word drawn as noise; the power 0.75 left
out; noise for words that never occur; the root of t / f, and t over count; windows that
cross sentences, reach too far, take in the centre or one side alone; R never the
longest; CBOW's sum for its mean, padding counted; v and u exchanged; u not 0 or v too
wide at first; analogies with their signs changed, or with a question word for answer;
components of what is not centred.
"""

import math

import pytest
import torch
from gensim.models import Word2Vec
from torch import nn

from lookback.nplm import nearest
from lookback.text.corpora import grammar
from lookback.word2vec import (
    CBOW,
    SkipGram,
    analogy,
    keep_probability,
    negative_sampling_loss,
    noise_distribution,
    principal_components,
    running_text,
    sentence_pairs,
    softmax_loss,
    windows,
)


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


def shaken(kind=SkipGram, V=7, m=3, seed=0):
    """A model whose vectors are far from 0, in double precision."""
    model = kind(V, m).double()
    with torch.no_grad():
        for vectors in (model.v, model.u):
            vectors.copy_(torch.randn(V, m, generator=chance(seed), dtype=torch.double))
            seed += 1
    return model


def hand(kind):
    """Three words with two numbers each."""
    model = kind(3, 2)
    with torch.no_grad():
        model.v.copy_(torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 4.0]]))
        model.u.copy_(torch.tensor([[1.0, 1.0], [0.0, 3.0], [-1.0, 2.0]]))
    return model


def sigma(x):
    return 1 / (1 + math.exp(-x))


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
        -math.log(sigma(1)) - math.log(sigma(-2)) - math.log(sigma(1)),
        math.log(2) + math.log(2) - math.log(sigma(-3)),
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
    around, mask = windows(ids, sentence, 1, generator=chance())
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


def test_components_by_hand():
    # a cross, three long and one wide, pushed away from 0
    points = torch.tensor([[3.0, 0.0], [-3.0, 0.0], [0.0, -1.0], [0.0, 1.0]])
    placed, share = principal_components(points + torch.tensor([50.0, 7.0]))
    assert share.tolist() == pytest.approx([0.9, 0.1])
    assert placed[:2].abs().tolist() == [
        pytest.approx([3, 0], abs=1e-5),
        pytest.approx([3, 0], abs=1e-5),
    ]
    assert placed.max(dim=0).values.tolist() == pytest.approx([3, 1])


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
    theirs.wv.vectors[:] = torch.randn(4, 5, generator=chance(1)).numpy()
    theirs.syn1neg[:] = torch.randn(4, 5, generator=chance(2)).numpy()
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
    for word, centre in sentence_pairs([0, 1, 2], 1, generator=chance()):
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
    model, draw = SkipGram(len(place), m), chance(seed)
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
    words = torch.randint(V, (2, 1 + k), generator=chance())
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


def test_the_least_sizes_make_a_model():
    assert SkipGram(1, 1)(torch.tensor([0])).shape == (1, 1)
    points, share = principal_components(torch.tensor([[1.0], [3.0]]), k=1)
    assert points.flatten().abs().tolist() == pytest.approx([1, 1])
    assert share.tolist() == pytest.approx([1])


def test_vectors_at_first():
    model = SkipGram(400, 8)
    assert model.v.shape == model.u.shape == (400, 8)
    assert not model.u.any()
    assert 0.99 / 16 < model.v.max() <= 1 / 16
    assert -1 / 16 <= model.v.min() < -0.99 / 16
    assert abs(model.v.mean()) < 0.005
    assert {name for name, _ in model.named_parameters()} == {"v", "u"}


def test_some_scores_are_those_of_all():
    words = torch.randint(7, (5, 4), generator=chance(3))
    model = shaken()
    centre = torch.tensor(CENTRE)
    torch.testing.assert_close(model(centre, words), model(centre).gather(1, words))
    model = shaken(CBOW)
    around = torch.randint(7, (5, 6), generator=chance(4))
    mask = torch.rand(5, 6, generator=chance(5)) < 0.6
    assert mask.any(1).all()
    every = model(around, mask)
    torch.testing.assert_close(model(around, mask, words), every.gather(1, words))
    hidden = around.masked_fill(~mask, 0)  # what is masked does not matter, nor order
    torch.testing.assert_close(model(hidden, mask), every)
    torch.testing.assert_close(model(around.flip(1), mask.flip(1)), every)


def test_cbow_with_one_word_around_is_skip_gram():
    one, two = shaken(), shaken(CBOW)
    centre = torch.tensor(CENTRE)
    mask = torch.ones(5, 1, dtype=torch.bool)
    torch.testing.assert_close(one(centre), two(centre.unsqueeze(1), mask))


def test_the_best_scores_are_pmi_less_log_k():
    # Levy and Goldberg 2014: where the loss over all text is least,
    # s(c, o) = log P(c, o) / (P(c) P_n(o)) - log k. Five words, their pairs at random.
    joint = torch.rand(5, 5, generator=chance(6), dtype=torch.double) + 0.1
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


def test_the_noise_is_a_distribution_between_two():
    counts = torch.tensor([1, 7, 0, 900, 33])
    found = noise_distribution(counts)
    assert found.sum() == pytest.approx(1)
    assert found.dtype == torch.float32
    share = counts / counts.sum()
    assert found[3] < share[3]  # the frequent word comes up less often than in the text
    assert found[0] > share[0]
    assert found[2] == 0
    torch.testing.assert_close(noise_distribution(counts * 9), found)


def test_keeping_falls_with_frequency_and_never_passes_one():
    counts = torch.tensor([1, 10, 100, 1000, 10000])
    found = keep_probability(counts, 1e-2)
    assert (found <= 1).all()
    assert found.diff().le(0).all()
    assert found[0] == 1
    torch.testing.assert_close(keep_probability(counts * 7, 1e-2), found)


def test_windows_keep_to_their_sentences_and_to_r():
    rows = [list(range(100 * n, 100 * n + n)) for n in range(1, 30)]  # each id once
    ids, sentence = running_text(rows)
    around, mask = windows(ids, sentence, 4, generator=chance(7))
    assert around.shape == mask.shape == (len(ids), 8)
    # the same draw as in `windows`: R for each word
    R = torch.randint(1, 5, (len(ids), 1), generator=chance(7)).flatten().tolist()
    assert set(R) == {1, 2, 3, 4}
    for place, (word, r) in enumerate(zip(ids.tolist(), R, strict=True)):
        row = rows[word // 100 - 1]
        at = row.index(word)
        expected = row[max(0, at - r) : at] + row[at + 1 : at + 1 + r]
        assert around[place][mask[place]].tolist() == expected


def test_near_words_come_up_more_often():
    ids, sentence = running_text([list(range(4000))])
    around, mask = windows(ids, sentence, 4, generator=chance(8))
    away = (ids.unsqueeze(1) - around).abs()[mask].bincount()
    assert away[0] == 0
    # at distance d with the probability (4 - d + 1) / 4, to both sides
    expected = [8000 * (5 - d) / 4 for d in (1, 2, 3, 4)]
    assert away[1:].tolist() == pytest.approx(expected, rel=0.05)


def test_the_plain_pairs_are_those_of_the_windows_from_the_same_chance():
    rows = [[3, 1, 4, 1, 5], [], [9, 2], [6], [5, 3, 5, 8, 9, 7, 9, 3]]
    plain, fast = chance(10), chance(10)
    by_hand = [p for row in rows for p in sentence_pairs(row, 3, generator=plain)]
    ids, sentence = running_text(rows)
    around, mask = windows(ids, sentence, 3, generator=fast)
    centres = ids.unsqueeze(1).expand_as(around)[mask].tolist()
    assert by_hand == [*zip(centres, around[mask].tolist(), strict=True)]
    assert len(by_hand) > 30
    assert torch.equal(plain.get_state(), fast.get_state())  # one number a word


def test_the_same_seed_draws_the_same_and_torchs_own_chance_stays():
    ids, sentence = running_text([[1, 2, 3, 4, 5, 6, 7]] * 9)
    before = torch.random.get_rng_state()
    one, two = (windows(ids, sentence, 3, generator=chance(4)) for _ in range(2))
    assert (one[1] == two[1]).all()
    other = windows(ids, sentence, 3, generator=chance(5))
    assert (one[1] != other[1]).any()
    assert (torch.random.get_rng_state() == before).all()


def test_arguments_stay_as_they_came():
    model = shaken(CBOW)
    around, mask = torch.tensor([[1, 2, 0]]), torch.tensor([[True, True, False]])
    words, counts = torch.tensor([[3, 4]]), torch.tensor([4, 0, 2])
    vectors, names = torch.randn(4, 3, generator=chance()), ["a", "b", "c", "d"]
    told = [around, mask, words, counts, vectors]
    copies = [tensor.clone() for tensor in told]
    model(around, mask, words)
    noise_distribution(counts)
    keep_probability(counts)
    analogy("a", "b", "c", names, vectors, k=1)
    principal_components(vectors)
    assert all((one == two).all() for one, two in zip(told, copies, strict=True))


def test_analogies_agree_with_a_slow_search():
    names = [f"w{n}" for n in range(12)]
    vectors = torch.randn(12, 4, generator=chance(2))
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    goal = unit[5] - unit[2] + unit[9]
    cosines = nn.functional.cosine_similarity(unit, goal.unsqueeze(0)).tolist()
    order = sorted(
        (n for n in range(12) if n not in (2, 5, 9)), key=lambda n: -cosines[n]
    )
    found = analogy("w2", "w5", "w9", names, vectors, k=9)
    assert [word for word, _ in found] == [names[n] for n in order]
    assert [x for _, x in found] == pytest.approx([cosines[n] for n in order])
    lengths = torch.rand(12, 1, generator=chance(3)) + 0.1
    again = analogy("w2", "w5", "w9", names, vectors * lengths, k=9)
    assert [word for word, _ in again] == [word for word, _ in found]
    # one word asked twice leaves more to answer
    assert len(analogy("w2", "w2", "w9", names, vectors, k=10)) == 10
    assert len(analogy("w2", "w5", "w9", names, vectors)) == 5


def test_components_are_those_of_numpy():
    vectors = torch.randn(20, 6, generator=chance(1)) * torch.tensor(
        [1.0, 5.0, 2.0, 0.5, 3.0, 1.0]
    ) + torch.arange(6)
    placed, share = principal_components(vectors, k=3)
    assert placed.shape == (20, 3)
    values, axes = torch.linalg.eigh(torch.cov(vectors.T))
    expected = (vectors - vectors.mean(0)) @ axes.flip(1)[:, :3]
    torch.testing.assert_close(placed.abs(), expected.abs(), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(share, (values.flip(0) / values.sum())[:3])
    assert (placed.gather(0, placed.abs().argmax(0, keepdim=True)) > 0).all()
    torch.testing.assert_close(principal_components(-vectors, k=3)[1], share)


# --- refusals ------------------------------------------------------------------------

IDS = torch.tensor([1, 2, 3])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: SkipGram(0, 3), "V must be a whole number ≥ 1, got 0"),
        (lambda: CBOW(3, 2.0), "m must be a whole number ≥ 1, got 2.0"),
        (lambda: SkipGram(3, True), "m must be a whole number ≥ 1, got True"),
        (lambda: shaken()(torch.tensor(1)), r"centre has shape \(\): expected \(B\)"),
        (lambda: shaken()(IDS[:0]), r"centre has shape \(0,\): .* none of them 0"),
        (
            lambda: shaken()(torch.tensor([7])),
            "centre holds ids from 7 to 7: .* 0 to 6",
        ),
        (lambda: shaken()(torch.tensor([-1, 2])), "centre .* -1 to 2: expected 0 to 6"),
        (
            lambda: shaken()(IDS, torch.tensor([[1, 2]])),
            r"words has shape \(1, 2\): expected \(B, K\), B being 3",
        ),
        (lambda: shaken()(IDS, IDS), r"words has shape \(3,\): expected \(B, K\)"),
        (
            lambda: shaken()(IDS, torch.tensor([[1], [2], [9]])),
            "words holds ids from 1 to 9: expected 0 to 6",
        ),
        (
            lambda: shaken(CBOW)(torch.tensor([[1, 2]]), torch.tensor([[True]])),
            r"mask has shape \(1, 1\): expected \(B, C\), B being 1, C being 2",
        ),
        (
            lambda: shaken(CBOW)(IDS, IDS > 0),
            r"around has shape \(3,\): expected \(B, C\)",
        ),
        (
            lambda: shaken(CBOW)(IDS[None] + 4, IDS[None] > 0),
            "around holds ids from 5 to 7: expected 0 to 6",
        ),
        (
            lambda: shaken(CBOW)(IDS[None], IDS[None]),
            "mask is torch.int64 .* expected torch.bool",
        ),
        (
            lambda: shaken(CBOW)(
                torch.tensor([[1], [2]]), torch.tensor([[True], [False]])
            ),
            r"mask is False everywhere in rows \[\[1\]\]",
        ),
        (
            lambda: softmax_loss(torch.zeros(2, 3), IDS),
            r"targets has shape \(3,\): expected \(B\), B being 2",
        ),
        (lambda: softmax_loss(torch.zeros(3), IDS), r"scores .* \(3,\): .*\(B, V\)"),
        (
            lambda: softmax_loss(torch.zeros(2, 3), torch.tensor([0, -100])),
            "targets holds ids from -100 to 0: expected 0 to 2",
        ),
        (
            lambda: negative_sampling_loss(torch.zeros(4, 1)),
            r"noise has shape \(4, 0\): expected \(B, k\).*none of them 0",
        ),
        (
            lambda: negative_sampling_loss(torch.zeros(4, 2, 3)),
            r"scores has shape \(4, 2, 3\): expected \(B, n\)",
        ),
        (
            lambda: noise_distribution(torch.zeros(3)),
            r"sum_of_counts must be > 0, got 0",
        ),
        (
            lambda: noise_distribution(torch.tensor([3, -1])),
            "counts must be ≥ 0, got numbers from -1 to 3",
        ),
        (lambda: noise_distribution(torch.ones(2, 2)), r"counts .* \(2, 2\): .* \(V\)"),
        (lambda: keep_probability(torch.zeros(0)), r"counts has shape \(0,\)"),
        (lambda: keep_probability(IDS, t=0), "t must be > 0, got 0"),
        (lambda: keep_probability(IDS, t=math.inf), "t must be > 0, got inf"),
        (lambda: keep_probability(IDS, t=math.nan), "t must be > 0, got nan"),
        (lambda: windows(IDS, IDS, 0, generator=chance()), "window must .* got 0"),
        (lambda: sentence_pairs([1, 2], 0, generator=chance()), "window must .* got 0"),
        (lambda: windows(IDS, IDS, 1.5, generator=chance()), "window must .* got 1.5"),
        (
            lambda: windows(IDS, IDS[:2], 2, generator=chance()),
            r"sentence has shape \(2,\): expected \(N\), N being 3",
        ),
        (
            lambda: windows(*running_text([[], []]), 2, generator=chance()),
            r"ids has shape \(0,\): expected \(N\), none of them 0",
        ),
        (lambda: principal_components(torch.zeros(3)), r"vectors .*\(3,\): .*\(V, m\)"),
        (lambda: principal_components(torch.zeros(5, 3), k=4), "k .* 1 to 3, got 4"),
        (lambda: principal_components(torch.zeros(2, 3), k=3), "k .* 1 to 2, got 3"),
        (lambda: principal_components(torch.zeros(5, 3), k=0), "k .* 1 to 3, got 0"),
    ],
)
def test_bad_input_is_named(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()


NAMES, TURNED = ["king", "queen", "tree"], torch.eye(3)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (("king", "quen", "tree"), "'quen' has no vector; .* is 'queen'"),
        (("kin", "queen", "tree"), "'kin' has no vector; .* is 'king'"),
        (("king", "queen", "trees"), "'trees' has no vector; .* is 'tree'"),
    ],
)
def test_an_analogy_with_an_unknown_word_names_it(ask, message):
    with pytest.raises(ValueError, match=message):
        analogy(*ask, NAMES, TURNED)


@pytest.mark.parametrize(
    ("names", "vectors", "k", "message"),
    [
        (NAMES[:2], TURNED, 1, r"vectors has shape \(3, 3\): expected \(2, m\)"),
        (["king", "queen", "king"], TURNED, 1, "got 3 words, 2 different"),
        (NAMES, TURNED[0], 1, r"vectors has shape \(3,\): expected \(3, m\)"),
        (NAMES, TURNED, 2, "k must be a whole number from 1 to 1, got 2"),
        (NAMES, TURNED, 0, "k must be a whole number from 1 to 1, got 0"),
        (NAMES, TURNED * torch.tensor([[1], [1], [0]]), 1, "vector of 'tree' is 0"),
    ],
)
def test_an_analogy_needs_vectors_that_fit(names, vectors, k, message):
    with pytest.raises(ValueError, match=message):
        analogy("king", "queen", "king", names, vectors, k)
