"""The stack decoder: by hand, against all derivations, laws, refusals."""

import itertools
import math

import numpy as np
import pytest

from kit import refuses
from lookback.ngram import END, START, KneserNey, NgramModel
from lookback.phrases import Option
from lookback.stack_decoder import (
    FEATURES,
    LanguageModel,
    StackDecoder,
    future_cost,
)


class Toy:
    """A table of these phrases: "source" → {"target": score of its first feature}."""

    def __init__(self, rows: dict[str, dict[str, float]], max_length: int = 3) -> None:
        self.rows, self.max_length = rows, max_length

    def options(self, phrase: tuple[str, ...]) -> tuple[Option, ...]:
        found = self.rows.get(" ".join(phrase), {})
        return tuple(
            Option(tuple(target.split()), (value, 0.0, 0.0, 0.0))
            for target, value in found.items()
        )


ONLY = {FEATURES[0]: 1.0, "language model": 1.0, "distortion": 1.0}
TEXT = [
    s.split() for s in ("la voiture bleue", "la voiture", "le vin bleu", "la fleur")
]
BLUE = Toy({
    "the": {"la": -1.0, "le": -1.0},
    "blue": {"bleue": -2.0, "bleu": -1.0},
    "car": {"voiture": -1.0},
    "blue car": {"voiture bleue": -2.0},
})  # fmt: skip


def language(order: int = 2, text=TEXT) -> NgramModel:
    return NgramModel(order, KneserNey()).fit(text)


def everything(decoder: StackDecoder, source: tuple[str, ...]):
    """(score, words) of all derivations, from the definition alone."""
    S, names = len(source), decoder.weights
    lm, limit = decoder.language.model, decoder.distortion_limit
    limit = S if limit is None else limit

    def options(i: int, j: int):
        found = decoder.table.options(source[i:j]) if j - i <= 3 else ()
        if j - i == 1 and not found:
            found = (Option(source[i:j], (0.0,) * 4),)
        return found

    def walk(done: frozenset[int], at: int, words: tuple[str, ...], total: float):
        if len(done) == S:
            padded = (*[START] * (lm.order - 1), *words, END)
            for n in range(lm.order - 1, len(padded)):
                gram = padded[n - lm.order + 1 : n + 1]
                p = lm.smoothing.probability(gram, lm.counts)
                total += names.get("language model", 0) * (math.log(p) if p else -16)
            yield total, words
            return
        gap = min(set(range(S)) - done)
        for i, j in itertools.combinations(range(S + 1), 2):
            span = set(range(i, j))
            if span & done or abs(i - at) > limit or (i > gap and j - gap > limit):
                continue
            for target, values in options(i, j):
                more = sum(
                    names.get(name, 0) * value
                    for name, value in zip(FEATURES, values, strict=False)
                )
                more -= names.get("distortion", 0) * abs(i - at)
                more += names.get("words", 0) * len(target) + names.get("phrases", 0)
                yield from walk(done | span, j, (*words, *target), total + more)

    return list(walk(frozenset(), 0, (), 0.0))


def random_case(seed: int, order: int, S: int = 4):
    """A table of random phrases, a language model, and a source."""
    random = np.random.default_rng(seed)
    source = tuple(f"s{n}" for n in random.integers(3, size=S))
    words = [f"t{n}" for n in range(5)]
    rows: dict[str, dict[str, float]] = {}
    for i in range(S):
        for j in range(i + 1, min(S, i + 3) + 1):
            if j - i == 1 or random.random() < 0.6:
                some = [
                    " ".join(random.choice(words, size=random.integers(1, 4)))
                    for _ in range(2)
                ]
                rows[" ".join(source[i:j])] = {t: -random.random() * 3 for t in some}
    rows.pop(source[0], None)  # a word that is copied
    text = [list(random.choice(words, size=random.integers(1, 6))) for _ in range(30)]
    weights = dict(zip(FEATURES, random.normal(0.4, 0.4, len(FEATURES)), strict=True))
    weights["language model"] = 0.7
    return Toy(rows), language(order, text), weights, source


# --- by hand -------------------------------------------------------------------------


def test_future_cost_by_hand() -> None:
    best = np.full((3, 4), -np.inf)
    best[0, 1], best[1, 2], best[2, 3], best[1, 3], best[0, 3] = -1, -3, -2, -4, -9
    future = future_cost(best)
    assert future[1, 3] == -4  # one phrase beats -3 - 2
    assert future[0, 2] == -4 and future[0, 3] == -5  # -1 - 4
    assert (np.diag(future) == 0).all()
    words = np.full((4, 5), -np.inf)
    words[range(4), range(1, 5)] = [-1, -2, -3, -4]
    assert future_cost(words)[0, 4] == -10  # cut again and again


def test_a_sentence_by_hand() -> None:
    decoder = StackDecoder(BLUE, language(), ONLY)
    (first, *_) = decoder.n_best(["the", "blue", "car"], 3)
    assert first.words == ("la", "voiture", "bleue")
    assert first.phrases == ((0, 1, ("la",)), (1, 3, ("voiture", "bleue")))
    lm = sum(
        math.log(language().score(w, c))
        for w, c in (("la", [START]), ("voiture", ["la"]), ("bleue", ["voiture"]),
                     (END, ["bleue"]))
    )  # fmt: skip
    assert first.features == pytest.approx([-3, 0, 0, 0, lm, 0, 3, 2])
    assert first.score == pytest.approx(-3 + lm)


