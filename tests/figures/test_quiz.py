"""Self-tests by hand: their answers, and what is refused."""

import numpy as np
import pytest

from lookback.figures import Quiz
from lookback.figures.quiz import written


@pytest.mark.parametrize(
    ("value", "fmt", "answer"),
    [
        ("the key", "{}", "the key"),
        (np.float32(0.5), "{:.2f}", "0.50"),
        (3, "{}", "3"),
        (np.array([[0.25, 1]]), "{:.1f}", "0.2, 1.0"),
        ([1, 2], "{}", "1, 2"),
        ((2, 5, 8), "{}", "2 × 5 × 8"),
        (0.125, "{:.0%}", "12%"),
    ],
)
def test_answers_as_readers_see_them(value: object, fmt: str, answer: str) -> None:
    assert written(value, fmt) == answer


def test_the_order_tells_nothing() -> None:
    quiz = Quiz(9, {"a": 10, "b": -1, "c": "none"})
    assert quiz.answers == ["−1", "9", "10", "none"]
    assert quiz.mistakes == {"−1": "b", "9": "", "10": "a", "none": "c"}
    assert quiz.shown == "9"


def test_what_the_engine_and_a_notebook_get() -> None:
    quiz = Quiz(("a", "y"), {"<why>": ("b", "x")}, cells=(["a", "b"], ["x", "y"]))
    assert quiz._repr_quiz_() == {
        "right": "a, y",
        "typed": False,
        "cells": (["a", "b"], ["x", "y"]),
        "answers": {"a, y": "", "b, x": "<why>"},
    }
    assert "<li>a, y: <b>right</b></li><li>b, x: &lt;why&gt;</li>" in quiz._repr_html_()
    assert Quiz(1, {"w": 2})._repr_html_().startswith("<ul><li>1</li><li>2</li></ul>")


@pytest.mark.parametrize(
    ("wrong", "cells", "message"),
    [
        ({}, None, "at least one mistake"),
        ({"a": 0.251}, None, "two answers are '0.25'.*'the right answer' and 'a'"),
        ({"a": 1, "b": 1}, None, "two answers are '1.00'.*'a' and 'b'"),
        ({"a": ("x", "z")}, (["x"], ["y"]), "the map has no cell 'x, z': a"),
    ],
)
def test_refusals(wrong: dict[str, object], cells: object, message: str) -> None:
    right = ("x", "y") if cells else 0.25
    with pytest.raises(ValueError, match=message):
        Quiz(right, wrong, fmt="{:.2f}", cells=cells)  # type: ignore[arg-type]
