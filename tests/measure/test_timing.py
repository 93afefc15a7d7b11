"""Timing, by a clock that the test winds."""

from lookback.measure import timing, timings


def test_the_fastest_of_the_runs_that_count():
    times = iter([10, 13, 20, 21, 30, 32])  # 3, 1 and 2 seconds
    done = []
    assert (
        timing(lambda: done.append(1), repeats=3, warmup=2, clock=lambda: next(times))
        == 1
    )
    assert len(done) == 5


def test_by_default_five_runs_count_after_one():
    done = []
    assert timing(lambda: done.append(1)) >= 0
    assert len(done) == 6
    timing(lambda: done.append(1), repeats=1, warmup=0)
    assert len(done) == 7


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
    assert timings(*works, repeats=3, warmup=2, clock=clock) == [1, 2]
    assert log == ["a", "b"] * 5
    assert timings() == []
