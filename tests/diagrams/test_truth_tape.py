"""A run, recorded and computed again: all of it is seen, and nothing invented."""

import sys

import pytest
import torch
from torch import Tensor, nn

from lookback.diagrams.truth_tape import record, same, with_random_weights


class Mixer(nn.Module):
    """Two maps, one of which is used twice."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(3, 5), nn.Linear(5, 5)

    def forward(self, x: Tensor) -> tuple[Tensor, list[Tensor]]:
        y = self.a(x)
        parts = [self.twice(y), y.T.T]
        return parts[0] + y, parts

    def twice(self, y: Tensor) -> Tensor:
        return self.b(self.b(y))


@pytest.fixture
def run():
    mixer, x = with_random_weights(Mixer()), torch.ones(2, 3, dtype=torch.float64)
    return record(mixer, lambda: mixer(x)), x


def test_calls_of_ours_and_of_the_modules_are_seen(run) -> None:
    tape, x = run
    assert [tape.label(call) for call in tape.calls] == [".", "a", ".twice", "b", "b"]
    first = tape.calls[0]
    assert first.arguments["x"] is x
    assert first.locals["parts"][0] is tape.calls[2].result
    assert first.result[0].shape == (2, 5)


def test_each_operation_belongs_to_the_innermost_call(run) -> None:
    tape, _ = run
    where = [(op.name.strip("_"), op.call) for op in tape.operations]
    assert where == [
        ("linear", 1), ("linear", 3), ("linear", 4), ("T", 0), ("T", 0), ("add", 0),
    ]  # fmt: skip


def test_a_change_reaches_what_depends_on_it_and_nothing_else(run) -> None:
    tape, _ = run
    start = tape.slot(tape.calls[3].result).number
    seen = {}

    def hook(number: int, value: Tensor) -> Tensor:
        seen[number] = not same(value, tape.values[number])
        return value + 1 if number == start else value

    tape.replay(hook, {start})
    assert tape.slot(tape.calls[1].result).number not in seen
    assert seen[tape.slot(tape.calls[4].result).number]
    assert seen[tape.slot(tape.calls[0].result[0]).number]


class Writes(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x * 1
        y[:, 0] = x[:, 1]
        return y.mul_(2)


def test_a_run_that_writes_into_tensors_is_computed_again_in_full() -> None:
    root, x = Writes(), torch.arange(4.0).view(2, 2)
    tape = record(root, lambda: root(x))
    column = next(op for op in tape.operations if op.name == "__getitem__")
    final = tape.slot(tape.calls[0].result).number
    found = []

    def hook(number: int, value: Tensor) -> Tensor:
        if number == column.outputs.number:
            return value + 10
        if number == final:
            found.append(value.clone())
        return value

    tape.replay(hook, {column.outputs.number})
    assert found[-1].tolist() == [[22, 2], [26, 6]]


class Rolls(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.rand(2)


def test_what_cannot_be_computed_again_is_refused() -> None:
    root = Rolls()
    with pytest.raises(ValueError, match="computed again, gives other numbers"):
        record(root, lambda: root(torch.ones(2)))


def test_the_profiler_is_given_back() -> None:
    def mine(frame, event, argument):
        return None

    root = Mixer()
    sys.setprofile(mine)
    try:
        record(root, lambda: root(torch.ones(1, 3)))
        assert sys.getprofile() is mine
        with pytest.raises(RuntimeError):
            record(root, lambda: root(torch.ones(1, 4)))
        assert sys.getprofile() is mine
    finally:
        sys.setprofile(None)


def test_random_weights_leave_the_random_numbers_of_others_alone() -> None:
    mixer = Mixer()
    before = torch.get_rng_state()
    with_random_weights(mixer)
    assert torch.equal(torch.get_rng_state(), before)
    assert mixer.a.bias.dtype == torch.float64
    assert mixer.a.bias.abs().min() > 0
