"""Bind a made site: what a volume holds and what not, and where its links lead."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from lookback.paper import Volume, paths

from .conftest import CONFIG


def bound(root: Path, name: str = "all", address: str = "") -> BeautifulSoup:
    volume = Volume(root, root / "site", name, address)
    text = "".join(str(one.body) for one in volume.sections)
    return BeautifulSoup(f"<main>{volume.contents()}{text}</main>", "html.parser")


def test_code_that_teaches_stays_and_code_that_plots_goes(made: Path) -> None:
    text = bound(made).get_text()
    for words in ("taught = 1", "predicted", "More measurements", "measured", "□ four"):
        assert words in text
    screen = ("plotted", "numbers behind", "folded key", "Show", "Commit", "¶", "A B")
    assert [words for words in screen if words in text] == []


def test_solutions_and_answers_stand_at_the_end_by_chapter(made: Path) -> None:
    book = bound(made)
    answers = book.select_one("section#answers")
    assert answers is not None
    assert [h.get_text() for h in answers.select("h1, h2, h3")] == [
        "3\N{EN SPACE}Hints, solutions and answers",
        "One",
        "Exercise 1 (easy): count",
        "Answers to the tests",
    ]
    for words in ("hinted", "solved", "Four."):
        assert book.get_text().count(words) == answers.get_text().count(words) == 1
    link = book.select_one("#one--exercise-1 .lb-there a")
    assert link is not None and link["href"] == "#one--exercise-1-answer"
    assert link.get_text() == "Hint and solution"


def test_links_lead_into_the_volume_or_to_the_site(made: Path) -> None:
    links = {a.get_text(): a["href"] for a in bound(made).select("#one p a")}
    assert links["(1)"] == "#two--eq-1" and links["next"] == "#two"
    assert links["A 1948"] == "#bibliography--a1948"
    assert links["outside"] == "https://example.org/"
    assert "source" not in links  # plain words, where nobody knows the address
    short = bound(made, "short", "https://book.org/x")
    assert [a["href"] for a in short.select("#two p a")] == ["#glossary--key"]
    links = {
        a.get_text(): a["href"] for a in bound(made, "all", "https://b.org").select("a")
    }
    assert links["source"] == "https://b.org/source/one/#L3"


def test_every_id_is_once_and_every_link_has_its_place(made: Path) -> None:
    book = bound(made)
    ids = [tag["id"] for tag in book.select("[id]")]
    assert len(ids) == len({*ids})
    assert "one--figure-1" in ids and not [name for name in ids if "unused" in name]
    inside = {a["href"][1:] for a in book.select("a[href^='#'], use")}
    assert inside <= {*ids}
    clipped = book.select_one("svg g path")
    assert clipped is not None and clipped["clip-path"] == "url(#one--c)"


def test_a_path_looks_up_only_what_it_refers_to(made: Path) -> None:
    text = bound(made, "short").get_text()
    assert "looked up" in text and "No page has it" not in text
    assert "A (1948)" not in text
    assert "No page has it" in bound(made).get_text()


def test_contents_and_index_name_chapters_and_terms(made: Path) -> None:
    book = bound(made)
    listed = [li.get_text() for li in book.select(".lb-contents > li")]
    assert listed[:5] == [
        "First",
        "1\N{EN SPACE}One",
        "A sum",
        "Then",
        "2\N{EN SPACE}Two",
    ]
    assert listed[-1] == "Index"
    entries = book.select(".lb-index > li")
    assert [li.get_text() for li in entries] == ["key 2, 1"]
    assert [a["href"] for a in entries[0].select("a")] == [
        "#two--eq-1",
        "#one--term-0",
    ]


def test_the_published_site_links_a_book_for_each_path() -> None:
    root = Path(__file__).parents[2]
    site = (root / ".github/workflows/site.yml").read_text(encoding="utf-8")
    assert f"LOOKBACK_BOOKS: {' '.join(paths(root))}\n" in site


def refuse(root: Path, said: str, name: str = "all") -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=said):
        bound(root, name)


def test_refusals(made: Path) -> None:
    assert [*paths(made)] == ["short", "all"]  # one cannot play on paper
    refuse(made, "no path 'long': there is short, all", "long")
    (made / "site/two/index.html").unlink()
    refuse(made, r"two/index.html .*run `make site`")
    (made / "site/two.html").touch()
    refuse(made, "built with `use_directory_urls: false`")
    (made / "site/one/index.html").write_text("<p>no article</p>")
    refuse(made, "is no page of the book")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"site_name: \xe9", "mkdocs.yml: .*unacceptable|mkdocs.yml: .*codec"),
        (b"nav: [", "mkdocs.yml: while parsing a flow"),
        (b"- a", "mkdocs.yml has no `site_name`"),
        (CONFIG.replace("nav:", "nave:").encode(), "mkdocs.yml has no `nav`"),
        (CONFIG.partition("  paths")[0].encode() + b"  x: y", "no `extra: paths:`"),
        (None, r"mkdocs.yml is not there"),
    ],
)
def test_settings_that_make_no_book_are_refused(
    tmp_path: Path, text: bytes | None, said: str
) -> None:
    if text is not None:
        (tmp_path / "mkdocs.yml").write_bytes(text)
    with pytest.raises(ValueError, match=said):
        paths(tmp_path)
