"""BERT on real text: pre-trained on WikiText-2 and EWT's words, fine-tuned to tag EWT.

It is compared with the same network without pre-training. Words have the columns of the
window tagger: a word, its last letters and its capitals each have a row in a table, and
the rows are added. So a word that no text holds still has a vector of its letters and
capitals, and no sub-words are needed.
"""

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.bert import BERT, mask_words
from lookback.gpt import begin
from lookback.recipes.bert import TrainedConfig
from lookback.studies import window
from lookback.studies.features import ewt, grammar_text
from lookback.text.corpora import Corpus, TaggedCorpus
from lookback.window import (
    COLUMNS,
    PADDING,
    UNKNOWN,
    Lookup,
    SentenceLevelLikelihood,
)
from lookback.workshop import Data, Optimiser, Row, Study, case, corpus, seeds

WIKI = Data("wikitext2")
CLS, SEP, UNK = "<s>", "</s>", "<unk>"
PIECE = 31  # words of each half of a pair; with [CLS] and two [SEP] 65 tokens
KEPT = {"wiki": 20, "ewt": 2}  # how often a text holds a word that gets a row
DRAWN = 2000  # pairs of validation that are asked, of each kind
SIZES = TrainedConfig(
    N=2, d_model=64, h=4, d_ff=256, max_positions=192, init=0.05, dropout=0.1
)

OPTIMISER = Optimiser(
    "adamw", 2e-3, (("betas", (0.9, 0.98)),), warmup=150, decay="linear", clip=1.0
)
KINDS = ("followed", "another article", "the same article", "the wrong order")
"""Of which pairs a trained network is asked whether the second piece followed."""


class ColumnBERT(BERT):
    """A BERT whose words have columns: the rows of all tables are added.

    sizes  how many rows the table of each column has, the words' first, [MASK]'s last
    """

    def __init__(self, config: TrainedConfig, sizes: Sequence[int]) -> None:
        super().__init__(config, sizes[0])
        self.more = nn.ModuleList(nn.Embedding(V, config.d_model) for V in sizes[1:])
        begin(self, config.init)

    def embed(self, words: Tensor, segments: Tensor | None = None) -> Tensor:
        """words (B, S, K), a column for each table → (B, S, d_model)."""
        x = self.e(words[..., 0]) + self.p(words.size(1))
        for k, table in enumerate(self.more, 1):
            x = x + table(words[..., k])
        if segments is None:
            segments = torch.zeros_like(words[..., 0])
        y: Tensor = self.dropout(self.norm(x + self.s(segments)))
        return y


@dataclass(frozen=True)
class Pretraining:
    """How a BERT is pre-trained on real text: masked words and NSP."""

    model: TrainedConfig = SIZES
    steps: int = 3000
    pairs: int = 16
    seed: int = 0
    optimiser: Optimiser = OPTIMISER


class Piece(NamedTuple):
    """PIECE words in a row, (PIECE, K), and the article that they are from."""

    x: Tensor
    article: int


@dataclass(frozen=True)
class Pretrained:
    """What was pre-trained, its words, and what the training said."""

    network: ColumnBERT
    lookup: Lookup
    curve: list[list[float]]
    seconds: float


def wiki() -> Corpus:
    text = corpus(WIKI)
    assert isinstance(text, Corpus)
    return text


@cache
def words_of_both() -> Lookup:
    """The words that WikiText-2 or EWT's train holds often enough; [CLS] and [SEP]."""
    texts = {
        "wiki": wiki().train,
        "ewt": tuple(sentence.words for sentence in ewt().train),
    }
    types, kept = dict.fromkeys((CLS, SEP)), {CLS: 2, SEP: 3}
    for name, sentences in texts.items():
        count = Counter(word.lower() for words in sentences for word in words)
        types |= dict.fromkeys(word for words in sentences for word in words)
        for word, n in count.items():
            if n >= KEPT[name] and word != UNK:
                kept.setdefault(word, len(kept) + 2)
    types.pop(UNK, None)
    lookup = Lookup([list(types)])
    lookup.tables[0] = kept
    return lookup


