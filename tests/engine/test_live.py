"""Test the script tags of pages, and the weights that they load."""

import base64
import hashlib
import re
from pathlib import Path

import pytest

from lookback.engine.errors import PageError
from lookback.engine.live import (
    MARKS,
    imports_of,
    scripts_of,
    weights_of,
)

PAGE = '<head></head><p data-live="map"></p><i class="x" data-live="query">a</i>'
IMPORTS = {"map": ["weights"], "query": ["dom"], "weights": ["dom"], "dom": []}
Scripts = dict[str, Path]


@pytest.fixture
def scripts(tmp_path: Path) -> Scripts:
    for name, others in IMPORTS.items():
        lines = [f'import {{ x }} from "./{other}.js";\n' for other in others]
        (tmp_path / f"{name}.js").write_text("".join(lines))
    return {f"live/{name}.js": tmp_path / f"{name}.js" for name in IMPORTS}


def test_scripts_are_named_once_in_their_order(scripts: Scripts) -> None:
    asked = ["live/map.js", "live/query.js"]
    assert scripts_of(PAGE, scripts, "p.md") == asked
    assert imports_of(asked, scripts) == ["live/weights.js", "live/dom.js"]
    assert scripts_of("<p data-live=&quot;b&quot;>", scripts, "p.md") == []


@pytest.mark.parametrize(("mark", "name"), MARKS.items())
def test_what_the_engine_writes_asks_for_its_script(mark: str, name: str) -> None:
    assert scripts_of(mark, {f"live/{name}.js": Path()}, "p.md") == [f"live/{name}.js"]


def test_imports_of_the_book_are_those_that_are_written() -> None:
    """Compare them with all imports: another form would not be preloaded."""
    folder = Path(__file__).parents[2] / "docs/live"
    scripts = {f"live/{path.name}": path for path in folder.glob("*.js")}
    for path in scripts.values():
        lines = re.findall(r"^import\b.*", path.read_text("utf-8"), re.MULTILINE)
        assert len(imports_of([f"live/{path.name}"], scripts)) >= len({*lines})


@pytest.mark.parametrize("name", ["", "../x", "A b", "gone"])
def test_a_module_that_is_not_there_is_refused(scripts: Scripts, name: str) -> None:
    with pytest.raises(PageError, match=r"p\.md:1: data-live is"):
        scripts_of(f'<p data-live="{name}"></p>', scripts, "p.md")


def test_the_build_adds_the_script_of_a_block_that_asks(book, tmp_path: Path) -> None:
    (tmp_path / "docs" / "live" / "dot.js").write_text("export {};\n")
    site = book(
        """
        # T

        ```python
        class Dot:
            def _repr_html_(self):
                return '<p data-live="dot">a</p>'

        Dot()
        ```
        """
    )
    page = (site / "t" / "index.html").read_text("utf-8")
    assert page.count('<script type="module" src="../live/dot.js"></script>') == 1
    assert (site / "live" / "dot.js").exists()
    assert "live/dot.js" not in (site / "bibliography" / "index.html").read_text()


def test_weights_have_names_that_hold_their_hash(tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").write_bytes(b"weights")
    found = weights_of("m", tmp_path)
    digest = hashlib.sha256(b"weights")
    assert found.address == f"live/weights/m.{digest.hexdigest()[:10]}.safetensors"
    code = base64.b64encode(digest.digest()).decode()
    assert found.integrity == f"sha256-{code}"
    seen = found.seen_from("labs/zipf/")
    assert seen["url"] == f"../../{found.address}" and seen["bytes"] == 7
    assert seen["integrity"] == found.integrity


@pytest.mark.parametrize("name", ["absent", "../m", ""])
def test_weights_that_are_not_there_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "m.safetensors").write_bytes(b"weights")
    with pytest.raises(ValueError, match="a live figure has the model"):
        weights_of(name, tmp_path / "recipes" if name == "../m" else tmp_path)
