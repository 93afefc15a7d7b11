"""Sentence pairs a second of IBM Model 1: ours and NLTK's, the same pairs, one process.

Run it with `python bench/ibm1.py`. The two take turns, and each figure is the best run
of three. Both begin from the uniform table and run the same number of iterations.
"""

from nltk.translate import AlignedSent
from nltk.translate import IBMModel1 as Nltk

from lookback.ibm1 import IBMModel1
from lookback.measure import timings
from lookback.text.corpora import grammar

PAIRS, ITERATIONS, TURNS = 6250, 8, 3  # four pairs in five are train
NLTK_PAIRS = 500  # it needs milliseconds for each pair


def main() -> None:
    train = grammar(pairs=PAIRS).train
    few = train[:NLTK_PAIRS]
    aligned = [AlignedSent([*pair.target], [*pair.source]) for pair in few]
    runs = timings(
        lambda: IBMModel1().fit(train, ITERATIONS),
        lambda: IBMModel1().fit(few, ITERATIONS),
        lambda: Nltk(aligned, ITERATIONS),
        repeats=TURNS,
        warmup=0,
    )
    whole, ours, theirs = (run.best for run in runs)
    words = sum(len(pair.target) for pair in train) / len(train)
    print(f"{ITERATIONS} iterations; {words:.1f} target words a pair")
    print(f"{'pairs a second':20}{'ours':>12}{'NLTK':>12}{'ratio':>10}")
    some, all_of_them = len(few) / ours, len(train) / whole
    nltk = len(few) / theirs
    print(f"{f'{len(few)} pairs':20}{some:12,.0f}{nltk:12,.0f}{some / nltk:8.1f} x")
    print(f"{f'{len(train)} pairs':20}{all_of_them:12,.0f}    ({whole:.2f} s)")


if __name__ == "__main__":
    main()
