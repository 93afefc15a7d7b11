"""Sentence pairs a second: extraction beside NLTK's, and the whole phrase table.

The pairs are the grammar's, with their gold links. NLTK's function is called without a
limit, since with one its phrases are not consistent.
"""

from nltk.translate.phrase_based import phrase_extraction
from run import speeds

from lookback.phrases import PhraseTable, extract_phrases
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

    def table() -> None:
        both = [(p.source, p.target) for p in train]
        PhraseTable.fit(both, [p.possible for p in train])

    both = {"ours": ours, "NLTK": theirs}
    speeds("pairs a second", {"extract_phrases": both}, len(short))
    speeds("pairs a second", {"PhraseTable.fit": {"ours": table}}, len(train))
