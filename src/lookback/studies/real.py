"""Translators on the language of people: which is better, unknown words, a race.

Sentences of Multi30k are not ours to give away, nor are models that were made of them:
what is stored are scores and a few translations. The model of Tatoeba ships.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookback.ibm1 import IBMModel1
from lookback.measure import (
    attended_words,
    bleu,
    bleu_by_length,
    bleu_counts,
    strongest_positions,
)
from lookback.measure.bleu import score_of
from lookback.recipes.bahdanau import RNNSearchLearner
from lookback.recipes.bpe import on_subwords
from lookback.recipes.seq2seq import Seq2SeqLearner
from lookback.seq2seq import Seq2SeqConfig
from lookback.text.corpora import Pair
from lookback.text.tokens import write_french
from lookback.trainer import seeds
from lookback.trainer.data import corpus, pairs
from lookback.trainer.device import device
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import (
    Budget,
    Data,
    Optimiser,
    Recipe,
    recipe,
    smoke_recipe,
)
from lookback.trainer.study import Experiment, Row, Setting, Study, grid, results
from lookback.trainer.translation import AttentionLearner

from . import translators
from .stack_decoder import (
    BEAM,
    COPIED,
    UNK,
    Phrases,
    Sentences,
    copied,
    counts_of,
    difference,
    first,
    score,
    trained,
    translated,
    wanted,
    written,
)

SYSTEMS: dict[str, Recipe[Any]] = {
    "encoder–decoder": recipe("encdec-multi30k"),
    "Luong, dot": recipe("luong-multi30k"),
    "RNNsearch": recipe("bahdanau-multi30k"),
    "Transformer": recipe("transformer-multi30k"),
}

# --- which is better -----------------------------------------------------------------

SHOWN = 2  # of the best translations, of the middling and of the worst
LENGTHS = range(7, 13)  # words that the source of a shown one has
EDGES = (5, 10, 15, 20, 99)  # the longest source of each bin, in words
ROUNDS = 8  # of EM, for the Model 1 that is compared with attention
NEGATIONS = ("not", "cannot", "no", "never", "nothing", "nobody")  # and don't, won't


def measured(recipe: Recipe[Any], attended: bool = False) -> Row:
    """Train a translator, let it translate the whole test, and show some of it.

    attended  also what *ne* and *pas* attend to, and for the best of the translations
              that are shown the probabilities (T, S + 1) of Model 1
    """
    learner, text = train_recipe(recipe), corpus(recipe.data)
    assert learner.log is not None
    test, train = pairs(text, "test"), pairs(text, "train")
    found = translated(learner, test, BEAM)
    words, met = [w for some in found for w in some], {pair.target for pair in train}
    row: Row = {
        "parameters": learner.parameters,
        "seconds": learner.seconds,
        "target tokens": learner.log.tokens,
        "known words": [len(words) for words in learner.vocabularies.values()],
        "pairs": len(train),
        "sentences": len(test),
        **score(found, test),
        "by length": by_length(found, test),
        "<unk>": words.count(UNK) / max(1, len(words)),
        "references met": sum(pair.target in met for pair in test) / len(test),
        "spelt": spelt(found, test),
    }
    if isinstance(learner, RNNSearchLearner):
        row["shown"] = shown(found, test)
    if attended:
        row["at a negation"] = at_negations(learner, found, test)
        best, model = row["shown"][0], IBMModel1().fit(train, ROUNDS)
        posterior = model.posterior(best["source"], best["written"])
        row["Model 1"] = posterior.round(3).tolist()
    return row


def of_text(text: str, system: str) -> Setting:
    """The recipe; *not* is rare in captions, so its weights are counted in Tatoeba."""
    if text == "Multi30k":
        return {"recipe": SYSTEMS[system]}
    return {"recipe": recipe("bahdanau-tatoeba"), "attended": True}


def by_length(found: Sentences, test: Sequence[Pair]) -> list[Row]:
    """The score of the sentences of each length."""
    bins = bleu_by_length(
        hypotheses=found,
        references=wanted(test),
        lengths=[len(pair.source) for pair in test],
        edges=EDGES,
        generator=seeds.generator(0),
    )
    return [translators.scored(one, "BLEU") for one in bins]


def spelt(found: Sentences, test: Sequence[Pair]) -> Row:
    """The score of words, and of text as people write it, which sacrebleu cuts."""
    ways: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
        "our words": (found, wanted(test)),
        "sentences": (
            [write_french(words) for words in found],
            [write_french(words) for words in wanted(test)],
        ),
    }
    scored = {n: bleu(hypotheses=a, references=b) for n, (a, b) in ways.items()}
    return {name: [one.score, one.signature] for name, one in scored.items()}


def at_negations(
    learner: AttentionLearner, found: Sentences, test: Sequence[Pair]
) -> Row:
    """The share of *ne* or *n'*, and of *pas*, that attend most to a negation."""
    read = [(p.source, w) for p, w in zip(test, found, strict=True) if w]
    positions = [strongest_positions(w) for w in learner.attention_weights(read)]
    counts = attended_words(("ne", "n'", "pas"), read, positions)
    groups = {"ne": counts["ne"] + counts["n'"], "pas": counts["pas"]}
    return {word: negating(count) for word, count in groups.items()}


