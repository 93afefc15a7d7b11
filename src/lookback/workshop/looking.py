"""Studies of attention: variants of RNNsearch, and how its weights move in training."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import torch
from torch import Tensor, nn

from lookback.bahdanau import Decoder, RNNSearch, RNNSearchConfig, State
from lookback.encdec import check_source
from lookback.measure import alignment_error_rate
from lookback.text.batches import Batch
from lookback.text.corpora import Pair, grammar

from . import fixed  # noqa: F401  its recipe is asked for by its name
from .attending import RNNSEARCH, RNNSearchMaker
from .data import corpus
from .makers import MAKERS, Bench, Vocabularies
from .ranks import Ranks
from .recipes import RECIPES, Budget, Recipe, known
from .studies import STUDIES, Row, Study
from .translating import most, pairs
from .translators import SHORT, Entry
from .translators import measured as asked

SENTENCE = "the important european financial government is controlled ."
SHOWN = (100, 200, 300, 400, 500, 600, 800, 1000, 1500)
"""The steps whose weights on SENTENCE are kept."""
WATCHED = 200  # pairs of validation, on which the error rate is followed


class LateQuery(Decoder):
    """The score asks with s_i: first a step, with c_{i-1}, and then a look."""

    def steps(self, reads: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        s, weights, behind, looked = state.s, state.weights, [], []
        c = (weights.unsqueeze(1) @ state.values).squeeze(1)  # before the first: 0
        for read in reads.unbind(dim=1):
            s = self.next(read + c, s)
            c, weights = self.attention(s, state.keys, state.values, state.mask)
            behind.append(s)
            looked.append(weights)
        state = state._replace(s=s, weights=weights)
        return torch.stack(behind, dim=1), torch.stack(looked, dim=1), state


class OutputBefore(Decoder):
    """The output reads s_{i-1}, as appendix A.2.2 has it, where equation 4 has s_i."""

    def steps(self, reads: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        behind, looked, after = super().steps(reads, state)
        before = torch.cat([state.s.unsqueeze(1), behind[:, :-1]], dim=1)
        return before, looked, after


class Embedded(nn.Module):
    """h_j = L e(x_j): an annotation knows its word, and nothing that stands around."""

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


class VariantMaker(RNNSearchMaker):
    """Puts the other part into RNNsearch."""

    def module(self, config: Any, vocabularies: Vocabularies) -> nn.Module:
        source, target = (len(vocabularies[role]) for role in ("source", "target"))
        model = RNNSearch(config, source, target)
        if config.change == "embedded":
            model.encoder = Embedded(config, source)  # type: ignore[assignment]
        elif config.change:
            decoder = VARIANTS[config.change](config, target)
            decoder.load_state_dict(model.decoder.state_dict())  # the same beginning
            model.decoder = decoder  # type: ignore[assignment]
        return model


class Watcher(VariantMaker):
    """Notes at each evaluation how the model looks."""

    def __init__(self, watched: tuple[Pair, ...], shown: Pair) -> None:
        self.watched, self.shown = watched, shown
        self.at: list[int] = []
        self.losses: list[float] = []
        self.errors: list[float] = []
        self.kept: dict[str, list[list[float]]] = {}

    def module(self, config: Any, vocabularies: Vocabularies) -> nn.Module:
        self.words = vocabularies
        return super().module(config, vocabularies)

    def batches(self, recipe: Recipe, *args: Any) -> Iterable[Batch]:
        self.every = recipe.budget.evaluate_every
        found = super().batches(recipe, *args)
        # Of validation a quarter, of all lengths: it is asked often here.
        return found[::4] if isinstance(found, list) else found

    def mean_loss(self, module: nn.Module, batches: Iterable[Any]) -> float:
        loss = super().mean_loss(module, batches)
        self.at.append(self.every * (len(self.at) + 1))
        both = [(pair.source, pair.target) for pair in (*self.watched, self.shown)]
        *weights, look = self.looks(module, self.words, both)
        links, gold = [most(w) for w in weights], self.watched
        error = alignment_error_rate(
            links, [pair.sure for pair in gold], [pair.possible for pair in gold]
        )
        self.losses.append(round(loss, 4))
        self.errors.append(round(error, 4))
        if self.at[-1] in SHOWN:
            rows = [[round(w, 3) for w in row[:-1]] for row in look[:-1].tolist()]
            self.kept[str(self.at[-1])] = rows
        return loss


def shown() -> Pair:
    """The pair whose source is SENTENCE, from the test of PAIRS, where it begins."""
    words, beginning = tuple(SENTENCE.split()), grammar(pairs=6500, size="small").test
    return next(pair for pair in beginning if pair.source == words)


def watched(recipe: Recipe) -> Row:
    """Train a variant: what it scored, what it cost, and how its weights moved."""
    text, sentence = corpus(recipe.data), shown()
    maker = Watcher(pairs(text, "validation")[:WATCHED], sentence)
    with TemporaryDirectory() as there:
        bench = Bench(torch.device("cpu"), Path(there) / "state", Ranks(), False)
        began = process_time()
        made = maker.train(recipe, text, bench)
        seconds = process_time() - began
    scores = maker.measure(made.model, made.vocabularies, text)
    return {
        "parameters": maker.parameters(made.model),
        "seconds": round(seconds, 2),
        **{name: round(score, 4) for name, score in scores.items()},
        "step": maker.at,
        "loss": maker.losses,
        "watched AER": maker.errors,
        "source": list(sentence.source),
        "target": list(sentence.target),
        "looks": maker.kept,
    }


def varied(change: str) -> Recipe:
    """The recipe of RNNsearch with one part exchanged, and a smaller budget."""
    whole = RNNSEARCH
    model = Variant(**asdict(whole.model), change=change)
    steps, tokens = SHOWN[-1], whole.budget.tokens
    budget = Budget(steps=steps, tokens=tokens, evaluate_every=100)
    return replace(whole, model=model, budget=budget)


MAKERS[Variant] = VariantMaker()
STUDIES["looking"] = Study(
    about="RNNsearch with one part exchanged, and its weights during training",
    cases={
        "nothing exchanged": varied(""),
        "the output reads s_{i-1}": varied("output before"),
        "the score asks with s_i": varied("late query"),
        "embeddings for annotations": varied("embedded"),
    },
    measure=watched,
    check=None,
)


def shortened(name: str, steps: int, seed: int) -> Recipe:
    """A translator's recipe, trained on no sentence of more than 18 words."""
    whole = RECIPES[name]
    budget = replace(whole.budget, steps=steps)
    return replace(whole, data=SHORT, seed=seed, budget=budget)


SEEDS = (0, 1, 2)
FIXED, LOOKING = "fixed vector", "attention"
STUDIES["short_sentences"] = Study(
    about="translators that learnt from no sentence of more than 18 words",
    cases={
        f"{system}, seed {seed}": shortened(name, steps, seed)
        for system, name, steps in (
            (FIXED, "encdec", 2000),
            (LOOKING, "bahdanau", 1200),
        )
        for seed in SEEDS
    },
    measure=lambda recipe: asked(Entry("bahdanau", "", recipe)),
    check=None,
)
