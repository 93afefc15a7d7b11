"""Test prefix trees: where words stand, which path is strong, the indented form."""

import pytest

from lookback.diagrams.decoding_tree import tree

NOTES = {
    ("le",): "-1",
    ("le", "chat"): "-2",
    ("le", "chat", "dort"): "-3",
    ("le", "chien"): "-4",
    ("un",): "-5",
    ("un", "chat"): "-6",
}
STRONG = [("le", "chat")]


def texts(figure) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for text in figure.axes[0].texts:
        found.setdefault(text.get_text(), []).append(text.get_position())
    return found


def test_words_stand_at_their_step_and_their_notes_under_them() -> None:
    figure = tree(NOTES)
    placed = texts(figure)
    columns: dict[int, set[float]] = {}
    for path, note in NOTES.items():
        ((x, y),) = placed[note]
        columns.setdefault(len(path), set()).add(x)
        near = [word for word in placed[path[-1]] if word[0] == x]
        assert any(0 < y - above < 0.2 for _, above in near)
    (first,), (second,), (third,) = columns[1], columns[2], columns[3]
    assert 0 < first < second < third < figure.axes[0].get_xlim()[1]
    assert figure.axes[0].get_ylim()[0] > figure.axes[0].get_ylim()[1]  # y goes down


def test_leaves_stand_one_under_another_and_parents_between() -> None:
    heights = [line.get_ydata()[-1] for line in tree(NOTES).axes[0].lines]
    found = dict(zip(NOTES, heights, strict=True))
    leaves = [("le", "chat", "dort"), ("le", "chien"), ("un", "chat")]
    assert [found[leaf] for leaf in leaves] == [0, 1, 2]
    assert found["le", "chat"] == 0
    assert found[("le",)] == 0.5
    assert found[("un",)] == 2


def test_a_line_goes_from_the_parent_to_the_word() -> None:
    lines = tree(NOTES).axes[0].lines
    for path, line in zip(NOTES, lines, strict=True):
        x, y = line.get_xdata(), line.get_ydata()
        assert x[0] < x[1] < x[2]
        assert y[1] == y[2]
        if len(path) > 1:
            parent = lines[list(NOTES).index(path[:-1])]
            assert (x[0], y[0]) == (parent.get_xdata()[-1], parent.get_ydata()[-1])
        else:
            assert (x[0], y[0]) == (0, y[1])


def test_the_way_to_a_strong_word_is_strong() -> None:
    axes = tree(NOTES, strong=STRONG).axes[0]
    widths = [line.get_linewidth() for line in axes.lines]
    thick = [path for path, w in zip(NOTES, widths, strict=True) if w > min(widths)]
    assert thick == [("le",), ("le", "chat")]
    bold = [text.get_text() for text in axes.texts if text.get_weight() == "bold"]
    assert bold == ["le", "chat"]
    assert len({line.get_color() for line in axes.lines}) == 2


def test_a_beam_shows_what_is_there_and_dashes_what_was_dropped() -> None:
    axes = tree(NOTES, beam=[("le", "chat"), ("un", "chat")]).axes[0]
    there = [path for path in NOTES if len(path) < 3]
    dashed = [line.is_dashed() for line in axes.lines]
    assert dict(zip(there, dashed, strict=True)) == {
        path: path == ("le", "chien") for path in there
    }
    whole = tree(NOTES).axes[0]
    assert [one.get_position() for one in axes.texts if one.get_text() == "-6"] == [
        one.get_position() for one in whole.texts if one.get_text() == "-6"
    ]
    assert axes.get_xlim() == whole.get_xlim()
    assert "dort" not in tree(NOTES, beam=[("un", "chat")]).numbers
    with pytest.raises(ValueError, match=r"beam holds \('du',\), which is no node"):
        tree(NOTES, beam=[("du",)])
    with pytest.raises(ValueError, match="an indented tree shows no beam"):
        tree(NOTES, beam=[("un",)], indented=True)


def test_an_indented_word_has_a_line_farther_in_than_its_parent() -> None:
    notes = {("a",): "1", ("a", "b"): "2", ("a", "c"): "-3", ("d",): "4"}
    (axes,) = tree(notes, strong=[("a", "c")], indented=True).axes
    placed = {text.get_text(): text.get_position() for text in axes.texts}
    assert [placed[word][1] for word in "abcd"] == [0, 1, 2, 3]
    assert placed["a"][0] == placed["d"][0] < placed["b"][0] == placed["c"][0]
    weights = {text.get_text(): text.get_weight() for text in axes.texts}
    assert [weights[w] for w in "abc"] == ["bold", "normal", "bold"]
    notes = [placed[note] for note in ("1", "2", "−3", "4")]
    assert notes == [(axes.get_xlim()[1], y) for y in range(4)]  # at the right edge


def test_indented_words_without_a_note_stand_in_one_line() -> None:
    ways = {("a",): "", ("a", "b"): "", ("a", "b", "c"): "1", ("a", "d"): ""}
    notes = {**ways, ("a", "d", "e"): "2"}
    (axes,) = tree(notes, indented=True).axes
    words = [text.get_text() for text in axes.texts if text.get_text()]
    assert words == ["a", "b c", "1", "d e", "2"]
