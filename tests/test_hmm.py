"""Hidden Markov models: by hand, against all paths and hmmlearn, laws, refusals."""

import math
from itertools import product

import numpy as np
import pytest
from hmmlearn.hmm import CategoricalHMM

from lookback.fast.hmm import BATCH, interpolated
from lookback.hmm import (
    HiddenMarkovModel,
    SuffixModel,
    backward,
    em_iteration,
    forward,
    viterbi,
)
from lookback.ngram import END, START

# The example of the chapter: nouns and verbs, the words *fish*, *can* and *they*.
# Rows and columns: the edge, N, V.
A = [[0, 3 / 4, 1 / 4], [1 / 4, 1 / 4, 1 / 2], [1 / 2, 1 / 4, 1 / 4]]
B = [[1 / 4, 1 / 2], [1 / 4, 1 / 2], [1 / 2, 0]]  # fish, can, they
TOY = HiddenMarkovModel.from_parameters(["N", "V"], ["fish", "can", "they"], A, B)
SENTENCE = ["they", "can", "fish"]


def random_model(order: int, tags: int = 3, words: int = 5, seed: int = 0):
    random = np.random.default_rng(seed)
    shape = (tags + 1,) * order
    move, write = random.random(shape), random.random((words, tags))
    move[(0,) * order] = 0
    names = [f"t{n}" for n in range(tags)]
    return HiddenMarkovModel.from_parameters(
        names,
        [f"w{n}" for n in range(words)],
        move / move.sum(axis=-1, keepdims=True),
        write / write.sum(axis=0),
    )


def paths(model, words):
    """log P(w, t) of all sequences of tags."""
    every = product(model.tags, repeat=len(words))
    return {tags: model.log_joint(words, tags) for tags in every}


def texts(model, sentences=7, seed=1):
    random = np.random.default_rng(seed)
    types = [*model.words]
    return [
        [types[n] for n in random.integers(len(types), size=random.integers(1, 6))]
        for _ in range(sentences)
    ]


# --- by hand -------------------------------------------------------------------------


def test_the_toy_by_hand() -> None:
    # The end: 1/4 after N, 1/2 after V: 15/8192 + 18/2048 = 87/8192.
    total = 87 / 8192
    assert TOY.log_likelihood([SENTENCE]) == pytest.approx(math.log(total))
    # N V N ends with 3/32 · 1/4 · 1/4 · 1/4 = 3/2048, N V V with 3/32 · 1/4 · 1/2 · 1/2
    # = 12/2048, N N V with 3/128 · 1/2 · 1/2 · 1/2 = 6/2048.
    assert TOY.viterbi(SENTENCE) == ("N", "V", "V")
    assert TOY.log_joint(SENTENCE, ["N", "V", "V"]) == pytest.approx(
        math.log(12 / 2048)
    )
    assert TOY.posterior(SENTENCE)[1] == pytest.approx([27 / 87, 60 / 87])
    assert TOY.log_joint(SENTENCE, ["V", "V", "V"]) == -math.inf


def in_dictionaries(model):
    """The transitions and emissions of a bigram model that are not 0, by names."""
    before, after = [START, *model.tags], [END, *model.tags]
    transitions = {
        (before[s], after[t]): p for (s, t), p in np.ndenumerate(model.transition) if p
    }
    words = [*model.words]
    emissions = {
        (after[t], words[w]): p for (w, t), p in np.ndenumerate(model.emission) if p
    }
    return transitions, emissions


def test_the_toy_by_hand_in_dictionaries() -> None:
    # they/N: 3/4 · 1/2 = 3/8; they/V: 0. can/N: 3/8 · 1/4 · 1/4 = 3/128,
    # can/V: 3/8 · 1/2 · 1/2 = 3/32. fish/N: (3/128 · 1/4 + 3/32 · 1/4) · 1/4 = 15/2048;
    # fish/V: (3/128 · 1/2 + 3/32 · 1/4) · 1/2 = 9/512 = 36/2048.
    tables = in_dictionaries(TOY)
    start, *alpha = forward(SENTENCE, *tables)
    assert start == {START: 1}
    assert alpha[0] == {"N": pytest.approx(3 / 8)}
    assert alpha[1] == {"N": pytest.approx(3 / 128), "V": pytest.approx(3 / 32)}
    assert alpha[2] == {"N": pytest.approx(15 / 2048), "V": pytest.approx(36 / 2048)}
    beta = backward(SENTENCE, *tables)
    assert beta[0][START] == pytest.approx(87 / 8192)
    assert beta[3] == {"N": 1 / 4, "V": 1 / 2}
    assert viterbi(SENTENCE, *tables) == ["N", "V", "V"]


