"""Tokens a second of fit and score: ours and NLTK's, the same text, one process.

Run it with `python bench/ngram.py`. The two take turns, and each figure is the best run
of five. "score" is the perplexity of the test sentences: one
probability for every token of them.
"""

from collections.abc import Iterable, Sequence

from nltk.lm import MLE, KneserNeyInterpolated
from nltk.lm.preprocessing import padded_everygram_pipeline
from nltk.util import ngrams, pad_sequence

from lookback.measure import timings
from lookback.ngram import KneserNey, MaximumLikelihood, NgramModel, Smoothing
from lookback.text.corpora import python_reference

ORDER = 3
NLTK_SENTENCES = 5  # its Kneser-Ney needs milliseconds for each token

Sentences = Sequence[Sequence[str]]


def tokens(sentences: Sentences) -> int:
    return sum(map(len, sentences))


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


def compare(
    name: str,
    smoothing: Smoothing,
    theirs: type[MLE],
    train: Sentences,
    test: Sentences,
    few: Sentences,
) -> None:
    """Print two lines: fit on `train`; score of `test`, by NLTK of `few`."""
    model, other = NgramModel(ORDER, smoothing).fit(train), fitted(theirs, train)
    fit = timings(lambda: model.fit(train), lambda: fitted(theirs, train))
    score = timings(
        lambda: model.perplexity(test), lambda: other.perplexity([*trigrams(few)])
    )
    for what, (our, their), texts in [
        ("fit", fit, (train, train)),
        ("score", score, (test, few)),
    ]:
        our, their = tokens(texts[0]) / our.best, tokens(texts[1]) / their.best
        print(f"{f'{name} {what}':20}{our:12,.0f}{their:12,.0f}{our / their:8.1f} x")


def main() -> None:
    corpus = python_reference()
    train, test = corpus.train, corpus.test
    few = test[:NLTK_SENTENCES]
    print(f"order {ORDER}: fit {tokens(train)} tokens, score {tokens(test)}")
    print(f"(NLTK's Kneser-Ney scores the first {tokens(few)} of them)")
    print(f"{'tokens a second':20}{'ours':>12}{'NLTK':>12}{'ratio':>10}")
    compare("MLE", MaximumLikelihood(), MLE, train, test, test)
    compare("Kneser-Ney", KneserNey(0.1), KneserNeyInterpolated, train, test, few)


if __name__ == "__main__":
    main()
