"""Tatoeba: pairs by hand from a small list, laws on a real one where there is one."""

import hashlib
import shutil
import zipfile

import pytest

from lookback.text.corpora import SPLITS, DataError, Pair, PairCorpus, tatoeba
from lookback.text.corpora.files import read
from lookback.text.corpora.tatoeba import FILE, published, split_of

LIST = """\
Go.\tVa !
Hi.\tSalut !\tCC-BY 2.0 (France) Attribution: tatoeba.org #538123 (CM)
Run!\tCours !
Run!\tCourez !
Run!\tCours\u202f!
Is it yours?\tL'as-tu ?
"""


@pytest.fixture
def packed(tmp_path, cache):
    """Packs a list: → (the zip, its SHA-256)."""

    def pack(text, name="fra.txt"):
        path = tmp_path / "fra-eng.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("_about.txt", "about")
            archive.writestr(name, text)
        return path, hashlib.sha256(path.read_bytes()).hexdigest()

    return pack


def all_pairs(corpus):
    return [pair for name in SPLITS for pair in corpus.split(name)]


def test_pairs_by_hand(packed):
    path, digest = packed(LIST)
    corpus = tatoeba(path, sha256=digest)
    assert isinstance(corpus, PairCorpus)
    assert sorted(all_pairs(corpus), key=lambda pair: (pair.source, pair.target)) == [
        Pair(("go", "."), ("va", "!")),
        Pair(("hi", "."), ("salut", "!")),
        Pair(("is", "it", "yours", "?"), ("l'", "as", "-tu", "?")),
        Pair(("run", "!"), ("courez", "!")),
        Pair(("run", "!"), ("cours", "!")),  # once
    ]
    assert corpus.name == "tatoeba" and corpus.seed is None
    assert corpus.version == f"an edition named by its hash, SHA-256 {digest[:12]}…"


def test_sentences_as_published_by_their_words(packed):
    """Of those with the same words the first in the list."""
    path, digest = packed(LIST)
    found = published(read(FILE, "tatoeba", path, sha256=digest))
    assert list(found.values()) == [
        ("Go.", "Va !"),
        ("Hi.", "Salut !"),
        ("Run!", "Cours !"),
        ("Run!", "Courez !"),
        ("Is it yours?", "L'as-tu ?"),
    ]
    assert found[("run", "!"), ("cours", "!")] == ("Run!", "Cours !")


def test_the_english_side_alone_decides_the_split(packed):
    text = "".join(f"Word{n}.\tMot{m} {n}.\n" for n in range(900) for m in range(2))
    path, digest = packed(text)
    corpus = tatoeba(path, sha256=digest)
    for name in SPLITS:
        assert all(split_of(pair.source) == name for pair in corpus.split(name))
    sizes = [corpus.counts[name]["pairs"] for name in SPLITS]
    assert sum(sizes) == 1800
    assert all(18 <= size <= 54 for size in sizes[1:])  # 2 %, each twice
    sources = [{pair.source for pair in corpus.split(name)} for name in SPLITS]
    assert sum(map(len, sources)) == len(set.union(*sources)) == 900


def test_splits_do_not_change():
    """Whoever changes them must know it: models trained before would see their test."""
    splits = [split_of((f"word{n}", ".")) for n in range(120)]
    assert [n for n, name in enumerate(splits) if name == "test"] == [3, 30]
    assert [n for n, name in enumerate(splits) if name == "validation"] == [54]


@pytest.mark.parametrize("line", ["no tab", "\tVa !", "Go.\t", "Go.\t \tCC-BY", ""])
def test_a_line_that_is_no_pair_is_named(packed, line):
    path, digest = packed(f"Go.\tVa !\n{line}\nHi.\tSalut !\n")
    with pytest.raises(DataError) as caught:
        tatoeba(path, sha256=digest)
    for word in (str(path), "not used", "line 2 of fra.txt", repr(line)):
        assert word in str(caught.value)


def test_an_archive_without_the_list_is_named(packed):
    path, digest = packed(LIST, name="deu.txt")
    with pytest.raises(DataError, match=r"fra-eng.zip is not used: it holds no fra"):
        tatoeba(path, sha256=digest)


def test_an_unknown_list_is_refused(packed):
    path, digest = packed(LIST)
    with pytest.raises(DataError, match=rf"not used.*pass sha256='{digest}'"):
        tatoeba(path)


def test_without_a_copy_it_says_where_from(cache):
    with pytest.raises(
        DataError, match=r"fra-eng.zip is not on this .*manythings.*downl"
    ):
        tatoeba()


def test_the_real_list(copy_of):
    corpus = tatoeba(copy_of("tatoeba-fra-eng.zip"))
    assert corpus.version.startswith("the list of 2019-04-07")
    assert [corpus.counts[name]["pairs"] for name in SPLITS] == [160262, 3387, 3270]
    sources = [{pair.source for pair in corpus.split(name)} for name in SPLITS]
    assert sum(map(len, sources)) == len(set.union(*sources))
    assert len(set(all_pairs(corpus))) == len(all_pairs(corpus))
    words = {word for pair in all_pairs(corpus) for word in pair.target}
    assert {"l'", "qu'", "-t-il", "aujourd'hui", "été"} <= words
    assert not any("’" in word or "\u202f" in word for word in words)


@pytest.mark.parametrize("damage", ["cut", "altered", "longer"])
def test_the_real_list_damaged(copy_of, tmp_path, damage):
    path = tmp_path / "fra-eng.zip"
    shutil.copyfile(copy_of("tatoeba-fra-eng.zip"), path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= damage == "altered"
    path.write_bytes(data[: len(data) - 1 if damage == "cut" else None])
    if damage == "longer":
        path.write_bytes(data + b"\0")
    with pytest.raises(DataError, match=r"fra-eng.zip is not used"):
        tatoeba(path)
