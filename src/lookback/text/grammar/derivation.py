"""A derivation, which the rules extend, and what a rule for a noun phrase returns.

The English words are written from left to right: `Derivation.write` returns the
position of the word, and French words carry such positions. Sizes are exact: a rule
that gets n writes n words, so a sentence has the length that was drawn for it.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from lookback.text.corpus import Tree
from lookback.text.grammar.french import Token
from lookback.text.grammar.lexicon import Classes, Expression, Leaf, Lexicon

Part = tuple[Tree, list[Token]]  # English parse, French words

ME, HE, WE, YOU, THEY = range(5)  # the slots of `french.PERSONS`

# The role of a noun phrase: subject, object, object of a negated verb, after a
# preposition (oblique), object of love and the like. It decides what becomes of a noun
# without article (buys cats: *des chats*, loves cats: *les chats*) and of an indefinite
# one.
SUBJECT, OBJECT, NEGATED, OBLIQUE, GENERIC = range(5)


class Phrase(NamedTuple):
    """A noun phrase: what it is in both languages, and what agrees with it.

    tree, french   English parse; French words
    classes        which verbs and adjectives it can have
    form           gender + 2 × number: the form of adjectives and participles
    slot           the person of the verb, in `french.PERSONS`
    heads          the positions of the English nouns that a pronoun for it would mean
    pronoun        he, she, it or they; empty where no pronoun may refer to it
    """

    tree: Tree
    french: list[Token]
    classes: Classes
    form: int
    slot: int
    heads: tuple[int, ...]
    pronoun: str = ""


@cache
def shifted(positions: tuple[int, ...], start: int) -> tuple[int, ...]:
    """Positions in an expression → in the sentence in which it starts at `start`."""
    return tuple(start + position for position in positions)


class Derivation:
    """One sentence while it is derived; the rules call it `d`.

    predicate     `clauses.predicate`, for relative clauses: the grammar is recursive
    leaves        the English words so far, each with its part of speech
    antecedents   (pronoun, noun) so far
    known         noun phrases of the clause before, to which pronouns may refer
    fresh         noun phrases of this clause, for the next
    owner         the subject of this clause, for his, her, its, their
    plain         no relative clauses: the time at the end would seem to be theirs
    joined        the conjunction before this clause
    """

    def __init__(
        self,
        random: Callable[[], float],
        lexicon: Lexicon,
        predicate: Callable[["Derivation", int, Phrase], Part],
    ) -> None:
        self.random, self.lexicon, self.predicate = random, lexicon, predicate
        self.leaves: list[Leaf] = []
        self.antecedents: list[tuple[int, int]] = []
        self.known: list[Phrase] = []
        self.fresh: list[Phrase] = []
        self.owner: Phrase | None = None
        self.plain = False
        self.joined: Leaf | None = None

    def write(self, leaf: Leaf) -> int:
        """Add the next English word; its position."""
        self.leaves.append(leaf)
        return len(self.leaves) - 1

    def emit(self, expression: Expression) -> list[Token]:
        """Add the English words of an expression; its French words."""
        start = len(self.leaves)
        self.leaves += expression.english
        return [
            (form, tag, shifted(sure, start), shifted(possible, start))
            for form, tag, sure, possible in expression.french
        ]

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, all as likely."""
        return low + int(self.random() * (high - low + 1))

    def add_coreference(self, position: int, phrase: Phrase) -> None:
        """Note that the pronoun at `position` refers to `phrase`."""
        self.antecedents += [(position, head) for head in phrase.heads]

    def antecedent(self, pronouns: tuple[str, ...]) -> Phrase | None:
        """The one phrase that such a pronoun could mean; None where several could."""
        found = [phrase for phrase in self.known if phrase.pronoun in pronouns]
        if not found:
            return None
        phrase = found[int(self.random() * len(found))]
        same = [other for other in found if other.pronoun == phrase.pronoun]
        return phrase if len(same) == 1 else None
