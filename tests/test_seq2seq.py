"""Deep LSTMs from sentence to sentence: by hand, against torch.nn, its own laws."""

import pytest
import torch

from kit import filled, padding_mask, randint, randn, size
from lookback.seq2seq import DeepLSTM, Seq2Seq, Seq2SeqConfig, reverse
from torch_layers import lstm_pairs, same_gradients, torch_lstm

B, S, T = 4, 6, 5
SOURCES, TARGETS = 9, 11
M, N, LAYERS = 3, 5, 2
LENGTHS = [6, 2, 4, 1]


def translator(reversed=False, layers=LAYERS):
    return filled(Seq2Seq(Seq2SeqConfig(M, N, layers, reversed), SOURCES, TARGETS))


SOURCE = randint(SOURCES, B, S, seed=3)
MASK = padding_mask(*LENGTHS)
TARGET = randint(TARGETS, B, T, seed=4)


# --- by hand


def test_words_are_turned_round_and_the_end_stays():
    source = torch.tensor([[5, 6, 7, 8, 3], [5, 6, 3, 0, 0], [3, 0, 0, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0]]).bool()
    expected = [[8, 7, 6, 5, 3], [6, 5, 3, 0, 0], [3, 0, 0, 0, 0]]
    assert reverse(source, mask).tolist() == expected
    assert source[0].tolist() == [5, 6, 7, 8, 3]


# --- against the reference


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_layers_equal_those_of_torch_gradients_too(layers):
    deep = filled(DeepLSTM(M, N, layers, 0.0))
    lstm = torch_lstm(deep.cells)
    x = randn(B, T, M, seed=5)
    h = randn(layers, B, N, seed=6)
    c = randn(layers, B, N, seed=7)
    ours, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    out, states = deep(ours, states=tuple(zip(h, c, strict=True)))
    expected, (h_last, c_last) = lstm(theirs, (h, c))
    torch.testing.assert_close(out, expected)
    for k, (h_k, c_k) in enumerate(states):
        torch.testing.assert_close(h_k, h_last[k])
        torch.testing.assert_close(c_k, c_last[k])
    out.square().sum().backward()
    expected.square().sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad)
    same_gradients(lstm_pairs(deep.cells, lstm))


@pytest.mark.parametrize("reversed", [False, True])
def test_the_whole_equals_torchs_lstms_sentence_by_sentence(reversed):
    model = translator(reversed)
    logits = model(SOURCE, MASK, TARGET)
    assert logits.shape == (B, T, TARGETS)
    encoder, decoder = (torch_lstm(s.cells) for s in (model.encoder, model.decoder))
    for row, length in enumerate(LENGTHS):
        words = SOURCE[row, :length]
        if reversed:
            words = torch.cat([words[:-1].flip(0), words[-1:]])
        _, states = encoder(model.source(words)[None])
        h, _ = decoder(model.target(TARGET[row])[None], states)
        theirs = model.out(h)[0]
        torch.testing.assert_close(logits[row], theirs)
        learnt = [model.source.weight, model.target.weight, model.out.weight]
        for found, expected in zip(
            torch.autograd.grad(logits[row].square().sum(), learnt, retain_graph=True),
            torch.autograd.grad(theirs.square().sum(), learnt),
            strict=True,
        ):
            torch.testing.assert_close(found, expected)


# --- laws


def test_reversal_is_all_that_the_switch_does():
    straight, turned = translator(False), translator(True)
    torch.testing.assert_close(
        turned(SOURCE, MASK, TARGET), straight(reverse(SOURCE, MASK), MASK, TARGET)
    )
    assert not torch.allclose(
        turned(SOURCE, MASK, TARGET), straight(SOURCE, MASK, TARGET)
    )


def test_each_side_has_weights_of_its_own_and_its_own_words():
    model = Seq2Seq(Seq2SeqConfig(M, N, LAYERS, True), 13, 7)
    sizes = {name: tuple(p.shape) for name, p in model.named_parameters()}
    assert sizes["source.weight"] == (13, M)
    assert sizes["target.weight"] == (7, M)
    assert sizes["out.weight"] == (7, N)
    layers = 4 * N * (M + N + 1) + 4 * N * (N + N + 1)
    whole = 2 * layers + 13 * M + 7 * M + 7 * N + 7
    assert size(model) == whole


def test_first_weights_are_as_wide_as_the_papers():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        deep = DeepLSTM(40, 250, 2, 0.0)
    bound = 0.08 * (1000 / 250) ** 0.5  # 0.16
    for cell in deep.cells:
        for weights in (cell.W, cell.U):
            assert weights.abs().max() <= bound
            assert weights.abs().max() > 0.99 * bound
            assert weights.mean().abs() < 0.02 * bound


def watched(step, read):
    """The step of a cell, which also appends what it reads."""
    return lambda x, state: (read.append(x), step(x, state))[1]


def test_dropout_leaves_out_what_goes_into_each_layer_and_comes_out_of_the_last():
    """Of nothing but ones: what is left out is 0, what stays is made up for."""
    model = Seq2Seq(Seq2SeqConfig(M, N, LAYERS, True, dropout=0.5), SOURCES, TARGETS)
    below, out = [], []
    for stack in (model.encoder, model.decoder):
        for cell in stack.cells:
            below.append([])
            cell.step = watched(cell.step, below[-1])
    model.out.register_forward_hook(lambda _, given, __: out.append(given[0]))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model.train()(SOURCE, MASK, TARGET)
    assert [len(read) for read in below] == [S] * LAYERS + [T] * LAYERS
    for read in (*map(torch.stack, below), *out):
        assert 0.2 < (read == 0).double().mean() < 0.8


# --- refusals
