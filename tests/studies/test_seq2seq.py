"""The probe: what it reads where the answer is known, and what it is given to read."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.distributions import MultivariateNormal

from lookback.encdec import EncoderDecoderConfig
from lookback.recipes.encdec import RECIPES as ENCDEC
from lookback.recipes.seq2seq import REVERSED
from lookback.seq2seq import Seq2SeqConfig
from lookback.studies import seq2seq
from lookback.studies.seq2seq import (
    SHRINKS,
    Probe,
    guessed,
    probes,
    read,
    sentences,
    vectors,
)
from lookback.text.corpora import PairCorpus, grammar
from lookback.workshop import (
    Recipe,
    TranslationLearner,
)
from lookback.workshop.seeds import generator

FIT, TUNE, READ, D, V = 600, 200, 300, 12, 7
N = FIT + TUNE + READ
SMALL = {
    "encdec": replace(ENCDEC["encdec"], model=EncoderDecoderConfig(m=4, n=5, l=3)),
    "reversed": replace(REVERSED, model=Seq2SeqConfig(4, 6, 2, reversed=True)),
    "in order": replace(REVERSED, model=Seq2SeqConfig(4, 6, 2, reversed=False)),
}


def drawn(noise: float, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Words of unequal frequency, and vectors: a point for each word, and noise."""
    frequency = torch.tensor([8.0, 4, 2, 2, 1, 1, 0])
    words = frequency.multinomial(N, replacement=True, generator=generator(seed))
    points = torch.randn(V, D, generator=generator(1)).double()
    stretched = torch.randn(N, D, generator=generator(2)).double() * torch.linspace(
        1, 3, D
    )
    return points[words] + noise * stretched, words


# --- the probe


def test_a_word_that_the_vector_holds_is_read() -> None:
    x, words = drawn(noise=0.1)
    assert read(x, words, V, FIT, TUNE) == 1.0
    # A word of the sentence that the vector does not hold is guessed by frequency.
    _, other = drawn(noise=0.1, seed=5)
    alone, base = read(x, other, V, FIT, TUNE), guessed(other, FIT, TUNE)
    assert base == pytest.approx(8 / 18, abs=0.06)
    assert alone == pytest.approx(base, abs=0.06)


def test_it_is_bayes_rule_for_normal_vectors() -> None:
    x, words = drawn(noise=0.6)
    for shrink, probe in zip(SHRINKS, probes(x, words, V), strict=True):
        rest = torch.cat([x[words == w] - x[words == w].mean(0) for w in range(V - 1)])
        covariance = rest.T @ rest / N
        spread = (x - x.mean(0)).square().mean()
        covariance += shrink * spread * torch.eye(D).double()
        ln_p = torch.stack(
            [
                MultivariateNormal(x[words == w].mean(0), covariance).log_prob(x)
                + (words == w).double().mean().log()
                for w in range(V - 1)
            ],
            dim=1,
        )
        ours = (x @ probe.W.T + probe.b).softmax(dim=1)
        torch.testing.assert_close(ours[:, :-1], ln_p.softmax(dim=1))
        assert (ours[:, -1] == 0).all()  # the word that never came


def test_the_share_that_is_right() -> None:
    probe = Probe(torch.eye(3).double(), torch.tensor([0.0, 0.0, 1.5]).double())
    x = torch.eye(3).double()[[0, 1, 2, 2]]
    assert probe.right(x, torch.tensor([0, 1, 2, 2])) == 0.5  # 1.5 beats 1
    assert probe.right(x, torch.tensor([2, 2, 2, 0])) == 0.75


def test_only_the_last_are_asked() -> None:
    """A vector that tells the word where the probe is made, and later another."""
    x, words = drawn(noise=0.1)
    fit, tune = 150, 50  # the others are many more
    turned = words.clone()
    turned[fit + tune :] = (words[fit + tune :] + 1) % (V - 1)
    assert read(x, turned, V, fit, tune) == 0.0
    assert guessed(torch.tensor([0] * fit + [1] * 900), fit, tune) == 0.0
    assert guessed(torch.tensor([0] * fit + [1] * tune + [0] * 9), fit, tune) == 1.0


def test_what_is_asked_does_not_choose_the_probe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two probes, that which is better on the sentences between is taken."""
    words = torch.tensor([0] * FIT + [1] * TUNE + [0] * READ)
    always = [Probe(torch.zeros(2, 1), torch.tensor(b)) for b in ([1.0, 0], [0, 1.0])]
    monkeypatch.setattr(seq2seq, "probes", lambda *args: always)
    assert read(torch.zeros(N, 1), words, 2, FIT, TUNE) == 0.0


# --- what it is given


@pytest.fixture(scope="module")
def toy():
    return grammar(pairs=300, seed=5)


def untrained(recipe: Recipe[Any], text: PairCorpus) -> TranslationLearner:
    learner: TranslationLearner = recipe.learner(recipe)
    learner.vocabularies = learner.words_of(text)
    learner.network = learner.untrained(learner.vocabularies)
    return learner


@pytest.mark.parametrize("name", SMALL)
def test_the_vector_is_what_the_decoder_gets(name: str, toy) -> None:
    learner = untrained(SMALL[name], toy)
    sources, words = [pair.source for pair in toy.test[:9]], learner.sides[0]
    found = vectors(learner, sources)
    for source, vector in zip(sources, found, strict=True):
        ids = torch.tensor([[*words.ids(source), words.end]])
        with torch.no_grad():
            state = learner.network.start(ids, torch.ones_like(ids).bool())
        if name == "encdec":
            expected = state.c[0]
        else:
            expected = torch.cat([part[0] for pair in state for part in pair])
        torch.testing.assert_close(vector, expected, rtol=1e-5, atol=1e-6)
    assert found.shape == (9, 5 if name == "encdec" else 2 * 2 * 6)


def test_sentences_that_were_met_or_come_twice_are_left_out(
    toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_source = {p.source: p for p in toy.train if len(p.source) == 8}
    met, once, twice, *_ = by_source.values()
    lessons = replace(toy, train=(), validation=(), test=(met,))
    drawn = replace(toy, train=(met, once, twice), validation=(once,), test=(twice,))
    monkeypatch.setattr(seq2seq, "corpus", lambda data: lessons)
    monkeypatch.setattr(seq2seq, "grammar", lambda **options: drawn)
    assert sentences.__wrapped__(8, 2) == (once.source, twice.source)
    with pytest.raises(ValueError, match="only 2 sentences of 8 words, not 3"):
        sentences.__wrapped__(8, 3)