def test_the_trellis_by_hand() -> None:
    delta, back = TOY.trellis(SENTENCE)
    by_hand = [[3 / 8, 0], [3 / 128, 3 / 32], [3 / 512, 3 / 256]]
    assert np.exp(delta[:, 1:]) == pytest.approx(np.array(by_hand))
    assert (delta[:, 0] == -np.inf).all()
    assert back[2, 1:].tolist() == [2, 2]  # fish comes after can/V
    assert back[3, 0] == 2


def test_an_impossible_sentence_has_as_few_impossible_steps_as_can_be() -> None:
    text = [(["the", "king"], ["D", "N"]), (["a", "king", "reads"], ["D", "N", "V"])]
    for order in (2, 3):
        model = HiddenMarkovModel(order).fit(text * 3)
        assert model.viterbi(["reads", "the", "king"]) == ("V", "D", "N")
        assert model.viterbi(["king", "a"]) == ("N", "D")


def test_counts_by_hand() -> None:
    text = [(["a", "b"], ["X", "Y"]), (["a"], ["X"]), (["b", "b"], ["Y", "Y"])]
    model = HiddenMarkovModel().fit(text)
    assert model.tags == ("X", "Y") and [*model.words] == ["a", "b"]
    assert model.emission == pytest.approx(np.array([[0, 1, 0], [0, 0, 1]]))
    assert model.transition.sum(axis=1) == pytest.approx(np.ones(3))
    assert model.parameters == 2 + 9 + 4  # endings: none with X and Y, a, b
    # Single tags: edge 3, X 2, Y 3. Pairs: edge X 2, edge Y 1, X Y 1, X edge 1, Y Y 1,
    # Y edge 2. Of edge X the pair says (2-1)/(3-1) = 1/2, the single tag (2-1)/7; of
    # edge Y 0 and 2/7; of X Y 0 and 2/7; X edge 0, 2/7; Y Y 0, 2/7; Y edge 1/2, 2/7.
    # So pairs get 2 + 2 of 8, single tags 4 of 8.
    single, pair = np.array([3, 2, 3]) / 8, np.array([0, 2, 1]) / 3
    assert model.transition[0] == pytest.approx((single + pair) / 2)


def test_interpolation_prefers_the_longest_of_equals() -> None:
    counts = [np.array([4.0, 4.0]), np.array([[0.0, 4.0], [4.0, 0.0]])]
    assert interpolated(counts) == pytest.approx(np.array([[0, 1], [1, 0]]))


def test_an_n_gram_is_left_out_of_its_own_context_too() -> None:
    # Pair (1, 1) occurs twice after 1, which occurs twice: (2-1)/(2-1) = 1. Alone 1 has
    # (5-1)/(8-1) = 4/7. If 1 were not taken off the context, 1/2 would lose to 4/8.
    # Pair (0, 1) has (3-1)/(6-1) = 2/5 and loses; (0, 0) has 2/5 and wins over 2/7.
    counts = [np.array([3.0, 5.0]), np.array([[3.0, 3.0], [0.0, 2.0]])]
    single, pair = np.array([3, 5]) / 8, np.array([[1 / 2, 1 / 2], [0, 1]])
    assert interpolated(counts) == pytest.approx((3 * single + 5 * pair) / 8)


def test_a_context_that_occurs_once_says_nothing() -> None:
    # Single tags: (3-1)/(4-1) = 2/3 for 0, nothing for 1. Pairs: after 0 (2-1)/(3-1) =
    # 1/2 and 0; after 1, which occurs once, 0. So the pair (0, 1) alone gets its 1.
    counts = [np.array([3.0, 1.0]), np.array([[2.0, 1.0], [1.0, 0.0]])]
    single, pair = np.array([3, 1]) / 4, np.array([[2 / 3, 1 / 3], [1, 0]])
    assert interpolated(counts) == pytest.approx((3 * single + pair) / 4)


