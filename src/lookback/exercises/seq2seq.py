"""The loss of a decoder that is fed the reference, without the padding."""

import torch
from torch import Tensor

from .judge import Case, Exercise, numbers

T = Tensor
PAD = 0


def translation_loss(logits: T, target: T, pad: int) -> T:
    """The mean of -ln P(word) over all words that the decoder should write

    logits (B, T - 1, V): scores of the decoder, which has read target[:, :-1]
    target (B, T): ids of <s>, the words and </s>, then padding, which is no word
    pad: the id of padding
    →  the mean, a single number
    """
    words = target[:, 1:]
    return costs(logits, words)[words != pad].mean()


def costs(logits: T, words: T) -> T:
    """-ln P of each word (B, T - 1)."""
    return -logits.log_softmax(dim=-1).gather(2, words[..., None])[..., 0]


def not_shifted(logits: T, target: T, pad: int) -> T:
    """each score is compared with the word that was read: it is for the word after"""
    words = target[:, :-1]
    return costs(logits, words)[words != pad].mean()


def padding_counted(logits: T, target: T, pad: int) -> T:
    """padding is counted as a word"""
    return costs(logits, target[:, 1:]).mean()


def divided_by_all(logits: T, target: T, pad: int) -> T:
    """the sum leaves out padding, but is divided by all positions, padding, too"""
    words = target[:, 1:]
    return (costs(logits, words) * (words != pad)).mean()


def sentence_means(logits: T, target: T, pad: int) -> T:
    """this is the mean over sentences of their means: each word should count alike"""
    words = target[:, 1:]
    real = words != pad
    return ((costs(logits, words) * real).sum(dim=1) / real.sum(dim=1)).mean()


def summed(logits: T, target: T, pad: int) -> T:
    """this is the sum over the words, not the mean"""
    words = target[:, 1:]
    return costs(logits, words)[words != pad].sum()


def end_left_out(logits: T, target: T, pad: int) -> T:
    """the last word of each sentence, </s>, is not counted: it is to be written, too"""
    words = target[:, 1:]
    last = (words != pad).sum(dim=1, keepdim=True) - 1
    kept = torch.arange(words.size(1)) < last
    return costs(logits, words)[kept].mean()


def softmax_twice(logits: T, target: T, pad: int) -> T:
    """the softmax is taken twice: cross_entropy contains one"""
    return translation_loss(logits.softmax(dim=-1), target, pad)


def turned(logits: T, target: T, pad: int) -> T:
    """the sign is wrong: the loss is minus the logarithm"""
    return -translation_loss(logits, target, pad)


def cases() -> list[Case]:
    one, more = numbers((1, 2, 4)), numbers((3, 5, 6))
    target = [[1, 4, 5, 3, 4, 2], [1, 5, 2, 0, 0, 0], [1, 3, 4, 2, 0, 0]]
    return [
        Case("one sentence", (*one, torch.tensor([[1, 3, 2]]), PAD)),
        Case("three sentences", (*more, torch.tensor(target), PAD)),
    ]


EXERCISE = Exercise(
    translation_loss,
    ("the loss",),
    cases,
    [not_shifted, padding_counted, divided_by_all, sentence_means, summed,
     end_left_out, softmax_twice, turned],
    gradients=("logits",),
)  # fmt: skip
