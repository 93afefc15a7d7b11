"""What the doors of the ideas refuse: a table for each idea, a row for each check.

How a check judges, and that it passes what is sound, stands in test_checks.py: here,
that each door has its checks. What all models of a family refuse alike stands in
test_translators.py, test_language_models.py and test_attentions.py.

A row is a call and words of its refusal; without words the call has to pass.
"""

import math
from contextlib import nullcontext
from dataclasses import FrozenInstanceError, replace
from functools import partial

import pytest
import torch
from torch import zeros

from kit import generator, padding_mask, refuses
from lookback.attention import scaled_dot_product_attention
from lookback.bahdanau import AdditiveAttention, RNNSearchConfig
from lookback.bert import (
    BERT,
    BERTConfig,
    Masked,
    mask_words,
    pretraining_loss,
)
from lookback.decoder import Decoder
from lookback.decoding import (
    beam_search,
    greedy,
    length_penalty,
    plain_beam_search,
    truncated,
)
from lookback.decoding import sample as decoding_sample
from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.encoder import Encoder, LayerConfig
from lookback.features import FeatureTagger, LinearSVM, NaiveBayes
from lookback.glove import (
    GloVe,
    GloVeConfig,
    cooccurrence,
    count_neighbours,
    weighted_squares,
    weighting,
)
from lookback.gpt import GPT, Classifier, GPTConfig, sample
from lookback.grouped import (
    GroupedQueryAttention,
    online_softmax_attention,
    pooled,
)
from lookback.layernorm import LayerNorm
from lookback.lstm import GRUCell, LSTMCell, ResetAfterGRUCell
from lookback.luong import (
    LocalAttention,
    LocationAttention,
    LuongAttention,
    LuongConfig,
)
from lookback.masking import masked_softmax
from lookback.modern import GatedNetwork, Llama, LlamaConfig, RMSNorm
from lookback.multihead import HeadList, MultiHeadAttention
from lookback.ngram import AddK, JelinekMercer, KneserNey, NgramModel
from lookback.nplm import NPLM, NPLMConfig, contexts, nearest
from lookback.positions import (
    LearnedPositions,
    SinusoidalPositions,
    rotation,
    sinusoidal_positions,
)
from lookback.recurrent import RecurrentLM, RNNCell, unroll
from lookback.recursive import (
    Forest,
    GreedyParser,
    RecursiveNetwork,
    TensorNetwork,
    TreeLSTM,
    spans,
)
from lookback.recursive import words as leaves
from lookback.rotary import (
    RelativeAttention,
    RotaryAttention,
    RotaryEmbedding,
    distances,
)
from lookback.seq2seq import DeepLSTM, Seq2Seq, Seq2SeqConfig, reverse
from lookback.training import (
    adam_step,
    label_smoothed_loss,
    least_loss,
    smoothed_target,
)
from lookback.transformer import Transformer, TransformerConfig
from lookback.window import (
    Lookup,
    SentenceLevelLikelihood,
    WindowConfig,
    WindowTagger,
    word_level_loss,
)
from lookback.word2vec import (
    CBOW,
    SkipGram,
    analogy,
    keep_probability,
    negative_sampling_loss,
    noise_distribution,
    running_text,
    sentence_pairs,
    softmax_loss,
    windows,
)


def at_least(least, make, **sizes):
    """Rows for each size of `make`: one too small; the least will do."""
    yield partial(make, **dict.fromkeys(sizes, least)), None
    for name in sizes:
        words = f"{name} must be a whole number ≥ {least}, got {least - 1}"
        yield partial(make, **sizes | {name: least - 1}), words


def fractions(make, name="dropout"):
    """Rows for a share of something that is not all of it."""
    yield partial(make, **{name: 0.0}), None
    for wrong in (-0.1, 1.0):
        yield partial(make, **{name: wrong}), f"{name} must be ≥ 0 and < 1, got {wrong}"


def positive(make, name):
    """Rows for a number above 0."""
    for wrong in (0.0, math.nan):
        yield partial(make, **{name: wrong}), f"{name} must be > 0, got {wrong}"


def long(*shape):
    return zeros(shape, dtype=torch.long)


def true(*shape):
    return torch.ones(shape, dtype=torch.bool)


# --- attention -----------------------------------------------------------------------

Q, K, V = zeros(2, 4, 3), zeros(2, 6, 3), zeros(2, 6, 5)


def attention():
    attend = scaled_dot_product_attention
    yield lambda: attend(Q, K[..., 1:], V), r"K has shape \(2, 6, 2\): .*d_k being 3"
    yield lambda: attend(Q, K, V[:, 1:]), r"V has shape \(2, 5, 5\): .*S being 6"
    yield lambda: attend(Q, K[[0, 0, 0]], V), r"K has shape \(3, 6, 3\): .*same axes"
    yield lambda: attend(Q, K[:, :0], V[:, :0]), r"K has shape .*none of them 0"
    yield lambda: attend(Q, K, V, true(3, 4, 6)), r"mask is .* of shape \(2, 4, 6\)"


