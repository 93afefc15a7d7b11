"""Test that what README, CONTRIBUTING, the pages and --help say to type can be typed.

README's Python runs as the blocks of pages do: pyproject.toml names it a test path.
"""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from lookback import cli
from lookback.cli import EXAMPLES, EXTRAS

ROOT = Path(__file__).parents[1]
README, CONTRIBUTING = ROOT / "README.md", ROOT / "CONTRIBUTING.md"
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (README, CONTRIBUTING, *sorted(ROOT.glob("docs/*.md")))
}
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
FENCED = re.compile(r"^ *```(\w*).*?\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
SLOW = ("race", "multi30k")  # minutes, and a download: they are parsed


def typed(program: str) -> list[str]:
    """List what stands after a program's name in shell blocks and in code spans."""
    lines = [line for _, line in helped()] if program == "lookback" else []
    for text in TEXTS.values():
        blocks = [code for kind, code in FENCED.findall(text) if kind == "sh"]
        lines += [line.strip() for block in blocks for line in block.splitlines()]
        spans = re.findall(r"(?<!`)`([^`]+)`(?!`)", FENCED.sub("", text))
        lines += [" ".join(span.split()) for span in spans]
    call = re.compile(rf"(?:\.venv/bin/|.*-m )?{program} (?!import|COMMAND)(.*)")
    found = filter(None, map(call.fullmatch, lines))
    return sorted({match[1].partition("  #")[0].strip() for match in found})


def helped() -> list[tuple[str, str]]:
    """List the calls that --help shows, with their commands."""
    parser, names = cli._parser()
    helps = {"": EXAMPLES}
    for group in parser._subparsers._group_actions:  # what argparse calls commands
        helps |= {name: group.choices[name].format_help() for name in names}
    return [
        (name, re.split(r"\s{2,}", line.strip())[0])
        for name, text in helps.items()
        for line in text.splitlines()
        if line.startswith("  lookback ")
    ]


@pytest.mark.parametrize("line", typed("lookback"))
def test_a_call_of_lookback_is_one_that_it_parses(line: str) -> None:
    arguments = cli._parser()[0].parse_args(shlex.split(line))
    assert callable(arguments.command)


def test_calls_are_found_where_they_are_written() -> None:
    lines = typed("lookback")
    for part in ("race --within 60", "new moe --title", "corpus multi30k", "register"):
        assert any(line.startswith(part) for line in lines)
    assert {name for name, _ in helped()} == {"", *cli._parser()[1]}


@pytest.mark.parametrize(
    "line",
    [
        line.partition("  #")[0].strip()
        for kind, block in FENCED.findall(TEXTS["README.md"])
        for line in block.splitlines()
        if kind == "sh" and line.startswith("lookback ")
        and not any(word in line for word in SLOW)
    ],
)  # fmt: skip
def test_the_calls_of_the_readme_answer(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line)[1:]
    assert cli.main(words) == 0
    files = [word for word in words if word.endswith((".svg", ".py"))]
    assert capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == files


@pytest.mark.parametrize("line", typed("make"))
def test_make_has_the_targets_and_variables_that_are_named(line: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
    for word in shlex.split(line):
        name, is_set, _ = word.partition("=")
        if is_set:
            assert f"$({name})" in MAKEFILE, word
        else:
            assert word in targets | {"…"}


def test_make_helps_with_each_target() -> None:
    (phony,) = re.findall(r"^\.PHONY: (help .*)$", MAKEFILE, re.MULTILINE)
    helped_with = set(re.findall(r'echo "make (\w+)', MAKEFILE))
    assert helped_with == set(phony.split()) - {"help"}


def test_extras_and_files_that_are_named_are_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(
        r"(?:\.|lookback-attention)\[([\w,]+)\]", "".join(TEXTS.values())
    )
    assert {extra for names in named for extra in names.split(",")} | {
        *EXTRAS.values()
    } <= project["optional-dependencies"].keys()
    for text in (TEXTS["README.md"], TEXTS["CONTRIBUTING.md"]):
        for path in re.findall(r"\]\((?!http|#)([\w./-]+\.\w+)\)", text):
            if path not in ("luong.md", "live/luong.js"):  # of a page, as an example
                assert (ROOT / path).is_file(), path