def pieces(articles: Sequence[Sequence[str]], lookup: Lookup) -> list[Piece]:
    """Each article cut into pieces, one after the other; its rest is left out."""
    return [
        Piece(piece, number)
        for number, words in enumerate(articles)
        if len(words) >= PIECE
        for piece in torch.split(lookup([words])[0], PIECE)
        if len(piece) == PIECE
    ]


def wiki_articles(split: str) -> list[list[str]]:
    """The words of each article: the next title, between equals signs, begins one."""
    text, found = wiki(), list[list[str]]()
    known = frozenset(text.vocabulary)
    titles = iter([f"= {title} =".split() for title in text.topics[split]])
    begins = [word if word in known else UNK for word in next(titles)]
    for words in text.split(split):
        if list(words) == begins:
            found.append([])
            begins = [word if word in known else UNK for word in next(titles, ())]
        found[-1] += words
    return found


def read(split: str) -> list[list[Piece]]:
    """The pieces of WikiText-2, and of EWT's words, which are one article."""
    lookup = words_of_both()
    sentences = [sentence.words for sentence in ewt().split(split)]
    running = [word for words in sentences for word in words]
    return [pieces(wiki_articles(split), lookup), pieces([running], lookup)]


def token(lookup: Lookup, name: str) -> Tensor:
    """The columns (1, K) of [CLS] or [SEP]."""
    return lookup([[name]])[0]


def pair(first: Tensor, second: Tensor, lookup: Lookup) -> Tensor:
    """[CLS] first [SEP] second [SEP]: (2 PIECE + 3, K)."""
    cls, sep = token(lookup, CLS), token(lookup, SEP)
    return torch.cat([cls, first, sep, second, sep])


SEGMENTS = torch.tensor([0] * (PIECE + 2) + [1] * (PIECE + 1))


def pairs(
    text: Sequence[Piece], n: int, generator: torch.Generator, lookup: Lookup
) -> tuple[Tensor, Tensor]:
    """n pairs (n, 2 PIECE + 3, K), and (n,) whether the second piece followed."""
    follows = torch.rand(n, generator=generator) < 0.5
    rows = []
    for i in range(n):
        k = next_to(text, generator)
        other = int(torch.randint(len(text), (1,), generator=generator))
        rows.append(pair(text[k].x, text[k + 1 if follows[i] else other].x, lookup))
    return torch.stack(rows), follows.long()


def next_to(text: Sequence[Piece], generator: torch.Generator) -> int:
    """The index of a piece that another one of its article follows."""
    while True:
        k = int(torch.randint(len(text) - 1, (1,), generator=generator))
        if text[k].article == text[k + 1].article:
            return k


def masked(
    x: Tensor, lookup: Lookup, mask_row: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """x (B, S, K) with masked words, and where they are. A random word is one of x.

    In its own column a masked word is [MASK]; in the others it is no word at all.
    """
    B, S, K = x.shape
    places = torch.arange(1, B * S + 1).view(B, S)
    known = (x[..., 0] > UNKNOWN) & (x[..., 0] > lookup.tables[0][SEP])
    drawn = mask_words(
        places, known, mask_id=0, first=1, V=B * S + 1, generator=generator
    )
    nothing = torch.full((1, K), PADDING)
    nothing[0, 0] = mask_row
    return torch.cat([nothing, x.flatten(0, 1)])[drawn.read], drawn.chosen


@cache
def pretrained_on_text(how: Pretraining) -> Pretrained:
    """A BERT that has read WikiText-2 and EWT's train; a tenth of it from EWT."""
    began, lookup = time.process_time(), words_of_both()
    generator, mask_row = seeds.generator(how.seed), lookup.sizes[0]
    with seeds.seeded(how.seed):
        network = ColumnBERT(how.model, (mask_row + 1, *lookup.sizes[1:])).train()
        optimiser = how.optimiser.over(network.parameters())
        texts, curve, sums = read("train"), list[list[float]](), torch.zeros(2)
        for step in range(1, how.steps + 1):
            text = texts[step % 6 == 0]  # EWT has a sixth of the words of both
            words, follows = pairs(text, how.pairs, generator, lookup)
            losses = both_losses(network, words, follows, lookup, generator)
            for group in optimiser.param_groups:
                group["lr"] = how.optimiser.rate * how.optimiser.factor(step, how.steps)
            optimiser.zero_grad()
            losses.sum().backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), how.optimiser.clip or 1)
            optimiser.step()
            sums += losses.detach()
            if step % 100 == 0:
                curve.append([step, *(sums / 100).tolist()])
                sums.zero_()
    seconds = time.process_time() - began
    return Pretrained(network.eval(), lookup, curve, seconds)


