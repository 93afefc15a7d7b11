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


def test_the_script_finds_what_python_found(query: Locator) -> None:
    n = numbers(query)
    check(query, scaled_dot_product_attention(n["q"][None], n["K"], n["V"]))


def test_a_query_and_a_key_can_be_changed(query: Locator) -> None:
    n = numbers(query)
    query.get_by_label("q, number 2").fill("-0.5")
    query.get_by_label("key of where, number 1").fill("3.25")
    n["q"][1], n["K"][2, 0] = -0.5, 3.25
    check(query, scaled_dot_product_attention(n["q"][None], n["K"], n["V"]))
    query.get_by_role("button", name="As it was").click()
    n = numbers(query)
    check(query, scaled_dot_product_attention(n["q"][None], n["K"], n["V"]))


def test_the_root_and_the_temperature(query: Locator) -> None:
    n = numbers(query)
    query.get_by_label("divide by √dk").uncheck()
    scale = len(n["q"]) ** 0.5
    check(query, scaled_dot_product_attention(scale * n["q"][None], n["K"], n["V"]))
    query.get_by_label("temperature").focus()
    query.page.keyboard.press("End")  # 4
    check(query, scaled_dot_product_attention(scale / 4 * n["q"][None], n["K"], n["V"]))


def test_a_mask_hides_words_but_never_all(query: Locator) -> None:
    n = numbers(query)
    boxes = query.get_by_label("may attend to")
    query.get_by_label("may attend to rivers").uncheck()
    mask = torch.tensor([[True, True, True, False, True]])
    check(query, scaled_dot_product_attention(n["q"][None], n["K"], n["V"], mask))
    expect(query.locator("tbody tr").nth(3)).to_contain_text("−∞")
    for box in boxes.all():
        box.click()
    assert sum(box.is_checked() for box in boxes.all()) >= 1


def test_the_status_tells_what_changed(page: Page, query: Locator) -> None:
    status = page.get_by_role("status").filter(has_text="z = (")
    expect(status).to_contain_text("it attends most to rivers, 73 %")
    query.get_by_label("may attend to rivers").focus()
    page.keyboard.press("Space")
    expect(status).not_to_contain_text("most to rivers,")


@without_script
def test_without_scripts_the_table_stands(query: Locator) -> None:
    expect(query.locator("input")).to_have_count(0)
    expect(query).to_contain_text("0.734")
    expect(query.locator("output")).to_contain_text("z = (1.742, 5.128, 1.280)")
