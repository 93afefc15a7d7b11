"""Variants of RNNsearch, equation by equation; what is noted while one is trained."""

import pytest
import torch
from torch import Tensor, nn

from lookback.bahdanau import Decoder, RNNSearch, RNNSearchConfig
from lookback.encdec import maxout
from lookback.measure import alignment_error_rate, strongest_links
from lookback.studies import bahdanau
from lookback.studies.bahdanau import (
    SENTENCE,
    VARIANTS,
    Embedded,
    Variant,
    VariantLearner,
    Watch,
)
from lookback.text.corpora import Pair, PairCorpus
from lookback.workshop import Budget, Data, Optimiser, Recipe

B, S, T, WORDS = 2, 5, 4, (9, 11)
SIZES = RNNSearchConfig(m=3, n=4, k=6, l=2)
Batch = tuple[Tensor, Tensor, Tensor]


def large(module: nn.Module) -> nn.Module:
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape))
    return module.double()


def model(change: str = "") -> RNNSearch:
    torch.manual_seed(0)
    network = RNNSearch(SIZES, *WORDS)
    large(network)
    if change:
        other = VARIANTS[change](SIZES, WORDS[1])
        other.double().load_state_dict(network.decoder.state_dict())
        network.decoder = other
    return network


@pytest.fixture
def batch() -> Batch:
    generator = torch.Generator().manual_seed(1)
    source = torch.randint(0, WORDS[0], (B, S), generator=generator)
    mask = torch.arange(S) < torch.tensor([5, 3]).unsqueeze(1)
    return source, mask, torch.randint(0, WORDS[1], (B, T), generator=generator)


def close(one: Tensor, two: Tensor) -> None:
    torch.testing.assert_close(one, two, rtol=1e-9, atol=1e-9)


def output(decoder: Decoder, s: Tensor, y: Tensor, c: Tensor) -> Tensor:
    return decoder.W_o(maxout(decoder.U_o(s) + decoder.V_o(y) + decoder.C_o(c)))


def test_the_late_query_is_the_state_that_has_read_the_word(batch: Batch):
    source, mask, target = batch
    found = model("late query")
    logits, weights = found(source, mask, target)
    decoder, h = found.decoder, found.encoder(source, mask)
    s, c = torch.tanh(decoder.W_s(h[:, 0, SIZES.n :])), h.new_zeros(B, 2 * SIZES.n)
    for t in range(T):  # s_i = GRU([e(y_{i-1}) ; c_{i-1}], s_{i-1}), then c_i with s_i
        y = decoder.e(target[:, t])
        s = decoder.cell(torch.cat([y, c], dim=-1), s)
        scores = decoder.attention.scores(s, decoder.attention.keys(h))
        alpha = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
        c = (alpha.unsqueeze(1) @ h).squeeze(1)
        close(weights[:, t], alpha)
        close(logits[:, t], output(decoder, s, y, c))


def test_the_output_before_reads_the_old_state_and_attends_as_ours(batch: Batch):
    source, mask, target = batch
    ours, other = model(), model("output before")
    logits, weights = other(source, mask, target)
    close(weights, ours(source, mask, target)[1])
    state, decoder = ours.start(source, mask), ours.decoder
    for t in range(T):
        before = state.s
        _, state = ours.step(target[:, t], state)
        c = (state.weights.unsqueeze(1) @ state.annotations).squeeze(1)
        y = decoder.e(target[:, t])
        close(logits[:, t], output(decoder, before, y, c))


@pytest.mark.parametrize("change", ["late query", "output before"])
def test_variants_step_as_they_are_trained(batch: Batch, change: str):
    source, mask, target = batch
    found = model(change)
    logits, weights = found(source, mask, target)
    state = found.start(source, mask)
    for t in range(T):
        one, state = found.step(target[:, t], state)
        close(one, logits[:, t])
        close(state.weights, weights[:, t])
        assert weights[:, t][~mask].eq(0).all()


def test_an_embedded_annotation_knows_its_word_alone(batch: Batch):
    source, mask, _ = batch
    encoder = large(Embedded(SIZES, WORDS[0]))
    found = encoder(source, mask)
    assert found.shape == (B, S, 2 * SIZES.n)
    close(found, encoder.L(encoder.e(source)))
    turn = torch.tensor([4, 2, 0, 3, 1])
    close(encoder(source[:, turn], mask[:, turn]), found[:, turn])
    with pytest.raises(ValueError, match="mask is False everywhere"):
        encoder(source, mask & False)


def pair(source: str, target: str) -> Pair:
    links = frozenset((n, n) for n in range(len(source.split())))
    return Pair(tuple(source.split()), tuple(target.split()), links, links)


TEXT = tuple(
    pair(s, t)
    for s, t in [("a b", "x y"), ("b a c", "y x z"), ("c", "z"), ("a c b", "x z y")]
)


RECIPE = Recipe(
    VariantLearner,
    Data("t"),
    0,
    Variant(3, 4, 6, 2),
    Optimiser("adam", 0.01),
    Budget(8, 20, evaluate_every=2),
)


def test_a_watch_notes_what_the_model_does(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bahdanau, "SHOWN", (4, 8))
    text = PairCorpus("t", "1", TEXT, TEXT[:2], TEXT[2:])
    learner, watch = VariantLearner(RECIPE), Watch(TEXT[:3], TEXT[3])
    learner.follow(text, evaluated=watch.of(learner))
    assert watch.steps == [2, 4, 6, 8]
    assert learner.log is not None
    evaluations = learner.log.evaluations
    assert [e.step for e in evaluations] == watch.steps
    assert watch.losses == [e.score for e in evaluations]
    assert list(watch.weights) == ["4", "8"]
    for rows in watch.weights.values():
        assert [len(row) for row in rows] == [3, 3, 3]  # </s> is on neither side
    assert evaluations[-1].best  # so that the model is that of the last note
    both = [(p.source, p.target) for p in TEXT]
    *weights, last = learner.attention_weights(both)
    gold = [p.sure for p in TEXT[:3]]
    error = alignment_error_rate([strongest_links(w) for w in weights], gold, gold)
    assert watch.errors[-1] == pytest.approx(error)
    assert watch.weights["8"] == pytest.approx(last[:-1, :-1], abs=1e-6)


def test_the_sentence_shown_turns_three_adjectives_around():
    pair = bahdanau.shown()
    assert " ".join(pair.source) == SENTENCE
    goes = dict(pair.sure)
    assert [goes[position] for position in (1, 2, 3, 4)] == [4, 3, 2, 1]
