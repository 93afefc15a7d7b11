"""A drawing that lies is told so: every lie below was drawn once."""

import pytest
import torch
from torch import Tensor, nn

from lookback.diagrams.truth_tape import record, with_random_weights
from lookback.diagrams.truth_wiring import Claim, hold

SIZES = {"B": 2, "n": 3, "k": 5}


class Layer(nn.Module):
    """A residual connection around a small network, then a norm; and a stray part."""

    def __init__(self, norm_first: bool = False) -> None:
        super().__init__()
        self.f, self.g = nn.Linear(3, 5), nn.Linear(5, 3)
        self.norm = nn.LayerNorm(3)
        self.norm_first = norm_first

    def forward(self, x: Tensor) -> Tensor:
        if self.norm_first:
            return x + self.inside(self.norm(x))
        total = x + self.inside(x)
        return self.norm(total)

    def inside(self, x: Tensor) -> Tensor:
        return self.g(self.f(x).relu())


def tape(norm_first: bool = False):
    layer = with_random_weights(Layer(norm_first))
    x = torch.randn(2, 3, dtype=torch.float64, generator=torch.Generator())
    return record(layer, lambda: layer(x))


BOXES = {
    "x": Claim(".(x)", "B n"),
    "f": Claim("f", "B k", True),
    "g": Claim("g", "B n", True),
    "sum": Claim("./add", "B n", False),
    "norm": Claim("norm", "B n", True),
}
ARROWS = {("x", "f"), ("f", "g"), ("x", "sum"), ("g", "sum"), ("sum", "norm")}


def held(boxes=BOXES, arrows=ARROWS, run=None, **more):
    return hold(run or tape(), boxes, arrows, sizes=SIZES, **more)


def test_the_truth_passes() -> None:
    assert held() == ARROWS


def test_pre_norm_is_not_post_norm() -> None:
    with pytest.raises(ValueError) as told:
        held(run=tape(norm_first=True))
    lines = str(told.value)
    assert "sum -> norm is drawn, but norm does not depend on sum directly" in lines
    assert "x -> norm is not drawn, but norm reads x" in lines
    assert "norm -> f is not drawn, but f reads norm" in lines


@pytest.mark.parametrize(
    ("arrows", "message"),
    [
        (
            ARROWS - {("f", "g")} | {("g", "f")},
            "g -> f is drawn, but f does not depend",
        ),
        (ARROWS - {("x", "sum")}, "x -> sum is not drawn, but sum reads x"),
        (ARROWS | {("x", "norm")}, "x -> norm is drawn, but norm does not depend on x"),
        (ARROWS | {("f", "sum")}, "f -> sum is drawn, but sum does not depend on f"),
    ],
)
def test_a_wrong_arrow_is_told(arrows, message) -> None:
    with pytest.raises(ValueError, match=message):
        held(arrows=arrows)


@pytest.mark.parametrize(
    ("name", "claim", "message"),
    [
        ("f", Claim("f", "k B", True), r"f is drawn with the shape k B, here \(5, 2\)"),
        ("f", Claim("f", "B n", True), r"has \(2, 5\)"),
        ("f", Claim("f", "B 2n", True), r"here \(2, 6\)"),
        ("f", Claim("f", "B d", True), "names d: expected one of B, n, k"),
        ("f", Claim("ff", "B k"), r"nothing called ff ran; nearest: f"),
        ("f", Claim("norm", "B n"), "f and norm are the same tensor|norm and f are"),
        ("x", Claim(".(y)"), "has no argument y; it has x"),
        ("sum", Claim(".:totl"), r"has no local totl; it has total, x"),
        ("sum", Claim("./mul"), r"computes mul 0 times: say which; it computes add"),
        ("f", Claim("f[:, 9]"), "9"),
        ("f", Claim("f#2"), "ran 1 times"),
        ("f", Claim("not an address"), "is no address"),
        ("sum", Claim("./add", "B n", True), "sum is drawn as learned, and has no"),
        ("norm", Claim("norm", "B n", False), "as an operation, and has parameters"),
    ],
)
def test_a_wrong_box_is_told(name, claim, message) -> None:
    with pytest.raises((ValueError, IndexError), match=message):
        held(boxes={**BOXES, name: claim})


