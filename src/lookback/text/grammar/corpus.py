"""The grammar corpus: pairs drawn one after another, and split by their English."""

import hashlib
from random import Random

from lookback.text.grammar.clauses import RULES, sentence
from lookback.text.grammar.draft import Draft
from lookback.text.grammar.lexicon import Lexicon, lexicon
from lookback.text.grammar.sampling import LONGEST, Lengths
from lookback.text.grammar.surface import speak
from lookback.text.pairs import Pair, PairCorpus, Tags

VERSION = "1"
# All links there can be, by target and source: pairs share them, which saves memory.
# A French sentence is never twice as long as the English one may be.
LINKS = [[(s, t) for s in range(LONGEST)] for t in range(2 * LONGEST)]


def grammar(
    pairs: int = 5000,
    *,
    seed: int = 0,
    size: str = "small",
    lengths: Lengths | None = None,
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
    lengths = Lengths() if lengths is None else lengths
    check(pairs, seed, lengths)
    words = lexicon(size)
    found: dict[str, list[Pair]] = {"train": [], "validation": [], "test": []}
    random = Random(seed)
    for _ in range(pairs):
        pair = draw(random, words, lengths.draw(random))
        found[split_of(pair.source)].append(pair)
    splits = {name: tuple(kept) for name, kept in found.items()}
    return PairCorpus("grammar", f"{VERSION}, {size}", **splits, seed=seed)


def check(pairs: int, seed: int, lengths: Lengths) -> None:
    for name, value in (("pairs", pairs), ("seed", seed)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"{name} must be a whole number, got {value!r}")
    if not isinstance(lengths, Lengths):
        raise ValueError(f"lengths must be Lengths(…), got {lengths!r}")
    if pairs < 0:
        raise ValueError(f"pairs must be 0 or more, got {pairs}")


def draw(random: Random, words: Lexicon, n: int, sheet: type[Draft] = Draft) -> Pair:
    """One pair whose English side has n words."""
    draft = sheet(random.random, words, RULES)
    tree, french = sentence(draft, n)
    tags, source = zip(*draft.leaves, strict=True)
    tokens = speak(french)
    target, target_tags, from_surely, from_possibly = zip(*tokens, strict=True)
    sure, other = frozenset(links(from_surely)), links(from_possibly)
    return Pair(
        source,
        target,
        sure,
        sure.union(other) if other else sure,
        Tags(tags, target_tags),
        tree,
        tuple(draft.antecedents),
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
