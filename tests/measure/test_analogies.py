"""Analogies: small vectors by hand, a slow solver beside, and what must hold.

Mutants killed: the offset's signs; a, b or c not excluded; no unit length; questions
about themselves counted; the bootstrap over questions instead of pairs; argmin.
"""

import numpy as np
import pytest
import torch

from kit import generator
from lookback.measure.analogies import analogy_answers, analogy_scores, mean, unit

# Sexes across, kinds up: every offset is the same before lengths are made 1.
WORDS = ["man", "woman", "king", "queen", "boy", "girl", "tree"]
PLANE = np.array(
    [[-1, 2, 5], [1, 2, 5], [-1, 9, 5], [1, 9, 5], [-1, 5, 5], [1, 5, 5], [0, -3, 1]]
)
PAIRS = [("man", "woman"), ("king", "queen"), ("boy", "girl")]


def babble(V=23, m=5, seed=0):
    words = [f"w{n}" for n in range(V)]
    return words, np.random.default_rng(seed).normal(size=(V, m))


def test_by_hand_in_a_plane():
    found = analogy_answers(PAIRS, WORDS, PLANE)
    assert found.pairs == tuple(PAIRS)
    assert found.questions == 6
    assert found.guesses.tolist() == [[-1, 3, 5], [1, -1, 5], [1, 3, -1]]
    assert found.asked[0, 1].tolist() == [0, 1, 2, 3]
    assert found.asked[2, 0].tolist() == [4, 5, 0, 1]
    assert found.share() == 1
    assert found.share(0) == found.share(1) == found.share(2) == 0


@pytest.mark.parametrize("exclude", [True, False])
@pytest.mark.parametrize("offset", [True, False])
def test_against_a_slow_solver(exclude, offset):
    words, vectors = babble()
    pairs = [(words[2 * k], words[2 * k + 1]) for k in range(6)]
    place = {word: n for n, word in enumerate(words)}

    def slow(a, b, c):
        a, b, c = (place[w] for w in (a, b, c))
        u = [v / np.sqrt((v**2).sum()) for v in vectors]
        goal = u[b] - u[a] + u[c] if offset else u[c]
        cosines = [goal @ v / np.sqrt((goal**2).sum()) for v in u]
        order = sorted(range(len(u)), key=lambda n: -cosines[n])
        return next(n for n in order if not (exclude and n in (a, b, c)))

    found = analogy_answers(pairs, words, vectors, exclude=exclude, offset=offset)
    for i, (a, b) in enumerate(pairs):
        for j, (c, d) in enumerate(pairs):
            if i != j:
                assert found.guesses[i, j] == slow(a, b, c)
                assert [words[n] for n in found.asked[i, j]] == [a, b, c, d]


def test_lengths_do_not_matter_and_arguments_stay():
    words, vectors = babble(seed=1)
    pairs = [(words[2 * k], words[2 * k + 1]) for k in range(5)]
    before = vectors.copy()
    longer = vectors * np.random.default_rng(2).uniform(0.1, 9, size=(len(words), 1))
    one, two = (analogy_answers(pairs, words, v) for v in (vectors, longer))
    assert (one.guesses == two.guesses).all()
    assert (vectors == before).all()
    assert np.linalg.norm(unit(vectors, words), axis=1) == pytest.approx(1)


def test_pairs_with_unknown_words_are_left_out_and_counted():
    more = [("uncle", "aunt"), *PAIRS, ("prince", "queen")]
    found = analogy_answers(more, WORDS, PLANE)
    assert found.pairs == tuple(PAIRS)
    assert found.left_out == 2


def test_a_pair_is_not_asked_about_itself():
    right = np.array([[False, True], [True, False]])
    assert mean(right) == 1
    assert mean(right, np.array([0, 0, 1])) == 1
    assert mean(~right) == 0


def test_the_interval_draws_pairs_not_questions():
    # One pair of 4 is wrong in whatever it stands: 6 of 12 questions.
    right = np.ones((4, 4), dtype=bool)
    right[2] = right[:, 2] = False
    assert mean(right) == 1 / 2
    words, vectors = babble(V=30, seed=3)
    pairs = [(words[2 * k], words[2 * k + 1]) for k in range(12)]
    found = analogy_answers(pairs, words, vectors)
    asked = found.asked.copy()
    asked[..., 3] = np.where(np.add.outer(range(12), range(12)) % 3, -7, found.guesses)
    graded = type(found)(found.pairs, 0, found.guesses, asked)
    interval = graded.accuracy(generator(), samples=400)
    assert interval.value == graded.share()
    assert interval.low <= interval.value <= interval.high
    assert interval.samples == 400
    right = graded.guesses == asked[..., 3]
    rows = torch.randint(12, (12,), generator=generator()).numpy()
    expected = [
        right[i, j] for i in rows for j in rows if i != j
    ]  # the first resample, slowly
    assert graded.accuracy(generator(), samples=1).low == pytest.approx(
        np.mean(expected)
    )
    again = graded.accuracy(generator(), samples=400)
    assert again == interval


def test_scores_of_classes():
    classes = {
        "sex": PAIRS,
        "mixed": [*PAIRS, ("uncle", "aunt")],
        "few": [*PAIRS[:2], ("uncle", "aunt")],
    }
    found = analogy_scores(classes, WORDS, PLANE, generator=generator(), samples=20)
    assert [*found] == ["sex", "mixed"]
    assert found["mixed"].left_out == 1
    score = found["sex"]
    assert (score.pairs, score.questions, score.left_out) == (3, 6, 0)
    assert (score.right.value, score.right.low, score.right.high) == (1, 1, 1)
    assert analogy_scores(classes, WORDS, PLANE, generator=generator(), least=9) == {}


def test_each_share_of_a_score_is_that_of_its_answers():
    words, vectors = babble(V=12, m=3, seed=7)
    pairs = [(words[2 * k], words[2 * k + 1]) for k in range(6)]
    scores = analogy_scores({"all": pairs}, words, vectors, generator=generator())
    shares = {}
    for name, exclude, offset, which in [
        ("alone", True, False, 3),
        ("open", False, True, 3),
        ("is_b", False, True, 1),
        ("is_c", False, True, 2),
    ]:
        answers = analogy_answers(pairs, words, vectors, exclude=exclude, offset=offset)
        shares[name] = answers.share(which)
        assert getattr(scores["all"], name) == shares[name], name
    shares["right"] = analogy_answers(pairs, words, vectors).share()
    assert scores["all"].right.value == shares["right"]
    assert len(set(shares.values())) == 5  # so that none stands in for another


@pytest.mark.parametrize(
    ("pairs", "words", "vectors", "message"),
    [
        (PAIRS[:1], WORDS, PLANE, "two pairs of known words, got 1 of 1"),
        ([("x", "y")] * 3, WORDS, PLANE, "got 0 of 3"),
        (PAIRS, WORDS[1:], PLANE, r"for each of 6 words, got \(7, 3\)"),
        (PAIRS, WORDS, PLANE[0], r"got \(3,\)"),
        (PAIRS, WORDS, PLANE * [[1], [0], [1], [1], [1], [1], [1]], r"\['woman'\]"),
        (PAIRS, WORDS, PLANE * [[1]] * 6 + [[np.nan]] * 7, "length above 0"),
    ],
)
def test_what_cannot_be_asked_is_refused(pairs, words, vectors, message):
    with pytest.raises(ValueError, match=message):
        analogy_answers(pairs, words, vectors)
