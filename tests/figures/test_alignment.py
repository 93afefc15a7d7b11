"""Test alignments: rows are targets, columns are sources, whatever is drawn."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from lookback.figures import alignment
from lookback.figures.alignment import WIDEST
from lookback.figures.marks import GOLD

SOURCE = ["the", "green", "cat", "sat"]
TARGET = ["le", "chat", "vert"]
WEIGHTS = np.array([[0.7, 0.1, 0.1, 0.1], [0.0, 0.2, 0.8, 0.0], [0.1, 0.9, 0.0, 0.0]])


def cells(figure: Figure, panel: int = 0) -> np.ndarray:
    (mesh,) = figure.axes[panel].collections
    return np.asarray(mesh.get_array())


def words(figure: Figure, panel: int = 0) -> tuple[list[str], list[str]]:
    axes = figure.axes[panel]
    return (
        [t.get_text() for t in axes.get_yticklabels()],
        [t.get_text() for t in axes.get_xticklabels()],
    )


def marks(figure: Figure, panel: int = 0) -> dict[tuple[int, int], bool]:
    """Map (column, row) of each marked cell to whether its corner is filled."""
    found = {}
    for patch in figure.axes[panel].patches:
        colour = patch.get_facecolor() if patch.get_fill() else patch.get_edgecolor()
        assert to_hex(colour) == GOLD
        for corner in patch.get_path().to_polygons(closed_only=False):
            cell = np.floor(np.asarray(corner).min(axis=0) + 1e-9).astype(int)
            assert np.asarray(corner).min(axis=0) == pytest.approx(cell)
            assert (np.ptp(corner, axis=0) < 0.5).all()  # inside one cell
            found[tuple(cell.tolist())] = patch.get_fill()
    return found


def places(figure: Figure) -> list[tuple[int, int]]:
    """List the row and the column of the first three panels."""
    specs = [axes.get_subplotspec() for axes in figure.axes[:3]]
    return [(spec.rowspan.start, spec.colspan.start) for spec in specs]


def test_rows_are_targets_and_columns_are_sources() -> None:
    figure = alignment(WEIGHTS, source=SOURCE, target=TARGET, title="a")
    np.testing.assert_array_equal(cells(figure), WEIGHTS)
    assert words(figure) == (TARGET, SOURCE)
    axes, bar = figure.axes
    assert list(axes.get_yticks()) == [0.5, 1.5, 2.5]
    assert list(axes.get_xticks()) == [0.5, 1.5, 2.5, 3.5]
    assert axes.yaxis_inverted() and not axes.xaxis_inverted()  # first row on top
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("target", "source")
    assert (axes.get_title(loc="left") or axes.get_title()) == "a"
    assert (bar.get_xlabel(), bar.get_xlim()) == ("weight", (0, 1))


def test_a_link_fills_its_cell() -> None:
    figure = alignment({(0, 0), (2, 1)}, source=SOURCE, target=TARGET)
    assert cells(figure).tolist() == [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert len(figure.axes) == 1  # nothing to measure, no colour bar
    frozen = alignment(frozenset({(3, 2)}), source=SOURCE, target=TARGET)
    assert cells(frozen)[2, 3] == 1


def test_the_empty_word_stands_in_front() -> None:
    full = np.hstack([np.full((3, 1), 0.5), WEIGHTS / 2])
    gold = {(2, 1)}
    figure = alignment(full, source=SOURCE, target=TARGET, empty="(none)", gold=gold)
    np.testing.assert_array_equal(cells(figure), full)
    assert words(figure)[1] == ["(none)", *SOURCE]
    assert list(marks(figure)) == [(3, 1)]
    links = alignment({(2, 1)}, source=SOURCE, target=TARGET, empty="(none)")
    assert np.argwhere(cells(links)).tolist() == [[1, 3]]


def test_gold_links_have_a_full_corner_and_possible_ones_an_open_one() -> None:
    gold, possible = {(0, 0), (2, 1)}, {(0, 0), (3, 1)}
    figure = alignment(
        WEIGHTS, source=SOURCE, target=TARGET, gold=gold, possible=possible
    )
    assert marks(figure) == {(0, 0): True, (2, 1): True, (3, 1): False}
    (legend,) = figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["gold link", "possible link"]
    assert alignment(WEIGHTS, source=SOURCE, target=TARGET).legends == []


def test_a_mask_has_a_legend_and_no_bar() -> None:
    mask = WEIGHTS > 0.5
    figure = alignment(mask, source=SOURCE, target=TARGET, label="may look")
    assert len(figure.axes) == 1
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["may look", "not"]


def test_a_row_is_as_high_as_a_finger() -> None:
    figure = alignment(np.zeros((9, 30)), source=["w"] * 30, target=["w"] * 9)
    figure.draw_without_rendering()
    height = figure.axes[0].get_window_extent().height / 9 / figure.dpi * 96
    assert 0.9 * height >= 24  # a phone shrinks a map no further


def test_a_full_stop_can_be_seen() -> None:
    axes = alignment(np.zeros((1, 2)), source=["word", "."], target=["."]).axes[0]
    word, point = axes.get_xticklabels()
    assert word.get_rotation() == 50 and point.get_rotation() == 0
    assert point.get_fontsize() > 1.2 * word.get_fontsize()


def test_too_many_cells_are_no_table() -> None:
    figure = alignment(np.zeros((41, 41)), source=["w"] * 41, target=["w"] * 41)
    assert (figure.numbers, figure.live) == ("", "")


def test_panels_share_words_scale_and_frames() -> None:
    panels = {f"after {k}": WEIGHTS / (k + 1) for k in range(4)}
    figure = alignment(
        panels,
        source=SOURCE,
        target=TARGET,
        gold={(2, 1)},
        ylabel="query",
        xlabel="key",
    )
    assert figure.numbers.count('class="g"') == 4  # the mark of each panel
    assert len(figure.axes) == 5  # four panels and one colour bar
    for k, name in enumerate(panels):
        axes = figure.axes[k]
        assert (axes.get_title(loc="left") or axes.get_title()) == name
        np.testing.assert_array_equal(cells(figure, k), panels[name])
        assert axes.collections[0].get_clim() == (0, 1)
        assert list(marks(figure, k)) == [(2, 1)]
    axes = figure.axes[:4]
    assert [a.get_ylabel() for a in axes] == ["query", "", "query", ""]
    assert [a.get_xlabel() for a in axes] == ["key", "key", "", ""]
    left = [a.yaxis.get_tick_params()["labelleft"] for a in axes]
    top = [a.xaxis.get_tick_params()["labeltop"] for a in axes]
    assert (left, top) == ([True, False] * 2, [True, True, False, False])
    assert places(figure) == [(0, 0), (0, 1), (1, 0)]


def test_panels_stand_abreast_as_asked_where_they_fit_and_none_alone() -> None:
    def layout(panels: int, abreast: int, words: int = 3) -> list[tuple[int, int]]:
        values = {str(k): np.zeros((1, words)) for k in range(panels)}
        source = ["w"] * words
        return places(alignment(values, source=source, target=["t"], abreast=abreast))

    beside = [(0, 0), (0, 1), (0, 2)]
    assert layout(3, 3) == beside
    assert layout(3, 2) == beside  # rather than one alone in the second row
    assert layout(4, 2) == [(0, 0), (0, 1), (1, 0)]
    assert layout(3, 3, words=20) == [(0, 0), (1, 0), (2, 0)]  # no room


def test_a_long_sentence_is_wider_than_the_page_before_words_meet() -> None:
    long = alignment(np.zeros((2, 40)), source=["w"] * 40, target=["a", "b"])
    assert long.get_figwidth() > WIDEST
    taller = alignment(np.zeros((20, 2)), source=["a", "b"], target=["w"] * 20)
    assert taller.get_figheight() > 6
