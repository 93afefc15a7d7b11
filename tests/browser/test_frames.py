"""Frames: stepped, slid and played; side by side without script and on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .axe import faults

Open = Callable[..., Any]
FIGURE, FRAMES = "figure.lb-frames", "contains(@class, 'lb-frames')"


@pytest.fixture
def page(read: Open) -> Iterator[Page]:
    """The page with EM's frames, for a reader who likes motion: there they play."""
    with read("ibm1/", FRAMES) as window:
        yield window


def shown(page: Page) -> list[str]:
    """The names of the frames that are there to be seen."""
    return page.locator(f"{FIGURE} .lb-frame:visible > p").all_text_contents()


def test_one_frame_is_shown_and_buttons_step(page: Page) -> None:
    assert shown(page) == ["after 8 iterations"]
    page.get_by_role("button", name="Step on").click()
    assert shown(page) == ["after 1 iteration"]
    page.get_by_role("button", name="Step back").click()
    assert shown(page) == ["after 8 iterations"]


def test_the_slider_is_moved_by_keys_and_tells_the_frame(page: Page) -> None:
    slider = page.locator(f"{FIGURE} input[type=range]")
    slider.focus()
    for key, label in (
        ("Home", "after 1 iteration"),
        ("ArrowRight", "after 2 iterations"),
        ("End", "after 8 iterations"),
    ):
        page.keyboard.press(key)
        assert shown(page) == [label]
        expect(slider).to_have_attribute("aria-valuetext", label)


def test_it_plays_for_those_who_like_motion_and_ends(page: Page) -> None:
    play = page.locator(FIGURE).get_by_role("button", name="Play")
    play.click()
    assert shown(page) == ["after 1 iteration"]
    pause = page.locator(FIGURE).get_by_role("button", name="Pause")
    pause.click()
    expect(play).to_have_count(1)
    play.click()
    expect(page.locator(f"{FIGURE} .lb-frame:visible > p")).to_have_text(
        "after 8 iterations"
    )
    expect(play).to_have_count(1)


def test_it_steps_and_does_not_play_for_those_who_do_not(read: Open) -> None:
    with read("ibm1/", FRAMES, reduced_motion="reduce") as page:
        expect(page.locator(FIGURE).get_by_role("button", name="Play")).to_have_count(0)
        page.get_by_role("button", name="Step on").click()
        assert shown(page) == ["after 1 iteration"]
        page.locator(f"{FIGURE} input[type=range]").press("ArrowRight")
        assert shown(page) == ["after 2 iterations"]


def test_axe_finds_nothing(page: Page) -> None:
    assert faults(page) == []
    page.get_by_role("button", name="Step on").focus()
    page.keyboard.press("Enter")
    assert faults(page) == []


def test_on_paper_the_chosen_ones_stand_side_by_side(page: Page) -> None:
    page.emulate_media(media="print")
    chosen = ["after 1 iteration", "after 2 iterations", "after 8 iterations"]
    assert shown(page) == chosen
    expect(page.locator(f"{FIGURE} .lb-player")).to_be_hidden()


def test_so_they_do_without_a_script(read: Open) -> None:
    with read("ibm1/", FRAMES, java_script_enabled=False) as window:
        chosen = ["after 1 iteration", "after 2 iterations", "after 8 iterations"]
        assert shown(window) == chosen


@pytest.mark.parametrize(
    "name", ["ibm1", "decoding", "bpe", "positions", "labs/looking"]
)
def test_a_finger_steps_on_a_phone(read: Open, name: str) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
    with read(f"{name}/", FRAMES, **phone) as window:
        figure = window.locator(FIGURE).first
        figure.get_by_role("button", name="Step on").tap()
        expect(figure.locator(".lb-frame:visible")).to_have_count(1)
        film = figure.locator(".lb-film")
        assert film.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
        for button in figure.locator(".lb-player button").all():
            box = button.bounding_box()
            assert box and min(box["width"], box["height"]) >= 24