def both_losses(
    network: ColumnBERT,
    words: Tensor,
    follows: Tensor,
    lookup: Lookup,
    generator: torch.Generator,
) -> Tensor:
    """(2,): the loss of masked words, and of whether the second piece followed."""
    given, chosen = masked(words, lookup, lookup.sizes[0], generator)
    mask = torch.ones_like(chosen)
    x, _ = network.states(given, mask, SEGMENTS.expand_as(mask))
    of_words = cross_entropy(network.scores(x[chosen]), words[..., 0][chosen])
    of_pairs = cross_entropy(network.W_N(network.pooled(x)), follows)
    return torch.stack([of_words, of_pairs])


class BERTTagger(nn.Module):
    """softmax(T_i W_y + b_y) of each word between [CLS] and [SEP]."""

    def __init__(self, bert: ColumnBERT, lookup: Lookup, C: int) -> None:
        super().__init__()
        self.bert = bert
        self.dropout = nn.Dropout(bert.config.dropout)
        self.W_y = nn.Linear(bert.config.d_model, C)
        self.register_buffer("cls", token(lookup, CLS), persistent=False)
        self.register_buffer("sep", token(lookup, SEP), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, K) → f (B, T, C), the score of each tag of each word."""
        B, T, K = x.shape
        length = (x[..., 0] != PADDING).sum(dim=1)
        cls, sep = self.get_buffer("cls"), self.get_buffer("sep")
        edge = x.new_full((B, 1, K), PADDING)
        framed = torch.cat([cls.expand(B, 1, K), x, edge], dim=1)
        framed[torch.arange(B), length + 1] = sep.expand(B, K)
        states, _ = self.bert.states(framed, framed[..., 0] != PADDING)
        scores: Tensor = self.W_y(self.dropout(states[:, 1 : T + 1]))
        return scores


@dataclass(frozen=True)
class BERTTagging:
    """How it is fine-tuned: Adam, its rate falling to 0 in a straight line.

    pretraining  what it begins as; None: the same network, randomly initialised, and
                 with rows for the words of its own labels alone
    labels       sentences of train that it learns from; None: all
    words        of a batch, or a few more
    """

    pretraining: Pretraining | None = None
    labels: int | None = None
    epochs: int = 5
    rate: float = 1e-3
    words: int = 500
    seed: int = 0
    model: TrainedConfig = SIZES

    def learn(self, text: TaggedCorpus) -> "Tagger":
        """The tagger of the first `labels` sentences, in an order that is drawn."""
        generator = seeds.generator(self.seed)
        order = torch.randperm(len(text.train), generator=generator).tolist()
        chosen = [text.train[k] for k in order[: self.labels]]
        tagger = self.made(text, [sentence.words for sentence in chosen])
        batches = [tagger.batch(some) for some in window.by_length(chosen, self.words)]
        optimiser = torch.optim.Adam(tagger.network.parameters(), lr=self.rate)
        steps, step = self.epochs * len(batches), 0
        tagger.network.train()
        with seeds.seeded(self.seed + 1):
            for _ in range(self.epochs):
                for i in torch.randperm(len(batches), generator=generator).tolist():
                    x, y, mask = batches[i]
                    f = tagger.network(tagger.lookup.forget(x, 0.5, generator))
                    factor = min((step + 1) / (0.1 * steps), 1 - step / steps)
                    optimiser.param_groups[0]["lr"] = self.rate * min(1.0, factor)
                    loss = tagger.loss(f, y, mask)
                    optimiser.zero_grad()
                    loss.backward()  # type: ignore[no-untyped-call]
                    nn.utils.clip_grad_norm_(tagger.network.parameters(), 1.0)
                    optimiser.step()
                    step += 1
        tagger.network.eval()
        return tagger

    def prepare(self) -> None:
        """Pre-train, once for all seeds: its seconds are not the tagger's."""
        if self.pretraining is not None:
            pretrained_on_text(self.pretraining)

    def made(self, text: TaggedCorpus, read: Sequence[Sequence[str]]) -> "Tagger":
        """The tagger before its first label."""
        C = len(text.tags)
        if self.pretraining is None:
            lookup = Lookup([[CLS, SEP, CLS, SEP], *read])
            with seeds.seeded(self.seed):
                bert = ColumnBERT(self.model, lookup.sizes)
                return Tagger.of(BERTTagger(bert, lookup, C), lookup, text)
        begun = pretrained_on_text(self.pretraining)
        with seeds.seeded(self.seed):
            sizes = (begun.lookup.sizes[0] + 1, *begun.lookup.sizes[1:])
            bert = ColumnBERT(self.model, sizes)
            bert.load_state_dict(begun.network.state_dict())
            tagger = BERTTagger(bert, begun.lookup, C)
        return Tagger.of(tagger, once_in(begun.lookup, read), text)


