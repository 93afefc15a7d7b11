"""Show the outputs of a block, and describe its faults."""

import sys
import types
from collections.abc import Iterator

import pytest

from lookback.engine import worker
from lookback.engine.blocks import parse
from lookback.engine.output import BlockFault, Output
from lookback.engine.worker import Job, describe, provenance, run_piece

DRAW = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\n"


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make blocks `__main__`, as in the worker process."""
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def run(text: str) -> list[list[Output]]:
    page = parse(text, "docs/p.md")
    job = Job("docs/p.md", page.running)
    names = sys.modules["__main__"].__dict__
    return [run_piece(piece, job, names) for piece in page.running]


def block(code: str, options: str = "") -> list[Output]:
    return run(f"```python\n{options}{code}\n```\n")[0]


def test_what_is_printed_comes_before_the_last_value() -> None:
    shown = [Output("text", "a\nb\n"), Output("text", "[2]\n")]
    assert block("print('a')\n1 + 1\nprint('b')\n[2]") == shown


@pytest.mark.parametrize(
    "code",
    ["x = 1", "None", "1 + 1;", "1 + 1 ;  # said", "'é' and 1;", "if 1:\n  2"],
)
def test_nothing_shows_nothing(code: str) -> None:
    assert block(code) == []


def test_a_semicolon_in_a_string_counts_for_nothing() -> None:
    assert block("'a;'") == [Output("text", "'a;'\n")]


def test_blocks_share_their_names_and_values_see_them() -> None:
    text = "```python\nx = 2\n```\n\nSo {{ f'{x:.1f}' }}.\n\n```python\nx * 3\n```\n"
    assert run(text) == [[], [Output("text", "2.0")], [Output("text", "6\n")]]


def test_an_object_may_show_itself_as_html() -> None:
    code = "class T:\n    def _repr_html_(self): return '<b>t</b>'\nT()"
    assert block(code) == [Output("html", "<b>t</b>")]


def test_a_dataclass_of_a_block_knows_its_module() -> None:
    code = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass A:\n    x: int\nA(1)"
    )
    assert block(code) == [Output("text", "A(x=1)\n")]


PRINTED = {
    "children, in order": (
        "import os\nprint('a')\nos.system('echo b')\nos.write(1, b'c\\n')\nprint('d')",
        "a\nb\nc\nd\n",
    ),
    "what is no UTF-8": ("import os\nos.write(1, b'\\xff\\n');", "\ufffd\n"),
    "colours": (r"print('\x1b[31mred\x1b[0m \x9b1mbold\x1b]0;t\x07')", "red bold\n"),
    "controls": (r"print('a\0\a\x7f\x80\ufffe\uffffb\tc')", "ab\tc\n"),
    "half a pair": (r"print('\ud800')", "\\ud800\n"),
    "other ends of lines": (r"print('a\r\nb\x0bc\x0cd\x85e')", "a\nb\nc\nd\ne\n"),
    "a progress bar": (r"for i in 9, 42, 7: print(end=f'\r{i} %')", "7 %%"),
    "one that is erased": (r"print(end='long\r\x1b[Kc\nDAK\b\b\x1b[Ae')", "ce\nDAK"),
    "a value": (r"'\x1b[1m\ud800'", "'\\x1b[1m\\ud800'\n"),
}


@pytest.mark.parametrize(("code", "text"), PRINTED.values(), ids=PRINTED)
def test_what_a_block_prints_is_what_a_terminal_shows(code: str, text: str) -> None:
    assert "".join(output.text for output in block(code)) == text


def test_controls_are_in_no_kind_of_output() -> None:
    made = r"""'<b>\x1b[1m\x07x</b>\r\n'"""
    assert block(f"class T:\n    def _repr_html_(self): return {made}\nT()") == [
        Output("html", "<b>x</b>\n")
    ]
    made = {"right": ["\x1b[1ma\0"], "\ab": None}
    code = f"class T:\n    def _repr_quiz_(self): return {made!r}\nT()"
    assert block(code)[0].settings == {"right": ["a"], "b": None}
    assert run("{{ 'a\\x1b[1m\\0b' }}\n") == [[Output("text", "ab")]]


TABLE = "class T:\n    def _repr_html_(self): return f'<td>{id}{object()}</td>'\nT()"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("```python\nobject()\n```", "memory address"),
        ("```python\nprint(object(), lambda: 0)\n```", "memory address"),
        ("```python\nimport os\nos.write(1, b'at 0x7f0123456789');\n```", "memory"),
        (f"```python\n{TABLE}\n```", "memory address"),
        ("It is {{ object() }}.", "memory address"),
        ("```python\nimport sys\nprint('uh', file=sys.stderr)\n```", "block warns: uh"),
        ("```python\nimport os\nos.system('echo oops >&2');\n```", "warns: oops"),
        ("It is {{ __import__('os').write(2, b'a') }}.", "this value warns: a"),
        ("It is {{ print('a') }}.", "this value prints 'a"),
    ],
)
def test_what_no_page_can_show_is_refused(text: str, words: str) -> None:
    with pytest.raises(BlockFault, match=words):
        run(text + "\n")


def test_a_fault_says_what_stood_on_standard_error() -> None:
    call = "subprocess.run(['sh', '-c', 'echo why >&2; exit 3'], check=True)"
    line, message = fault(f"```python\nimport subprocess\n{call}\n```\n")
    assert line == 3 and message.endswith("\nOn standard error:\nwhy")


def test_a_figure_is_drawn_once_and_closed() -> None:
    shown = block(DRAW + "fig", "#| alt: nothing on axes\n")
    assert [output.kind for output in shown] == ["svg"]
    assert sys.modules["matplotlib.pyplot"].get_fignums() == []


def test_a_figure_without_pyplot_is_shown_too() -> None:
    code = "from matplotlib.figure import Figure\nf = Figure()\nf.subplots();\nf"
    assert block(code, "#| alt: axes\n")[0].kind == "svg"


@pytest.mark.parametrize(
    ("code", "options", "words"),
    [
        (DRAW, "", "no words"),
        (DRAW + "plt.subplots();", "#| alt: two\n", "draws 2 figures"),
        ("x = 1", "#| alt: none\n", "draws no figure"),
    ],
)
def test_one_block_one_figure_one_alt_text(code: str, options: str, words: str) -> None:
    with pytest.raises(BlockFault, match=words):
        block(code, options)


PAGE = """# T

