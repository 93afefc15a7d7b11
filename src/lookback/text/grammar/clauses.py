"""Clauses and sentences: a subject and its predicate; how clauses join."""

from lookback.text.grammar import modifiers, noun_phrases, predicates
from lookback.text.grammar.draft import (
    HE,
    ME,
    SUBJECT,
    THEY,
    WE,
    YOU,
    Draft,
    Phrase,
    Rules,
)
from lookback.text.grammar.expressions import Leaf
from lookback.text.grammar.sampling import SLOTS, fill
from lookback.text.grammar.surface import Token
from lookback.text.pairs import Tree

Part = tuple[Tree, list[Token]]

# What a clause is about, and how often.
SUBJECTS = fill(
    [(frozenset(c), w) for c, w in
     (("p", 45), ("i", 24), ("d", 9), ("a", 8), ("r", 4), ("l", 4), ("t", 4),
      ("c", 2), ("g", 1), ("f", 1), ("b", 1))]
)  # fmt: skip
PEOPLE, NAMED = frozenset("p"), frozenset("pc")
SPEAKERS = ((("PRON", "i"), "je", ME, 0), (("PRON", "we"), "nous", WE, 2),
            (("PRON", "you"), "vous", YOU, 2))  # fmt: skip
PRONOUNS = ("il", "elle", "ils", "elles")
STOP: Leaf = ("PUNCT", ".")
COMMA: Leaf = ("PUNCT", ",")
# English conjunction, French words, their parts of speech.
CONJUNCTIONS = fill(
    [((leaf, french), weight) for leaf, french, weight in (
        (("CCONJ", "and"), (("et", "CCONJ"),), 5),
        (("CCONJ", "but"), (("mais", "CCONJ"),), 3),
        (("SCONJ", "because"), (("parce", "SCONJ"), ("que", "SCONJ")), 3),
        (("SCONJ", "while"), (("tandis", "SCONJ"), ("que", "SCONJ")), 1))]
)  # fmt: skip
FEWEST = 3  # words of a clause that is joined to another


def sentence(draft: Draft, n: int) -> Part:
    """A sentence of n ≥ 3 words, the full stop included."""
    tree, french = clause_with_next(draft, n - 1, first_share(draft, n - 1))
    position = draft.write(STOP)
    return ("S", tree, STOP), [*french, (".", "PUNCT", (position,), ())]


def first_share(draft: Draft, n: int) -> int:
    """How many of n words the first clause takes; all, or so many that a next fits."""
    share = 4 + int(draft.random() * 13)
    return share if share + 1 + FEWEST <= n else n


def clause_with_next(draft: Draft, n: int, share: int) -> Part:
    """A clause of `share` words and, if there are more, a conjunction and the next."""
    tree, french = clause(draft, share)
    left = n - share
    if not left:
        return tree, french
    draft.known, draft.fresh = draft.fresh, []
    marks: list[Tree] = []
    if left > FEWEST + 2 and draft.chance(0.4):
        french.append((",", "PUNCT", (draft.write(COMMA),), ()))
        marks, left = [COMMA], left - 1
    leaf, words = CONJUNCTIONS[int(draft.random() * SLOTS)]
    while leaf is draft.joined:  # "because …, because …" would tire
        leaf, words = CONJUNCTIONS[int(draft.random() * SLOTS)]
    draft.joined = leaf
    position = (draft.write(leaf),)
    french += [(form, tag, position, ()) for form, tag in words]
    left -= 1
    other, more = clause_with_next(draft, left, first_share(draft, left))
    return ("S", tree, *marks, leaf, other), french + more


def clause(draft: Draft, n: int) -> Part:
    """A subject and what it does, in n ≥ 2 words."""
    begun, draft.owner = len(draft.leaves), None
    subject = pronoun(draft) if draft.known and draft.chance(0.6) else None
    if subject is None:
        subject = subject_of(draft, n)
    size = len(draft.leaves) - begun
    draft.owner = subject
    if subject.pronoun:
        draft.fresh.append(subject)
    tree, french = predicates.predicate(draft, n - size, subject)
    return ("S", subject.tree, tree), subject.french + french


def subject_of(draft: Draft, n: int) -> Phrase:
    """A subject that leaves words for the predicate of a clause of n words."""
    if n == 2 or draft.chance(0.22 if n > 3 else 0.5):
        if draft.chance(0.4):
            return speaker(draft)
        classes = NAMED if draft.chance(0.2) else PEOPLE
        return noun_phrases.one_word(draft, classes, SUBJECT)
    most = n - 1 if n < 8 else int(n * 0.6)
    size = 2 + int(draft.random() ** 2 * (most - 1))
    classes = SUBJECTS[int(draft.random() * SLOTS)]
    return noun_phrases.noun_phrase(draft, size, classes, SUBJECT)


def speaker(draft: Draft) -> Phrase:
    """i, we or you."""
    leaf, french, slot, form = SPEAKERS[int(draft.random() * 3)]
    token: Token = (french, "PRON", (draft.write(leaf),), ())
    return Phrase(("NP", leaf), [token], PEOPLE, form, slot, ())


def pronoun(draft: Draft) -> Phrase | None:
    """he, she, it, they for something in the clause before, if it is clear for what."""
    phrase = draft.antecedent(("he", "she", "it", "they"))
    if phrase is None:
        return None
    leaf: Leaf = ("PRON", phrase.pronoun)
    position = draft.write(leaf)
    draft.refer(position, phrase)
    token: Token = (PRONOUNS[phrase.form], "PRON", (position,), ())
    slot = THEY if phrase.form >= 2 else HE
    return phrase._replace(tree=("NP", leaf), french=[token], slot=slot)


RULES = Rules(modifiers.modify, predicates.predicate, clause)
