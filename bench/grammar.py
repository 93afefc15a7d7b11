"""Pairs a second that the grammar makes, in either size and for long sentences.

Run it with `python bench/grammar.py`. Each figure is the best of five runs.
"""

import time
from itertools import count

from lookback.measure import timing
from lookback.text.corpora import Lengths, grammar

PAIRS, RUNS = 5000, 5


def best(size: str, lengths: Lengths) -> float:
    """The shortest time of the processor for PAIRS pairs, in seconds."""
    seeds = count()

    def work() -> None:
        grammar(PAIRS, seed=next(seeds), size=size, lengths=lengths)

    return timing(work, repeats=RUNS, warmup=0, clock=time.process_time).best


def main() -> None:
    long = Lengths(uniform=1, low=3, high=70)
    print(f"the grammar corpus, {PAIRS:,} pairs, best of {RUNS} runs, one core")
    for name, size, lengths in (
        ("small", "small", Lengths()),
        ("full", "full", Lengths()),
        ("small, 3 to 70 words alike", "small", long),
    ):
        seconds = best(size, lengths)
        print(f"{name:28} {PAIRS / seconds:8,.0f} pairs/s")


if __name__ == "__main__":
    main()
