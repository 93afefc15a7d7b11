"""Perplexity: by hand, equal to the n-gram model's, blind to padding."""

import math

import pytest
import torch
import torch.nn.functional as F

from kit import generator
from lookback.measure import log_probabilities, perplexity
from lookback.ngram import AddK, NgramModel


def test_by_hand():
    # 1/2, 1/4, 1/8: as between 4 equal choices
    assert perplexity(torch.tensor([0.5, 0.25, 0.125]).log()) == pytest.approx(4)
    assert perplexity(torch.zeros(3)) == 1


def test_padding_does_not_count_whatever_stands_there():
    log_p = torch.tensor([[0.5, 0.25], [0.125, 0.9]]).log()
    log_p[1, 1] = math.nan
    mask = torch.tensor([[True, True], [True, False]])
    assert perplexity(log_p, mask) == pytest.approx(4)


def test_every_token_weighs_the_same():
    # not the mean of the perplexities 2 and 8 of two sentences
    log_p = torch.tensor([[0.5, 0.5, 0.5], [0.125, 1.0, 1.0]]).log()
    mask = torch.tensor([[True] * 3, [True, False, False]])
    assert perplexity(log_p, mask) == pytest.approx(2 ** (6 / 4))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_it_equals_that_of_the_ngram_model(order):
    train = [["the", "cat", "sees"], ["the", "dog"], ["a", "dog", "sees", "the", "cat"]]
    test = [["the", "dog", "sees"], ["a", "cat"], []]
    model = NgramModel(order, AddK(0.5))
    model.fit(train)
    log_p = torch.full((3, 4), math.nan)  # (B, T): three words and </s> at most
    for row, sentence in enumerate(test):
        for place, word in enumerate([*sentence, "</s>"]):
            context = ["<s>"] * (order - 1) + sentence[:place]
            score = model.score(word, context[len(context) - order + 1 :])
            log_p[row, place] = math.log(score)
    mask = ~log_p.isnan()
    assert perplexity(log_p, mask) == pytest.approx(model.perplexity(test))


def test_an_impossible_token_is_infinitely_surprising():
    log_p = torch.tensor([0.5, 0.0]).log()
    assert perplexity(log_p) == math.inf
    assert perplexity(torch.tensor([-800.0])) == math.inf
    assert perplexity(torch.tensor([-690.0])) == pytest.approx(math.exp(690))


def test_many_small_numbers_keep_their_digits():
    log_p = torch.full((1_000_000,), 0.1).log()
    assert perplexity(log_p) == pytest.approx(10, rel=1e-6)
    assert perplexity(log_p.half()) == pytest.approx(10, rel=1e-2)


def test_log_probabilities_by_hand():
    logits = torch.tensor([[[1.0, 1.0, 2.0], [0.0, 7.0, 0.0]]])  # (1, 2, 3)
    log_p = log_probabilities(logits, torch.tensor([[2, 0]]))
    whole = 2 * math.exp(1) + math.exp(2), 2 + math.exp(7)
    expected = [2 - math.log(whole[0]), -math.log(whole[1])]
    assert log_p.tolist() == [pytest.approx(expected)]


def test_log_probabilities_against_cross_entropy():
    logits = torch.randn(2, 3, 5, generator=generator(), requires_grad=True)
    target = torch.randint(5, (2, 3), generator=generator())
    target[0, 2] = 0  # padding
    mask = torch.ones(2, 3, dtype=torch.bool)
    mask[0, 2] = False
    loss = F.cross_entropy(logits[mask], target[mask])
    ours = log_probabilities(logits, target)
    assert perplexity(ours, mask) == pytest.approx(math.exp(loss.item()))
    (reference,) = torch.autograd.grad(loss, logits, retain_graph=True)
    (gradient,) = torch.autograd.grad(-ours[mask].mean(), logits)
    torch.testing.assert_close(gradient, reference)


@pytest.mark.parametrize(
    ("log_p", "mask", "message"),
    [
        (torch.zeros(0), None, "at least one token"),
        (torch.zeros(2), torch.tensor([False, False]), "at least one token"),
        (torch.zeros(2), torch.tensor([1, 0]), "is torch.int64 of.*expected a bool"),
        (torch.zeros(2, 3), torch.ones(3, 2).bool(), r"\(3, 2\).*each of \(2, 3\)"),
        (torch.zeros(2, 3), torch.ones(3).bool(), r"shape \(3,\): expected"),
        (torch.tensor([-1.0, 0.2]), None, "at most 0, got 0.2"),
    ],
)
def test_refusals(log_p, mask, message):
    with pytest.raises(ValueError, match=message):
        perplexity(log_p, mask)


def test_targets_must_fit_the_logits():
    with pytest.raises(ValueError, match=r"targets \(3, 2\) and logits \(2, 3, 5\)"):
        log_probabilities(torch.zeros(2, 3, 5), torch.zeros(3, 2).long())
