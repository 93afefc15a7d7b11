"""The corpora by name: what a recipe's `data` and the command line may ask for."""

import hashlib
import inspect
import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

from lookback.text import corpora
from lookback.text.corpora import SPLITS, Corpus, Pair, PairCorpus
from lookback.text.tokens import tokenize, tokenize_french
from lookback.text.vocabulary import Vocabulary

from .recipes import Data, known

AnyCorpus: TypeAlias = Corpus | PairCorpus
Sentences = list[tuple[str, ...]]

NAMES = ("grammar", "multi30k", "python_reference", "tatoeba", "wikitext2")
MOVING = ("python_reference",)
"""Texts that are another with each version of Python, which is no fault of theirs."""
LICENCES = {
    "tatoeba": "sentences of the authors of tatoeba.org, CC BY 2.0 FR",
    "multi30k": "captions given out for research and teaching, not commercial",
    "wikitext2": "text of the authors of Wikipedia, CC BY-SA 3.0",
}
"""What a model that was made of a text has to say of it."""
KEPT_BACK = ("multi30k",)
"""Texts whose models are not ours to give away: who wants one makes it, by name."""
CUT = {
    name: {"source": tokenize, "target": tokenize_french}
    for name in ("multi30k", "tatoeba")
}
"""How sentences that people wrote became words; what a grammar made has no spelling."""


def names() -> list[str]:
    """What `text.corpora` offers of NAMES."""
    return [name for name in NAMES if hasattr(corpora, name)]


def maker(name: str) -> Callable[..., AnyCorpus]:
    """The function that makes or reads a corpus."""
    found: Callable[..., AnyCorpus] = getattr(corpora, known("corpus", name, names()))
    return found


def options(name: str) -> list[str]:
    """What that function can be told."""
    return list(inspect.signature(maker(name)).parameters)


def corpus(data: Data) -> AnyCorpus:
    """The corpus of a recipe, made once for all recipes that share it."""
    return _made(data.corpus, data.options)


@cache
def _made(name: str, told: tuple[tuple[str, Any], ...]) -> AnyCorpus:
    for option, _ in told:
        known(f"option of {name}", option, options(name))
    try:
        return maker(name)(**dict(told))
    except (AttributeError, TypeError) as error:
        if not told:
            raise
        raise ValueError(f"{name} cannot be made with {dict(told)}: {error}") from error


def english(found: AnyCorpus, split: str) -> Sentences:
    """The sentences of a split; of pairs, the source."""
    if isinstance(found, PairCorpus):
        return [pair.source for pair in found.split(split)]
    return list(found.split(split))


def vocabulary(sentences: Sequence[Sequence[str]], data: Data) -> Vocabulary:
    """The words that train holds often enough."""
    return Vocabulary.build(sentences, min_count=data.min_count)


def longest(found: AnyCorpus) -> int:
    """How many words the longest sentence of train has; of pairs, the longest source.

    A model that is given a longer one is asked for more than it ever practised.
    """
    return max(map(len, english(found, "train")), default=0)


def fingerprint(found: AnyCorpus) -> str:
    """A SHA-256 of all sentences and links, split by split: which text it was."""
    digest = hashlib.sha256()
    for split in SPLITS:
        for item in found.split(split):
            digest.update(json.dumps(_content(item)).encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _content(item: Pair | tuple[str, ...]) -> object:
    if isinstance(item, Pair):
        links = sorted(item.sure), sorted(item.possible)
        return [item.source, item.target, *links]
    return item
