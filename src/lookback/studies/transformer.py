"""What single heads of the shipped Transformer do: align, stay near, find a noun.

A head is chosen on validation; what it does is reported of the test.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.measure import head_error_rates, mean_by_offset
from lookback.recipes.transformer import Maps, TransformerLearner
from lookback.text.batches import pair_batches
from lookback.text.corpora import Pair, grammar
from lookback.text.grammar.pronouns import (
    PERSONAL,
    Reference,
    agreeing,
    first,
    nearest,
    references,
    some,
)
from lookback.workshop import (
    EVALUATION_TOKENS,
    Recipe,
    Row,
    Study,
    TranslationLearner,
    Weights,
    alignment_error,
    case,
    pretrained,
    recipe,
    teacher_forced,
)


def resolved(maps: Sequence[Maps], pronouns: Sequence[Reference]) -> Weights:
    """How often each head of the encoder attends from a pronoun to its noun: (N, h).

    Of all nouns in front of the pronoun the one with most weight counts.
    """
    share: Weights = found_by_heads(maps, pronouns).mean(axis=0)
    return share


def found_by_heads(
    maps: Sequence[Maps], pronouns: Sequence[Reference]
) -> NDArray[np.bool_]:
    """Of each pronoun, which heads of the encoder find its noun: (pronouns, N, h)."""
    weights = [maps[p.row].encoder[:, :, p.position, list(p.nouns)] for p in pronouns]
    return _right(weights, pronouns)


def resolved_cross(
    maps: Sequence[Maps], pronouns: Sequence[Reference], pairs: Sequence[Pair]
) -> Weights:
    """The same of the heads of cross-attention, when the pronoun is written: (N, h).

    The row is that of the first French word that the pronoun is surely linked to;
    pronouns without one are left out.
    """
    weights, linked = [], []
    for pronoun in pronouns:
        written = [t for s, t in pairs[pronoun.row].sure if s == pronoun.position]
        if written:
            row = maps[pronoun.row].cross[:, :, min(written)]
            weights.append(row[:, :, list(pronoun.nouns)])
            linked.append(pronoun)
    return _share(weights, linked)


def _share(weights: Sequence[Weights], pronouns: Sequence[Reference]) -> Weights:
    """How often most weight lies on the right one of the nouns: (N, h)."""
    share: Weights = _right(weights, pronouns).mean(axis=0)
    return share


def _right(
    weights: Sequence[Weights], pronouns: Sequence[Reference]
) -> NDArray[np.bool_]:
    """Whether most weight lies on the right one of the nouns: (pronouns, N, h)."""
    some(pronouns)
    return np.array([
        np.isin(np.array(p.nouns)[one.argmax(axis=-1)], list(p.right))
        for one, p in zip(weights, pronouns, strict=True)
    ])  # fmt: skip


def beside(heads: NDArray[np.bool_], rule: NDArray[np.bool_]) -> Row:
    """How often only a head is right, and how often only a rule: (N, h) each.

    heads  (pronouns, N, h);  rule  (pronouns,)
    """
    other = rule[:, None, None]
    return {
        "only the head": (heads & ~other).sum(axis=0).tolist(),
        "only the rule": (~heads & other).sum(axis=0).tolist(),
    }


def forms(
    learner: TranslationLearner, pairs: Sequence[Pair], pronouns: Sequence[Reference]
) -> float:
    """How often a translator predicts the French form of a pronoun, teacher forced.

    *it* becomes *il*, *elle*, *le* or *la*, by the gender of a noun that may be far.
    Counted are all French words that a pronoun is surely linked to.
    """
    positions: dict[int, set[int]] = {}
    for p in pronouns:
        written = {t for s, t in pairs[p.row].sure if s == p.position}
        positions.setdefault(p.row, set()).update(written)
    some = [pairs[row] for row in positions]
    right, network = [], learner.network.eval()
    with torch.no_grad():
        for batch in pair_batches(some, *learner.sides, tokens=EVALUATION_TOKENS):
            best = teacher_forced(network, batch).argmax(dim=-1)
            hits = best == batch.target[:, 1:]
            for row, hit in zip(batch.rows.tolist(), hits.tolist(), strict=True):
                right += [hit[t] for t in positions[[*positions][row]]]
    return float(np.mean(right))


TRANSLATORS = {
    "encoder–decoder": "encdec",
    "RNNsearch": "bahdanau",
    "Luong, dot": "luong",
    "Transformer": "transformer",
}


def measured(shipped: Recipe[Any], pairs: int) -> Row:
    """What each head does, on validation and test.

    shipped  the recipe of the model
    pairs    how many of its corpus are read, of which some are in either
    """
    text = grammar(pairs=pairs, seed=0, size="small")
    learner = translator_of(shipped)
    assert isinstance(learner, TransformerLearner)
    splits: Row = {}
    for split in ("validation", "test"):
        some = [pair for pair in text.split(split) if pair.antecedents]
        maps = learner.maps(some)
        sure, possible = [p.sure for p in some], [p.possible for p in some]
        layers = range(len(maps[0].cross))
        splits[split] = {
            "pairs": len(some),
            "AER": head_error_rates([m.cross for m in maps], sure, possible).tolist(),
            "mean of a layer": [
                alignment_error([m.cross[n].mean(axis=0) for m in maps], some)
                for n in layers
            ],
            "mean of all": alignment_error(
                [m.cross.mean(axis=(0, 1)) for m in maps], some
            ),
            "distances encoder": mean_by_offset([m.encoder for m in maps]).tolist(),
            "distances decoder": mean_by_offset([m.decoder for m in maps]).tolist(),
            "pronouns": _pronouns(maps, some),
        }
    return splits


def _pronouns(maps: Sequence[Maps], pairs: Sequence[Pair]) -> Row:
    """For *it*, *they* and all: what heads find, what guesses do, and the forms.

    A guess is the first or the nearest noun: of all, or of those that agree.
    """
    rows = {}
    for name, words in (("it", ("it",)), ("they", ("they",)), ("all", PERSONAL)):
        pronouns = references(pairs, words)
        agree = agreeing(pronouns, pairs)
        rule = np.array([p.nouns[0] in p.right for p in agree])
        rows[name] = {
            "times": len(pronouns),
            "encoder": resolved(maps, pronouns).tolist(),
            "cross": resolved_cross(maps, pronouns, pairs).tolist(),
            "nearest noun": nearest(pronouns),
            "first noun": first(pronouns),
            "nearest that agrees": nearest(agree),
            "first that agrees": first(agree),
            "several agree": sum(len(p.nouns) > 1 for p in agree),
            **beside(found_by_heads(maps, pronouns), rule),
            "form": {
                system: forms(_translator(name), pairs, pronouns)
                for system, name in TRANSLATORS.items()
            },
        }
    return rows


def _translator(name: str) -> TranslationLearner:
    learner = pretrained(name)
    assert isinstance(learner, TranslationLearner)
    return learner


def translator_of(shipped: Recipe[Any]) -> TranslationLearner:
    """The one of TRANSLATORS whose recipe this is."""
    names = {recipe(name).digest: name for name in TRANSLATORS.values()}
    return _translator(names[shipped.digest])


STUDY = Study(
    about="what each head of the shipped Transformer does",
    cases={"all": case(measured, shipped=recipe("transformer"), pairs=50_000)},
    check=case(measured, shipped=recipe("transformer"), pairs=700),
    version=2,
)
