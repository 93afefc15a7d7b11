"""The door of the package: names come when they are used, and cost nothing before."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import yaml

import lookback

ROOT = Path(__file__).parents[1]
HEAVY = ("torch", "numpy", "matplotlib", "mkdocs", "lookback.workshop")


def loaded(code: str) -> set[str]:
    """Which of HEAVY a fresh Python has imported after some code."""
    ask = f"import sys; print('loaded', *[n for n in {HEAVY!r} if n in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{ask}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.splitlines()[-1].split()[1:])


def test_to_import_it_loads_nothing_heavy() -> None:
    assert loaded("import lookback; dir(lookback); lookback.CHAPTERS") == set()


def test_help_loads_nothing_heavy() -> None:
    code = (
        "from lookback.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as done:\n"
        "    assert not done.code"
    )
    assert loaded(code) == set()


def test_what_is_used_is_loaded() -> None:
    assert "torch" in loaded("from lookback import Transformer")


def test_names_come_from_their_modules() -> None:
    from lookback import Transformer, pretrained, results, transformer
    from lookback.workshop import checkpoint, study

    assert Transformer is transformer.Transformer
    assert pretrained is checkpoint.pretrained
    assert results is study.results


@pytest.mark.parametrize("name", lookback.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(lookback, name) is not None
    assert name in dir(lookback)
    assert f"lookback.{name}" in sys.modules or name not in lookback.CHAPTERS


def test_a_class_or_function_is_where_it_was_defined() -> None:
    for name in set(lookback.__all__) - {"CHAPTERS", *lookback.CHAPTERS}:
        home = getattr(lookback, name).__module__
        assert vars(import_module(home))[name] is getattr(lookback, name)


def test_chapters_are_those_of_the_book_and_of_the_help_in_its_order() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    nav = yaml.load(text, yaml.BaseLoader)["nav"]
    ideas = {path.stem for path in (ROOT / "src/lookback").glob("*.py")}
    pages = [
        page if isinstance(page, str) else next(iter(page.values()))
        for part in nav
        if isinstance(part, dict)
        for pages in part.values()
        if isinstance(pages, list)
        for page in pages
    ]
    names = [page.removesuffix(".md") for page in pages]
    assert list(lookback.CHAPTERS) == [name for name in names if name in ideas]
    assert lookback.__doc__
    lines = lookback.__doc__.splitlines()
    listed = [line.split()[0] for line in lines if "  " in line.strip()]
    assert listed == list(lookback.CHAPTERS)


def test_what_it_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Tranformer'"):
        _ = lookback.Tranformer
    with pytest.raises(ImportError, match="cannot import name 'nobody'"):
        from lookback import nobody  # noqa: F401
    assert not hasattr(lookback, "torch")


def test_weights_and_results_are_installed_with_it() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    patterns = tomllib.loads(text)["tool"]["setuptools"]["package-data"]["lookback"]
    package = ROOT / "src/lookback"
    installed = {path for pattern in patterns for path in package.glob(pattern)}
    kinds = {".css", ".html", ".json", ".md", ".mplstyle", ".safetensors", ".typed"}
    data = {path for path in package.rglob("*") if path.suffix in kinds}
    assert data == installed
    assert all(any(package.glob(pattern)) for pattern in patterns)