def test_unknown_words_by_their_suffixes_by_hand() -> None:
    words = {"going": [0, 3, 0], "king": [0, 0, 1], "Bo": [0, 0, 6]}
    counts = {w: np.array(c, float) for w, c in words.items()}
    model = SuffixModel(2, rare=None).fit(counts)
    share = np.array([0, 0.3, 0.7])
    theta = np.std([0.3, 0.7], ddof=1)
    p = (np.array([0, 3 / 4, 1 / 4]) + theta * share) / (1 + theta)  # no letter
    for _ in range(2):  # -g, -ng
        p = (np.array([0, 3 / 4, 1 / 4]) + theta * p) / (1 + theta)
    assert model.probabilities("sing") == pytest.approx(p)
    capital = (np.array([0, 0, 1]) + theta * share) / (1 + theta)
    assert model.probabilities("Ann") == pytest.approx(capital)  # no Bo, no king
    assert model.probabilities("sing").sum() == pytest.approx(1)


def test_which_words_are_counted() -> None:
    counts = {"ab": np.array([0.0, 1, 0]), "cb": np.array([0.0, 0, 5])}
    alike = SuffixModel(0, rare=None).fit(counts)
    assert alike.probabilities("x") == pytest.approx(np.array([0, 1 / 6, 5 / 6]))
    once = SuffixModel(0, rare=1).fit(counts)
    assert once.probabilities("cb") == pytest.approx(np.array([0, 1, 0]))
    ten = {"ab": np.array([0.0, 10, 0]), "cb": np.array([0.0, 0, 11])}
    assert SuffixModel(0).fit(ten).probabilities("x") == pytest.approx([0, 1, 0])
    none = SuffixModel(1, rare=1).fit({"a": np.array([0.0, 2, 0])})  # no rare word
    assert none.probabilities("x")[1] == pytest.approx(1)


# --- against all paths, and hmmlearn -------------------------------------------------


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("length", [1, 2, 5])
def test_sums_and_best_are_those_of_all_paths(order: int, length: int) -> None:
    model = random_model(order)
    words = [f"w{n}" for n in (3, 0, 4, 0, 1)][:length]
    every = paths(model, words)
    total = np.logaddexp.reduce([*every.values()])
    assert model.log_likelihood([words]) == pytest.approx(total)
    assert model.viterbi(words) == max(every, key=every.__getitem__)
    posterior = np.zeros((length, 3))
    for tags, p in every.items():
        for i, tag in enumerate(tags):
            posterior[i, model.tags.index(tag)] += math.exp(p - total)
    assert model.posterior(words) == pytest.approx(posterior)


@pytest.mark.parametrize("seed", range(3))
def test_arrays_compute_what_dictionaries_say(seed: int) -> None:
    model = random_model(2, seed=seed)
    tables, text = in_dictionaries(model), texts(model, seed=seed)
    for words in text:
        alpha, beta = forward(words, *tables), backward(words, *tables)
        total = beta[0][START]
        assert math.log(total) == pytest.approx(model.log_likelihood([words]))
        both = [
            [a[tag] * b[tag] / total for tag in model.tags]
            for a, b in zip(alpha[1:], beta[1:], strict=True)
        ]
        assert model.posterior(words) == pytest.approx(np.array(both))
        assert viterbi(words, *tables) == [*model.viterbi(words)]
    transitions, emissions = em_iteration(text, *tables)
    model.baum_welch(text, 1)
    new = in_dictionaries(model)
    assert transitions == pytest.approx(new[0]) and emissions == pytest.approx(new[1])


def test_equal_to_hmmlearn() -> None:
    """It has no end. Where all tags end with 1/5, ours is (4/5)^(T-1) / 5 of its."""
    random = np.random.default_rng(3)
    start, move, write = random.random(3), random.random((3, 3)), random.random((5, 3))
    start, write = start / start.sum(), write / write.sum(axis=0)
    move /= move.sum(axis=1, keepdims=True)
    theirs = CategoricalHMM(3, params="e", init_params="", n_iter=1, tol=-math.inf)
    theirs.startprob_, theirs.transmat_, theirs.emissionprob_ = start, move, write.T
    whole = np.zeros((4, 4))
    whole[0, 1:], whole[1:, 1:], whole[1:, 0] = start, 4 / 5 * move, 1 / 5
    ours = HiddenMarkovModel.from_parameters("xyz", "abcde", whole, write)
    text = [[*"abcadeab"], [*"dde"], [*"ceb"]]
    ids = [np.array([["abcde".index(w)] for w in words]) for words in text]
    for words, each in zip(text, ids, strict=True):
        end = (len(words) - 1) * math.log(4 / 5) + math.log(1 / 5)
        assert ours.log_likelihood([words]) == pytest.approx(theirs.score(each) + end)
        assert ours.posterior(words) == pytest.approx(theirs.predict_proba(each))
        states = ["xyz"[n] for n in theirs.predict(each)]
        assert ours.viterbi(words) == tuple(states)
    theirs.fit(np.concatenate(ids), [len(words) for words in text])
    ours.baum_welch(text, 1)
    assert ours.emission[:, 1:] == pytest.approx(theirs.emissionprob_.T)


