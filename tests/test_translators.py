"""The laws of a translator, for each model that has `start`, `step` and `forward`.

Each case begins with the name of its idea: `pytest -k luong` runs luong's. What one
architecture alone does stands in its own file.
"""

from functools import partial

import pytest
import torch
from torch import Tensor

from kit import (
    close,
    filled,
    padding_mask,
    randint,
    randn,
    refuses,
    tensors,
    unchanged,
)
from lookback.bahdanau import RNNSearch, RNNSearchConfig
from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.fast.beam import select
from lookback.luong import (
    LocalAttention,
    LocationAttention,
    LuongConfig,
    LuongTranslator,
)
from lookback.positions import LearnedPositions
from lookback.seq2seq import Seq2Seq, Seq2SeqConfig
from lookback.transformer import Transformer, TransformerConfig

B, S, T, SOURCES, TARGETS = 4, 6, 5, 9, 11  # every axis has its own size
LENGTHS = (6, 2, 4, 1)  # of the sources
SOURCE, MASK = randint(SOURCES, B, S, seed=3), padding_mask(*LENGTHS)
TARGET = randint(TARGETS, B, T, seed=4)


def encdec(dropout=0.0):
    config = EncoderDecoderConfig(m=3, n=5, l=2, dropout=dropout)
    return RNNEncoderDecoder(config, SOURCES, TARGETS)


def seq2seq(dropout=0.0, reversed=True):
    config = Seq2SeqConfig(m=3, n=5, layers=2, reversed=reversed, dropout=dropout)
    return Seq2Seq(config, SOURCES, TARGETS)


def bahdanau(dropout=0.0):
    config = RNNSearchConfig(m=3, n=4, k=6, l=2, dropout=dropout)
    return RNNSearch(config, SOURCES, TARGETS)


def luong(dropout=0.0, scope="global", **options):
    config = LuongConfig(m=3, n=4, layers=2, dropout=dropout, **options)
    model = LuongTranslator(config, SOURCES, TARGETS)
    if scope == "location":
        model.attention = LocationAttention(4, max_positions=4)
    elif scope != "global":
        model.attention = LocalAttention(4, config.score, scope, D=1)
    return model


def transformer(dropout=0.0, norm_first=False, max_positions=None):
    config = TransformerConfig(
        N=2, d_model=12, h=3, d_ff=20, dropout=dropout, norm_first=norm_first
    )
    model = Transformer(config, SOURCES, TARGETS)
    if max_positions is not None:
        model.positions = LearnedPositions(max_positions, config.d_model)
    return model


TRANSLATORS = {
    "encdec": encdec,
    "seq2seq": seq2seq,
    "seq2seq straight": partial(seq2seq, reversed=False),
    "bahdanau": bahdanau,
    "luong": luong,
    "transformer": transformer,
    "transformer pre-norm": partial(transformer, norm_first=True),
    "transformer learned": partial(transformer, max_positions=6),
} | {
    f"luong {' '.join(map(str, options.values()))}": partial(luong, **options)
    for options in (
        *[
            {"score": score, "scope": scope}
            for score in ("dot", "general", "concat")
            for scope in ("global", "local-m", "local-p")
        ],
        {"scope": "location"},
        {"score": "general", "scope": "local-p", "input_feeding": False},
        {"cell": "lstm", "directions": "both"},
        {"cell": "lstm", "directions": "left-to-right"},
        {"cell": "rnn", "directions": "both", "input_feeding": False},
        {"cell": "gru", "directions": "right-to-left"},
    )
}
EACH = pytest.mark.parametrize("make", TRANSLATORS.values(), ids=TRANSLATORS)
# A window of two words would have none left without the hidden one.
HIDING = {
    name: make
    for name, make in TRANSLATORS.items()
    if name.startswith(("bahdanau", "luong", "transformer")) and "local" not in name
}