def multihead():
    for kind in (MultiHeadAttention, HeadList):
        for sizes in ({}, {"d_k": 4}, {"d_v": 4}):
            yield partial(kind, 12, 5, **sizes), "d_model 12 is not divisible by h 5"
        yield partial(kind, 12, 5, d_k=2, d_v=3), None
    attend, x = MultiHeadAttention(12, 3), zeros(2, 5, 12)
    for wrong in (x[:0], x[:, :0], x[0]):
        yield partial(attend, wrong, x, x), r"queries has .*: expected \(B, T, d\)"
    for wrong in (x[:, :0], x[0], x[:1]):
        yield partial(attend, x, wrong, wrong), r"keys has .*: expected \(B, S, d\)"
    yield partial(attend, x, x, x[:, 1:]), "values .* S being 5"
    for shape in ((2, 5), (3, 5, 5), (1, 2, 3, 5, 5)):  # of keys, of heads, of both
        yield partial(attend, x, x, x, true(*shape)), "mask is .* expected"


def grouped():
    yield lambda: GroupedQueryAttention(24, 6, 4), "h is 6 and g 4: .* g to divide h"
    yield lambda: pooled(MultiHeadAttention(24, 6), 12), "h is 6 and g 12"
    online = online_softmax_attention
    yield from at_least(1, partial(online, Q, Q, Q), block=2)
    yield lambda: online(Q, Q[:, 1:], Q[:, 1:], causal=True), "T is 4: .* at most S, 3"
    yield lambda: online(Q, Q, Q[:, 1:]), "V has shape .* S being 4"


def rotary():
    yield from at_least(1, partial(RelativeAttention, 12, 3), reach=2)
    yield lambda: RotaryEmbedding(3), "d_k must be even, pairs are rotated, got 3"
    yield lambda: RotaryAttention(10, 2), "d_k must be even, pairs are rotated, got 5"
    yield lambda: RotaryEmbedding(4)(zeros(3, 6)), r"x has shape \(3, 6\): .*T, 4\)"
    yield lambda: distances(5, 4), "T is 5: expected at most S, 4"


# --- translators ---------------------------------------------------------------------

SOURCE, MASK, TARGET = long(4, 6), padding_mask(6, 2, 4, 1), long(4, 5)


def encdec():
    config = EncoderDecoderConfig(m=1, n=1, l=1)
    score = RNNEncoderDecoder(config, 9, 11).score
    yield from at_least(1, EncoderDecoderConfig, m=2, n=3, l=4)
    yield from fractions(partial(replace, config))
    yield lambda: score(SOURCE, MASK, TARGET, MASK), "target_mask has .* T being 5"
    yield lambda: score(SOURCE, MASK, TARGET, MASK[:1, 1:]), "target_mask .* B being 4"
    yield lambda: score(SOURCE, MASK, TARGET[0], MASK), r"target has shape \(5,\)"


def seq2seq():
    config, deep = Seq2SeqConfig(1, 1, 2, True), DeepLSTM(3, 5, 2, 0.0)
    model, x = Seq2Seq(config, 9, 11), zeros(2, 4, 3)
    yield from at_least(1, partial(Seq2SeqConfig, reversed=True), m=2, n=3, layers=4)
    yield from fractions(partial(replace, config))
    yield lambda: reverse(SOURCE, ~MASK), "mask is False before a True: .* at the end"
    yield lambda: model(SOURCE, MASK.flip(1), TARGET), "mask is False before a True"
    yield lambda: deep(x, None, ()), "states are of 0 layers: expected 2"
    yield lambda: deep(x, None, deep(x)[1][:1]), "states are of 1 layers: expected 2"
    few = model.start(SOURCE, MASK)[:1]
    yield lambda: model.step(long(4), few), "states are of 1 layers: expected 2"


def bahdanau():
    config = RNNSearchConfig(m=1, n=1, k=1, l=1)
    additive = AdditiveAttention(query=2, annotation=3, hidden=4)
    query, keys, values, mask = zeros(3, 2), zeros(3, 5, 4), zeros(3, 5, 3), true(3, 5)
    yield from at_least(1, RNNSearchConfig, m=2, n=3, k=4, l=5)
    yield from fractions(partial(replace, config))
    yield from at_least(1, AdditiveAttention, query=2, annotation=3, hidden=4)
    yield lambda: masked_softmax(zeros(2, 4), zeros(2, 4)), "mask is torch.float32 of"
    yield lambda: masked_softmax(zeros(2, 4), ~true(2, 1)), r"mask .* rows \[\[0\], \[1"
    yield lambda: additive(query[:2], keys, values, mask), "keys .* B being 2"
    yield lambda: additive(query[0], keys, values, mask), r"query has shape \(2,"
    yield lambda: additive(query, keys, values[:1], mask), "values .* B being 3"


