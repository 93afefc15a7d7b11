"""Print a volume with Chromium, twice: the second time with the pages of the first."""

from __future__ import annotations

import os
import shutil
import subprocess
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from bs4 import BeautifulSoup
from pypdf import PdfReader

from .volume import Volume

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
HOW = (
    "Chromium is needed: `apt install chromium-headless-shell`, "
    "`brew install --cask chromium`, or LOOKBACK_CHROMIUM=/path/to/chromium"
)
STYLE = Path(__file__).with_name("paper.css")


def find_chromium() -> str | None:
    """Find an installed Chromium; return its path, or None."""
    if path := os.environ.get("LOOKBACK_CHROMIUM"):
        return path
    found = [path for name in NAMES if (path := shutil.which(name))]
    return next(iter([*found, *filter(os.path.exists, PLACES)]), None)


def write_pdf(volume: Volume, target: Path) -> int:
    """Write a volume as PDF; return the number of its pages."""
    chromium = find_chromium()
    if chromium is None:
        raise ValueError(HOW)
    with TemporaryDirectory() as folder:
        source = Path(folder) / "volume.html"
        soup = BeautifulSoup(to_html(volume), "html.parser")
        for mark in soup.select(".lb-page"):
            mark.string = "000"  # as wide as a number of pages
        for _ in range(2):
            source.write_text(str(soup), encoding="utf-8")
            _print(chromium, source, target)
            pages = pages_of(target)
            for mark in soup.select("a .lb-page"):
                link = mark.find_parent("a")
                assert link is not None
                mark.string = str(pages[str(link["href"])[1:]])
        return len(PdfReader(target).pages)


def pages_of(pdf: Path) -> dict[str, int]:
    """Read the page, counted from 1, of each id of a PDF to which something links."""
    reader = PdfReader(pdf)
    numbers = {page.indirect_reference: n for n, page in enumerate(reader.pages, 1)}
    found = {}
    for name, place in reader.named_destinations.items():
        found[str(name).lstrip("/")] = numbers[place.page]
    return found


def to_html(volume: Volume) -> str:
    """Write one page of all sections, in the styles of the site."""
    first = volume.site / volume.sections[0].name / "index.html"
    head = BeautifulSoup(first.read_text(encoding="utf-8"), "html.parser")
    hrefs = [str(one["href"]) for one in head.select('head link[rel="stylesheet"]')]
    styles = [(first.parent / href).resolve().as_uri() for href in hrefs]
    links = "".join(
        f'<link rel="stylesheet" href="{one}">' for one in [*styles, STYLE.as_uri()]
    )
    title, about = escape(volume.title), escape(volume.about)
    body = "".join(str(one.body) for one in volume.sections)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title>{links}</head>"
        '<body dir="ltr" data-md-color-scheme="default" data-md-color-primary="custom">'
        f'<main class="md-typeset"><header><h1>{title}</h1><p>{about}</p></header>'
        f"<nav><h1>Contents</h1>{volume.contents()}</nav>{body}</main></body></html>"
    )


def _print(chromium: str, source: Path, target: Path) -> None:
    done = subprocess.run(
        [
            chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--no-pdf-header-footer",
            "--generate-pdf-document-outline",
            f"--user-data-dir={source.parent / 'profile'}",
            f"--print-to-pdf={target.resolve()}",
            source.as_uri(),
        ],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode or not target.is_file():
        raise ValueError(f"Chromium printed no PDF: {done.stderr[-500:]}")