def test_a_total_is_the_score_and_the_future_of_all_gaps() -> None:
    decoder = StackDecoder(BLUE, language(), ONLY, beam=99)
    source = ("the", "blue", "car")
    best = np.full((3, 4), -np.inf)
    for i, j in itertools.combinations(range(4), 2):
        some = decoder.translation_options(source[i:j])
        best[i, j] = max((c.estimate for c in some), default=-np.inf)
    future = future_cost(best)
    stacks = decoder.stacks(source)
    (root,) = stacks[0].values()
    assert root.total == pytest.approx(future[0, 3])
    left = {0b001: [(1, 3)], 0b010: [(0, 1), (2, 3)], 0b101: [(1, 2)], 0b111: []}
    for each in (h for stack in stacks for h in stack.values()):
        if each.covered in left:
            rest = sum(future[span] for span in left[each.covered])
            assert each.total == pytest.approx(each.score + rest)


def test_unknown_words_are_copied() -> None:
    decoder = StackDecoder(BLUE, language(), ONLY)
    assert decoder.translate(["the", "zebra"])[1] == "zebra"
    assert decoder.translate(["zebra"]) == ["zebra"]


# --- against all derivations ---------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("limit", [None, 0, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_best_of_all_derivations(
    seed: int, limit: int | None, order: int
) -> None:
    table, lm, weights, source = random_case(seed, order)
    decoder = StackDecoder(
        table, lm, weights, beam=100_000, distortion_limit=limit, options=1000
    )
    every = everything(decoder, source)
    best = dict[tuple[str, ...], float]()
    for value, words in every:
        best[words] = max(value, best.get(words, -math.inf))
    wanted = sorted(best.values(), reverse=True)[:40]
    found = decoder.n_best(source, 40)
    assert [t.score for t in found] == pytest.approx(wanted)
    for one in found:
        assert one.score == pytest.approx(best[one.words])
        assert one.score == pytest.approx(float(decoder.lambdas @ one.features))


def test_two_that_look_alike_are_one_and_neither_is_lost() -> None:
    decoder = StackDecoder(BLUE, language(), ONLY, beam=1000)
    last = decoder.stacks(["the", "blue", "car"])[-1]
    ends = [key for key in last if key[1] == ("bleue",) and key[2] == 3]
    assert len(ends) == 1  # *la voiture bleue* and *le voiture bleue*
    assert len(last[ends[0]].edges) >= 2
    words = {t.words for t in decoder.n_best(["the", "blue", "car"], 99)}
    assert {("la", "voiture", "bleue"), ("le", "voiture", "bleue")} <= words


def test_after_recombination_score_and_total_are_those_of_the_best_edge() -> None:
    better = 0
    for seed in range(6):
        table, lm, weights, source = random_case(seed, 1, S=5)
        rest: dict[int, float] = {}
        for stack in StackDecoder(table, lm, weights, beam=1000).stacks(source)[1:]:
            for each in stack.values():
                scores = [edge[0] for edge in each.edges]
                assert each.score == max(scores)
                better += max(scores) > scores[0]
                ahead = rest.setdefault(each.covered, each.total - each.score)
                assert each.total - each.score == pytest.approx(ahead)
    assert better


# --- laws ----------------------------------------------------------------------------


def test_the_options_that_are_tried_are_the_best_by_themselves() -> None:
    some = {f"t{n}": -float(n) for n in (3, 0, 2, 1)}
    lm = language(1, [["t0", "t1", "t2", "t3"]])
    decoder = StackDecoder(Toy({"a": some}), lm, ONLY, options=2)
    assert [c.target for c in decoder.translation_options(("a",))] == [("t0",), ("t1",)]
    assert decoder.translation_options(("a",)) is decoder.translation_options(
        ("a",)
    )  # picked once


def test_a_state_drops_what_cannot_matter() -> None:
    lm, model = LanguageModel(language(3)), language(3)
    words = ["la", "fleur", "bleu", "zebra", "la", "voiture"]
    state, total = lm.start, 0.0
    for n, word in enumerate(words):
        p, state = lm.step(state, word)
        context = [START, START, *words[:n]][-2:]
        q = model.smoothing.probability((*context, word), model.counts)
        assert p == pytest.approx(math.log(q) if q else -16)
        total += p
    assert lm.read(lm.start, words) == (pytest.approx(total), state)
    assert state == ("la", "voiture")[-len(state) :] and len(state) <= 2
    assert lm.step(lm.start, "zebra")[1] == ()  # nothing was ever read after it


def test_translations_are_the_same_again() -> None:
    table, lm, weights, source = random_case(3, 3, S=6)
    decoder = StackDecoder(table, lm, weights)
    first = decoder.n_best(source, 10)
    again = StackDecoder(table, lm, weights).n_best(source, 10)
    assert [t.words for t in first] == [t.words for t in again]
    other = decoder.with_weights({**weights, "words": 3.0})
    assert other.weights["words"] == 3.0 and other.beam == decoder.beam
    assert decoder.n_best(source, 10)[0].score == first[0].score


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "source", "says"),
    [
        ({"beam": 0}, ["a"], "beam must be a whole number ≥ 1, got 0"),
        ({"weights": {"lm": 1.0}}, ["a"], "the weight of 'lm' is 1.0: expected a fini"),
        ({"weights": {"words": math.nan}}, ["a"], "the weight of 'words' is nan: exp"),
        ({}, [], "the source has no words"),
        ({}, "the blue car", "expected a list of words"),
    ],
)
def test_refusals(options: dict, source: object, says: str) -> None:
    with refuses(says):
        StackDecoder(BLUE, language(), **options).translate(source)
