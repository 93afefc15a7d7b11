"""Test what all figure functions share: numbers, width, bytes, refusals."""

import io
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.text import Text

from lookback.diagrams.decoding_tree import tree
from lookback.diagrams.encdec_batch import batch
from lookback.diagrams.modern_milestones import milestones
from lookback.diagrams.phrases import boxes
from lookback.diagrams.recursive_nested import nested
from lookback.diagrams.stack_decoder_stacks import Box, stacks
from lookback.figures import (
    alignment,
    bars,
    by_length,
    chart,
    clocks,
    curves,
    heatmap,
    pieces,
    scatter,
    trellis,
)
from lookback.figures.drawing import WIDTH, Drawing

WORDS = ["the", "green", "cat", "sat"]
THREE = ["le", "chat", "<unk>"]
GRID = np.linspace(0, 1, 12).reshape(3, 4)
LINES = {"add-k": [900.0, 500.0, 700.0], "Kneser–Ney": [400.0, 120.0, 90.0]}
AXES = {"xlabel": "x", "ylabel": "y"}
EVENTS = [(2017.5, "one", "models"), (2018.0, "two", "norms")]

GAP = [500.0, np.nan, 300.0]
SPARSE = np.where(np.arange(12).reshape(3, 4) == 2, np.nan, GRID)

SAMPLES: dict[Any, dict[str, Any]] = {
    alignment: {"values": GRID, "source": WORDS, "target": THREE},
    bars: {
        "labels": THREE,
        "values": {"test": [0.5, 12000, 2], "train": [-3, 7, 1]},
        **AXES,
    },
    batch: {
        "rows": [WORDS, [*THREE, "<pad>"]],
        "values": np.ones((2, 4, 3)),
        "pad": "<pad>",
    },
    boxes: {
        "links": {(0, 0)},
        "source": WORDS,
        "target": THREE,
        "pairs": [((0, 1), (0, 1))],
        "wrong": [((1, 2), (1, 3))],
    },
    by_length: {"edges": [3, 10, 11, 21], "series": LINES, "ylabel": "y",
                "open_end": True},
    chart: {"cells": {(0, 1): "NP", (0, 3): "S\n1/9"}, "words": THREE},
    clocks: {"angles": {"fast": np.pi / 6, "slow": 0.0}},
    curves: {"x": [1, 2, 3], "series": LINES | {"gap": GAP}, **AXES},
    heatmap: {"values": GRID, "rows": THREE, "columns": WORDS, "label": "score"},
    milestones: {"events": EVENTS},
    nested: {"words": WORDS, "nodes": {(1, 4): "b", (2, 4): "a"}, "label": "value"},
    pieces: {"rows": {"low": ["l", "ow·"], "lower": ["l", "ow", "er·"]}},
    scatter: {
        "points": {"verbs": [[0, 5], [1, 7]], "nouns": [[0.5, -2]]},
        "labels": ["go", "", "cat"],
        **AXES,
    },
    stacks: {"columns": [[Box("la\n−2", "new")], [Box("le")]], "names": ["1", "2"]},
    tree: {"notes": {("le",): "-1", ("le", "chat"): "-2\n(3)"}},
    trellis: {"values": SPARSE, "columns": WORDS, "states": THREE, "label": "δ"},
}  # fmt: skip


def name_of(function: Any) -> str:
    return str(function.__name__)


@pytest.mark.parametrize("function", SAMPLES, ids=name_of)
def test_a_figure_fits_a_phone_and_its_rows_have_heads(function: Any) -> None:
    with matplotlib.rc_context({"figure.figsize": (WIDTH, 3.2)}):
        figure = function(**SAMPLES[function])
    assert isinstance(figure, Drawing)
    assert figure.get_figwidth() <= WIDTH + 0.01
    for table in ElementTree.fromstring(f"<div>{figure.numbers}</div>"):
        assert {row[0].get("scope") for row in table.findall("tbody/tr")} == {"row"}


