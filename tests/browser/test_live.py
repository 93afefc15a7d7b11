"""Translate sentences in the page, with the real weights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from lookback import pretrained, results
from lookback.text.tokens import tokenize, write_french
from lookback.trainer.translation import TranslationLearner

from .checks import (
    DESKTOP,
    PHONE,
    PIECE,
    axe_violations,
    desk,
    on_a_phone,
    overflowing,
    ready,
    refuses_a_long_text,
    say,
    small_targets,
    start,
    status,
    switches,
    with_motion,
)

BREAKS = {
    "the phrases": "Phrases",
    "Model 1": "IBM Model 1",
    "the encoder–decoder": "Encoder–decoder",
    "the deep LSTMs": "Deep LSTMs",
    "RNNsearch": "RNNsearch",
    "Luong's dot product": "Luong's dot product",
    "the Transformer": "Transformer",
}
SENTENCE = ["the", "cat", "does", "not", "sleep", "."]
QUEEN = "RNNsearch, 2014: La reine dort."
ASKED = "([name, words, more]) => window.lookback.translate(name, words, more)"


@cache
def learner(name: str) -> TranslationLearner:
    found = pretrained(name, kind=TranslationLearner)
    found.network.double()
    return found


def open_live(page: Page, address: str = "live/") -> None:
    page.goto(address)
    ready(page)
    expect(status(page)).to_contain_text(": ")


def open_own(page: Page) -> Locator:
    """Open the piece that reads everyday English; return it."""
    page.goto("live/")
    page.get_by_role("button", name="Translate everyday English").click()
    own = page.locator(".lb-live").nth(1)
    expect(own.locator(".lb-written").first).not_to_be_empty()
    return own


def translate(own: Locator, text: str) -> None:
    own.get_by_label("English sentence").fill(text)
    own.get_by_label("English sentence").press("Enter")


def hidden(name: str, *words: str) -> str:
    """What Python writes of SENTENCE without these words."""
    with learner(name).hidden(*words):
        return write_french(learner(name).translate(SENTENCE))


@pytest.fixture(scope="module")
def models(browser: Browser, base_url: str) -> Iterator[Page]:
    """Open a page once whose models are asked by script alone."""
    page = browser.new_page()
    page.goto(f"{base_url}live/")
    yield page
    page.close()


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("encdec", ()),
        ("seq2seq", ()),
        ("bahdanau", ()),
        ("luong", (1, 3)),
        ("transformer", (1, 3)),
    ],
)
def test_a_system_translates_as_python_does(
    models: Page, name: str, places: tuple[int, ...]
) -> None:
    """With words hidden, and with a head of the Transformer switched off."""
    model, heads = learner(name), [("cross", 1, 2)] * (name == "transformer")
    more = {"hidden": places, "off": ["cross 1 2"] * len(heads)}
    found = models.evaluate(ASKED, [name, SENTENCE, more])
    with (
        model.hidden(*places) if places else nullcontext(),
        model.without(heads=heads) if heads else nullcontext(),
    ):
        assert found["words"] == model.translate(SENTENCE)
        if not hasattr(model, "attention_weights"):
            return
        (expected,) = model.attention_weights([(SENTENCE, found["words"])])
    np.testing.assert_allclose(found["weights"], expected[:-1], atol=1e-10, rtol=0)


def test_a_walk_by_keyboard(page: Page) -> None:
    open_live(page)
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
        label = words.nth(at).get_attribute("aria-label") or ""
        expect(status(page)).to_have_text(label)
        assert " attends to " in label
    tabs = "words => words.filter(word => word.tabIndex === 0).length"
    assert words.evaluate_all(tabs) == 1


def test_unknown_words_are_named_with_near_ones_and_words_completed(page: Page) -> None:
    open_live(page)
    field = say(page, "the minster sleeps.")
    expect(status(page)).to_have_text(
        "“minster” is no word of this small language. "
        "Did you mean minister or ministers?"
    )
    expect(page.locator(".lb-written", has_text="Le")).to_have_count(0)
    assert axe_violations(page, PIECE) == []
    chips = page.get_by_role("group", name="Words to choose").get_by_role("button")
    chips.first.click()
    expect(field).to_have_value("the minister sleeps.")
    expect(field).to_be_focused()
    expect(status(page)).to_contain_text("Le ministre dort.")
    say(page, "xylophone")
    expect(status(page)).to_contain_text("No word of it is near.")
    say(page, "the minster barks at xylophones, the minster.")
    expect(status(page)).to_have_text(
        "These are no words of this small language: “minster” (did you mean minister "
        "or ministers?), “barks” (did you mean banks?), “xylophones”."
    )
    expect(field).to_have_attribute("aria-invalid", "true")
    assert chips.all_inner_texts() == ["minister", "ministers", "banks"]
    field.fill("The minister")
    expect(chips).to_have_count(0)
    field.fill("The min")
    chips.get_by_text(re.compile("^minister$")).click()
    expect(field).to_have_value("The minister ")
    expect(field).to_be_focused()
    refuses_a_long_text(page)


def test_the_list_of_words_is_searched_and_fills_the_field(page: Page) -> None:
    open_live(page)
    known = learner("bahdanau").vocabularies["source"].entries[4:]
    field = page.get_by_label("English sentence")
    field.fill("The queen.")
    summary = page.get_by_text(re.compile("^The [0-9]+ words of this language$"))
    summary.press("Enter")
    words = page.get_by_role("toolbar", name="All words").get_by_role("button")
    letters = sorted(w for w in known if any(map(str.isalpha, w)))
    assert sorted(words.all_inner_texts()) == letters
    assert summary.inner_text() == f"The {len(letters)} words of this language"
    assert axe_violations(page, PIECE) == []
    page.locator(".lb-listed").get_by_label("Search").fill("slee")
    found = words.all_inner_texts()
    assert found == [word for word in letters if "slee" in word] and len(found) > 1
    words.first.focus()
    page.keyboard.press("End")
    expect(words.last).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(field).to_have_value(f"The queen {found[0]} ")


def test_a_translation_is_heard_and_says_how_sure_the_model_is(page: Page) -> None:
    """What all can read on the page stands once: the status is hidden to the eye."""
    open_live(page)
    shown = "status => getComputedStyle(status).clipPath"
    below = results("decoding")["unsure"].row(name="bahdanau")["below"]
    sure, unsure = "the queen sleeps.", "queen the sleeps."
    for text in (sure, unsure):
        say(page, text)
        words = [*text.removesuffix(".").split(), "."]
        score = learner("bahdanau").explain(words).score
        said = f"mean ln P a word: {score:.3f}".replace("-", "−")
        expect(page.get_by_text(said)).to_be_visible()
        low = score < below
        assert low == (text == unsure)
        expect(page.locator(".lb-unsure")).to_have_count(int(low))
        if low:
            expect(status(page)).to_contain_text("The model is unsure")
    assert status(page).evaluate(shown) == "inset(50%)"
    say(page, "")
    expect(status(page)).to_have_text("Type an English sentence, or choose one.")
    assert status(page).evaluate(shown) == "none"


BOX = "box => [box.scrollWidth > box.clientWidth, box.scrollHeight > box.clientHeight]"


def test_the_slider_goes_through_lengths_and_a_large_map_scrolls(page: Page) -> None:
    open_live(page)
    slider = page.get_by_label("Test sentences by length")
    slider.press("End")
    longest = slider.get_attribute("aria-valuetext") or ""
    assert int(longest.removesuffix(" words")) > 50
    expect(page.locator(".lb-reference")).to_contain_text("The grammar's")
    expect(page.locator(".lb-note").first).to_be_attached()
    more, box = (
        page.locator(".lb-more:visible").first,
        page.locator(".lb-weights").first,
    )
    heads, row = box.locator(".lb-heads"), box.locator(".lb-line button").first
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        box.evaluate("box => box.scrollTo(0, 0)")
        expect(more).to_have_text(
            re.compile(r"^Scroll: \d+ more words to the right, \d+ more words below\.$")
        )
        assert box.evaluate(BOX) == [True, True]
        before = heads.bounding_box(), row.bounding_box()
        box.evaluate("box => box.scrollTo(100, 48)")
        after = heads.bounding_box(), row.bounding_box()
        assert all((*before, *after))
        assert after[0]["y"] == before[0]["y"]  # the words above stay above
        assert after[1]["x"] == before[1]["x"]  # and those of the rows on the left
        assert after[1]["y"] == pytest.approx(before[1]["y"] - 48, abs=1)
        box.evaluate("box => box.scrollTo(9e9, 9e9)")
        expect(more).to_have_text("The end of the map.")
        last = box.locator(".lb-heads text").last
        assert last.inner_html() == "&lt;/s&gt;"
        room, word = box.bounding_box(), last.bounding_box()
        assert room and word
        assert word["x"] + word["width"] <= room["x"] + room["width"] + 1
        assert word["y"] >= room["y"] - 1
    assert overflowing(page) == []
    assert axe_violations(page, PIECE) == []


def test_a_sentence_of_ones_own_by_both_systems(page: Page) -> None:
    own = open_own(page)
    labels = {"bpe-transformer": "Transformer of", "bpe-bahdanau": "RNNsearch of"}
    own.get_by_role("button", name="Load RNNsearch of sub-words").click()
    for text in ("Where's the station?", "I don't like xylophones"):
        translate(own, text)
        words = [*tokenize(text)]
        words += ["."] * (words[-1] != "?")
        for name, label in labels.items():
            one = own.get_by_role("group", name=re.compile(f"^{label}"))
            expected = write_french(learner(name).translate(words))
            expect(one.locator(".lb-written")).to_have_text(expected)
            rows = one.locator(".lb-line button").all_inner_texts()
            (pieces,) = learner(name).pieces([words])
            assert [row.rstrip("-") for row in rows] == [p.strip() for p in pieces]
    assert own.locator(".lb-heads text").all_text_contents()[3] == "x-"
    assert axe_violations(page, "article") == []
    page.set_viewport_size(PHONE)
    assert overflowing(page) == []
    assert small_targets(own.locator(":is(button, input):visible")) == []
    translate(own, "I ☃ you ⅷ times ☃!")
    told = own.get_by_role("status").filter(visible=True)
    expect(told).to_contain_text("“☃”, “ⅷ”: no sentence that these models learned")
    expect(own.locator(".lb-written").first).to_be_empty()
    translate(own, "word " * 70)
    expect(told).to_contain_text("no sentence of more than")


def test_all_systems_side_by_side_and_the_sentences_that_break_them(page: Page) -> None:
    open_live(page)
    page.get_by_role("button", name="Load all systems").click()
    expect(page.locator(".lb-written:not(:empty)")).to_have_count(len(BREAKS))
    expect(status(page)).to_contain_text("Transformer, 2017: ")
    expect(page.locator(".lb-written .lb-wrong").first).to_be_visible()
    switches(page).first.press("Enter")
    expect(status(page)).to_contain_text("Hidden from attention: ")
    expect(page.get_by_text("It does not attend")).to_have_count(4)
    expect(page.locator(".lb-struck")).to_have_count(3)
    assert axe_violations(page, PIECE) == []
    pick = page.get_by_label("A sentence that")
    for about, name in BREAKS.items():
        pick.select_option(f"… breaks {about}")
        one = page.get_by_role("group", name=name)
        expect(one.locator(".lb-note").first).to_contain_text(
            re.compile("differ|more words")
        )
    page.set_viewport_size(PHONE)
    say(page, " and ".join(["the cat sleeps"] * 16))
    expect(switches(page)).to_have_count(64)
    assert overflowing(page) == []


def test_a_sentence_is_shared_by_its_address(page: Page) -> None:
    page.context.grant_permissions(["clipboard-write", "clipboard-read"])
    open_live(page)
    page.get_by_label("English sentence").fill("the queen sleeps.")
    page.get_by_role("button", name="Link to this sentence").click()
    expect(status(page)).to_contain_text("address")
    address = page.url
    page.goto("about:blank")
    page.goto("live/?" + address.partition("?")[2])
    expect(status(page)).to_have_text(QUEEN)
    own = open_own(page)
    translate(own, "I'm hungry.")
    expect(own).to_have_attribute("data-done", re.compile("hungry"))
    own.get_by_role("button", name="Link to this sentence").click()
    expect(own.get_by_role("status").filter(visible=True)).to_contain_text("address")
    address = page.url
    page.goto("about:blank")
    page.goto("live/?" + address.partition("?")[2])
    field = page.locator(".lb-live").nth(1).get_by_label("English sentence")
    expect(field).to_have_value("I'm hungry.")  # it comes into sight, and starts
    page.goto("live/?sentence=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E")
    expect(status(page)).to_contain_text("no words of this small language")
    assert page.locator("img[src=x]").count() == 0


def test_what_comes_into_sight_is_seen_though_two_crossings_come_together(
    page: Page,
) -> None:
    """A busy browser reports in one call that a piece is out of sight and in it."""
    page.add_init_script("""
        window.IntersectionObserver = class {
          constructor(tell) { this.tell = tell; }
          observe(target) {
            const entry = (isIntersecting) => ({ isIntersecting, target });
            setTimeout(() => this.tell([entry(false), entry(true)], this));
          }
          unobserve() {}
          disconnect() {}
        };
    """)
    page.goto("live/?sentence=the+queen+sleeps.")
    expect(status(page)).to_have_text(QUEEN, timeout=30_000)
    page.goto("rules/")
    read = page.locator(".lb-progress [role=status]")
    expect(read).to_contain_text("You have read", timeout=30_000)


def test_focus_in_the_figure_moves_to_the_field(page: Page) -> None:
    """Start a piece by key: the figure that it replaces had the focus."""

    def late(route: Route) -> None:
        page = route.request.frame.page
        page.locator(".lb-live figure button").first.focus()
        expect(status(page)).to_contain_text("Loading")
        route.continue_()

    page.route("**/bahdanau.*.safetensors", late)
    open_live(page)
    expect(page.get_by_label("English sentence")).to_be_focused()


def test_loading_leaves_the_keyboard_where_it_is(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 780})
    open_live(page)
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


def test_who_saves_data_loads_nothing_unasked(page: Page) -> None:
    saver = "Object.defineProperty(navigator, 'connection', {value: {saveData: true}});"
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.add_init_script(saver)
    page.goto("live/")
    button = page.get_by_role("button", name="Translate a sentence of yours")
    expect(button).to_have_text("Translate a sentence of yours (1.2 MB)")
    assert [url for url in requests if ".safetensors" in url] == []
    button.click()
    ready(page)
    assert len([url for url in requests if ".safetensors" in url]) == 1


@with_motion
def test_words_come_one_by_one_where_motion_is_welcome(page: Page) -> None:
    open_live(page)
    assert page.locator(".lb-line").count() == 7


def test_a_word_is_hidden_by_a_key_and_comes_back(page: Page) -> None:
    start(page, "bahdanau/")
    say(page, "the cat does not sleep")
    expect(switches(page)).to_have_text(SENTENCE)
    switch, written = switches(page).nth(3), page.locator(".lb-written")
    plain = written.inner_text()
    assert plain != hidden("bahdanau", "not")
    rows = desk(page).get_by_role("toolbar").get_by_role("button")
    switch.focus()
    for key, off in (("Enter", True), ("Space", False)):
        page.keyboard.press(key)
        expect(switch).to_have_attribute("aria-pressed", str(not off).lower())
        expect(switch).to_be_focused()
        expect(written).to_have_text(hidden("bahdanau", "not") if off else plain)
        said = "Hidden from attention: not. " if off else ""
        expect(status(page)).to_have_text(re.compile(f"^{said}[^:]+: .*"))
        struck = page.locator(".lb-weights .lb-struck")
        expect(struck).to_have_text(["not"] if off else [])
        labels = [row.get_attribute("aria-label") or "" for row in rows.all()]
        assert labels and any(" not " in label for label in labels) != off


@on_a_phone
def test_words_are_hidden_by_a_finger_together_and_for_one_sentence(page: Page) -> None:
    start(page, "luong/")
    say(page, "the cat does not sleep")
    for k in (3, 1):
        switches(page).nth(k).tap()
    expect(status(page)).to_contain_text("Hidden from attention: cat, not. ")
    expect(page.locator(".lb-written")).to_have_text(hidden("luong", "cat", "not"))
    assert overflowing(page) == []
    assert small_targets(switches(page)) == []
    assert axe_violations(page, PIECE) == []
    say(page, "the cat does not sleep")
    expect(switches(page).nth(3)).to_have_attribute("aria-pressed", "false")
    say(page, "the dog sleeps")
    expect(status(page)).to_have_text(re.compile("^(?!Hidden)[^:]+: "))
    expect(page.locator(f"{PIECE} [aria-pressed=false]")).to_have_count(0)


def test_heads_of_the_transformer_are_seen_and_switched_off(page: Page) -> None:
    start(page, "transformer/")
    before = page.locator(".lb-written").inner_text()
    lines = page.locator(".lb-line button")
    first, third = lines.first, lines.nth(2)
    mean = first.get_attribute("aria-label")
    shown = page.get_by_label("Attention shown")
    shown.select_option("decoder, cross-attention 1.2")
    expect(first).not_to_have_attribute("aria-label", mean or "")
    shown.select_option("encoder 2.3")
    expect(first).to_have_text("the")
    expect(lines.last).to_have_text("</s>")
    shown.select_option("decoder, self-attention 1.1")
    expect(first).to_have_accessible_name("<s> attends to <s> 100 %")
    third.focus()
    expect(status(page)).to_contain_text(" attends to ")
    one = third.get_attribute("aria-label") or ""
    shown.select_option("decoder, self-attention 1.2")
    expect(third).not_to_have_attribute("aria-label", one)
    shown.select_option("decoder, self-attention 1.1")
    expect(third).to_have_attribute("aria-label", one)
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
    assert axe_violations(page, PIECE) == []
    page.set_viewport_size(PHONE)
    assert overflowing(page) == []


def test_words_are_drawn_at_a_temperature(page: Page) -> None:
    start(page, "transformer/")
    written = page.locator(".lb-written")
    likeliest = written.inner_text()
    again = page.get_by_role("button", name="Draw again")
    expect(again).to_be_hidden()
    page.get_by_label("Decoding").select_option("drawn at random")
    heat, seed = page.get_by_label("Temperature"), page.get_by_label("seed")
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
    expect(seed).to_have_value("2")
    seed.fill("1")
    expect(written).to_have_text(first)
    assert axe_violations(page, PIECE) == []
    page.get_by_label("Decoding").select_option("greedy")
    expect(written).to_have_text(likeliest)
