"""Check the numbers that drawings show by hand, and expect each wrong one refused."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import log, prod

import pytest

from lookback.diagrams import (
    features,
    hmm,
    hmm_alignment,
    ibm1,
    ngram,
    pcfg,
    rules,
    stack_decoder,
)
from lookback.features import LinearSVM, NaiveBayes
from lookback.figures.diagram import Panel

Hold = Callable[[Panel], Panel]
WEIGHED: dict[str, tuple[Callable[[], Panel], Hold]] = {
    "hmm": (hmm.panel, hmm.hold),
    "hmm_alignment": (hmm_alignment.panel, hmm_alignment.hold),
    **{
        f"ibm1, {n}, {pair}": (
            partial(ibm1.panel, n, pair),
            partial(ibm1.hold, iterations=n, pair=pair),
        )
        for n, pair in ((0, 0), (1, 1), (10, 2))
    },
    "ngram": (ngram.panel, lambda panel: ngram.hold(panel, ngram.numbers())),
    **{title: (partial(pcfg.panel, title), pcfg.hold) for title in pcfg.TREES},
}


@pytest.mark.parametrize("name", WEIGHED)
def test_each_line_is_held_against_its_probability(name: str) -> None:
    make, hold = WEIGHED[name]
    panel = make()
    assert hold(panel) is panel
    rows = panel.arrows.splitlines()
    for row, arrow in zip(rows, panel.lines, strict=True):
        pair = f"{arrow.start} {arrow.end}"
        with pytest.raises(ValueError, match=f"{len(rows) - 1} lines are drawn: exp"):
            hold(replace(panel, arrows="\n".join(each for each in rows if each != row)))
        weights = {**panel.weights, pair: panel.weights[pair] + 0.01}
        with pytest.raises(ValueError, match=rf"{pair} is drawn as .*, but it is"):
            hold(replace(panel, weights=weights))
    first, second = rows[0].split()[0], rows[-1].split()[2]
    wrong = "\n".join([f"{second} -> {first}", *rows[1:]])
    weights = {**panel.weights, f"{second} {first}": 0.5}
    with pytest.raises(ValueError, match=r"is drawn as 0\.500, but it is 0\.000"):
        hold(replace(panel, arrows=wrong, weights=weights))


def test_the_features_by_hand() -> None:
    found = features.numbers(features.fitted(NaiveBayes(1.0)))
    assert found["before"] == pytest.approx(1.3862944)  # ln 4
    assert (found["suffix"], found["bias"]) == (0, 0)
    found = features.numbers(features.fitted(LinearSVM(1.0, "hinge", 200)))
    assert [11 * found[name] for name in ("before", "suffix", "bias", "sum")] == (
        pytest.approx([28, -2, -4, 22])
    )
    drawn = features.draw()._repr_figure_()
    assert "−0.36" in drawn and "+2.55" in drawn
    with pytest.raises(ValueError, match=r"the sum is drawn as 2, but it is 3"):
        features.hold({"before": 1, "suffix": 1, "bias": 1, "sum": 2})


def test_numbers_are_written_with_their_sign() -> None:
    found = [features.signed(n) for n in (1.386, -0.18, 0.001, -0.004)]
    assert found == ["+1.39", "−0.18", "0.00", "0.00"]


def test_the_hidden_markov_model_by_hand() -> None:
    known = hmm.weights()
    assert known["s t1"] == 3 / 4 and known["t1 t2"] == 1 / 2
    assert known["t2 t3"] == 1 / 4 and known["t3 e"] == 1 / 2
    assert [known[f"t{i} w{i}"] for i in (1, 2, 3)] == [1 / 2] * 3
    assert len(known) == 7


def test_the_alignment_model_by_hand() -> None:
    known = hmm_alignment.weights()
    assert known["s a1"] == known["a1 a2"] == pytest.approx(4 / 6)
    assert known["a2 a3"] == pytest.approx(4 / 7)
    assert [known[f"a{j} f{j}"] for j in (1, 2, 3)] == [1, 1, 1]
    assert len(known) == 6
    found = hmm_alignment.toy().align(hmm_alignment.SOURCE, hmm_alignment.TARGET)
    assert found == {(i - 1, j) for j, i in enumerate(hmm_alignment.WALK)}


def test_the_links_of_model_1_by_hand() -> None:
    assert set(ibm1.posteriors(0).values()) == {1 / 3}
    after = ibm1.posteriors(1)
    row = [after[f"e{i} f1"] for i in range(3)]
    assert row == pytest.approx([4 / 13, 6 / 13, 3 / 13])
    late = ibm1.posteriors(10)
    assert late["e1 f1"] > 0.66 and late["e2 f1"] < 0.01
    assert late["e0 f1"] == pytest.approx(1 / 3, abs=1e-3)
    assert ibm1.posteriors(1, pair=1)["e2 f2"] == pytest.approx(6 / 11)


def test_the_discounted_mass_by_hand() -> None:
    found = ngram.numbers()
    before = [found[f"c{k}"] for k in ngram.KS]
    after = [60 * found[f"p{k}"] for k in ngram.KS]
    assert before == pytest.approx([3 / 5, 1 / 5, 1 / 5, 0, 0, 0])
    assert after == pytest.approx([31, 7, 7, 3, 6, 6])
    assert found["pool"] == pytest.approx(2 / 5)
    given = sum(found[f"pool p{k}"] for k in ngram.KS)
    taken = sum(found[f"c{k} pool"] for k in ngram.KS)
    assert given == pytest.approx(taken) == pytest.approx(found["pool"])
    panel = ngram.panel()
    with pytest.raises(ValueError, match=r"p4 is drawn as 0\.2"):
        ngram.hold(replace(panel, numbers={**panel.numbers, "p4": [0.2]}), found)
    with pytest.raises(ValueError, match=r"p4 is .*, but"):
        ngram.hold(panel, {**found, "c4 pool": 0.1})


def test_the_trees_by_hand() -> None:
    verb, noun = (pcfg.lines(tree) for tree in pcfg.TREES.values())
    assert verb["vp1 vp2"] == verb["vp1 pp"] == 1 / 2 and verb["s n1"] == 1
    assert noun["np n2"] == noun["np pp"] == 1 / 4 and noun["vp1 np"] == 1 / 2
    assert verb["n3 w5"] == 1 / 4 and verb["v w2"] == 1
    assert len(verb) == len(noun) == 2 * 4 + 5
    model = pcfg.toy()
    best = model.cky(pcfg.SENTENCE)
    assert best.tree == pcfg.VERB and best.log_prob == pytest.approx(log(1 / 256))
    assert model.log_joint(pcfg.NOUN) == pytest.approx(log(1 / 512))
    for tree in pcfg.TREES.values():  # two children share one rule, words have theirs
        p = pcfg.lines(tree)
        words = prod(n for pair, n in p.items() if " w" in pair)
        inner = prod(n for pair, n in p.items() if " w" not in pair) ** 0.5
        assert log(words * inner) == pytest.approx(model.log_joint(tree))


def test_the_rows_of_the_rules_by_hand() -> None:
    rows = {name: rules.written(row) for name, row in rules.rows().items()}
    first = "marie a pas a signé / le français loi de le ministres ."
    last = "marie n' a pas signé / la loi française des ministres ."
    assert (rows["dictionary"], rows["contract"]) == (first, last)
    panel = rules.panel()
    for old, new, message in (
        ("ne a pas", "ne pas a", "after negate 'marie ne pas a signé"),
        ("| elide", "| elude", "elude is drawn where elide comes"),
    ):
        with pytest.raises(ValueError, match=message):
            rules.hold(replace(panel, boxes=panel.boxes.replace(old, new)))


def test_the_hypotheses_by_hand() -> None:
    found = stack_decoder.hypotheses()
    # la: -1 of the phrase, -1 of the language model; voiture: -1, -1, a jump of 1.
    scores = {"s": 0, "a": -2, "b": -2, "c": -5, "g": -6, "h": -10}
    assert {name: h.score for name, h in found.items()} == scores
    assert found["c"].covered == 0b101 and stack_decoder.marks(0b101) == "the · car"
    ways = {"s a", "s b", "a c", "b c", "a g", "b g", "c h"}
    assert {" ".join(pair) for pair in stack_decoder.known()} == ways
    best = stack_decoder.toy().n_best(stack_decoder.SOURCE, 1)[0]
    assert best.words == ("la", "voiture", "bleue") and best.score == -7


def test_wrong_hypotheses_and_arrows_are_refused() -> None:
    panel = stack_decoder.panel()
    wrong = panel.boxes.replace("la voiture / −5", "la voiture / −4")
    with pytest.raises(ValueError, match=r"c is drawn as .*−4', but it is .*−5'"):
        stack_decoder.hold(replace(panel, boxes=wrong))
    rows = panel.arrows.splitlines()
    for row in rows:
        fewer = "\n".join(each for each in rows if each != row)
        with pytest.raises(ValueError, match="these arrows are wrong"):
            stack_decoder.hold(replace(panel, arrows=fewer))
    with pytest.raises(ValueError, match=r"are wrong: \[\('s', 'h'\)\]"):
        stack_decoder.hold(replace(panel, arrows=panel.arrows + "\ns -> h"))
