"""Translation by rules: what each rule buys, in which order, and where rules break."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np

from lookback.measure import bleu, bleu_interval
from lookback.rules import RULES, Rule, RuleTranslator, Word, read_dictionary
from lookback.text.corpora import Pair, grammar, multi30k
from lookback.text.grammar.dictionary import dictionary
from lookback.trainer import seeds
from lookback.trainer.data import corpus, pairs
from lookback.trainer.study import Experiment, Row, Study, grid
from lookback.trainer.translation import PAIRS

TEST = 1000  # pairs, those on which every translator of the book is measured


@cache
def of_grammar() -> Mapping[str, tuple[Word, ...]]:
    """The dictionary of all words of the small grammar."""
    return read_dictionary(dictionary())


@cache
def of_captions() -> Mapping[str, tuple[Word, ...]]:
    """The 250 commonest English words of Multi30k's training captions, in `rules.txt`.

    As many words as the Georgetown–IBM machine had. Each has one part of speech and one
    translation, written by hand from the list of words.
    """
    lines = Path(__file__).with_name("rules.txt").read_text("utf-8")
    return read_dictionary(lines.splitlines())


def machine(
    rules: Sequence[Rule] = RULES, words: Mapping[str, tuple[Word, ...]] | None = None
) -> RuleTranslator:
    """These rules, with the grammar's dictionary or another."""
    return RuleTranslator(of_grammar() if words is None else words, rules)


def written(by: RuleTranslator, some: Sequence[Pair]) -> list[list[str]]:
    return [by.translate(pair.source) for pair in some]


def score(by: RuleTranslator, some: Sequence[Pair]) -> float:
    """BLEU."""
    return bleu(hypotheses=written(by, some), references=wanted(some)).score


def wanted(some: Sequence[Pair]) -> list[list[str]]:
    return [list(pair.target) for pair in some]


def interval(by: RuleTranslator, some: Sequence[Pair]) -> list[float]:
    """BLEU and its 95 % bootstrap interval."""
    found = bleu_interval(
        hypotheses=written(by, some),
        references=wanted(some),
        generator=seeds.generator(1954),
    )
    return [found.value, found.low, found.high]


def stages(sentences: int, drawn: int | None = None) -> Row:
    """BLEU after the dictionary and after each rule; each alone; without each.

    drawn  how many pairs the grammar draws; None: those of all translators
    """
    text = corpus(PAIRS) if drawn is None else grammar(pairs=drawn)
    some, whole = pairs(text, "test")[:sentences], machine()
    return {
        "pairs": len(some),
        "words": len(of_grammar()),
        "stages": [interval(machine(RULES[:n]), some) for n in range(len(RULES) + 1)],
        "alone": {r.name: score(machine([r]), some) for r in RULES},
        "without": {
            r.name: score(machine([x for x in RULES if x is not r]), some)
            for r in RULES
        },
        "right": sum(whole.translate(p.source) == list(p.target) for p in some),
    }


def orders(sentences: int) -> Row:
    """BLEU of the worst and the best order of the rules, and of ours, on validation."""
    some = pairs(corpus(PAIRS), "validation")[:sentences]
    found = [score(machine(rules), some) for rules in permutations(RULES)]
    return {  # permutations begin with ours
        "orders": len(found), "ours": found[0], "range": [min(found), max(found)],
    }  # fmt: skip


def captions() -> Row:
    """Real sentences: BLEU of all, and of those whose words are all known.

    known    the share of words that the dictionary has
    lengths  words of a sentence on average: of all, of those wholly known
    stages   BLEU by the dictionary alone and by all rules, with intervals
    """
    words, some = of_captions(), multi30k().test
    known = [word in words for pair in some for word in pair.source]
    whole = [pair for pair in some if {*pair.source} <= {*words}]
    every = (machine((), words), machine(RULES, words))
    return {
        "sentences": len(some),
        "whole sentences": len(whole),
        "known": sum(known) / len(known),
        "lengths": [float(np.mean([len(p.source) for p in s])) for s in (some, whole)],
        "stages": [interval(by, some) for by in every],
        "whole": [interval(by, whole) for by in every],
    }


STUDY = Study(
    "a translator of six rules: rule by rule, in every order, on real sentences",
    {
        "grammar": Experiment(
            stages, grid(sentences=[TEST]), smoke={"sentences": 20, "drawn": 250}
        ),
        "orders": Experiment(orders, grid(sentences=[300])),
        "captions": Experiment(captions),
    },
)
