"""Verification: what differs from what is stored, and by how much."""

import math

import pytest

from lookback.trainer.verify import STORED, Difference, differences


@pytest.mark.parametrize(
    ("stored", "found", "where"),
    [
        ({"a": 1, "b": [0.5]}, {"a": 1, "b": [0.5004]}, []),
        ({"a": 2000.0}, {"a": 2001.9}, []),  # a thousandth of its size
        ({"a": math.nan, "b": math.inf}, {"a": math.nan, "b": math.inf}, []),
        ({"a": 1.0}, {"a": 1}, []),  # JSON keeps 1.0, a count may become a mean
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, ["a.b.1"]),
        ({"a": 0.5}, {"a": 0.502}, ["a"]),
        ({"a": 100}, {"a": 101}, ["a"]),  # counts are equal, or not
        ({"a": "cat"}, {"a": "dog"}, ["a"]),
        ({"a": [1, 2]}, {"a": [1]}, ["a"]),
        ({"a": 1}, {"b": 1}, ["a", "b"]),
        ({"a": 1.0}, {"a": None}, ["a"]),
        ({"a": 0.0}, {"a": math.nan}, ["a"]),
        ({"a": [{"seconds": 1.0}]}, {"a": [{"seconds": 9.0}]}, []),
    ],
)
def test_what_differs(stored: object, found: object, where: list[str]) -> None:
    assert [
        difference.where for difference in differences(stored, found, ["seconds"])
    ] == where


def test_a_check_differs_where_its_stored_digits_do() -> None:
    two_thirds, more = {"a": 0.666667}, {"a": 0.66669}
    assert not [*differences(two_thirds, {"a": 2 / 3}, tolerance=STORED)]
    assert [*differences(two_thirds, more, tolerance=STORED)]
    assert not [*differences(two_thirds, more)]  # what float32 may have rounded


def test_how_much_it_differs_is_said() -> None:
    assert str(Difference("a.b", 2.0, 1.5)) == "a.b: stored 2.0, now 1.5 (-0.5)"
    assert str(Difference("a", "cat", "dog")) == "a: stored 'cat', now 'dog'"
