"""Ids and numbers of what a page can point at."""

import pytest

from lookback.engine.blocks import parse
from lookback.engine.errors import PageError
from lookback.engine.labels import labels

PAGE = """# T

$$a \\tag{6}$$

$$b$$

$$c \\tag{6'}$$

```python
#| alt: a line
draw()
```

```python
#| alt: a map
#| id: map
draw()
```

```python
#| caption: Numbers.
table
```

<!-- caption: Words. -->

| a | b |
|---|---|
| 1 | 2 |

```{.python src="a:b"}
```

$x$ and `$$d$$`.

!!! exercise "Exercise 1: count"

    Do.

!!! exercise "Exercise 3"

    Do.
"""


def test_everything_has_an_id_and_its_name() -> None:
    found = labels(parse(PAGE, "docs/p.md")).by_id
    assert {name: label.text for name, label in found.items()} == {
        "eq-6": "(6)",
        "eq-n1": "",
        "eq-6-prime": "(6')",
        "figure-1": "figure 1",
        "map": "figure 2",
        "table-1": "table 1",
        "table-2": "table 2",
        "listing-1": "listing 1",
        "exercise-1": "exercise 1",
        "exercise-3": "exercise 3",
    }


def test_a_label_is_found_where_its_piece_begins_and_by_its_tag() -> None:
    found = labels(parse(PAGE, "docs/p.md"))
    assert found.at[PAGE.index("$$a")].id == "eq-6"
    assert found.at[PAGE.index("```python\n#| alt: a map")].id == "map"
    prime, none = found.tagged("6′"), found.tagged("7")
    assert prime is not None and prime.id == "eq-6-prime" and none is None


def test_a_tag_that_two_equations_have_gives_two_ids() -> None:
    found = labels(parse("$$a \\tag{1}$$\n\n$$b \\tag{1}$$\n", "docs/p.md"))
    assert list(found.by_id) == ["eq-1", "eq-1-2"]


def test_the_key_equation_and_the_key_figure_are_marked() -> None:
    text = (
        "<!-- key -->\n$$a$$\n\n$$b$$\n\n```python\n#| alt: x\n#| key: true\nd\n```\n"
    )
    found = labels(parse(text, "docs/p.md"))
    assert found.keys == {text.index("$$a"), text.index("```python")}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("```python\n#| alt: x\n#| id: eq-1\nd\n```\n\n$$a \\tag{1}$$\n", 7, "`eq-1`"),
        ("a\n\n<!-- key -->\n\nb $c$\n", 3, "belongs before"),
        ("<!-- key -->\n", 1, "belongs before"),
    ],
)
def test_what_cannot_be_numbered_is_refused(text: str, line: int, words: str) -> None:
    with pytest.raises(PageError, match=words) as refusal:
        labels(parse(text, "docs/p.md"))
    assert refusal.value.line == line