TABLES: dict[Any, dict[str, list[str]]] = {
    alignment: {
        " (weight)": [
            "target · source | the | green | cat | sat",
            "le | 0 | 0.09 | 0.18 | 0.27",
            "chat | 0.36 | 0.45 | 0.55 | 0.64",
            "<unk> | 0.73 | 0.82 | 0.91 | 1.00",
        ]
    },
    bars: {
        "": [
            "x | test | train",
            "le | 0.500 | −3",
            "chat | 12\u202f000 | 7",
            "<unk> | 2 | 1",
        ]
    },
    batch: {"": ["row | words", "1 | the green cat sat", "2 | le chat <unk> <pad>"]},
    boxes: {"": ["source | target", "the | le", "green | chat <unk>"]},
    by_length: {
        "": [
            "length of the source, in words | add-k | Kneser–Ney",
            "3–9 | 900 | 400",
            "10 | 500 | 120",
            "11– | 700 | 90",
        ]
    },
    chart: {
        "": [
            "words | what is known",
            "le | NP",
            "chat | –",
            "<unk> | –",
            "le chat | –",
            "chat <unk> | –",
            "le chat <unk> | S; 1/9",
        ]
    },
    clocks: {"": [" | sine | cosine", "fast | 0.500 | 0.866", "slow | 0 | 1"]},
    curves: {
        "": [
            "x | add-k | Kneser–Ney | gap",
            "1 | 900 | 400 | 500",
            "2 | 500 | 120 | –",
            "3 | 700 | 90 | 300",
        ]
    },
    heatmap: {
        " (score)": [
            "query · key | the | green | cat | sat",
            "le | 0 | 0.09 | 0.18 | 0.27",
            "chat | 0.36 | 0.45 | 0.55 | 0.64",
            "<unk> | 0.73 | 0.82 | 0.91 | 1.00",
        ]
    },
    milestones: {"": ["event | year", "one | 2017", "two | 2018"]},
    nested: {"": ["words | value", "green cat sat | b", "cat sat | a"]},
    pieces: {"": ["row | pieces", "low | l ow·", "lower | l ow er·"]},
    scatter: {"": [" | x | y", "go | 0 | 5", "2 | 1 | 7", "cat | 0.500 | −2"]},
    stacks: {"": ["stack | hypothesis", "1 | la, −2, new", "2 | le"]},
    tree: {"": ["words | note", "le | -1", "le chat | -2 (3)"]},
    trellis: {
        " (δ)": [
            "δ | the | green | cat | sat",
            "le | 0 | 0.091 | – | 0.273",
            "chat | 0.364 | 0.455 | 0.545 | 0.636",
            "<unk> | 0.727 | 0.818 | 0.909 | 1.000",
        ]
    },
}


@pytest.mark.parametrize("function", SAMPLES, ids=name_of)
def test_the_numbers_are_each_series_own_under_its_name(function: Any) -> None:
    assert read(function(**SAMPLES[function])) == TABLES[function]


def read(figure: Drawing) -> dict[str, list[str]]:
    """Read the whole tables, which readers download; * is a marked cell."""
    found = {}
    for table in ElementTree.fromstring(f"<div>{figure.numbers}</div>"):
        label = table.get("data-label")
        name = table.findtext("caption", "") + (f" ({label})" if label else "")
        found[name] = [
            " | ".join((c.text or "") + "*" * (c.get("class") == "g") for c in row)
            for row in table.iter("tr")
        ]
    return found


