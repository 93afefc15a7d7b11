"""BLEU: by hand, against sacrebleu itself, by length, and what is refused."""

import logging
import math
import sys

import pytest
import sacrebleu

from kit import generator
from lookback.measure import bleu, bleu_by_length, bleu_counts, bleu_interval
from lookback.measure.bleu import score_of

FOUND = [
    "the cat sits on the red mat .",
    "a dog runs .",
    "he did not see it , she said",
]
WANTED = [
    "the cat sat on the red mat .",
    "a dog runs fast .",
    "he did not see it , she said .",
]


def words(sentences):
    return [tuple(sentence.split()) for sentence in sentences]


def test_by_hand():
    # one sentence of 5 words for 6: 5, 3, 1 n-grams of 5, 4, 3 are right, 0 of 2,
    # which sacrebleu smooths to a half of 1 / 2; brevity penalty exp(1 - 6/5)
    found, wanted = [("a", "b", "c", "x", "d")], [("a", "b", "c", "d", "x", "e")]
    precisions = [5 / 5, 2 / 4, 1 / 3, 0.5 / 2]
    expected = 100 * math.prod(precisions) ** (1 / 4) * math.exp(1 - 6 / 5)
    score = bleu(hypotheses=found, references=wanted)
    assert score.score == pytest.approx(expected)
    counts = bleu_counts(hypotheses=found, references=wanted)
    assert counts.tolist() == [[5, 6, 5, 2, 1, 0, 5, 4, 3, 2]]


def test_against_sacrebleu_on_words():
    reference = sacrebleu.corpus_bleu(FOUND, [WANTED], tokenize="none", force=True)
    score = bleu(hypotheses=words(FOUND), references=words(WANTED))
    assert score.score == pytest.approx(reference.score)
    assert f"|tok:none|smooth:exp|version:{sacrebleu.__version__}" in score.signature
    assert score.signature.startswith("nrefs:1|case:mixed|")
    assert str(score) == f"BLEU {score.score:.1f} ({score.signature})"


def test_against_sacrebleu_on_strings():
    found, wanted = [s.replace(" .", ".") for s in FOUND], WANTED
    reference = sacrebleu.corpus_bleu(found, [wanted])
    score = bleu(hypotheses=found, references=wanted)
    assert score.score == pytest.approx(reference.score)
    assert "|tok:13a|" in score.signature
    tokenized = bleu(hypotheses=words(found), references=words(wanted))
    assert score.score > tokenized.score


def test_its_arguments_are_not_exchanged():
    short, long = [tuple("abcd")], [tuple("abcde")]
    # all right, but too short
    there = bleu(hypotheses=short, references=long).score
    assert there == pytest.approx(100 * math.exp(1 - 5 / 4))
    # long enough, not all right
    back = bleu(hypotheses=long, references=short).score
    assert back == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4))
    with pytest.raises(TypeError):
        bleu(short, long)


def test_perfect_and_useless():
    assert bleu(hypotheses=words(WANTED), references=words(WANTED)).score == (
        pytest.approx(100)
    )
    assert bleu(hypotheses=[("x",)] * 3, references=words(WANTED)).score == 0
    assert bleu(hypotheses=[()] * 3, references=words(WANTED)).score == 0


def test_it_says_nothing(caplog, capfd):
    with caplog.at_level(logging.DEBUG):
        bleu(hypotheses=words(FOUND * 50), references=words(WANTED * 50))
        bleu_counts(hypotheses=words(FOUND * 50), references=words(WANTED * 50))
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("cut", [words, list])
def test_counts_sum_to_the_score_of_the_corpus(cut):
    found, wanted = cut(FOUND), cut(WANTED)
    counts = bleu_counts(hypotheses=found, references=wanted)
    assert counts.shape == (3, 10)
    for some in ([0, 1, 2], [2], [0, 0, 2], [1]):
        score = bleu(
            hypotheses=[found[k] for k in some], references=[wanted[k] for k in some]
        )
        assert score_of(counts[some].sum(axis=0)) == pytest.approx(score.score)


@pytest.mark.parametrize(
    ("found", "wanted", "message"),
    [
        ([], [], "there must be some, got 0 and 0"),
        (FOUND, WANTED[:2], "got 3 and 2"),
        (FOUND[0], WANTED[0], "got one string"),
        (FOUND, WANTED[0], "got one string"),
        (FOUND, words(WANTED), "got both"),
        ([FOUND[0], ("a",)], WANTED[:2], "got both"),
    ],
)
def test_refusals(found, wanted, message):
    for measure in (bleu, bleu_counts):
        with pytest.raises(ValueError, match=message):
            measure(hypotheses=found, references=wanted)


def test_without_sacrebleu_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ModuleNotFoundError, match=r"lookback-attention\[data\]"):
        bleu(hypotheses=FOUND, references=WANTED)


# --- by length


def test_by_length():
    found, wanted = words(FOUND), words(WANTED)
    bins = bleu_by_length(
        hypotheses=found, references=wanted, lengths=[10, 11, 35], edges=[10, 20, 30]
    )
    assert [(b.shortest, b.longest, b.sentences) for b in bins] == [
        (1, 10, 1),
        (11, 20, 1),
        (31, None, 1),
    ]
    for k, part in enumerate(bins):
        alone = bleu(hypotheses=[found[k]], references=[wanted[k]])
        assert part.bleu == alone and part.interval is None


def test_bins_end_at_tens():
    lengths = [1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51, 60, 61, 70, 71, 400]
    bins = bleu_by_length(hypotheses=["a"] * 16, references=["a"] * 16, lengths=lengths)
    ends = [(1, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, 60), (61, 70)]
    assert [(b.shortest, b.longest) for b in bins] == [*ends, (71, None)]
    assert {b.sentences for b in bins} == {2}


def test_the_ratio_counts_words():
    bins = bleu_by_length(
        hypotheses=words(FOUND), references=words(WANTED), lengths=[3, 4, 12]
    )
    assert [b.ratio for b in bins] == [(8 + 4) / (8 + 5), 8 / 9]
    empty = bleu_by_length(hypotheses=[("a",)], references=[()], lengths=[1])
    assert math.isnan(empty[0].ratio)


def test_the_interval_is_that_of_the_bin_alone():
    found, wanted = words(FOUND) * 2, words(WANTED) * 2
    bins = bleu_by_length(
        hypotheses=found, references=wanted, lengths=[12, 3, 12, 3, 12, 3],
        generator=generator(), samples=10,
    )  # fmt: skip
    for rows, part in zip(([1, 3, 5], [0, 2, 4]), bins, strict=True):
        alone = bleu_interval(
            hypotheses=[found[k] for k in rows], references=[wanted[k] for k in rows],
            generator=generator(), samples=10,
        )  # fmt: skip
        assert part.interval == alone
        assert alone.value == part.bleu.score  # to the last digit


@pytest.mark.parametrize("lengths", [[1, 2], [1, 2, 0]])
def test_every_sentence_has_a_length(lengths):
    with pytest.raises(ValueError, match="expected 3 lengths of 1 or more, got"):
        bleu_by_length(hypotheses=FOUND, references=WANTED, lengths=lengths)
