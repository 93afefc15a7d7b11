"""The log of a training run by hand, and the bar that shows it."""

import sys

import pytest

from lookback.trainer.log import Entry, Evaluation, Log, bar


def entry(step: int, loss: float = 1.0, tokens: int = 4) -> Entry:
    seconds = float(step)
    return Entry(step, loss, tokens, rate=0.1, norm=2.0, seconds=seconds)


def test_tokens_and_seconds_are_those_of_all_steps() -> None:
    log = Log([entry(1), entry(2, tokens=3), entry(3)])
    assert (log.tokens, log.seconds) == (11, 3.0)
    assert (Log().tokens, Log().seconds) == (0, 0.0)


def test_the_best_evaluation_is_the_last_that_was_better() -> None:
    marked = [Evaluation(5, 3.0, True), Evaluation(10, 2.0, True)]
    log = Log(evaluations=[*marked, Evaluation(15, 2.5, False)])
    assert log.best == Evaluation(10, 2.0, True)
    assert log.since_best == 1
    assert Log().best is None
    assert Log().since_best == 0


def test_the_learning_curve_is_the_means_of_neighbouring_steps() -> None:
    losses = [6.0, 4.0, 3.0, 2.0, 1.5, 1.0, 0.12345]
    log = Log([entry(n, loss) for n, loss in enumerate(losses, 1)])
    assert log.curve(points=3) == [[3, 4.3333], [6, 1.5], [7, 0.1235]]
    assert log.curve() == [[n, round(x, 4)] for n, x in enumerate(losses, 1)]
    assert len(Log([entry(n) for n in range(1, 1001)]).curve()) == 40
    assert Log().curve() == []


def test_the_bar_shows_loss_and_tokens_a_second(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with bar(4, 1, shown=True) as show:
        show(entry(2))  # it warms up: the rate is that of the steps after it
        show(entry(4, loss=0.25, tokens=30))
    shown = capsys.readouterr().err
    assert "3/4" in shown
    assert "loss 0.250, 15 tokens/s" in shown


def test_a_bar_that_is_not_shown_needs_no_tqdm(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with bar(4, 0, shown=False) as show:
        show(entry(1))
    assert capsys.readouterr().err == ""
    with (
        pytest.raises(ModuleNotFoundError, match=r"lookback-attention\[data\]"),
        bar(4, 0, shown=True),
    ):
        pass
