"""Modules are loaded by the pages that ask for them, once, from any depth."""

import base64
import hashlib
import html
import json
import re
from pathlib import Path

import pytest

from lookback.engine.live import modules, weights_of, with_models, with_scripts

PAGE = '<body><p data-live="map"></p><i class="x" data-live="query">a</i></body></html>'
THERE = {"live/map.js", "live/query.js"}


def test_each_name_is_found_once_in_its_order() -> None:
    page = '<p data-live="b"></p><p data-live="a"><p id="x" data-live="b">'
    assert modules(page) == ["b", "a"]


def test_words_about_the_attribute_ask_for_nothing() -> None:
    page = '<code>&lt;p data-live="a"&gt;</code><p data-live=&quot;b&quot;>'
    assert modules(page) == []


def test_scripts_stand_at_the_end_of_the_body() -> None:
    found = with_scripts(PAGE, "labs/zipf/", THERE)
    scripts = "".join(
        f'<script type="module" src="../../live/{name}.js"></script>'
        for name in ("map", "query")
    )
    assert found == PAGE.replace("</body>", f"{scripts}</body>")


def test_a_page_without_live_things_stays_as_it_is() -> None:
    assert with_scripts("<body></body>", "", THERE) == "<body></body>"


def test_the_address_fits_the_depth_of_the_page() -> None:
    assert 'src="live/map.js"' in with_scripts(PAGE, "", THERE)
    assert 'src="../live/map.js"' in with_scripts(PAGE, "ngram/", THERE)


def test_small_ones_are_asked_for_as_one_where_they_are_served_so() -> None:
    page = '<body><p data-live="twin"></p><i data-live="folding">a</i></body>'
    there = {"live/twin.js", "live/folding.js"}
    found = with_scripts(page, "", there)
    assert found.count("<script") == 2 and 'src="live/twin.js"' in found
    found = with_scripts(page, "", {"live/page.js"})
    assert found.count("<script") == 1 and 'src="live/page.js"' in found


def test_a_module_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match=r"docs/live/query\.js is not there"):
        with_scripts(PAGE, "", {"live/map.js"})


@pytest.mark.parametrize("name", ["", "../x", "A b"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="data-live"):
        modules(f'<p data-live="{name}"></p>')


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


def test_scripts_are_served_without_comments(book, tmp_path: Path) -> None:
    script = "// A comment.\nexport const f = (x) => `a  ${x} // b`;\n"
    (tmp_path / "docs" / "live" / "dot.js").write_text(script)
    site = book("# T")
    found = (site / "live" / "dot.js").read_text()
    assert found == "export const f=(x)=>`a  ${x} // b`;"
    assert (tmp_path / "docs" / "live" / "dot.js").read_text() == script


def test_weights_have_names_that_hold_their_hash(tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").write_bytes(b"weights")
    found = weights_of("m", tmp_path)
    digest = hashlib.sha256(b"weights")
    assert found.address == f"live/weights/m.{digest.hexdigest()[:10]}.safetensors"
    code = base64.b64encode(digest.digest()).decode()
    assert (found.integrity, found.size) == (f"sha256-{code}", 7)


@pytest.mark.parametrize("name", ["absent", "../m", ""])
def test_weights_that_are_not_there_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "m.safetensors").write_bytes(b"weights")
    with pytest.raises(ValueError, match="data-models holds"):
        weights_of(name, tmp_path / "recipes" if name == "../m" else tmp_path)


def test_a_page_says_where_its_models_are(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.safetensors").write_bytes(name.encode())
    page = '<p>data-models="x"</p><div class="c" data-models="a b" data-o="1">t</div>'
    found = with_models(page, "labs/zipf/", lambda name: weights_of(name, tmp_path))
    said = re.search(r'<div class="c" data-models="([^"]*)" data-o="1">', found)
    assert said is not None and found.startswith('<p>data-models="x"</p>')
    models = json.loads(html.unescape(said[1]))
    assert [*models] == ["a", "b"] and models["a"]["bytes"] == 1
    assert models["b"]["url"].startswith("../../live/weights/b.")
    assert models["b"]["integrity"] == weights_of("b", tmp_path).integrity
