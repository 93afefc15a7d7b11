"""Change one query by hand: the script computes what Python computes."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from lookback.attention import scaled_dot_product_attention

from .checks import without_script


@pytest.fixture
def query(page: Page) -> Locator:
    page.goto("attention/")
    return page.locator(".lb-query")


def numbers(query: Locator) -> dict[str, torch.Tensor]:
    """Read q, K and V of the page, in double precision."""
    given = json.loads(query.get_attribute("data-numbers") or "")
    return {name: torch.tensor(given[name], dtype=torch.double) for name in "qKV"}


def check(query: Locator, expected: tuple[torch.Tensor, torch.Tensor]) -> None:
    """Compare the output and the weights of the script with these, to 1e-6."""
    found = json.loads(query.get_attribute("data-found") or "")
    z, weights = expected
    np.testing.assert_allclose(found["weights"], weights[0], atol=1e-6)
    np.testing.assert_allclose(found["z"], z[0], atol=1e-6)


def test_the_script_finds_what_python_finds(query: Locator) -> None:
    n = numbers(query)

    def found(scale: float = 1, mask: torch.Tensor | None = None) -> None:
        q = scale * n["q"][None]
        check(query, scaled_dot_product_attention(q, n["K"], n["V"], mask))

    found()
    query.get_by_label("q, number 2").fill("-0.5")
    query.get_by_label("key of where, number 1").fill("3.25")
    n["q"][1], n["K"][2, 0] = -0.5, 3.25
    found()
    query.get_by_role("button", name="As it was").click()
    n = numbers(query)
    found()
    status = query.page.get_by_role("status").filter(has_text="z = (")
    expect(status).to_contain_text("it attends most to rivers, 73 %")
    rivers = query.get_by_label("may attend to rivers")
    rivers.press("Space")
    expect(status).not_to_contain_text("most to rivers,")
    found(mask=torch.tensor([[True, True, True, False, True]]))
    expect(query.locator("tbody tr").nth(3)).to_contain_text("−∞")
    rivers.press("Space")
    query.get_by_label("divide by √dk").uncheck()
    found(len(n["q"]) ** 0.5)
    query.get_by_label("temperature").press("End")  # 4
    found(len(n["q"]) ** 0.5 / 4)
    boxes = query.get_by_label("may attend to").all()
    for box in boxes:
        box.click()
    assert sum(box.is_checked() for box in boxes) >= 1  # never is all hidden


@without_script
def test_without_scripts_the_table_stands(query: Locator) -> None:
    expect(query.locator("input")).to_have_count(0)
    expect(query).to_contain_text("0.734")
    expect(query.locator("output")).to_contain_text("z = (1.742, 5.128, 1.280)")
