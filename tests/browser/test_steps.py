"""Step through the tree of a beam search, and through an attending decoder."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from lookback import pretrained
from lookback.decoding import beam_search
from lookback.trainer.translation import TranslationLearner

from .checks import (
    PIECE,
    STEP,
    TREE,
    axe_violations,
    desk,
    on_a_phone,
    say,
    start,
    status,
    switches,
)

TORN = "every woman knows this new president who sleeps."


def nodes(page: Page) -> Locator:
    return page.get_by_role("toolbar", name="Hypotheses").locator("button:visible")


def test_a_beam_has_pythons_hypotheses_and_is_walked_by_keyboard(page: Page) -> None:
    learner = pretrained("encdec", kind=TranslationLearner)
    learner.network.double()
    english, french = learner.sides
    words = [*TORN.removesuffix(".").split(), "."]
    source = torch.tensor([[*english.ids(words), english.end]])
    ends = {"begin": french.start, "end": french.end, "size": 3, "count": 3}
    start(page, "decoding/", TREE)
    expect(desk(page).get_by_label("English sentence")).to_be_focused()
    say(page, TORN)
    expect(status(page)).to_contain_text("nothing in the beam can beat it")
    expect(status(page)).to_contain_text("The search is over after 6 steps")
    every = nodes(page).count()
    desk(page).get_by_label("Step", exact=True).fill("2")  # the third
    (expected,) = beam_search(
        learner.network, source, torch.ones_like(source).bool(), **ends, longest=3
    )
    for node, hypothesis in zip(nodes(page).all()[-3:], expected, strict=True):
        text = " ".join(french.words(hypothesis.ids)).capitalize()
        name = f"“{text}”, ln P {hypothesis.log_p:.2f}".replace("-", "−")
        expect(node).to_have_accessible_name(re.compile(re.escape(name)))
    desk(page).get_by_label("Step", exact=True).press("End")
    desk(page).get_by_role("button", name="Step back").press("Enter")
    expect(status(page)).to_contain_text("Step 5 of 6")
    page.keyboard.press("ArrowLeft")
    expect(status(page)).to_contain_text("Step 4 of 6")
    assert nodes(page).count() == every - 6
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")  # the slider
    page.keyboard.press("End")
    expect(status(page)).to_contain_text("The search is over")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # the tree is one stop
    best = page.locator(".lb-tree .lb-strong.lb-ended")
    expect(best.locator("visible=true").last).to_be_focused()
    held = page.locator(".lb-tree button:focus")
    for key, word in (
        ("ArrowLeft", "."),
        ("Home", "chaque"),
        ("ArrowDown", "vous"),
        ("ArrowUp", "chaque"),
        ("ArrowRight", "femme"),
        ("End", "</s>"),
    ):
        page.keyboard.press(key)
        expect(held.locator("span")).to_have_text(word)
        label = held.get_attribute("aria-label") or ""
        expect(status(page)).to_have_text(label.partition("; ")[2])
    page.locator(".lb-tree").press("Tab")
    expect(status(page)).to_contain_text("The search is over")


@on_a_phone
def test_size_and_penalty_change_the_search(page: Page) -> None:
    start(page, "decoding/", TREE)
    desk(page).get_by_label("A sentence that").select_option(
        "… has a short translation and a long one"
    )
    expect(status(page)).to_contain_text("“Chaque femme dort rarement.”")
    desk(page).get_by_label("Beam size").fill("1")
    expect(page.locator(".lb-finished li")).to_have_count(1)
    steps = desk(page).locator(".lb-player output").inner_text().split()[-1]
    assert nodes(page).count() == int(steps)
    desk(page).get_by_label("Beam size").fill("5")
    desk(page).get_by_label("Length penalty").fill("1.5")
    expect(status(page)).not_to_contain_text("“Chaque femme dort rarement.”")
    assert page.locator(".lb-finished li").count() > 1
    desk(page).get_by_role("button", name="Step back").tap()
    expect(status(page)).to_contain_text("Step ")
    assert axe_violations(page, PIECE) == []
    desk(page).get_by_label("Step", exact=True).fill("0")
    expect(page.get_by_text("No hypothesis has finished yet.")).to_be_visible()
    say(page, "the minster sleeps")
    expect(status(page)).to_contain_text("Did you mean minister or ministers?")
    assert axe_violations(page, PIECE) == []
    say(page, "the minister sleeps")
    expect(status(page)).not_to_contain_text("Did you mean")


@pytest.mark.parametrize("name", ["bahdanau", "luong"])
def test_a_decoder_goes_step_by_step(page: Page, name: str) -> None:
    learner: Any = pretrained(name, kind=TranslationLearner)
    learner.network.double()
    words = ["the", "famous", "german", "minister", "sleeps", "."]
    written = [*learner.translate(words), "</s>"]
    (weights,) = learner.attention_weights([(words, written[:-1])])
    start(page, f"{name}/", STEP)
    expect(desk(page).locator(".lb-player output")).to_contain_text("2 of ")
    say(page, "the minster sleeps")
    expect(status(page)).to_contain_text("Did you mean minister or ministers?")
    say(page, " ".join(words))
    step = desk(page).get_by_label("Step", exact=True)
    step.focus()
    for t, word in enumerate(written):
        cells = page.locator(".lb-scores td:last-child span").all_inner_texts()
        shown = [float(text.removesuffix(" %")) / 100 for text in cells]
        assert shown == pytest.approx(weights[t].tolist(), abs=0.0051)
        bars = page.locator(".lb-scores td:last-child i").evaluate_all(
            "bars => bars.map(b => Number(b.style.getPropertyValue('--lb-share')))"
        )
        assert bars == pytest.approx(weights[t].tolist(), abs=1e-10)
        expect(page.locator(".lb-written strong")).to_have_text(word)
        expect(status(page)).to_contain_text(f"Step {t + 1}, ")
        page.keyboard.press("ArrowRight")
    expect(page.locator(".lb-next [aria-pressed=true]")).to_contain_text("(end)")
    page.keyboard.press("Home")
    expect(status(page)).to_contain_text("at the beginning")
    page.keyboard.press("ArrowRight")
    row = page.locator(".lb-scores tbody tr").nth(1)
    expect(row).not_to_contain_text("∞")
    switches(page).nth(1).press("Enter")
    expect(row).to_contain_text("−∞")
    expect(row).to_contain_text("0 %")
    expect(status(page)).to_contain_text("Hidden from attention: famous. Step 2, ")
    assert axe_violations(page, PIECE) == []
    switches(page).nth(1).press("Enter")
    expect(row).not_to_contain_text("∞")


def test_another_word_leads_the_decoder_elsewhere(page: Page) -> None:
    start(page, "bahdanau/", STEP)
    words = page.get_by_role("group", name="The next word").get_by_role("button")
    expect(words).to_have_count(6)
    expect(words.first).to_have_attribute("aria-pressed", "true")
    other = (words.nth(1).get_attribute("aria-label") or "").partition(" ")[0]
    words.nth(1).press("Enter")
    expect(page.locator(".lb-next [aria-pressed=true]")).to_be_focused()
    expect(page.locator(".lb-written")).to_contain_text(f"le {other} ")
    expect(status(page)).to_contain_text(f"after le {other}: attends to ")
    page.keyboard.press("ArrowLeft")
    expect(words.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(words.nth(1)).to_be_focused()
