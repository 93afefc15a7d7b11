"""The grammar corpus: pairs drawn one after another, and split by their English."""

import hashlib
import math
from dataclasses import dataclass
from random import Random

from lookback.text.corpus import Pair, PairCorpus, Tags
from lookback.text.grammar.clauses import predicate, sentence
from lookback.text.grammar.derivation import Derivation
from lookback.text.grammar.french import apply_sound_laws
from lookback.text.grammar.lexicon import Lexicon, lexicon

VERSION = "1"
SHORTEST, LONGEST = 3, 70
WIDEST = 2.0  # a wider log-normal would almost always fall outside
# All links there can be, by target and source: pairs share them, which saves memory.
# A French sentence is never twice as long as the English one may be.
LINKS = [[(s, t) for s in range(LONGEST)] for t in range(2 * LONGEST)]


@dataclass(frozen=True)
class Lengths:
    """How many words the English sentences have, the final mark counted.

    Most lengths are log-normal, which is natural but leaves few long sentences; so a
    share of them is uniform between `low` and `high`.

    mean, spread   of the logarithm of the length
    uniform        the share, 0 to 1, that is uniform from `low` to `high` instead
    shortest, longest   no length is outside
    """

    mean: float = 2.2
    spread: float = 0.5
    uniform: float = 0.1
    low: int = 12
    high: int = 66
    shortest: int = SHORTEST
    longest: int = LONGEST

    def __post_init__(self) -> None:
        bounds = (SHORTEST, self.shortest, self.low, self.high, self.longest, LONGEST)
        if [*bounds] != sorted(bounds):
            raise ValueError(
                f"expected {SHORTEST} ≤ shortest ≤ low ≤ high ≤ longest ≤ {LONGEST}, "
                f"got {self}"
            )
        likely = math.log(self.shortest) <= self.mean <= math.log(self.longest)
        if not (likely and 0 <= self.uniform <= 1 and 0 <= self.spread <= WIDEST):
            raise ValueError(
                "expected 0 ≤ uniform ≤ 1, 0 ≤ spread ≤ 2 and a mean between the "
                f"logarithms of shortest and longest, got {self}"
            )

    def draw(self, random: Random) -> int:
        """One length. What falls outside is drawn again, never cut."""
        if random.random() < self.uniform:
            return self.low + int(random.random() * (self.high - self.low + 1))
        while True:
            length = round(math.exp(random.gauss(self.mean, self.spread)))
            if self.shortest <= length <= self.longest:
                return length


def grammar(
    pairs: int = 5000,
    *,
    seed: int = 0,
    size: str = "small",
    lengths: Lengths = Lengths(),
) -> PairCorpus:
    """English–French pairs with gold alignments, parts of speech, parses, antecedents.

    pairs    how many in all; about one in ten is test and one in ten validation
    seed     whole number; the same one makes the same pairs, everywhere
    size     "small", about 450 English words, or "full", more than 800
    lengths  how long the English sentences are; see `Lengths`
    →  a `PairCorpus`. The English sentence alone decides on the split, so that none
       is in two, whatever the seed, the size and the lengths.

    Raises `ValueError` for pairs below 0, an unknown size, a seed that is no whole
    number.
    """
    if not isinstance(seed, int) or pairs < 0:
        raise ValueError(
            "expected a seed that is a whole number, and pairs that are 0 or more, "
            f"got seed={seed!r}, pairs={pairs!r}"
        )
    words, random = lexicon(size), Random(seed)
    splits: dict[str, list[Pair]] = {"train": [], "validation": [], "test": []}
    for _ in range(pairs):
        pair = draw(random, words, lengths.draw(random))
        splits[split_of(pair.source)].append(pair)
    train, validation, test = map(tuple, splits.values())
    return PairCorpus("grammar", f"{VERSION}, {size}", train, validation, test, seed)


def draw(random: Random, words: Lexicon, n: int) -> Pair:
    """One pair whose English side has n words."""
    d = Derivation(random.random, words, predicate)
    tree, french = sentence(d, n)
    tags, source = zip(*d.leaves, strict=True)
    tokens = apply_sound_laws(french)
    target, target_tags, from_surely, from_possibly = zip(*tokens, strict=True)
    sure, other = frozenset(links(from_surely)), links(from_possibly)
    return Pair(
        source,
        target,
        sure,
        sure.union(other) if other else sure,
        Tags(tags, target_tags),
        tree,
        tuple(d.antecedents),
    )


def links(origins: tuple[tuple[int, ...], ...]) -> list[tuple[int, int]]:
    """For each French word the positions that it comes from → (source, target)."""
    return [row[s] for row, positions in zip(LINKS, origins, strict=False)
            for s in positions]  # fmt: skip


def split_of(source: tuple[str, ...]) -> str:
    """One English sentence in ten is test, one validation; its hash decides."""
    digest = hashlib.blake2b(" ".join(source).encode(), digest_size=8).digest()
    tenth = int.from_bytes(digest, "big") % 10
    return {0: "test", 1: "validation"}.get(tenth, "train")
