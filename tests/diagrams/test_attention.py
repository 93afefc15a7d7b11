"""Test Matrices: numbers by hand and from the module, and shapes that are refused."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from lookback.attention import causal_mask, scaled_dot_product_attention
from lookback.diagrams.attention import Matrices, hold

SMALL = Matrices(
    words=["a", "b<c"],
    X=[[1, 0], [2, -1]],
    W_Q=[[1, 0, 0, 1], [0, 1, 0, 0]],
    W_K=[[0, 1, 0, 0], [0, 0, 1, 1]],
    W_V=[[1, 0, 2], [0, 3, 0]],
    word="b<c",
)
Q, K, V = (
    [[1, 0, 0, 1], [2, -1, 0, 2]],
    [[0, 1, 0, 0], [0, 2, -1, -1]],
    [[1, 0, 2], [2, -3, 4]],
)


@pytest.mark.parametrize("causal", [False, True])
def test_the_matrices_are_those_of_equation_1(causal: bool) -> None:
    n = SMALL.numbers(causal=causal)
    for name, expected in (("Q", Q), ("K", K), ("V", V), ("S", [[0, -1], [-1, -4]])):
        np.testing.assert_array_equal(n[name], expected)
    mask = causal_mask(2) if causal else None
    tensors = (torch.tensor(one, dtype=torch.double) for one in (Q, K, V))
    Z, A = scaled_dot_product_attention(*tensors, mask)
    np.testing.assert_allclose(n["A"], A)
    np.testing.assert_allclose(n["Z"], Z)
    assert (n["E"][0, 1] == -np.inf) == causal


def test_each_grid_is_a_table_and_those_of_words_have_their_rows_named() -> None:
    page = ElementTree.fromstring(SMALL._repr_html_().replace("&nbsp;", " "))
    grids = {table.get("data-grid"): table for table in page.iter("table")}
    assert " ".join(grids) == "WQ WK WV X Q K V KT Q2 S E V2 A Z"
    rows = [["".join(c.itertext()) for c in row] for row in grids["X"].iter("tr")]
    assert rows == [["a", "1", "0"], ["b<c", "2", "−1"]]
    assert [row.get("class") for row in grids["Z"].iter("tr")] == [None, "lb-lit"]
    assert [c.text for c in grids["S"].iter("td")] == ["0", "−1", "−1", "−4"]
    heads = ["".join(c.itertext()) for c in grids["A"].find("thead/tr")]
    assert heads == ["", "a", "b<c"]
    later = json.loads(page.get("data-later") or "")
    assert later["E"][0] == ["0.00", "−∞"] and later["A"][0] == ["1.00", "0.00"]


def test_numbers_that_are_not_those_of_a_run_are_refused() -> None:
    numbers, given = SMALL.numbers(), SMALL._given()
    hold(numbers, given, None)
    for name in ("A", "Z"):
        wrong = numbers | {name: numbers[name] + 0.01}
        with pytest.raises(ValueError, match=f"{name} is drawn as"):
            hold(wrong, given, None)
    with pytest.raises(ValueError, match="A is drawn as"):
        hold(numbers, given, causal_mask(2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": ["a"]}, "for each of 1 words"),
        ({"W_V": [[1.0]]}, r"\(1, 1\)\]: expected a row of X"),
        ({"word": "c"}, r"word is 'c': expected one of \['a', 'b<c'\]"),
    ],
)
def test_refusals(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SMALL, **change)
