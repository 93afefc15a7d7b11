"""Pairs a second that the grammar makes, in either size and for long sentences.

Run it with `python bench/grammar.py`. Each figure is the best of five runs.
"""

import time

from lookback.text.corpora import Lengths, grammar

PAIRS, RUNS = 5000, 5


def best(size: str, lengths: Lengths) -> float:
    """The shortest time of the processor for PAIRS pairs, in seconds."""
    times = []
    for seed in range(RUNS):
        start = time.process_time()
        grammar(PAIRS, seed=seed, size=size, lengths=lengths)
        times.append(time.process_time() - start)
    return min(times)


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
