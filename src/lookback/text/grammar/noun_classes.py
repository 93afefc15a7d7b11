"""The kind and the gender of the grammar's nouns, to compare word vectors with.

They decide which verbs a noun can have, and which pronoun refers to it. The sentences
do not state them: vectors can learn them only from the contexts of the words.
"""

from collections import defaultdict
from dataclasses import dataclass

from lookback.text.grammar.lexicon import Lexicon, lexicon

KINDS = {
    "p": "person", "i": "institution", "c": "country", "y": "city", "d": "document",
    "r": "reading", "l": "place", "t": "thing", "w": "thing", "a": "animal",
    "f": "food", "b": "drink", "g": "raw material",
}  # fmt: skip
LANGUAGES = ("english", "french")


@dataclass(frozen=True)
class Kind:
    """The kind, number and gender of a noun.

    kind     one of KINDS
    form     "one", "many", or "name"
    pronoun  that refers to one of it in English: he, she or it
    gender   in French: m or f
    """

    kind: str
    form: str
    pronoun: str
    gender: str


def noun_kinds(size: str, language: str = "english") -> dict[str, Kind]:
    """Every noun and name of the grammar in all its forms, and what it is.

    size      "small" or "full", as for the corpus
    language  "english" or "french"
    A form that two nouns share, or a noun and a verb, says nothing and is left out.
    """
    if language not in LANGUAGES:
        raise ValueError(f"a language is one of {LANGUAGES}, got {language!r}")
    words, kinds_of = lexicon(size), defaultdict[str, set[Kind]](set)
    for noun in (*words.common, *words.people, *words.countries, *words.cities):
        kind = KINDS[min(noun.classes & KINDS.keys(), key=[*KINDS].index)]
        pronoun, gender = noun.pronoun, "mf"[noun.gender]
        english = [leaf[1] for leaf in noun.leaves]
        forms = english if language == "english" else noun.french
        names = ("name",) if noun.proper else ("one",) if noun.mass else ("one", "many")
        for form, name in zip(forms, names, strict=False):
            kinds_of[form].add(Kind(kind, name, pronoun, gender))
    taken = verb_forms(words, language)
    return {
        form: next(iter(kinds))
        for form, kinds in kinds_of.items()
        if len(kinds) == 1 and form not in taken
    }


def verb_forms(words: Lexicon, language: str) -> set[str]:
    """Every form of every verb."""
    frames = (words.transitive, words.intransitive, words.motion, words.giving)
    forms = set[str]()
    for verb in (verb for frame in (*frames, words.saying) for verb in frame.verbs):
        if language == "english":
            leaves = (verb.base, *verb.present, *verb.past, verb.participle)
            forms |= {word for _, word in leaves}
        else:
            tenses = verb.french
            forms |= {*tenses.present, *tenses.imperfect, *tenses.future}
            forms |= {tenses.infinitive, *tenses.participle}
    return forms
