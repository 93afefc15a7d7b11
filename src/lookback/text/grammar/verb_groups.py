"""Verbs with their auxiliaries, negation and adverb, in both languages."""

from functools import cache
from typing import NamedTuple

from lookback.text.grammar.draft import Draft, Phrase
from lookback.text.grammar.entries import Conjugation, Verb, conjugation
from lookback.text.grammar.expressions import Leaf
from lookback.text.grammar.surface import Token
from lookback.text.grammar.tenses import (
    PASSIVE,
    TEMPLATE,
    Plan,
    Slot,
    Template,
    needs_do,
)


class Auxiliary(NamedTuple):
    """English words that are no verbs of the lexicon: be, have, do, want."""

    base: Leaf
    present: tuple[Leaf, ...]
    past: tuple[Leaf, ...]
    participle: Leaf


def auxiliary(tag: str, base: str, present: str, past: str, done: str) -> Auxiliary:
    return Auxiliary(
        (tag, base),
        tuple((tag, word) for word in present.split()),
        tuple((tag, word) for word in past.split()),
        (tag, done),
    )


BE = auxiliary("AUX", "be", "am is are are are", "was was were were were", "been")
HAVE = auxiliary("AUX", "have", "have has have have have", "had " * 5, "had")
DO = auxiliary("AUX", "do", "do does do do do", "did " * 5, "done")
WANT = auxiliary("VERB", "want", "want wants want want want", "wanted " * 5, "wanted")
WORDS: dict[str, Leaf] = {
    "will": ("AUX", "will"), "can": ("AUX", "can"), "must": ("AUX", "must"),
    "used": ("AUX", "used"), "to": ("PART", "to"),
}  # fmt: skip
AUXILIARIES = {"be": BE, "have": HAVE, "want": WANT}
NOT: Leaf = ("PART", "not")


class Group(NamedTuple):
    """A finished verb group. In French: ne, finite verb, pas and adverb, the rest."""

    trees: list[Leaf]
    ne: list[Token]
    finite: Token
    middle: list[Token]
    rest: list[Token]
    clitic_last: bool  # a pronoun precedes an infinitive, not the finite verb

    def french(self, clitics: tuple[Token, ...] = ()) -> list[Token]:
        if self.clitic_last:
            return [*self.ne, self.finite, *self.middle, *clitics, *self.rest]
        return [*self.ne, *clitics, self.finite, *self.middle, *self.rest]


def verb_group(
    draft: Draft,
    verb: Verb | None,
    plan: Plan,
    subject: Phrase,
    preceding: int | None = None,
) -> Group:
    """Write the verb as planned.

    preceding   gender + 2 × number of an object before it, with which the participle
                agrees under *avoir*
    """
    template = TEMPLATE[plan.voice, plan.tense]
    start = len(draft.leaves)
    positions: dict[str, int] = {}
    negation = write_english(draft, verb, plan, subject.slot, template, positions)
    french: list[Token] = []
    spoken = subject.slot, subject.form, preceding or 0
    for form, tag, slot in french_words(plan.voice, plan.tense, verb, *spoken):
        sure = tuple([positions[word] for word in slot.sure])
        there = [word for word in slot.possible if word in positions]
        possible = tuple([positions[word] for word in there])
        french.append((form, tag, sure, possible))
    ne, middle = negate(plan, negation, positions)
    last = len(french) > 1 and template.french[1].form == "infinitive"
    return Group(draft.leaves[start:], ne, french[0], middle, french[1:], last)


def write_english(
    draft: Draft,
    verb: Verb | None,
    plan: Plan,
    slot: int,
    template: Template,
    positions: dict[str, int],
) -> int:
    """Write the English group, noting the position of each word; that of "not"."""
    negation, waiting = -1, plan.adverb
    with_do = plan.denied and needs_do(template)
    alone = needs_do(template)  # no auxiliary: the adverb goes before the verb
    for index, (word, form) in enumerate(template.english):
        if index == 0 and with_do:
            positions["do"] = draft.write(getattr(DO, form)[slot])
            negation, form = draft.write(NOT), "base"
        if waiting and (index == 1 or alone):
            positions["adverb"], waiting = draft.write(waiting.leaf), None
        positions[word] = draft.write(english_form(word, form, verb, slot))
        if index == 0 and plan.denied and not with_do:
            negation = draft.write(NOT)
    if waiting:
        positions["adverb"] = draft.write(waiting.leaf)
    return negation


def english_form(word: str, form: str, verb: Verb | None, slot: int) -> Leaf:
    if word in WORDS:
        return WORDS[word]
    source = verb if word == "verb" else AUXILIARIES[word]
    leaf: Leaf | tuple[Leaf, ...] = getattr(source, form)
    return leaf[slot] if form in ("present", "past") else leaf  # type: ignore


def negate(
    plan: Plan, negation: int, positions: dict[str, int]
) -> tuple[list[Token], list[Token]]:
    """Ne, which goes before the verb, and pas and the adverb, which follow it."""
    ne: list[Token] = []
    middle: list[Token] = []
    if plan.denied:
        ne.append(("ne", "ADV", (negation,), ()))
        middle.append(("pas", "ADV", (negation,), ()))
    if plan.adverb:
        position = (positions["adverb"],)
        middle.append((plan.adverb.french, "ADV", position, ()))
        if plan.adverb.french == "jamais":
            ne.append(("ne", "ADV", position, ()))
    return ne, middle


@cache
def french_words(
    voice: str, tense: str, verb: Verb | None, slot: int, form: int, preceding: int
) -> tuple[tuple[str, str, Slot], ...]:
    """The French words of a template: form, part of speech, where it comes from.

    The participle agrees with the subject (`form`) under *être*, and with an object
    before it (`preceding`) under *avoir*; été never agrees.
    """
    with_be = voice == PASSIVE or (verb is not None and verb.with_be)
    found = []
    for word in TEMPLATE[voice, tense].french:
        agreeing = form if with_be else preceding
        agreeing = 0 if word.word == "être" else agreeing
        spoken = french_form(french_verb(word.word, verb), word.form, slot, agreeing)
        found.append((spoken, french_tag(word.word), word))
    return tuple(found)


def french_verb(word: str, verb: Verb | None) -> Conjugation:
    if word == "perfect":
        return conjugation("être" if verb and verb.with_be else "avoir")
    return verb.french if verb and word == "verb" else conjugation(word)


def french_form(verb: Conjugation, form: str, slot: int, agreeing: int) -> str:
    found: str | tuple[str, ...] = getattr(verb, form)
    if isinstance(found, str):
        return found
    return found[agreeing] if form == "participle" else found[slot]


def french_tag(word: str) -> str:
    return "AUX" if word in ("être", "avoir", "perfect") else "VERB"