def test_a_box_that_is_left_out_is_told() -> None:
    boxes = {name: claim for name, claim in BOXES.items() if name != "f"}
    arrows = {("x", "g"), ("x", "sum"), ("g", "sum"), ("sum", "norm")}
    with pytest.raises(ValueError, match=r"g reads f\.weight, which lies under no box"):
        held(boxes, arrows)
    assert held(boxes, arrows, unboxed={"f"}) == arrows


def test_a_norm_at_the_end_that_is_left_out_is_told() -> None:
    boxes = {name: claim for name, claim in BOXES.items() if name != "norm"}
    arrows = ARROWS - {("sum", "norm")}
    with pytest.raises(ValueError, match=r"norm\.weight reaches no box: draw norm"):
        held(boxes, arrows)


def test_what_is_left_out_must_exist_and_not_be_drawn() -> None:
    some = ARROWS - {("x", "sum")}
    assert held(arrows=some, omits={("x", "sum")}) == ARROWS
    with pytest.raises(ValueError, match="f -> sum is said to be left out, but there"):
        held(omits={("f", "sum")})
    with pytest.raises(ValueError, match="x -> sum is drawn and said to be left out"):
        held(omits={("x", "sum")})


class Steps(nn.Module):
    """s_i = tanh(U s_{i-1} + w x_i): which state was read?"""

    def __init__(self, late: bool = False) -> None:
        super().__init__()
        self.U, self.late = nn.Linear(3, 3), late

    def forward(self, x: Tensor) -> Tensor:
        s, seen = x[:, 0], []
        for i in range(3):
            new = self.step(x[:, i], s)
            seen.append(self.score(new if self.late else s))
            s = new
        return torch.stack(seen)

    def step(self, x: Tensor, s: Tensor) -> Tensor:
        return torch.tanh(self.U(s) + x)

    def score(self, s: Tensor) -> Tensor:
        return s.sum(dim=-1)


def test_the_state_before_is_not_the_state_after() -> None:
    x = torch.randn(2, 3, 3, dtype=torch.float64, generator=torch.Generator())
    boxes = {
        "s1": Claim(".step#1", "B n"),
        "s2": Claim(".step#2", "B n"),
        "e2": Claim(".score#2", "B"),
    }
    drawn = {("s1", "s2"), ("s1", "e2")}
    for late in (False, True):
        root = with_random_weights(Steps(late))
        run = record(root, lambda root=root: root(x))
        if not late:
            assert held(boxes, drawn, run, unboxed={"U"}) == drawn
            continue
        with pytest.raises(ValueError, match="s1 -> e2 is drawn, but e2 does not"):
            held(boxes, drawn, run, unboxed={"U"})


def test_which_of_several_calls_must_be_said() -> None:
    root, x = with_random_weights(Steps()), torch.ones(2, 3, 3, dtype=torch.float64)
    run = record(root, lambda: root(x))
    with pytest.raises(
        ValueError, match=r"step ran 3 times: say which, as in \.step#1"
    ):
        held({"s": Claim(".step")}, set(), run)


def test_slices_are_boxes_of_their_own_and_several_may_be_one() -> None:
    root, x = with_random_weights(Steps()), torch.ones(2, 3, 3, dtype=torch.float64)
    run = record(root, lambda: root(x))
    boxes = {
        "x2": Claim(".(x)[:, 1]", "B n"),
        "s": Claim(".step#1 & .step#2", "B n"),
        "last": Claim(".step#3", "B n"),
    }
    drawn = {("x2", "s"), ("s", "last")}
    assert held(boxes, drawn, run, unboxed={"U"}) == drawn
