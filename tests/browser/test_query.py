"""One query by hand: what the script computes is what Python computes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from lookback.attention import scaled_dot_product_attention

from .axe import faults

QUERY = "contains(@class, 'lb-query')"
Open = Callable[..., Any]


@pytest.fixture
def page(read: Open) -> Iterator[Page]:
    with read("attention/", QUERY, reduced_motion="reduce") as window:
        yield window


@pytest.fixture
def query(page: Page) -> Locator:
    return page.locator(".lb-query")


def given(query: Locator) -> dict[str, torch.Tensor]:
    """The page's own numbers, in double precision."""
    held = json.loads(query.get_attribute("data-numbers") or "")
    return {name: torch.tensor(held[name], dtype=torch.double) for name in "qKV"}


def agree(query: Locator, expected: tuple[torch.Tensor, torch.Tensor]) -> None:
    """Is what the script found this output and these weights, to 1e-6?"""
    found = json.loads(query.get_attribute("data-found") or "")
    z, weights = expected
    np.testing.assert_allclose(found["weights"], weights[0], atol=1e-6)
    np.testing.assert_allclose(found["z"], z[0], atol=1e-6)


def test_the_script_finds_what_python_found(query: Locator) -> None:
    n = given(query)
    agree(query, scaled_dot_product_attention(n["q"][None], n["K"], n["V"]))


def test_a_query_and_a_key_can_be_changed(query: Locator) -> None:
    n = given(query)
    query.get_by_label("q, number 2").fill("-0.5")
    query.get_by_label("key of doubt, number 1").fill("3.25")
    n["q"][1], n["K"][2, 0] = -0.5, 3.25
    agree(query, scaled_dot_product_attention(n["q"][None], n["K"], n["V"]))
    query.get_by_role("button", name="As it was").click()
    n = given(query)
    agree(query, scaled_dot_product_attention(n["q"][None], n["K"], n["V"]))


def test_the_root_and_the_temperature(query: Locator) -> None:
    n = given(query)
    query.get_by_label("divide by √d_k").uncheck()
    scale = len(n["q"]) ** 0.5
    agree(query, scaled_dot_product_attention(scale * n["q"][None], n["K"], n["V"]))
    query.get_by_label("temperature").focus()
    query.page.keyboard.press("End")  # 4
    agree(query, scaled_dot_product_attention(scale / 4 * n["q"][None], n["K"], n["V"]))


def test_a_mask_hides_words_but_never_all(query: Locator) -> None:
    n = given(query)
    boxes = query.get_by_label("may attend to")
    query.get_by_label("may attend to look").uncheck()
    mask = torch.tensor([[True, True, True, False, True]])
    agree(query, scaled_dot_product_attention(n["q"][None], n["K"], n["V"], mask))
    expect(query.locator("tbody tr").nth(3)).to_contain_text("−∞")
    for box in boxes.all():
        box.click()
    assert sum(box.is_checked() for box in boxes.all()) >= 1


def test_what_changed_is_told(page: Page, query: Locator) -> None:
    told = page.get_by_role("status").filter(has_text="z = (")
    expect(told).to_contain_text("it attends most to look, 73 %")
    query.get_by_label("may attend to look").focus()
    page.keyboard.press("Space")
    expect(told).not_to_contain_text("most to look,")


@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_and_nothing_overflows(
    page: Page, query: Locator, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    query.get_by_label("temperature").focus()
    page.keyboard.press("Home")
    assert faults(page) == []
    assert query.evaluate("e => e.scrollWidth <= e.clientWidth + 1")


def test_without_a_script_the_table_stands(read: Open) -> None:
    with read("attention/", QUERY, java_script_enabled=False) as window:
        query = window.locator(".lb-query")
        expect(query.locator("input")).to_have_count(0)
        expect(query).to_contain_text("0.734")
        expect(query.locator("output")).to_contain_text("z = (1.742, 5.128, 1.280)")
