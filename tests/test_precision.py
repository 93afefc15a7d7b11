"""What a number's type may not change: half precision, autocast, meta, torch.compile.

In float16 or bfloat16 each model gives what it gives in double precision, but for the
rounding of its numbers: half an eps for each of a few dozen operations. A new model is
one line of CASES, which begins with the name of its idea.
"""

import copy
import math

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, layer_norm
from torch.nn.functional import scaled_dot_product_attention as reference

import test_language_models as language
import test_translators as translators
from kit import close, filled, generator, padding_mask, randn, random_mask, refuses
from kit import tensors as all_tensors
from lookback.attention import Head, scaled_dot_product_attention
from lookback.bahdanau import AdditiveAttention
from lookback.bert import BERT, BERTConfig, SentenceClassifier, TokenClassifier
from lookback.decoding import beam_search, greedy, plain_beam_search, truncated
from lookback.decoding import sample as sample_translation
from lookback.glove import GloVe, GloVeConfig
from lookback.gpt import GELUNetwork, sample
from lookback.grouped import online_softmax_attention
from lookback.layernorm import LayerNorm
from lookback.lstm import GRUCell, LSTMCell
from lookback.luong import LocalAttention, LocationAttention, LuongAttention
from lookback.measure import principal_components
from lookback.modern import RMSNorm, RotaryGroupedAttention, SwiGLU
from lookback.moe import MixtureOfExperts
from lookback.multihead import HeadList, MultiHeadAttention
from lookback.positions import SinusoidalPositions, sinusoidal_positions
from lookback.recurrent import hidden, jacobian_norms, unroll
from lookback.recursive import Forest, RecursiveNetwork, TensorNetwork, TreeLSTM
from lookback.rotary import (
    AlibiAttention,
    RelativeAttention,
    RotaryAttention,
    RotaryEmbedding,
)
from lookback.training import adam_step, label_smoothed_loss
from lookback.window import SentenceLevelLikelihood, WindowConfig, WindowTagger
from lookback.word2vec import CBOW, SkipGram

D, WORDS, MASK = 12, language.WORDS, padding_mask(7, 2, 4)
Q, K, X = randn(2, 4, D, seed=1), randn(2, 7, D, seed=2), randn(2, 5, D, seed=3)
MAY, FOREST = random_mask(2, 4, 7), Forest([(1, (2, (3, 4))), (5, 6), 7])
SCORES = randn(3, 7, 5, seed=4)
FAR, LATE = randn(2, 600, D, seed=5), torch.tensor([[257, 259, 301, 599]]).expand(2, 4)


def attending(model, cast):
    return model(cast(Q), cast(K), cast(K), MAY)


def far(model, cast):
    """Luong's, at positions that bfloat16 cannot tell apart."""
    memory = model.project(cast(FAR), torch.ones(2, 600).bool())
    return model(cast(Q), memory, LATE)[0]


def additive(model, cast):
    return model(cast(Q[:, 0]), model.keys(cast(K)), cast(K), MAY[:, 0])


def reading(model, cast):
    return model(cast(X))


def masked(model, _):
    return model(WORDS, MASK)


def parsed(model, _):
    return model(FOREST)


def cell(model, cast):
    return hidden(unroll(model, cast(X), padding_mask(5, 2)))


def bert():
    return BERT(BERTConfig(N=2, d_model=12, h=3, d_ff=20, max_positions=9), 11)


