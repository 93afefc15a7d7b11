"""Hand-made features: by hand, against scikit-learn, its own laws."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from kit import generator
from lookback.features import (
    FeatureTagger,
    LinearSVM,
    NaiveBayes,
    features,
    shape,
)

EXAMPLES = [
    ("before=the suffix=s", "NOUN"),
    ("before=the suffix=t", "NOUN"),
    ("before=the suffix=s", "NOUN"),
    ("before=she suffix=s", "VERB"),
    ("before=she suffix=s", "VERB"),
    ("before=they suffix=t", "VERB"),
]
ROWS, LABELS = [r.split() for r, _ in EXAMPLES], [tag for _, tag in EXAMPLES]
THE_ZORPS = ["before=the", "suffix=s"]


def sample(N=60, C=3, V=12, seed=0):
    """N rows of 1 to 5 of V features, and C classes that depend on them a little."""
    dice = np.random.default_rng(seed)
    rows, labels = [], []
    for _ in range(N):
        c = int(dice.integers(C))
        liked = {int(f) for f in dice.integers(c * 3, c * 3 + 6, 3)}
        rows.append([f"f{f}" for f in liked | {int(dice.integers(V))}])
        labels.append("abc"[c])
    return rows, labels


def matrix(rows, columns):
    """Rows as scikit-learn wants them: zeros and ones, in our order of columns."""
    X = np.zeros((len(rows), len(columns)))
    for i, row in enumerate(rows):
        for f in row:
            X[i, columns[f]] = 1
    return X


# --- by hand -------------------------------------------------------------------------


def test_naive_bayes_by_hand():
    model = NaiveBayes(1.0).fit(ROWS, LABELS)
    assert model.classes == ("NOUN", "VERB")
    assert np.exp(model.b) == pytest.approx([1 / 2, 1 / 2])
    the = np.exp(model.W[model.columns["before=the"]])
    assert the == pytest.approx([4 / 11, 1 / 11])
    assert np.exp(model.log_proba([THE_ZORPS])) == pytest.approx(np.array([[0.8, 0.2]]))
    assert model.predict([THE_ZORPS, ["before=she"]]) == ["NOUN", "VERB"]


def test_the_prior_counts_classes():
    model = NaiveBayes(2.0).fit([["a"], ["a"], ["b"]], ["x", "x", "y"])
    assert np.exp(model.b) == pytest.approx([2 / 3, 1 / 3])
    assert np.exp(model.W) == pytest.approx(np.array([[4 / 6, 2 / 5], [2 / 6, 3 / 5]]))


def test_the_first_corrections_of_the_svm_by_hand():
    # the dogs, she runs, the cat: hinge, C = 1
    rows, labels = [ROWS[0], ROWS[3], ROWS[1]], ["NOUN", "VERB", "NOUN"]
    model = LinearSVM(1.0, "hinge", 1).fit(rows[:2], labels[:2])
    assert [*model.columns] == ["before=the", "suffix=s", "before=she"]
    assert model.W[:, 0] == pytest.approx([1 / 3, -2 / 9, -5 / 9])
    assert model.b == pytest.approx([-2 / 9, 2 / 9])
    # s = 1/3 - 2/9 = 1/9, so the cat pulls 8/9 / 3 = 8/27
    model = LinearSVM(1.0, "hinge", 1).fit(rows, labels)
    assert model.W[model.columns["suffix=t"], 0] == pytest.approx(8 / 27)
    assert model.b[0] == pytest.approx(8 / 27 - 2 / 9)


def test_no_pull_exceeds_c_and_the_square_gives_way():
    rows, labels = [["f"], ["f"]], ["a", "b"]  # cannot be told apart
    model = LinearSVM(0.125, "hinge", 1).fit(rows, labels)
    assert model.W[0, 0] == 0  # 1/8 each way, where 1/2 and more would have been taken
    # squared, C = 1/8: D = 4, first pull 1 / (2 + 4)
    first = LinearSVM(0.125, epochs=1).fit([["f"], ["g"]], ["a", "b"])
    assert first.W[first.columns["f"], 0] == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("word", "found"),
    [("GoogleOS", "XxX"), ("2004", "d"), ("e-mail", "x-x"), ("U.S.", "X.X."), ("", "")],
)
def test_shapes(word, found):
    assert shape(word) == found


def test_every_template_by_hand():
    words = ("In", "Paris", "it", "RAINED", "hard", ".")
    found = dict(f.split("=") for f in features(words, 3))
    assert found == {
        "word": "RAINED", "lower": "rained", "shape": "X", "shape, first": "X False",
        "prefix 2": "ra", "prefix 3": "rai", "suffix 1": "d", "suffix 2": "ed",
        "suffix 3": "ned", "before": "it", "after": "hard", "two before": "paris",
        "two after": ".", "before, word": "it rained", "word, after": "rained hard",
        "before, after": "it hard",
    }  # fmt: skip
    assert features(["In"], 0, ["before", "two after", "shape, first"]) == [
        "before=<s>", "two after=</s>", "shape, first=Xx True"
    ]  # fmt: skip
    assert features(["a", "b"], 1, ["two before"]) == ["two before=<s>"]


# --- against the reference -----------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.1, 1.0, 3.0])
def test_naive_bayes_is_that_of_scikit_learn(alpha):
    rows, labels = sample()
    model = NaiveBayes(alpha).fit(rows, labels)
    X = matrix(rows, model.columns)
    theirs = MultinomialNB(alpha=alpha).fit(X, labels)
    assert np.abs(model.W.T - theirs.feature_log_prob_).max() < 1e-12
    assert np.abs(model.b - theirs.class_log_prior_).max() < 1e-12
    assert np.abs(model.log_proba(rows) - theirs.predict_log_proba(X)).max() < 1e-10
    assert model.predict(rows) == theirs.predict(X).tolist()


@pytest.mark.parametrize("C", [0.1, 1.0])
@pytest.mark.parametrize("loss", ["hinge", "squared hinge"])
def test_the_svm_is_that_of_scikit_learn(loss, C):
    rows, labels = sample(40)
    model = LinearSVM(C, loss, 500).fit(rows, labels, generator())
    X = matrix(rows, model.columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = LinearSVC(
            C=C, loss=loss.replace(" ", "_"), tol=1e-12, max_iter=10**6, random_state=0
        ).fit(X, labels)
    assert np.abs(model.W.T - theirs.coef_).max() < 1e-7
    assert np.abs(model.b - theirs.intercept_).max() < 1e-7
    assert np.abs(model.scores(rows) - theirs.decision_function(X)).max() < 1e-6


# --- laws ----------------------------------------------------------------------------


def test_an_order_is_drawn_and_repeats():
    rows, labels = sample()
    one, two, other = (
        LinearSVM(1.0, epochs=1).fit(rows, labels, generator(seed))
        for seed in (0, 0, 1)
    )
    assert (one.W == two.W).all() and not np.allclose(one.W, other.W)
    plain = LinearSVM(1.0, epochs=1).fit(rows, labels)
    again = LinearSVM(1.0, epochs=1).fit(rows, labels)
    assert (plain.W == again.W).all()


@pytest.mark.parametrize("model", [NaiveBayes(), LinearSVM()])
def test_a_feature_never_met_says_nothing(model):
    model.fit(ROWS, LABELS)
    assert (model.scores([["new=1"]])[0] == model.b).all()
    known = model.scores([["suffix=s", "new=1"], ["suffix=s"], []])
    assert (known[0] == known[1]).all() and (known[2] == model.b).all()
    assert model.scores([]).shape == (0, 2)


def test_a_tagger_gives_a_tag_to_each_word():
    sentences = [("the", "dogs", "run"), ("she", "runs")]
    tags = [("DET", "NOUN", "VERB"), ("PRON", "VERB")]
    tagger = FeatureTagger(NaiveBayes(0.1)).fit(sentences, tags)
    assert tagger.tag(sentences) == tags
    assert [len(t) for t in tagger.tag([("a",), ("b", "c")])] == [1, 2]
    assert tagger.tag([]) == []
    assert tagger.parameters == (len(tagger.model.columns) + 1) * 4
    short = FeatureTagger(LinearSVM(), ["word", "suffix 1"])
    assert short.rows([("runs",)]) == [["word=runs", "suffix 1=s"]]