def luong():
    config, attend = partial(LuongConfig, m=5, n=6), LuongAttention(6, "dot")
    memory, h = attend.project(zeros(3, 7, 6), true(3, 7)), zeros(3, 2, 6)
    yield from at_least(1, LuongConfig, m=2, n=4, layers=1)
    yield from fractions(config)
    yield partial(config, score="cosine"), r"score must be one of .*'dot'.*'cosine'"
    yield partial(config, cell="tree"), r"cell must be one of .*'lstm'.*got 'tree'"
    yield partial(config, directions="up"), r"directions must be one of .*'both'.*'up'"
    yield partial(config, directions="both", n=7), "n must be even .*, got 7"
    yield from at_least(1, partial(LuongAttention, score="dot"), n=2)
    yield from at_least(1, partial(LocalAttention, 4, "dot", "local-m"), D=2)
    yield from at_least(1, partial(LocationAttention, 4), max_positions=2)
    yield lambda: LuongAttention(4, "location"), r"score .* one of .*'dot'.*'location'"
    yield lambda: LocalAttention(4, "dot", "global", D=1), r"scope .* one of .*'global'"
    yield lambda: attend(zeros(4, 2, 6), memory), "states has shape .* B being 4"
    yield lambda: attend(zeros(3, 2, 7), memory), "states has shape .* n being 7"
    yield lambda: attend(h, memory, long(3, 1)), "t has shape .* T being 2"
    short, few = (memory._replace(mask=mask) for mask in (true(3, 6), true(2, 7)))
    yield lambda: attend(h, short), "mask has shape .* S being 7"
    yield lambda: attend(h, few), "mask has shape .* B being 3"


def transformer():
    config = TransformerConfig(N=1, d_model=12, h=3, d_ff=20)
    model = Transformer(config, 9, 11)
    model.positions = LearnedPositions(6, 12)
    odd, shared = replace(config, d_model=15), replace(config, shared=True)
    yield lambda: Transformer(odd, 9, 11), "d_model must be even"
    yield lambda: Transformer(shared, 9, 11), "one matrix cannot serve 9 source and 11 "
    yield lambda: model(SOURCE, MASK, long(4, 7)), "position 6 has no vector"
    state = model.start(SOURCE, MASK)
    for _ in range(6):
        _, state = model.step(long(4), state)
    yield partial(model.step, long(4), state), "position 6 has no vector"


# --- stacks of layers ----------------------------------------------------------------

LAYER = LayerConfig(d_model=12, h=3, d_ff=7)
X, X_MASK = zeros(2, 5, 12), padding_mask(5, 3)
OTHER_SHAPES = [
    (wrong, r"mask has shape .* \(B, S\), B being 2, S being 5")
    for wrong in (X_MASK[0], X_MASK[:1], X_MASK[:, :1], X_MASK[:, None])
]
WRONG_MASKS = [
    *OTHER_SHAPES,
    (X_MASK.long(), r"mask is torch.int64 .* expected torch.bool"),
    (X_MASK & False, r"mask is False everywhere in rows \[\[0, 0, 0"),
]


def wrong_x(x):
    for wrong in (x[0], x[:, :0], x[:0]):
        yield wrong, r"x has shape .* \(B, [ST], d_model\)"


def encoder():
    stack = Encoder(LAYER, 2)
    for x, words in wrong_x(X):
        yield partial(stack, x, X_MASK), words
    for mask, words in WRONG_MASKS:
        yield partial(stack, X, mask), words


def decoder():
    target, stack = zeros(2, 4, 12), Decoder(LAYER, 2)
    source = stack.keys_values(X)
    for x, words in wrong_x(target):
        yield partial(stack, x, source, X_MASK), words
    for mask, words in WRONG_MASKS:
        yield partial(stack, target, source, mask), words
    yield partial(stack, target[:1], source, X_MASK), "K has shape .* B being 1"
    for wrong in (source[:1], source * 2):
        yield partial(stack, target, wrong, X_MASK), r"zip\(\) argument 2"
    _, _, cache = stack(target, source, X_MASK)
    yield partial(stack, target, source, X_MASK, cache[:1]), r"zip\(\) argument 3"


# --- language models -----------------------------------------------------------------


def nplm():
    config = NPLMConfig(n=4, m=2, h=5, direct=False)
    model = NPLM(config, 7)
    yield from at_least(2, partial(NPLMConfig, m=1, h=1, direct=False), n=3)
    yield from at_least(1, partial(NPLMConfig, n=2, direct=False), m=2, h=3)
    yield from at_least(0, partial(NPLMConfig, n=2, m=1, direct=True), h=1)
    yield from at_least(1, partial(NPLM, config), V=2)
    for shape in ((), (5, 2), (3, 1), (0, 3)):
        yield partial(model, long(*shape)), r"context has shape \(.*\): .*\(…, 3\)"
    for word, seen in ((-1, "-1 to 1"), (7, "0 to 7")):
        context = torch.tensor([[0, 1, 1], [1, word, 0]])
        yield partial(model, context), f"context holds ids from {seen}: .* 0 to 6"
    yield from at_least(2, partial(contexts, long(4)), n=3)
    yield lambda: contexts(long(3, 0), 3), r"ids has shape \(3, 0\): .*\(…, T\)"
    vectors, words = torch.eye(3), ["tuple", "list", "set"]
    for k in (0, 3):
        yield (
            partial(nearest, "a", "abc", vectors, k=k),
            f"k must be .* 1 to 2, got {k}",
        )
    yield lambda: nearest("lisst", words, vectors), r"'lisst' has no .*; .* is 'list'"
    yield lambda: nearest("zq", words, vectors), "'zq' has no vector; the nearest"
    yield lambda: nearest("a", "ab", vectors, k=1), r"vectors .*: expected \(2, m\)"
    yield lambda: nearest("a", "aba", vectors, k=1), "got 3 words, 2 different"
    for nothing in (0.0, math.nan):
        lost = torch.where(vectors > 2 * vectors[[0, 1, 0]], nothing, vectors)
        yield partial(nearest, "a", "abc", lost, k=1), "the vector of 'c' is 0"


