"""English EWT: a sample by hand in CoNLL-U, the published splits where a copy is.

Mutants, each caught: contractions kept as one word, added words taken for words, the
tag of another column, the last sentence lost where no empty line ends it, words that
are not counted on, splits exchanged.
"""

import pytest

from lookback.text.corpora import SPLITS, DataError, Pair, Tagged, Tags, english_ewt
from lookback.text.corpora.english_ewt import UPOS
from lookback.text.corpus import TaggedCorpus, tagged

TRAIN = """\
# sent_id = by-hand-1
# text = They don't run.
1\tThey\tthey\tPRON\tPRP\t_\t4\tnsubj\t4:nsubj\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t4:aux\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t4:advmod\t_
4\trun\trun\tVERB\tVB\t_\t0\troot\t0:root\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t4:punct\t_

# text = Ann eats, Bob too
1\tAnn\tAnn\tPROPN\tNNP\t_\t2\tnsubj\t2:nsubj\t_
2\teats\teat\tVERB\tVBZ\t_\t0\troot\t0:root\t_
3\t,\t,\tPUNCT\t,\t_\t4\tpunct\t4:punct\t_
4\tBob\tBob\tPROPN\tNNP\t_\t2\tconj\t5.1:nsubj\t_
5\ttoo\ttoo\tADV\tRB\t_\t4\torphan\t5.1:advmod\t_
5.1\teats\teat\tVERB\tVBZ\t_\t_\t_\t2:conj\t_

"""
DEV = "1\tRun\trun\tVERB\tVB\t_\t0\troot\t0:root\t_\n"
TEST = """\
1\tThey\tthey\tPRON\tPRP\t_\t2\tnsubj\t2:nsubj\t_
2\twalk\twalk\tVERB\tVBP\t_\t0\troot\t0:root\t_

"""
PARTS = {"train": TRAIN, "dev": DEV, "test": TEST}
FIRST = Tagged(
    ("They", "do", "n't", "run", "."), ("PRON", "AUX", "PART", "VERB", "PUNCT")
)
SECOND = Tagged(
    ("Ann", "eats", ",", "Bob", "too"), ("PROPN", "VERB", "PUNCT", "PROPN", "ADV")
)


@pytest.mark.parametrize("packed", [False, True])
def test_sentences_by_hand(small, packed):
    corpus = english_ewt(small(english_ewt, PARTS, gz=packed))
    assert corpus.train == (FIRST, SECOND)
    assert corpus.validation == (Tagged(("Run",), ("VERB",)),)
    assert corpus.test == (Tagged(("They", "walk"), ("PRON", "VERB")),)
    assert (corpus.name, corpus.version) == ("english_ewt", "release 2.16")
    assert corpus.tags == ("ADV", "AUX", "PART", "PRON", "PROPN", "PUNCT", "VERB")
    assert corpus.vocabulary == {*FIRST.words, *SECOND.words}


def test_counts_by_hand(small):
    counts = english_ewt(small(english_ewt, PARTS | {"test": TEST + TRAIN})).counts
    assert counts["test"] == {
        "sentences": 3, "words": 12, "unknown": 1, "in train": 2
    }  # fmt: skip
    assert counts["validation"]["unknown"] == 1  # Run is not run


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("1\tRun\trun\tVERB", "4 columns of 10"),
        ("1 Run run VERB VB _ 0 root 0:root _", "1 columns of 10"),
        (DEV.rstrip().replace("VERB", "VB"), "no tag of UPOS: 'VB'"),
        (DEV.rstrip().replace("1", "2", 1), "word 1 expected"),
        (DEV.rstrip().replace("1", "one", 1), "no number or no word"),
        (DEV.rstrip().replace("1", "1-2-3", 1), "no number or no word"),
        (DEV.rstrip().replace("Run", "", 1), "no number or no word"),
    ],
)
def test_a_line_that_is_no_word_is_named(small, line, why):
    folder = small(english_ewt, PARTS | {"dev": f"# text = Run\n{line}\n\n{TEST}"})
    with pytest.raises(DataError) as caught:
        english_ewt(folder)
    for part in ("en_ewt-ud-dev.conllu", "is not used: line 2", why, repr(line)):
        assert part in str(caught.value)


def test_another_split_is_refused():
    corpus = TaggedCorpus("t", "1", (FIRST,), (), ())
    assert corpus.split("train") == (FIRST,)
    with pytest.raises(ValueError, match=r"a split is one of .*got 'dev'"):
        corpus.split("dev")


def test_pairs_with_tags_become_tagged_sentences():
    pair = Pair(("a", "dog"), ("un", "chien"), tags=Tags(("DET", "NOUN")))
    assert tagged([pair]) == (Tagged(("a", "dog"), ("DET", "NOUN")),)
    with pytest.raises(ValueError, match=r"0 tags for 1 words: \('a',\)"):
        tagged([Pair(("a",), ("un",))])


def test_the_real_sentences(copy_of):
    corpus = english_ewt(copy_of("ud-english-ewt"))
    counts = [corpus.counts[name] for name in SPLITS]
    assert [count["sentences"] for count in counts] == [12544, 2001, 2077]
    assert [count["words"] for count in counts] == [204577, 25147, 25094]
    assert [count["unknown"] for count in counts] == [0, 2088, 2292]
    assert [count["in train"] for count in counts] == [12544, 68, 94]  # as published
    assert corpus.tags == tuple(sorted(UPOS))
    assert corpus.test[0].words[:3] == ("What", "if", "Google")
    assert all(len(s.words) == len(s.tags) > 0 for s in corpus.train)
