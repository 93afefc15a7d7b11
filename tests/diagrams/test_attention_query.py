"""Test Query: the steps of equation (1), as text and as a table."""

from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from lookback.attention import scaled_dot_product_attention
from lookback.diagrams.attention_query import Query

WORDS = ["a", "b", "c"]
q, K, V = [1.0, 2.0], [[0.0, 1.0], [2.0, 1.0], [-1.0, 0.5]], [[1.0], [2.0], [4.0]]


def test_the_steps_are_those_of_attention() -> None:
    products, scores, weights, z = Query(WORDS, q, K, V).steps()
    tensors = (torch.tensor([q]), torch.tensor(K), torch.tensor(V))
    out, a = scaled_dot_product_attention(*tensors)
    np.testing.assert_allclose(products, [2, 4, 0])
    np.testing.assert_allclose(scores, products / np.sqrt(2))
    np.testing.assert_allclose(weights, a[0], atol=1e-6)
    np.testing.assert_allclose(z, out[0], atol=1e-6)


def test_the_table_holds_them() -> None:
    page = ElementTree.fromstring(Query(WORDS, q, K, V, word="b<c")._repr_html_())
    assert page.get("data-live") == "query" and page.findtext("p/em") == "b<c"
    rows = [["".join(c.itertext()) for c in row] for row in page.findall(".//tbody/tr")]
    assert rows[1] == ["b", "2 1", "4", "2.828", "0.768", "2"]
    assert rows[2][:3] == ["c", "−1 0.500", "0"]
    assert page.findtext(".//output") == "z = (1.904)"
    assert repr(Query(WORDS, q, K, V)).startswith("q·k       2.000    4.000")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"keys": K[:2]}, r"keys have shape \(2, 2\): expected \(3, 2\)"),
        ({"query": [1.0]}, r"keys have shape \(3, 2\): expected \(3, 1\)"),
        ({"values": V[:2]}, r"values have shape \(2, 1\): expected \(3, 1\)"),
        ({"query": []}, "query have shape"),
        ({"values": [[np.nan]] * 3}, "values hold numbers that are not finite"),
    ],
)
def test_refusals(change: dict, message: str) -> None:
    given = {"words": WORDS, "query": q, "keys": K, "values": V} | change
    with pytest.raises(ValueError, match=message):
        Query(**given)
