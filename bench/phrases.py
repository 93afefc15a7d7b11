"""Sentence pairs a second of extracting phrases: ours and NLTK's.

The pairs are the grammar's, with their gold links. NLTK's function is called without a
limit, since with one its phrases are not consistent.
"""

from nltk.translate.phrase_based import phrase_extraction
from run import speeds

from lookback.phrases import extract_phrases
from lookback.text.corpora import grammar

SOME, LONGEST = 100, 15


def main() -> None:
    train = grammar(pairs=2000).train
    short = [p for p in train if len(p.source) <= LONGEST][:SOME]

    def ours() -> None:
        for p in short:
            extract_phrases(p.possible, len(p.source), len(p.target), LONGEST)

    def theirs() -> None:
        for p in short:
            source, target = " ".join(p.source), " ".join(p.target)
            phrase_extraction(source, target, sorted(p.possible))

    both = {"ours": ours, "NLTK": theirs}
    speeds("pairs a second", {"extract_phrases": both}, len(short))
