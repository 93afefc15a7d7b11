"""The Transformer with the budget of RNNsearch, and a small one without a part of it.

In the table of all translators each network has a budget of its own, and only the
Transformer's labels are smoothed. Here it is given what RNNsearch was given.

The small one learns from 6 432 sentences like *the small red car sees the
black dog*. It is trained whole, without a part of it, and from other initial values.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from lookback.decoding import greedy
from lookback.trainer import seeds
from lookback.trainer.learner import summary, train_recipe
from lookback.trainer.recipe import Recipe, recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.transformer import Transformer, TransformerConfig

from .translators import EACH, by_length


def equal(seed: int) -> Setting:
    """The recipe of the Transformer with the budget and the loss of RNNsearch."""
    given: Recipe[Any] = recipe("transformer")
    model = replace(given.model, smoothing=0.0)
    budget = recipe("bahdanau").budget
    return {"recipe": replace(given, seed=seed, model=model, budget=budget)}


def measured(recipe: Recipe[Any], each: int = EACH) -> Row:
    """Train; what the table of all translators shows, and BLEU by length.

    each  how many sentences of a range of lengths; 0: none
    """
    learner = train_recipe(recipe)
    assert learner.log is not None
    row = summary(learner)
    return {
        "steps": len(learner.log.entries),
        "target tokens": learner.log.tokens,
        **{key: row[key] for key in ("parameters", "seconds", "test BLEU")},
        "bleu": [part["bleu"] for part in by_length(learner, each)] if each else [],
    }


NOUNS = """car voiture f, house maison f, key clé f, street rue f,
dog chien m, book livre m, garden jardin m, bird oiseau m"""
AFTER = "red rouge rouge, black noir noire, green vert verte, white blanc blanche"
BEFORE = "small petit petite, big grand grande, pretty joli jolie, bad mauvais mauvaise"
LEXICON = [[w.split() for w in part.split(",")] for part in (NOUNS, AFTER, BEFORE)]
D_MODEL, STEPS, BATCH, RATE, TESTS = 32, 201, 32, 0.01, 200
LONGEST = 10

Pair = tuple[list[str], list[str]]


def phrase(draw: random.Random) -> Pair:
    """*the small red car* and *la petite voiture rouge*, or another such pair."""
    nouns, *kinds = LEXICON
    noun, french, gender = draw.choice(nouns)
    source, target = [noun], [french]
    for adjectives in kinds:
        if draw.random() < 0.5:
            word, *forms = draw.choice(adjectives)
            source, form = [word, *source], forms[gender == "f"]
            target = [*target, form] if adjectives is kinds[0] else [form, *target]
    return ["the", *source], ["la" if gender == "f" else "le", *target]


def pair(draw: random.Random) -> Pair:
    """A sentence with its translation."""
    (source, target), (other, more) = phrase(draw), phrase(draw)
    return [*source, "sees", *other], [*target, "voit", *more]


def vocabulary(side: int) -> list[str]:
    """<pad>, </s> and <s>, then the words of one side."""
    every = {word for i in range(500) for word in pair(random.Random(i))[side]}
    return ["<pad>", "</s>", "<s>", *sorted(every)]


def to_ids(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> Tensor:
    """(B, longest): each ends with </s>; shorter ones are padded with 0."""
    rows = [torch.tensor([*map(words.index, s), 1]) for s in sentences]
    return pad_sequence(rows, batch_first=True)


class NoPositions(nn.Module):
    """Zeros instead of positional encodings."""

    def forward(self, T: int, first: int = 0) -> Tensor:
        return torch.zeros(T, D_MODEL)


class Zero(nn.Module):
    """A sublayer that adds nothing."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


def less_input(_: nn.Module, inputs: tuple[Tensor, ...], output: Any) -> Any:
    """f(x) - x for f(x): the sum x + f(x) - x is then what it is without a residual."""
    if isinstance(output, tuple):  # attention returns its weights, too
        return output[0] - inputs[0], *output[1:]
    return output - inputs[0]


def sublayers(model: Transformer, *kinds: str) -> list[nn.Module]:
    """Of all layers, those whose name in its layer ends so."""
    named = [one for layer in layers(model) for one in layer.named_children()]
    parts = [(name, part) for name, part in named if not name.startswith("norm")]
    return [part for name, part in parts if name.endswith(kinds)]


