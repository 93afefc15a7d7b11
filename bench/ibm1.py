"""Sentence pairs a second of eight iterations of IBM Model 1: ours and NLTK's."""

from functools import partial

from nltk.translate import AlignedSent
from nltk.translate import IBMModel1 as Nltk
from run import speeds

from lookback.ibm1 import IBMModel1
from lookback.text.corpora import grammar


def main() -> None:
    few = grammar(pairs=6250).train[:500]  # NLTK needs milliseconds for each
    aligned = [AlignedSent([*pair.target], [*pair.source]) for pair in few]
    both = {
        "ours": partial(IBMModel1().fit, few, 8),
        "NLTK": partial(Nltk, aligned, 8),
    }
    speeds("pairs a second", {f"{len(few)} pairs": both}, len(few))
