"""What a score of Luong's costs: bytes that are saved, seconds, and the cases.

Mutants that these tests were seen to kill: the largest array saved, or each counted
twice; another window, another loss; the slowest call, the first one timed.
"""

import pytest

from lookback.studies import luong_costs
from lookback.studies.luong_costs import CASES, Size, cost
from lookback.workshop import results


def test_concat_saves_a_vector_for_every_pair_of_positions() -> None:
    sizes = {"n": 64, "S": 24, "T": 16, "B": 2}
    dot, concat = (cost(Size(score, **sizes), repeats=1) for score in ("dot", "concat"))
    vector = 4 * 64 * 24 * 16 * 2  # bytes of n floats for each of S · T · B pairs
    assert dot["bytes"] < vector / 4 < vector < concat["bytes"] < 3 * vector
    assert dot["both"] > 0
    assert dot["forward"] > 0
    again = cost(Size("dot", **sizes), repeats=1)
    assert (again["bytes"], again["value"]) == (dot["bytes"], dot["value"])


@pytest.mark.parametrize("score", ["dot", "general", "concat"])
def test_saved_bytes_and_the_output_are_measured_again(score: str) -> None:
    label = f"{score}, n 64, S 40"
    row, again = results("luong_costs")[label], cost(CASES[label], repeats=1)
    assert again["bytes"] == row["bytes"]
    assert again["value"] == pytest.approx(row["value"], rel=1e-3)


def test_the_fastest_call_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([0, 9, 10, 13, 20, 24] * 2)  # calls of 9, 3 and 4 seconds
    monkeypatch.setattr(luong_costs.time, "process_time", lambda: next(ticks))
    row = cost(Size("dot", n=8, S=5, T=3, B=2), repeats=3)
    assert (row["forward"], row["both"]) == (3, 3)