def test_the_numbers_of_masks_links_and_wide_scales_are_whole() -> None:
    pair = {"source": ["a", "b"], "target": ["c", "d"]}
    mask = alignment([[1, 0], [1, 1]], **pair, label="sees").numbers
    links = alignment({(0, 0), (0, 1), (1, 1)}, **pair).numbers
    assert links == mask.replace("sees", "link") and mask.count("<td>1</td>") == 3
    panels = {"A": [[1, 0.5], [0, 1]], "B": [[0, 1], [0.25, 0]]}
    assert read(alignment(panels, **pair, gold={(1, 0)}, ylabel="query")) == {
        "A (weight)": ["query · source | a | b", "c | 1.00 | 0.50*", "d | 0 | 1.00"],
        "B (weight)": ["query · source | a | b", "c | 0 | 1.00*", "d | 0.25 | 0"],
    }
    one = {"rows": ["a"], "columns": ["b", "c"]}
    assert "<td>7</td><td>12</td>" in heatmap([[7, 12]], **one, scale=(0, 12)).numbers
    assert ">−1.00</td><td" in heatmap([[-1, 2]], **one, scale=(-1, 2)).numbers


@pytest.mark.parametrize("function", SAMPLES, ids=name_of)
def test_no_word_leaves_its_figure_or_meets_another_or_a_line(function: Any) -> None:
    figure = function(**SAMPLES[function])
    figure.draw_without_rendering()
    edges = {text: text.get_window_extent().padded(-1) for text in words_of(figure)}
    for text, box in edges.items():
        assert figure.bbox.containsx(box.x0) and figure.bbox.containsx(box.x1), text
        assert figure.bbox.containsy(box.y0) and figure.bbox.containsy(box.y1), text
        others = [edges[other] for other in edges if other is not text]
        assert not box.count_overlaps(others), text
        for line in (line for axes in figure.axes for line in axes.lines):
            path = line.get_transform().transform_path(line.get_path())
            assert not path.intersects_bbox(box, filled=False), text


def words_of(figure: Drawing) -> list[Text]:
    """List the texts that are drawn, but for leaning ones, whose extents say little."""
    texts = figure.findobj(Text)
    found = [text for text in texts if text.get_visible() and text.get_text().strip()]
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        places = zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=True)
        unseen = [label for label, at in places if not low <= at <= high]
        found = [text for text in found if text not in unseen]
    return [text for text in found if text.get_rotation() in (0, 90)]


@pytest.mark.parametrize("function", SAMPLES, ids=name_of)
def test_the_same_arguments_give_the_same_bytes(function: Any) -> None:
    drawn = set()
    for _ in range(2):
        stream = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "a"}):
            figure = function(**SAMPLES[function])
            figure.savefig(stream, format="svg", metadata={"Date": None})
        drawn.add(stream.getvalue())
    assert len(drawn) == 1