def translate(model, source=SOURCE, mask=MASK, target=TARGET):
    """Logits (B, T, V), and a list of the weights (B, …, T, S) on the source."""
    found = model(source, mask, target)
    if isinstance(found, Tensor):
        return found, []
    logits, weights = found
    if isinstance(weights, Tensor):
        return logits, [weights]
    return logits, [layer.cross_attention for layer in weights.decoder]


@EACH
def test_step_by_step_is_teacher_forcing(make):
    model = filled(make())
    logits, weights = translate(model)
    assert logits.shape == (B, T, TARGETS)
    state = model.start(SOURCE, MASK)
    for t in range(T):
        one, state = unchanged(model.step, TARGET[:, t], state)
        close(one, logits[:, t])
        if hasattr(state, "weights"):
            close(state.weights, weights[0][:, t])


@EACH
def test_a_padded_batch_is_its_sentences_one_by_one(make):
    model = filled(make())
    logits, weights = translate(model)
    for b, length in enumerate(LENGTHS):
        row = slice(b, b + 1)
        one, seen = translate(
            model, SOURCE[row, :length], MASK[row, :length], TARGET[row]
        )
        close(one, logits[row])
        for alone, together in zip(seen, weights, strict=True):
            close(alone, together[row, ..., :length])


@EACH
def test_padding_may_hold_any_word_and_gets_no_weight(make):
    model = filled(make())
    logits, weights = translate(model)
    again, _ = translate(model, SOURCE.where(MASK, (SOURCE + 1) % SOURCES))
    assert torch.equal(again, logits)
    for w in weights:
        hidden = ~MASK.view(B, *[1] * (w.dim() - 2), S).expand_as(w)
        assert w[hidden].eq(0).all()


@pytest.mark.parametrize("make", HIDING.values(), ids=HIDING)
def test_a_hidden_word_gets_no_weight_and_a_recurrent_encoder_reads_it(make):
    model, attend = filled(make()), MASK.clone()
    attend[0, 2] = attend[2, 0] = False
    logits, weights = translate(model, mask=attend)
    for w in weights:
        assert (w[0, ..., 2] == 0).all() and (w[2, ..., 0] == 0).all()
    recurrent = not isinstance(model, Transformer)
    if recurrent:
        first = [translate(model, mask=mask)[1][0][:, 0] for mask in (attend, MASK)]
        rest = first[1].where(attend, 0)
        shares = rest / rest.sum(dim=1, keepdim=True)
        close(first[0], shares)  # the state is the same: the others share the rest
    again, _ = translate(model, SOURCE.where(attend, (SOURCE + 1) % SOURCES), attend)
    changed = (again - logits).abs().amax(dim=(1, 2)) > 1e-9
    assert changed.tolist() == [recurrent, False, recurrent, False]


@EACH
def test_weights_are_shares_of_the_source(make):
    """They sum to 1, unless a window of Luong's counts what is far for less."""
    model = filled(make())
    for w in translate(model)[1]:
        whole = w.sum(dim=-1)
        assert (w >= 0).all()
        if getattr(getattr(model, "attention", None), "scope", "") == "local-p":
            assert (whole < 1).all()
        else:
            close(whole, torch.ones_like(whole))


@EACH
def test_the_future_of_the_target_does_not_matter_and_the_past_does(make):
    model = filled(make())
    logits, weights = translate(model)
    for t in range(T):
        other = TARGET.clone()
        other[:, t] = (other[:, t] + 1) % TARGETS
        again, seen = translate(model, target=other)
        close(again[:, :t], logits[:, :t])
        assert ((again - logits)[:, t:].abs().amax(dim=-1) > 1e-9).all()
        for one, two in zip(seen, weights, strict=True):
            close(one[..., :t, :], two[..., :t, :])


