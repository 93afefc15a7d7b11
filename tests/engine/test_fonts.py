"""Test that the committed fonts of the site are complete."""

import html
import io
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from fontTools.ttLib import TTFont

from lookback.engine.blocks import Page, parse
from lookback.engine.labs import read
from lookback.engine.tex import equation

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "assets" / "fonts"
COMMAND = "enter it in docs/assets/fonts/make.py, then run that and commit the fonts"


def script() -> ModuleType:
    """Import make.py, which is no module of a package."""
    spec = spec_from_file_location("make_fonts", FOLDER / "make.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fonts = script()

STIX = "STIXTwoMath.woff2"


@pytest.fixture(scope="module")
def built() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(FOLDER.glob("*.woff2"))}


def opened(data: bytes) -> TTFont:
    return TTFont(io.BytesIO(data))


def characters(data: bytes) -> set[str]:
    return {chr(code) for code in opened(data).getBestCmap()}


def test_no_gap_follows_a_root(built: dict[str, bytes]) -> None:
    font = opened(built[STIX])
    root = font.getBestCmap()[ord("√")]
    variants = font["MATH"].table.MathVariants
    place = variants.VertGlyphCoverage.glyphs.index(root)
    sizes = variants.VertGlyphConstruction[place]
    names = [record.VariantGlyph for record in sizes.MathGlyphVariantRecord]
    names += [part.glyph for part in sizes.GlyphAssembly.PartRecords]
    assert len(set(names)) > 4
    assert {font["hmtx"][name][0] for name in names} == {794}
    features = font["GSUB"].table.FeatureList.FeatureRecord
    assert "ssty" in {feature.FeatureTag for feature in features}  # smaller scripts


def test_a_prime_stands_right_once_it_is_raised(built: dict[str, bytes]) -> None:
    font, text = opened(built[STIX]), TTFont(io.BytesIO(fonts.FACES[STIX].read()))
    constants = font["MATH"].table.MathConstants
    for sign in map(ord, "′″‴⁗"):
        drawn = font["glyf"][font.getBestCmap()[sign]]
        meant = text["glyf"][text.getBestCmap()[sign]]
        shrunk = constants.ScriptPercentScaleDown / 100
        raised = constants.SuperscriptShiftUp.Value
        assert drawn.yMin * shrunk + raised == pytest.approx(meant.yMin, abs=1)
        assert drawn.yMax * shrunk + raised == pytest.approx(meant.yMax, abs=1)


def test_the_licences_are_beside_them() -> None:
    notice = (FOLDER / "NOTICE.txt").read_text(encoding="utf-8")
    for name in ("Roboto-LICENSE.txt", "STIXTwoMath-OFL.txt"):
        assert name in notice and (FOLDER / name).is_file()


def words_and_formulas(page: Page) -> tuple[set[str], set[str]]:
    """Collect the characters of a page outside its formulas, and those inside."""
    words, formulas, position = "", "", 0
    for piece in page.pieces:
        if piece.kind == "math":
            words += page.text[position : piece.start]
            position = piece.end
            formulas += equation(piece.code, "")
    words += page.text[position:]
    formulas = html.unescape(re.sub(r"<[^>]*>", "", formulas))
    return set(words) - {"\n"}, set(formulas) - {"\n"}


@pytest.fixture(scope="module")
def shown() -> tuple[set[str], set[str]]:
    """Collect the characters of words, of code, printed by figures, and of formulas."""
    words = set((ROOT / "docs" / "references.bib").read_text(encoding="utf-8"))
    words |= set((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    formulas: set[str] = set()
    for path in (ROOT / "docs").rglob("*"):
        readers = {".md": parse, ".py": read}
        if path.suffix in readers and FOLDER.parent not in path.parents:
            text = path.read_text(encoding="utf-8")
            some, more = words_and_formulas(readers[path.suffix](text, path.name))
            words, formulas = words | some, formulas | more
    return words - {"\n"}, formulas


def missing(needed: set[str], font: bytes, face: "fonts.Face") -> str:
    """Name the characters that the whole font has and the cut one lacks."""
    lost = sorted((needed & characters(face.read())) - characters(font))
    names = " ".join(f"U+{ord(sign):04X} {sign}" for sign in lost)
    return f"{names}: {COMMAND}" if lost else ""


@pytest.mark.parametrize("name", fonts.FACES)
def test_no_character_of_the_book_is_missing(
    built: dict[str, bytes], shown: tuple[set[str], set[str]], name: str
) -> None:
    needed = shown[name == STIX]
    assert len(needed) > 100
    assert missing(needed, built[name], fonts.FACES[name]) == ""
