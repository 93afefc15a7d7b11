"""BERT beside GPT: gaps filled and labels needed, and real text, where ours fails.

Both read the grammar, the same words in as many updates, and are asked for the same
masked words. Then they are fine-tuned: "does the verb agree?", as in the study `gpt`.

On real text a BERT is pre-trained on WikiText-2 and EWT's words, and fine-tuned to tag
EWT. Its words have the columns of the window tagger: a word, its last letters and its
capitals each have a row in a table, and the rows are added.
"""

import copy
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.bert import BERT, BERTConfig, TokenClassifier, join, mask_words
from lookback.gpt import init_weights
from lookback.recipes.bert import (
    EVALUATION_TOKENS,
    MASK,
    BERTLearner,
    Kinds,
    on_grammar,
    task,
)
from lookback.recipes.gpt import GPTLearner, on_text
from lookback.text.batches import pad, sentence_batches
from lookback.text.corpora import Corpus, TaggedCorpus
from lookback.text.vocabulary import Vocabulary
from lookback.trainer import seeds
from lookback.trainer.checkpoint import pretrained
from lookback.trainer.data import corpus, english
from lookback.trainer.language import TEXTS
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import (
    Budget,
    Data,
    Optimiser,
    Recipe,
    recipe,
    smoke_recipe,
)
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.window import COLUMNS, PADDING, UNKNOWN, Lookup, SentenceLevelLikelihood

from . import gpt, window
from .features import ewt, grammar_text

SEEDS = (0, 1, 2)

# --- pre-training on the grammar: gaps, and labels after it

SENTENCES = 400  # of the test, in which words are to be predicted
MASKED: Kinds = (1.0, 0.0, 0.0)  # each chosen word is read as [MASK]
AS_IT_IS: Kinds = (0.0, 0.0, 1.0)
LABELS, DRAWS = (100, 300, 1000), (0, 1, 2)
FINE_TUNING = Optimiser(
    "adamw",
    1e-3,
    (("betas", (0.9, 0.95)),),
    warmup=20,
    decay="linear",
    clip=gpt.CLIP,
)
SHORT, LONG = on_text("grammar").budget, on_grammar().budget


def measured(pretraining: Recipe[Any], labels: Sequence[int] = LABELS) -> Row:
    """Pre-train, fill gaps, then fine-tune; a shipped model is not trained again.

    words read, gaps  how many
    perplexity, hits  of the gaps; hits: right ones, where BERT reads [MASK] and GPT
                      nothing from there on
    as it is          right ones where BERT reads the word itself
    right             right answers of 1 000, for each number of labels and each draw
    """
    learner: Any
    if pretraining == recipe("bert"):
        learner = pretrained("bert", kind=BERTLearner)
    elif pretraining == recipe("gpt"):
        learner = pretrained("gpt", kind=GPTLearner)
    else:
        learner = train_recipe(pretraining)
    row = {"words read": words_read(pretraining), **filled(learner)}
    if isinstance(learner, BERTLearner):
        row["as it is"] = filled(learner, AS_IT_IS)["hits"]
    asked = right if isinstance(learner, BERTLearner) else gpt.right
    row["right"] = [[asked(learner, n, draw) for draw in DRAWS] for n in labels]
    return row


def words_read(pretraining: Recipe[Any]) -> int:
    """Words and ends of sentences in all steps, from the mean batch of an epoch."""
    text, budget = english(corpus(pretraining.data), "train"), pretraining.budget
    words = pretrained("bert", kind=BERTLearner).vocabularies["words"]
    sizes = [b.tokens for b in sentence_batches(text, words, tokens=budget.tokens)]
    return round(budget.steps * sum(sizes) / len(sizes))


