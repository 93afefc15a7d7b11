"""What follows a noun: *of*, *on*, *near* and other phrases, and relative clauses."""

from lookback.text.grammar import noun_phrases, tenses
from lookback.text.grammar.draft import OBLIQUE, SUBJECT, Draft, Phrase
from lookback.text.grammar.entries import Classes, Noun, Verb
from lookback.text.grammar.expressions import Leaf
from lookback.text.grammar.surface import Token
from lookback.text.grammar.verb_groups import verb_group
from lookback.text.pairs import Tree

Part = tuple[Tree, list[Token]]

PLACES = frozenset("l")
TOPICS = frozenset("iclg")
CARRIED = frozenset("ta")
PARTIES = frozenset("ic")
CITIES = frozenset("y")
NAMED_PLACES = frozenset("cy")

# English preposition → French ones, and the classes of nouns after it.
SIMPLE: dict[str, tuple[str, str, Classes]] = {
    "on": ("on", "sur", TOPICS),
    "with": ("with", "avec", CARRIED),
}
MANY_WORDS = 6  # from here on a noun can have two modifiers


def modify(draft: Draft, phrase: Phrase, noun: Noun, n: int) -> Phrase:
    """The noun phrase with n more words after it: none, two or more."""
    if n == 0:
        return phrase
    if draft.plain:
        return add(phrase, prepositional(draft, noun, n))
    if n >= MANY_WORDS and noun.modifiers and draft.chance(0.5):
        first = draft.between(2, 4)
        phrase = add(phrase, prepositional(draft, noun, first))
        return add(phrase, relative(draft, phrase, n - first))
    if noun.modifiers and draft.chance(0.55 if n < 12 else 0.3):
        return add(phrase, prepositional(draft, noun, n))
    return add(phrase, relative(draft, phrase, n))


def add(phrase: Phrase, part: Part) -> Phrase:
    tree, french = part
    return Phrase(("NP", phrase.tree, tree), phrase.french + french, *phrase[2:])


def prepositional(draft: Draft, noun: Noun, n: int) -> Part:
    """A phrase of n words that begins with a preposition and suits the noun."""
    kinds = noun.modifiers or ("in",)
    kind = kinds[int(draft.random() * len(kinds))]
    if kind == "of":
        return of(draft, noun, n)
    if kind == "on" or (kind == "with" and n > 2):
        return simple(draft, SIMPLE[kind], n)
    if kind == "between" and n >= 4:
        return between(draft, n)
    if kind == "near" and n > 2:
        return near(draft, n)
    if kind == "from" and n == 2:
        return from_place(draft)
    if kind in ("in", "near") or (kind == "with" and n > 3):
        return place(draft, n)
    return of(draft, noun, n) if noun.owners else place(draft, n)


def of(draft: Draft, noun: Noun, n: int) -> Part:
    """the president of france → le président de la france."""
    leaf: Leaf = ("ADP", "of")
    mark = (draft.write(leaf),)
    classes = noun.owners
    if classes >= CITIES and n == 2:
        classes = CITIES
    inner = noun_phrases.noun_phrase(draft, n - 1, classes, SUBJECT)
    return ("PP", leaf, inner.tree), [("de", "ADP", mark, ()), *inner.french]


def simple(draft: Draft, kind: tuple[str, str, Classes], n: int) -> Part:
    """a law on france → une loi sur la france."""
    english, french, classes = kind
    leaf: Leaf = ("ADP", english)
    mark = (draft.write(leaf),)
    inner = noun_phrases.noun_phrase(draft, n - 1, classes, SUBJECT)
    return ("PP", leaf, inner.tree), [(french, "ADP", mark, ()), *inner.french]


def between(draft: Draft, n: int) -> Part:
    """a treaty between france and the bank → un traité entre la france et la banque."""
    leaf: Leaf = ("ADP", "between")
    mark = (draft.write(leaf),)
    size = draft.between(1, n - 3)
    first = noun_phrases.noun_phrase(draft, size, PARTIES, SUBJECT)
    conjunction = noun_phrases.AND
    link = (draft.write(conjunction),)
    second = noun_phrases.noun_phrase(draft, n - 2 - size, PARTIES, SUBJECT)
    tree = ("PP", leaf, ("NP", first.tree, conjunction, second.tree))
    return tree, [("entre", "ADP", mark, ()), *first.french,
                  ("et", "CCONJ", link, ()), *second.french]  # fmt: skip


