"""Sentence pairs a second of the alignment models: an iteration of EM, and alignment.

Run it with `python bench/hmm_alignment.py`. Model 1 and the HMM learn from the same
pairs of the grammar; each figure is the best of three.
"""

from functools import partial

from lookback.hmm_alignment import HMMAlignment
from lookback.ibm1 import IBMModel1
from lookback.measure import timings
from lookback.text.corpora import grammar

PAIRS, TURNS = 1000, 3


def main() -> None:
    train = [(p.source, p.target) for p in grammar(pairs=PAIRS).train]
    model = HMMAlignment().fit(train, 1, 1)
    runs = timings(
        partial(IBMModel1().fit, train, 1),
        partial(HMMAlignment().fit, train, 1, 1),
        partial(model.align_all, train),
        repeats=TURNS,
        warmup=0,
    )
    one, both, align = (run.best for run in runs)
    seconds = {
        "Model 1, an iteration": one,
        "HMM, an iteration": max(both - one, 1e-9),
        "HMM, likeliest alignments": align,
    }
    for name, cost in seconds.items():
        print(f"{name:26}{len(train) / cost:10,.0f} pairs a second")


if __name__ == "__main__":
    main()
