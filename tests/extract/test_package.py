"""A package as text: where names are defined, and which functions only check."""

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
            """Check and tell."""
            whole(x=x)
            return x, N

        def both(x, y):
            sizes(x)
            if x < y:
                raise ValueError(y)

        def taken(x):
            y = x.pop()
            return y

        def filled(x):
            x.append(N)
        ''',
    "second": """
        from .first import M, both as pair, filled, taken
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
    assert first.outside == {"np": ("numpy", ""), "layers": ("torch", "nn")}
    assert package.find("second", "pair") == ("first", "both")
    assert package.find("second", "np") is None
    assert package.find("second", "sizes") == ("first", "sizes")
    assert package.find("second", "N") == ("first", "N")
    assert package.find("second", "inner") is None
    chunk = package.chunk(("first", "M"))
    assert chunk.names == ("N", "M")
    expected = '# How many\n# there are.\nN, M = 3, 4\n"""What they mean."""\n'
    assert chunk.text == expected


def test_a_function_without_effects_only_checks(tmp_path: Path) -> None:
    package = small(tmp_path)
    assert package.checks("first") >= {"whole", "sizes", "both"}
    assert not package.checks("first") & {"taken", "filled", "N"}
    assert package.checks("second") == {"pair", "sizes", "__post_init__"}
