"""RNNsearch with one part exchanged, and its attention weights during training."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn

from lookback.bahdanau import Decoder, RNNSearch, RNNSearchConfig, State
from lookback.encdec import check_source
from lookback.recipes.bahdanau import RECIPES, RNNSearchLearner
from lookback.text.corpora import Pair, grammar
from lookback.workshop import (
    AnyCorpus,
    Batches,
    Budget,
    Recipe,
    Row,
    Study,
    Vocabularies,
    alignment_error,
    case,
    corpus,
    each,
    known,
    on_few,
    outline,
    pairs,
)

SENTENCE = "the important european financial government is controlled ."
SHOWN = (100, 200, 300, 400, 500, 600, 800, 1000, 1500)
"""The steps whose weights on SENTENCE are stored."""
WATCHED = 200  # pairs of validation, on which the error rate is followed


class LateQuery(Decoder):
    """The query is s_i: first a step, with c_{i-1}, and then attention."""

    def next(self, y: Tensor, state: State) -> State:
        s = self.cell(torch.cat([y, state.c], dim=-1), state.s)
        c, weights = self.attention(s, state.keys, state.annotations, state.mask)
        return state._replace(s=s, c=c, weights=weights)


class OutputBefore(Decoder):
    """The output reads s_{i-1}, as appendix A.2.2 has it, where equation 4 has s_i."""

    def forward(self, target: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        y, states = self.dropout(self.e(target)), [state]
        for word in y.unbind(dim=1):
            states.append(self.next(word, states[-1]))
        s = torch.stack([each.s for each in states[:-1]], dim=1)
        c = torch.stack([each.c for each in states[1:]], dim=1)
        weights = torch.stack([each.weights for each in states[1:]], dim=1)
        return self.output(s, y, c), weights, states[-1]


class Embedded(nn.Module):
    """h_j = L e(x_j): an annotation knows its word, and nothing of its neighbours."""

    def __init__(self, config: RNNSearchConfig, words: int) -> None:
        super().__init__()
        self.e = nn.Embedding(words, config.m)
        self.L = nn.Linear(config.m, 2 * config.n)

    def forward(self, source: Tensor, mask: Tensor) -> Tensor:
        """source (B, S) ids, mask (B, S) bool → annotations (B, S, 2 n)."""
        check_source(source, mask, self.e.num_embeddings)
        annotations: Tensor = self.L(self.e(source))
        return annotations


VARIANTS: Mapping[str, type[nn.Module]] = {
    "late query": LateQuery,
    "output before": OutputBefore,
    "embedded": Embedded,
}


@dataclass(frozen=True)
class Variant(RNNSearchConfig):
    """RNNsearch with one part exchanged: `change` is one of VARIANTS, or nothing."""

    change: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.change:
            known("variant", self.change, VARIANTS)


class VariantLearner(RNNSearchLearner):
    """Puts the other part into RNNsearch."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        config: Variant = self.recipe.model
        source, target = (len(vocabularies[role]) for role in ("source", "target"))
        model = RNNSearch(config, source, target)
        if config.change == "embedded":
            model.encoder = Embedded(config, source)  # type: ignore[assignment]
        elif config.change:
            decoder = VARIANTS[config.change](config, target)
            decoder.load_state_dict(model.decoder.state_dict())  # the same beginning
            model.decoder = decoder  # type: ignore[assignment]
        return model

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        """Of validation a quarter, of all lengths: its loss is measured often here."""
        batches = super().batches(corpus, split, generator)
        return batches[::4] if isinstance(batches, list) else batches


class Watch:
    """Notes at each evaluation the attention weights of a learner."""

    def __init__(self, gold: tuple[Pair, ...], sentence: Pair) -> None:
        self.gold, self.sentence = gold, sentence
        self.steps: list[int] = []
        self.losses: list[float] = []
        self.errors: list[float] = []
        self.weights: dict[str, list[list[float]]] = {}

    def of(self, learner: VariantLearner) -> Callable[[float], None]:
        """What is called with the loss after each evaluation."""
        every = learner.recipe.budget.evaluate_every

        def note(loss: float) -> None:
            step = every * (len(self.steps) + 1)
            both = [(pair.source, pair.target) for pair in (*self.gold, self.sentence)]
            *weights, shown = learner.attention_weights(both)
            self.steps.append(step)
            self.losses.append(loss)
            self.errors.append(alignment_error(weights, self.gold))
            if step in SHOWN:
                self.weights[str(step)] = shown[:-1, :-1].tolist()

        return note


def shown() -> Pair:
    """The pair whose source is SENTENCE, from the first part of the test of PAIRS."""
    words, beginning = tuple(SENTENCE.split()), grammar(pairs=6500, size="small").test
    return next(pair for pair in beginning if pair.source == words)


def measured(recipe: Recipe[VariantLearner]) -> Row:
    """Train a variant: what it scored, what it cost, and how its weights moved."""
    text, sentence = corpus(recipe.data), shown()
    watch = Watch(pairs(text, "validation")[:WATCHED], sentence)
    learner = VariantLearner(recipe)
    learner.follow(text, evaluated=watch.of(learner))
    return {
        **outline(learner, text),
        "step": watch.steps,
        "loss": watch.losses,
        "watched AER": watch.errors,
        "source": list(sentence.source),
        "target": list(sentence.target),
        "weights": watch.weights,
    }


def varied(change: str) -> Recipe[VariantLearner]:
    """The recipe of RNNsearch with one part exchanged, and a smaller budget."""
    whole = RECIPES["bahdanau"]
    model = Variant(**asdict(whole.model), change=change)
    steps, tokens = SHOWN[-1], whole.budget.tokens
    budget = Budget(steps=steps, tokens=tokens, evaluate_every=100)
    data, seed, optimiser = whole.data, whole.seed, whole.optimiser
    return Recipe(VariantLearner, data, seed, model, optimiser, budget)


STUDY = Study(
    about="RNNsearch with one part exchanged, and its weights during training",
    cases=each(
        measured,
        recipe={
            "nothing exchanged": varied(""),
            "the output reads s_{i-1}": varied("output before"),
            "the query is s_i": varied("late query"),
            "embeddings for annotations": varied("embedded"),
        },
    ),
    check=case(measured, recipe=on_few(varied("late query"), 500, 3)),
)
