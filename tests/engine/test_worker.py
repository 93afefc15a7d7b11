"""Show the outputs of a block, and describe its faults."""

import json
import re
import sys
import types
from collections.abc import Iterator

import pytest

from lookback.engine.blocks import parse
from lookback.engine.output import BlockFault
from lookback.engine.worker import Job, describe, provenance, run_piece

DRAW = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\n"


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make blocks `__main__`, as in the worker process."""
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def run(text: str) -> list[list[dict[str, str]]]:
    page = parse(text, "docs/p.md")
    job = Job("docs/p.md", page.running)
    names = sys.modules["__main__"].__dict__
    return [run_piece(piece, job, names) for piece in page.running]


def block(code: str, options: str = "") -> list[dict[str, str]]:
    return run(f"```python\n{options}{code}\n```\n")[0]


def test_what_is_printed_comes_before_the_last_value() -> None:
    assert block("print('a')\n1 + 1\nprint('b')\n[2]") == [
        {"text": "a\nb\n"},
        {"text": "[2]\n"},
    ]


@pytest.mark.parametrize(
    "code",
    ["x = 1", "None", "1 + 1;", "1 + 1 ;  # said", "'é' and 1;", "if 1:\n  2"],
)
def test_nothing_shows_nothing(code: str) -> None:
    assert block(code) == []


def test_a_semicolon_in_a_string_counts_for_nothing() -> None:
    assert block("'a;'") == [{"text": "'a;'\n"}]


def test_a_value_in_a_sentence_begins_no_tag() -> None:
    (found,) = run("It wrote {{ '**<s>** and `<s>`' }} here.\n")
    assert found == [{"text": "**&lt;s>** and `<s>`"}]


def test_blocks_share_their_names_and_values_see_them() -> None:
    text = "```python\nx = 2\n```\n\nSo {{ f'{x:.1f}' }}.\n\n```python\nx * 3\n```\n"
    assert run(text) == [[], [{"text": "2.0"}], [{"text": "6\n"}]]


def test_an_object_may_show_itself_as_html() -> None:
    code = "class T:\n    def _repr_html_(self): return '<b>t</b>'\nT()"
    assert block(code) == [{"html": "<b>t</b>"}]


def test_a_dataclass_of_a_block_knows_its_module() -> None:
    code = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass A:\n    x: int\nA(1)"
    )
    assert block(code) == [{"text": "A(x=1)\n"}]


QUIZ = "from lookback.figures import Quiz\nQuiz(2 / 3, {'It is upside down.': 1.5})"


def test_a_quiz_with_the_key_of_the_program_is_shown() -> None:
    code = QUIZ.replace("})", "}, fmt='{:.2f}')")
    (shown,) = block(code, "#| quiz: How much?\n#| answer: 0.67\n")
    assert json.loads(shown["quiz"])["answers"] == {
        "0.67": "",
        "1.50": "It is upside down.",
    }


@pytest.mark.parametrize(
    ("code", "options", "words"),
    [
        (QUIZ, "#| quiz: How much?\n#| answer: 1.5\n", "`#| answer: 1.5` is not what"),
        (QUIZ, "#| quiz: How much?\n", "needs its question and its answer"),
        (QUIZ, "", "needs its question and its answer"),
        ("2 / 3", "#| quiz: How much?\n#| answer: 1\n", "its last value is no Quiz"),
    ],
)
def test_a_quiz_with_a_wrong_key_is_refused(
    code: str, options: str, words: str
) -> None:
    with pytest.raises(BlockFault, match=re.escape(words)):
        block(code, options)


def test_a_memory_address_is_refused() -> None:
    with pytest.raises(BlockFault, match="memory address"):
        block("object()")


def test_a_figure_is_drawn_once_and_closed() -> None:
    shown = block(DRAW + "fig", "#| alt: nothing on axes\n")
    assert [list(output) for output in shown] == [["svg"]]
    assert sys.modules["matplotlib.pyplot"].get_fignums() == []


def test_a_figure_without_pyplot_is_shown_too() -> None:
    code = "from matplotlib.figure import Figure\nf = Figure()\nf.subplots();\nf"
    assert list(block(code, "#| alt: axes\n")[0]) == ["svg"]


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

=== "Tab"

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