!!! note "Box"

    ```python
    def f(a):
        return a / 0

    f(1)
    ```
"""


def fault(text: str) -> tuple[int, str]:
    page = parse(text, "docs/p.md")
    with pytest.raises(Exception) as error:
        run(text)
    return describe(error.value, Job("docs/p.md", page.running), page.running[0])


def test_an_error_is_told_with_the_pages_own_lines() -> None:
    line, message = fault(PAGE)
    assert line == 9
    assert message.startswith("ZeroDivisionError: division by zero\nTraceback")
    assert 'File "docs/p.md", line 9, in <module>\n    f(1)' in message
    assert (  # the caret stands under the fault
        'File "docs/p.md", line 7, in f\n    return a / 0\n           ~~^~~' in message
    )
    assert "worker.py" not in message


def test_two_values_of_one_line_are_told_apart() -> None:
    line, message = fault("# T\n\n{{ 1 }} is {{ 2 }}, not {{ 3 / 0 }}.\n")
    assert line == 3 and "\n    3 / 0\n    ~~^~~" in message


def test_a_fault_of_syntax_is_told_with_line_and_text() -> None:
    fence = "    ```python\n    x = 1\n    1 +* 2\n    ```\n"
    line, message = fault(f'---\nt: 1\n---\n\n!!! note "N"\n\n{fence}')
    assert line == 9
    assert 'File "docs/p.md", line 9\n    1 +* 2\n       ^\n' in message


def test_models_say_where_they_come_from_once() -> None:
    class Model:
        provenance: object = {"model": "A", "parameters": 3}

    class Odd:
        provenance = "not a mapping"

    names = {"a": Model(), "b": Model(), "_c": Model(), "d": Odd(), "e": 1}
    assert provenance(names) == [{"model": "A", "parameters": "3"}]


def test_a_page_whose_starter_is_gone_ends_without_a_word(monkeypatch) -> None:
    def nobody_reads(connection: object, job: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(worker, "_run", nobody_reads)
    worker.main(None, None)  # type: ignore[arg-type]
