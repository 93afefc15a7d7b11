"""The window tagger: by hand, against enumeration of all paths, its own laws."""

import math
from itertools import pairwise, product

import pytest
import torch
from torch.nn.functional import log_softmax

from kit import close, filled, generator, padding_mask, randn, set_to
from lookback.window import (
    PADDING,
    UNKNOWN,
    Lookup,
    SentenceLevelLikelihood,
    WindowConfig,
    WindowTagger,
    capitals,
    word_level_loss,
)

SENTENCES = [("We", "fish", "fish"), ("They", "fish", "HERE", "now")]


def paths(C=3, lengths=(4, 2, 1), seed=0):
    """A likelihood with random transitions, scores of sentences, and their mask."""
    model = filled(SentenceLevelLikelihood(C), seed=seed)
    return (
        model,
        randn(len(lengths), max(lengths), C, seed=seed),
        padding_mask(*lengths),
    )


def enumerated(model, f):
    """Path → s, of one sentence f (T, C), written out."""
    T, C = f.shape
    return {
        path: model.start[path[0]] + sum(f[t, path[t]] for t in range(T))
        + sum(model.A[a, b] for a, b in pairwise(path))
        for path in product(range(C), repeat=T)
    }  # fmt: skip


# --- by hand -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "kind"),
    [("fish", "none"), ("Fish", "first"), ("FISH", "all"), ("McFish", "some"),
     ("A", "first"), ("7", "none"), ("iPad", "some"), ("U.S.", "all")],
)  # fmt: skip
def test_capitals(word, kind):
    assert capitals(word) == kind


def test_a_lookup_by_hand():
    lookup = Lookup(SENTENCES, ["word", "suffix 2", "capitals"])
    assert lookup.tables[0] == {"we": 2, "fish": 3, "they": 4, "here": 5, "now": 6}
    assert lookup.tables[1] == {"we": 2, "sh": 3, "ey": 4, "re": 5, "ow": 6}
    assert lookup.tables[2] == {"first": 2, "none": 3, "all": 4}
    assert lookup.sizes == (7, 7, 5)
    assert lookup.rare.tolist() == [False, False, True, False, True, True, True]
    x = lookup([("Fish", "bush"), ("now",)])
    assert x.tolist() == [
        [[3, 3, 2], [UNKNOWN, 3, 3]],
        [[6, 6, 3], [PADDING] * 3],
    ]


def test_a_window_of_three_by_hand():
    # We fish: vectors 1 and -1, edges 0; hidden = hardtanh(left + 2 middle + 4 right)
    model = WindowTagger(WindowConfig(3, 1, (), 1), sizes=[4], C=2)
    set_to(model.tables[0].weight, 0, 9, 0.125, -0.25)
    set_to(model.M_1.weight, 1, 2, 4)
    set_to(model.M_1.bias, 0.25)
    set_to(model.M_2.weight, 2, -1)
    set_to(model.M_2.bias, 0, 3)
    # we: .25 + 2·.125 - 4·.25 = -.5; fish: .25 + .125 - 2·.25 = -.125
    sentence = torch.tensor([[[2], [3]]])
    assert model(sentence).tolist() == [[[-1.0, 3.5], [-0.25, 3.125]]]
    set_to(model.M_1.bias, 9)  # the hidden unit is cut off at 1
    assert model(sentence).tolist() == [[[2.0, 2.0], [2.0, 2.0]]]


def test_four_paths_by_hand():
    model = SentenceLevelLikelihood(2)
    set_to(model.A, 0, 1, 0, -1)
    f = torch.tensor([[[2.0, 0.0], [1.0, 1.0]]])
    mask = torch.ones(1, 2, dtype=torch.bool)
    every = [*product((0, 1), repeat=2)]
    assert [model.score(f, torch.tensor([p]), mask) for p in every] == [3, 4, 1, 0]
    total = math.log(math.e**3 + math.e**4 + math.e + 1)
    assert model.log_partition(f, mask).item() == pytest.approx(total)
    loss = model.loss(f, torch.tensor([[0, 1]]), mask).item()
    assert loss == pytest.approx((total - 4) / 2)
    assert model.viterbi(f, mask) == [[0, 1]]


