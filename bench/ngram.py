"""Tokens a second of fitting n-gram models and of their perplexity: ours and NLTK's.

NLTK's Kneser-Ney needs milliseconds for each token, so that few are scored.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from nltk.lm import MLE, KneserNeyInterpolated
from nltk.lm.preprocessing import padded_everygram_pipeline
from nltk.util import ngrams, pad_sequence
from run import speeds

from lookback.ngram import KneserNey, MaximumLikelihood, NgramModel
from lookback.text.corpora import python_reference

ORDER = 3
MODELS = {
    "MLE": (MaximumLikelihood(), MLE),
    "Kneser-Ney": (KneserNey(0.1), KneserNeyInterpolated),
}

Sentences = Sequence[Sequence[str]]


def trigrams(sentences: Sentences) -> Iterable[tuple[str, ...]]:
    """What NLTK's perplexity takes: the n-grams that our model scores."""
    for sentence in sentences:
        padded = pad_sequence(sentence, ORDER, True, False, "<s>", "</s>")
        yield from ngrams([*padded, "</s>"], ORDER)


def fitted(model: type[MLE], train: Sentences) -> MLE:
    """NLTK's usual way to fit a model."""
    fresh = model(ORDER)
    fresh.fit(*padded_everygram_pipeline(ORDER, train))
    return fresh


def main() -> None:
    train, few = python_reference().train, python_reference().test[:5]
    fits, scores = {}, {}
    for name, (smoothing, kind) in MODELS.items():
        model, theirs = NgramModel(ORDER, smoothing).fit(train), fitted(kind, train)
        fits[f"{name}, fit"] = {
            "ours": partial(model.fit, train),
            "NLTK": partial(fitted, kind, train),
        }
        scores[f"{name}, perplexity"] = {
            "ours": partial(model.perplexity, few),
            "NLTK": lambda theirs=theirs: theirs.perplexity([*trigrams(few)]),
        }
    speeds("tokens a second", fits, sum(map(len, train)))
    speeds("tokens a second", scores, sum(map(len, few)))
