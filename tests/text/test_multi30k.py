"""Multi30k: small files by hand, the published splits where a copy is."""

import pytest

from lookback.text.corpora import SPLITS, DataError, Pair, multi30k

LINES = {
    "train.en": "A dog.\nTwo dogs run.\n",
    "train.fr": "Un chien.\nDeux chiens courent.\n",
    "train.de": "Ein Hund.\nZwei Hunde laufen.\n",
    "val.en": "A man.\n",
    "val.fr": "L'homme.\n",
    "val.de": "Ein Mann.\n",
    "test_2016_flickr.en": "The end.\n",
    "test_2016_flickr.fr": "La fin.\n",
    "test_2016_flickr.de": "Das Ende.\n",
    "test_2017_flickr.en": "The end again.\n",
    "test_2017_flickr.fr": "Encore la fin.\n",
    "test_2017_flickr.de": "Das Ende nochmal.\n",
}


def test_pairs_by_hand(small):
    corpus = multi30k(small(multi30k, LINES))
    assert corpus.train == (
        Pair(("a", "dog", "."), ("un", "chien", ".")),
        Pair(("two", "dogs", "run", "."), ("deux", "chiens", "courent", ".")),
    )
    assert corpus.validation == (Pair(("a", "man", "."), ("l'", "homme", ".")),)
    assert corpus.test == (Pair(("the", "end", "."), ("la", "fin", ".")),)
    assert corpus.version == "task 1, en-fr, test_2016_flickr, small"


def test_german_and_the_other_test(small):
    corpus = multi30k(small(multi30k, LINES), language="de", test="test_2017_flickr")
    assert corpus.validation == (Pair(("a", "man", "."), ("ein", "mann", ".")),)
    assert corpus.test[0].source == ("the", "end", "again", ".")
    assert corpus.test[0].target == ("das", "ende", "nochmal", ".")
    assert corpus.version.startswith("task 1, en-de, test_2017_flickr")


def test_what_is_not_asked_for_is_not_needed(small):
    folder = small(multi30k, LINES)
    for path in {*folder.glob("*.de.gz"), *folder.glob("test_2017*")}:
        path.unlink()
    assert multi30k(folder).counts["train"]["pairs"] == 2
    with pytest.raises(DataError, match=r"train.de.gz is not in .*raw.github"):
        multi30k(folder, language="de")


def test_sides_of_different_length_are_named(small):
    folder = small(multi30k, LINES | {"val.fr": "Un.\nDeux.\n"})
    with pytest.raises(DataError, match=r"val.en.gz and .*val.fr.gz .* 1 and 2 lines"):
        multi30k(folder)


@pytest.mark.parametrize("words", [{"language": "en"}, {"test": "test_2018"}])
def test_only_what_there_is(words, cache):
    with pytest.raises(ValueError, match=f"must be .*{next(iter(words.values()))}"):
        multi30k(**words)


@pytest.mark.parametrize(
    ("words", "target_words"),
    [({}, [409703, 14378, 13988]), ({"language": "de"}, [360855, 12830, 12102])],
)
def test_the_real_captions(copy_of, words, target_words):
    corpus = multi30k(copy_of("multi30k"), **words)
    counts = [corpus.counts[name] for name in SPLITS]
    assert [count["pairs"] for count in counts] == [29000, 1014, 1000]
    assert [count["source words"] for count in counts] == [377095, 13287, 12951]
    assert [count["target words"] for count in counts] == target_words
    sources = [{pair.source for pair in corpus.split(name)} for name in SPLITS]
    assert len(sources[0] & sources[1]) == 1  # as published
    assert not (sources[0] | sources[1]) & sources[2]