def layers(model: Transformer) -> list[nn.Module]:
    """All layers of both stacks."""
    return [*model.encoder.layers, *model.decoder.layers]


def whole(model: Transformer) -> None:
    """Nothing is changed."""


def no_positions(model: Transformer) -> None:
    model.positions = NoPositions()


def no_residual(model: Transformer) -> None:
    for part in sublayers(model, "attention", "feed_forward"):
        part.register_forward_hook(less_input)


def no_network(model: Transformer) -> None:
    for layer in layers(model):
        layer.feed_forward = Zero()


def no_norm(model: Transformer) -> None:
    for layer in layers(model):
        for name, _ in list(layer.named_children()):
            if name.startswith("norm"):
                setattr(layer, name, nn.Identity())


def torch_tables(model: Transformer) -> None:
    """Words as `nn.Embedding` begins them: normal, with variance 1."""
    for embedding in (model.e_source, model.e_target):
        nn.init.normal_(embedding.table)


def torch_matrices(model: Transformer) -> None:
    """The matrices of attention as `nn.Linear` begins them: a third of our variance."""
    for part in sublayers(model, "attention"):
        for linear in part.children():
            assert isinstance(linear, nn.Linear)
            linear.reset_parameters()


def torch_both(model: Transformer) -> None:
    torch_tables(model)
    torch_matrices(model)


CHANGES: Mapping[str, Callable[[Transformer], None]] = {
    "nothing": whole,
    "positions": no_positions,
    "residual connections": no_residual,
    "norms": no_norm,
    "feed-forward networks": no_network,
    "our tables": torch_tables,
    "our matrices": torch_matrices,
    "both": torch_both,
}
"""What is taken away, or left to PyTorch → how the network is changed."""


def parts(without: str, seed: int, steps: int = STEPS) -> Row:
    """Train a Transformer of one layer a side, without a part.

    loss   the mean of the last ten batches
    right  the share of 200 new sentences written without any wrong word
    """
    english, french = vocabulary(0), vocabulary(1)
    config = TransformerConfig(N=1, d_model=D_MODEL, h=4, d_ff=2 * D_MODEL)
    with seeds.seeded(seed):
        model = Transformer(config, len(english), len(french))
        CHANGES[without](model)
    adam = torch.optim.Adam(model.parameters(), RATE, betas=(0.9, 0.98))
    draw, met, losses = random.Random(seed), list[list[str]](), list[float]()
    for step in range(steps):
        adam.param_groups[0]["lr"] = RATE * min((step + 1) / 20, 1 - step / steps)
        batch = [pair(draw) for _ in range(BATCH)]
        met += [source for source, _ in batch]
        x = to_ids([source for source, _ in batch], english)
        y = to_ids([["<s>", *target] for _, target in batch], french)
        logits, _ = model(x, x > 0, y[:, :-1])
        loss = cross_entropy(logits.flatten(0, 1), y[:, 1:].flatten(), ignore_index=0)
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
        losses.append(loss.item())
    return {
        "loss": sum(losses[-10:]) / len(losses[-10:]),
        "right": exact(model, new_pairs(met), english, french),
    }


def new_pairs(met: Sequence[Sequence[str]]) -> list[Pair]:
    """200 sentences that are not among those of training."""
    draw, known, found = random.Random(2017), {tuple(s) for s in met}, list[Pair]()
    while len(found) < TESTS:
        one = pair(draw)
        if tuple(one[0]) not in known and one not in found:
            found.append(one)
    return found


def exact(
    model: Transformer, pairs: Sequence[Pair], english: list[str], french: list[str]
) -> float:
    """The share that is written without any wrong word, by the likeliest words."""
    x = to_ids([source for source, _ in pairs], english)
    written = greedy(model, x, x > 0, begin=2, end=1, longest=LONGEST)
    words = [[french[i] for i in row] for row in written]
    return sum(w == y for w, (_, y) in zip(words, pairs, strict=True)) / len(pairs)


STUDY = Study(
    "the Transformer with the budget of RNNsearch; a small one without a part of it",
    {
        "equal": Experiment(
            measured,
            grid(seed=range(3)),
            smoke={"recipe": smoke_recipe(equal(0)["recipe"], 60, 3), "each": 0},
            arguments=equal,
        ),
        "parts": Experiment(
            parts,
            grid(seed=range(3), without=CHANGES),
            smoke={"without": "norms", "seed": 0, "steps": 2},
        ),
    },
)