def negating(count: Counter[str]) -> float:
    """The share of English words that negate."""
    at = sum(n for w, n in count.items() if w in NEGATIONS or w.endswith("n't"))
    return at / count.total()


def shown(found: Sentences, test: Sequence[Pair]) -> list[Row]:
    """Translations by a rule and not by taste: the best, the middling, the worst.

    What is ranked are translations of sentences of LENGTHS words that differ from the
    reference, by the share of their n-grams, n = 1 to 4, that occur in it.
    """
    counts = bleu_counts(hypotheses=found, references=wanted(test))
    share = counts[:, 2:6].sum(axis=1) / counts[:, 6:10].sum(axis=1).clip(min=1)
    rows = [
        k
        for k, pair in enumerate(test)
        if len(pair.source) in LENGTHS and found[k] != list(pair.target)
    ]
    ranked = sorted(rows, key=lambda k: (-share[k], k))
    middle = max(0, len(ranked) // 2 - SHOWN // 2)
    kinds = {
        "best": ranked[:SHOWN],
        "middling": ranked[middle : middle + SHOWN],
        "worst": ranked[max(0, len(ranked) - SHOWN) :],
    }
    return [
        {
            "kind": kind,
            "source": list(test[k].source),
            "reference": list(test[k].target),
            "written": list(found[k]),
        }
        for kind, chosen in kinds.items()
        for k in chosen
    ]


DUELS = (
    ("RNNsearch", "encoder–decoder"),
    ("RNNsearch", "Luong, dot"),
    ("Transformer", "RNNsearch"),
)


def duels(recipes: tuple[Recipe[Any], ...]) -> Row:
    """The score of each, and by how much the first of each two lies above the second.

    recipes  of the SYSTEMS, in their order, all with one seed
    It trains on the fastest device of the machine.
    """
    counts = {}
    for name, one in zip(SYSTEMS, recipes, strict=True):
        learner, test = (
            train_recipe(one, device=device()),
            pairs(corpus(one.data), "test"),
        )
        counts[name] = counts_of(translated(learner, test, BEAM), test)
    return {
        "BLEU": {name: score_of(some.sum(axis=0)) for name, some in counts.items()},
        "difference": {
            f"{one} − {other}": difference(counts[one], counts[other])
            for one, other in DUELS
        },
    }


def all_systems(seed: int) -> Setting:
    """Their recipes, with that seed."""
    return {"recipes": tuple(replace(one, seed=seed) for one in SYSTEMS.values())}


# --- unknown words -------------------------------------------------------------------

WORDS, SUBWORDS, DEEP = "words", "sub-words", "deeper"
PARTS = ("all", "known", "unknown")  # sentences without an unknown word, and with one


def compared(recipes: tuple[Recipe[Any], ...], how: Phrases | None = None) -> Row:
    """Words, their copies, sub-words, phrases: with and without unknown words.

    recipes  of words, whose list says which words are known; of sub-words; deeper ones
    how      phrases, which copy what they do not know
    """
    trainings, systems, text = dict[str, Row](), {}, corpus(recipes[0].data)
    test, known = pairs(text, "test"), frozenset[str]()
    for name, one in zip((WORDS, SUBWORDS, DEEP), recipes, strict=False):
        learner = train_recipe(one)
        systems[name] = translated(learner, test, BEAM)
        trainings[name] = {
            "parameters": learner.parameters,
            "seconds": learner.seconds,
            "tokens": learner.log.tokens,
        }
        if name == WORDS:
            known = frozenset(learner.vocabularies["source"].entries)
            sources = [pair.source for pair in test]
            systems[COPIED] = copied(learner, sources, systems[name])
    if how is not None:
        systems["phrases"] = written(trained(how), test)[COPIED]
    strange = np.array([not known.issuperset(pair.source) for pair in test])
    kept = dict(zip(PARTS, (strange | ~strange, ~strange, strange), strict=True))
    counts = {name: counts_of(some, test) for name, some in systems.items()}
    return {
        "with an unknown word": int(strange.sum()),
        "trainings": trainings,
        "made up": made_up(systems[SUBWORDS], pairs(text, "train")),
        "BLEU": {
            part: {name: scored(some, test, rows) for name, some in systems.items()}
            for part, rows in kept.items()
        },
        "more than words": {
            part: {
                name: difference(some[rows], counts[WORDS][rows])
                for name, some in counts.items()
                if name != WORDS
            }
            for part, rows in kept.items()
        },
    }


def scored(some: Sentences, test: Sequence[Pair], rows: NDArray[np.bool_]) -> Row:
    """The score of some of the sentences."""
    chosen = [int(k) for k in rows.nonzero()[0]]
    return score([some[k] for k in chosen], [test[k] for k in chosen])


def made_up(found: Sentences, train: Sequence[Pair]) -> Row:
    """Words of a translation that no sentence of train has, on either side."""
    there = {w for pair in train for side in (pair.source, pair.target) for w in side}
    new = [w for sentence in found for w in sentence if w not in there]
    return {"words": len(new), "some": new[:12]}


def deeper(words: Recipe[Any], tokens: int, steps: int) -> Recipe[Any]:
    """Four layers, the norm first."""
    model = replace(words.model, N=4, d_ff=256, norm_first=True)
    budget = Budget(steps, tokens, evaluate_every=300)
    return replace(words, model=model, budget=budget)


OF_CAPTIONS = SYSTEMS["Transformer"]
DEEPER = on_subwords(deeper(OF_CAPTIONS, tokens=1600, steps=9000), 1600)
TALK = replace(
    deeper(OF_CAPTIONS, tokens=1400, steps=6000), data=Data("tatoeba", min_count=5)
)
TALK = replace(TALK, model=replace(TALK.model, dropout=0.1))
OF_TEXT: dict[str, Setting] = {
    "Multi30k": {
        "recipes": (OF_CAPTIONS, recipe("bpe-multi30k"), DEEPER),
        "how": Phrases(),
    },
    "Tatoeba": {"recipes": (TALK, on_subwords(TALK, 1624))},
}

# --- the race ------------------------------------------------------------------------

LSTM = replace(
    recipe("encdec-multi30k"),
    learner=Seq2SeqLearner,
    model=Seq2SeqConfig(m=128, n=160, layers=2, reversed=True, dropout=0.2),
    optimiser=Optimiser("adam", 8e-3, warmup=200, decay="linear", clip=1.0),
)
"""At the rate of its own chapter: after 600 steps it had a loss of 2.96 on validation,
and 3.38 at that of the other recurrent networks."""
NETWORKS = {
    "encoder–decoder": SYSTEMS["encoder–decoder"],
    "deep LSTM, reversed": LSTM,
    "RNNsearch": SYSTEMS["RNNsearch"],
    "Luong, dot": SYSTEMS["Luong, dot"],
    "Transformer": SYSTEMS["Transformer"],
}
SEEDS, SHARES = range(3), (10, 3)  # the whole training is divided by these
EVALUATIONS = 4  # of a shortened training
TABLES = {
    "1000 pairs": Phrases(pairs=1000, tuning=100),
    "5000 pairs": Phrases(pairs=5000, tuning=100),
    "29000 pairs": Phrases(),
}


def planned(whole: Recipe[Any], share: int) -> Recipe[Any]:
    """The recipe with its steps divided by `share`, and its warm-up as it is.

    A warm-up that was divided as well was worse for the Transformer of 700 steps: a
    loss of 2.51 on validation, and 2.20 with the whole warm-up.
    """
    if share == 1:
        return whole
    steps = whole.budget.steps // share
    budget = replace(whole.budget, steps=steps, evaluate_every=steps // EVALUATIONS)
    return replace(whole, budget=budget)


def races() -> dict[tuple[str, str], tuple[Setting, Sequence[int]]]:
    """System and training → arguments without the seed, and the seeds."""
    found: dict[tuple[str, str], tuple[Setting, Sequence[int]]] = {
        ("Model 1", "29000 pairs"): ({"how": Phrases(), "alone": True}, [0]),
        ("phrases", "29000 pairs, untuned"): ({"how": Phrases(tuning=0)}, [0]),
    }
    for text, how in TABLES.items():
        found["phrases", text] = {"how": how}, SEEDS
    for system, whole in NETWORKS.items():
        for share in (*SHARES, 1):
            this = planned(whole, share)
            seeds = [0] if share == 1 else SEEDS
            found[system, f"{this.budget.steps} steps"] = {"how": this}, seeds
    found["Transformer of sub-words", "9000 steps"] = {"how": DEEPER}, [0]
    return found


RACES = races()


def race(how: Recipe[Any] | Phrases, seed: int = 0, alone: bool = False) -> Row:
    """Train a translator and let it translate the test; unknown words become <unk>.

    A training is planned for its length: its rate has fallen to 0 at its end, and its
    weights are those of the lowest loss on validation.
    alone  of phrases: Model 1 puts its likeliest word for each, in the same order
    """
    if isinstance(how, Recipe):
        learner = train_recipe(replace(how, seed=seed))
        test = pairs(corpus(how.data), "test")
        return {
            "parameters": learner.parameters,
            "seconds": learner.seconds,
            "target tokens": learner.log.tokens,
            "BLEU": score(translated(learner, test, BEAM), test)["BLEU"],
        }
    if alone:
        return word_by_word(how)
    this = trained(how, seed)
    test = pairs(this.text, "test")
    return {
        "parameters": this.sizes["parameters"],
        "seconds": this.seconds,
        "target tokens": words_of(this.text.train),
        "BLEU": score(written(this, test)[UNK], test)["BLEU"],
    }


def word_by_word(how: Phrases) -> Row:
    """Model 1 puts its likeliest word for each; it has no order of its own."""
    text, began = first(how.data, how.pairs), process_time()
    model = IBMModel1().fit(text.train, how.iterations)
    seconds = process_time() - began

    @cache
    def likeliest(word: str) -> str:
        known = word in model.source_ids
        return model.translations(word)[0][0] if known else UNK

    test = pairs(text, "test")
    found = [[likeliest(word) for word in pair.source] for pair in test]
    return {
        "parameters": len(model.t),
        "seconds": seconds,
        "target tokens": how.iterations * words_of(text.train),
        "BLEU": score(found, test)["BLEU"],
    }


def words_of(train: Sequence[Pair]) -> int:
    """How many target words these pairs have, an end for each sentence among them."""
    return sum(len(pair.target) + 1 for pair in train)


class Outcome(NamedTuple):
    """What came of a training: the mean of its seeds.

    seconds  of one core, for all that is learned
    read     target words that were predicted in training, repetitions among them
    bleu     of each seed, on the thousand captions of the test of 2016
    """

    system: str
    training: str
    parameters: int
    read: int
    seconds: float
    bleu: tuple[float, ...]

    @property
    def point(self) -> tuple[str, str]:
        return self.system, self.training

    @property
    def mean(self) -> float:
        return float(np.mean(self.bleu))


def outcomes(
    where: Path | None = None,
    among: Iterable[tuple[str, str]] | None = None,
) -> list[Outcome]:
    """The race by system and training, in the order of the study.

    where  the folder of the results; None: those that came with the package
    among  the trainings that are wanted; None: all
    """
    stored, found = results("real", where)["race"], []
    for system, training in RACES if among is None else among:
        rows = stored.rows(system=system, training=training)
        last, seconds = rows[-1], [row["seconds"] for row in rows]
        found.append(
            Outcome(
                system,
                training,
                last["parameters"],
                last["target tokens"],
                float(np.mean(seconds)),
                tuple(row["BLEU"] for row in rows),
            )
        )
    return found


def lines(among: Iterable[Outcome]) -> tuple[list[float], dict[str, list[float]]]:
    """Seconds, and the BLEU of each system, for `figures.curves`."""
    ordered = sorted(among, key=lambda one: one.seconds)
    systems = dict.fromkeys(system for system, _ in RACES)
    return [one.seconds for one in ordered], {
        system: [one.mean if one.system == system else np.nan for one in ordered]
        for system in systems
    }


def best(within: float, among: Sequence[Outcome]) -> Outcome:
    """What has the highest mean BLEU of all that was learned in so many seconds."""
    return max((o for o in among if o.seconds <= within), key=lambda o: o.mean)


STUDY = Study(
    "BLEU on real language: which translator is better, unknown words, a race",
    {
        "systems": Experiment(
            measured,
            [
                *grid(text=["Multi30k"], system=SYSTEMS),
                {"text": "Tatoeba", "system": "RNNsearch"},
            ],
            smoke={"recipe": smoke_recipe(recipe("encdec"), 50, 2)},
            arguments=of_text,
        ),
        "duels": Experiment(duels, grid(seed=(0, 1)), arguments=all_systems),
        "unknown words": Experiment(
            compared, grid(text=OF_TEXT), arguments=lambda text: OF_TEXT[text]
        ),
        "race": Experiment(
            race,
            [
                {"system": system, "training": training, "seed": seed}
                for (system, training), (_, some) in RACES.items()
                for seed in some
            ],
            arguments=lambda system, training, seed: {
                **RACES[system, training][0],
                "seed": seed,
            },
        ),
    },
)
