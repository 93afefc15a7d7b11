"""Sentence pairs with their word alignment, written by a synchronous grammar.

A rule writes both languages at once. English is written from left to right, so that
the position of every word is known at once; each French word carries the positions of
the English words that it comes from. Nothing is aligned afterwards, so nothing is
guessed. French then obeys its own sound laws once, at the end (`surface`).

Read the tables `nouns`, `adjectives`, `verbs`, `expressions`; `entries` and `lexicon`,
which make words of them with the forms of `english` and `french`; `draft`, what a rule
writes on; the rules, from small to large: `determiners`, `noun_phrases`, `modifiers`,
`tenses`, `verb_groups`, `frames`, `predicates`, `clauses`. Last `sampling` and `corpus`
draw words and lengths and make the splits; `noun_classes` says what each noun is.
"""

from lookback.text.grammar.corpus import grammar
from lookback.text.grammar.noun_classes import noun_kinds
from lookback.text.grammar.sampling import Lengths

__all__ = ["Lengths", "grammar", "noun_kinds"]
