"""The door of the package: names come when used; models take lists of words."""

import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import lookback
from lookback import pretrained

ROOT = Path(__file__).parents[1]
HEAVY = ("torch", "numpy", "matplotlib", "mkdocs", "lookback.trainer")


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


HELP = """\
from lookback.cli import main
try:
    main(["--help"])
except SystemExit as done:
    assert not done.code"""


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import lookback; dir(lookback); lookback.CHAPTERS", set()),
        (HELP, set()),
        ("import lookback.engine.svg", set()),
        ("from lookback import ngram", {"numpy", "torch"}),
    ],
)
def test_what_is_used_is_loaded_and_no_more(code: str, found: set[str]) -> None:
    assert loaded(code) == found


@pytest.mark.parametrize("name", lookback.__all__)
def test_every_name_is_there_and_comes_from_its_module(name: str) -> None:
    found = getattr(lookback, name)
    assert found is not None and name in dir(lookback)
    if name in lookback.CHAPTERS:
        assert found is sys.modules[f"lookback.{name}"]
    elif name != "CHAPTERS":
        assert vars(import_module(found.__module__))[name] is found


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
    kinds = {
        ".css", ".html", ".json", ".md", ".mplstyle", ".safetensors", ".txt", ".typed"
    }  # fmt: skip
    data = {path for path in package.rglob("*") if path.suffix in kinds}
    assert data == installed
    assert all(any(package.glob(pattern)) for pattern in patterns)


SENTENCE = "the minister sleeps ."
TRANSLATORS = ["encdec", "bahdanau", "transformer", "bpe-transformer", "ibm1"]
DOORS = {
    **{(name, "translate"): (SENTENCE,) for name in TRANSLATORS},
    ("encdec", "decode"): ([SENTENCE],),
    ("bahdanau", "explain"): (SENTENCE,),
    ("bahdanau", "attention"): (SENTENCE, ["le"]),
    ("transformer", "attention"): (["the"], SENTENCE),
    ("bpe-bahdanau", "link"): (SENTENCE, ["le"]),
    ("stack_decoder", "translate"): (SENTENCE,),
    ("ngram", "perplexity"): (SENTENCE,),
    ("gpt", "perplexity"): ([SENTENCE],),
}


@pytest.mark.parametrize(("door", "given"), DOORS.items(), ids=map("-".join, DOORS))
def test_a_string_is_refused(door, given):
    name, method = door
    with pytest.raises(ValueError, match=f"list of words.* got .*{SENTENCE}"):
        getattr(pretrained(name), method)(*given)


def test_unknown_words_are_named():
    with pytest.warns(UserWarning, match="reads <unk> for zebra, .*bpe-transformer"):
        pretrained("bahdanau").translate(["the", "zebra", "sleeps", "."])
    with pytest.raises(ValueError, match="ibm1 does not know zebra"):
        pretrained("ibm1").translate(["the", "zebra", "sleeps", "."])


def test_the_version_is_that_of_the_package():
    assert lookback.__version__ == version("lookback-attention")
