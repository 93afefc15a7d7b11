"""Cuts the fonts of the site: Roboto for words, STIX Two Math for formulas.

Run `python docs/assets/fonts/make.py` and commit the files that it writes next to
itself. The fonts come from packages on the index (the extra `test` has them) and are
cut down to the characters a page can hold, so that a reader downloads kilobytes and
asks no other host for anything. Code is set in the reader's own monospaced font.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fontTools import subset

FOLDER = Path(__file__).parent
WORDS = (
    "0020-007E 00A0-017F"  # Latin, Latin-1 and Latin Extended-A
    " 0218-021B 02C6-02DD 0300-0304 0306-030C 0327 0328"  # accents
    " 0391-03A9 03B1-03C9"  # Greek letters
    " 2010-2016 2018-201E 2020-2022 2026 202F 2030 2032 2033 2039 203A"  # punctuation
    " 1D40 2044 2070-208E 2090-209C 20AC 2116 2122"  # super- and subscripts, signs
    " 2190-2193 2202 2206 220F 2211 2212 221A 221E 2248 2260 2264 2265 25CA"
)
MATHS = (
    "0020-007E 00A0-00FF 0131 0237 02C6-02DD"  # text inside formulas, accents
    " 0300-030C 0331 0332 0338 20D0-20D7"  # accents that combine
    " 0391-03C9 03D1 03D5 03D6 03F0 03F1 03F5"  # Greek
    " 2009 2016 2020-2022 2026 2032-2034 2057 2061-2064 FE00"  # primes, invisible
    " 210E 2102 210B 210D 2110 2112 2113 2115 2119 211A 211B 211D 2124 212C 2130 2131"
    " 2133 2135"  # the letters that Unicode keeps outside the mathematical block
    " 2190-2195 21A6 21D0-21D4 27F5-27FA"  # arrows
    " 2200-220B 220F-2213 2216-221A 221D 221E 2220 2223-2236 223C 2243 2245 2248"
    " 2254 225C 2260-226B 2282-2287 228E 2293-229A 22A2-22A5 22A8 22C0-22C6 22EE-22F1"
    " 2308-230B 23B4 23B5 23DC-23DF 25A0 25CB 27E8-27EB 27C2 2A01 2A02"
    " 2A7D 2A7E"  # fences, braces
    " 1D400-1D467 1D49C-1D4B5"  # bold, italic; script
    " 1D538-1D550 1D6E2-1D71B 1D736 1D7D8-1D7E1"  # double-struck; Greek italic; digits
)
SCRIPTS = (  # what stands as a sub- or superscript has a form drawn for that size
    "0028 0029 002A-0039 003D 0041-005A 0061-007A 03B1-03C9 03F5 210E 2032-2034 2057"
    " 2212 22A4 1D434-1D467 1D6FC-1D71B"
)


@dataclass(frozen=True)
class Face:
    """One font file: the package it comes from and the characters it keeps."""

    package: str
    path: str
    ranges: str
    features: tuple[str, ...]

    def read(self) -> bytes:
        """The whole font. find_spec looks for the package without running it."""
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            raise ValueError(
                f"the fonts of the site need the package {self.package!r},"
                " which is not installed: pip install 'lookback-attention[test]'"
            )
        return (Path(spec.submodule_search_locations[0]) / self.path).read_bytes()


def _roboto(style: str) -> Face:
    path = f"files/Roboto-{style}.ttf"
    return Face("font_roboto", path, WORDS, ("kern",))


FACES = {
    "Roboto-Regular.woff2": _roboto("Regular"),
    "Roboto-Italic.woff2": _roboto("Italic"),
    "Roboto-Bold.woff2": _roboto("Bold"),
    "Roboto-BoldItalic.woff2": _roboto("BoldItalic"),
    # ssty: letters drawn for sub- and superscripts; dtls, flac: letters under accents
    "STIXTwoMath.woff2": Face(
        "ziamath", "fonts/STIXTwoMath-Regular.ttf", MATHS, ("ssty", "dtls", "flac")
    ),
}


def codepoints(ranges: str) -> Iterator[int]:
    """The code points that "0041-0043 221A" names."""
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def cut(font: bytes, face: Face) -> bytes:
    """The subset as woff2. Equal input gives equal bytes: no time stamp is renewed."""
    options = subset.Options(
        flavor="woff2", hinting=False, layout_features=list(face.features)
    )
    options.drop_tables += ["DSIG"]
    loaded = subset.load_font(io.BytesIO(font), options)
    if "MATH" in loaded:
        _narrow_roots(loaded)
        _lower_primes(loaded)
        _keep_scripts(loaded)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codepoints(face.ranges))
    subsetter.subset(loaded)
    out = io.BytesIO()
    subset.save_font(loaded, out, options)
    return out.getvalue()


def _narrow_roots(font: Any) -> None:
    """Draw every size of the root sign as wide as its smallest.

    A browser reserves the width of the widest size before it chooses one (MathML Core,
    "preferred inline size"), and so would leave a gap after each √d_k.
    """
    root = font.getBestCmap()[0x221A]
    variants = font["MATH"].table.MathVariants
    place = variants.VertGlyphCoverage.glyphs.index(root)
    sizes = variants.VertGlyphConstruction[place]
    names = {record.VariantGlyph for record in sizes.MathGlyphVariantRecord}
    names |= {part.glyph for part in sizes.GlyphAssembly.PartRecords}
    width = font["hmtx"][root][0]
    for name in names:
        _redraw(font, name, (width / font["hmtx"][name][0], 1), 0, width)


def _lower_primes(font: Any) -> None:
    """Draw ′ so that it stands right when it is set as a superscript, as in h′.

    The font draws it small and high, as text needs it; MathML then shrinks and raises
    it once more. This takes both back.
    """
    constants = font["MATH"].table.MathConstants
    shrunk = constants.ScriptPercentScaleDown / 100
    raised = constants.SuperscriptShiftUp.Value
    for sign in (0x2032, 0x2033, 0x2034, 0x2057):
        name = font.getBestCmap()[sign]
        width = round(font["hmtx"][name][0] / shrunk)
        _redraw(font, name, (1 / shrunk, 1 / shrunk), -raised, width)


def _keep_scripts(font: Any) -> None:
    """Drop the small forms of all but SCRIPTS: they are half of the font.

    Where a font has no small form, a browser shrinks the usual one.
    """
    names = font.getBestCmap()
    kept = {names[code] for code in codepoints(SCRIPTS) if code in names}
    table = font["GSUB"].table
    for record in table.FeatureList.FeatureRecord:
        if record.FeatureTag != "ssty":
            continue
        for index in record.Feature.LookupListIndex:
            for part in table.LookupList.Lookup[index].SubTable:
                forms = getattr(part, "ExtSubTable", part)
                field = "alternates" if hasattr(forms, "alternates") else "mapping"
                found = getattr(forms, field).items()
                setattr(forms, field, {g: form for g, form in found if g in kept})


def _redraw(
    font: Any, name: str, factors: tuple[float, float], rise: float, width: int
) -> None:
    """Move an outline up by `rise`, stretch it by `factors` (x, y), set its width."""
    outline = font["glyf"][name]
    outline.coordinates.translate((0, rise))
    outline.coordinates.scale(factors)
    outline.coordinates.toInt()
    outline.recalcBounds(font["glyf"])
    font["hmtx"][name] = (width, outline.xMin)


if __name__ == "__main__":
    for name, face in FACES.items():
        (FOLDER / name).write_bytes(cut(face.read(), face))
        print(f"{name}: {(FOLDER / name).stat().st_size:,} bytes")
