"""The fonts of the site: complete, small, the same every time, never damaged."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from lookback.engine import fonts

ROBOTO = [name for name in fonts.FACES if name.startswith("Roboto")]
STIX = "STIXTwoMath.woff2"
FORMULAS = "√\u2061∑∏∫∞∈ℝ𝔼𝟙ℒ𝐖𝜶αθ𝑥𝑃ℎ≤≠≈∣′⊤⊙·×−←→⇒⟨⟩‖∇∂∝∀{}()[]|+=0123456789xPé"
PROSE = "The “naïve” café – Łódź, Ångström — 95 % … α λ θ √ ≤ ≈ × − · ₁ ² ½ ′ €"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fonts")


@pytest.fixture(scope="module")
def built(cache: Path) -> dict[str, bytes]:
    return fonts.build(cache)


def opened(data: bytes) -> TTFont:
    return TTFont(io.BytesIO(data))


def characters(data: bytes) -> set[str]:
    return {chr(code) for code in opened(data).getBestCmap()}


def test_the_five_files_are_woff2(built: dict[str, bytes]) -> None:
    styles = ["Regular", "Italic", "Bold", "BoldItalic"]
    assert list(built) == [*(f"Roboto-{style}.woff2" for style in styles), STIX]
    assert all(data[:4] == b"wOF2" for data in built.values())


@pytest.mark.parametrize("name", ROBOTO)
def test_roboto_holds_what_prose_needs(built: dict[str, bytes], name: str) -> None:
    assert set(PROSE) <= characters(built[name])


def test_stix_holds_what_formulas_need(built: dict[str, bytes]) -> None:
    assert set(FORMULAS) <= characters(built[STIX])


def test_stix_can_stretch_and_shrink(built: dict[str, bytes]) -> None:
    font = opened(built[STIX])
    root = font.getBestCmap()[ord("√")]
    stretched = font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs
    features = font["GSUB"].table.FeatureList.FeatureRecord
    assert root in stretched
    assert "ssty" in {feature.FeatureTag for feature in features}


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


def test_a_reader_downloads_little(built: dict[str, bytes]) -> None:
    assert max(len(built[name]) for name in ROBOTO) <= 25 * 1024
    assert len(built[STIX]) <= 120 * 1024


def test_the_bytes_repeat(built: dict[str, bytes], tmp_path: Path) -> None:
    assert fonts.build(tmp_path) == built


def test_no_time_stamp_is_renewed(built: dict[str, bytes]) -> None:
    for name, face in fonts.FACES.items():
        before = TTFont(io.BytesIO(face.read()))["head"].modified
        assert opened(built[name])["head"].modified == before


def test_a_second_build_reads_the_cache(
    built: dict[str, bytes], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> bytes:
        raise AssertionError("cut again although the cache holds it")

    monkeypatch.setattr(fonts, "_cut", never)
    assert fonts.build(cache) == built
    assert len(list(cache.iterdir())) == len(built)  # no half-written file is left


@pytest.mark.parametrize("damage", [b"", b"\0" * 20, b"not a font" * 1000])
def test_a_damaged_entry_is_cut_again(
    built: dict[str, bytes], cache: Path, damage: bytes
) -> None:
    entry = next(cache.glob("*Roboto-Bold.woff2"))
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-7] + damage if damage else damage)
    assert fonts.build(cache) == built
    assert entry.read_bytes() == whole


def test_the_key_follows_the_font_and_the_characters() -> None:
    face = fonts.FACES["Roboto-Regular.woff2"]
    keys = {
        fonts._key(face, b"one font"),
        fonts._key(face, b"another font"),
        fonts._key(replace(face, ranges="0041"), b"one font"),
        fonts._key(replace(face, features=()), b"one font"),
    }
    assert len(keys) == 4


def test_ranges_are_read_as_written() -> None:
    assert list(fonts.codepoints("0041-0043 221A")) == [0x41, 0x42, 0x43, 0x221A]


def test_a_failed_write_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        fonts.build(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package_is_named() -> None:
    face = replace(fonts.FACES[STIX], package="no_such_font")
    with pytest.raises(ValueError, match=r"no_such_font.*not installed"):
        face.read()
