"""Test colours by name: kept over figures, different within one."""

import pytest
from matplotlib import cycler, rcParams

from lookback.figures.palette import forget, places


@pytest.fixture(autouse=True)
def six_colours() -> None:
    rcParams["axes.prop_cycle"] = cycler("color", ["r", "g", "b", "c", "m", "y"])


def test_a_name_keeps_its_place() -> None:
    assert places(["a", "b"]) == {"a": 0, "b": 1}
    assert places(["b", "c", "a"]) == {"b": 1, "c": 2, "a": 0}


def test_a_new_name_takes_what_no_name_of_the_page_has() -> None:
    places(["a", "b"])
    assert places(["c"]) == {"c": 2}


def test_when_all_are_taken_names_of_one_figure_still_differ() -> None:
    places("abcdef")
    assert places(["g", "a", "h"]) == {"g": 1, "a": 0, "h": 2}
    assert places(["b", "g"]) == {"b": 1, "g": 0}  # both had 1


def test_a_figure_with_more_names_than_colours_repeats_them() -> None:
    found = places("abcdefgh")
    assert [*found.values()] == [0, 1, 2, 3, 4, 5, 6, 7]


def test_a_curve_without_a_name_is_the_first() -> None:
    places(["a"])
    assert places([""]) == {"": 0}


def test_a_new_page_begins_anew() -> None:
    places(["a", "b"])
    forget()
    assert places(["b"]) == {"b": 0}


def test_a_system_of_the_book_has_one_colour_on_every_page() -> None:
    assert places(["a", "RNNsearch", "Transformer"]) == {
        "a": 2,
        "RNNsearch": 1,
        "Transformer": 0,
    }
    forget()
    assert places(["RNNsearch", "RNN"]) == {"RNNsearch": 1, "RNN": 3}
    assert places(["GPT, 2 layers", "GPT, 4 layers"]) == {
        "GPT, 2 layers": 0,
        "GPT, 4 layers": 1,
    }
