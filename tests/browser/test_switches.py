"""Hide words from attention, and switch heads off, in the page."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from lookback import pretrained
from lookback.text.tokens import write_french

from .checks import (
    PHONE,
    axe_violations,
    desk,
    on_a_phone,
    overflowing,
    small_targets,
    start,
    status,
)

REACH = "Words that attention may reach"
TRANSLATE, TRY = "Translate a sentence of yours", "Try words of yours"
STEP = "Go through it step by step"
PIECE = ".lb-live[data-done]"
SENTENCE = ["the", "cat", "does", "not", "sleep", "."]
AGAIN = """([name, words, more]) =>
    window.lookback.translate(name, words, more)"""


def words(page: Page) -> Locator:
    return page.get_by_role("group", name=REACH).get_by_role("button")


def field(page: Page, text: str) -> None:
    page.get_by_label("English sentence").fill(text)
    page.keyboard.press("Enter")


def hidden(name: str, *given: str | int) -> str:
    """What Python writes of SENTENCE without these words."""
    model: Any = pretrained(name)
    with model.hidden(*given):
        return write_french(model.translate(SENTENCE))


@pytest.mark.parametrize("name", ["bahdanau", "luong", "transformer"])
def test_a_word_is_hidden_by_a_key_and_comes_back(page: Page, name: str) -> None:
    start(page, f"{name}/", TRANSLATE)
    field(page, "the cat does not sleep")
    expect(words(page)).to_have_text(SENTENCE)
    plain = desk(page).locator(".lb-written").inner_text()
    found = page.locator(".lb-written")
    switch = words(page).nth(3)
    switch.focus()
    for key in ("Enter", "Space"):
        page.keyboard.press(key)
        pressed = "false" if key == "Enter" else "true"
        expect(switch).to_have_attribute("aria-pressed", pressed)
        expect(switch).to_be_focused()
        expected = hidden(name, "not") if key == "Enter" else plain
        expect(found).to_have_text(expected)
        said = "Hidden from attention: not. " if key == "Enter" else ""
        expect(status(page)).to_have_text(re.compile(f"^{said}[^:]+: .*"))
        struck = page.locator(".lb-weights .lb-struck")
        expect(struck).to_have_text(["not"] if key == "Enter" else [])
        rows = desk(page).get_by_role("toolbar").get_by_role("button")
        labels = [row.get_attribute("aria-label") or "" for row in rows.all()]
        assert labels and any(" not " in label for label in labels) == (not said)
    assert plain != hidden(name, "not")


@pytest.mark.parametrize("name", ["bahdanau", "luong", "transformer"])
def test_the_page_hides_as_python_does(page: Page, name: str) -> None:
    page.goto(f"{name}/")
    model: Any = pretrained(name)
    model.network.double()
    heads = {"transformer": [("cross", 1, 2)]}.get(name, [])
    off = [" ".join(map(str, head)) for head in heads]
    found = page.evaluate(AGAIN, [name, SENTENCE, {"hidden": [1, 3], "off": off}])
    with model.hidden(1, 3), model.without(heads=heads) if heads else nullcontext():
        assert found["words"] == model.translate(SENTENCE)
        (expected,) = model.attention_weights([(SENTENCE, found["words"])])
    np.testing.assert_allclose(found["weights"], expected[:-1], atol=1e-10, rtol=0)


@on_a_phone
def test_words_are_hidden_by_a_finger_together_and_for_one_sentence(page: Page) -> None:
    start(page, "bahdanau/", TRANSLATE)
    field(page, "the cat does not sleep")
    for k in (3, 1):
        words(page).nth(k).tap()
    expect(status(page)).to_contain_text("Hidden from attention: cat, not. ")
    expect(page.locator(".lb-written")).to_have_text(hidden("bahdanau", "cat", "not"))
    assert overflowing(page) == []
    assert small_targets(words(page)) == []
    assert axe_violations(page, PIECE) == []
    field(page, "the cat does not sleep")
    expect(words(page).nth(3)).to_have_attribute("aria-pressed", "false")
    field(page, "the dog sleeps")
    expect(status(page)).to_have_text(re.compile("^RNNsearch: "))
    expect(page.locator(f"{PIECE} [aria-pressed=false]")).to_have_count(0)


def test_of_many_systems_those_that_do_not_attend_say_so(page: Page) -> None:
    start(page, "live/", TRANSLATE)
    page.get_by_role("button", name="Load all systems").click()
    expect(page.locator(".lb-written:not(:empty)")).to_have_count(7)
    words(page).first.press("Enter")
    expect(status(page)).to_contain_text("Hidden from attention: ")
    expect(page.get_by_text("It does not attend")).to_have_count(4)
    expect(page.locator(".lb-struck")).to_have_count(3)
    assert axe_violations(page, PIECE) == []
    page.set_viewport_size(PHONE)
    field(page, " and ".join(["the cat sleeps"] * 16))
    expect(words(page)).to_have_count(64)
    assert overflowing(page) == []


def test_in_steps_the_score_of_a_hidden_word_is_minus_infinity(page: Page) -> None:
    start(page, "bahdanau/", STEP)
    field(page, "the cat does not sleep")
    slider = page.get_by_role("slider", name="Step")
    slider.press("ArrowRight")
    row = page.locator(".lb-scores tbody tr").nth(1)
    expect(row).not_to_contain_text("∞")
    words(page).nth(1).press("Enter")
    expect(row).to_contain_text("−∞")
    expect(row).to_contain_text("0 %")
    expect(status(page)).to_contain_text("Hidden from attention: cat. Step 2, ")
    assert axe_violations(page, PIECE) == []
    words(page).nth(1).press("Enter")
    expect(row).not_to_contain_text("∞")


def test_words_and_heads_of_gpt(page: Page) -> None:
    start(page, "gpt/", TRY)
    text = ["the", "laws", "of", "the", "bank"]
    expect(words(page)).to_have_text(text)
    model: Any = pretrained("gpt")
    model.network.double()
    before = status(page).inner_text()
    words(page).nth(1).press("Enter")
    expect(status(page)).to_contain_text("Hidden from attention: laws. After the l")
    with model.hidden("laws"):
        (log_p,) = model.log_probabilities([[*text, "is"]])
    found = page.evaluate(
        "words => window.lookback.next('gpt', words, { hidden: [1] })", text
    )
    assert found["is"] == pytest.approx(np.exp(log_p[5]), abs=1e-10)
    bars = page.get_by_role("group", name="The next word").get_by_role("button")
    expect(bars.first).to_have_accessible_name(re.compile(r"^(?!will 1[56])"))
    page.get_by_label("A sentence begins").fill("the laws of the bank that")
    expect(words(page)).to_have_text([*text, "that"])
    expect(words(page).nth(1)).to_have_attribute("aria-pressed", "false")
    page.get_by_label("A sentence begins").fill("the laws of the bank")
    words(page).nth(1).press("Enter")
    expect(status(page)).to_have_text(before)
    page.get_by_text("Switch heads off").click()
    page.get_by_role("button", name="Heads: layer 2, head 4").click()
    expect(status(page)).not_to_have_text(before)
    assert axe_violations(page, PIECE) == []