X_READ, READ = zeros(4, 7, 3), padding_mask(7, 2, 5, 1)


def recurrent():
    cell = RNNCell(3, 5)
    yield from at_least(1, RNNCell, d=2, n=3)
    yield from at_least(1, RecurrentLM, V=2, m=3, n=4)
    yield from fractions(partial(RecurrentLM, 2, 3, 4))
    for x in (X_READ[..., 1:], X_READ[0], X_READ[:, :0]):
        yield partial(unroll, cell, x), r"x has shape .*: expected \(B, T, 3\)"
    for mask in (READ[:1], READ[:, 1:]):
        yield partial(unroll, cell, X_READ, mask), "mask has .* B being 4, T being 7"
    yield lambda: unroll(cell, X_READ, READ.long()), "mask is torch.int64 of shape"
    yield lambda: unroll(cell, X_READ, READ & False), "mask is False everywhere in rows"


def lstm():
    x, state = X_READ[:, 0], zeros(4, 5)
    for kind in (RNNCell, LSTMCell, GRUCell, ResetAfterGRUCell):
        for wrong in (zeros(4, 4), zeros(0, 3), X_READ):
            yield partial(kind(3, 5), wrong), r"x has shape .*: expected \(B, 3\)"
    for kind in (RNNCell, GRUCell):
        cell = kind(3, 5)
        for shape in ((4, 6), (5,)):
            words = r"state has shape .*: expected \(4, 5\)"
            yield partial(cell, x, zeros(shape)), words
            yield partial(unroll, cell, X_READ, state=zeros(shape)), words
        words = r"state is 2 tensors: expected one, \(4,"
        yield partial(cell, x, (state, state)), words
    cell = LSTMCell(3, 5)
    yield lambda: cell(x, state), r"state is one tensor: expected \(h, c\), each \(4,"
    yield lambda: cell(x, (zeros(4, 6), state)), r"h has shape .*: expected \(4, 5\)"
    for call in (partial(cell, x), partial(unroll, cell, X_READ)):
        yield partial(call, state=(state, state[:1])), r"c has shape .* \(4, 5\)"


def gpt():
    config = GPTConfig(N=1, d_model=12, h=4, d_ff=20, max_positions=9)
    model = GPT(config, 7)
    _, _, cache = model(long(2, 8))
    yield lambda: model(long(2, 10)), "position 9 has no vector: 9 positions"
    yield lambda: model(long(2, 2), cache), "position 9 has no vector: 9 positions"
    yield lambda: model(long(2, 3), mask=true(2, 1)), r"mask .* expected \(B, 3\)"

    def drawn(prefix=2, n=1, **options):
        return sample(model, long(1, prefix), n, generator=generator(), **options)

    yield from positive(drawn, "temperature")
    yield partial(drawn, prefix=0), r"words has shape \(1, 0\)"
    yield partial(drawn, prefix=8, n=3), "position 9 has no vector"
    yield partial(drawn, prefix=8, n=2), None
    classify = Classifier(model, 2)
    yield lambda: classify(long(2, 5), long(3)), r"last has shape \(3,\)"
    yield lambda: classify(long(2, 5), long(2) + 5), "last holds ids .* 0 to 4"


def bert():
    config = BERTConfig(N=1, d_model=12, h=4, d_ff=20, max_positions=9, segments=2)
    model, words, segments = BERT(config, 11), long(2, 5) + 7, long(2, 5)
    yield lambda: model(long(1, 10)), "position 9 has no vector: 9 positions"
    yield lambda: model(words, None, segments + 2), "segments holds ids .* 0 to 1"
    yield lambda: model(words, None, segments[:, 1:]), r"segments has shape \(2, 4\)"
    yield lambda: model(words + 4), "words holds ids from 11 to 11: expected 0 to 10"
    yield lambda: model(words[:, :0]), r"words has shape \(2, 0\)"
    for mask, refusal in WRONG_MASKS:
        yield partial(model, words, mask), refusal

    all_words, told = true(2, 5), {"mask_id": 4, "first": 5, "V": 11}
    of_pairs = long(2)

    def masked(words=words, may=all_words):
        return mask_words(words, may, generator=generator(), **told)

    def loss(read=words, follows=of_pairs):
        chosen = Masked(read, all_words)
        return pretraining_loss(model, words, chosen, all_words, segments, follows)

    nothing = true(2, 5) & true(2, 1).tril(-1)
    yield partial(masked, may=nothing), "may is False in a whole row"
    yield partial(masked, may=true(2, 3)), r"may has shape \(2, 3\)"
    yield partial(masked, words=words[0]), r"words has shape \(5,\)"
    yield (
        partial(loss, follows=of_pairs + 2),
        "follows holds ids .* 0 to 1",
    )
    yield partial(loss, follows=long(3)), r"follows has shape \(3,\)"
    yield partial(loss, read=words[:, :3]), r"read has shape \(2, 3\)"


