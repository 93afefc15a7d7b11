"""Find objects in the syntax trees of a small package."""

from pathlib import Path

import pytest

from lookback.engine.source import find_source, module_path

TEXT = '''"""Doc."""
import functools

LIMIT = 3
size: int = 4


@functools.cache
def f(x):
    return x


class A:
    """A class."""

    def g(self):
        # why
        return 1

    class B:
        def h(self):
            pass


def twice(): ...
def twice(): ...
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "pkg"
    (folder / "sub").mkdir(parents=True)
    (folder / "__init__.py").write_text("x = 1\n")
    (folder / "m.py").write_text(TEXT)
    (folder / "sub" / "__init__.py").write_text("y = 2\n")
    return folder


@pytest.mark.parametrize(
    ("name", "first", "last", "text"),
    [
        ("f", 8, 10, "@functools.cache\ndef f(x):\n    return x"),
        ("A.g", 16, 18, "def g(self):\n    # why\n    return 1"),
        ("A.B.h", 21, 22, "def h(self):\n    pass"),
        ("LIMIT", 4, 4, "LIMIT = 3"),
        ("size", 5, 5, "size: int = 4"),
    ],
)
def test_an_object_is_found_whole_and_dedented(
    package: Path, name: str, first: int, last: int, text: str
) -> None:
    source = find_source(f"pkg.m:{name}", package)
    assert (source.first, source.last, source.text) == (first, last, text)


def test_modules_and_packages_have_files(package: Path) -> None:
    assert module_path("pkg", package) == package / "__init__.py"
    assert module_path("pkg.sub", package) == package / "sub" / "__init__.py"


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("pkg.m:nothing", "names nothing.*LIMIT"),
        ("pkg.m:A.nothing", "names nothing.*B, g"),
        ("pkg.m:twice", "names 2 things"),
        ("pkg.m", "there is no one ``"),
        ("pkg.none:f", "no module `pkg.none`"),
        ("os:path", "no module `os`"),
    ],
)
def test_a_name_that_is_not_there_once_is_refused(
    package: Path, reference: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        find_source(reference, package)
