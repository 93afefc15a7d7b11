"""Test the HTML of figures: names, folded numbers, hidden frames, live figures."""

import json

from bs4 import BeautifulSoup

from lookback.engine.figure import figure_html
from lookback.engine.output import Output

SVG = '<svg viewBox="0 0 1 1"></svg>'
DRAWING = Output("svg", SVG)
MAP = Output("svg", SVG, numbers="<table></table>", script="map")


def framed(
    frames: dict[str, Output], first: str = "", *, scroll: bool = False
) -> Output:
    """Make frames of which the last one is not chosen."""
    labels = [*frames]
    settings = {"labels": labels, "chosen": labels[:-1], "scroll": scroll}
    settings["first"] = first or labels[-1]
    return Output("frames", parts=tuple(frames.values()), settings=settings)


def test_the_figure_says_what_it_shows() -> None:
    alt = 'perplexity "falls" from 5 < 6\nto <3> & it\'s measured'
    page = figure_html(DRAWING, alt, "A &amp; <b>b</b>")
    seen = BeautifulSoup(page, "html.parser")
    (drawing,) = seen.select("figure.lb-figure > div.lb-scroll[tabindex='0'] > svg")
    assert drawing["role"] == "img"
    assert drawing["aria-label"] == " ".join(alt.split())
    assert page.endswith("<figcaption>A &amp; <b>b</b></figcaption></figure>")
    assert "figcaption" not in figure_html(DRAWING, "alt")


def test_the_numbers_are_folded_under_the_figure() -> None:
    page = figure_html(MAP, "alt")
    figure, numbers = page.split("</figure>")
    assert 'class="lb-figure" data-live="map"' in figure
    assert numbers.startswith('<details class="lb-numbers"') and "<table>" in numbers
    assert "details" not in figure_html(DRAWING, "alt")


def test_the_numbers_are_saved_where_their_file_has_a_name() -> None:
    live = Output("live", parts=(MAP,), settings={"models": [], "options": {}})
    for shown in (MAP, live):
        page = figure_html(shown, "alt", file="p-figure-1")
        (fold,) = BeautifulSoup(page, "html.parser").select("details")
        assert (fold["data-live"], fold["data-csv"]) == ("csv", "p-figure-1")
    assert "csv" not in figure_html(MAP, "alt")


def test_frames_that_are_not_chosen_wait() -> None:
    page = figure_html(framed({"a<b": DRAWING, "c": DRAWING}), "alt", "words")
    first, second = page.split('<div class="lb-frame"')[1:]
    assert first.startswith("><p>a&lt;b</p>") and second.startswith(" hidden>")
    assert 'role="group" aria-label="alt"' in page and 'data-live="frames"' in page
    assert page.endswith("<figcaption>words</figcaption></figure>")


def test_one_frame_begins_and_all_may_follow_the_page() -> None:
    page = figure_html(framed({"a": DRAWING, "b": DRAWING}, "a", scroll=True), "alt")
    assert page.count(" data-first data-scroll><p>a</p>") == 1
    assert page.count("data-first") == page.count("data-scroll") == 1
    assert "data-first" not in figure_html(framed({"a": DRAWING, "b": DRAWING}), "alt")


def test_the_numbers_of_frames_are_folded_together_and_wait_with_them() -> None:
    last = Output("svg", SVG, numbers="<i>3")
    shown = framed({"a<b": MAP, "plain": DRAWING, "c": last})
    figure, numbers = figure_html(shown, "alt").split("</figure>")
    assert figure.count("data-live=") == 2
    assert '<div class="lb-frame" data-live="map"><p>a&lt;b</p>' in figure
    assert numbers.startswith('<details class="lb-numbers"')
    assert numbers.count("<details") == 1
    first, second = numbers.split("<div data-frame=")[1:]
    assert first == '"0"><p>a&lt;b</p><table></table></div>'
    assert second.startswith('"2" hidden><p>c</p><i>3</div>')


def test_a_live_figure_is_the_still_one_in_what_a_script_finds() -> None:
    settings = {"models": ["a", "b"], "options": {"kind": "translator", "x": '"<é'}}
    live = Output("live", parts=(MAP,), settings=settings)
    page = figure_html(live, "alt", "words", weights=lambda name: {"url": f"{name}<"})
    assert figure_html(MAP, "alt", "words") in page
    assert page.startswith('<div class="lb-live" data-live="live" data-models="')
    assert page.endswith('<div class="lb-start"></div></div>')
    (live,) = BeautifulSoup(page, "html.parser").select("[data-options]")
    assert json.loads(live["data-options"]) == settings["options"]
    models = {"a": {"url": "a<"}, "b": {"url": "b<"}}
    assert json.loads(live["data-models"]) == models
