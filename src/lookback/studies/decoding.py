"""What a wider beam brings and costs, and when it does harm."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from lookback.decoding import (
    Hypothesis,
    Penalty,
    beam_search,
    length_penalty,
    per_word,
)
from lookback.measure import bleu_by_length, bleu_difference, bleu_interval
from lookback.recipes.encdec import EncoderDecoderLearner
from lookback.text.corpora import Pair
from lookback.workshop import (
    EVALUATED,
    Recipe,
    Row,
    Study,
    TranslationLearner,
    Words,
    case,
    corpus,
    grid,
    longest_translation,
    on_few,
    padded,
    pairs,
    pretrained,
    recipe,
    seeds,
)

SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
ALPHAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0)
EDGES = (10, 20, 40, 70)  # the longest source of each bin, in words
SAMPLES = 1000  # of the bootstrap


class Counting:
    """A model that counts the calls of `step`, and the rows of these."""

    def __init__(self, model: nn.Module) -> None:
        self.model, self.calls, self.rows = model.eval(), 0, 0

    def start(self, source: Tensor, mask: Tensor) -> Any:
        return self.model.start(source, mask)  # type: ignore[operator]

    def step(self, token: Tensor, state: Any) -> tuple[Tensor, Any]:
        self.calls, self.rows = self.calls + 1, self.rows + len(token)
        logits, state = self.model.step(token, state)  # type: ignore[operator]
        return logits, state


def penalty_of(name: str) -> Penalty:
    """The penalty that a case names."""
    if name == "per word":
        return per_word
    return length_penalty(0.0 if name == "none" else float(name))


def hypotheses(
    model: Counting,
    learner: TranslationLearner,
    sources: Sequence[Words],
    size: int,
    penalty: str,
) -> list[Hypothesis]:
    """The best hypothesis of each source."""
    (source, target), best = learner.sides, dict[int, Hypothesis]()
    for rows, ids, mask in padded(sources, source):
        beams = beam_search(
            model, ids, mask, begin=target.start, end=target.end, size=size,
            longest=longest_translation(ids.size(1) - 1), penalty=penalty_of(penalty),
        )  # fmt: skip
        best |= {row: first for row, (first, *_) in zip(rows, beams, strict=True)}
    return [best[row] for row in range(len(sources))]


def searched(recipe: Recipe[Any], split: str, size: int, penalty: str) -> Row:
    """What the shipped model `encdec` writes with a beam, and how many steps it takes.

    recipe   of the model: another one is another case; its text is what is translated
    split    what is translated, its first EVALUATED sources
    size     how many hypotheses are kept, the beam size
    penalty  "none", "per word", or α of the length penalty
    """
    learner, read = prepared(recipe, split)
    model = Counting(learner.network)
    best = hypotheses(model, learner, [p.source for p in read], size, penalty)
    return {**scores(best, learner, read), "calls": model.calls, "rows": model.rows}


def prepared(
    recipe: Recipe[Any], split: str
) -> tuple[TranslationLearner, Sequence[Pair]]:
    """The model, and what it translates."""
    learner = pretrained("encdec", kind=EncoderDecoderLearner)
    return learner, pairs(corpus(recipe.data), split)[:EVALUATED]


def scores(
    best: Sequence[Hypothesis], learner: TranslationLearner, read: Sequence[Pair]
) -> Row:
    """BLEU with its interval and by length; words written for each one wanted; ln P."""
    written = [learner.vocabularies["target"].words(h.ids) for h in best]
    wanted = [list(pair.target) for pair in read]
    score = bleu_interval(
        hypotheses=written, references=wanted, samples=SAMPLES,
        generator=seeds.generator(0),
    )  # fmt: skip
    bins = bleu_by_length(
        hypotheses=written, references=wanted, edges=EDGES,
        lengths=[len(pair.source) for pair in read],
    )  # fmt: skip
    by_length = [
        [b.shortest, b.longest, b.sentences, b.bleu.score, b.ratio] for b in bins
    ]
    return {
        "BLEU": score.value,
        "low": score.low,
        "high": score.high,
        "ratio": sum(map(len, written)) / sum(map(len, wanted)),
        "ln P": sum(h.log_p for h in best) / len(best),
        "cut": sum(not h.ended for h in best),
        "by length": by_length,
    }


def difference(recipe: Recipe[Any], size: int, other: int, penalty: str) -> Row:
    """By how much the BLEU of a beam size lies above that of another, on the test."""
    learner, read = prepared(recipe, "test")
    model, target = Counting(learner.network), learner.vocabularies["target"]
    sources, written = [pair.source for pair in read], []
    for beam in (size, other):
        best = hypotheses(model, learner, sources, beam, penalty)
        written.append([target.words(h.ids) for h in best])
    score = bleu_difference(
        hypotheses=written[0], others=written[1], samples=SAMPLES,
        references=[list(pair.target) for pair in read],
        generator=seeds.generator(0),
    )  # fmt: skip
    return {"difference": score.value, "low": score.low, "high": score.high}


BEST = "1.0"  # the α that is best on validation: see the study
HERE = recipe("encdec")
PENALTIES = (*("none" if not a else str(a) for a in ALPHAS), "per word")
BEAM = "{split}, beam {size}, {penalty}"
FIVE = 5  # the beam size that others are compared with
PAIRED = [(n, FIVE, p) for p in ("none", BEST) for n in SIZES if n != FIVE]
STUDY = Study(
    about="BLEU, length and cost of beam search, by size and penalty",
    cases=grid(
        BEAM, searched,
        recipe=[HERE], split=["test"], penalty=("none", BEST, "per word"), size=SIZES,
    )
    | grid(
        BEAM, searched,
        recipe=[HERE], split=["validation"], size=[10], penalty=PENALTIES,
    )
    | {
        f"{n} against {m}, {p}": case(
            difference, recipe=HERE, size=n, other=m, penalty=p
        )
        for n, m, p in [*PAIRED, (2, 1, "none")]
    },
    check=case(searched, recipe=on_few(HERE, 300), split="test", size=2, penalty=BEST),
)  # fmt: skip
