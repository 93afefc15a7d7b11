"""Exercises have ids and stand in the contents."""

from mkdocs.structure.toc import AnchorLink

from lookback.engine.plugin_exercises import enter, with_ids

PAGE = """<h1 id="t">T</h1><h2 id="a">A</h2><h3 id="a1">A 1</h3>
<div class="admonition exercise">
<p class="admonition-title">Exercise 1: of <math><mi>d</mi></math></p>
<details class="solution"><summary>Solution</summary></details></div>
<details class="exercise"><summary>Exercise 2</summary></details>
<div class="admonition mistakes"><p class="admonition-title">Exercise 3</p></div>
<h2 id="b">B</h2>"""


def contents(*titles: str) -> list[AnchorLink]:
    top = AnchorLink("T", "t", 1)
    top.children = [AnchorLink(t, t[0].lower(), 2) for t in titles]
    return [top]


def told(links: list[AnchorLink]) -> list[tuple[str, str]]:
    return [(link.title, link.id) for link in links]


def test_each_exercise_has_the_id_of_its_number() -> None:
    page = with_ids(PAGE)
    assert '<div id="exercise-1" class="admonition exercise">' in page
    assert '<details id="exercise-2" class="exercise">' in page
    assert "exercise-3" not in page and page.count("<math>") == 1


def test_they_stand_under_one_entry_where_they_are() -> None:
    (top,) = toc = contents("A", "B")
    enter(PAGE, toc)
    assert told(top.children) == [("A", "a"), ("Exercises", "exercise-1"), ("B", "b")]
    first = ("1. of <math><mi>d</mi></math>", "exercise-1")
    assert told(top.children[1].children) == [first, ("Exercise 2", "exercise-2")]


def test_a_heading_of_their_own_gets_them() -> None:
    (top,) = toc = contents("Always", "B")
    top.children[0].title = "Exercises"
    enter(PAGE, toc)
    assert [link.title for link in top.children] == ["Exercises", "B"]
    assert len(top.children[0].children) == 2


def test_a_page_without_exercises_keeps_its_contents() -> None:
    (top,) = toc = contents("A")
    enter("<h2 id='a'>A</h2>", toc)
    assert told(top.children) == [("A", "a")]
