"""Perplexity: between how many equally likely words a model hesitates on average."""

import math

import torch
from torch import Tensor


def perplexity(log_p: Tensor, mask: Tensor | None = None) -> float:
    """exp(-1/N Σ log p), over the N tokens that count.   Shannon 1948 (2 to the H).

    log_p  (…)  natural logarithm of the probability of each token of the text
    mask   (…)  bool, True where a token counts; False on padding
    →  the perplexity; infinite where a token had probability 0

    Every word counts once, and the end of each sentence once; its start never. It is
    the convention of `NgramModel.perplexity`, so that all models compare. To measure a
    corpus, put all its tokens into one call: a mean of perplexities is not one.
    """
    if mask is not None and (mask.dtype != torch.bool or mask.shape != log_p.shape):
        raise ValueError(
            f"the mask is {mask.dtype} of the shape {tuple(mask.shape)}: expected a "
            f"bool for each of {tuple(log_p.shape)} log probabilities"
        )
    counted = (log_p if mask is None else log_p[mask]).detach()
    if counted.numel() == 0:
        raise ValueError("perplexity needs at least one token that counts, got none")
    largest = float(counted.max())
    if largest > 1e-5:  # what rounding may leave of log 1 = 0
        raise ValueError(f"a log probability is at most 0, got {largest}")
    mean = float(counted.double().mean())
    return math.exp(-mean) if mean > -700 else math.inf


def log_probabilities(logits: Tensor, target: Tensor) -> Tensor:
    """log softmax(logits), taken at the tokens of the text.

    logits  (…, V)  scores of every word of the vocabulary
    target  (…)     ids of the words of the text
    →  (…), what `perplexity` takes; padding may hold any id of the vocabulary
    """
    if logits.shape[:-1] != target.shape:
        raise ValueError(
            "each target needs a row of logits, "
            f"got targets {tuple(target.shape)} and logits {tuple(logits.shape)}"
        )
    log_p = torch.log_softmax(logits, dim=-1)
    return log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)  # (…, V) → (…)
