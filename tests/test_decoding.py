"""Greedy and beam search: by hand, beside exhaustive search, its own laws."""

import math
from itertools import product
from typing import NamedTuple

import pytest
import torch
from torch import nn

from kit import generator
from lookback.decoding import (
    Hypothesis,
    beam_search,
    greedy,
    length_penalty,
    per_word,
    plain_beam_search,
    sample,
    truncated,
    until,
)

BEGIN, END = 2, 0
ENDS = {"begin": BEGIN, "end": END}


class Table:
    """ln P of the next word by the words so far; the state is the number of a prefix.

    What no row is given for ends for sure. Sources are not read.
    """

    def __init__(self, V, rows):
        self.V, self.rows, self.prefixes = V, rows, [()]

    def start(self, source, mask):
        return torch.zeros(len(source), dtype=torch.long)

    def step(self, token, state):
        logits, after = [], []
        for word, number in zip(token.tolist(), state.tolist(), strict=True):
            before = self.prefixes[number]
            prefix = before if word == BEGIN else (*before, word)
            p = [0.0] * self.V
            for following, chance in self.rows.get(prefix, {END: 1.0}).items():
                p[following] = chance
            logits.append([math.log(x) if x else -math.inf for x in p])
            self.prefixes.append(prefix)
            after.append(len(self.prefixes) - 1)
        return torch.tensor(logits), torch.tensor(after)


A, B_, C = 1, 3, 4
TRAP = Table(
    5,
    {
        (): {A: 0.6, B_: 0.4},
        (A,): {A: 0.35, B_: 0.3, C: 0.35, END: 0.0},
        (B_,): {C: 0.9, A: 0.1},
        (A, A): {END: 0.5, C: 0.5},
    },
)
ONE = torch.tensor([[7, 8]]), torch.tensor([[True, True]])


class Nested(NamedTuple):
    h: torch.Tensor
    told: tuple


class Random(nn.Module):
    """A recurrent model with random weights: every word depends on all before it.

    Its state is nested, and its padding would be heard, were the mask not obeyed.
    """

    def __init__(self, V, n=6, seed=0, sharp=2.0, tired=0.0):
        super().__init__()
        chance = generator(seed)

        def weights(*size):
            return torch.randn(size, generator=chance, dtype=torch.float64)

        self.V, self.source = V, weights(9, n)
        self.word, self.U, self.out = weights(V, n), weights(n, n), weights(n, V)
        self.sharp, self.tired = sharp, torch.zeros(V, dtype=torch.float64)
        self.tired[END] = tired

    def start(self, source, mask):
        c = (self.source[source] * mask.unsqueeze(-1)).sum(dim=1)  # (B, n)
        return Nested(torch.tanh(c), (c, None))

    def step(self, token, state):
        h = torch.tanh(self.word[token] + state.h @ self.U + 0.3 * state.told[0])
        return self.sharp * h @ self.out + self.tired, Nested(h, state.told)


def sources(B=5, S=4, seed=1):
    """Ids (B, S) from 1 to 8, and a mask in which sentence b has b % S + 1 words."""
    chance = generator(seed)
    ids = torch.randint(1, 9, (B, S), generator=chance)
    mask = torch.arange(S) < (torch.arange(B) % S + 1).unsqueeze(1)
    return ids, mask


def log_p_of(model, source, mask, words):
    """ln P of these predicted words, one source, step by step."""
    state, token, total = model.start(source, mask), torch.tensor([BEGIN]), 0.0
    for word in words:
        logits, state = model.step(token, state)
        total += float(logits.log_softmax(dim=-1)[0, word])
        token = torch.tensor([word])
    return total


