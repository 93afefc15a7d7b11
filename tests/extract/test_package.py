"""A package as text: where names are defined, and which functions check."""

from pathlib import Path
from textwrap import dedent

import pytest

from lookback.extract import Package

SMALL = {
    "checks": """
        def whole(**values): raise ValueError(values)
        """,
    "first": '''
        """The first module."""

        import numpy as np
        from torch import nn as layers

        from small.checks import whole

        # How many
        # there are.
        N, M = 3, 4
        """What they mean."""

        def sizes(x):
            whole(x=x)
            return x, N

        def check_both(x, y):
            whole(x=x, y=y)
        ''',
    "second": """
        from .first import M, check_both, sizes as pair
        from .room import sizes, inner, N
        """,
    "room/__init__": """
        from small.first import sizes
        from . import inner
        from .inner import N
        """,
    "room/inner": "from small.first import N",
    "__init__": "x = 1",
    "m": '''
        """Doc."""
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
        ''',
}


@pytest.fixture
def package(tmp_path: Path) -> Package:
    folder = tmp_path / "small"
    (folder / "room").mkdir(parents=True)
    for name, text in SMALL.items():
        (folder / f"{name}.py").write_text(dedent(text).lstrip("\n"))
    return Package(folder)


def test_a_module_tells_where_its_names_come_from(package: Package) -> None:
    first = package.module("first")
    assert first.docstring == "The first module."
    assert first.imported["np"] == ("numpy", "")
    assert first.imported["layers"] == ("torch", "nn")
    for name, there in {"pair": "sizes", "sizes": "sizes", "N": "N", "M": "M"}.items():
        found = package.find("second", name)
        assert found and found.module == "first" and there in found.names
    assert package.find("second", "np") is None
    assert package.find("second", "inner") is None
    chunk = package.find("second", "M")
    expected = '# How many\n# there are.\nN, M = 3, 4\n"""What they mean."""\n'
    assert chunk and chunk.names == ("N", "M") and chunk.text == expected


def test_checks_come_from_their_module_or_bear_their_name(package: Package) -> None:
    assert package.checks("first") == {"whole", "check_both"}
    assert package.checks("second") == {"check_both"}


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
    package: Package, name: str, first: int, last: int, text: str
) -> None:
    found = package.definition(f"small.m:{name}")
    assert (found.first, found.last, found.text) == (first, last, text)


def test_modules_and_packages_have_files(package: Package) -> None:
    assert package.path("") == package.folder / "__init__.py"
    assert package.path("room") == package.folder / "room/__init__.py"


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("small.m:nothing", "names nothing.*LIMIT"),
        ("small.m:A.nothing", "names nothing.*B, g"),
        ("small.m:twice", "names 2 things"),
        ("small.m", "there is no one ``"),
        ("small.none:f", "no module `small.none`"),
        ("os:path", "no module `os`"),
    ],
)
def test_a_name_that_is_not_there_once_is_refused(
    package: Package, reference: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        package.definition(reference)
