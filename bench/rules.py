"""Sentences a second of the translator of six rules, and what each rule costs.

Run it with `python bench/rules.py`. Each figure is the best run of three. No library
has such a machine to compare with, so the dictionary alone is the yardstick.
"""

from functools import partial

from lookback.measure import timing
from lookback.rules import RULES, RuleTranslator, read_dictionary
from lookback.text.corpora import grammar
from lookback.text.grammar.dictionary import dictionary

PAIRS, TURNS = 6250, 3


def translated(by: RuleTranslator, sources: list[tuple[str, ...]]) -> None:
    for source in sources:
        by.translate(source)


def main() -> None:
    sources = [pair.source for pair in grammar(pairs=PAIRS).train]
    words = read_dictionary(dictionary())
    print(f"{sum(map(len, sources)) / len(sources):.1f} words a sentence")
    for n in range(len(RULES) + 1):
        machine = RuleTranslator(words, RULES[:n])
        run = timing(partial(translated, machine, sources), repeats=TURNS)
        name = f"+ {RULES[n - 1].name}" if n else "dictionary"
        print(f"{name:12} {len(sources) / run.best:10,.0f} sentences a second")


if __name__ == "__main__":
    main()
