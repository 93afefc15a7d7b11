"""Sentence pairs a second: extraction beside NLTK's, and the whole phrase table.

Run it with `python bench/phrases.py`. The pairs are the grammar's, with their gold
links; each figure is the best of three. NLTK's function is called without a limit,
since with one its phrases are not consistent.
"""

from nltk.translate.phrase_based import phrase_extraction

from lookback.measure import timings
from lookback.phrases import PhraseTable, extract_phrases
from lookback.text.corpora import grammar

PAIRS, SOME, LONGEST, TURNS = 2000, 100, 15, 3


def main() -> None:
    train = grammar(pairs=PAIRS).train
    short = [p for p in train if len(p.source) <= LONGEST][:SOME]

    def ours() -> None:
        for p in short:
            extract_phrases(p.possible, len(p.source), len(p.target), LONGEST)

    def theirs() -> None:
        for p in short:
            source, target = " ".join(p.source), " ".join(p.target)
            phrase_extraction(source, target, sorted(p.possible))

    def table() -> None:
        both = [(p.source, p.target) for p in train]
        PhraseTable.fit(both, [p.possible for p in train])

    runs = timings(ours, theirs, table, repeats=TURNS, warmup=0)
    sizes = (len(short), len(short), len(train))
    names = ("extract_phrases", "NLTK's phrase_extraction", "PhraseTable.fit")
    for name, size, run in zip(names, sizes, runs, strict=True):
        print(f"{name:26}{size / run.best:10,.0f} pairs a second")


if __name__ == "__main__":
    main()
