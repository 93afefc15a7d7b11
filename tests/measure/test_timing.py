"""Timing, by a clock that the test winds."""

import pytest

from lookback.measure import Timing, timing, timings


def test_the_median_of_the_runs_that_count():
    times = iter([10, 13, 20, 21, 30, 32])  # 3, 1 and 2 seconds
    done = []
    found = timing(
        lambda: done.append(1), repeats=3, warmup=2, clock=lambda: next(times)
    )
    assert found.seconds == (3, 1, 2)
    assert found.median == 2
    assert found.best == 1
    assert found.per_second(50) == 25
    assert len(done) == 5
    assert str(found) == "2 s (median of 3, 1 to 3)"


def test_by_default_five_runs_count_after_one():
    done = []
    assert len(timing(lambda: done.append(1)).seconds) == 5
    assert len(done) == 6
    timing(lambda: done.append(1), repeats=1, warmup=0)
    assert len(done) == 7


def test_one_hiccup_does_not_matter():
    assert Timing((1.0, 1.0, 90.0)).median == 1


def test_the_clock_runs_only_while_it_works():
    log = []

    def clock():
        log.append("clock")
        return float(len(log))

    timing(lambda: log.append("work"), repeats=2, warmup=1, clock=clock)
    assert log == ["work", *["clock", "work", "clock"] * 2]


def test_several_works_take_turns():
    log = []
    clock = iter(range(100)).__next__
    works = [lambda: log.append("a"), lambda: (log.append("b"), clock())]
    a, b = timings(*works, repeats=3, warmup=2, clock=clock)
    assert log == ["a", "b"] * 5
    assert (a.seconds, b.seconds) == ((1, 1, 1), (2, 2, 2))
    assert timings() == []


def test_it_has_a_clock_of_its_own():
    assert all(seconds >= 0 for seconds in timing(lambda: None).seconds)


@pytest.mark.parametrize("words", [{"repeats": 0}, {"warmup": -1}])
def test_refusals(words):
    with pytest.raises(ValueError, match="repeats of 1 or more and warmup of 0"):
        timing(lambda: None, **words)
    with pytest.raises(ValueError, match="repeats of 1 or more and warmup of 0"):
        timings(lambda: None, lambda: None, **words)
