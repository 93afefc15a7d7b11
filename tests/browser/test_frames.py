"""Step, slide and play frames; side by side without scripts and on paper."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .checks import on_a_phone, small_targets, with_motion, without_script

FIGURE = "figure#em"
CHOSEN = ["after 1 iteration", "after 2 iterations", "after 8 iterations"]


@pytest.fixture
def page(page: Page) -> Page:
    """Open the page with the frames of EM."""
    page.goto("ibm1/")
    return page


def shown(page: Page) -> list[str]:
    """List the labels of the visible frames."""
    return page.locator(f"{FIGURE} .lb-frame:visible > p").all_text_contents()


def test_one_frame_is_shown_and_buttons_step(page: Page) -> None:
    assert shown(page) == ["after 8 iterations"]
    page.locator(FIGURE).get_by_role("button", name="Step on").click()
    assert shown(page) == ["after 1 iteration"]
    page.locator(FIGURE).get_by_role("button", name="Step back").click()
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


def test_the_zoom_begins_with_one_box_and_its_parts_are_links(page: Page) -> None:
    page.goto("transformer/")
    figure = page.locator("figure#machine")
    label = figure.locator(".lb-frame:visible > p")
    expect(label).to_have_text("One box")
    figure.locator("input[type=range]").press("End")
    expect(label).to_have_text("All parts")
    part = figure.get_by_role("link", name="self-attention", exact=True)
    expect(part).to_have_attribute("href", "../multihead/")


@with_motion
def test_the_zoom_follows_the_page_until_its_slider_is_moved(page: Page) -> None:
    page.goto("transformer/")
    label = page.locator("figure#machine .lb-frame:visible > p")
    expect(label).to_have_text("One box")
    lower = "f => scrollBy(0, f.getBoundingClientRect().bottom - innerHeight)"
    page.locator("figure#machine").evaluate(lower)
    expect(label).to_have_text("All parts")
    page.locator("figure#machine input[type=range]").press("Home")
    page.mouse.wheel(0, 20)
    expect(label).to_have_text("One box")


@with_motion
def test_it_plays_to_the_end_where_motion_is_welcome(page: Page) -> None:
    # Timers of a page that is open already would not know the clock.
    page.goto("about:blank")
    page.clock.install()
    page.goto("ibm1/")
    page.clock.pause_at("2100-01-01")
    play = page.locator(FIGURE).get_by_role("button", name="Play")
    play.click()
    assert shown(page) == ["after 1 iteration"]
    pause = page.locator(FIGURE).get_by_role("button", name="Pause")
    pause.click()
    expect(play).to_have_count(1)
    play.click()
    page.clock.run_for(5_000)
    expect(page.locator(f"{FIGURE} .lb-frame:visible > p")).to_have_text(
        "after 8 iterations"
    )
    expect(play).to_have_count(1)


def test_it_only_steps_where_motion_is_reduced(page: Page) -> None:
    expect(page.locator(FIGURE).get_by_role("button", name="Play")).to_have_count(0)
    page.locator(FIGURE).get_by_role("button", name="Step on").click()
    assert shown(page) == ["after 1 iteration"]
    page.locator(f"{FIGURE} input[type=range]").press("ArrowRight")
    assert shown(page) == ["after 2 iterations"]


def test_on_paper_the_chosen_frames_stand_side_by_side(page: Page) -> None:
    page.emulate_media(media="print")
    assert shown(page) == CHOSEN
    expect(page.locator(f"{FIGURE} .lb-player")).to_be_hidden()


@without_script
def test_without_scripts_the_chosen_frames_stand_side_by_side(page: Page) -> None:
    assert shown(page) == CHOSEN


@on_a_phone
@pytest.mark.parametrize(
    ("name", "nth"),
    [("ibm1", 0), ("decoding", 1), ("bpe", 0), ("positions", 0), ("labs/looking", 0)],
)
def test_a_tap_steps_on_a_phone(page: Page, name: str, nth: int) -> None:
    page.goto(f"{name}/")
    figure = page.locator("figure.lb-frames").nth(nth)
    figure.get_by_role("button", name="Step on").tap()
    expect(figure.locator(".lb-frame:visible")).to_have_count(1)
    film = figure.locator(".lb-film")
    assert film.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert small_targets(figure.locator(".lb-player button")) == []