def modern():
    config = LlamaConfig(N=1, d_model=24, h=6, g=2, d_ff=10)
    odd, apart = replace(config, d_model=18), replace(config, g=4)
    yield lambda: Llama(apart, 7), "h is 6 and g 4: expected g to divide h"
    yield lambda: Llama(odd, 7), "d_k must be even, pairs are rotated, got 3"
    yield lambda: GatedNetwork(4, 6, "elu"), "gate must be one of .*, got 'elu'"
    yield lambda: RMSNorm(4)(zeros(2, 5)), r"x has shape \(2, 5\): expected .*4\)"


# --- parts of models -----------------------------------------------------------------


def layernorm():
    for shape in ((3, 5), (6, 1), (0, 6), ()):
        words = r"x has shape \(.*\): expected \(…, 6\)"
        yield partial(LayerNorm(6), zeros(shape)), words


def positions():
    learned = LearnedPositions(10, 4)
    yield partial(learned, 1, 9), None
    yield partial(learned, 11), "position 10 has no vector: 10 positions were learn"
    yield partial(learned, 3, 9), "10 positions .* the sequence has 12; expected"
    yield partial(learned, 3, -1), "position 1 has no vector"
    for ask in (partial(sinusoidal_positions, 2), partial(rotation, 2)):
        yield partial(ask, 511), "d_model must be even, a sine and a cosine, got 511"
    yield partial(SinusoidalPositions, 3), "d_model must be even, .*, got 3"


def training():
    loss = partial(label_smoothed_loss, epsilon=0.1)
    logits, target, mask = zeros(3, 4, 5), long(3, 4), padding_mask(4, 1, 2)
    yield from fractions(partial(loss, logits, target, mask), "epsilon")
    yield from fractions(partial(least_loss, 5), "epsilon")
    yield from fractions(partial(smoothed_target, target, 5), "epsilon")
    for wrong in (
        (logits, target[:, 1:], mask),
        (logits, target, mask[:, 1:]),
        (logits, target, mask[:1]),  # would be broadcast
        (logits.mT, target, mask),
        (logits[0], target, mask),
        (logits, target[..., None], mask[..., None]),
    ):
        yield partial(loss, *wrong), r"(logits|mask) has shape \(.*\): expected"
    for word in (-1, -100, 5):
        words = "target holds ids from .* 0 to 4"
        yield partial(loss, logits, target + word, mask), words
        yield partial(smoothed_target, target + word, 5, 0.1), words
    two, three = zeros(2), zeros(3)
    yield from at_least(1, partial(adam_step, *[two] * 4, rate=0.1), step=3)
    for wrong in ((three, two, two), (two, three, two), (two, two, three)):
        words = r"(g|m|v) has shape \(3,\): expected"
        yield partial(adam_step, two, *wrong, 1, 0.1), words


def decoding():
    class Model:
        """Says what it is made of."""

        def __init__(self, logits=lambda x: x):
            self.logits = logits

        def start(self, source, mask):
            return long(len(source))

        def step(self, token, state):
            return self.logits(zeros(len(token), 6)), state

    def searches(model, source=SOURCE, mask=MASK, **options):
        options = {"begin": 2, "end": 0, "longest": 5, **options}
        more = {"temperature": 1.0, "generator": generator()}
        yield partial(greedy, model, source, mask, **options)
        yield partial(decoding_sample, model, source, mask, **options, **more)
        for search in (beam_search, plain_beam_search):
            yield partial(search, model, source, mask, **options, size=2)

    for source, mask, words in (
        (SOURCE[0], MASK, r"source has shape \(6,\): expected \(B, S\)"),
        (SOURCE[:, :0], MASK[:, :0], r"source has shape \(4, 0\).*none of them 0"),
        (SOURCE, MASK[:3], "mask has shape .*B being 4"),
        (SOURCE, MASK.long(), "mask is torch.int64 .*expected torch.bool"),
        (SOURCE, MASK.roll(1) & MASK, "mask is False everywhere in rows"),
    ):
        for search in searches(Model(), source, mask):
            yield search, words
    for search in searches(Model(), longest=0):
        yield search, "longest must be a whole number ≥ 1, got 0"
    for end in (-1, 6):
        for search in searches(Model(), end=end):
            yield search, f"end must be .* 0 to 5, got {end}"
    for logits, words in (
        (lambda x: x[1:], r"logits has shape \(\d+, 6\): expected \(\d+, V\)"),
        (lambda x: x / 0 * 0, "logits must be finite"),
        (lambda x: torch.cat([x[:-1], x[-1:] - math.inf]), "logits must be finite"),
    ):
        for search in searches(Model(logits)):
            yield search, words
    *_, plain = searches(Model())
    beam = partial(beam_search, *plain.args, **plain.keywords)
    yield from at_least(1, partial(beam, count=1), size=2)
    yield from at_least(1, plain, size=2)
    for count in (0, 3):
        words = f"count must be a whole number from 1 to 2, got {count}"
        yield partial(beam, count=count), words
    words = "penalty_of_3_words must be > 0, got 0"
    yield partial(beam, penalty=lambda n: {3: 0}.get(n, 1.0)), words
    yield partial(length_penalty, -0.1), r"alpha must be ≥ 0, got -0\.1"
    _, drawn, *_ = searches(Model())
    yield from positive(drawn, "temperature")
    for cut in (partial(truncated, zeros(1, 3)), drawn):
        yield from at_least(1, cut, top_k=2)
        for p in (0.0, 1.1, math.nan):
            yield partial(cut, top_p=p), f"top_p must be > 0 and ≤ 1, got {p}"


