"""WikiText-2: both editions from small files by hand, the real one where a copy is."""

import csv
import io
from collections import Counter

import pytest

from lookback.text.corpora import SPLITS, UNK, DataError, wikitext2
from lookback.text.corpora.wikitext2 import articles, half

TRAIN = (
    " \n = Du Fu = \n \n"
    ' Du Fu was a " poet " . \n'
    " \n = = Life = = \n \n"
    " Du Fu was old . \n"
    "\n = <unk> ( song ) = \n \n"
    " It was a song . \n"
    " = 3 makes no title\n\n"
)
HELD = (
    " \n = One = \n \n It was new . \n = = Life = = \n \n = Two = \n \n a 日 <unk> \n"
)
LEGENDS = (  # of tables, and parts of formulas: text stands before or after them
    " \n = Rugby = \n \n Key : Pld \n = Played , W = \n \n = W , L = \n Wins . \n"
    " \n = <unk> = \n \n One . \n \n = <unk> = \n \n Two . \n"
)


@pytest.fixture
def read(small):
    """Reads files of an archive: (options, text by the name of its part) → corpus."""

    def of(texts, **options):
        named = {f"wiki.{name}.tokens": text for name, text in texts.items()}
        return wikitext2(small(wikitext2, named), **options)

    return of


def table(*cells):
    made = io.StringIO(newline="")
    csv.writer(made, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(zip(cells))
    return made.getvalue()


def words(sentences):
    return [" ".join(sentence) for sentence in sentences]


def test_the_original_by_hand(read):
    corpus = read({"train": TRAIN, "valid": HELD, "test": " = Three = \n \n old \n"})
    assert words(corpus.train) == [
        "= Du Fu =",
        'Du Fu was a " poet " .',
        "= = Life = =",
        "Du Fu was old .",
        "= <unk> ( song ) =",
        "It was a song .",
        "= 3 makes no title",
    ]
    # what train does not hold is unknown
    assert words(corpus.validation) == [
        "= <unk> =",
        "It was <unk> .",
        "= = Life = =",
        "= <unk> =",
        "a <unk> <unk>",
    ]
    assert words(corpus.test) == ["= <unk> =", "old"]
    assert corpus.topics == {
        "train": ("Du Fu", "<unk> ( song )"),
        "validation": ("One", "Two"),
        "test": ("Three",),
    }
    assert set(corpus.vocabulary) == {w for s in corpus.train for w in s}
    assert corpus.vocabulary[0] == "="
    assert "halves" not in corpus.version


def test_titles_stand_between_empty_lines_and_equal_ones_stay_apart(read):
    corpus = read({"train": LEGENDS, "valid": HELD, "test": HELD})
    assert corpus.topics["train"] == ("Rugby", "<unk>", "<unk>")
    lines = [" ".join(line.split()) for line in LEGENDS.split("\n")]
    assert words(corpus.train) == [line for line in lines if line]  # in their order
    assert [page.title for page in articles("Before .\n" + LEGENDS)][:2] == [
        "",
        "Rugby",
    ]


def test_min_count(read):
    told = {"train": TRAIN, "valid": HELD, "test": HELD}
    corpus = read(told, min_count=3)
    assert corpus.min_count == 3
    assert set(corpus.vocabulary) == {"=", ".", "was", "Du", "Fu", UNK}
    assert words(corpus.train)[1] == "Du Fu was <unk> <unk> <unk> <unk> ."
    for bad in (0, 1.5, "2", True):
        with pytest.raises(ValueError, match="min_count must be"):
            read(told, min_count=bad)


def test_rows_of_tables_by_hand(read):
    first, second = HELD.split(" \n = Two")
    more = [f" \n = T{n} = \n \n it {n} \n" for n in range(20)]
    cells = [first, " \n = Two" + second, *more]
    start = TRAIN.index(" = <unk> (")
    corpus = read({"train": table(TRAIN[:start], TRAIN[start:]), "test": table(*cells)})
    whole = read({"train": TRAIN, "valid": HELD, "test": HELD})
    assert corpus.train == whole.train
    assert corpus.vocabulary == whole.vocabulary
    held = corpus.topics["validation"] + corpus.topics["test"]
    assert sorted(held) == sorted(["One", "Two", *(f"T{n}" for n in range(20))])
    for name in ("validation", "test"):
        assert len(corpus.topics[name]) > 3
        assert all(half(title) == name for title in corpus.topics[name])
    assert len(corpus.validation) + len(corpus.test) == 5 + 2 * 20
    assert corpus.version.endswith("halves of the standard validation")


def test_halves_do_not_change():
    """Whoever changes them must know it: models trained before would see their test."""
    halves = [half(f"Title {n}") for n in range(12)]
    assert [n for n, name in enumerate(halves) if name == "test"] == [1, 3, 5, 10]


def test_an_article_may_be_long(read):
    limit = csv.field_size_limit()
    long = " = Long = \n\n" + "a " * limit + "\n"
    corpus = read({"train": table(long), "test": table(HELD)})
    assert len(corpus.train[1]) == limit == csv.field_size_limit()


@pytest.mark.parametrize("names", [["train"], ["test", "valid"], ["train", "valid"]])
def test_an_archive_that_lacks_a_file_is_named(read, names):
    with pytest.raises(DataError, match=r"2-v1.zip is not used: it holds \['wiki"):
        read(dict.fromkeys(names, HELD))


def test_the_real_articles(copy_of):
    corpus = wikitext2(copy_of("wikitext-2-v1.zip"))
    if "halves" not in corpus.version:
        expected = {"train": 2_051_910, "validation": 213_886, "test": 241_211}
        assert {n: corpus.counts[n]["tokens"] for n in SPLITS} == expected
    tokens = [corpus.counts[name]["tokens"] for name in SPLITS]
    pages = [corpus.counts[name]["topics"] for name in SPLITS]
    assert pages == ([600, 22, 38] if "halves" in corpus.version else [600, 60, 60])
    # the paper: 2 088 628 and 217 646 tokens, each with the ends of all its lines
    assert tokens[0] == 2_088_628 - 36_718
    if "halves" in corpus.version:
        assert tokens[1] + tokens[2] == 217_646 - 3_760
        assert tokens[1:] == [80_021, 133_865]
    assert len(corpus.vocabulary) == 33_277
    counts = Counter(word for sentence in corpus.train for word in sentence)
    assert '""' not in counts and counts['"'] > 10_000
    assert all(counts[word] >= 3 for word in corpus.vocabulary[:1000])
    assert not set(corpus.topics["validation"]) & set(corpus.topics["test"])
