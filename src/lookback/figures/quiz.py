"""Self-tests: a question whose right answer, and each wrong one, a program computes."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Quiz:
    """Answers to a question: what the program gives, and what mistakes give.

    right  the program's answer: a number, an array, a shape, words
    wrong  what each mistake gives, by a sentence that names the mistake
    fmt    how a number is written
    typed  is the answer typed in, and not chosen? So may numbers and shapes be
    cells  the names of rows and of columns where the answer is a cell of a map: then
           answers are (row, column), and each cell can be chosen

    Raises `ValueError` without a wrong answer, where two answers look the same, and for
    a cell that is not in the map.

    >>> Quiz(0.5, {"The mask came after the softmax.": 0.25}, fmt="{:.2f}").answers
    ['0.25', '0.50']
    """

    right: Any
    wrong: Mapping[str, Any]
    fmt: str = "{}"
    typed: bool = False
    cells: tuple[Sequence[str], Sequence[str]] | None = None

    def __post_init__(self) -> None:
        if not self.wrong:
            raise ValueError("a quiz needs what at least one mistake gives")
        seen: dict[str, str] = {}
        for why, answer in self._all():
            if other := seen.get(answer):
                raise ValueError(
                    f"two answers are {answer!r}, so that nobody can tell them apart: "
                    f"{other!r} and {why!r}"
                )
            seen[answer] = why
            if self.cells and answer not in map(", ".join, product(*self.cells)):
                raise ValueError(f"the map has no cell {answer!r}: {why}")

    def _all(self) -> list[tuple[str, str]]:
        """(why, answer) of the right one and of the others."""
        given = {"the right answer": self.right, **self.wrong}
        return [(why, self._written(value)) for why, value in given.items()]

    def _written(self, value: Any) -> str:
        return ", ".join(value) if self.cells else written(value, self.fmt)

    @property
    def shown(self) -> str:
        """The right answer as readers see it."""
        return self._written(self.right)

    @property
    def mistakes(self) -> dict[str, str]:
        """Answer → the mistake that gives it; "" for the right one. In order."""
        found = {answer: why for why, answer in self._all()} | {self.shown: ""}
        return {answer: found[answer] for answer in sorted(found, key=_rank)}

    @property
    def answers(self) -> list[str]:
        """All answers, numbers by size: the order tells nothing."""
        return [*self.mistakes]

    def _repr_quiz_(self) -> dict[str, Any]:
        """What the engine makes a self-test of."""
        quiz = {"typed": self.typed, "cells": self.cells, "answers": self.mistakes}
        return {"right": self.shown, **quiz}

    def _repr_html_(self) -> str:
        """For notebooks: the answers to choose from, and folded which is right."""
        rows = "".join(f"<li>{html.escape(a)}</li>" for a in self.answers)
        told = "".join(
            f"<li>{html.escape(a)}: {html.escape(why) or '<b>right</b>'}</li>"
            for a, why in self.mistakes.items()
        )
        asked = "" if self.typed or self.cells else f"<ul>{rows}</ul>"
        return f"{asked}<details><summary>The answer</summary><ul>{told}</ul></details>"


def written(value: Any, fmt: str = "{}") -> str:
    """A value as an answer: arrays by their numbers, shapes as "2 × 5 × 8".

    >>> written(np.array([0.25, 0.75]), "{:.2f}"), written((2, 5))
    ('0.25, 0.75', '2 × 5')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return " × ".join(map(str, value))
    if isinstance(value, Sequence) or np.ndim(value):
        return ", ".join(written(each, fmt) for each in value)
    number = fmt.format(value.item() if hasattr(value, "item") else value)
    return number.replace("-", "−")


def _rank(answer: str) -> tuple[bool, float, str]:
    """Numbers by size, then words in the order of the alphabet."""
    first = answer.replace("−", "-").partition(",")[0].partition(" ")[0].rstrip("%")
    try:
        return False, float(first), answer
    except ValueError:
        return True, 0.0, answer
