"""Word vectors in the browser: cosines, analogies and planes are Python's."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch
from torch import Tensor

from lookback import pretrained
from lookback.measure import principal_components
from lookback.nplm import nearest
from lookback.trainer.checkpoint import path_of
from lookback.trainer.vectors import VectorLearner
from lookback.word2vec import analogy

from .conftest import EXACT, Node

NAMES = ("word2vec", "glove", "word2vec-tatoeba", "glove-tatoeba")
IMPORTS = {"models": "build", "word2vec": "principalComponents, Space"}
START = """
    const { words, model } = await build(given.name, bytes(given.path));
    const space = new Space(words.words, model.table);
"""


@cache
def vectors(name: str) -> tuple[list[str], Tensor]:
    words, v = pretrained(name, kind=VectorLearner).vectors()
    return list(words), v.double()


def given(name: str, **more: object) -> dict[str, object]:
    return {"name": name, "path": str(path_of(name)), **more}


def same(found: list[tuple[str, float]], expected: list[tuple[str, float]]) -> None:
    assert [word for word, _ in found] == [word for word, _ in expected]
    np.testing.assert_allclose(
        [x for _, x in found], [x for _, x in expected], atol=EXACT, rtol=0
    )


@pytest.mark.parametrize("name", NAMES)
def test_neighbours_and_analogies(node: Node, name: str) -> None:
    """The three words are left out by whoever shows the others."""
    words, v = vectors(name)
    asked = [words[i : i + 90 : 30] for i in range(5, 305, 30)]
    script = f"""{START}
        return given.asked.map((words) =>
          [space.vector(words[0]), space.goal(...words)].map((to) =>
            space.near(to).slice(0, 12)));
    """
    found = node(script, IMPORTS, given(name, asked=asked))
    for (a, b, c), (near, goal) in zip(asked, found, strict=True):
        assert near[0][0] == a and near[0][1] == pytest.approx(1, abs=EXACT)
        same(near[1:9], nearest(a, words, v, k=8))
        left = [pair for pair in goal if pair[0] not in (a, b, c)]
        same(left[:8], analogy(a, b, c, words, v, k=8))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [3, 12])
def test_the_plane_of_some_words(node: Node, name: str, count: int) -> None:
    words, v = vectors(name)
    rows = [*range(4, 4 + 7 * count, 7)]
    script = f"""{START}
        const shown = given.shown.map((word) => space.vector(word));
        const {{ points, shares, project }} = principalComponents(shown);
        return [points, shares, project(space.vector(given.other))];
    """
    more = {"shown": [words[row] for row in rows], "other": words[2]}
    points, shares, other = node(script, IMPORTS, given(name, **more))
    unit = v / v.norm(dim=1, keepdim=True)
    expected, of_all = principal_components(unit[rows])
    np.testing.assert_allclose(points, expected, atol=EXACT, rtol=0)
    np.testing.assert_allclose(shares, of_all, atol=EXACT, rtol=0)
    centred = unit[rows] - unit[rows].mean(dim=0)
    axes = torch.linalg.lstsq(expected, centred, driver="gelsd").solution
    axes = axes / axes.norm(dim=1, keepdim=True)
    along = (unit[2] - unit[rows].mean(dim=0)) @ axes.T
    np.testing.assert_allclose(other, along, atol=1e-9, rtol=0)
