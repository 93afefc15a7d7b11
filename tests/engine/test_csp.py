"""The policy of a page names each script inside it, and lets nothing else run."""

import base64
import hashlib
import re

import pytest

from lookback.engine.csp import policy, with_policy

PAGE = '<html><head><meta charset="utf-8"></head><body>{}</body></html>'


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def scripts(text: str) -> str:
    return re.search(r"script-src ([^;]*);", policy(text))[1]


@pytest.mark.parametrize("tag", ["<script>", '<script type="module">'])
def test_a_script_inside_is_named_by_its_hash(tag: str) -> None:
    named = f"'sha256-{digest('f(1)' + chr(10))}'"
    assert scripts(f"{tag}f(1)\n</script>") == f"'self' {named}"


def test_the_hash_is_that_of_a_known_script() -> None:
    """From the specification, CSP level 3, 7.2: `doSubmit()`."""
    known = "'sha256-jzgBGA4UWFFmpOBq0JpdsySukE1FrEN5bUpoK8Z29fY='"
    assert scripts("<script>doSubmit()</script>") == f"'self' {known}"


def test_a_script_twice_is_named_once() -> None:
    assert scripts("<script>a</script><script>a</script>").count("sha256") == 1


@pytest.mark.parametrize(
    "script",
    [
        '<script src="a.js"></script>',
        '<script id="c" type="application/json">{"a": 1}</script>',
        "",
    ],
)
def test_files_and_data_need_no_hash(script: str) -> None:
    assert scripts(script) == "'self'"


def test_nothing_else_is_allowed() -> None:
    rules = dict(rule.split(" ", 1) for rule in policy("").split("; "))
    assert rules["default-src"] == "'self'"
    assert rules["frame-src"] == rules["object-src"] == rules["base-uri"] == "'none'"
    assert all("http" not in words and "*" not in words for words in rules.values())
    assert "unsafe" not in rules["script-src"]


def test_the_policy_stands_before_the_scripts() -> None:
    page = with_policy(PAGE.format("<script>a</script>"))
    assert page.index("Content-Security-Policy") < page.index("<script>")
    assert page.count("<meta http-equiv=") == 1 and digest("a") in page


def test_line_ends_are_hashed_as_a_browser_reads_them() -> None:
    assert policy("<script>a\r\nb</script>") == policy("<script>a\nb</script>")


def test_html_without_a_head_stays_as_it_is() -> None:
    assert with_policy("<p>a</p>") == "<p>a</p>"
