"""What each loader of real data obeys: it trusts what it knows, and names the rest."""

import hashlib
from importlib import import_module

import pytest

from lookback.text.corpora import DataError, english_ewt, multi30k, tatoeba, wikitext2

WORD = "1\tRun\trun\tVERB\tVB\t_\t0\troot\t0:root\t_\n"
PARTS = [f"{part}.{side}" for part in ("train", "val", "test_2016_flickr")
         for side in ("en", "fr")]  # fmt: skip
SMALL = {
    tatoeba: {"fra.txt": "Go.\tVa !\n"},
    wikitext2: dict.fromkeys(
        [f"wiki.{part}.tokens" for part in ("train", "valid", "test")],
        " \n = A = \n \n one . \n",
    ),
    multi30k: dict.fromkeys(PARTS, "A B.\n"),
    english_ewt: dict.fromkeys(["train", "dev", "test"], WORD),
}
SOURCES = {
    tatoeba: r"fra-eng.zip is not on this .*manythings.*downl",
    wikitext2: r"wikitext-2-v1.zip is not on this .*https:",
    multi30k: r"train.en.gz is not on this .*multi30k/dataset",
    english_ewt: r"train.conllu is not on .*UD_English-EWT/4c8",
}
LOADERS = pytest.mark.parametrize("loader", SMALL, ids=lambda f: f.__name__)


@LOADERS
def test_what_it_knows_is_read_and_what_is_damaged_is_named(loader, small):
    folder = small(loader, SMALL[loader])
    assert loader(folder).name == loader.__name__
    assert "small" in loader(folder).version or loader is english_ewt
    path = next(path for path in folder.iterdir() if path.is_file())
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match=f"{path.name} is not used: it is incomplete"):
        loader(folder)


@LOADERS
def test_what_it_does_not_know_is_refused_unless_its_hash_is_given(loader, small):
    folder = small(loader, SMALL[loader], known=False)
    with pytest.raises(DataError, match="is not used"):
        loader(folder)
    if loader in (tatoeba, wikitext2):
        (path,) = folder.glob("*.zip")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert digest[:12] in loader(path, sha256=digest).version


@LOADERS
def test_without_a_copy_it_says_where_from(loader, cache):
    with pytest.raises(DataError, match=SOURCES[loader]):
        loader()


@LOADERS
def test_each_of_its_files_has_its_own_hashes(loader):
    module = import_module(loader.__module__)
    files = getattr(module, "FILES", None) or {"": module.FILE}
    hashes = [digest for file in files.values() for digest in file.editions]
    assert len({*hashes}) == len(hashes) >= len(files)