# --- vectors of words ----------------------------------------------------------------


def word2vec():
    skip, cbow, ids = SkipGram(7, 3), CBOW(7, 3), torch.tensor([1, 2, 3])
    row = ids[None]
    for kind in (SkipGram, CBOW):
        yield from at_least(1, kind, V=2, m=3)
    loss = negative_sampling_loss
    for call, words in (
        (partial(skip, ids[:0]), r"centre has shape \(0,\): .* none of them 0"),
        (partial(skip, ids - 2), "centre holds ids from -1 to 1: .* 0 to 6"),
        (partial(skip, ids, row), r"words has .*: expected \(B, K\), B being 3"),
        (partial(skip, ids, row.T + 4), "words holds ids from 5 to 7: .* 0 to 6"),
        (partial(cbow, row, true(1, 1)), "mask has shape .* B being 1, C being 3"),
        (partial(cbow, row + 4, true(1, 3)), "around holds ids from 5 to 7: .* to 6"),
        (partial(cbow, row, ~true(1, 3)), r"mask is False everywhere in rows \[\[0\]"),
        (partial(softmax_loss, zeros(2, 3), ids), "targets has shape .* B being 2"),
        (partial(softmax_loss, zeros(3, 3), ids), "targets holds .* 1 to 3: .* 0 to 2"),
        (partial(loss, zeros(4, 1)), r"noise has .*\(B, k\).*none of them 0"),
        (partial(loss, zeros(4, 2, 3)), r"scores has .*: expected \(B, n\)"),
    ):
        yield call, words
    for ask in (noise_distribution, keep_probability):
        yield partial(ask, zeros(3)), "sum_of_counts must be > 0, got 0"
        yield partial(ask, -ids), "counts must be ≥ 0, got numbers from -3 to -1"
        yield partial(ask, torch.ones(2, 2)), r"counts has shape .*: expected \(V\)"
    yield from positive(partial(keep_probability, ids), "t")
    for ask in (partial(windows, ids, ids), partial(sentence_pairs, [1, 2])):
        drawn = partial(ask, generator=generator())
        yield from at_least(1, lambda window, drawn=drawn: [*drawn(window)], window=2)
    apart = partial(windows, ids, ids[:2], 2, generator=generator())
    yield apart, r"sentence has shape \(2,\): expected \(N\), N being 3"
    nothing = partial(windows, *running_text([[], []]), 2, generator=generator())
    yield nothing, r"ids has shape \(0,\): expected \(N\), none of them 0"
    names, eye = ["king", "queen", "tree"], torch.eye(3)
    for question, words in (
        (("king", "quen", "tree"), "'quen' has no vector; .* is 'queen'"),
        (("kin", "queen", "tree"), "'kin' has no vector; .* is 'king'"),
        (("king", "queen", "trees"), "'trees' has no vector; .* is 'tree'"),
    ):
        yield partial(analogy, *question, names, eye), words
    ask = partial(analogy, "king", "queen", "king")
    yield partial(ask, names[:2], eye), r"vectors has shape .*: expected \(2, m\)"
    yield partial(ask, ["king", "queen", "king"], eye, 1), "got 3 words, 2 different"
    for k in (0, 2):
        words = f"k must be a whole number from 1 to 1, got {k}"
        yield partial(ask, names, eye, k), words
    yield partial(ask, names, eye * long(3, 1), 1), "the vector of 'king' is 0"


def glove():
    text = [[0, 1, 0, 2], [2, 1]]
    config = GloVeConfig(m=1, x_max=3.0, alpha=0.75, window=2)
    yield from at_least(1, partial(replace, config), m=2, window=3)
    for name in ("x_max", "alpha"):
        yield from positive(partial(replace, config), name)
        weight = partial(weighting, torch.ones(2), **{"x_max": 3.0, "alpha": 0.75})
        yield from positive(weight, name)
    wrong = partial(weighting, torch.tensor([1.0, -0.5]), 3.0, 0.75)
    yield wrong, r"x must be ≥ 0, got .*-0\.5"
    yield from at_least(1, partial(GloVe, config), V=2)
    yield from at_least(1, partial(cooccurrence, text, 3), window=2)
    yield from at_least(1, partial(count_neighbours, text), window=2)
    for sentences, words in (
        ([[0, 1], [2, 3]], "sentence 1 holds the id 3: expected 0 to 2"),
        ([[0, -1]], "sentence 0 holds the id -1: expected 0 to 2"),
        ([[0, 1], ["a", "b"]], "sentence 1 must be a row of whole numbers"),
        ([[[0, 1]]], "sentence 0 must be a row of whole numbers"),
        ([0, 1], "sentence 0 must be a row of whole numbers"),
        ([[True, False]], "sentence 0 must be a row of whole numbers"),
    ):
        yield partial(cooccurrence, sentences, 3, 2), words
    model, i = GloVe(config, 3), torch.tensor([0, 2])
    yield partial(model, i, i[:1]), r"j has shape \(1,\): expected \(B\), B being 2"
    yield partial(model, i[:0], i[:0]), r"i has shape \(0,\): .* none of them 0"
    yield partial(model, i + 1, i), "i holds ids from 1 to 3: expected 0 to 2"
    yield partial(model, i, i - 1), "j holds ids from -1 to 1: expected 0 to 2"
    squares = partial(weighted_squares, zeros(2), x_max=3.0, alpha=0.75)
    yield partial(squares, torch.ones(1)), r"X has shape \(1,\): .* B being 2"
    yield partial(squares, i.float()), "X must be > 0, got numbers from 0.0 to 2.0"


