"""The stack decoder: by hand, against all derivations, laws, tuning, refusals.

Mutants, each caught: the future cost of the words that are translated, spans cut only
once, a gap that is counted twice; a jump from where the last phrase began, a limit that
is one too many, a jump that leaves words behind for ever; hypotheses that are taken for
the same although the language model, the coverage or the place differs; an arc that is
lost where two hypotheses meet; no end of the sentence; options in the wrong order; the
worst hypotheses kept; lines that cross in the wrong order; a search that takes the end
of an interval for its middle.
"""

import itertools
import math

import numpy as np
import pytest
import torch

from lookback import stack_decoder
from lookback.measure import bleu
from lookback.measure import bleu_counts as sentence_counts
from lookback.ngram import END, START, KneserNey, NgramModel
from lookback.phrases import Option, PhraseTable
from lookback.stack_decoder import (
    FEATURES,
    WEIGHTS,
    LanguageModel,
    StackDecoder,
    bleu_counts,
    future_cost,
    line_search,
    score,
    tune,
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
        some = decoder.choices(source[i:j])
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


def test_words_one_by_one_jump_three_words() -> None:
    words = Toy({k: v for k, v in BLUE.rows.items() if " " not in k}, max_length=1)
    weights = {**ONLY, "distortion": 0.1}
    found = StackDecoder(words, language(), weights).n_best(["the", "blue", "car"], 5)
    (first,) = [t for t in found if t.words == ("la", "voiture", "bleue")]
    assert [span[:2] for span in first.phrases] == [(0, 1), (2, 3), (1, 2)]
    assert first.features[5] == -3  # over *blue*, and back over *blue car*
    assert first.features[7] == 3


def test_unknown_words_are_copied() -> None:
    decoder = StackDecoder(BLUE, language(), ONLY)
    assert decoder.translate(["the", "zebra"])[1] == "zebra"
    assert decoder.translate(["zebra"]) == ["zebra"]


def test_bleu_is_the_one_of_the_book() -> None:
    pairs = [("a b c d e f", "a b c d f e"), ("a b c d", "a b c d x"), ("x", "y y")]
    split = [(a.split(), b.split()) for a, b in pairs]
    counts = np.array([bleu_counts(*pair) for pair in split])
    ours, theirs = zip(*split, strict=True)
    assert (counts == sentence_counts(hypotheses=ours, references=theirs)).all()
    whole = bleu(hypotheses=ours, references=theirs).score
    assert score(counts.sum(axis=0)) == pytest.approx(whole)
    assert score(counts[2]) == 0
    for pair in (("a b c d", "a b c d e"), ("a b c d e", "a b c d")):  # short, long
        a, b = (side.split() for side in pair)
        alone = bleu(hypotheses=[a], references=[b]).score
        assert score(bleu_counts(a, b)) == pytest.approx(alone)


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


def test_no_jump_is_longer_than_the_limit_even_where_jumps_are_liked() -> None:
    table = Toy({w: {w.upper(): -1.0} for w in "abcdef"}, max_length=1)
    weights = {FEATURES[0]: 1.0, "distortion": -1.0}
    decoder = StackDecoder(table, language(1), weights, beam=9999, distortion_limit=3)
    source = tuple("abcdef")
    every = decoder.n_best(source, 999)  # all orders that are allowed
    best = {words: value for value, words in everything(decoder, source)}
    assert {one.words: one.score for one in every} == pytest.approx(best)
    jumps = [
        abs(i - at)
        for one in every
        for (i, _, _), at in zip(
            one.phrases, [0, *(j for _, j, _ in one.phrases)], strict=False
        )
    ]
    assert max(jumps) == 3


def test_two_that_look_alike_are_one_and_neither_is_lost() -> None:
    decoder = StackDecoder(BLUE, language(), ONLY, beam=1000)
    last = decoder.stacks(["the", "blue", "car"])[-1]
    ends = [key for key in last if key[1] == ("bleue",) and key[2] == 3]
    assert len(ends) == 1  # *la voiture bleue* and *le voiture bleue*
    assert len(last[ends[0]].arcs) >= 2
    words = {t.words for t in decoder.n_best(["the", "blue", "car"], 99)}
    assert {("la", "voiture", "bleue"), ("le", "voiture", "bleue")} <= words


def test_after_recombination_score_and_total_are_those_of_the_best_arc() -> None:
    better = 0
    for seed in range(6):
        table, lm, weights, source = random_case(seed, 1, S=5)
        decoder = StackDecoder(table, lm, weights, beam=1000)
        rest: dict[int, float] = {}
        for stack in decoder.stacks(source)[1:]:
            for each in stack.values():
                scores = [arc[0] for arc in each.arcs]
                assert each.score == max(scores)
                better += max(scores) > scores[0]
                ahead = rest.setdefault(each.covered, each.total - each.score)
                assert each.total - each.score == pytest.approx(ahead)
    assert better


def test_a_larger_beam_is_never_worse_here_and_one_may_miss_the_best() -> None:
    scores = []
    for beam in (1, 2, 10, 1000):
        total = 0.0
        for seed in range(12):
            table, lm, weights, source = random_case(seed, 2, S=6)
            decoder = StackDecoder(table, lm, weights, beam=beam)
            total += decoder.n_best(source, 1)[0].score
        scores.append(total)
    assert scores == sorted(scores) and scores[0] < scores[-1] - 1e-6


def test_future_cost_keeps_what_is_good_in_the_end() -> None:
    """Without it the beam takes the cheap words first and pays for the others later."""
    sums = {True: 0.0, False: 0.0}
    for future in sums:
        for seed in range(12):
            table, lm, weights, source = random_case(seed, 2, S=6)
            weights["distortion"] = 0.0
            decoder = StackDecoder(table, lm, weights, beam=2, future=future)
            sums[future] += decoder.n_best(source, 1)[0].score
    assert sums[True] > sums[False]


# --- laws ----------------------------------------------------------------------------


def test_each_word_is_translated_once_and_the_limit_is_kept() -> None:
    for seed in range(6):
        table, lm, weights, source = random_case(seed, 2, S=7)
        decoder = StackDecoder(table, lm, weights, distortion_limit=2)
        for one in decoder.n_best(source, 20):
            covered = [n for i, j, _ in one.phrases for n in range(i, j)]
            assert sorted(covered) == list(range(7))
            ends = [0, *(j for _, j, _ in one.phrases)]
            assert all(
                abs(i - at) <= 2
                for (i, _, _), at in zip(one.phrases, ends, strict=False)
            )


def test_the_options_that_are_tried_are_the_best_by_themselves() -> None:
    some = {f"t{n}": -float(n) for n in (3, 0, 2, 1)}
    lm = language(1, [["t0", "t1", "t2", "t3"]])
    decoder = StackDecoder(Toy({"a": some}), lm, ONLY, options=2)
    assert [c.target for c in decoder.choices(("a",))] == [("t0",), ("t1",)]
    assert decoder.choices(("a",)) is decoder.choices(("a",))  # picked once


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


@pytest.mark.parametrize("beam", [1, 3, 10])
def test_what_is_dropped_early_was_never_best(beam: int) -> None:
    computed = {True: 0, False: 0}
    for seed in range(12):
        table, lm, weights, source = random_case(seed, 2, S=7)
        weights["language model"] = 0.7 if seed % 3 else -0.3
        best = {}
        for ways in computed:
            decoder = StackDecoder(table, lm, weights, beam=beam)
            last = decoder.stacks(source, ways=ways)[-1].values()
            best[ways] = max(h.total for h in last)
            computed[ways] += len(decoder.language._cache)
        assert best[True] == best[False]
    assert computed[False] < computed[True]


def test_it_reads_a_phrase_table() -> None:
    pairs = [(["the", "house"], ["la", "maison"]),
             (["the", "flower"], ["la", "fleur"])]  # fmt: skip
    table = PhraseTable.fit(pairs, [{(0, 0), (1, 1)}] * 2)
    decoder = StackDecoder(table, language(2, [t for _, t in pairs]))
    assert decoder.translate(["the", "flower"]) == ["la", "fleur"]


# --- tuning --------------------------------------------------------------------------


def grid(scores, slopes, counts, steps):
    """BLEU for many values of γ, one by one."""
    found = []
    for step in steps:
        winner = (scores + step * slopes).argmax(axis=1)
        found.append(score(counts[np.arange(len(scores)), winner].sum(axis=0)))
    return np.array(found)


def test_line_search_by_hand() -> None:
    # Three lines: 2 - γ, 1, -2 + γ: they cross at 1 and at 3, the middle one between.
    good = bleu_counts(list("abcde"), list("abcde"))
    bad = bleu_counts(list("abcdx"), list("abcde"))
    scores, slopes = np.array([[2.0, 1.0, -2.0]]), np.array([[-1.0, 0.0, 1.0]])
    counts = np.array([[bad, good, bad]])
    assert line_search(scores, slopes, counts) == (pytest.approx(2), pytest.approx(100))
    where, found = line_search(scores, slopes, np.array([[good, bad, bad]]))
    assert where < 1 and found == pytest.approx(100)
    where, found = line_search(scores, slopes, np.array([[bad, bad, good]]))
    assert where > 3 and found == pytest.approx(100)


def test_line_search_is_exact() -> None:
    random = np.random.default_rng(5)
    N, K = 6, 9
    scores, slopes = random.normal(size=(N, K)), random.normal(size=(N, K))
    words = random.integers(3, size=(N, K, 8)).astype(str)
    reference = random.integers(3, size=(N, 8)).astype(str)
    counts = np.array(
        [[bleu_counts(list(w), list(r)) for w in row]
         for row, r in zip(words, reference, strict=True)]
    )  # fmt: skip
    scores[2, 5:], slopes[2, 5:] = -np.inf, 0  # a sentence of fewer candidates
    step, found = line_search(scores, slopes, counts)
    usable = np.where(np.isfinite(scores), scores, -1e9)
    assert grid(usable, slopes, counts, [step])[0] == pytest.approx(found)
    everywhere = grid(usable, slopes, counts, np.linspace(-60, 60, 30001))
    assert found >= everywhere.max() - 1e-9
    assert found == pytest.approx(everywhere.max())


def test_lines_that_meet_in_one_point_and_lines_that_are_parallel() -> None:
    a, b, c = (bleu_counts(list(w), list("abcde")) for w in ("abcde", "abxxx", "xxxxx"))
    scores = np.array([[0.0, 0.0, 0.0, -1.0]])  # all three meet at 0; the fourth loses
    slopes = np.array([[-1.0, 0.0, 1.0, 1.0]])
    step, found = line_search(scores, slopes, np.array([[c, b, a, c]]))
    assert step > 0 and found == pytest.approx(100)
    still = line_search(
        np.array([[1.0, 2.0]]), np.zeros((1, 2)), np.array([[[*c], [*a]]])
    )
    assert still == (0.0, pytest.approx(100))


def test_tuning_finds_weights_that_translate_better() -> None:
    # By its own φ the table prefers the wrong word; by another feature the right one.
    class Two:
        max_length = 1

        def options(self, phrase):
            (word,) = phrase
            return (
                Option(("wrong",), (0.0, -4.0, 0.0, 0.0)),
                Option((word.upper(),), (-1.0, 0.0, 0.0, 0.0)),
            )

    pairs = [(list(s), list(s.upper())) for s in ("abcde", "edcba", "bdaec", "aaaab")]
    lm = language(1, [[*"ABCDE", "wrong"]])
    first = {FEATURES[0]: 1.0, "distortion": 1.0}
    decoder = StackDecoder(Two(), lm, first)
    assert decoder.translate(list("abc")) == ["wrong"] * 3
    tuned = tune(
        decoder, pairs, generator=torch.Generator().manual_seed(3), rounds=3, n=40
    )
    after = decoder.with_weights(tuned.weights)
    assert [after.translate(s) for s, _ in pairs] == [t for _, t in pairs]
    assert max(own for own, _, _ in tuned.rounds) == pytest.approx(100)
    assert tuned.rounds[0][0] == 0 and tuned.rounds[0][2] == 160
    assert set(tuned.weights) == set(FEATURES)
    assert decoder.weights == first  # the decoder that was given stays as it was
    again = tune(
        decoder, pairs, generator=torch.Generator().manual_seed(3), rounds=3, n=40
    )
    assert again == tuned


def test_the_best_of_all_starts_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    climbs = iter([(np.ones(len(FEATURES)), float(b)) for b in (10, 40, 20) * 2])
    monkeypatch.setattr(stack_decoder, "optimum", lambda *given: next(climbs))
    decoder = StackDecoder(BLUE, language(), ONLY)
    pairs = [(["the", "car"], ["la", "voiture"])]
    found = tune(decoder, pairs, generator=torch.Generator(), rounds=2, n=5, starts=3)
    assert [promised for _, promised, _ in found.rounds] == [40, 40]


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam": 0}, "beam must be a whole number ≥ 1, got 0"),
        ({"options": 0}, "options must be a whole number ≥ 1, got 0"),
        (
            {"distortion_limit": -1},
            "distortion_limit must be a whole number ≥ 0, got -1",
        ),
        ({"weights": {"lm": 1.0}}, "there is no feature 'lm': there is"),
        ({"weights": {"words": math.nan}}, "weight of 'words' is nan"),
    ],
)
def test_refusals(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StackDecoder(BLUE, language(), **{"weights": WEIGHTS, **options})


def test_refused_sentences_and_shapes() -> None:
    decoder = StackDecoder(BLUE, language())
    with pytest.raises(ValueError, match="the source has no words"):
        decoder.translate([])
    with pytest.raises(ValueError, match="expected a list of words"):
        decoder.translate("the blue car")
    with pytest.raises(ValueError, match="n must be a whole number ≥ 1, got 0"):
        decoder.n_best(["the"], 0)
    with pytest.raises(ValueError, match=r"best has shape \(2, 2\): expected \(S, S"):
        future_cost(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="expected pairs to tune on, got none"):
        tune(decoder, [], generator=torch.Generator())
    with pytest.raises(ValueError, match="call fit"):
        StackDecoder(BLUE, NgramModel(2)).translate(["the"])