@EACH
def test_every_word_of_the_source_matters_everywhere_to_its_sentence_alone(make):
    model = filled(make())
    logits, _ = translate(model)
    for b, length in enumerate(LENGTHS):
        for s in range(length):
            other = SOURCE.clone()
            other[b, s] = (other[b, s] + 1) % SOURCES
            moved = (translate(model, other)[0] - logits).abs().amax(dim=-1)
            assert (moved[b] > 1e-12).all()
            moved[b] = 0
            assert (moved < 1e-12).all()


@EACH
def test_rows_of_a_state_may_be_selected(make):
    """As a beam does: any row may be kept, twice or not at all."""
    model, rows = filled(make()), torch.tensor([1, 3, 1])
    _, state = model.step(TARGET[:, 0], model.start(SOURCE, MASK))
    expected, after = model.step(TARGET[:, 1], state)
    found, kept = model.step(TARGET[rows, 1], select(state, rows))
    close(found, expected[rows])
    for one, two in zip(tensors(kept), tensors(after), strict=True):
        close(one, two[rows])


@EACH
def test_every_parameter_learns(make):
    model = filled(make())
    logits, _ = translate(model)
    (logits * randn(*logits.shape, seed=5)).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 1e-9, name


@EACH
def test_arguments_stay_as_they_came(make):
    model = filled(make())
    unchanged(model, SOURCE, MASK, TARGET)
    unchanged(model.start, SOURCE, MASK)


@EACH
def test_dropout_is_for_training_alone(make):
    dropped, plain = filled(make(dropout=0.5)), filled(make())
    assert torch.equal(translate(dropped)[0], translate(plain)[0])
    dropped.train()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        assert not torch.equal(translate(dropped)[0], translate(dropped)[0])


# --- refusals ------------------------------------------------------------------------

NO_SOURCE = [
    (SOURCE[:, 0], MASK[:, 0], r"source has shape \(4,\)"),
    (SOURCE[:, :0], MASK[:, :0], r"source has shape \(4, 0\)"),
    (SOURCE, MASK[:, 1:], r"mask has shape \(4, 5\): .* S being"),
    (SOURCE, MASK[:1], r"mask has shape \(1, 6\): .* B being 4"),
    (SOURCE, MASK.long(), "mask is torch.int64"),
    (SOURCE, MASK & False, "mask is False everywhere in rows"),
    (SOURCE + SOURCES, MASK, "source holds ids from .*: expected 0 to 8"),
    (SOURCE - SOURCES, MASK, "source holds ids from -9 "),
]
NO_TARGET = [
    (TARGET[1:], r"target has shape \(3, 5\): expected \(4, T\)"),
    (TARGET[:1], r"target has shape \(1, 5\): expected \(4, T\)"),
    (TARGET[:, :0], r"target has shape \(4, 0\)"),
    (TARGET + TARGETS, "target holds ids from .*: expected 0 to 10"),
    (TARGET - TARGETS, "target holds ids from -11 "),
]
PLAIN = ["encdec", "seq2seq", "bahdanau", "luong", "transformer"]
"""Their variants refuse by the same lines."""


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize(("source", "mask", "words"), NO_SOURCE)
def test_what_is_no_source_is_refused(name, source, mask, words):
    model = TRANSLATORS[name]()
    for call in (model.start, partial(model, target=TARGET)):
        with refuses(words):
            call(source, mask)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize(("target", "words"), NO_TARGET)
def test_what_is_no_target_is_refused(name, target, words):
    with refuses(words):
        TRANSLATORS[name]()(SOURCE, MASK, target)


@pytest.mark.parametrize("name", PLAIN)
def test_a_step_needs_a_word_for_each_sentence(name):
    model = TRANSLATORS[name]()
    state = model.start(SOURCE, MASK)
    with refuses(r"target has shape \(3, 1\): expected \(4, T\)"):
        model.step(TARGET[1:, 0], state)
    with refuses("target holds ids from 11 to 11"):
        model.step(torch.full((B,), TARGETS), state)
