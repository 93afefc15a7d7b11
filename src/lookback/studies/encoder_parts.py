"""Attention alone, the feed-forward network alone, and both: at one depth and size.

Masked language models of two layers. Attention alone is tried as it is, and with more
heads, so that it has as many parameters as both together; these two at three rates.
Then: which noun decides on the number of a masked verb, and in which layer it is known.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from lookback.text.grammar.agreement import agreements, noun_numbers, other_noun
from lookback.text.pairs import Pair
from lookback.workshop import (
    AnyCorpus,
    Budget,
    Optimiser,
    Recipe,
    Row,
    Study,
    Vocabularies,
    case,
    corpus,
    each,
    follow,
    on_few,
    outline,
    pairs,
)

from .encoder import MaskedLearner, MaskedLM, recipe

STEPS = 800
SEEDS = (0, 1, 2)
RATES = (4e-3, 8e-3, 1.6e-2)
SYSTEMS: dict[str, dict[str, Any]] = {
    "both": {},
    "attention alone": {"parts": "attention"},
    "attention alone, wider": {"parts": "attention", "h": 12, "d_k": 16, "d_v": 16},
    "feed-forward alone": {"parts": "feed-forward"},
}
"""Two layers each. The third has as many parameters as the first, within one in a
hundred: instead of a network, three times as many heads."""

SWEPT = ("both", "attention alone, wider")  # at every rate, from the first seed
BE = (("is", "was"), ("are", "were"))  # singular, plural
ATTRACTORS = 6  # nouns nearer to the verb, for each subject
TEMPLATES = ("the {} ? seen by the queen .", "the {} of the {} ? seen by the queen .")


def at_rate(name: str, rate: float, seed: int, steps: int = STEPS) -> Recipe[Any]:
    """One of SYSTEMS, in pre-norm, in which deep stacks learn sooner."""
    return replace(
        recipe(2, seed, norm_first=True, **SYSTEMS[name]),
        optimiser=Optimiser("adam", rate, warmup=50, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=900, evaluate_every=steps),
    )


def levels(network: MaskedLM, ids: Tensor) -> list[Tensor]:
    """What each layer is given, and what the last gives: (B, S, d_model) each."""
    d_model = network.table.size(1)
    x = network.table[ids] * d_model**0.5 + network.positions(ids.size(1))
    found, mask = [x], torch.ones(len(ids), 1, ids.size(1), dtype=torch.bool)
    for layer in network.layers:
        x, _ = layer(x, mask)
        found.append(x)
    return found


# --- which noun decides? -------------------------------------------------------------


def nouns(vocabularies: Vocabularies) -> list[tuple[str, str]]:
    """(singular, plural) of the nouns whose two forms the model knows."""
    numbers, words = noun_numbers(), vocabularies["words"]
    both = ((one, many) for one, many in other_noun().items() if not numbers[one])
    return sorted(pair for pair in both if words.unk not in words.ids(pair))


def minimal_pairs(
    forms: Sequence[tuple[str, str]],
) -> dict[str, list[tuple[str, ...]]]:
    """The nouns of each sentence: key "pl of sg" → (subject, noun nearest the verb).

    Those of one key differ from those of another in the number of the nouns alone.
    """
    found: dict[str, list[tuple[str, ...]]] = {}
    short = ("sg", "pl")
    for i, subject in enumerate(forms):
        for n in range(2):
            found.setdefault(short[n], []).append((subject[n],))
        for k in range(1, ATTRACTORS + 1):
            nearer = forms[(i + 7 * k) % len(forms)]
            for n, m in product(range(2), repeat=2):
                key = f"{short[n]} of {short[m]}"
                found.setdefault(key, []).append((subject[n], nearer[m]))
    return found


def plural(network: MaskedLM, words: Any, named: Sequence[tuple[str, ...]]) -> Tensor:
    """The probability of a plural form of *be*, among all its forms, in each sentence.

    named  the nouns of each sentence: one, or two
    """
    template = TEMPLATES[len(named[0]) - 1]
    ids = torch.tensor([words.ids(template.format(*each).split()) for each in named])
    hole = template.split().index("?")
    ids[:, hole] = network.V
    with torch.no_grad():
        x = levels(network, ids)[-1][:, hole]
        logits = x @ network.table[:-1].T
    one, many = (logits[:, words.ids(forms)].logsumexp(dim=1) for forms in BE)
    return (many - one).sigmoid()


# --- in which layer is it known? -----------------------------------------------------


def masked_verbs(found: Sequence[Pair]) -> list[tuple[tuple[str, ...], int, int, int]]:
    """(words, position of the verb, 1 where its subject is plural, attractors)."""
    numbers, rows = noun_numbers(), []
    for pair in found:
        for one in agreements([pair]):
            position = len(one.before)
            noun = pair.source[position - one.distance]
            row = pair.source, position, numbers[noun], one.attractors
            rows.append(row)
    return rows


def verb_levels(network: MaskedLM, words: Any, rows: Sequence[Any]) -> list[Tensor]:
    """What each layer knows where a verb is masked: (rows, d_model) each."""
    kept = []
    with torch.no_grad():
        for sentence, position, *_ in rows:
            ids = torch.tensor([words.ids(sentence)])
            ids[0, position] = network.V
            kept.append(torch.stack([x[0, position] for x in levels(network, ids)]))
    return [*torch.stack(kept, dim=1)]


def balanced(rows: Sequence[Any]) -> list[Any]:
    """As many singular subjects as plural ones: the first of each."""
    kinds = [[row for row in rows if row[2] == number] for number in (0, 1)]
    few = min(map(len, kinds))
    return [row for kind in kinds for row in kind[:few]]


def number_known(network: MaskedLM, words: Any, text: AnyCorpus) -> dict[str, Any]:
    """How well a linear probe tells the number of a masked verb's subject, by layer.

    Fitted to verbs of the validation; its shares are those of the test.
    """
    train, test = (
        balanced(masked_verbs(pairs(text, s))) for s in ("validation", "test")
    )
    hard = torch.tensor([row[3] > 0 for row in test])
    wanted = torch.tensor([row[2] for row in test])
    told = one_hot(torch.tensor([row[2] for row in train]), 2).double()
    shares: dict[str, list[float]] = {"all": [], "attractor": []}
    both = zip(
        verb_levels(network, words, train),
        verb_levels(network, words, test),
        strict=True,
    )
    for given, new in both:
        bias = [torch.ones(len(x), 1) for x in (given, new)]
        x, y = (torch.cat(z, 1).double() for z in zip((given, new), bias, strict=True))
        solution = torch.linalg.lstsq(x.T @ x + torch.eye(x.size(1)), x.T @ told)
        right = ((y @ solution.solution).argmax(dim=1) == wanted).double()
        shares["all"].append(right.mean().item())
        shares["attractor"].append(right[hard].mean().item())
    return {"number": shares, "verbs": [len(train), len(test), int(hard.sum())]}


def measured(case: Recipe[MaskedLearner]) -> Row:
    """Train; its perplexity, the minimal pairs, and the probes.

    plural  for each kind of sentence, "sg" or "pl of sg": the mean probability of a
            plural verb, and the share of sentences with the right number likelier
    """
    learner, text = follow(case), corpus(case.data)
    network: nn.Module = learner.network.eval()
    assert isinstance(network, MaskedLM)
    words = learner.vocabularies["words"]
    row: Row = {**outline(learner, text), "plural": {}}
    for key, named in minimal_pairs(nouns(learner.vocabularies)).items():
        p = plural(network, words, named).double()
        right = (p > 0.5) == key.startswith("pl")
        row["plural"][key] = [p.mean().item(), right.double().mean().item()]
        row["sentences"] = len(named)
    return row | number_known(network, words, text)


STUDY = Study(
    about="a masked language model of attention, of feed-forward networks, of both",
    cases=each(
        measured,
        case={
            **{
                f"{name}, rate {rate:g}, seed {seed}": at_rate(name, rate, seed)
                for seed in SEEDS
                for name in SYSTEMS
                for rate in RATES
                if (seed == 0 and name in SWEPT)
                or (rate == RATES[1] and (seed == 0 or name != "feed-forward alone"))
            },
            "both, 5 steps": at_rate("both", RATES[1], 1, steps=5),
        },
    ),
    check=case(measured, case=on_few(at_rate("both", RATES[1], 1, steps=5))),
)