# --- counting -------------------------------------------------------------------------


def ngram():
    text, model = [["a", "b"], ["a", "c"]], NgramModel(2)
    fitted = NgramModel(2).fit(text)
    yield from at_least(1, NgramModel, order=2)
    yield partial(NgramModel, 2, KneserNey), r"smoothing must be .*KneserNey\(\)"
    for ask in (model.fit, fitted.entropy):
        yield partial(ask, []), "with words, got 0 without any"
        yield partial(ask, [[], ()]), "with words, got 2 without any"
    for wrong in ("a b c", 5):
        yield partial(model.fit, wrong), f"a list of sentences, got {wrong!r}"
    for wrong in ("a b c", 5, ["a", None]):
        yield partial(model.fit, [wrong]), "a list of words"
        yield partial(fitted.perplexity, [["a"], wrong]), "a list of words"
        yield partial(fitted.score, "a", wrong), "a list of words"
        yield partial(fitted.generate, 1, wrong), "a list of words"
    yield partial(fitted.score, 3), "a list of words"
    for padding in ("<s>", "</s>"):
        for ask in (model.fit, fitted.perplexity):
            words = f"<s> and </s>.*'b', '{padding}'"
            yield partial(ask, [["a"], ["b", padding]]), words
    yield partial(model.score, "a"), r"call fit\(sentences\) first$"
    yield partial(model.generate, 1), r"call fit\(sentences\) first$"
    yield from positive(AddK, "k")
    for discount in (0, 1, math.nan):
        yield partial(KneserNey, discount), f"discount must be .*, got {discount}"
    for lambdas in ((1.5, -0.5), (math.nan, 1.0), (0.5, 0.4), (0.5, 0.6)):
        words = f"lambdas must be ≥ 0 and sum to 1, got .*, sum {sum(lambdas)}"
        yield partial(JelinekMercer, lambdas), words
    for order in (1, 3):
        mixed = NgramModel(order, JelinekMercer((0.5, 0.5)))
        yield partial(mixed.fit, text), f"order {order} needs {order} lambdas.*got 2"


# --- trees and tags ------------------------------------------------------------------


def recursive():
    for kind in (RecursiveNetwork, TensorNetwork):
        yield partial(kind, 0, 3), "V must be a whole number ≥ 1, got 0"
        yield partial(kind, 3, 0), "d must be a whole number ≥ 1, got 0"
    yield from at_least(1, TreeLSTM, V=2, d=3, n=4)
    network = TreeLSTM(10, 5, 6)
    parser = GreedyParser(network)
    for tree, words in (
        ((1, 2, 3), r"tree 0 has a node \(1, 2, 3\) of 3 children: expected a pair"),
        (((1, 2), (3,)), r"tree 0 has a node \(3,\) of 1 children"),
        ([1, 2], r"tree 0 has a node \[1, 2\] of 2 children: expected a pair"),
        ((1, "dog"), "tree 0 has a leaf 'dog': expected the id of a word"),
        ((True, 2), "tree 0 has a leaf True"),
    ):
        for ask in (network.recurse, spans, leaves):
            yield partial(ask, tree), words
        for ask in (Forest, partial(parser.loss, kappa=0.1)):
            yield partial(ask, [tree]), words
    for call in (
        partial(network.recurse, (1, 10)),
        partial(network, Forest([(1, 10)])),
        partial(parser.parse, [[1, 10]]),
        lambda: [*parser.merges([1, 10])],
    ):
        yield call, "x holds ids from .* to 10: expected 0 to 9"
    yield partial(network.recurse, (-1, 2)), "x holds ids from -1"
    yield partial(parser.parse, [[1], []]), "a sentence is empty: expected one word"
    yield lambda: [*parser.merges([])], "a sentence is empty: expected one word"
    yield partial(parser.parse, []), "there is no sentence"
    yield partial(Forest, []), "there is no tree"
    yield partial(parser.loss, [(1, 2)], -1.0), "kappa must be ≥ 0, got -1"


