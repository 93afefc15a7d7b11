"""The laws of a language model: its logits at t score the word at t + 1.

Each case begins with the name of its idea: `pytest -k gpt` runs GPT's. An n-gram counts
words and has no tensors: its own file says all of it.
"""

from dataclasses import dataclass
from functools import partial

import pytest
import torch
from torch import nn
from torch.nn.functional import linear

from kit import close, filled, padding_mask, randint, randn, refuses, tensors, unchanged
from lookback.decoder import Decoder
from lookback.encoder import LayerConfig
from lookback.gpt import GPT, GPTConfig
from lookback.lstm import GRUCell, LSTMCell, ResetAfterGRUCell
from lookback.modern import Llama, LlamaConfig
from lookback.moe import Mixtral, MixtralConfig
from lookback.nplm import NPLM, NPLMConfig, contexts
from lookback.recurrent import RecurrentLM, RNNCell

B, T, V = 3, 7, 11  # every axis has its own size
WORDS = randint(V, B, T, seed=1)


def recurrent(cell, dropout=0.0):
    return RecurrentLM(V, m=4, n=5, cell=cell, dropout=dropout)


def gpt(norm_first, dropout=0.0):
    sizes = {"N": 2, "d_model": 12, "h": 4, "d_ff": 20, "max_positions": 9}
    return GPT(GPTConfig(**sizes, dropout=dropout, norm_first=norm_first), V)


def llama(g=2, tied=False):
    sizes = {"N": 2, "d_model": 24, "h": 6, "g": g, "d_ff": 10, "tied": tied}
    return Llama(LlamaConfig(**sizes), V)


class Decoding(nn.Module):
    """A decoder beside one source, whose words are rows of a table."""

    def __init__(self, norm_first, dropout=0.0):
        super().__init__()
        self.config = LayerConfig(
            d_model=12, h=3, d_ff=7, dropout=dropout, norm_first=norm_first
        )
        self.table = nn.Embedding(V, 12)
        self.source = nn.Parameter(torch.randn(1, 5, 12))
        self.decoder = Decoder(self.config, 2)

    def forward(self, words, cache=None):
        source = self.decoder.keys_values(self.source.expand(len(words), -1, -1))
        mask = padding_mask(5).expand(len(words), -1)
        x, weights, cache = self.decoder(self.table(words), source, mask, cache)
        logits = linear(x, self.table.weight)
        return logits, [layer.self_attention for layer in weights], cache


@dataclass
class Case:
    """A model, and how it is called.

    make     with `dropout`, where it has one
    call     (model, words, state) → logits (B, T, V), the state after the words, and
             the attention weights of each layer
    reach    how many words a prediction looks back
    checks   does the model itself check its words?
    """

    make: object
    call: object
    reach: int = T
    dropout: bool = True
    checks: bool = True


def mixtral():
    sizes = {"N": 2, "d_model": 24, "h": 6, "g": 2, "d_ff": 10}
    return Mixtral(MixtralConfig(**sizes, experts=3, k=2), V)


def stateful(model, words, state=None):
    logits, states = model(words, state=state)
    return logits, states[-1], ()


def cached(model, words, cache=None):
    logits, weights, cache, *_ = model(words, cache)
    return logits, cache, weights


def windowed(model, words, _=None):
    return model(contexts(words, model.config.n)), None, ()


MODELS = {
    "nplm": Case(
        lambda: NPLM(NPLMConfig(n=4, m=2, h=5, direct=True), V), windowed, 3, False
    ),
    "nplm plain": Case(
        lambda: NPLM(NPLMConfig(n=3, m=2, h=5, direct=False), V), windowed, 2, False
    ),
    "recurrent": Case(partial(recurrent, RNNCell), stateful),
    "lstm": Case(partial(recurrent, LSTMCell), stateful),
    "lstm gru": Case(partial(recurrent, GRUCell), stateful),
    "lstm gru reset after": Case(partial(recurrent, ResetAfterGRUCell), stateful),
    "decoder": Case(partial(Decoding, False), cached, checks=False),
    "decoder pre-norm": Case(partial(Decoding, True), cached, checks=False),
    "gpt": Case(partial(gpt, True), cached),
    "gpt post-norm": Case(partial(gpt, False), cached),
    "modern": Case(llama, cached, dropout=False),
    "modern tied": Case(partial(llama, 1, tied=True), cached, dropout=False),
    "moe": Case(mixtral, cached, dropout=False),
}


