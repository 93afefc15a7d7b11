"""Sentence pairs with their word alignment, written by a synchronous grammar.

A rule writes both languages at once. English is written from left to right, so that
the position of every word is known at once; each French word carries the positions of
the English words that it comes from. Nothing is aligned afterwards, so nothing is
guessed. French then obeys its own sound laws once, at the end.

    tables         the words of both languages, and fixed expressions
    english        the forms of English words
    french         the forms of French words, and the sound laws of a sentence
    lexicon        makes entries of the tables, to draw from
    derivation     one sentence while it is derived, which the rules extend
    verb_groups    rules: tense, negation, adverb, and the verb with its auxiliaries
    noun_phrases   rules: determiner, adjectives, noun, and what follows it
    clauses        rules: subject, predicate, and how clauses join
    corpus         draws lengths and sentences, and makes the splits
    dictionary     every word's entry, and the kind of every noun
    agreement      which verb of a sentence agrees with which noun
"""

from lookback.text.grammar.corpus import Lengths, grammar
from lookback.text.grammar.dictionary import noun_kinds

__all__ = ["Lengths", "grammar", "noun_kinds"]
