"""Light terms of formulas and parts of figures, by pointer, keyboard and touch."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from .checks import axe_violations, on_a_phone, without_script

BESIDE = "e => scrollBy(0, e.getBoundingClientRect().bottom - innerHeight + 20)"


def open_at(page: Page, name: str, equation: str) -> Locator:
    """Open a page with an equation at the bottom of the window."""
    page.goto(name)
    found = page.locator(f"#{equation}")
    found.evaluate(BESIDE)
    return found


def meant(figure: Locator) -> list[str]:
    """List the parts of a figure that are lit, those that are displayed."""
    parts = figure.locator("[data-part].lb-meant").all()
    return sorted(str(p.get_attribute("data-part")) for p in parts if p.is_visible())


def test_the_pointer_lights_a_part_and_a_part_its_terms(page: Page) -> None:
    equation, figure = open_at(page, "attention/", "eq-1"), page.locator("#matrices")
    equation.locator("[data-term='matrices.A'] mi").first.hover()
    assert meant(figure) == ["A"]
    equation.locator("[data-term='matrices.Q']").hover()
    assert meant(figure) == ["Q", "Q"]
    figure.locator("[data-grid=E] td").last.hover()
    assert meant(figure) == []
    expect(equation.locator(".lb-meant")).to_have_attribute("data-term", "matrices.E")


def test_the_keyboard_lights_the_copy_of_a_figure_that_is_out_of_sight(
    page: Page,
) -> None:
    equation, copy = open_at(page, "bahdanau/", "eq-5"), page.locator("#lb-preview")
    equation.locator("[data-term]").first.focus()
    for term, parts in (
        ("ci", ["c3 c", "lc"]),
        ("αij", ["alpha", "la"]),
        ("hj", ["h1 h", "h2 h", "h3 h", "h4 h", "lh"]),
    ):
        expect(equation.locator(":focus")).to_have_text(term)
        expect(copy).to_be_visible()
        assert meant(copy) == parts
        page.keyboard.press("Tab")
    expect(page.locator(".lb-meant")).to_have_count(0)
    page.keyboard.press("Shift+Tab")
    assert axe_violations(page, "#eq-5") == axe_violations(page, "#lb-preview") == []
    page.keyboard.press("Escape")
    expect(copy).to_be_hidden()


@on_a_phone
def test_a_tap_shows_the_part_in_the_copy(page: Page) -> None:
    equation, copy = open_at(page, "lstm/", "eq-2"), page.locator("#lb-preview")
    equation.locator("[data-term='machine.o']").tap()
    expect(copy.locator("[data-part=o].lb-meant:visible")).to_be_in_viewport()
    page.locator("h1").tap()
    expect(copy).to_be_hidden()


@without_script
def test_without_scripts_a_formula_is_a_formula(page: Page) -> None:
    found = open_at(page, "attention/", "eq-1")
    expect(found.locator("[data-term]")).to_have_count(5)
    expect(found.locator("[tabindex]")).to_have_count(0)