def near(draft: Draft, n: int) -> Part:
    """the house near the station → la maison près de la gare."""
    leaf: Leaf = ("ADP", "near")
    mark = (draft.write(leaf),)
    inner = noun_phrases.noun_phrase(draft, n - 1, PLACES, OBLIQUE)
    french = [("près", "ADV", mark, ()), ("de", "ADP", mark, ()), *inner.french]
    return ("PP", leaf, inner.tree), french


def from_place(draft: Draft) -> Part:
    """wine from italy → vin d' italie; canada → du canada."""
    leaf: Leaf = ("ADP", "from")
    mark = (draft.write(leaf),)
    noun = draft.lexicon.nouns("names", NAMED_PLACES).draw(draft.random)
    inner = noun_phrases.name(draft, noun, with_article=noun.gender == 0)
    return ("PP", leaf, inner.tree), [("de", "ADP", mark, ()), *inner.french]


def place(draft: Draft, n: int) -> Part:
    """in paris → à paris; in france → en france; at the market → au marché."""
    if n == 2:
        return named_place(draft)
    noun = draft.lexicon.nouns("common", PLACES).draw(draft.random)
    assert noun.place is not None
    leaf, french = noun.place
    mark = (draft.write(leaf),)
    inner = noun_phrases.around(draft, n - 1, noun, OBLIQUE)
    return ("PP", leaf, inner.tree), [(french, "ADP", mark, ()), *inner.french]


def named_place(draft: Draft, english: str = "in") -> Part:
    """in paris → à paris; in france → en france; in canada → au canada."""
    leaf: Leaf = ("ADP", english)
    mark = (draft.write(leaf),)
    noun = draft.lexicon.nouns("names", NAMED_PLACES).draw(draft.random)
    masculine = noun.article and noun.gender == 0
    preposition = "en" if noun.article and not masculine else "à"
    inner = noun_phrases.name(draft, noun, with_article=masculine)
    return ("PP", leaf, inner.tree), [(preposition, "ADP", mark, ()), *inner.french]


def relative(draft: Draft, phrase: Phrase, n: int) -> Part:
    """A clause of n words about the noun; it neither sees nor makes antecedents."""
    saved = draft.known, draft.fresh, draft.owner
    draft.known, draft.fresh, draft.owner = [], [], None
    verbs = draft.lexicon.transitive.suiting(None, phrase.classes)
    if verbs and 4 <= n <= 9 and draft.chance(0.45):
        part = object_relative(draft, phrase, n, verbs.draw(draft.random))
    else:
        part = subject_relative(draft, phrase, n)
    draft.known, draft.fresh, draft.owner = saved
    return part


def relative_pronoun(draft: Draft, phrase: Phrase, person: str) -> tuple[Leaf, int]:
    leaf: Leaf = ("PRON", person if "p" in phrase.classes else "that")
    position = draft.write(leaf)
    draft.refer(position, phrase)
    return leaf, position


def subject_relative(draft: Draft, phrase: Phrase, n: int) -> Part:
    """the minister who sleeps → le ministre qui dort."""
    leaf, position = relative_pronoun(draft, phrase, "who")
    tree, french = draft.rules.predicate(draft, n - 1, phrase)
    token: Token = ("qui", "PRON", (position,), ())
    return ("SBAR", leaf, tree), [token, *french]


def object_relative(draft: Draft, phrase: Phrase, n: int, verb: Verb) -> Part:
    """the law that the king signed → la loi que le roi a signée."""
    leaf, position = relative_pronoun(draft, phrase, "whom")
    named = noun_phrases.shortest(verb.subjects, SUBJECT) == 1
    fits = tenses.at_least_one if named else tenses.at_least_two
    plan = tenses.plan(draft, verb, n - 1, fits)
    subject = noun_phrases.noun_phrase(draft, n - 1 - plan.cost, verb.subjects, SUBJECT)
    group = verb_group(draft, verb, plan, subject, phrase.form)
    tree: Tree = ("S", subject.tree, ("VP", *group.trees))
    token: Token = ("que", "PRON", (position,), ())
    return ("SBAR", leaf, tree), [token, *subject.french, *group.french()]
