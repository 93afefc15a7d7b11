"""Phrases: by hand, against NLTK and plain forms, laws, refusals."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.phrase_based import phrase_extraction

from kit import refuses
from lookback.phrases import (
    HOW,
    SCORES,
    PhrasePair,
    PhraseTable,
    extract_phrases,
    flipped,
    grow_diag_final,
    lexical_weights,
    phrase_table,
    symmetrise,
    word_table,
)

# The example of the chapter: *the green house .* – *la maison verte .*
GREEN = ("the", "green", "house", "."), ("la", "maison", "verte", ".")
LINKS = {(0, 0), (1, 2), (2, 1), (3, 3)}
# In all sentences of these two the probabilities are counted on paper.
PAIRS = [
    GREEN,
    (("the", "house"), ("la", "maison")),
    (("a", "house"), ("une", "maison")),
    (("the", "house"), ("chez", "elle")),
]
ALIGNED = [LINKS, {(0, 0), (1, 1)}, {(0, 0), (1, 1)}, {(1, 0), (1, 1)}]


@st.composite
def scattered(draw, most=6):
    """Links between two sentences, and the lengths of the sentences."""
    S, T = draw(st.integers(1, most)), draw(st.integers(1, most))
    link = st.tuples(st.integers(0, S - 1), st.integers(0, T - 1))
    return draw(st.sets(link)), S, T


@st.composite
def two_ways(draw):
    """One link at most for each word of one side: what two models would say."""
    S, T = draw(st.integers(1, 6)), draw(st.integers(1, 6))

    def one_each(near, far):
        each = st.none() | st.integers(0, far - 1)
        return enumerate(draw(st.lists(each, min_size=near, max_size=near)))

    forward = {(i, j) for j, i in one_each(T, S) if i is not None}
    backward = {(i, j) for i, j in one_each(S, T) if j is not None}
    return forward, backward, S, T


@st.composite
def corpora(draw):
    """Sentences over few words, so that phrases repeat, and their alignments."""
    pairs = [(("a",), ("x",))]  # so that there is a phrase
    aligned = draw(st.lists(scattered(), max_size=8))
    for _, S, T in aligned:
        words = (
            draw(st.lists(st.sampled_from(letters), min_size=n, max_size=n))
            for letters, n in (("abc", S), ("xyz", T))
        )
        pairs.append(tuple(map(tuple, words)))
    return pairs, [{(0, 0)}, *(links for links, _, _ in aligned)]


# --- by hand -------------------------------------------------------------------------


def test_symmetrise_by_hand():
    forward = {(0, 0), (1, 1), (3, 3), (5, 0)}
    backward = {(0, 0), (0, 1), (3, 3), (2, 3), (4, 6)}
    union = forward | backward
    assert symmetrise(forward, backward, "intersection") == {(0, 0), (3, 3)}
    assert symmetrise(forward, backward, "union") == union
    # Neighbours of (0, 0): (0, 1) is straight and comes first; then source word 1 has
    # no link, so (1, 1) joins, too. Of (3, 3): (2, 3), as source word 2 has no link.
    grown = {(0, 0), (3, 3), (0, 1), (1, 1), (2, 3)}
    assert symmetrise(forward, backward, "grow-diag") == grown
    # (5, 0): target word 0 has a link. (4, 6): neither has one.
    assert symmetrise(forward, backward) == grown | {(4, 6)}
    assert symmetrise(forward, backward, "grow-diag-final") == union


def test_grow_diag_final_by_hand():
    steps = list(grow_diag_final({(0, 0), (1, 1), (2, 2)}, {(0, 0), (2, 2), (4, 4)}))
    assert steps == [
        ("intersection", (0, 0)),
        ("intersection", (2, 2)),
        ("grow-diag", (1, 1)),
        ("final", (4, 4)),
    ]
    both = {(1, 0), (0, 1)}  # target word after target word
    assert [link for _, link in grow_diag_final(both, both)] == [(1, 0), (0, 1)]
    # What joins is a neighbour itself from then on, and final is forward first.
    chain = {(0, 0), (1, 1), (2, 2), (3, 3)}
    assert symmetrise(chain, {(0, 0)}, "grow-diag") == chain
    assert list(grow_diag_final({(3, 3)}, {(3, 5)})) == [("final", (3, 3))]


def test_extract_phrases_by_hand():
    found = extract_phrases(LINKS, 4, 4)
    # the – la; the green house – la maison verte; whole; green – verte; green house –
    # maison verte, with the full stop; house – maison; . – .
    assert found == [
        ((0, 1), (0, 1)), ((0, 3), (0, 3)), ((0, 4), (0, 4)), ((1, 2), (2, 3)),
        ((1, 3), (1, 3)), ((1, 4), (1, 4)), ((2, 3), (1, 2)), ((3, 4), (3, 4)),
    ]  # fmt: skip
    # the green is no phrase: la … verte holds maison, which is linked to house
    assert isinstance(found[0], PhrasePair)
    short = [p for p in found if p.source[1] - p.source[0] < 3]
    assert extract_phrases(LINKS, 4, 4, 2) == short


def test_words_without_links_widen_a_phrase():
    # does not sleep – ne dort pas: does has no link
    found = extract_phrases({(1, 0), (1, 2), (2, 1)}, 3, 3)
    assert found == [((0, 3), (0, 3)), ((1, 3), (0, 3)), ((2, 3), (1, 2))]
    # and on the other side: b has no link, and goes with either, both, or none
    targets = [p.target for p in extract_phrases({(0, 1)}, 1, 3)]
    assert targets == [(1, 2), (1, 3), (0, 2), (0, 3)]
    assert extract_phrases(set(), 3, 3) == []


def test_the_phrase_table_by_hand():
    table = PhraseTable.fit(PAIRS, ALIGNED)
    house = {
        o.target: [math.exp(n) for n in o.scores] for o in table.options(["house"])
    }
    # house – maison three times, house – chez elle once. maison comes from house alone,
    # chez elle from house and, as the has no link there, from the house.
    # w(maison | house) = 3/5; w(chez | house) = w(elle | house) = 1/5.
    # w(house | maison) = 1; and w(house | chez) = w(house | elle) = 1.
    assert house == {
        ("maison",): pytest.approx([1, 1, 3 / 4, 3 / 5]),
        ("chez", "elle"): pytest.approx([1 / 2, 1, 1 / 4, 1 / 25]),
    }
    the_house = table.options(("the", "house"))
    assert [o.target for o in the_house] == [("la", "maison"), ("chez", "elle")]
    # the is once without a link: w(the | None) = 1. the house – la maison once of two.
    assert [math.exp(n) for n in the_house[1].scores] == pytest.approx(
        [1 / 2, 1, 1 / 2, 1 / 25]
    )
    assert [math.exp(n) for n in the_house[0].scores] == pytest.approx(
        [1, 1, 1 / 2, 3 / 5]
    )
    assert table.options(["green", "the"]) == ()
    assert len(SCORES) == len(the_house[0].scores) == 4


def test_word_probabilities_by_hand():
    w = word_table(PAIRS, ALIGNED)
    assert w["maison", "house"] == 3 / 5
    assert w["la", "the"] == 1
    back = word_table([(e, f) for f, e in PAIRS], map(flipped, ALIGNED))
    assert back["the", None] == 1
    assert back["house", "elle"] == 1
    # the mean over the links of a word
    mean = lexical_weights(("a", "b"), ("x",), {(0, 0), (1, 0)}, {("x", "a"): 0.5,
                           ("x", "b"): 0.25})  # fmt: skip
    assert mean == [0.375]


def test_the_largest_lexical_weight_counts():
    # x y twice: once each word has its own link, once all are linked with all
    pair = ("a", "b"), ("x", "y")
    full = {(0, 0), (0, 1), (1, 0), (1, 1)}
    table = PhraseTable.fit([pair, pair], [full, {(0, 0), (1, 1)}])
    # w(x | a) = 2/3, w(x | b) = 1/3: (1/2)² against (2/3)²
    (option,) = (o for o in table.options(["a", "b"]) if len(o.target) == 2)
    assert math.exp(option.scores[3]) == pytest.approx(4 / 9)
    assert math.exp(option.scores[1]) == pytest.approx(4 / 9)


# --- against the reference -----------------------------------------------------------


@given(scattered())
def test_without_a_limit_phrases_equal_nltks(aligned):
    links, S, T = aligned
    source, target = (" ".join(map(str, range(n))) for n in (S, T))
    theirs = phrase_extraction(source, target, sorted(links)) if links else set()
    assert set(extract_phrases(links, S, T)) == {(s, t) for s, t, _, _ in theirs}


@given(scattered(), st.integers(1, 5))
def test_with_a_limit_longer_phrases_are_left_out(aligned, limit):
    def short(span):
        return span[1] - span[0] <= limit

    links, S, T = aligned
    every = extract_phrases(links, S, T, max(S, T))
    expected = [pair for pair in every if short(pair.source) and short(pair.target)]
    assert extract_phrases(links, S, T, limit) == expected


def literal(forward, backward, S, T, how):
    """The pseudocode of Koehn et al. 2005, line by line: e is the target."""
    linked = forward & backward
    aligned_e, aligned_f = {j for _, j in linked}, {i for i, _ in linked}
    around = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]

    def add(i, j):
        linked.add((i, j))
        aligned_f.add(i)
        aligned_e.add(j)

    size = -1
    while size < len(linked):
        size = len(linked)
        for e in range(T):
            for f in range(S):
                if (f, e) not in linked:
                    continue
                for df, de in around:
                    f_new, e_new = f + df, e + de
                    one = e_new not in aligned_e or f_new not in aligned_f
                    if one and (f_new, e_new) in forward | backward:
                        add(f_new, e_new)
    if how == "grow-diag":
        return linked
    for links in (forward, backward):
        for e in range(T):
            for f in range(S):
                free = (e not in aligned_e), (f not in aligned_f)
                if (f, e) in links and (all(free) if "and" in how else any(free)):
                    add(f, e)
    return linked


@given(two_ways())
def test_symmetrise_equals_the_pseudocode(links):
    forward, backward, S, T = links
    for how in HOW[2:]:
        expected = literal(forward, backward, S, T, how)
        assert symmetrise(forward, backward, how) == expected


@given(corpora(), st.sampled_from([1, 3, 7]))
def test_the_fast_table_equals_the_plain_one(corpus, max_length):
    pairs, alignments = corpus
    table = PhraseTable.fit(pairs, alignments, max_length, at_most=None)
    plain = phrase_table(pairs, alignments, max_length)
    assert set(table) == plain.keys() and len(table) == sum(map(len, plain.values()))
    for f, row in plain.items():
        options = {o.target: o.scores for o in table.options(f)}
        assert options.keys() == row.keys()
        for e, scores in row.items():
            found = [math.exp(n) for n in options[e]]
            assert found == pytest.approx(scores, rel=1e-9)
    assert all(len(f) <= max_length for f in table) and table.max_length == max_length


# --- laws ----------------------------------------------------------------------------


@given(corpora())
def test_relative_frequencies_sum_to_one(corpus):
    table = PhraseTable.fit(*corpus, at_most=None)
    by_e = Counter()
    for f in table:
        options = table.options(f)
        assert math.fsum(math.exp(o.scores[2]) for o in options) == pytest.approx(1)
        by_e.update({o.target: math.exp(o.scores[0]) for o in options})
    assert list(by_e.values()) == pytest.approx([1] * len(by_e))


def test_the_best_options_are_kept_in_order():
    pairs = [(("a",), (e,)) for n, e in enumerate("wxyz", 1) for _ in range(n)]
    alignments = [{(0, 0)}] * len(pairs)
    whole = PhraseTable.fit(pairs, alignments, at_most=None).options(["a"])
    assert ["".join(option.target) for option in whole] == ["z", "y", "x", "w"]
    few = PhraseTable.fit(pairs, alignments, at_most=3)
    assert few.options(["a"]) == whole[:3] and len(few) == 3


def test_rare_pairs_are_left_out():
    pairs = [(["a"], ["x"])] * 2 + [(["a"], ["y"]), (["b"], ["y"])]
    whole, few = (
        PhraseTable.fit(pairs, [{(0, 0)}] * 4, at_least=least) for least in (1, 2)
    )
    assert few.options(["a"]) == whole.options(["a"])[:1]
    assert len(few) == 1 and [*few] == [("a",)] and few.options(["b"]) == ()


# --- refusals ------------------------------------------------------------------------


OUTSIDE = r"has the link \(4, 0\): expected a source position < 4 and a target"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: extract_phrases({(4, 0)}, 4, 4), OUTSIDE),
        (lambda: PhraseTable.fit([GREEN] * 2, [LINKS, {(4, 0)}]), OUTSIDE),
        # which would count from the end:
        (lambda: extract_phrases({(0, -1)}, 4, 2), "has the link"),
        (lambda: extract_phrases({(-1, 0)}, 4, 2), "has the link"),
        (lambda: symmetrise(set(), set(), "both"), "how must be one of .*, got 'both'"),
        (lambda: PhraseTable.fit([GREEN, GREEN], [LINKS]), "zip"),
        (lambda: PhraseTable.fit([GREEN], [set()]), "expected alignments with links"),
        (lambda: PhraseTable.fit([], []), "expected sentence pairs, got none"),
        (lambda: PhraseTable.fit([GREEN], [LINKS], at_most=0), "at_most must be a who"),
        (lambda: PhraseTable.fit([GREEN], [LINKS]).options("the"), "a list of words"),
    ],
)
def test_refusals(call, says):
    with refuses(says):
        call()
