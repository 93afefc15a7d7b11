"""Words a second of the hidden Markov tagger, and of hmmlearn's.

hmmlearn knows bigrams only, one sentence at a time, and no unknown words.
"""

from functools import partial

import numpy as np
from hmmlearn.hmm import CategoricalHMM
from run import speeds

from lookback.hmm import HiddenMarkovModel
from lookback.text.corpora import grammar
from lookback.text.corpus import tagged


def twin(model: HiddenMarkovModel) -> CategoricalHMM:
    """The same numbers, without the end."""
    theirs = CategoricalHMM(len(model.tags), init_params="", n_iter=1)
    inside = model.transition[:, 1:]
    shares = inside / inside.sum(axis=1, keepdims=True)
    theirs.startprob_, theirs.transmat_ = shares[0], shares[1:]
    theirs.emissionprob_ = model.emission[:, 1:].T
    theirs.n_features = len(model.words)
    return theirs


def main() -> None:
    text = tagged(grammar(pairs=2500).train)
    words = [sentence.words for sentence in text]
    two = HiddenMarkovModel(2).fit(text)
    theirs = twin(two)
    ids = [np.array([[two.words[w]] for w in row]) for row in words]
    rows = {
        "Viterbi, bigrams": {
            "ours": partial(two.tag, words),
            "hmmlearn": lambda: [theirs.predict(row) for row in ids],
        }
    }
    speeds("words a second", rows, sum(map(len, words)))
