"""A package as text: where names are defined, and which functions check."""

from pathlib import Path
from textwrap import dedent

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
}


def small(folder: Path) -> Package:
    folder = folder / "small"
    (folder / "room").mkdir(parents=True)
    for name, text in SMALL.items():
        (folder / f"{name}.py").write_text(dedent(text))
    return Package(folder)


def test_a_module_tells_where_its_names_come_from(tmp_path: Path) -> None:
    package = small(tmp_path)
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


def test_checks_come_from_their_module_or_bear_their_name(tmp_path: Path) -> None:
    package = small(tmp_path)
    assert package.checks("first") == {"whole", "check_both"}
    assert package.checks("second") == {"check_both"}
