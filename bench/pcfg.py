"""Sentences a second of the parser, and of NLTK's with the same rules."""

import nltk
from run import speeds

from lookback.pcfg import PCFG
from lookback.text.corpora import grammar
from lookback.trees import annotate_parents, binarise

SENTENCES, LONGEST = 10, 10


def twin(model: PCFG) -> nltk.ViterbiParser:
    """The same rules; NLTK wants symbols that are words of letters."""
    symbols = {A for A, *_ in (*model.rules, *model.lexicon)}
    name = {symbol: nltk.Nonterminal(symbol) for symbol in symbols}
    rules = [
        nltk.ProbabilisticProduction(name[A], [name[b] for b in below], prob=p)
        for (A, *below), p in model.rules.items()
    ]
    rules += [
        nltk.ProbabilisticProduction(name[A], [word], prob=p)
        for (A, word), p in model.lexicon.items()
    ]
    return nltk.ViterbiParser(nltk.PCFG(name[model.start], rules))


def main() -> None:
    train = grammar(pairs=1000).train
    model = PCFG().fit(binarise(annotate_parents(p.tree), 2) for p in train)
    theirs = twin(model)
    short = [p.source for p in train if len(p.source) <= LONGEST][:SENTENCES]
    both = {
        "ours": lambda: [model.cky(words) for words in short],
        "NLTK": lambda: [[*theirs.parse(words)] for words in short],
    }
    speeds("sentences a second", {"likeliest trees": both}, len(short))
