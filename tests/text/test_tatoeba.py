"""Tatoeba: pairs by hand from a small list, laws on a real one where there is one."""

from importlib import import_module

import pytest

from lookback.text.corpora import SPLITS, DataError, Pair, tatoeba
from lookback.text.corpora.files import read
from lookback.text.corpora.tatoeba import published, split_of

LIST = """\
Go.\tVa !
Hi.\tSalut !\tCC-BY 2.0 (France) Attribution: tatoeba.org #538123 (CM)
Run!\tCours !
Run!\tCourez !
Run!\tCours\u202f!
Is it yours?\tL'as-tu ?
"""


def all_pairs(corpus):
    return [pair for name in SPLITS for pair in corpus.split(name)]


def test_pairs_by_hand(small):
    corpus = tatoeba(small(tatoeba, {"_about.txt": "about", "fra.txt": LIST}))
    assert sorted(all_pairs(corpus), key=lambda pair: (pair.source, pair.target)) == [
        Pair(("go", "."), ("va", "!")),
        Pair(("hi", "."), ("salut", "!")),
        Pair(("is", "it", "yours", "?"), ("l'", "as", "-tu", "?")),
        Pair(("run", "!"), ("courez", "!")),
        Pair(("run", "!"), ("cours", "!")),  # once
    ]


def test_sentences_as_published_by_their_words(small):
    """Of those with the same words the first in the list."""
    folder = small(tatoeba, {"fra.txt": LIST})
    file = import_module(tatoeba.__module__).FILE
    found = published(read(file, "tatoeba", folder))
    assert list(found.values()) == [
        ("Go.", "Va !"),
        ("Hi.", "Salut !"),
        ("Run!", "Cours !"),
        ("Run!", "Courez !"),
        ("Is it yours?", "L'as-tu ?"),
    ]
    assert found[("run", "!"), ("cours", "!")] == ("Run!", "Cours !")


def test_the_english_side_alone_decides_the_split(small):
    text = "".join(f"Word{n}.\tMot{m} {n}.\n" for n in range(900) for m in range(2))
    corpus = tatoeba(small(tatoeba, {"fra.txt": text}))
    for name in SPLITS:
        assert all(split_of(pair.source) == name for pair in corpus.split(name))
    sizes = [corpus.counts[name]["pairs"] for name in SPLITS]
    assert sum(sizes) == 1800
    assert all(18 <= size <= 54 for size in sizes[1:])  # 2 %, each twice


def test_splits_do_not_change():
    """Whoever changes them must know it: models trained before would see their test."""
    splits = [split_of((f"word{n}", ".")) for n in range(120)]
    assert [n for n, name in enumerate(splits) if name == "test"] == [3, 30]
    assert [n for n, name in enumerate(splits) if name == "validation"] == [54]


@pytest.mark.parametrize("line", ["no tab", "\tVa !", "Go.\t", "Go.\t \tCC-BY", ""])
def test_a_line_that_is_no_pair_is_named(small, line):
    folder = small(tatoeba, {"fra.txt": f"Go.\tVa !\n{line}\nHi.\tSalut !\n"})
    with pytest.raises(DataError) as caught:
        tatoeba(folder)
    for word in (str(folder), "not used", "line 2 of fra.txt", repr(line)):
        assert word in str(caught.value)


def test_an_archive_without_the_list_is_named(small):
    with pytest.raises(DataError, match=r"fra-eng.zip is not used: it holds no fra"):
        tatoeba(small(tatoeba, {"deu.txt": LIST}))


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