# --- against the reference -----------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_all_paths_written_out(seed):
    model, f, mask = paths(seed=seed)
    f.requires_grad_()
    tags = f.argmin(dim=2).masked_fill(~mask, 99)  # padding may hold anything
    sums, scores = model.log_partition(f, mask), model.score(f, tags, mask)
    best, expected = model.viterbi(f, mask), 0
    for b, T in enumerate(mask.sum(dim=1).tolist()):
        s = enumerated(model, f[b, :T])
        total, own = torch.stack([*s.values()]).logsumexp(0), s[*tags[b, :T].tolist()]
        close(sums[b], total)
        close(scores[b], own)
        assert tuple(best[b]) == max(s, key=s.get)
        expected = expected + (total - own) / mask.sum()
    loss, learned = model.loss(f, tags, mask), [f, model.A, model.start]
    close(loss, expected)
    close(torch.autograd.grad(loss, learned), torch.autograd.grad(expected, learned))


def test_without_transitions_words_are_by_themselves():
    _, f, mask = paths(C=4, lengths=(5, 3))
    model, tags = SentenceLevelLikelihood(4).double(), f.argmin(dim=2)
    alone = word_level_loss(f, tags, mask)
    close(alone, -log_softmax(f, dim=2)[mask].gather(1, tags[mask].unsqueeze(1)).mean())
    close(model.loss(f, tags, mask), alone)


def test_padding_moves_no_path_where_staying_at_a_tag_costs():
    model = SentenceLevelLikelihood(2)
    with torch.no_grad():
        model.A.copy_(torch.tensor([[-9.0, 0.0], [0.0, -9.0]]))
    f = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [0.0, 0.0]]).repeat(4, 1, 1)
    mask = torch.arange(4) < torch.arange(1, 5).unsqueeze(1)
    assert model.viterbi(f, mask) == [[0], [0, 1], [0, 1, 0], [0, 1, 0, 1]]


# --- laws ----------------------------------------------------------------------------


def tagger(window=5, T=9):
    torch.manual_seed(0)
    model = WindowTagger(WindowConfig(window, 6, (3, 2), 7), sizes=(12, 5, 4), C=4)
    x = torch.stack([torch.randint(1, n, (2, T)) for n in (12, 5, 4)], dim=-1)
    return model, x


@pytest.mark.parametrize("window", [1, 3, 5])
def test_a_word_depends_on_its_window_and_on_nothing_else(window):
    model, x = tagger(window)
    f, other = model(x), x.clone()
    other[:, 4, 0] = (x[:, 4, 0] % 11) + 1
    moved = (model(other) - f).abs().sum(dim=(0, 2)) > 1e-7
    half = window // 2
    assert moved.nonzero().squeeze(1).tolist() == [*range(4 - half, 4 + half + 1)]


def test_padding_behind_a_sentence_is_the_edge_of_it():
    model, x = tagger()
    longer = torch.cat([x, torch.zeros(2, 3, 3, dtype=torch.long)], dim=1)
    assert torch.allclose(model(longer)[:, :9], model(x))


def test_rare_words_are_forgotten_half_of_the_time():
    lookup = Lookup([("a", "a", "b")], ["word", "suffix 2"])
    x = lookup([("a", "b")] * 1000)
    seen = lookup.word_dropout(x, 0.5, generator())
    assert (seen[:, 0] == x[:, 0]).all() and (seen[..., 1] == x[..., 1]).all()
    share = (seen[:, 1, 0] == UNKNOWN).double().mean().item()
    assert 0.45 < share < 0.55
    assert (lookup.word_dropout(x, 0.0, generator()) == x).all()
    assert (
        lookup.word_dropout(lookup([("a", "b"), ("a",)]), 0.5, generator())[1, 1] == 0
    ).all()