@pytest.mark.parametrize(
    ("function", "change", "message"),
    [
        (alignment, {"values": GRID.T}, r"shape \(4, 3\): expected \(3, 4\)"),
        (alignment, {"empty": "-"}, r"shape \(3, 4\): expected \(3, 5\)"),
        (alignment, {"values": GRID * 2}, "outside the scale"),
        (alignment, {"values": {}}, "values are empty"),
        (alignment, {"values": {(1, 3)}}, r"values hold the link \(1, 3\)"),
        (alignment, {"gold": {(0, -1)}}, r"gold hold the link \(0, -1\)"),
        (alignment, {"possible": {(4, 0)}}, r"possible hold the link \(4, 0\)"),
        (alignment, {"target": [], "values": np.zeros((0, 4))}, r"shape \(0, 4\)"),
        (bars, {"labels": [], "values": []}, "empty"),
        (bars, {"values": [1, 2]}, r"values have shape \(2,\): expected 3"),
        (bars, {"values": {"a": [1, 2]}}, r"values of 'a' have shape \(2,\)"),
        (bars, {"values": [1, float("nan"), 2]}, "hold nan"),
        (batch, {"rows": [["a"], ["b", "c"]]}, "expected rows of one length"),
        (batch, {"values": np.ones((1, 4, 3))}, "expected rows of one length"),
        (batch, {"rows": []}, "expected rows of one length"),
        (boxes, {"links": {(4, 0)}}, r"link \(4, 0\) is outside of the 4 × 3"),
        (boxes, {"pairs": [((1, 1), (0, 1))]}, r"box \(1, 1\), \(0, 1\) is not inside"),
        (boxes, {"wrong": [((1, 5), (0, 1))]}, r"box \(1, 5\), \(0, 1\) is not inside"),
        (by_length, {"edges": [3]}, r"edges are \[3\]"),
        (by_length, {"edges": [3, 10, 10, 12]}, "expected numbers that increase"),
        (by_length, {"edges": [3, 10, 20]}, "has 3 values: expected 2"),
        (chart, {"strong": [(1, 1)]}, r"\(1, 1\) is no span of 3 words"),
        (chart, {"lines": [((0, 3), (2, 4))]}, r"\(2, 4\) is no span"),
        (chart, {"words": [], "cells": {}}, "at least one word"),
        (clocks, {"angles": {}}, "angles are empty"),
        (clocks, {"angles": {"a": np.nan}}, "the angle of 'a' is nan"),
        (curves, {"series": {}}, "series is empty"),
        (curves, {"series": {"a": [1, 2]}}, "'a' has 2 values: expected 3"),
        (curves, {"series": {"a": [[1, 2, 3]]}}, r"'a' has shape \(1, 3\)"),
        (curves, {"series": {"a": [np.nan] * 3}}, "'a' holds no finite number"),
        (curves, {"series": {"a": [1, 0, 2]}, "log": "y"}, "'a' holds 0: a log axis"),
        (curves, {"x": [-1, 1, 2], "log": "x"}, "x holds -1: a log axis"),
        (curves, {"log": "yx"}, "log is 'yx'"),
        (curves, {"ticks": ["a"]}, "there are 1 ticks: expected 3"),
        (curves, {"bands": {"b": ([1] * 3, [2] * 3)}}, "bands names 'b'"),
        (curves, {"bands": {"add-k": ([1], [2] * 3)}}, "lower band of 'add-k' has 1"),
        (heatmap, {"values": GRID[0]}, r"shape \(4,\): expected \(3, 4\)"),
        (heatmap, {"values": GRID - 0.05}, "-0.05 at row 0, column 0: outside"),
        (heatmap, {"values": GRID * np.nan}, "nan at row 0, column 0"),
        (milestones, {"events": []}, "events are empty"),
        (milestones, {"events": EVENTS[::-1]}, "'one' is of 2017.5, after one of"),
        (nested, {"nodes": {(0, 5): ""}}, r"node \(0, 5\) leaves the 4 words"),
        (nested, {"nodes": {(0, 2): "", (1, 3): ""}}, r"\(0, 2\) and \(1, 3\) cross"),
        (nested, {"strong": [(0, 2)]}, r"strong holds \(0, 2\), which is no node"),
        (pieces, {"rows": {}}, "rows are empty"),
        (pieces, {"rows": {"a": []}}, "the row 'a' has no pieces"),
        (scatter, {"points": [[1, 2, 3]]}, r"points have shape \(1, 3\)"),
        (scatter, {"points": {"a": [[1]]}}, r"points of 'a' have shape \(1, 1\)"),
        (scatter, {"points": [[1, np.nan]]}, "points hold nan"),
        (scatter, {"points": {}}, "points is empty"),
        (scatter, {"labels": ["a", "b"]}, "there are 2 labels: expected 3"),
        (stacks, {"names": ["1"]}, "2 stacks have 1 names"),
        (stacks, {"columns": [[Box("x", "odd")], []]}, "a box is 'odd'"),
        (tree, {"notes": {}}, "expected nodes"),
        (tree, {"notes": {("a", "b"): ""}}, r"\('a', 'b'\) has no parent"),
        (tree, {"strong": [("la",)]}, r"strong holds \('la',\), which is no node"),
        (trellis, {"values": GRID.T}, r"shape \(4, 3\): expected \(3, 4\)"),
        (trellis, {"lines": [(3, 0, 0)]}, "leaves the 3 × 4 nodes"),
        (trellis, {"strong": [(0, 3, 0)]}, "leaves the 3 × 4 nodes"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    function: Any, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        function(**SAMPLES[function] | change)
