"""What axe finds on a page: all of it, or what another palette and width may change.

By its rules COLOUR it depends on the palette, by WIDTH on the width, by others on
neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from playwright.sync_api import Page

AXE = "axe.js"
"""The file by which a page gets axe from its server, and which browsers keep."""
COLOUR = ("color-contrast", "link-in-text-block")
WIDTH = ("scrollable-region-focusable",)

# Contrast was four fifths of axe's work: to look at one word it measures every element.
# What is written alike on the same ground is legible everywhere or nowhere, and the
# fifteen hundred pieces of text in a chapter are written in a hundred ways, nearly all
# of them those of pages before. So the first and the last piece of each way that the
# window has not shown yet are marked, all else is put away, and axe looks at what is
# left. A single character axe leaves to people, and a drawing's words, too.
MARK = """([known, name]) => {
    const plain = "rgba(0, 0, 0, 0),none,1,none,normal,";
    const grounds = new Map([[null, ""]]), first = new Map(), last = new Map();
    const ground = element => {
        if (!grounds.has(element)) {
            const s = getComputedStyle(element);
            const lies = /absolute|fixed|sticky/.test(s.position) ? s.position : "";
            const own = [s.backgroundColor, s.backgroundImage, s.opacity, s.filter,
                         s.mixBlendMode, lies].join();
            const below = ground(element.parentElement);
            grounds.set(element, own === plain ? below : `${below}/${own}`);
        }
        return grounds.get(element);
    };
    const before = new Set(known);
    for (const element of document.body.querySelectorAll(":not(svg, svg *)")) {
        const texts = [...element.childNodes].filter(n => n.nodeType === n.TEXT_NODE);
        const text = texts.map(node => node.data).join("").trim();
        if (text.length < 2 || !element.checkVisibility()) continue;
        const s = getComputedStyle(element), link = element.closest("a");
        const among = link ? getComputedStyle(link.parentElement).color : "";
        const way = [s.color, s.fontSize, s.fontWeight, s.textShadow, s.visibility,
                     s.textDecorationLine, among, ground(element)].join();
        if (before.has(way)) continue;
        if (!first.has(way)) first.set(way, element);
        last.set(way, element);
    }
    for (const element of [...first.values(), ...last.values()])
        element.setAttribute(name, "");
    return [...first.keys()];
}"""
SCROLLS = """name => {
    for (const e of document.body.querySelectorAll("*"))
        if ((e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight)
            && /auto|scroll/.test(getComputedStyle(e).overflow))
            e.setAttribute(name, "");
}"""
ALONE = """([selector, forGood]) => {
    const kept = new Set(), held = document.activeElement; // body: nothing has focus
    const marked = [...document.querySelectorAll(selector)];
    for (const element of held === document.body ? marked : [...marked, held]) {
        for (let e = element; e && !kept.has(e); e = e.parentElement) kept.add(e);
        for (const inner of element.querySelectorAll("*")) kept.add(inner);
    }
    for (const style of document.body.querySelectorAll("style"))
        for (let e = style; e && !kept.has(e); e = e.parentElement) kept.add(e);
    for (const element of document.body.querySelectorAll(":not(style)"))
        if (!kept.has(element) && (!forGood || kept.has(element.parentElement))) {
            element.setAttribute("data-hid", "");
            if (forGood) element.replaceChildren();
        }
}"""
CLEAN = """names => {
    for (const name of names)
        for (const e of document.querySelectorAll(`[${name}]`)) e.removeAttribute(name);
}"""
HIDDEN = "[data-hid] { display: none !important }"
# Shapes without a name say nothing to a reader who hears the page; axe reads each.
# Where scripts measure them they come back.
SHAPES = """() => {
    window.away = [];
    const put = shape => {
        const place = document.createComment("");
        shape.replaceWith(place);
        window.away.push([place, shape]);
    };
    document.querySelectorAll("svg defs").forEach(put);
    for (const shape of document.querySelectorAll(
            "svg :is(path, use, rect, circle, ellipse, line, polyline, polygon)"))
        if (!shape.childElementCount && !shape.closest("[aria-hidden=false]")
            && [...shape.attributes].every(a => !/^(role|tabindex|aria-)/.test(a.name)))
            put(shape);
}"""
BACK = """where => {
    for (const [place, shape] of window.away)
        if (place.parentElement.matches(where)) place.replaceWith(shape);
        else place.remove();
    delete window.away;
}"""
FAULTS = """async ([where, apart, options]) => {
    if (where && !document.querySelector(where)) return [];
    const all = {exclude: apart.map(selector => [selector])};
    const found = await axe.run(where ? {include: [[where]]} : all, options);
    return found.violations.flatMap(fault => fault.nodes.map(node =>
        `${fault.id}: ${node.target[0]} ${node.html.slice(0, 90)}`));
}"""

# Material's tooltips repeat the name of what the pointer is on, some time after it came
# there, outside of all landmarks.
TIPS = (".md-tooltip2",)
# What stands around each page is heard with the pages; it was half of a piece's work.
AROUND = (".md-header", ".md-sidebar", ".md-tabs", ".md-footer")

WAYS: WeakKeyDictionary[Page, set[str]] = WeakKeyDictionary()
"""The ways of writing that a window has shown to axe, which found nothing there yet."""


def only(rules: Sequence[str]) -> dict[str, Any]:
    """The options of axe by which it applies these rules."""
    return {"resultTypes": ["violations"], "runOnly": [*rules]}


def all_but(rules: Sequence[str]) -> dict[str, Any]:
    """The options of axe by which it applies all that it does of itself, but these."""
    off = {rule: {"enabled": False} for rule in rules}
    return {"resultTypes": ["violations"], "rules": off}


def found(
    page: Page,
    where: str | None,
    options: dict[str, Any],
    *,
    apart: Sequence[str] = TIPS,
) -> list[str]:
    """A line for each fault in what a selector finds, or else in all that is not apart.

    A window in which something is found has shown nothing: it is to be found again.
    """
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(url=f"/{AXE}")
    lines: list[str] = page.evaluate(FAULTS, [where, apart, options])
    if lines:
        WAYS.pop(page, None)
    return lines


def mark(page: Page, name: str) -> bool:
    """Give this attribute to the ways of writing that are new; are there any?"""
    shown = WAYS.setdefault(page, set())
    ways = page.evaluate(MARK, [[*shown], name])
    shown.update(ways)
    return bool(ways)


def faults(page: Page) -> list[str]:
    """What axe finds by all its rules in a page; the page is as it was."""
    page.evaluate(SHAPES)
    lines = found(page, None, all_but(COLOUR), apart=TIPS + AROUND)
    page.evaluate(BACK, "*")
    if mark(page, "data-marked"):
        page.add_style_tag(content=HIDDEN)
        page.evaluate(ALONE, ["[data-marked]", False])
        lines += found(page, "[data-marked]", only(COLOUR))
        page.evaluate(CLEAN, ["data-marked", "data-hid"])
    return lines


def faults_at_first(page: Page) -> list[str]:
    """What axe finds by all its rules but COLOUR; what that needs is marked.

    The shapes of drawings that no script moves are gone afterwards.
    """
    mark(page, "data-first")
    page.evaluate(SHAPES)
    lines = found(page, None, all_but(COLOUR))
    page.evaluate(BACK, "[data-live] *")
    return lines


def faults_now(page: Page) -> list[str]:
    """What axe finds by COLOUR and by WIDTH where the page has another look.

    Of the page only what is marked is left.
    """
    mark(page, "data-now")
    page.evaluate(SCROLLS, "data-scrolls")
    page.add_style_tag(content=HIDDEN)
    words = "[data-first], [data-now]"
    page.evaluate(ALONE, [f"{words}, [data-scrolls]", True])
    lines = found(page, "[data-scrolls]", only(WIDTH))
    page.evaluate(ALONE, [words, True])
    return lines + found(page, "[data-now]", only(COLOUR))


def faults_again(page: Page, scheme: str) -> list[str]:
    """What axe finds by COLOUR where the page has its first look again.

    Too little of the page is left for Material's script; what that would do is done.
    """
    page.evaluate("scheme => document.body.dataset.mdColorScheme = scheme", scheme)
    return found(page, "[data-first]", only(COLOUR))