class Tagger(window.Tagger):
    """As the window's, each word by itself."""

    network: nn.Module  # type: ignore[assignment]

    @classmethod
    def of(cls, network: nn.Module, lookup: Lookup, text: TaggedCorpus) -> "Tagger":
        unused = SentenceLevelLikelihood(len(text.tags))
        return cls(lookup, network, unused, text.tags, "word")  # type: ignore[arg-type]


def once_in(lookup: Lookup, read: Sequence[Sequence[str]]) -> Lookup:
    """The lookup, with those words rare that `read` holds once."""
    same = Lookup([[CLS]], tuple(COLUMNS))
    same.tables = lookup.tables
    count = Counter(word.lower() for words in read for word in words)
    same.rare = torch.zeros(lookup.sizes[0], dtype=torch.bool)
    once = [n for word, n in lookup.tables[0].items() if count[word] == 1]
    same.rare[once] = True
    return same


@torch.no_grad()
def following(begun: Pretrained) -> Row:
    """How often "it followed" is said of pairs of the validation text, in percent.

    Of true pairs, of pieces of two articles, of pieces of one article that are not
    neighbours, and of neighbours in the wrong order. And what a rule that counts words
    which both pieces hold says of the first two, its threshold the best on them.
    """
    text, generator = read("validation")[0], seeds.generator(1)
    rows: dict[str, list[Tensor]] = {name: [] for name in KINDS}
    for _ in range(DRAWN):
        k = next_to(text, generator)
        same = [i for i, p in enumerate(text) if p.article == text[k].article]
        far = [i for i in same if abs(i - k) > 1] or same
        other = int(torch.randint(len(text), (1,), generator=generator))
        while text[other].article == text[k].article:
            other = int(torch.randint(len(text), (1,), generator=generator))
        at = far[int(torch.randint(len(far), (1,), generator=generator))]
        for name, (one, two) in zip(
            KINDS, ((k, k + 1), (k, other), (k, at), (k + 1, k)), strict=True
        ):
            rows[name].append(pair(text[one].x, text[two].x, begun.lookup))
    row: Row = {}
    for name, drawn in rows.items():
        yes = 0
        for some in torch.split(torch.stack(drawn), 100):
            mask = torch.ones_like(some[..., 0], dtype=torch.bool)
            x, _ = begun.network.states(some, mask, SEGMENTS.expand_as(mask))
            scores = begun.network.W_N(begun.network.pooled(x))
            yes += int(scores.argmax(dim=1).sum())
        row[name] = 100 * yes / DRAWN
    shared = [shared_words(torch.stack(rows[name])) for name in KINDS[:2]]
    row["shared words, best"] = max(
        50 * float((shared[0] >= t).mean() + (shared[1] < t).mean())
        for t in range(1, 15)
    )
    return row


def shared_words(drawn: Tensor) -> NDArray[np.int64]:
    """(n,): how many different words, the hundred most frequent aside, both hold."""
    ids, often = drawn[..., 0], frequent()
    halves = ids[:, 1 : PIECE + 1].tolist(), ids[:, PIECE + 2 : -1].tolist()
    return np.array([len({*a} & {*b} - often) for a, b in zip(*halves, strict=True)])


