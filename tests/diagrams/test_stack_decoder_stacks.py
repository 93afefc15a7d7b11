"""Test stacks: a box for each hypothesis in its place, and its numbers."""

from matplotlib import rcParams
from matplotlib.colors import to_hex

from lookback.diagrams.stack_decoder_stacks import Box, stacks

TWO = [[Box("la\n−2", "new"), Box("le\n−3", "dropped")], [Box("la voiture\n−4")]]
NAMES = ["1 word", "2 words"]


def test_a_box_for_each_hypothesis() -> None:
    axes = stacks(TWO, names=NAMES).axes[0]
    assert [text.get_text() for text in axes.texts] == [
        "1 word", "la\n−2", "le\n−3", "2 words", "la voiture\n−4"
    ]  # fmt: skip
    middles = [(p.get_x() + 0.45, p.get_y() + 0.4) for p in axes.patches]
    assert [(round(x, 6), round(y, 6)) for x, y in middles] == [(0, 0), (0, 1), (1, 0)]
    boxes = [text.get_position() for text in axes.texts if "\n" in text.get_text()]
    assert boxes == [(0, 0), (0, 1), (1, 0)] and axes.yaxis_inverted()
    names = {text.get_text(): text.get_position() for text in axes.texts}
    assert names["1 word"][0] == 0 and names["2 words"][0] == 1
    assert names["1 word"][1] == names["2 words"][1] < -0.4  # over the first boxes
    first = to_hex(next(iter(rcParams["axes.prop_cycle"]))["color"])
    inked = [to_hex(p.get_edgecolor()) == first for p in axes.patches]
    assert inked == [True, False, False]
    assert [p.get_alpha() for p in axes.patches] == [1, 0.4, 1]