def all_sentences(model, source, mask, longest, penalty):
    """Every sentence of up to `longest` predicted words, the best first."""
    words, found = [w for w in range(model.V) if w != END], []
    for n in range(longest):
        for ids in product(words, repeat=n):
            p = log_p_of(model, source, mask, [*ids, END])
            found.append(Hypothesis(ids, p, p / penalty(n + 1), True))
    for ids in product(words, repeat=longest):
        p = log_p_of(model, source, mask, ids)
        found.append(Hypothesis(ids, p, p / penalty(longest), False))
    return sorted(found, key=lambda h: (h.ended, h.score), reverse=True)


def same(found, expected):
    assert [h.ids for h in found] == [h.ids for h in expected]
    assert [h.ended for h in found] == [h.ended for h in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.log_p == pytest.approx(theirs.log_p, rel=1e-6)
        assert ours.score == pytest.approx(theirs.score, rel=1e-6)


PENALTIES = [length_penalty(0), length_penalty(0.6), length_penalty(1.5), per_word]


# --- by hand -------------------------------------------------------------------------


def test_greedy_walks_into_the_trap_and_a_beam_of_two_does_not():
    # a a: 0.6 · 0.35 · 0.5 = 0.105, a c the same way 0.21; b c: 0.4 · 0.9 = 0.36
    assert greedy(TRAP, *ONE, **ENDS, longest=9) == [[A, A]]
    ((best,),) = beam_search(TRAP, *ONE, **ENDS, longest=9, size=2)
    assert best.ids == (B_, C)
    assert best.ended
    assert math.exp(best.log_p) == pytest.approx(0.36)
    assert best.score == best.log_p


def test_the_penalties_by_hand():
    assert [length_penalty(0)(n) for n in (1, 7, 50)] == [1, 1, 1]
    assert length_penalty(1)(1) == 1
    assert length_penalty(1)(7) == pytest.approx(2)
    assert length_penalty(0.5)(19) == pytest.approx(2)
    assert length_penalty(2)(13) == pytest.approx(9)
    assert [per_word(n) for n in (1, 2, 9)] == [1, 2, 9]


def test_what_never_ends_is_cut():
    model = Table(5, {(A,) * n: {A: 0.75, END: 0.25} for n in range(1, 99)})
    model.rows[()] = {A: 1.0}
    assert greedy(model, *ONE, **ENDS, longest=4) == [[A] * 4]
    ((one,),) = beam_search(model, *ONE, **ENDS, longest=4, size=1)
    assert one == Hypothesis((A,) * 4, one.log_p, one.log_p, False)
    assert math.exp(one.log_p) == pytest.approx(0.75**3)
    # of two, one ended: it goes first, however unlikely
    ((first, second),) = beam_search(
        model, *ONE, **ENDS, longest=4, size=2, count=2, penalty=lambda n: 5 - n
    )
    assert (first.ids, first.ended) == ((A,), True)
    assert (second.ended, len(second.ids)) == (True, 2)
    ((*three,),) = beam_search(model, *ONE, **ENDS, longest=3, size=5, count=5)
    assert [h.ended for h in three] == [True, True, False]
    assert three[2].log_p > three[0].log_p


def test_until():
    assert until([5, 4, END, 3, END], END) == [5, 4]
    assert until([END, 3], END) == []
    assert until((5, 4), END) == [5, 4]


# --- against the reference: every sentence, and a beam of lists ----------------------


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_beam_as_wide_as_the_world_is_exhaustive_search(penalty, seed):
    model, (ids, mask) = Random(4, seed=seed), sources(3)
    # three words and the end; of up to 4 predictions: 1 + 3 + 9 + 27 ended, 81 cut
    wide = {"longest": 4, "size": 4**4, "penalty": penalty}
    found = beam_search(model, ids, mask, **ENDS, **wide, count=4**4)
    only = beam_search(model, ids, mask, **ENDS, **wide)
    for b in range(3):
        row = ids[b : b + 1], mask[b : b + 1]
        expected = all_sentences(model, *row, 4, penalty)
        assert len(expected) == 40 + 81
        same(found[b], expected)
        assert only[b] == found[b][:1]
        assert sum(math.exp(h.log_p) for h in found[b]) == pytest.approx(1)


@pytest.mark.parametrize("penalty", [None, *PENALTIES])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_the_plain_search_finds_what_the_fast_one_finds(penalty, size):
    for seed in range(3):
        model, (ids, mask) = Random(5, seed=seed, sharp=1.5), sources(5, seed=seed)
        told = {**ENDS, "longest": 9, "size": size, "penalty": penalty}
        found = beam_search(model, ids, mask, **told)
        more = beam_search(model, ids, mask, **told, count=size)
        for b in range(5):
            row = ids[b : b + 1], mask[b : b + 1]
            same(plain_beam_search(model, *row, **told)[:1], found[b])
            same(more[b][:1], found[b])


def test_the_plain_search_drops_what_is_impossible_and_stops_in_time():
    rows = {(): {A: 0.9, B_: 0.1}} | {(B_,) * n: {B_: 1.0} for n in range(1, 9)}
    model = Counted(Table(5, rows))
    found = plain_beam_search(model, *ONE, **ENDS, longest=8, size=4)
    assert ([h.ids for h in found], model.steps) == ([(A,)], 3)
    never = Table(5, {(A,) * n: {A: 1.0} for n in range(5)})
    found = plain_beam_search(never, *ONE, **ENDS, longest=3, size=2)
    assert found == [Hypothesis((A, A, A), 0.0, 0.0, ended=False)]


# --- laws ----------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_beam_of_one_is_greedy_whatever_the_penalty(penalty):
    lengths = set()
    for seed in range(8):
        model, (ids, mask) = Random(6, seed=seed), sources()
        words = greedy(model, ids, mask, **ENDS, longest=11)
        found = beam_search(
            model, ids, mask, **ENDS, longest=11, size=1, penalty=penalty
        )
        assert [list(row[0].ids) for row in found] == words
        assert [row[0].ended for row in found] == [len(w) < 11 for w in words]
        lengths |= set(map(len, words))
    assert len(lengths) > 4
    assert {0, 11} <= lengths | {0}


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_batch_is_its_sentences_one_by_one(penalty):
    model, (ids, mask) = Random(7, seed=3), sources(8, 5)
    told = {**ENDS, "longest": 10}
    beams = {"size": 4, "count": 3, "penalty": penalty}
    together = beam_search(model, ids, mask, **told, **beams)
    written = greedy(model, ids, mask, **told)
    for b in range(8):
        n = int(mask[b].sum())
        alone = ids[b : b + 1, :n], mask[b : b + 1, :n]  # without its padding
        same(together[b], beam_search(model, *alone, **told, **beams)[0])
        assert [written[b]] == greedy(model, *alone, **told)


class Counted:
    """A model that counts what it is asked for."""

    def __init__(self, model):
        self.model, self.steps = model, 0

    def start(self, source, mask):
        self.steps = 0
        return self.model.start(source, mask)

    def step(self, token, state):
        self.steps += 1
        return self.model.step(token, state)


def test_the_search_ends_as_soon_as_that_is_certain():
    # a and the end have 0.9, b goes on for sure and has 0.1: two steps settle it
    rows = {(): {A: 0.9, B_: 0.1}} | {(B_,) * n: {B_: 1.0} for n in range(1, 9)}
    model = Counted(Table(5, rows))
    told = {**ENDS, "longest": 8, "size": 2}
    ((best,),) = beam_search(model, *ONE, **told)
    assert (best.ids, model.steps) == ((A,), 2)
    beam_search(model, *ONE, **told, count=2)  # the second may still come
    assert model.steps == 8
    # only a penalty to come may raise a hope: that of length 3 until step 3
    for length, steps in ((1, 2), (3, 3), (8, 8)):
        beam_search(
            model,
            *ONE,
            **told,
            penalty=lambda n, high=length: 99.0 if n == high else 1.0,
        )
        assert model.steps == steps


def test_the_bound_looks_at_every_length_to_come():
    # ends at once with 0.5; the other way only three words later, for sure, would a
    # penalty that is large at exactly that length repay the 0.4
    rows = {(): {END: 0.5, A: 0.4, B_: 0.1}, (A,): {A: 1.0}, (A, A): {A: 1.0}}
    model = Table(5, rows)
    bump = {1: 1.0, 2: 1.0, 3: 1.0, 4: 9.0, 5: 1.0, 6: 1.0}.__getitem__
    told = {**ENDS, "longest": 6, "size": 3, "penalty": bump}
    ((best,),) = beam_search(model, *ONE, **told)
    assert best.ids == (A, A, A) == plain_beam_search(model, *ONE, **told)[0].ids
    ((best,),) = beam_search(model, *ONE, **ENDS, longest=6, size=3)
    assert best.ids == ()


def test_what_is_impossible_is_not_returned():
    rows = {(): {A: 1.0}, (A,): {A: 0.5, END: 0.5}, (A, A): {END: 1.0}}
    ((*found,),) = beam_search(Table(5, rows), *ONE, **ENDS, longest=9, size=8, count=8)
    assert sorted(h.ids for h in found) == [(A,), (A, A)]


def drawn(temperature, seed=0, n=4000):
    source = torch.ones(n, 1, dtype=torch.long)
    chance = generator(seed)
    told = {"temperature": temperature, "generator": chance}
    return sample(TRAP, source, source.bool(), **ENDS, longest=9, **told)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_words_are_drawn_as_often_as_the_temperature_says(temperature):
    """p to the power of 1 / τ, made to sum to 1."""
    found = drawn(temperature)
    a, b = 0.6 ** (1 / temperature), 0.4 ** (1 / temperature)
    assert sum(ids[0] == A for ids in found) / 4000 == pytest.approx(
        a / (a + b), abs=0.03
    )
    behind_a = [ids[1] for ids in found if ids[0] == A]
    powers = {w: p ** (1 / temperature) for w, p in ((A, 0.35), (B_, 0.3), (C, 0.35))}
    for word, power in powers.items():
        share = behind_a.count(word) / len(behind_a)
        assert share == pytest.approx(power / sum(powers.values()), abs=0.04)


def test_a_cold_sample_is_greedy_and_what_is_impossible_is_never_drawn():
    model = Table(5, {(): {A: 0.6, B_: 0.4}, (A,): {C: 0.7, B_: 0.3}})
    cold = {**ENDS, "longest": 9, "temperature": 0.001, "generator": generator()}
    assert sample(model, *ONE, **cold) == [[A, C]]
    assert all(END not in ids and len(ids) > 1 for ids in drawn(5.0))


def test_chance_comes_from_the_generator_alone():
    before = torch.get_rng_state()
    assert drawn(1.0, seed=1, n=40) == drawn(1.0, seed=1, n=40)
    assert drawn(1.0, seed=1, n=40) != drawn(1.0, seed=2, n=40)
    assert torch.equal(torch.get_rng_state(), before)


def test_what_is_truncated_are_the_least_likely_words():
    p = torch.tensor([[0.2, 0.5, 0.05, 0.25], [0.1, 0.1, 0.7, 0.1]])
    given = p.log()

    def left(**options):
        return (truncated(given, **options).softmax(dim=-1) > 0).tolist()

    assert torch.allclose(truncated(given), given)
    assert left(top_k=2)[0] == [False, True, False, True]
    assert left(top_p=0.5) == [[False, True, False, False], [False, False, True, False]]
    assert left(top_p=0.51)[0] == [False, True, False, True]
    assert left(top_p=0.9)[0] == [True, True, False, True]
    assert left(top_k=3, top_p=0.7)[0] == [False, True, False, True]
    again = truncated(given, top_k=2).softmax(dim=-1)[0]
    assert again.tolist() == pytest.approx([0, 2 / 3, 0, 1 / 3])
    assert torch.equal(given, p.log())
