"""Hold each drawn machine against its run, and expect every wrong arrow to be named."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch
from fontTools.ttLib import TTFont
from lxml import etree

from lookback.diagrams import (
    bahdanau,
    bert,
    decoder,
    encdec,
    encoder,
    gpt,
    grouped,
    lstm,
    luong,
    modern,
    multihead,
    nplm,
    recurrent,
    recursive,
    rotary,
    seq2seq,
    training,
    transformer,
    window,
    word2vec,
)
from lookback.figures.diagram import Panel, around, whole
from lookback.figures.frames import Frames
from lookback.lstm import GRUCell, LSTMCell, ResetAfterGRUCell

ROOT = Path(__file__).parents[2]
FILES = (ROOT / "src/lookback/diagrams").glob("[a-z]*.py")
MODULES = sorted(p.stem for p in FILES if "def draw()" in p.read_text("utf-8"))
Hold = Callable[[Panel], Panel]
PANELS: dict[str, tuple[Callable[[], Panel], Hold]] = {
    **{
        module.__name__.rpartition(".")[2]: (module.panel, module.hold)
        for module in (
            encdec,
            grouped,
            luong,
            multihead,
            nplm,
            recurrent,
            recursive,
            rotary,
            seq2seq,
            training,
            transformer,
            window,
            word2vec,
        )
    },
    "bahdanau": (
        lambda: bahdanau.panel(["a", "b", "c", "</s>"], ["x", "y"], [0.25] * 4),
        bahdanau.hold,
    ),
    "bert": (bert.model, bert.hold_model),
    "decoder, post-norm": (
        lambda: decoder.panels()[0],
        partial(decoder.hold, norm_first=False),
    ),
    "decoder, pre-norm": (
        lambda: decoder.panels()[1],
        partial(decoder.hold, norm_first=True),
    ),
    "encoder, post-norm": (
        lambda: encoder.panels()[0],
        partial(encoder.hold, norm_first=False),
    ),
    "encoder, pre-norm": (
        lambda: encoder.panels()[1],
        partial(encoder.hold, norm_first=True),
    ),
    "gpt": (gpt.model, gpt.hold_model),
    "gpt, a block": (gpt.block, gpt.hold_block),
    "gru": (lstm.gru, lambda panel: lstm.hold(panel, GRUCell(3, 5))),
    "lstm": (lstm.lstm, lambda panel: lstm.hold(panel, LSTMCell(3, 5))),
    "modern, a layer": (modern.layer, modern.hold_layer),
    "modern, its gate": (modern.gate, modern.hold_gate),
    "transformer, one box": (transformer.box, transformer.hold),
    "transformer, towers": (transformer.towers, transformer.hold),
    "transformer, blocks": (transformer.blocks, transformer.hold),
}


@pytest.mark.parametrize("name", PANELS)
def test_each_panel_is_what_runs(name: str) -> None:
    make, hold = PANELS[name]
    panel = make()
    assert hold(panel) is panel


@pytest.mark.parametrize("name", PANELS)
def test_every_arrow_that_is_removed_or_wrong_is_named(name: str) -> None:
    """Remove all true arrows and draw all false ones: one run names them all."""
    make, hold = PANELS[name]
    panel = make()
    claims = panel.claims
    drawn = {(whole(each.start), whole(each.end)) for each in panel.lines}
    true = claims.arrows & drawn | claims.omits
    grouped = claims.arrows - drawn
    pairs = {(a, b) for a in claims.boxes for b in claims.boxes if a != b}
    false = pairs - true - grouped
    arrows = "\n".join(f"{a} -> {b}" for a, b in sorted(false))
    with pytest.raises(ValueError, match="the drawing is not what ran") as error:
        hold(replace(panel, arrows=arrows, omits=""))
    message = str(error.value)
    missing = re.findall(r"(\w+) -> (\w+) is not drawn, but", message)
    wrong = re.findall(r"(\w+) -> (\w+) is drawn, but \w+ does not depend", message)
    assert set(missing) == true and len(missing) == len(true) > 1
    assert set(wrong) == false


def test_boxes_that_are_concatenated_are_held_too() -> None:
    make, hold = PANELS["bahdanau"]
    with pytest.raises(ValueError, match="f2 -> h2 is not drawn, but h2 reads f2"):
        hold(replace(make(), groups=""))


def test_post_norm_is_not_pre_norm() -> None:
    for module in (encoder, decoder):
        for panel, norm_first in zip(module.panels(), (True, False), strict=True):
            with pytest.raises(ValueError, match="the drawing is not what ran"):
                module.hold(panel, norm_first=norm_first)


def test_the_reset_gate_acts_before_the_product() -> None:
    with pytest.raises(ValueError, match=r"past is drawn as an op.*, and has param"):
        lstm.hold(lstm.gru(), ResetAfterGRUCell(3, 5))


def test_a_norm_without_a_box_is_named() -> None:
    panel = transformer.panel()
    boxes = "\n".join(r for r in panel.boxes.splitlines() if " tnrm2 " not in r)
    arrows = panel.arrows.replace("=> tnrm2 ", "").replace("tnrm2 ->", "tsum2 ->")
    with pytest.raises(ValueError, match=r"norm_cross_attention\.g, which lies under"):
        transformer.hold(replace(panel, boxes=boxes, arrows=arrows, groups=""))


@pytest.mark.parametrize("narrow", [False, True])
def test_the_outlines_of_all_depths_are_the_same(narrow: bool) -> None:
    """Compare the outer edges of each depth with those of the whole drawing."""
    whole_drawing = transformer.panel()
    outlines = [e for _, e in whole_drawing._edges(whole_drawing.layout(narrow))]
    encoder_side, decoder_side = outlines[2:]
    one, two, three = transformer.box(), transformer.towers(), transformer.blocks()
    box, towers = (each.layout(narrow).places for each in (one, two))
    assert towers["enc"].edges == pytest.approx(encoder_side)
    assert towers["dec"].edges == pytest.approx(decoder_side)
    assert box["all"].edges == pytest.approx(around([encoder_side, decoder_side]))
    grounds = [edges for _, edges in three._edges(three.layout(narrow))]
    np.testing.assert_allclose(grounds, outlines, atol=2)


def test_a_box_that_covers_too_little_is_named() -> None:
    panel, fewer = transformer.towers(), "att sum1 nrm1 ffn sum2 nrm2"
    with pytest.raises(ValueError, match=r"enc reads e_source\.table, .* under no box"):
        transformer.hold(replace(panel, covers=panel.covers | {"enc": fewer}))


def test_the_zoom_begins_outside_and_ends_with_every_part() -> None:
    zoom = transformer.zoom()
    assert zoom.first == "One box" and len(zoom.chosen) == 4
    last = zoom.frames["All parts"]
    assert repr(last) == repr(transformer.draw())


@pytest.fixture(scope="module")
def fonts() -> dict[bool, set[int]]:
    """Read the characters of the fonts that the site serves: symbols, or not."""
    folder = ROOT / "docs/assets/fonts"
    names = {True: "STIXTwoMath", False: "Roboto-Regular"}
    return {
        symbol: set(TTFont(folder / f"{name}.woff2").getBestCmap())
        for symbol, name in names.items()
    }


@pytest.mark.parametrize("name", MODULES)
def test_each_module_draws_with_the_letters_of_the_site(
    name: str, fonts: dict[bool, set[int]]
) -> None:
    before = torch.get_rng_state()
    drawn = import_module(f"lookback.diagrams.{name}").draw()
    assert torch.equal(torch.get_rng_state(), before)
    film = drawn.frames.values() if isinstance(drawn, Frames) else [drawn]
    for diagram in film:
        check_letters(diagram._repr_figure_(), fonts)


def check_letters(markup: str, fonts: dict[bool, set[int]]) -> None:
    tree = etree.fromstring(markup.replace("&nbsp;", " "))
    assert len(tree.findall("{*}svg")) in (1, 2) and "Held against a run of" in markup
    for text in tree.iter("{*}text"):
        for each in text.iter():
            symbol = each.get("class") == "y"
            for shown, inside in ((each.text, symbol), (each.tail, False)):
                assert set(map(ord, (shown or "").strip())) <= fonts[inside], shown


def test_the_trained_weights_are_drawn() -> None:
    markup = bahdanau.draw()._repr_figure_()
    assert ">.99</text>" in markup and "noir" in markup
