"""What a page says of itself in its head, what it may load, and how much it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Response, expect

from .conftest import BEGIN, asking
from .windows import Windows, hearing

SEEN = {
    "": "",
    "bahdanau/": BEGIN,
    "labs/looking/": BEGIN,
    "glossary/": "",
    "source/attention/": "",
    "404.html": "",
}
"""Pages of each kind, and which part of them is searched and changes its colours."""


def head(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_bytes().partition(b"</head>")[0], "lxml")


def pages(site: Path) -> dict[str, BeautifulSoup]:
    """The heads of all pages but the listings."""
    return {
        path.relative_to(site).as_posix(): head(path)
        for path in sorted(site.rglob("*.html"))
        if "source" not in path.relative_to(site).parts
    }


def content(soup: BeautifulSoup, **attributes: str) -> str:
    tag = soup.find("meta", attributes)
    return str(tag["content"]) if tag else ""


def test_every_page_has_a_title_and_a_description_of_its_own(site: Path) -> None:
    found = pages(site)
    titles = {name: soup.title.get_text() for name, soup in found.items() if soup.title}
    assert len(titles) == len(found) == len(set(titles.values()))
    assert titles["index.html"] == "Lookback: the history of attention as a program"
    assert all(
        t.endswith(" – Lookback") for n, t in titles.items() if n != "index.html"
    )
    told = {
        name: content(soup, name="description")
        for name, soup in found.items()
        if name != "404.html"
    }
    assert len(set(told.values())) == len(told)
    assert {n: t for n, t in told.items() if not 20 <= len(t) <= 200} == {}
    for soup in found.values():
        assert content(soup, property="og:title")
        about = content(soup, name="description")
        assert content(soup, property="og:description") == about


def test_no_page_has_a_script_in_an_attribute(site: Path) -> None:
    """The policy would not run it."""
    for path in site.rglob("*.html"):
        tags = re.findall(r"<[a-z][^<>]*\son[a-z]+=[^<>]*>", path.read_text("utf-8"))
        assert tags == [], path


def test_every_page_has_a_policy_before_its_first_script(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert 0 < text.index("Content-Security-Policy") < text.index("<script"), path


def test_ours_is_one_style_sheet_and_print_is_apart(site: Path) -> None:
    links = head(site / "bahdanau" / "index.html").find_all("link", rel="stylesheet")
    ours = [(link["href"], link.get("media")) for link in links]
    ours = [pair for pair in ours if "stylesheets/" not in pair[0]]
    assert len(ours) == 2 and ours[1] == ("../assets/print.css", "print")
    assert re.fullmatch(r"\.\./assets/lookback\.[0-9a-f]{10}\.css", ours[0][0])
    names = {path.name for path in (site / "assets").iterdir()}
    assert not {"chrome.css", "lookback.css", "lookback.js", "card.py"} & names
    assert "card.png" in names


@pytest.mark.parametrize("name", SEEN)
def test_the_policy_stops_nothing_of_ours(
    windows: Windows, base: str, name: str
) -> None:
    """Open a page, change its colours, search it, and hear no violation."""
    heard: list[str] = []
    with (
        windows.lend(headers=asking(name, SEEN[name])) as page,
        hearing(
            page,
            console=lambda said: heard.append(said.text) if said.type == "error" else 0,
            pageerror=lambda fault: heard.append(str(fault)),
        ),
    ):
        page.goto(base + name)
        page.locator("form[data-md-component=palette] label:not([hidden])").click()
        page.keyboard.press("/")
        page.keyboard.type("attention")
        expect(page.locator(".md-search-result__item").first).to_be_visible()
        assert heard == page.evaluate("window.violations") == []


def test_the_policy_stops_what_is_not_ours(windows: Windows, base: str) -> None:
    with windows.lend() as page:
        page.goto(base)
        page.evaluate(
            """() => {
                const script = document.createElement('script');
                script.textContent = 'window.intruded = true';
                document.body.append(script);
            }"""
        )
        assert page.evaluate("window.intruded") is None
        violations = page.evaluate("window.violations")
        assert any(found.startswith("script-src") for found in violations)


def test_a_first_visit_is_light(browser: Browser, base: str) -> None:
    """Requests and bytes before the reader does anything, without the page itself."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, answers = context.new_page(), list[Response]()
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{base}bahdanau/", wait_until="networkidle")
    sizes = {answer.url: len(answer.body()) for answer in answers}
    del sizes[f"{base}bahdanau/"]
    assert len(sizes) <= 17
    assert sum(name.endswith(".css") for name in sizes) <= 4
    assert sum(sizes.values()) <= 505 * 1024
    context.close()
