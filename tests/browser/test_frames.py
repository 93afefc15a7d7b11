"""Step, slide and play frames; side by side without scripts and on paper."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from .checks import on_a_phone, small_targets, with_motion, without_script

CHOSEN = ["after 1 iteration", "after 2 iterations", "after 8 iterations"]


@pytest.fixture
def em(page: Page) -> Locator:
    """Open the page with the frames of EM."""
    page.goto("ibm1/")
    return page.locator("figure#em")


def shown(figure: Locator) -> list[str]:
    """List the labels of the visible frames."""
    return figure.locator(".lb-frame:visible > p").all_text_contents()


def test_one_frame_is_shown_and_buttons_and_keys_step(page: Page, em: Locator) -> None:
    assert shown(em) == CHOSEN[2:]
    expect(em.get_by_role("button", name="Play")).to_have_count(0)  # reduced motion
    em.get_by_role("button", name="Step on").click()
    assert shown(em) == CHOSEN[:1]
    em.get_by_role("button", name="Step back").click()
    assert shown(em) == CHOSEN[2:]
    slider = em.locator("input[type=range]")
    slider.focus()
    for key, label in zip(("Home", "ArrowRight", "End"), CHOSEN, strict=True):
        page.keyboard.press(key)
        assert shown(em) == [label]
        expect(slider).to_have_attribute("aria-valuetext", label)
    page.emulate_media(media="print")
    assert shown(em) == CHOSEN
    expect(em.locator(".lb-player")).to_be_hidden()


@without_script
def test_without_scripts_the_chosen_frames_stand_side_by_side(em: Locator) -> None:
    assert shown(em) == CHOSEN


@with_motion
def test_the_zoom_follows_the_page_until_its_slider_is_moved(page: Page) -> None:
    page.goto("transformer/")
    figure = page.locator("figure#machine")
    label = figure.locator(".lb-frame:visible > p")
    expect(label).to_have_text("One box")
    lower = "f => scrollBy(0, f.getBoundingClientRect().bottom - innerHeight)"
    figure.evaluate(lower)
    expect(label).to_have_text("All parts")
    part = figure.get_by_role("link", name="self-attention", exact=True)
    expect(part).to_have_attribute("href", "../multihead/")
    figure.locator("input[type=range]").press("Home")
    page.mouse.wheel(0, 20)
    expect(label).to_have_text("One box")


@with_motion
def test_it_plays_to_the_end_where_motion_is_welcome(page: Page) -> None:
    page.clock.install()
    page.goto("ibm1/")
    page.clock.pause_at("2100-01-01")
    em = page.locator("figure#em")
    play = em.get_by_role("button", name="Play")
    play.click()
    assert shown(em) == CHOSEN[:1]
    em.get_by_role("button", name="Pause").click()
    expect(play).to_have_count(1)
    play.click()
    page.clock.run_for(5_000)
    expect(em.locator(".lb-frame:visible > p")).to_have_text(CHOSEN[2])
    expect(play).to_have_count(1)


@on_a_phone
@pytest.mark.parametrize(
    ("name", "nth"), [("decoding", 1), ("bpe", 0), ("labs/looking", 0)]
)
def test_a_tap_steps_on_a_phone(page: Page, name: str, nth: int) -> None:
    page.goto(f"{name}/")
    figure = page.locator("figure.lb-frames").nth(nth)
    figure.get_by_role("button", name="Step on").tap()
    expect(figure.locator(".lb-frame:visible")).to_have_count(1)
    film = figure.locator(".lb-film")
    assert film.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert small_targets(figure.locator(".lb-player button")) == []