@torch.no_grad()
def filled(learner: Any, read: Kinds = MASKED) -> Row:
    """Of the masked words of the test: how many, their perplexity, how many are right.

    GPT reads the words before, none of them masked.
    """
    own = words = learner.vocabularies["words"]
    if not isinstance(learner, BERTLearner):  # it has all words of BERT's but [MASK]
        words = pretrained("bert", kind=BERTLearner).vocabularies["words"]
        after = words.ids([MASK])[0] + 1
        same = torch.tensor([0, 1, 2, 3, 1, *own.ids(words.entries[after:])])
    nats, hits, n, generator = 0.0, 0, 0, seeds.generator(0)
    text = english(corpus(TEXTS["grammar"]), "test")[:SENTENCES]
    for batch in sentence_batches(text, words, tokens=EVALUATION_TOKENS):
        given = task(batch, words, generator, read)
        if isinstance(learner, BERTLearner):
            logits = learner.network(given.read, given.mask)[0][given.chosen]
            hidden = given.words[given.chosen]
        else:
            ids, gap = same[given.words], given.chosen[:, 1:]
            logits, hidden = learner.network(ids[:, :-1])[0][gap], ids[:, 1:][gap]
        nats += cross_entropy(logits, hidden, reduction="sum").item()
        hits += int((logits.argmax(dim=-1) == hidden).sum())
        n += len(hidden)
    return {"gaps": n, "perplexity": math.exp(nats / n), "hits": hits}


def right(learner: BERTLearner, labels: int, draw: int) -> int:
    """Fine-tune a copy; right answers of 1 000. BERT reads the verb, as a tagger does.

    draw  the seed of the new matrices, of the choice of examples and of their order
    """
    words = learner.vocabularies["words"]
    with seeds.seeded(draw):
        classifier = TokenClassifier(copy.deepcopy(learner.network), 2)

    def scores(some: Sequence[gpt.Example]) -> tuple[Tensor, Tensor]:
        ids, mask, verb, truth = batch(some, words)
        return classifier(ids, mask)[torch.arange(len(ids)), verb], truth

    def loss(some: Sequence[gpt.Example]) -> Tensor:
        return cross_entropy(*scores(some))

    gpt.train(classifier, loss, labels, draw, optimiser=FINE_TUNING)
    return gpt.scored(scores)


def batch(some: Sequence[gpt.Example], words: Vocabulary) -> tuple[Tensor, ...]:
    """ids (B, S): <s>, the words, </s>; mask (B, S); index of the verb; labels (B,)."""
    rows = [
        join(words.ids(one.words), start=words.start, end=words.end)[0] for one in some
    ]
    ids, mask = pad(rows, words.pad)
    labels = torch.tensor([one.agrees for one in some])
    return ids, mask, mask.sum(dim=1) - 2, labels


