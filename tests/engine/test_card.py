"""Test the card that shared links show: its size, and what the script draws."""

import struct
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from mkdocs.config import load_config

ROOT = Path(__file__).parents[2]
ASSETS = ROOT / "docs" / "assets"


def script() -> ModuleType:
    """Import card.py, which is no module of a package."""
    spec = spec_from_file_location("draw_card", ASSETS / "card.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_card_has_its_size_and_is_light() -> None:
    data = (ASSETS / "card.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (1200, 630)
    assert len(data) < 80 * 1024


def test_the_script_draws_what_the_site_says_of_itself() -> None:
    drawn = script().card()
    words = " ".join(text.get_text() for text in drawn.axes[0].texts)
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "Lookback" in words and "The history of attention as a program" in words
    assert "site_description: The history of attention as a program" in config
    assert [*drawn.get_size_inches() * drawn.dpi] == [1200, 630]


def test_neither_the_script_nor_what_python_leaves_beside_it_is_served() -> None:
    left_out = load_config(str(ROOT / "mkdocs.yml")).exclude_docs
    assert left_out is not None
    for name in ("assets/card.py", "assets/__pycache__/card.cpython-311.pyc"):
        assert left_out.match_file(name), name
    assert not left_out.match_file("assets/card.png")
