"""The corpora by name: what a recipe's `data` and the command line may ask for."""

import hashlib
import inspect
import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

from lookback.text import corpora
from lookback.text.corpora import SPLITS, Corpus, Pair, PairCorpus, TaggedCorpus
from lookback.text.tokens import tokenize, tokenize_french
from lookback.text.vocabulary import Vocabulary

from .recipe import Data, check_choice

AnyCorpus: TypeAlias = Corpus | PairCorpus | TaggedCorpus
Sentences = list[tuple[str, ...]]

NAMES = (
    "english_ewt",
    "grammar",
    "multi30k",
    "python_reference",
    "tatoeba",
    "wikitext2",
)
CHANGING = ("python_reference",)
"""Texts that differ between versions of Python."""
LICENCES = {
    "english_ewt": "UD English EWT, annotations of Stanford University, CC BY-SA 4.0",
    "tatoeba": "sentences of the authors of tatoeba.org, CC BY 2.0 FR",
    "multi30k": "captions given out for research and teaching, not commercial",
    "wikitext2": "text of the authors of Wikipedia, CC BY-SA 3.0",
}
"""What a model that learned from a text has to say of it."""
NOT_SHIPPED = ("multi30k",)
"""Texts whose models may not be given away: each reader trains them, by name."""
TOKENIZERS = {
    name: {"source": tokenize, "target": tokenize_french}
    for name in ("multi30k", "tatoeba")
}
"""How sentences that people wrote became words; those of the grammar are words."""


def corpora_names() -> list[str]:
    """What `text.corpora` offers of NAMES."""
    return [name for name in NAMES if hasattr(corpora, name)]


def corpus_reader(name: str) -> Callable[..., AnyCorpus]:
    """The function that makes or reads a corpus."""
    check_choice("corpus", name, corpora_names())
    function: Callable[..., AnyCorpus] = getattr(corpora, name)
    return function


def options(name: str) -> list[str]:
    """The names of that function's parameters."""
    return list(inspect.signature(corpus_reader(name)).parameters)


def corpus(data: Data) -> AnyCorpus:
    """The corpus of a recipe, made once for all recipes that share it."""
    return _read(data.corpus, data.options)


@cache
def _read(name: str, given: tuple[tuple[str, Any], ...]) -> AnyCorpus:
    for option, _ in given:
        check_choice(f"option of {name}", option, options(name))
    try:
        return corpus_reader(name)(**dict(given))
    except (AttributeError, TypeError) as error:
        if not given:
            raise
        raise ValueError(
            f"{name} cannot be made with {dict(given)}: {error}"
        ) from error


def english(corpus: AnyCorpus, split: str) -> Sentences:
    """The sentences of a split; of pairs, the source; of tagged ones, the words."""
    if isinstance(corpus, PairCorpus):
        return [pair.source for pair in corpus.split(split)]
    if isinstance(corpus, TaggedCorpus):
        return [sentence.words for sentence in corpus.split(split)]
    return list(corpus.split(split))


def pairs(corpus: AnyCorpus, split: str) -> tuple[Pair, ...]:
    """The pairs of a split; `ValueError` for a corpus of single sentences."""
    if not isinstance(corpus, PairCorpus):
        raise ValueError(f"this needs pairs of sentences: {corpus.name} has none")
    return corpus.split(split)


def vocabulary(sentences: Sequence[Sequence[str]], data: Data) -> Vocabulary:
    """The words that train holds often enough."""
    return Vocabulary.build(sentences, min_count=data.min_count)


def longest(corpus: AnyCorpus) -> int:
    """How many words the longest sentence of train has; of pairs, the longest source.

    A model that is given a longer one has never practised on so many.
    """
    return max(map(len, english(corpus, "train")), default=0)


def fingerprint(corpus: AnyCorpus) -> str:
    """A SHA-256 of all sentences, links and tags, split by split: which text it was."""
    digest = hashlib.sha256()
    for split in SPLITS:
        for item in corpus.split(split):
            digest.update(json.dumps(_content(item)).encode())
        digest.update(b"\0")
    return digest.hexdigest()


def fingerprint_of(data: Data) -> str:
    """That of a recipe's corpus, found once for all recipes that share it."""
    return _fingerprint(data.corpus, data.options)


@cache
def _fingerprint(name: str, given: tuple[tuple[str, Any], ...]) -> str:
    return fingerprint(_read(name, given))


def _content(item: Pair | tuple[Any, ...]) -> object:
    if isinstance(item, Pair):
        links = sorted(item.sure), sorted(item.possible)
        return [item.source, item.target, *links]
    return item