MODELS = (
    {
        name: (make, lambda model, _: translators.translate(model)[0])
        for name, make in translators.TRANSLATORS.items()
        if not name.startswith("luong ")
    }
    | {
        name: (case.make, lambda model, _, case=case: case.call(model, WORDS)[0])
        for name, case in language.MODELS.items()
    }
    | {
        "bert": (bert, masked),
        "bert tokens": (lambda: TokenClassifier(bert(), 4), masked),
        "bert sentence": (lambda: SentenceClassifier(bert(), 4), masked),
        "window": (
            lambda: WindowTagger(WindowConfig(3, 4, (2,), 5), (11, 11), 3),
            lambda model, _: model(torch.stack([WORDS, WORDS], dim=-1)),
        ),
        "recursive": (lambda: RecursiveNetwork(8, 4), parsed),
        "recursive tensor": (lambda: TensorNetwork(8, 4), parsed),
        "recursive lstm": (lambda: TreeLSTM(8, 4, 5), parsed),
        "word2vec": (
            lambda: SkipGram(11, 3),
            lambda model, _: model(WORDS[:, 0], WORDS),
        ),
        "word2vec cbow": (lambda: CBOW(11, 3), masked),
        "glove": (
            lambda: GloVe(GloVeConfig(3, 100.0, 0.75, 5), 11),
            lambda model, _: model(WORDS[0], WORDS[1]),
        ),
    }
)
PARTS = {
    "bahdanau attention": (
        lambda: AdditiveAttention(query=D, annotation=D, hidden=5),
        additive,
    ),
    "luong dot": (lambda: LuongAttention(D, "dot"), far),
    "luong concat": (lambda: LuongAttention(D, "concat"), far),
    "luong location": (lambda: LocationAttention(D, 400), far),
    "luong local-m": (lambda: LocalAttention(D, "general", "local-m", D=3), far),
    "attention head": (lambda: Head(D, 5, 3), attending),
    "multihead": (lambda: MultiHeadAttention(D, 6), attending),
    "multihead list": (lambda: HeadList(D, 6), attending),
    "modern": (
        lambda: RotaryGroupedAttention(D, 6, 3),
        lambda model, cast: model(cast(K)),
    ),
    "rotary": (lambda: RotaryAttention(D, 6), attending),
    "rotary alibi": (lambda: AlibiAttention(D, 6), attending),
    "rotary relative": (lambda: RelativeAttention(D, 6, 2), attending),
    "rotary far": (
        lambda: RotaryEmbedding(D),
        lambda model, cast: model(cast(X), first=5000),
    ),
    "lstm": (lambda: LSTMCell(D, 4), cell),
    "lstm gru": (lambda: GRUCell(D, 4), cell),
    "layernorm": (lambda: LayerNorm(D), reading),
    "modern norm": (lambda: RMSNorm(D), reading),
    "modern network": (lambda: SwiGLU(D, 20), reading),
    "gpt network": (lambda: GELUNetwork(D, 20), reading),
    "moe mixture": (
        lambda: MixtureOfExperts(D, 6, 4, 4),
        lambda model, cast: model(cast(X))[0],
    ),
    "window sentence": (
        lambda: SentenceLevelLikelihood(5),
        lambda model, cast: model.loss(cast(SCORES), WORDS % 5, MASK),
    ),
}
CASES = MODELS | {f"{name} (part)": case for name, case in PARTS.items()}
EACH = pytest.mark.parametrize(("make", "call"), CASES.values(), ids=CASES)
HALF = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)


def made(make):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return filled(make(), scale=0.3)


def near(found, expected, dtype):
    """Assert that each number is within 64 eps of the largest."""
    assert len(found) == len(expected) > 0
    for one, two in zip(found, expected, strict=True):
        assert one.isfinite().all()
        scale = two.abs().max().item() * 64 * torch.finfo(dtype).eps
        torch.testing.assert_close(one.double(), two.double(), rtol=0, atol=scale)


def learns(outputs, model):
    """Assert that all gradients are finite."""
    if any(parameter.requires_grad for parameter in model.parameters()):
        sum(output.float().square().sum() for output in outputs).backward()
        for name, parameter in model.named_parameters():
            assert parameter.grad is None or parameter.grad.isfinite().all(), name


def floats(outputs):
    return [t for t in all_tensors(outputs) if t.is_floating_point()]


@EACH
@HALF
def test_in_half_precision_it_says_the_same(make, call, dtype):
    model = made(make).to(dtype)
    found = floats(call(model, lambda x: x.to(dtype)))
    wide = copy.deepcopy(model).double()
    expected = floats(call(wide, lambda x: x.to(dtype).double()))
    near(found, expected, dtype)
    assert {t.dtype for t in found} == {dtype}
    learns(found, model)


@EACH
@HALF
def test_under_autocast_it_says_the_same_and_learns(make, call, dtype):
    model = made(make).float()
    expected = floats(call(model, lambda x: x.float()))
    with torch.autocast("cpu", dtype):
        found = floats(call(model, lambda x: x.float()))
    near(found, expected, dtype)
    learns(found, model)


