"""The machine of rules: its rows by hand, and a lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import rules


def test_the_rows_by_hand() -> None:
    rows = {name: rules.written(row) for name, row in rules.rows().items()}
    assert (
        rows["dictionary"] == "marie a pas a signé / le français loi de le ministres ."
    )
    assert rows["contract"] == "marie n' a pas signé / la loi française des ministres ."


def test_it_is_drawn_as_it_is_and_a_lie_is_told() -> None:
    assert rules.draw()._repr_figure_().count("<svg") == 2
    panel = rules.panel()
    lie = replace(panel, boxes=panel.boxes.replace("ne a pas", "ne pas a"))
    with pytest.raises(ValueError, match="after negate 'marie ne pas a signé"):
        rules.hold(lie)
    other = replace(panel, boxes=panel.boxes.replace("| elide", "| elude"))
    with pytest.raises(ValueError, match="elude is drawn where elide comes"):
        rules.hold(other)
