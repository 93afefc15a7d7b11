"""Answer self-tests by mouse, keyboard, touch; and read them without scripts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from lookback.engine.quiz import on_paper, quiz_html
from lookback.figures import Quiz

from .checks import DOCS, axe_violations, serve, without_script

SPLIT = {"It is upside down.": 1.5}
QUIZZES = [
    Quiz(2 / 3, SPLIT, fmt="{:.2f}"),
    Quiz((2, 5), {"That is the transpose.": (5, 2)}, typed=True),
    Quiz(("a", "y"), {"Rows are queries.": ("b", "x")}, cells=(["a", "b"], ["x", "y"])),
]
STYLE = "<style>.lb-unseen { display: none } [data-cell] { min-width: 3rem }</style>"


def body() -> str:
    parts = []
    for number, quiz in enumerate(QUIZZES, 1):
        asked, told = quiz_html(quiz._repr_quiz_(), "How much?", number)
        fold = f"<details><summary>Show the answer</summary>{told}</details>"
        parts.append(asked + fold)
    return "".join(parts) + on_paper([quiz._repr_quiz_() for quiz in QUIZZES])


@pytest.fixture
def page(page: Page, tmp_path: Path) -> Iterator[Page]:
    shutil.copytree(DOCS / "live", tmp_path / "live")
    script = '<script type="module" src="live/quiz.js"></script>'
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>T</title>'
    html = f'{head}<link rel="icon" href="data:,">'
    (tmp_path / "index.html").write_text(
        f"{html}{STYLE}{script}<main><h1>T</h1>{body()}</main>", encoding="utf-8"
    )
    with serve(tmp_path) as address:
        page.goto(address)
        yield page


def quiz(page: Page, number: int) -> Locator:
    return page.locator(f"#test-{number}")


def test_a_wrong_choice_is_told_its_mistake_and_the_right_one_is_kept(
    page: Page,
) -> None:
    assert axe_violations(page) == []
    one = quiz(page, 1)
    one.get_by_label("1.50").focus()
    page.keyboard.press("Space")
    expect(one.get_by_role("status")).to_have_text("Not 1.50. It is upside down.")
    page.keyboard.press("ArrowUp")
    expect(one.get_by_role("status")).to_have_text("Yes: 0.67.")
    page.reload()
    expect(one.get_by_role("status")).to_have_text("You have answered this before.")
    expect(quiz(page, 2).get_by_role("status")).to_be_empty()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("2x5", "Yes: 2 × 5."),
        (" (2, 5) ", "Yes: 2 × 5."),
        ("5 × 2", "Not 5 × 2. That is the transpose."),
        ("10", "10 is not the answer, and none of the usual mistakes."),
    ],
)
def test_an_answer_is_typed(page: Page, typed: str, told: str) -> None:
    two = quiz(page, 2)
    field = two.get_by_label("Your answer")
    field.fill(typed)
    field.dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    expect(two.get_by_role("status")).to_be_empty()  # it ends a composed word
    page.keyboard.press("Enter")
    expect(two.get_by_role("status")).to_have_text(told)


def test_a_cell_of_a_map_is_chosen(page: Page) -> None:
    three = quiz(page, 3)
    three.get_by_role("button", name="b, x").press("Enter")
    expect(three.get_by_role("status")).to_have_text("Not b, x. Rows are queries.")
    three.get_by_role("button", name="a, y").click()
    expect(three.get_by_role("status")).to_have_text("Yes: a, y.")


def test_on_paper_the_answers_stand_at_the_end(page: Page) -> None:
    expect(page.locator(".lb-unseen li").first).to_have_text(
        "0.67. (1.50: It is upside down.)"
    )


@without_script
def test_without_a_script_the_answers_are_a_fold(page: Page) -> None:
    fold = page.locator("details").first
    expect(fold.get_by_text("It is upside down.")).not_to_be_visible()
    fold.locator("summary").click()
    expect(fold.get_by_text("0.67 is right.")).to_be_visible()
