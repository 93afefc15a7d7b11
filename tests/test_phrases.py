"""Phrases: by hand, against NLTK and plain forms, laws, refusals."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.gdfa import grow_diag_final_and
from nltk.translate.phrase_based import phrase_extraction

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


def pharaoh(links) -> str:
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


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


def test_a_neighbour_needs_one_word_without_a_link():
    forward = {(0, 0), (1, 1), (0, 1)}
    backward = {(0, 0), (1, 1)}
    assert symmetrise(forward, backward, "grow-diag") == {(0, 0), (1, 1)}
    assert symmetrise(forward, backward, "grow-diag-final") == {(0, 0), (1, 1)}
    # but one word is enough
    assert symmetrise({(0, 0), (0, 1)}, {(0, 0)}, "grow-diag") == {(0, 0), (0, 1)}
    assert symmetrise({(0, 0), (1, 0)}, {(0, 0)}, "grow-diag") == {(0, 0), (1, 0)}


def test_grow_diag_final_by_hand():
    steps = list(grow_diag_final({(0, 0), (1, 1), (2, 2)}, {(0, 0), (2, 2), (4, 4)}))
    assert steps == [
        ("intersection", (0, 0)),
        ("intersection", (2, 2)),
        ("grow-diag", (1, 1)),
        ("final", (4, 4)),
    ]
    # What joins is a neighbour itself from then on, and final is forward first.
    chain = {(0, 0), (1, 1), (2, 2), (3, 3)}
    assert symmetrise(chain, {(0, 0)}, "grow-diag") == chain
    assert list(grow_diag_final({(3, 3)}, {(3, 5)})) == [("final", (3, 3))]


def test_extract_phrases_by_hand():
    found = extract_phrases(LINKS, 4, 4)
    # the – la; green – verte; house – maison; . – .; green house – maison verte; …
    spans = {((i, e), (j, s)) for (i, e), (j, s) in found}
    assert spans == {
        ((0, 1), (0, 1)),
        ((1, 2), (2, 3)),
        ((2, 3), (1, 2)),
        ((3, 4), (3, 4)),
        ((1, 3), (1, 3)),
        ((0, 3), (0, 3)),
        ((1, 4), (1, 4)),
        ((0, 4), (0, 4)),
    }
    assert len(found) == len(spans)
    assert found == sorted(found)
    assert isinstance(found[0], PhrasePair)
    # the green is no phrase: la … verte holds maison, which is linked to house
    assert all(source != (0, 2) for source, _ in found)
    assert {p for p in spans if p[0][1] - p[0][0] < 3} == {
        (p.source, p.target) for p in extract_phrases(LINKS, 4, 4, 2)
    }


def test_words_without_links_widen_a_phrase():
    # does not sleep – ne dort pas: does has no link
    links = {(1, 0), (1, 2), (2, 1)}
    found = extract_phrases(links, 3, 3)
    assert found == [((0, 3), (0, 3)), ((1, 3), (0, 3)), ((2, 3), (1, 2))]
    # and on the other side: b has no link, and goes with either, both, or none
    assert [p.target for p in extract_phrases({(0, 1)}, 1, 3)] == [
        (1, 2),
        (1, 3),
        (0, 2),
        (0, 3),
    ]
    assert [p.target for p in extract_phrases({(0, 1)}, 1, 3, 2)] == [
        (1, 2),
        (1, 3),
        (0, 2),
    ]
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


def consistent(pair, links) -> bool:
    """The definition, word for word."""
    (i, end), (j, stop) = pair
    inside = [(i <= a < end, j <= b < stop) for a, b in links]
    return any(a and b for a, b in inside) and all(a == b for a, b in inside)


@given(scattered(), st.integers(1, 5))
def test_with_a_limit_phrases_equal_the_definition(aligned, limit):
    links, S, T = aligned
    expected = {
        ((i, end), (j, stop))
        for i in range(S)
        for end in range(i + 1, min(S, i + limit) + 1)
        for j in range(T)
        for stop in range(j + 1, min(T, j + limit) + 1)
        if consistent(((i, end), (j, stop)), links)
    }
    found = extract_phrases(links, S, T, limit)
    assert set(found) == expected
    assert len(found) == len(expected)
    back = extract_phrases(flipped(links), T, S, limit)
    assert {(t, s) for s, t in back} == expected


def test_a_phrase_of_nltk_that_is_not_consistent():
    # never – ne jamais: with a limit of one word NLTK cuts the target off
    links = {(0, 0), (0, 1)}
    theirs = phrase_extraction("never", "ne jamais", sorted(links), 1)
    assert ((0, 1), (0, 1), "never", "ne") in theirs
    assert extract_phrases(links, 1, 2, 1) == []


@given(two_ways())
def test_nltks_grow_diag_final_and_is_the_union(links):
    forward, backward, S, T = links
    theirs = grow_diag_final_and(S, T, pharaoh(forward), pharaoh(backward))
    assert set(theirs) == forward | backward


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


@given(two_ways())
def test_union_and_intersection_enclose_all_others(links):
    forward, backward, _, _ = links
    sizes = []
    for how in ("grow-diag", "grow-diag-final-and", "grow-diag-final"):
        found = symmetrise(forward, backward, how)
        assert forward & backward <= found <= forward | backward
        sizes.append(len(found))
    assert sizes == sorted(sizes)
    for how in ("union", "intersection"):
        turned = symmetrise(flipped(forward), flipped(backward), how)
        assert flipped(turned) == symmetrise(forward, backward, how)


# --- refusals ------------------------------------------------------------------------


def test_bad_input_is_refused():
    message = r"has the link \(4, 0\): expected a source position < 4 and a target"
    with pytest.raises(ValueError, match=message):
        extract_phrases({(4, 0)}, 4, 4)
    with pytest.raises(ValueError, match=message):
        PhraseTable.fit([GREEN, GREEN], [LINKS, {(4, 0)}])
    for link in ((0, -1), (-1, 0)):  # which would count from the end
        with pytest.raises(ValueError, match="has the link"):
            extract_phrases({link}, 4, 2)
    with pytest.raises(ValueError, match=r"how must be one of .*, got 'both'"):
        symmetrise(set(), set(), "both")
    with pytest.raises(ValueError, match="zip"):
        PhraseTable.fit([GREEN, GREEN], [LINKS])
    with pytest.raises(ValueError, match="expected alignments with links"):
        PhraseTable.fit([GREEN], [set()])
    with pytest.raises(ValueError, match="expected sentence pairs, got none"):
        PhraseTable.fit([], [])
    with pytest.raises(ValueError, match="at_most must be a whole number ≥ 1"):
        PhraseTable.fit([GREEN], [LINKS], at_most=0)
    with pytest.raises(ValueError, match="expected a list of words"):
        PhraseTable.fit([GREEN], [LINKS]).options("the")
