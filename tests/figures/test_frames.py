"""Test frames: each step drawn, some of them chosen."""

import pytest
from matplotlib.figure import Figure

from lookback.figures import curves, frames


def draw(step: int) -> Figure:
    return curves([1, 2], {"a": [step, 2 * step]}, xlabel="x", ylabel="y")


def test_each_step_is_drawn() -> None:
    found = frames(draw, [1, 2, 3])
    assert [*found.frames] == ["1", "2", "3"]
    heights = [f.axes[0].lines[0].get_ydata()[1] for f in found.frames.values()]
    assert heights == [2, 4, 6]


def test_labels_may_differ_from_steps() -> None:
    assert [*frames(draw, {"one": 1, "two": 2}).frames] == ["one", "two"]
    given = {"one": draw(1), "two": draw(2)}
    assert frames(given).frames == given


def test_first_middle_and_last_are_chosen_unless_said() -> None:
    assert frames(draw, range(5)).chosen == ("0", "2", "4")
    assert frames(draw, range(5), chosen=["4", "1"]).chosen == ("1", "4")


def test_the_slider_begins_with_the_last_unless_said() -> None:
    assert frames(draw, range(5)).first == "4"
    assert frames(draw, range(5), first="1").first == "1"
    with pytest.raises(ValueError, match="first is '7': expected one of"):
        frames(draw, range(5), first="7")


@pytest.mark.parametrize(
    ("steps", "chosen", "message"),
    [
        ([1], [], "there are 1 frames: expected 2 to 12"),
        (range(13), [], "there are 13 frames"),
        ([1, 2], ["3"], "chosen holds '3'"),
    ],
)
def test_refusals(steps: object, chosen: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        frames(draw, steps, chosen=chosen)


def test_a_notebook_shows_the_chosen_ones_under_their_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that displaying prints nothing: the page would show it as text."""
    shown: list[object] = []
    monkeypatch.setattr(
        "IPython.display.display", lambda it, raw=False: shown.append(it)
    )
    found = frames(draw, range(5), chosen=["1", "4"])
    found._ipython_display_()
    names, figures = shown[::2], shown[1::2]
    assert [name["text/plain"] for name in names] == ["1", "4"]  # type: ignore[index]
    assert figures == [found.frames["1"], found.frames["4"]]
    assert capsys.readouterr().out == ""
