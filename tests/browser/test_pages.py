"""Every page in a browser: no other host, no error, no sideways scroll, no barrier."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import urlsplit

from .conftest import HEARD, Kind, kinds, written

KB = 1024
PALETTES = {"light": "default", "dark": "slate"}


def file_of(site: Path, address: str) -> Path:
    """The file that a server sends for an address of the site."""
    page = address.endswith("/") or not address
    return site / address / "index.html" if page else site / address


def outside(asked: Iterable[str], base: str) -> list[str]:
    """The addresses that are not this site's own."""
    own = (base, "data:", "blob:")
    return sorted(url for url in asked if not url.startswith(own))


def told(visits, of) -> list[str]:
    """One line per visit that has something to say for itself."""
    return [f"{visit}: {found[:4]}" for visit in visits if (found := of(visit))]


def test_every_page_is_seen(unseen: set[str]) -> None:
    assert unseen == set()


def test_no_page_asks_another_host(seen, base: str) -> None:
    assert told(seen, lambda visit: outside(visit.asked, base)) == []


def test_no_page_has_an_error(seen) -> None:
    assert told(seen, lambda visit: visit.errors) == []


def test_no_page_scrolls_sideways(seen) -> None:
    assert told(seen, lambda visit: visit.wide) == []


def test_no_formula_runs_into_its_number(seen) -> None:
    assert told(seen, lambda visit: visit.close) == []


def test_axe_finds_nothing_in_either_palette(seen) -> None:
    assert told(seen, lambda visit: visit.faults) == []


def test_axe_hears_every_kind_of_element(site: Path) -> None:
    """The kinds that are on pages of which axe hears none; add one to HEARD."""
    pages = {name: kinds(file_of(site, name)) for name in written()}
    heard = set[Kind]().union(*(pages[name] for name in HEARD))
    assert {name: new for name, of in pages.items() if (new := of - heard)} == {}


def test_the_palette_is_the_systems(seen) -> None:
    assert [v for v in seen if v.shown != PALETTES[v.scheme]] == []


def compressed(file: Path) -> int:
    """Bytes of a file as a server sends it: text by gzip, what is packed as it is."""
    data = file.read_bytes()
    return len(data) if file.suffix == ".woff2" else len(gzip.compress(data, 6))


def test_a_chapter_weighs_at_most_60_kb_compressed(
    site: Path, chapters: list[str]
) -> None:
    """The HTML with its figures; what readers start by hand is not part of it."""
    weights = {name: compressed(site / name / "index.html") for name in chapters}
    assert {name: w for name, w in weights.items() if w > 60 * KB} == {}


def test_a_lab_weighs_at_most_80_kb_compressed(visits, site: Path) -> None:
    """The HTML and what it asks for, without what other pages ask for too."""
    shared = {u for v in visits if not v.page.startswith("labs/") for u in v.asked}
    labs = [v for v in visits if v.page.startswith("labs/")]
    assert labs
    for visit in labs:
        paths = [urlsplit(url).path.lstrip("/") for url in visit.asked - shared]
        files = [file_of(site, path) for path in paths]
        assert sum(map(compressed, files)) <= 80 * KB, paths


def test_a_request_to_another_host_is_seen(see: Callable) -> None:
    visit = see('<h1>T</h1><img alt="" src="http://127.0.0.1:9/x.png">')
    own = next(url for url in visit.asked if url.endswith("/"))
    assert outside(visit.asked, own) == ["http://127.0.0.1:9/x.png"]
    assert any("127.0.0.1:9" in error for error in visit.errors)


def test_an_error_is_seen(see: Callable) -> None:
    page = "<h1>T</h1><script>console.error('one'); throw Error('two')</script>"
    assert see(page).errors == ["one", "two"]


def test_sideways_scrolling_is_seen(see: Callable) -> None:
    wide = "<h1>T</h1><p style='width: 500px'>wide</p>"
    assert see(wide).wide == ['<p style="width: 500px">wide</p>', "page"]
    hidden = f"<style>html {{ overflow-x: hidden }}</style>{wide}"
    assert '<p style="width: 500px">wide</p>' in see(hidden).wide
    held = f"<div style='overflow-x: auto'>{wide}</div>"
    assert see(held).wide == []


def test_a_formula_that_runs_into_its_number_is_seen(see: Callable) -> None:
    number = "<span class='lb-eqno'>(1)</span>"
    assert see(f"<h1>T</h1><p><span>a = b</span>{number}").close == ["a = b(1)"]
    room = number.replace("class", "style='margin-left: 9px' class")
    assert see(f"<h1>T</h1><p><span>a = b</span>{room}").close == []


def test_axe_speaks_up(see: Callable) -> None:
    faint = "<h1>T</h1><p style='color: #ccc; background: #fff'>faint</p>"
    assert [fault.split(":")[0] for fault in see(faint).faults] == ["color-contrast"]
    mute = "<h1>T</h1><img src='data:,'>"
    assert [fault.split(":")[0] for fault in see(mute).faults] == ["image-alt"]


def test_a_page_that_turns_is_looked_at_in_both_sights(see_turning: Callable) -> None:
    """What is faint in one palette alone, and what scrolls at one width alone."""
    style = """<style> .day { color: #ccc } .night { color: #111 }
        @media (prefers-color-scheme: dark) {
            body { background: #000; color: #fff } .day { color: #eee } }</style>"""
    words = "<p class='day'>by day</p><p class='night'>by night</p>"
    long = f"<p style='width: 800px; white-space: nowrap'>{'wide ' * 20}</p>"
    wide = f"<div style='overflow-x: auto'>{long}</div>"
    mute = "<img src='data:,'>"
    light, dark = see_turning(f"<h1>T</h1>{style}{words}{wide}{mute}")

    def told_of(visit) -> list[tuple[str, ...]]:
        return sorted(tuple(fault.split()[:2]) for fault in visit.faults)

    assert told_of(light) == [("color-contrast:", ".day"), ("image-alt:", "img")]
    assert told_of(dark) == [
        ("color-contrast:", ".night"),
        ("scrollable-region-focusable:", "div"),
    ]


def test_words_of_one_look_are_told_by_the_first_and_the_last(see: Callable) -> None:
    """The same words on another ground, or as a link among others, look otherwise."""
    faint = "<p style='color: #ccc'>faint</p>"
    dot = "<p style='color: #ccc'>.</p>"
    assert len(see(f"<h1>T</h1>{dot}{faint * 9}{dot}").faults) == 2
    words = "<p>some words</p>"
    grey = f"<h1>T</h1>{words}<div style='background: #555'>{words}</div>{words}"
    assert [fault.split(":")[0] for fault in see(grey).faults] == ["color-contrast"]
    link = "<style>a { color: #111; text-decoration: none }</style>"
    link += f"<h1>T</h1><p>{'many words ' * 9}<a href='#x'>here</a> and there.</p>"
    assert [fault.split(":")[0] for fault in see(link).faults] == ["link-in-text-block"]
