"""Translation by rules: what each rule buys, in which order, and where rules break."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import permutations

import numpy as np

from lookback.measure import bleu, bleu_by_length, bleu_interval
from lookback.rules import RULES, Rule, RuleTranslator, Word, read_dictionary
from lookback.studies import translators
from lookback.text.captions import CAPTION_WORDS
from lookback.text.corpora import Pair, grammar, multi30k
from lookback.text.grammar.dictionary import dictionary
from lookback.workshop import PAIRS, Row, Study, case, corpus, pairs, seeds

TEST = 1000  # pairs, those on which every translator of the book is measured
WORDS = (10, 25, 50, 100, 175, 250)  # of the dictionary of captions


@cache
def of_grammar() -> Mapping[str, tuple[Word, ...]]:
    """The dictionary of all words of the small grammar."""
    return read_dictionary(dictionary())


@cache
def of_captions(words: int = 250) -> Mapping[str, tuple[Word, ...]]:
    """The dictionary of the commonest words of captions."""
    return read_dictionary(CAPTION_WORDS.strip().splitlines()[:words])


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


def by_length(by: RuleTranslator) -> list[Row]:
    """BLEU of the fresh sentences of each length that all translators translate."""
    some = [pair for same in translators.fresh() for pair in same]
    bins = bleu_by_length(
        hypotheses=written(by, some),
        references=wanted(some),
        lengths=[len(pair.source) for pair in some],
        edges=[longest for _, longest in translators.BINS],
        generator=seeds.generator(0),
        samples=translators.SAMPLES,
    )
    return [translators.scored(one, "bleu") for one in bins]


def stages(sentences: int, drawn: int | None = None) -> Row:
    """BLEU after the dictionary and after each rule; each alone; without each.

    drawn  how many pairs the grammar draws; None: those of all translators
    """
    text = corpus(PAIRS) if drawn is None else grammar(pairs=drawn)
    some, whole = pairs(text, "test")[:sentences], machine()
    row: Row = {
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
    if drawn is None:
        row["lengths"] = by_length(whole)
    return row


def orders(sentences: int) -> Row:
    """BLEU of each order of the rules, sorted, on sentences of validation; of ours."""
    some = pairs(corpus(PAIRS), "validation")[:sentences]
    found = [score(machine(rules), some) for rules in permutations(RULES)]
    return {"scores": sorted(found), "ours": found[0]}  # permutations begin with ours


def captions() -> Row:
    """Real sentences: BLEU by rules and by words, and those that are wholly known."""
    some = multi30k().test
    words, rows = of_captions(), list[Row]()
    for n in WORDS:
        some_words = of_captions(n)
        known = [w in some_words for pair in some for w in pair.source]
        whole = [p for p in some if {*p.source} <= {*some_words}]
        rows.append({
            "words": n,
            "known": sum(known) / len(known),
            "whole": len(whole),
            "BLEU": score(machine(words=some_words), some),
        })  # fmt: skip
    whole = [p for p in some if {*p.source} <= {*words}]
    counts = range(len(RULES) + 1)
    return {
        "sentences": len(some),
        "stages": [interval(machine(RULES[:n], words), some) for n in counts],
        "whole": [interval(machine(RULES[:n], words), whole) for n in counts],
        "lengths": [float(np.mean([len(p.source) for p in s])) for s in (some, whole)],
        "by words": rows,
    }


STUDY = Study(
    about="a translator of six rules: rule by rule, in every order, on real sentences",
    cases={
        "grammar": case(stages, sentences=TEST),
        "orders": case(orders, sentences=300),
        "captions": case(captions),
    },
    check=case(stages, sentences=20, drawn=250),
)
