"""Pairs a second that the grammar makes, in either size and for long sentences."""

from functools import partial

from run import speeds

from lookback.text.corpora import Lengths, grammar

PAIRS = 5000


def main() -> None:
    make = partial(grammar, PAIRS)
    long = Lengths(uniform=1, low=3, high=70)
    rows = {
        "small": {"ours": make},
        "full": {"ours": partial(make, size="full")},
        "small, 3 to 70 words alike": {"ours": partial(make, lengths=long)},
    }
    speeds("pairs a second", rows, PAIRS)