def those(has):
    """Parametrise over the models of which this is true."""
    names = [name for name, case in MODELS.items() if has(case)]
    return pytest.mark.parametrize("case", [MODELS[name] for name in names], ids=names)


EACH = those(lambda case: True)
STEPPING = those(lambda case: case.call is not windowed)
ATTENDING = those(lambda case: case.call is cached)


@EACH
def test_the_future_does_not_matter_and_the_past_as_far_as_it_reaches(case):
    model = filled(case.make())
    logits, _, _ = case.call(model, WORDS)
    assert logits.shape == (B, T, V)
    for t in range(1, T):
        other = WORDS.clone()
        other[:, t] = (other[:, t] + 1) % V
        moved = (case.call(model, other)[0] - logits).abs().amax(dim=-1)
        assert (moved[:, :t] < 1e-12).all()
        assert (moved[:, t : t + case.reach] > 1e-9).all()
        assert (moved[:, t + case.reach :] < 1e-12).all()


@EACH
def test_a_sentence_of_a_padded_batch_is_what_it_is_alone(case):
    """Padding is the future of its sentence: no mask is needed."""
    model = filled(case.make())
    logits, _, _ = case.call(model, WORDS)
    for b, length in enumerate((T, 1, 4)):
        close(case.call(model, WORDS[b : b + 1, :length])[0][0], logits[b, :length])


@STEPPING
@pytest.mark.parametrize("parts", [[1] * T, [3, 4], [1, 4, 2]], ids=str)
def test_part_after_part_is_all_at_once(case, parts):
    model = filled(case.make())
    logits, after, weights = case.call(model, WORDS)
    state, first = None, 0
    for part in WORDS.split(parts, dim=1):
        some, state, seen = unchanged(partial(case.call, model), part, state)
        last = first + part.size(1)
        close(some, logits[:, first:last])
        for one, two in zip(seen, weights, strict=True):
            close(one, two[:, :, first:last, :last])
        first = last
    for one, two in zip(tensors(state), tensors(after), strict=True):
        close(one, two)


@ATTENDING
def test_weights_are_shares_of_the_words_so_far(case):
    model = filled(case.make())
    for w in case.call(model, WORDS)[2]:
        assert w.shape == (B, model.config.h, T, T)
        close(w.sum(dim=-1), torch.ones(w.shape[:-1]).double())
        assert torch.equal(w, w.tril())
        assert w[..., torch.ones(T, T).tril().bool()].gt(0).all()


@EACH
def test_every_parameter_learns(case):
    model = filled(case.make())
    logits, _, _ = case.call(model, WORDS)
    (logits * randn(B, T, V, seed=5)).sum().backward()
    for name, parameter in model.named_parameters():
        if name.endswith("W_K.bias"):
            continue  # the same for all keys, it changes no weights
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 1e-9, name


@those(lambda case: case.dropout)
def test_dropout_is_for_training_alone(case):
    dropped, plain = filled(case.make(dropout=0.5)), filled(case.make())
    assert torch.equal(case.call(dropped, WORDS)[0], case.call(plain, WORDS)[0])
    dropped.train()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        one, two = (case.call(dropped, WORDS)[0] for _ in range(2))
    assert not torch.equal(one, two)


@EACH
def test_words_stay_as_they_came(case):
    unchanged(partial(case.call, filled(case.make())), WORDS)


@those(lambda case: case.call is stateful)
def test_a_mask_changes_no_logits_of_words(case):
    model, mask = filled(case.make()), padding_mask(T, 1, 4)
    close(model(WORDS, mask)[0][mask], model(WORDS)[0][mask])


# --- refusals ------------------------------------------------------------------------


@those(lambda case: case.checks and case.call is not windowed)
def test_what_is_no_batch_of_words_is_refused(case):
    model = case.make()
    for shape in ((T,), (B, 0), (0, T), (B, T, 1)):
        with refuses(r"words has shape \(.*\): expected \(B, T\)"):
            case.call(model, torch.zeros(shape, dtype=torch.long))
    with refuses("words holds ids from 0 to 11: expected 0 to 10"):
        case.call(model, torch.tensor([[0, V]]))
    with refuses("words holds ids from -1 to 3: expected 0 to 10"):
        case.call(model, torch.tensor([[3, -1]]))


@STEPPING
def test_a_state_of_other_sentences_is_refused(case):
    model = case.make()
    _, state, _ = case.call(model, WORDS)
    with pytest.raises((ValueError, RuntimeError), match=r"expected|must match"):
        case.call(model, WORDS[:2, :1], state)
