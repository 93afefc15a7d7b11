"""Multi30k: small files by hand, the published splits where a copy is."""

import gzip
import hashlib
from dataclasses import replace
from importlib import import_module

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


@pytest.fixture
def write(tmp_path, cache, monkeypatch):
    """Writes small files, or others of ours; → their folder."""

    def put(**others):
        files = dict(import_module("lookback.text.corpora.multi30k").FILES)
        for name, text in (LINES | others).items():
            data = gzip.compress(text.encode(), mtime=0)
            (tmp_path / f"{name}.gz").write_bytes(data)
            editions = {hashlib.sha256(data).hexdigest(): "small, by hand"}
            files[name] = replace(files[name], editions=editions)
        module = import_module("lookback.text.corpora.multi30k")
        monkeypatch.setattr(module, "FILES", files)
        return tmp_path

    return put


def test_pairs_by_hand(write):
    corpus = multi30k(write())
    assert corpus.train == (
        Pair(("a", "dog", "."), ("un", "chien", ".")),
        Pair(("two", "dogs", "run", "."), ("deux", "chiens", "courent", ".")),
    )
    assert corpus.validation == (Pair(("a", "man", "."), ("l'", "homme", ".")),)
    assert corpus.test == (Pair(("the", "end", "."), ("la", "fin", ".")),)
    assert corpus.name == "multi30k"
    assert corpus.version == "task 1, en-fr, test_2016_flickr, small"


def test_german_and_the_other_test(write):
    corpus = multi30k(write(), language="de", test="test_2017_flickr")
    assert corpus.validation == (Pair(("a", "man", "."), ("ein", "mann", ".")),)
    assert corpus.test[0].source == ("the", "end", "again", ".")
    assert corpus.test[0].target == ("das", "ende", "nochmal", ".")
    assert corpus.version.startswith("task 1, en-de, test_2017_flickr")


def test_what_is_not_asked_for_is_not_needed(write):
    folder = write()
    for path in {*folder.glob("*.de.gz"), *folder.glob("test_2017*")}:
        path.unlink()
    assert multi30k(folder).counts["train"]["pairs"] == 2
    with pytest.raises(DataError, match=r"train.de.gz is not in .*raw.github"):
        multi30k(folder, language="de")


def test_sides_of_different_length_are_named(write):
    folder = write(**{"val.fr": "Un.\nDeux.\n"})
    with pytest.raises(DataError, match=r"val.en.gz and .*val.fr.gz .* 1 and 2 lines"):
        multi30k(folder)


def test_a_damaged_file_is_named(write):
    folder = write()
    (folder / "val.fr.gz").write_bytes((folder / "val.fr.gz").read_bytes()[:-1])
    with pytest.raises(DataError, match=r"val.fr.gz is not used: it is incomplete"):
        multi30k(folder)


@pytest.mark.parametrize("words", [{"language": "en"}, {"test": "test_2018"}])
def test_only_what_there_is(words, cache):
    with pytest.raises(ValueError, match=f"must be .*{next(iter(words.values()))}"):
        multi30k(**words)


def test_without_a_copy_it_says_where_from(cache):
    with pytest.raises(
        DataError, match=r"train.en.gz is not on this .*multi30k/dataset"
    ):
        multi30k()


def test_each_file_has_its_own_hashes():
    files = import_module("lookback.text.corpora.multi30k").FILES
    hashes = [digest for file in files.values() for digest in file.editions]
    assert len(files) == 12 and len(set(hashes)) == len(hashes) == 24


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


def test_the_real_captions_altered(copy_of, tmp_path):
    for path in copy_of("multi30k").glob("*.gz"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    name = "test_2016_flickr.fr.gz"
    data = bytearray((tmp_path / name).read_bytes())
    data[5000] ^= 1
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=rf"{name} is not used"):
        multi30k(tmp_path)
    assert multi30k(tmp_path, language="de").counts["test"]["pairs"] == 1000
