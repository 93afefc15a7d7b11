"""Sentences a second of the parser, and of NLTK's, one process.

Run it with `python bench/pcfg.py`. They take turns on the same short sentences with the
same grammar, and each figure is the best of three runs.
"""

from functools import partial

import nltk

from lookback.measure import timings
from lookback.pcfg import PCFG, annotate_parents, binarise
from lookback.text.corpora import grammar

PAIRS, SENTENCES, LONGEST, TURNS = 1000, 10, 10, 3


def twin(model: PCFG) -> nltk.ViterbiParser:
    """The same rules; NLTK wants symbols that are words of letters."""
    name = {symbol: nltk.Nonterminal(symbol) for symbol in model.symbols}
    rules = [
        nltk.ProbabilisticProduction(name[A], [name[b] for b in below], prob=p)
        for (A, *below), p in model.rules.items()
    ]
    rules += [
        nltk.ProbabilisticProduction(name[A], [word], prob=p)
        for (A, word), p in model.lexicon.items()
    ]
    return nltk.ViterbiParser(nltk.PCFG(name[model.start], rules))


def parse_all(parse, sentences) -> None:
    for words in sentences:
        [*parse(words)]


def main() -> None:
    corpus = grammar(pairs=PAIRS)
    model = PCFG().fit(binarise(annotate_parents(p.tree), 2) for p in corpus.train)
    short = [p.source for p in corpus.train if len(p.source) <= LONGEST][:SENTENCES]
    runs = timings(
        partial(parse_all, model.cky, short),
        partial(parse_all, twin(model).parse, short),
        repeats=TURNS,
        warmup=0,
    )
    for name, run in zip(("PCFG.cky", "NLTK's ViterbiParser"), runs, strict=True):
        print(f"{name:22} {len(short) / run.best:8,.1f} sentences a second")


if __name__ == "__main__":
    main()