@EACH
def test_made_on_meta_and_loaded_or_cast_and_loaded_it_says_the_same(make, call):
    model = made(make)
    expected = floats(call(model, lambda x: x))
    with torch.device("meta"):
        empty = make()
    for other in (
        empty.to_empty(device="cpu").double().eval(),
        copy.deepcopy(model).bfloat16().double(),
    ):
        for buffer in other.buffers():
            buffer.fill_(math.nan)  # what to_empty leaves there
        other.load_state_dict(model.state_dict())
        for one, two in zip(floats(call(other, lambda x: x)), expected, strict=True):
            assert torch.equal(one, two)


@pytest.mark.parametrize(("make", "call"), MODELS.values(), ids=MODELS)
def test_it_compiles_as_one_graph(make, call):
    model = made(make).float()
    expected = floats(call(model, lambda x: x))
    torch.compiler.reset()
    graph = torch.compile(lambda: call(model, None), backend="eager", fullgraph=True)
    for one, two in zip(floats(graph()), expected, strict=True):
        close(one, two)


@HALF
@pytest.mark.parametrize("size", [1, 3, 20, 200])
def test_attention_is_torchs_however_large_its_scores(dtype, size):
    Q, K = ((size * randn(2, n, 64, seed=n)).to(dtype) for n in (4, 7))
    V, causal = randn(2, 7, 5, seed=9).to(dtype), torch.ones(4, 7).tril(3).bool()
    expected = reference(Q, K, V, causal)
    for found in (
        scaled_dot_product_attention(Q, K, V, causal)[0],
        online_softmax_attention(Q, K, V, block=3, causal=True),
    ):
        near([found], [expected], dtype)


@HALF
def test_a_softmax_in_blocks_sums_more_keys_than_half_precision_counts(dtype):
    K, V = torch.zeros(70_000, 2, dtype=dtype), torch.ones(70_000, 1, dtype=dtype)
    close(online_softmax_attention(K[:1], K, V, block=4096), V[:1])


@HALF
@pytest.mark.parametrize("size", [0, 1e-4, 1, 300, 6e4])
def test_norms_are_torchs_however_large_or_small_what_they_read(dtype, size):
    x = (size * randn(3, 1, D, seed=8).clamp(-1, 1)).to(dtype)
    near([LayerNorm(D, 1e-12).to(dtype)(x)], [layer_norm(x, (D,), eps=1e-12)], dtype)
    norm = nn.RMSNorm(D, 1e-12).double()
    near([RMSNorm(D, 1e-12).to(dtype)(x)], [norm(x.double())], dtype)


@HALF
def test_positions_are_those_of_the_models_type(dtype):
    expected = sinusoidal_positions(9, 4, first=300, dtype=torch.float64)
    assert torch.equal(SinusoidalPositions(4).to(dtype)(9, 300), expected.to(dtype))


@HALF
@pytest.mark.parametrize("name", translators.PLAIN)
def test_a_translator_is_decoded_in_half_precision(name, dtype):
    model = made(translators.TRANSLATORS[name]).to(dtype)
    given = translators.SOURCE[:1], translators.MASK[:1]
    how = {"begin": 1, "end": 2, "longest": 12}
    (plain, *_), ((beam, *_),) = (
        search(model, *given, **how, size=3)
        for search in (plain_beam_search, beam_search)
    )
    assert plain.ids == beam.ids
    assert plain.log_p == pytest.approx(beam.log_p, rel=1e-5)
    assert len(greedy(model, *given, **how)[0]) <= 12
    drawn = {"temperature": 1e-6, "generator": generator(), "top_p": 0.9}
    assert len(sample_translation(model, *given, **how, **drawn)[0]) <= 12


class Likes:
    """A language model with the same logits everywhere."""

    def __init__(self, *logits, dtype=torch.float32):
        self.logits = torch.tensor(logits, dtype=dtype)

    def __call__(self, words, past=None):
        return self.logits.expand(*words.shape, -1), (), past


