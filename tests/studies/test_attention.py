"""The model that looks back once: its scores by hand, and what is noted of it.

Mutants that these tests kill: √d_k left in or taken out of the wrong score; the
additive score without tanh; no causal mask; places left out; entropy without ln t; a
sentence of another length shown.
"""

import math

import pytest
import torch
from lookback.workshop.makers import maker_of
from lookback.workshop.scaling import (
    PLACES,
    SCORES,
    HeadsConfig,
    LookBack,
    OneLook,
    OneLookConfig,
    look,
    recipe,
    shown,
    spread,
)
from lookback.workshop.studies import STUDIES

from lookback.bahdanau import AdditiveAttention
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import scaling

M, D_K, V, B, T = 6, 3, 11, 2, 5
WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}


def made(score, m=M, d_k=D_K, seed=0):
    torch.manual_seed(seed)
    return OneLook(m, d_k, score)


def sentences(*shape):
    return torch.randn(*shape, M, generator=torch.Generator().manual_seed(1))


def causal(places):
    return torch.ones(places, places).tril().bool()


# --- the three scores ----------------------------------------------------------------


def test_all_scores_begin_with_the_same_matrices():
    one, two, three = map(made, SCORES)
    for name in ("W_Q", "W_K", "W_V"):
        first = getattr(one, name).weight
        assert torch.equal(first, getattr(two, name).weight)
        assert torch.equal(first, getattr(three, name).weight)


@pytest.mark.parametrize(("score", "divisor"), [("scaled", D_K**0.5), ("dot", 1.0)])
def test_products_are_divided_by_the_root_or_not_at_all(score, divisor):
    head, x = made(score), sentences(B, T)
    output, weights = head(x, x, x, causal(T))
    q, k, v = (x @ W.weight.T for W in (head.W_Q, head.W_K, head.W_V))
    scores = torch.einsum("btk,bsk->bts", q, k) / divisor
    expected = scores.masked_fill(~causal(T), -math.inf).softmax(dim=-1)
    torch.testing.assert_close(weights, expected)
    torch.testing.assert_close(output, expected @ v)


def test_the_additive_score_is_that_of_bahdanau():
    head, x = made("additive"), sentences(B, T)
    twin = AdditiveAttention(query=M, annotation=M, hidden=D_K)
    with torch.no_grad():
        twin.W.weight.copy_(head.W_Q.weight)
        twin.W.bias.zero_()
        twin.U.weight.copy_(head.W_K.weight)
        twin.v.copy_(head.v)
    output, weights = head(x, x, x, causal(T))
    values = head.W_V(x)
    for t in range(T):
        mask = causal(T)[t].expand(B, T)
        expected, looked = twin(x[:, t], twin.keys(x), values, mask)
        torch.testing.assert_close(weights[:, t], looked)
        torch.testing.assert_close(output[:, t], expected)
    assert head.v.abs().max() <= D_K**-0.5


def test_other_scores_are_refused():
    with pytest.raises(ValueError, match="sclaed"):
        OneLookConfig("sclaed", M, D_K)


# --- the model -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "config", [*(OneLookConfig(s, M, D_K) for s in SCORES), HeadsConfig(M, 3)]
)
def test_it_predicts_from_what_came_before_and_knows_the_order(config):
    torch.manual_seed(0)
    model = LookBack(config, V)
    ids = torch.randint(V, (B, T), generator=torch.Generator().manual_seed(2))
    logits, weights = model(ids)
    assert logits.shape == (B, T, V)
    assert weights.shape in ((B, T, T), (B, 3, T, T))
    assert weights.triu(1).eq(0).all()
    other = ids.clone()
    other[:, 3:] = (ids[:, 3:] + 1) % V
    torch.testing.assert_close(model(other)[0][:, :3], logits[:, :3])
    swapped = ids[:, [1, 0, 2, 3, 4]]
    swapped[:, 0] = (ids[:, 0] + 1) % V  # for certain another word
    assert not torch.isclose(model(swapped)[0][:, 4], logits[:, 4]).all()
    same = torch.zeros(1, T, dtype=torch.long)  # one word: only places differ
    assert not torch.isclose(model(same)[0][0, 0], model(same)[0][0, 4]).all()


def test_it_reads_sentences_of_any_length():
    logits, _ = LookBack(HeadsConfig(4, 2), V)(torch.zeros(1, PLACES + 3).long())
    assert logits.shape == (1, PLACES + 3, V)


def test_its_maker_asks_for_the_logits():
    asked = recipe(HeadsConfig(M, 2), seed=0)
    maker = maker_of(asked)
    torch.manual_seed(0)
    model, ids = maker.module(asked.model, WORDS), torch.tensor([[1, 4, 5]])
    assert torch.equal(maker.logits(model, ids), model(ids)[0])


# --- what is noted -------------------------------------------------------------------


class Fixed(torch.nn.Module):
    """Looks as it is told, whatever it reads."""

    def __init__(self, weights):
        super().__init__()
        self.weights = torch.tensor(weights)

    def forward(self, ids):
        T = ids.size(1)
        return torch.zeros(1, T, 3), self.weights[..., :T, :T].unsqueeze(0)


def test_the_spread_is_entropy_as_a_share_of_the_largest():
    # Rows of 1, 2 and 3 places: the first says nothing; ln 2 / ln 2; ln 3 / ln 3 less
    even = [[1.0, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]
    sharp = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
    half = [[1.0, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]]
    read = [["a", "b"]]  # <s> in front: three places
    assert spread(Fixed(even), WORDS, read) == 1
    assert spread(Fixed(sharp), WORDS, read) == 0
    expected = (1 + math.log(2) / math.log(3)) / 2
    assert spread(Fixed(half), WORDS, read) == pytest.approx(expected, abs=1e-4)
    assert spread(Fixed([even, sharp]), WORDS, read) == pytest.approx(0.5)
    two = [["a", "b"], ["a"]]  # three rows that count, two of them full
    assert spread(Fixed(half), WORDS, two) == pytest.approx(
        (2 + math.log(2) / math.log(3)) / 3, abs=1e-4
    )


def test_looks_have_an_axis_of_heads():
    even = [[1.0, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]
    sharp = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
    told = [[1, 0, 0], [0.5, 0.5, 0], [0.333, 0.333, 0.333]]
    assert look(Fixed(even), WORDS, ["a", "b"]) == [told]
    assert look(Fixed([even, sharp]), WORDS, ["a", "b"]) == [told, sharp]


def test_a_short_sentence_with_a_clause_is_shown():
    wanted = ["the", "cats", "that", "sleep", "are", "big", "."]
    others = [
        "the cats that sleep are big and old .",
        "the cats sleep .",
        "the cats of the king sleep .",
        "a cat that sleeps .",
    ]
    assert shown([*map(str.split, others), wanted, wanted[1:]]) == wanted


def test_cases_differ_in_what_is_compared_alone():
    for name, fixed in (("scaling", "d_k 32, seed 1"), ("heads", "seed 1")):
        cases = [c for label, c in STUDIES[name].cases.items() if fixed in label]
        assert len(cases) == 3
        rest = {(c.data, c.seed, c.optimiser, c.budget) for c in cases}
        assert len(rest) == 1
        assert len({c.model for c in cases}) == 3
    longer = STUDIES["scaling"].cases["dot, d_k 256, longer"]
    assert longer.budget.steps == scaling.LONGER * scaling.STEPS
