"""Live models in the page: real weights, keys, faults, and each state held to rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, Route, expect

from lookback import pretrained
from lookback.text.corpora import grammar
from lookback.workshop import TranslationLearner

from .axe import faults
from .conftest import LIVE, WIDE, WITHOUT, asking, status, too_small
from .windows import Windows

SYSTEMS = ("encdec", "seq2seq", "bahdanau", "luong", "transformer")
BREAKS = {
    "Model 1": "IBM Model 1",
    "the encoder–decoder": "Encoder–decoder",
    "the deep LSTMs": "Deep LSTMs",
    "RNNsearch": "RNNsearch",
    "Luong's dot product": "Luong's dot product",
    "the Transformer": "Transformer",
}
WRONG = re.compile("differ|more words")
FILE = "**/bahdanau.*.safetensors"


def translated(page: Page) -> None:
    expect(page.locator(".lb-live[data-done]")).to_have_count(1)
    expect(status(page)).to_contain_text(": ")


@cache
def learner(name: str) -> TranslationLearner:
    found = pretrained(name, kind=TranslationLearner)
    found.network.double()
    return found


@pytest.fixture(scope="module")
def models(windows: Windows, base: str) -> Iterator[Page]:
    """A page whose models are asked by script alone, and which stays as it is."""
    headers = asking("live/", LIVE)
    with windows.lend(reduced_motion="reduce", headers=headers) as page:
        page.goto(f"{base}live/", wait_until="load")
        yield page
        assert page.evaluate("window.violations") == []


TRANSLATE = "([name, words]) => window.lookback.translate(name, words)"


@pytest.mark.parametrize("name", SYSTEMS)
def test_through_the_real_fetch_it_is_pythons_model(models: Page, name: str) -> None:
    test = grammar(pairs=6500).test
    sentences = [list(pair.source) for pair in test[:3]]
    for words in sentences:
        found = models.evaluate(TRANSLATE, [name, words])
        assert found["words"] == learner(name).translate(words)
        if hasattr(learner(name), "attention_weights"):
            (expected,) = learner(name).attention_weights([(words, found["words"])])
            np.testing.assert_allclose(
                found["weights"], expected[:-1], atol=1e-10, rtol=0
            )


def test_model_1_through_the_real_fetch(models: Page) -> None:
    model: Any = pretrained("ibm1")
    words = ["the", "important", "director", "is", "old", "."]
    found = models.evaluate(TRANSLATE, ["ibm1", words])
    assert found["words"] == model.translate(words)
    expected = model.attention(words, found["words"])
    ours = np.array(found["weights"])[:, :-1]  # without </s>
    np.testing.assert_allclose(ours, expected, atol=1e-10, rtol=0)


def test_a_walk_by_keyboard(visit: Callable[..., Any]) -> None:
    with visit() as page:
        translated(page)
        page.get_by_label("English sentence").focus()
        page.keyboard.press("Control+a")
        page.keyboard.type("The minister sleeps")
        page.keyboard.press("Enter")
        expect(status(page)).to_have_text("RNNsearch, 2014: Le ministre dort.")
        toolbar = page.get_by_role("toolbar", name="Words of RNNsearch, 2014")
        words = toolbar.get_by_role("button")
        assert words.all_inner_texts() == ["le", "ministre", "dort", "."]
        for _ in range(20):  # Tab reaches the words: they are one stop
            page.keyboard.press("Tab")
            if words.first.evaluate("word => word === document.activeElement"):
                break
        for key, at in (("ArrowDown", 1), ("End", 3), ("ArrowUp", 2), ("Home", 0)):
            page.keyboard.press(key)
            expect(words.nth(at)).to_be_focused()
            told = words.nth(at).get_attribute("aria-label") or ""
            expect(status(page)).to_have_text(told)
            assert " attends to " in told
        tabs = "words => words.filter(word => word.tabIndex === 0).length"
        assert words.evaluate_all(tabs) == 1
        box = words.first.bounding_box()
        assert box is not None and min(box["width"], box["height"]) >= 24


def test_an_unknown_word_is_refused_with_near_ones(visit: Callable[..., Any]) -> None:
    with visit() as page:
        translated(page)
        field = page.get_by_label("English sentence")
        field.fill("the minster sleeps.")
        field.press("Enter")
        expect(status(page)).to_have_text(
            "“minster” is no word of this small language. "
            "Did you mean minister or ministers?"
        )
        expect(page.locator(".lb-written", has_text="Le")).to_have_count(0)
        assert not faults(page)
        page.get_by_role("button", name="minister", exact=True).click()
        expect(field).to_have_value("the minister sleeps.")
        expect(field).to_be_focused()
        expect(status(page)).to_contain_text("Le ministre dort.")
        field.fill("xylophone")
        field.press("Enter")
        expect(status(page)).to_contain_text("No word of it is near.")


def test_words_are_completed(visit: Callable[..., Any]) -> None:
    with visit() as page:
        translated(page)
        field = page.get_by_label("English sentence")
        field.fill("The min")
        page.get_by_role("button", name="minister", exact=True).click()
        expect(field).to_have_value("The minister ")
        expect(field).to_be_focused()


def test_all_systems_side_by_side_and_the_sentences_that_break_them(
    visit: Callable[..., Any],
) -> None:
    with visit() as page:
        translated(page)
        page.get_by_role("button", name="Load all systems").click()
        expect(page.locator(".lb-written:not(:empty)")).to_have_count(len(BREAKS))
        expect(status(page)).to_contain_text("Transformer, 2017: ")
        assert not faults(page)
        expect(page.locator(".lb-written .lb-wrong").first).to_be_visible()
        pick = page.get_by_label("A sentence that")
        for about, name in BREAKS.items():
            pick.select_option(f"… breaks {about}")
            one = page.get_by_role("group", name=name)
            expect(one.locator(".lb-note").first).to_contain_text(WRONG)


def test_the_slider_goes_through_lengths(visit: Callable[..., Any]) -> None:
    with visit() as page:
        translated(page)
        slider = page.get_by_label("Test sentences by length")
        slider.focus()
        page.keyboard.press("End")
        longest = slider.get_attribute("aria-valuetext") or ""
        assert int(longest.removesuffix(" words")) > 50
        expect(page.locator(".lb-reference")).to_contain_text("The grammar's")
        expect(page.locator(".lb-note").first).to_be_attached()
        page.set_viewport_size({"width": 360, "height": 740})
        expect(status(page)).to_contain_text("RNNsearch, 2014: ")
        assert page.evaluate(WIDE) == []
        assert not faults(page)


def test_a_sentence_is_shared_by_its_address(visit: Callable[..., Any]) -> None:
    with visit(permissions=["clipboard-write", "clipboard-read"]) as page:
        translated(page)
        page.get_by_label("English sentence").fill("the queen sleeps.")
        page.get_by_role("button", name="Link to this sentence").click()
        expect(status(page)).to_contain_text("address")
        address = page.url
    with visit("live/?" + address.partition("?")[2]) as page:
        expect(status(page)).to_have_text("RNNsearch, 2014: La reine dort.")
    with visit("live/?sentence=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E") as page:
        expect(status(page)).to_contain_text("is no word of this small language")
        assert page.locator("img[src=x]").count() == 0


@pytest.mark.parametrize("fault", ["lost", "altered", "absent"])
def test_without_its_weights_the_figure_stays(
    visit: Callable[..., Any], fault: str
) -> None:
    with visit(route=(FILE, WITHOUT[fault])) as page:
        expect(status(page)).to_contain_text("the figure stays as it is")
        expect(page.locator(".lb-live figure svg:visible").first).to_be_visible()
        expect(page.locator(".lb-desk")).to_have_count(0)
        assert not faults(page)
        page.unroute(FILE)
        page.get_by_role("button", name="Translate a sentence of yours").click()
        translated(page)
        expect(page.locator(".lb-live figure")).to_be_hidden()
        expect(page.get_by_label("English sentence")).to_be_focused()


def test_who_reads_the_figure_is_taken_along(visit: Callable[..., Any]) -> None:
    """Where it was, the weights put a field; with the keyboard nowhere, it stays so."""

    def late(route: Route) -> None:
        page = route.request.frame.page
        page.locator(".lb-live figure button").first.focus()
        expect(status(page)).to_contain_text("Loading")
        route.continue_()

    with visit(route=(FILE, late)) as page:
        translated(page)
        expect(page.get_by_label("English sentence")).to_be_focused()


def test_loading_leaves_the_keyboard_where_it_is(visit: Callable[..., Any]) -> None:
    with visit(viewport={"width": 390, "height": 780}) as page:
        translated(page)
        assert page.evaluate("document.activeElement === document.body")
        page.get_by_role("button", name=re.compile("^Load Transformer")).focus()
        page.keyboard.press("Enter")
        system = page.get_by_role("group", name="Transformer", exact=False).first
        expect(system).to_be_focused()
        page.keyboard.press("Tab")
        inside = system.get_by_role("toolbar").get_by_role("button").first
        expect(inside).to_be_focused()
        page.get_by_role("button", name="Load all systems").press("Enter")
        field = page.get_by_label("English sentence")
        expect(field).to_be_focused()
        header = page.locator(".md-header").bounding_box()
        box = field.bounding_box()
        assert header and box and box["y"] >= header["y"] + header["height"]


def test_another_system_whose_weights_are_lost_says_so(
    visit: Callable[..., Any],
) -> None:
    lost = ("**/luong.*.safetensors", lambda route: route.abort())
    with visit(route=lost) as page:
        translated(page)
        page.get_by_role("button", name="Load Luong's dot product").click()
        expect(status(page)).to_contain_text("did not come whole")
        assert not faults(page)


def test_who_saves_data_loads_nothing_unasked(visit: Callable[..., Any]) -> None:
    saver = "Object.defineProperty(navigator, 'connection', {value: {saveData: true}});"
    asked: list[str] = []

    def note(route: Route) -> None:
        asked.append(route.request.url)
        route.continue_()

    with visit(before=saver, route=("**/*.safetensors", note)) as page:
        button = page.get_by_role("button", name="Translate a sentence of yours")
        expect(button).to_have_text("Translate a sentence of yours (1.2 MB)")
        assert not faults(page)
        assert asked == []
        button.click()
        translated(page)
        assert len(asked) == 1


def test_without_script_the_figure_is_there(read: Callable[..., Any]) -> None:
    with read("live/", java_script_enabled=False) as page:
        expect(page.locator(".lb-live figure svg").first).to_be_visible()


def test_on_a_phone_in_both_palettes(visit: Callable[..., Any]) -> None:
    with visit(viewport={"width": 360, "height": 740}) as page:
        translated(page)
        page.locator(".lb-line button").nth(1).focus()
        assert page.evaluate(WIDE) == []
        assert too_small(page) == []
        assert not faults(page)
        page.emulate_media(color_scheme="dark")
        assert not faults(page)


def test_words_come_one_by_one_where_motion_is_welcome(
    visit: Callable[..., Any],
) -> None:
    with visit(reduced_motion="no-preference") as page:
        translated(page)
        assert page.locator(".lb-line").count() == 7


def test_the_next_word_follows_what_is_typed(visit: Callable[..., Any]) -> None:
    trigrams = pretrained("ngram").network
    with visit("ngram/") as page:
        page.get_by_role("button", name="Try words of yours").click()
        field = page.get_by_label("A sentence begins")
        expect(field).to_be_focused()
        found = page.evaluate("() => window.lookback.next('ngram', ['she', 'does'])")
        for word in ("not", "sleep", "the"):
            expected = trigrams.score(word, ["she", "does"])
            assert found[word] == pytest.approx(expected, abs=1e-12)
        field.fill("she does")
        words = page.get_by_role("group", name="The next word").get_by_role("button")
        expect(words.first).to_have_accessible_name("not 98 %")
        expect(status(page)).to_contain_text("After she does: not 98 %")
        words.first.focus()
        page.keyboard.press("Enter")
        expect(field).to_have_value("she does not ")
        page.get_by_label("Temperature").fill("0")
        expect(words).to_have_count(1)
        expect(words.first).to_have_accessible_name(re.compile("100 %"))
        page.get_by_label("Temperature").fill("1")
        page.get_by_label("Top k").fill("3")
        expect(words).to_have_count(3)
        page.get_by_role("button", name="Draw to the end").click()
        expect(status(page)).to_contain_text("she does not ")
        assert not faults(page)
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate(WIDE) == []


def test_heads_of_the_transformer_are_seen_and_switched_off(
    visit: Callable[..., Any],
) -> None:
    with visit("transformer/") as page:
        page.get_by_role("button", name="Translate a sentence of yours").click()
        expect(status(page)).to_contain_text("Transformer: ")
        before = page.locator(".lb-written").inner_text()
        first = page.locator(".lb-line button").first
        mean = first.get_attribute("aria-label")
        shown = page.get_by_label("Attention shown")
        shown.select_option("decoder, cross-attention 1.2")
        expect(first).not_to_have_attribute("aria-label", mean or "")
        shown.select_option("encoder 2.3")
        lines = page.locator(".lb-line button")
        expect(lines.first).to_have_text("the")
        expect(lines.last).to_have_text("</s>")
        shown.select_option("decoder, self-attention 1.1")
        expect(lines.first).to_have_accessible_name("<s> attends to <s> 100 %")
        lines.nth(2).focus()
        expect(status(page)).to_contain_text(" attends to ")
        one = lines.nth(2).get_attribute("aria-label") or ""
        shown.select_option("decoder, self-attention 1.2")
        expect(lines.nth(2)).not_to_have_attribute("aria-label", one)
        shown.select_option("decoder, self-attention 1.1")
        expect(lines.nth(2)).to_have_attribute("aria-label", one)
        assert not faults(page)
        shown.select_option("mean of the last layer")
        expect(first).to_have_attribute("aria-label", mean or "")
        page.get_by_label("Decoding").select_option("beam of 3")
        expect(status(page)).to_contain_text("Transformer: ")
        page.get_by_text("Switch heads off", exact=True).click()
        heads = page.get_by_role("group", name="decoder, cross-attention")
        for head in heads.get_by_role("button").all():
            head.click()
            expect(head).to_have_attribute("aria-pressed", "false")
        expect(page.locator(".lb-written")).not_to_have_text(before)
        assert not faults(page)
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate(WIDE) == []


def test_words_are_drawn_at_a_temperature(visit: Callable[..., Any]) -> None:
    with visit("transformer/") as page:
        page.get_by_role("button", name="Translate a sentence of yours").click()
        expect(status(page)).to_contain_text("Transformer: ")
        written = page.locator(".lb-written")
        likeliest = written.inner_text()
        again = page.get_by_role("button", name="Draw again")
        expect(again).to_be_hidden()
        page.get_by_label("Decoding").select_option("drawn at random")
        heat = page.get_by_label("Temperature")
        heat.fill("2")
        expect(written).not_to_have_text(likeliest)
        first = written.inner_text()
        again.click()
        expect(written).not_to_have_text(first)
        second = written.inner_text()
        heat.fill("0")
        expect(written).to_have_text(likeliest)
        heat.fill("2")  # the same random numbers draw the same words
        expect(written).to_have_text(second)
        seed = page.get_by_label("seed")
        expect(seed).to_have_value("2")
        seed.fill("1")
        expect(written).to_have_text(first)
        seed.press("ArrowUp")
        expect(written).to_have_text(second)
        assert not faults(page)
        page.get_by_label("Decoding").select_option("greedy")
        expect(written).to_have_text(likeliest)


@pytest.mark.parametrize("name", ["", "bahdanau/", "luong/"])
def test_maps_of_other_pages_go_on(visit: Callable[..., Any], name: str) -> None:
    with visit(name, part="") as page:
        page.get_by_role("button", name="Translate a sentence of yours").click()
        translated(page)
        expect(page.locator(".lb-live:has(.lb-desk) figure")).to_be_hidden()
        expect(page.get_by_label("English sentence")).to_be_focused()
        assert page.evaluate(WIDE) == []