# --- laws ----------------------------------------------------------------------------


@pytest.mark.parametrize("order", [2, 3])
def test_the_likelihood_never_falls(order: int) -> None:
    model = random_model(order)
    found = model.baum_welch(texts(model, 30), 12)
    assert len(found) == 13 and (np.diff(found) > -1e-9).all()
    assert found[-1] > found[0] + 1
    assert model.baum_welch(texts(model, 30), 0) == [pytest.approx(found[-1])]


def test_many_sentences_are_as_one_after_the_other() -> None:
    model = random_model(2)
    text = [*texts(model, 40), *[["w1", "w2"]] * (BATCH + 1)]
    each = sum(model.log_likelihood([words]) for words in text)
    assert model.log_likelihood(text) == pytest.approx(each)
    assert model.tag(text) == [model.viterbi(words) for words in text]


def test_long_sentences_do_not_underflow() -> None:
    words = ["fish", "can"] * 800
    assert -4000 < TOY.log_likelihood([words]) < -1000
    assert len(TOY.viterbi(words)) == 1600
    assert TOY.posterior(words).sum(axis=1) == pytest.approx(np.ones(1600))


def test_words_that_are_new_enter_as_if_they_had_occurred_once() -> None:
    model = HiddenMarkovModel().fit([(["the", "king"], ["D", "N"])] * 3)
    row = model.unknown.probabilities("ring") / np.array([1, 3, 3])
    model.baum_welch([["the", "ring"]], 0)
    assert [*model.words] == ["the", "king", "ring"]
    assert model.emission[2] == pytest.approx(row / (1 + row))
    assert model.emission[:, 1:].sum(axis=0) == pytest.approx(np.ones(2))
    assert model.viterbi(["the", "sing"]) == ("D", "N")
    model.baum_welch([["the", "queen"], ["the", "duke"]], 0)
    assert [*model.words.values()] == [0, 1, 2, 3, 4] and len(model.emission) == 5


# --- refusals ------------------------------------------------------------------------

FIT = HiddenMarkovModel().fit
MAKE = HiddenMarkovModel.from_parameters


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: FIT([(["a", "b"], ["X"])]), "has 2 words and 1 tags: expected one"),
        (lambda: FIT([(["a"], ["X"]), ([], [])]), "has 0 words and 0 tags"),
        (lambda: FIT([]), "has 0 words and 0 tags"),
        (lambda: FIT([(["a"], "X")]), "expected a list of words"),
        (lambda: TOY.viterbi(["dog"]), "word 'dog' was never read"),
        (lambda: TOY.viterbi([]), "no words: expected at least one"),
        (lambda: TOY.tag(["fish"]), "expected a list of words"),
        (lambda: TOY.log_likelihood([[1]]), "expected a list of words"),
        (lambda: viterbi(["dog"], *in_dictionaries(TOY)), "no sequence of tags writes"),
        (lambda: em_iteration([["dog"]], *in_dictionaries(TOY)), "no sequence of tags"),
        (lambda: HiddenMarkovModel(4), "order must be a whole number from 2 to 3"),
        (lambda: MAKE("NV", "ab", np.eye(2), np.ones((2, 2))), r"shape \(2, 2\) and"),
        (lambda: MAKE("NV", "ab", np.eye(3), np.ones((2, 3))), r"emission \(2, 3\): "),
        (lambda: HiddenMarkovModel().viterbi(["a"]), "no tags yet"),
        (lambda: TOY.baum_welch([SENTENCE], -1), "steps must be a whole number ≥ 0"),
        (lambda: SuffixModel().probabilities("a"), "no counts yet"),
    ],
)  # fmt: skip
def test_input_validation(call, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()
