"""Test the HTML of figures: names, folded numbers, hidden frames, live figures."""

import json

from bs4 import BeautifulSoup

from lookback.engine.figure import figure_html

SVG = '<svg viewBox="0 0 1 1"></svg>'


def test_the_figure_says_what_it_shows() -> None:
    alt = 'perplexity "falls" from 5 < 6\nto <3> & it\'s measured'
    page = figure_html({"svg": SVG}, alt, "A &amp; <b>b</b>")
    seen = BeautifulSoup(page, "html.parser")
    (drawing,) = seen.select("figure.lb-figure > div.lb-scroll[tabindex='0'] > svg")
    assert drawing["role"] == "img"
    assert drawing["aria-label"] == " ".join(alt.split())
    assert page.endswith("<figcaption>A &amp; <b>b</b></figcaption></figure>")
    assert "figcaption" not in figure_html({"svg": SVG}, "alt")


def test_the_numbers_are_folded_under_the_figure() -> None:
    page = figure_html({"svg": SVG, "numbers": "<table></table>", "live": "map"}, "alt")
    figure, numbers = page.split("</figure>")
    assert 'class="lb-figure" data-live="map"' in figure
    assert numbers.startswith('<details class="lb-numbers"') and "<table>" in numbers
    assert "details" not in figure_html({"svg": SVG}, "alt")


def test_the_numbers_are_saved_where_their_file_has_a_name() -> None:
    output = {"svg": SVG, "numbers": "<table></table>"}
    live = output | {"settings": json.dumps({"models": [], "options": {}})}
    for shown in (output, live):
        page = figure_html(shown, "alt", file="p-figure-1")
        (fold,) = BeautifulSoup(page, "html.parser").select("details")
        assert (fold["data-live"], fold["data-csv"]) == ("csv", "p-figure-1")
    assert "csv" not in figure_html(output, "alt")


def test_frames_that_are_not_chosen_wait() -> None:
    shown = [
        {"label": label, "svg": SVG, "chosen": chosen}
        for label, chosen in (("a<b", True), ("c", False))
    ]
    page = figure_html({"frames": json.dumps(shown)}, "alt", "words")
    first, second = page.split('<div class="lb-frame"')[1:]
    assert first.startswith("><p>a&lt;b</p>") and second.startswith(" hidden>")
    assert 'role="group" aria-label="alt"' in page and 'data-live="frames"' in page
    assert page.endswith("<figcaption>words</figcaption></figure>")


def test_the_numbers_of_frames_are_folded_together_and_wait_with_them() -> None:
    shown = [
        {"label": "a<b", "svg": SVG, "chosen": True, "live": "map", "numbers": "<i>1"},
        {"label": "plain", "svg": SVG, "chosen": True},
        {"label": "c", "svg": SVG, "chosen": False, "numbers": "<i>3"},
    ]
    figure, numbers = figure_html({"frames": json.dumps(shown)}, "alt").split(
        "</figure>"
    )
    assert figure.count("data-live=") == 2
    assert '<div class="lb-frame" data-live="map"><p>a&lt;b</p>' in figure
    assert numbers.startswith('<details class="lb-numbers"')
    assert numbers.count("<details") == 1
    first, second = numbers.split("<div data-frame=")[1:]
    assert first == '"0"><p>a&lt;b</p><i>1</div>'
    assert second.startswith('"2" hidden><p>c</p><i>3</div>')


def test_a_live_figure_is_the_still_one_in_what_a_script_finds() -> None:
    still = {"svg": SVG, "numbers": "<table></table>", "live": "map"}
    settings = {"models": ["a", "b"], "options": {"kind": "translator", "x": '"<é'}}
    page = figure_html(still | {"settings": json.dumps(settings)}, "alt", "words")
    assert figure_html(still, "alt", "words") in page
    assert page.startswith('<div class="lb-live" data-live="live" data-models="a b" ')
    assert page.endswith('<div class="lb-start"></div></div>')
    (live,) = BeautifulSoup(page, "html.parser").select("[data-options]")
    assert json.loads(live["data-options"]) == settings["options"]