@cache
def frequent() -> frozenset[int]:
    """The ids of the hundred words that WikiText-2 holds most often, and of none."""
    lookup = words_of_both()
    count = Counter(word.lower() for words in wiki().train for word in words)
    often = [lookup.tables[0].get(word, UNKNOWN) for word, _ in count.most_common(100)]
    return frozenset({PADDING, UNKNOWN, *often})


def frequency_perplexity(more: float = 1.0) -> list[float]:
    """Of the words of `masked_perplexity`, by their shares of both training texts.

    more  what is added to how often training holds each
    Only words that may be masked are counted: no [CLS], no [SEP], none without a row.
    """
    lookup, found = words_of_both(), []
    seen = torch.cat([piece.x[:, 0] for text in read("train") for piece in text])
    count = torch.bincount(seen, minlength=lookup.sizes[0]).double() + more
    count[: lookup.tables[0][SEP] + 1] = 0
    nats = (count.sum() / count).log()
    for text in read("validation"):
        generator, total = seeds.generator(0), list[float]()
        for _ in range(30):
            words, _ = pairs(text, 16, generator, lookup)
            _, chosen = masked(words, lookup, lookup.sizes[0], generator)
            total.append(float(nats[words[..., 0][chosen]].mean()))
        found.append(math.exp(sum(total) / len(total)))
    return found


@torch.no_grad()
def masked_perplexity(begun: Pretrained) -> list[float]:
    """Of masked words of the validation texts: of WikiText-2, and of EWT."""
    found = []
    for text in read("validation"):
        generator, total = seeds.generator(0), list[float]()
        for _ in range(30):
            words, follows = pairs(text, 16, generator, begun.lookup)
            total.append(
                float(
                    both_losses(begun.network, words, follows, begun.lookup, generator)[
                        0
                    ]
                )
            )
        found.append(math.exp(sum(total) / len(total)))
    return found


def measured(tagger: BERTTagging) -> Row:
    """Accuracy on validation and test of English EWT, once it is pre-trained."""
    tagger.prepare()
    return window.scores(tagger, ewt())


def pretraining(how: Pretraining) -> Row:
    """What the pre-training itself cost, and what it learned."""
    begun = pretrained_on_text(how)
    return {
        "parameters": sum(p.numel() for p in begun.network.parameters()),
        "seconds": begun.seconds,
        "words": begun.lookup.sizes[0],
        "tokens read": how.steps * how.pairs * (2 * PIECE + 3),
        "curve": begun.curve,
        "masked perplexity": masked_perplexity(begun),
        **following(begun),
    }


def frequencies() -> Row:
    """What predicts masked words by how often training holds each."""
    return {"masked perplexity": frequency_perplexity()}


EPOCHS = {1000: 10, 100: 30}
"""Sentences with tags → epochs, the same with pre-training and without."""
SEEDS = (0, 1, 2)
ON_TEXT = Pretraining()
RATES = {"pre-trained": 3e-3, "from scratch": 1e-3}
"""The better of 1e-3 and 3e-3 on validation, 1 000 sentences, the first seed."""
BEGINNINGS = {"pre-trained": ON_TEXT, "from scratch": None}
TAGGERS = {
    "BERT, not pre-trained": BERTTagging(None, None, 3, RATES["from scratch"]),
    "BERT": BERTTagging(ON_TEXT, None, 3, RATES["pre-trained"]),
}
"""With all tags: the rows of the running table."""


def on_grammar(tagger: BERTTagging, pairs: int) -> Row:
    """The same of the tags of our own grammar."""
    return window.scores(tagger, grammar_text(pairs))


STUDY = Study(
    about="BERT as a tagger of English EWT, pre-trained on real text and not",
    cases={
        "pre-training": case(pretraining, how=ON_TEXT),
        "frequencies": case(frequencies),
        **{
            f"{name}, {labels} labels, seed {seed}": case(
                measured,
                tagger=BERTTagging(begun, labels, epochs, RATES[name], seed=seed),
            )
            for labels, epochs in EPOCHS.items()
            for name, begun in BEGINNINGS.items()
            for seed in SEEDS
        },
    },
    check=case(on_grammar, tagger=BERTTagging(None, labels=50, epochs=1), pairs=200),
)
