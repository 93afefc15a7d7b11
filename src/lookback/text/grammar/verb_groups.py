"""Verbs with their auxiliaries, negation and adverb, in both languages."""

from functools import cache
from typing import NamedTuple

from lookback.text.grammar.draft import Draft, Phrase
from lookback.text.grammar.entries import Conjugation, Verb, conjugation
from lookback.text.grammar.expressions import Expression, French, Leaf
from lookback.text.grammar.surface import Token
from lookback.text.grammar.tenses import (
    PASSIVE,
    TEMPLATE,
    Plan,
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
AUXILIARIES = {"be": BE, "have": HAVE, "do": DO, "want": WANT}
NOT: Leaf = ("PART", "not")


class Group(NamedTuple):
    """A finished verb group: English leaves, French words.

    gap   where among the French words a pronoun goes that is an object
    """

    trees: tuple[Leaf, ...]
    words: list[Token]
    gap: int

    def french(self, clitics: tuple[Token, ...] = ()) -> list[Token]:
        return [*self.words[: self.gap], *clitics, *self.words[self.gap :]]


def verb_group(
    draft: Draft, verb: Verb | None, plan: Plan, subject: Phrase, preceding: int = 0
) -> Group:
    """Write the verb as planned.

    preceding   gender + 2 × number of an object before it, with which the participle
                agrees under *avoir*; with the subject it agrees under *être*
    """
    with_be = plan.voice == PASSIVE or (verb is not None and verb.with_be)
    agreeing = subject.form if with_be else preceding
    words, gap = wording(verb, plan, subject.slot, agreeing)
    return Group(words.english, draft.express(words), gap)


@cache
def wording(
    verb: Verb | None, plan: Plan, slot: int, agreeing: int
) -> tuple[Expression, int]:
    """The words of a verb group, and where a pronoun goes among the French ones.

    The French are ne, the finite verb, pas and the adverb, the rest. A pronoun precedes
    the finite verb, or an infinitive.
    """
    template = TEMPLATE[plan.voice, plan.tense]
    english, positions = write_english(verb, plan, slot, template)
    finite, *rest = write_french(verb, template, slot, agreeing, positions)
    ne, middle = negate(plan, positions)
    before_infinitive = bool(rest) and template.french[1].form == "infinitive"
    gap = len(ne) + (1 + len(middle) if before_infinitive else 0)
    return Expression(english, (*ne, finite, *middle, *rest)), gap


def write_english(
    verb: Verb | None, plan: Plan, slot: int, template: Template
) -> tuple[tuple[Leaf, ...], dict[str, int]]:
    """The English words, and the position of each by its name in the template."""
    leaves: list[Leaf] = []
    positions: dict[str, int] = {}

    def write(word: str, leaf: Leaf) -> None:
        positions[word] = len(leaves)
        leaves.append(leaf)

    waiting = plan.adverb
    with_do = plan.denied and needs_do(template)
    alone = needs_do(template)  # no auxiliary: the adverb goes before the verb
    for index, (word, form) in enumerate(template.english):
        if index == 0 and with_do:
            write("do", english_form("do", form, verb, slot))
            write("not", NOT)
            form = "base"
        if waiting and (index == 1 or alone):
            write("adverb", waiting.leaf)
            waiting = None
        write(word, english_form(word, form, verb, slot))
        if index == 0 and plan.denied and not with_do:
            write("not", NOT)
    if waiting:
        write("adverb", waiting.leaf)
    return tuple(leaves), positions


def english_form(word: str, form: str, verb: Verb | None, slot: int) -> Leaf:
    if word in WORDS:
        return WORDS[word]
    source = verb if word == "verb" else AUXILIARIES[word]
    leaf: Leaf | tuple[Leaf, ...] = getattr(source, form)
    return leaf[slot] if form in ("present", "past") else leaf  # type: ignore


def negate(plan: Plan, positions: dict[str, int]) -> tuple[list[French], list[French]]:
    """Ne, which goes before the verb, and pas and the adverb, which follow it."""
    ne: list[French] = []
    middle: list[French] = []
    if plan.denied:
        position = (positions["not"],)
        ne.append(French("ne", "ADV", position, ()))
        middle.append(French("pas", "ADV", position, ()))
    if plan.adverb:
        position = (positions["adverb"],)
        middle.append(French(plan.adverb.french, "ADV", position, ()))
        if plan.adverb.french == "jamais":
            ne.append(French("ne", "ADV", position, ()))
    return ne, middle


def write_french(
    verb: Verb | None,
    template: Template,
    slot: int,
    agreeing: int,
    positions: dict[str, int],
) -> list[French]:
    """The French words of a template. Its participle agrees; été never does."""
    found = []
    for word, form, sure, possible in template.french:
        gender_number = 0 if word == "être" else agreeing
        spoken = french_form(french_verb(word, verb), form, slot, gender_number)
        surely = tuple([positions[name] for name in sure])
        there = [name for name in possible if name in positions]
        possibly = tuple([positions[name] for name in there])
        found.append(French(spoken, french_tag(word), surely, possibly))
    return found


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
