"""Digits reversed through one vector: the task, the control, and what is counted."""

import torch

from lookback.encdec import EncoderDecoderConfig
from lookback.studies.encdec_digits import END, Sum, digits, exact


def test_the_target_is_the_source_from_its_end() -> None:
    source, target = digits(4, 50, torch.Generator().manual_seed(1))
    assert source.shape == (50, 4) and target.shape == (50, 6)
    assert source.min() >= 0 and source.max() <= 9
    assert (target[:, 0] == 10).all() and (target[:, -1] == 11).all()
    assert torch.equal(target[:, 1:-1].flip(1), source)


def test_a_sum_does_not_know_the_order_and_does_not_read_padding() -> None:
    torch.manual_seed(0)
    encoder = Sum(EncoderDecoderConfig(m=3, n=5, l=2), 12)
    source = torch.tensor([[3, 1, 4, 0]])
    mask = torch.tensor([[True, True, True, False]])
    c = encoder(source, mask)
    assert c.shape == (1, 5)
    turned = torch.tensor([[4, 1, 3, 7]])
    assert torch.allclose(encoder(turned, mask), c, atol=1e-6)
    other = torch.tensor([[3, 1, 5, 0]])
    assert not torch.allclose(encoder(other, mask), c)


class Reader:
    """Writes what it read from its end on; of a 9 it makes an 8."""

    def start(self, source, mask):
        ended = torch.nn.functional.pad(source.flip(1), (0, 1), value=END)
        return ended, torch.zeros(len(source), dtype=torch.long)

    def step(self, token, state):
        words, t = state
        word = words[torch.arange(len(words)), t]
        word = torch.where(word == 9, 8, word)
        return torch.eye(END + 1)[word], (words, (t + 1).clamp(max=words.size(1) - 1))


def test_exact_are_the_sequences_without_an_error() -> None:
    one, three = exact(Reader(), (1, 3))
    for length, share in ((1, one), (3, three)):
        source, _ = digits(length, 500, torch.Generator().manual_seed(length))
        assert share == (source != 9).all(dim=1).double().mean().item()
    assert 0.8 < one < 1 and three < one

    def in_order(length, many, generator):
        source, target = digits(length, many, generator)
        return source.flip(1), target

    (turned,) = exact(Reader(), (3,), in_order)
    assert turned < 0.15  # only what reads alike from both ends
