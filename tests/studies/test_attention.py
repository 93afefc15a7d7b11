"""One layer of masked self-attention: its scores by hand, and what is measured."""

import math

import pytest
import torch

from lookback.bahdanau import AdditiveAttention
from lookback.studies.attention import (
    SCORES,
    HeadsConfig,
    OneHeadConfig,
    OneLayer,
    ScoredHead,
    entropy,
    shown,
)
from lookback.text.vocabulary import Vocabulary

M, D_K, V, B, T = 6, 3, 11, 2, 5
WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}


def head_of(score):
    torch.manual_seed(0)
    return ScoredHead(M, D_K, score)


def sentences(*shape):
    return torch.randn(*shape, M, generator=torch.Generator().manual_seed(1))


def causal(T):
    return torch.ones(T, T).tril().bool()


# --- the three scores ----------------------------------------------------------------


def test_all_scores_begin_with_the_same_matrices():
    for name in ("W_Q", "W_K", "W_V"):
        one, two, three = (getattr(head_of(score), name).weight for score in SCORES)
        assert torch.equal(one, two) and torch.equal(one, three)


@pytest.mark.parametrize(("score", "divisor"), [("scaled", D_K**0.5), ("dot", 1.0)])
def test_products_are_divided_by_the_root_or_not_at_all(score, divisor):
    head, x = head_of(score), sentences(B, T)
    output, weights = head(x, x, x, causal(T))
    q, k, v = (x @ W.weight.T for W in (head.W_Q, head.W_K, head.W_V))
    scores = torch.einsum("btk,bsk->bts", q, k) / divisor
    expected = scores.masked_fill(~causal(T), -math.inf).softmax(dim=-1)
    torch.testing.assert_close(weights, expected)
    torch.testing.assert_close(output, expected @ v)


def test_the_additive_score_is_that_of_bahdanau():
    head, x = head_of("additive"), sentences(B, T)
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
        expected, alpha = twin(x[:, t], twin.keys(x), values, mask)
        torch.testing.assert_close(weights[:, t], alpha)
        torch.testing.assert_close(output[:, t], expected)
    assert head.v.abs().max() <= D_K**-0.5


# --- the model -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "config", [*(OneHeadConfig(s, M, D_K) for s in SCORES), HeadsConfig(M, 3)]
)
def test_it_predicts_from_what_came_before_and_knows_the_order(config):
    torch.manual_seed(0)
    model = OneLayer(config, V)
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
    same = torch.zeros(1, T, dtype=torch.long)  # one word: only positions differ
    assert not torch.isclose(model(same)[0][0, 0], model(same)[0][0, 4]).all()


# --- what is measured ----------------------------------------------------------------


class Fixed(torch.nn.Module):
    """Has these attention weights, whatever it reads."""

    def __init__(self, weights):
        super().__init__()
        self.weights = torch.tensor(weights)

    def forward(self, ids):
        T = ids.size(1)
        return torch.zeros(1, T, 3), self.weights[..., :T, :T].unsqueeze(0)


def test_entropy_is_a_share_of_the_largest():
    # Rows of 1, 2 and 3 positions: the first says nothing; ln 2 / ln 2; at most ln 3
    even = [[1.0, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]
    sharp = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
    half = [[1.0, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]]
    read = [["a", "b"]]  # <s> in front: three positions
    assert entropy(Fixed(even), WORDS, read) == 1
    assert entropy(Fixed(sharp), WORDS, read) == 0
    expected = (1 + math.log(2) / math.log(3)) / 2
    assert entropy(Fixed(half), WORDS, read) == pytest.approx(expected, abs=1e-4)
    assert entropy(Fixed([even, sharp]), WORDS, read) == pytest.approx(0.5)
    two = [["a", "b"], ["a"]]  # three rows that count, two of them full
    assert entropy(Fixed(half), WORDS, two) == pytest.approx(
        (2 + math.log(2) / math.log(3)) / 3, abs=1e-4
    )


def test_a_short_sentence_with_a_clause_is_shown():
    wanted = ["the", "cats", "that", "sleep", "are", "big", "."]
    others = [
        "the cats that sleep are big and old .",
        "the cats sleep .",
        "the cats of the king sleep .",
        "a cat that sleeps .",
    ]
    assert shown([*map(str.split, others), wanted, wanted[1:]]) == wanted