def pretraining(model: str, updates: int, seed: int) -> Setting:
    """The recipe of a setting; with as many words in a batch as BERT's or GPT's has."""
    budget = SHORT if updates == SHORT.steps else LONG
    if model != "GPT":
        kinds = {"kinds": MASKED} if model == "BERT, [MASK] alone" else {}
        made = on_grammar(seed, budget.steps, budget.tokens, **kinds)
        return {"pretraining": made}
    short = on_text("grammar", seed)
    if budget is SHORT:
        return {"pretraining": short}
    assert short.optimiser
    longer = replace(
        short,
        optimiser=replace(short.optimiser, warmup=LONG.steps // 20),
        budget=Budget(LONG.steps, LONG.tokens, evaluate_every=LONG.evaluate_every),
    )
    return {"pretraining": longer}


def untrained(labels: int, seed: int) -> Row:
    """Fine-tune random weights: right answers of 1 000."""
    learner = BERTLearner(replace(recipe("bert"), seed=seed))
    learner.vocabularies = pretrained("bert", kind=BERTLearner).vocabularies
    network: Any = learner.untrained(learner.vocabularies)
    learner.network = network
    return {"right": right(learner, labels, seed)}


# --- real text

WIKI = Data("wikitext2")
CLS, SEP, UNK = "<s>", "</s>", "<unk>"
PIECE = 31  # words of each half of a pair; with [CLS] and two [SEP] 65 tokens
KEPT = {"wiki": 20, "ewt": 2}  # how often a text holds a word that gets a row
SEGMENTS = torch.tensor([0] * (PIECE + 2) + [1] * (PIECE + 1))
SIZES = BERTConfig(
    N=2, d_model=64, h=4, d_ff=256, max_positions=192, init=0.05, dropout=0.1
)
OPTIMISER = Optimiser(
    "adamw", 2e-3, (("betas", (0.9, 0.98)),), warmup=150, decay="linear", clip=1.0
)


class ColumnBERT(BERT):
    """A BERT whose words have columns: the rows of all tables are added.

    sizes  how many rows the table of each column has, the words' first, [MASK]'s last
    """

    def __init__(self, config: BERTConfig, sizes: Sequence[int]) -> None:
        super().__init__(config, sizes[0])
        self.more = nn.ModuleList(nn.Embedding(V, config.d_model) for V in sizes[1:])
        init_weights(self, config.init)

    def embed(self, words: Tensor, segments: Tensor | None = None) -> Tensor:
        """words (B, S, K), a column for each table → (B, S, d_model)."""
        x = self.e(words[..., 0]) + self.p(words.size(1))
        for k, table in enumerate(self.more, 1):
            x = x + table(words[..., k])
        if segments is None:
            segments = torch.zeros_like(words[..., 0])
        y: Tensor = self.dropout(self.norm(x + self.s(segments)))
        return y


class Piece(NamedTuple):
    """PIECE words in a row, (PIECE, K), and the article that they are from."""

    x: Tensor
    article: int


@cache
def words_of_both() -> Lookup:
    """The words that WikiText-2 or EWT's train holds often enough; [CLS] and [SEP]."""
    texts = {"wiki": wiki().train, "ewt": tuple(s.words for s in ewt().train)}
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


def wiki() -> Corpus:
    text = corpus(WIKI)
    assert isinstance(text, Corpus)
    return text


def articles(split: str) -> list[list[str]]:
    """The words of each article: the next title, between equals signs, begins one."""
    text, found = wiki(), list[list[str]]()
    known = frozenset(text.vocabulary)
    titles = [f"= {title} =".split() for title in text.topics[split]]
    begins = [[word if word in known else UNK for word in title] for title in titles]
    for words in text.split(split):
        if len(found) < len(begins) and list(words) == begins[len(found)]:
            found.append([])
        found[-1] += words
    return found


def read(split: str) -> list[list[Piece]]:
    """The pieces of WikiText-2, and of EWT's words, which are one article."""
    running = [word for sentence in ewt().split(split) for word in sentence.words]
    return [
        [
            Piece(piece, number)
            for number, words in enumerate(some)
            for piece in torch.split(words_of_both()([words])[0], PIECE)
            if len(piece) == PIECE
        ]
        for some in (articles(split), [running])
    ]


def pairs(
    text: Sequence[Piece], n: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """[CLS] piece [SEP] piece [SEP] (n, 2 PIECE + 3, K); did the second follow? (n,)"""
    cls, sep = (words_of_both()([[name]])[0] for name in (CLS, SEP))
    follows, rows = torch.rand(n, generator=generator) < 0.5, []
    for i in range(n):
        k = -1
        while k < 0 or text[k].article != text[k + 1].article:
            k = int(torch.randint(len(text) - 1, (1,), generator=generator))
        other = int(torch.randint(len(text), (1,), generator=generator))
        second = text[k + 1 if follows[i] else other].x
        rows.append(torch.cat([cls, text[k].x, sep, second, sep]))
    return torch.stack(rows), follows.long()


def masked(x: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """x (B, S, K) with masked words, and where they are. A random word is one of x.

    In its own column a masked word is [MASK]; in the others it is no word at all.
    """
    (B, S, K), lookup = x.shape, words_of_both()
    places = torch.arange(1, B * S + 1).view(B, S)
    known = x[..., 0] > max(UNKNOWN, lookup.tables[0][SEP])
    drawn = mask_words(
        places, known, mask_id=0, first=1, V=B * S + 1, generator=generator
    )
    nothing = torch.full((1, K), PADDING)
    nothing[0, 0] = lookup.sizes[0]
    return torch.cat([nothing, x.flatten(0, 1)])[drawn.read], drawn.chosen


def losses(
    network: ColumnBERT, x: Tensor, follows: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """The loss of masked words; whether the second piece followed; the masked words."""
    given, chosen = masked(x, generator)
    mask, hidden = torch.ones_like(chosen), x[..., 0][chosen]
    y, _ = network.states(given, mask, SEGMENTS.expand_as(mask))
    of_pairs = cross_entropy(network.W_N(network.pooled(y)), follows)
    return cross_entropy(network.scores(y[chosen]), hidden), of_pairs, hidden


@dataclass(frozen=True)
class Pretraining:
    """How a BERT is pre-trained on real text: masked words and NSP."""

    model: BERTConfig = SIZES
    steps: int = 3000
    pairs: int = 16
    seed: int = 0
    optimiser: Optimiser = OPTIMISER


@cache
def pretrained_on_text(how: Pretraining) -> tuple[ColumnBERT, float]:
    """Read WikiText-2 and EWT's train, a sixth of the steps EWT; its seconds."""
    began, sizes = time.process_time(), words_of_both().sizes
    generator = seeds.generator(how.seed)
    with seeds.seeded(how.seed):
        network = ColumnBERT(how.model, (sizes[0] + 1, *sizes[1:])).train()
        optimiser, texts = how.optimiser.over(network.parameters()), read("train")
        for step in range(1, how.steps + 1):
            some = pairs(texts[step % 6 == 0], how.pairs, generator)
            of_words, of_pairs, _ = losses(network, *some, generator)
            for group in optimiser.param_groups:
                group["lr"] = how.optimiser.rate * how.optimiser.factor(step, how.steps)
            optimiser.zero_grad()
            (of_words + of_pairs).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), how.optimiser.clip or 1)
            optimiser.step()
    return network.eval(), time.process_time() - began


class BERTTagger(nn.Module):
    """softmax(T_i W_y + b_y) of each word between [CLS] and [SEP]."""

    def __init__(self, bert: ColumnBERT, lookup: Lookup, C: int) -> None:
        super().__init__()
        self.bert = bert
        self.dropout = nn.Dropout(bert.config.dropout)
        self.W_y = nn.Linear(bert.config.d_model, C)
        self.edges = [lookup([[name]])[0] for name in (CLS, SEP)]

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, K) → f (B, T, C), the score of each tag of each word."""
        B, T, K = x.shape
        (cls, sep), length = self.edges, (x[..., 0] != PADDING).sum(dim=1)
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
    model: BERTConfig = SIZES

    def learn(self, text: TaggedCorpus) -> window.Tagger:
        """The tagger of the first `labels` sentences, in an order that is drawn."""
        generator = seeds.generator(self.seed)
        order = torch.randperm(len(text.train), generator=generator).tolist()
        chosen = [text.train[k] for k in order[: self.labels]]
        tagger = self.begun(text, [sentence.words for sentence in chosen])
        batches = [tagger.batch(some) for some in window.by_length(chosen, self.words)]
        optimiser = torch.optim.Adam(tagger.network.parameters(), lr=self.rate)
        steps, step = self.epochs * len(batches), 0
        tagger.network.train()
        with seeds.seeded(self.seed + 1):
            for _ in range(self.epochs):
                for i in torch.randperm(len(batches), generator=generator).tolist():
                    x, y, mask = batches[i]
                    f = tagger.network(tagger.lookup.word_dropout(x, 0.5, generator))
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

    def begun(self, text: TaggedCorpus, read: Sequence[Sequence[str]]) -> window.Tagger:
        """The tagger before its first label."""
        C = len(text.tags)
        if self.pretraining is None:
            lookup = Lookup([[CLS, SEP, CLS, SEP], *read])
            with seeds.seeded(self.seed):
                bert = ColumnBERT(self.model, lookup.sizes)
                network = BERTTagger(bert, lookup, C)
        else:
            begun, _ = pretrained_on_text(self.pretraining)
            known, lookup = words_of_both(), Lookup([[CLS]], tuple(COLUMNS))
            count = Counter(word.lower() for words in read for word in words)
            once = [n for word, n in known.tables[0].items() if count[word] == 1]
            lookup.tables, lookup.rare = known.tables, torch.zeros(known.sizes[0]) > 0
            lookup.rare[once] = True
            with seeds.seeded(self.seed):
                bert = ColumnBERT(self.model, (known.sizes[0] + 1, *known.sizes[1:]))
                bert.load_state_dict(begun.state_dict())
                network = BERTTagger(bert, lookup, C)
        unused: Any = SentenceLevelLikelihood(C)
        made: Any = network
        return window.Tagger(lookup, made, unused, text.tags, "word")


@torch.no_grad()
def real_text() -> Row:
    """Pre-train on real text: the seconds, and the tokens read.

    masked perplexity  of masked words of WikiText-2's validation
    by frequency       the same, by how often training holds each word, plus one
    """
    how = Pretraining()
    with torch.enable_grad():
        network, seconds = pretrained_on_text(how)
    lookup, generator = words_of_both(), seeds.generator(0)
    text, _ = read("validation")
    seen = torch.cat([piece.x[:, 0] for some in read("train") for piece in some])
    count = torch.bincount(seen, minlength=lookup.sizes[0]).double() + 1
    count[: lookup.tables[0][SEP] + 1] = 0  # may not be masked
    nats, by_count = list[float](), list[float]()
    for _ in range(30):
        loss, _, hidden = losses(network, *pairs(text, 16, generator), generator)
        nats.append(loss.item())
        by_count.append((count.sum() / count)[hidden].log().mean().item())
    return {
        "training": seconds,
        "tokens read": how.steps * how.pairs * (2 * PIECE + 3),
        "masked perplexity": math.exp(sum(nats) / len(nats)),
        "by frequency": math.exp(sum(by_count) / len(by_count)),
    }


def tagged(tagger: BERTTagging, pairs: int | None = None) -> Row:
    """Accuracy on English EWT, or on so many pairs of our grammar; once pre-trained."""
    tagger.prepare()
    text = ewt() if pairs is None else grammar_text(pairs)
    return {"test": window.scores(tagger, text)["test"][0]}


BEGINNINGS = {"pre-trained": (Pretraining(), 3e-3), "from scratch": (None, 1e-3)}
"""And the better rate of 1e-3 and 3e-3 on validation, 1 000 sentences, first seed."""
EPOCHS = {100: 30, 1000: 10}  # labels → how often each is read
TAGGERS = {
    name: BERTTagging(begun, None, 3, rate)
    for name, (begun, rate) in zip(
        ("BERT", "BERT, not pre-trained"), BEGINNINGS.values(), strict=True
    )
}
"""With all tags: the rows of the running table."""


def tagging(begun: str, labels: int, seed: int) -> Setting:
    pretraining, rate = BEGINNINGS[begun]
    return {"tagger": BERTTagging(pretraining, labels, EPOCHS[labels], rate, seed=seed)}


STUDY = Study(
    "BERT and GPT after the same words; BERT on real text",
    {
        "pre-trainings": Experiment(
            measured,
            grid(model=["GPT", "BERT"], updates=[SHORT.steps, LONG.steps], seed=SEEDS)
            + grid(model=["BERT, [MASK] alone"], updates=[LONG.steps], seed=SEEDS),
            smoke={"pretraining": smoke_recipe(on_grammar(0), 1000, 2), "labels": ()},
            arguments=pretraining,
        ),
        "untrained": Experiment(untrained, grid(labels=[1000], seed=SEEDS)),
        "real text": Experiment(real_text),
        "tags": Experiment(
            tagged,
            grid(begun=BEGINNINGS, labels=EPOCHS, seed=SEEDS),
            smoke={"tagger": BERTTagging(labels=50, epochs=1), "pairs": 200},
            arguments=tagging,
        ),
    },
    times=("seconds", "training"),
)
