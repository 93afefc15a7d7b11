"""Where the discounted mass goes: by hand, and lies are told."""

from dataclasses import replace

import pytest

from lookback.diagrams import ngram


def test_the_numbers_by_hand() -> None:
    found = ngram.numbers()
    before = [found[f"c{k}"] for k in ngram.KS]
    after = [60 * found[f"p{k}"] for k in ngram.KS]
    assert before == pytest.approx([3 / 5, 1 / 5, 1 / 5, 0, 0, 0])
    assert after == pytest.approx([31, 7, 7, 3, 6, 6])
    assert found["pool"] == pytest.approx(2 / 5)
    given = sum(found[f"pool p{k}"] for k in ngram.KS)
    taken = sum(found[f"c{k} pool"] for k in ngram.KS)
    assert given == pytest.approx(taken) == pytest.approx(found["pool"])


def test_it_is_drawn_as_it_is_and_a_lie_is_told() -> None:
    assert ngram.draw()._repr_figure_().count("<svg") == 2
    panel, known = ngram.panel(), ngram.numbers()
    with pytest.raises(ValueError, match=r"p4 is drawn as 0\.2"):
        ngram.hold(replace(panel, numbers={**panel.numbers, "p4": [0.2]}), known)
    weights = {**panel.weights, "pool p5": 0.05}
    with pytest.raises(ValueError, match="pool p5 is drawn"):
        ngram.hold(replace(panel, weights=weights), known)
    with pytest.raises(ValueError, match=r"p4 is .*, but"):
        ngram.hold(panel, {**known, "c4 pool": 0.1})