@HALF
def test_towards_no_temperature_the_likeliest_word_takes_all(dtype):
    words = torch.zeros(2, 1, dtype=torch.long)
    cold, likes = {"temperature": 1e-6}, Likes(9, 10, 8, dtype=dtype)
    assert sample(likes, words, 5, generator=generator(), **cold).eq(1).all()


@HALF
def test_a_nucleus_counts_a_long_tail(dtype):
    """In half precision a sum that is near 1 no longer grows."""
    kept = truncated(torch.zeros(50_000, dtype=dtype), top_p=0.9).isfinite().sum()
    assert kept.item() == pytest.approx(45_000, rel=1e-3)


@HALF
def test_tools_that_torch_has_no_half_precision_for(dtype):
    vectors = randn(9, 4).to(dtype)
    found, expected = map(principal_components, (vectors, vectors.double()))
    for one, two in zip(found, expected, strict=True):
        close(one.double(), two, 1e-5)
    cell, x = made(lambda: LSTMCell(D, 4)).to(dtype), X[0].to(dtype)
    near([jacobian_norms(cell, x)], [jacobian_norms(cell.double(), x.double())], dtype)


def test_a_step_of_adam_counts_squares_that_half_precision_has_not():
    g = torch.tensor([-1000.0, 1e-4, 0], dtype=torch.float16)
    theta, _, v = adam_step(*[g] * 2, *[0 * g] * 2, step=1, rate=0.5)
    close(v, 0.02 * g.float().square())
    close(theta - g, torch.tensor([0.5, -0.5, 0]), 1e-3)


# --- logits of -∞ --------------------------------------------------------------------

HIDDEN = torch.tensor([[0.5, -math.inf, 2.0], [1.0, 0.0, -1.0]])
RIGHT, BOTH = torch.tensor([2, 0]), torch.ones(2).bool()


def test_smoothing_gives_an_impossible_word_no_share_but_on_padding():
    with refuses("logits must be finite: smoothing gives every word a share"):
        label_smoothed_loss(HIDDEN, RIGHT, BOTH, 0.1)
    plain = cross_entropy(HIDDEN, RIGHT, reduction="none")
    close(label_smoothed_loss(HIDDEN, RIGHT, BOTH, 0.0), plain)
    for mask, epsilon in ((BOTH, 0.0), (torch.tensor([False, True]), 0.1)):
        logits = HIDDEN.clone().requires_grad_()
        label_smoothed_loss(logits, RIGHT, mask, epsilon).sum().backward()
        assert logits.grad.isfinite().all()


def test_of_fewer_possible_words_than_k_only_these_are_drawn():
    assert truncated(HIDDEN[0], top_k=3).isfinite().tolist() == [True, False, True]
    words = torch.zeros(200, 1, dtype=torch.long)
    drawn = sample(Likes(0, -math.inf, 0), words, 1, generator=generator(), top_k=3)
    assert {*drawn.flatten().tolist()} == {0, 2}


@pytest.mark.parametrize("logit", [-math.inf, math.nan, math.inf])
def test_where_no_word_is_possible_none_is_drawn(logit):
    words = torch.zeros(2, 1, dtype=torch.long)
    with refuses("logits must be finite: the largest of every row"):
        sample(Likes(logit, logit), words, 1, generator=generator())


def test_a_forbidden_transition_costs_padding_nothing():
    tagger, tags = SentenceLevelLikelihood(5).double(), torch.zeros(3, 7).long()
    with torch.no_grad():
        tagger.A[4, 3] = -math.inf
    padded = tags.masked_fill(~MASK, 3)
    padded[1, 2] = 4  # 4, then 3: both on padding
    assert torch.equal(
        tagger.loss(SCORES, padded, MASK), tagger.loss(SCORES, tags, MASK)
    )
    assert torch.isfinite(tagger.loss(SCORES, padded, MASK))


def test_positions_without_a_score_are_hidden():
    attention, places = LocationAttention(D, 3).double(), torch.arange(7).expand(2, 7)
    _, weights = attention(Q, attention.project(K, places > 1))
    assert weights[..., 2].eq(1).all()
    with refuses("mask is False everywhere in rows"):
        attention(Q, attention.project(K, places > 2))
