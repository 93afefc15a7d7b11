"""Words a second of the hidden Markov tagger, and of hmmlearn's, one process.

Run it with `python bench/hmm.py`. They take turns, and each figure is the best of three
runs. hmmlearn knows bigrams only, one sentence at a time, and no unknown words.
"""

from functools import partial

import numpy as np
from hmmlearn.hmm import CategoricalHMM

from lookback.hmm import HiddenMarkovModel
from lookback.measure import timing, timings
from lookback.text.corpora import grammar
from lookback.text.tagged import tagged

PAIRS, TURNS = 2500, 3


def twin(model: HiddenMarkovModel) -> CategoricalHMM:
    """The same numbers, without the end."""
    theirs = CategoricalHMM(len(model.tags), init_params="", n_iter=1)
    inside = model.transition[:, 1:]
    shares = inside / inside.sum(axis=1, keepdims=True)
    theirs.startprob_, theirs.transmat_ = shares[0], shares[1:]
    theirs.emissionprob_ = model.emission[:, 1:].T
    theirs.n_features = len(model.words)
    return theirs


def best_paths(model: CategoricalHMM, ids: list[np.ndarray]) -> None:
    for each in ids:
        model.predict(each)


def main() -> None:
    text = tagged(grammar(pairs=PAIRS).train)
    words = [sentence.words for sentence in text]
    many = sum(map(len, words))
    fits = {n: HiddenMarkovModel(n).fit(text) for n in (2, 3)}
    theirs = twin(fits[2])
    ids = [np.array([[fits[2].words[w]] for w in row]) for row in words]
    runs = timings(
        partial(fits[2].tag, words),
        partial(best_paths, theirs, ids),
        partial(fits[3].tag, words),
        repeats=TURNS,
        warmup=0,
    )
    for name, run in zip(("bigrams", "hmmlearn", "trigrams"), runs, strict=True):
        print(f"Viterbi, {name:10} {many / run.best:10,.0f} words a second")
    step = timing(partial(fits[2].baum_welch, words, 1), repeats=TURNS, warmup=0)
    print(f"a step of Baum–Welch {many / step.best:10,.0f} words a second")


if __name__ == "__main__":
    main()