def window():
    text = [("We", "fish", "fish"), ("They", "fish", "HERE", "now")]
    look_up = Lookup(text)
    yield from at_least(1, WindowConfig, window=3, d=2, h=4)
    yield partial(WindowConfig, 4), "window must be odd, got 4"
    yield partial(WindowConfig, more=(0,)), "more must be a whole number ≥ 1, got 0"
    yield partial(WindowTagger, WindowConfig(), (9, 9), 3), "2 columns for vectors of"
    yield from at_least(2, partial(WindowTagger, WindowConfig(more=()), (9,)), C=3)
    yield from at_least(2, SentenceLevelLikelihood, C=3)
    for columns in (["suffix 2"], []):
        yield partial(Lookup, text, columns), "the first column must be 'word'"
    yield partial(Lookup, text, ["word", "tail"]), "column must be one of"
    for sentences in ([("a",), ()], []):
        yield partial(look_up, sentences), "a sentence is empty"
    dropout = partial(look_up.word_dropout, long(1, 1, 4), generator=generator())
    yield from fractions(dropout, "p")
    model = WindowTagger(WindowConfig(5, 6, (3, 2), 7), (12, 5, 4), C=4)
    yield partial(model, long(2, 9)), r"x has shape \(2, 9\)"
    yield partial(model, long(2, 9, 3) + 12), "x holds ids from"
    yield partial(model, long(2, 9, 3) - 1), "x holds ids from"
    whole, f, tags = SentenceLevelLikelihood(3), zeros(3, 4, 3), long(3, 4)
    mask = padding_mask(4, 2, 1)
    for wrong, words in (
        ((f[..., 1:], tags, mask), "f has shape"),
        ((f, tags[:, 1:], mask), "tags has shape"),
        ((f, tags, mask[:, 1:]), "mask has shape"),
        ((f, tags + 3, mask), "tags holds ids from 3 to 3: expected 0 to 2"),
        ((f, tags, mask.long()), "mask is torch.int64"),
        ((f, tags, ~mask), "mask is False everywhere"),
        ((f, tags, mask.flip(1) | mask), "mask is False before a True"),
    ):
        yield partial(whole.loss, *wrong), words
    yield partial(whole.viterbi, f[..., 1:], mask), "f has shape"
    yield partial(whole.log_partition, f[..., 1:], mask), "f has shape"
    yield partial(word_level_loss, f, tags + 3, mask), "tags holds ids from 3 to 3"
    yield partial(word_level_loss, f, tags[:, 1:], mask), "tags has shape"


def features():
    rows, labels = [["a"], ["b"]], ["x", "y"]
    for model in (NaiveBayes(), LinearSVM()):
        yield partial(model.fit, rows, labels[:1]), "2 rows have 1 labels"
        one = r"two classes or more, got \['x'\]"
        yield partial(model.fit, rows, ["x", "x"]), one
        yield partial(model.fit, [], []), r"two classes or more, got \[\]"
        twice = "row 0 holds a feature twice"
        yield partial(model.fit, [["a", "a"], ["b"]], labels), twice
    yield partial(NaiveBayes().predict, rows), "NaiveBayes has learned nothing"
    yield from positive(NaiveBayes, "alpha")
    yield from positive(LinearSVM, "C")
    yield partial(LinearSVM, loss="square"), "loss must be one of .*, got 'square'"
    yield from at_least(1, LinearSVM, epochs=2)
    tagger = FeatureTagger(NaiveBayes())
    unknown = partial(FeatureTagger, NaiveBayes(), ["sufix"])
    yield unknown, "template must be one of .*, got 'sufix'"
    fit = tagger.fit
    yield partial(fit, [("a", "b")], [("X",)]), r"1 tags for 2 words: \('a', 'b'\)"
    yield partial(fit, [("a",), ("b",)], [("X",)]), "2 sentences have tags for 1"
    yield partial(fit, [("a",), ()], [("X",), ()]), "a sentence is empty"
    fitted = FeatureTagger(NaiveBayes()).fit([("a", "b")], [("X", "Y")])
    yield partial(fitted.tag, [()]), "a sentence is empty"


TABLES = [
    attention, multihead, grouped, rotary,
    encdec, seq2seq, bahdanau, luong, transformer, encoder, decoder,
    nplm, recurrent, lstm, gpt, bert, modern,
    layernorm, positions, training, decoding,
    word2vec, glove, ngram, recursive, window, features,
]  # fmt: skip
ROWS = [
    pytest.param(*row, id=f"{table.__name__} {number}")
    for table in TABLES
    for number, row in enumerate(table())
]


@pytest.mark.parametrize(("call", "words"), ROWS)
def test_a_door_refuses_by_name_and_value(call, words):
    with nullcontext() if words is None else refuses(words):
        call()


CONFIGURATIONS = {
    "encdec": EncoderDecoderConfig(m=1, n=1, l=1),
    "seq2seq": Seq2SeqConfig(1, 1, 2, True),
    "bahdanau": RNNSearchConfig(m=1, n=1, k=1, l=1),
    "luong": LuongConfig(m=1, n=1),
    "transformer": TransformerConfig(N=1, d_model=2, h=1, d_ff=1),
    "encoder": LAYER,
    "ngram": AddK(),
    "ngram mixed": JelinekMercer((1,)),
    "ngram discounted": KneserNey(),
    "ngram counts": NgramModel(1).fit([["a"]]).counts,
    "nplm": NPLMConfig(n=2, m=1, h=1, direct=True),
    "glove": GloVeConfig(m=1, x_max=1, alpha=0.5, window=1),
    "glove counts": cooccurrence([[0, 1]], 2, 1),
    "gpt": GPTConfig(N=1, d_model=2, h=1, d_ff=1, max_positions=1),
    "bert": BERTConfig(N=1, d_model=2, h=1, d_ff=1, max_positions=1, segments=1),
    "modern": LlamaConfig(N=1, d_model=2, h=1, g=1, d_ff=1),
}


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_a_configuration_stays_as_it_is(config):
    with pytest.raises(FrozenInstanceError):
        config.m = 2
