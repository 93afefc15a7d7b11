"""Where a copy may lie, which comes first, and which is refused."""

import gzip
import hashlib
from importlib import import_module
from pathlib import Path

import pytest

from kit import packed
from lookback.text.corpora.archives import lines, member, members
from lookback.text.corpora.files import Content, DataError, DataFile, read

HASH = hashlib.sha256(b"right").hexdigest()
FILE = DataFile(
    "a.zip", "toy", "https://example.org/a.zip", {HASH: "it"}, ("toy-a.zip",)
)


def put(path, data=b"right"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["a.zip", "toy-a.zip", "toy/a.zip", "toy/toy-a.zip"])
def test_a_folder_may_hold_it_under_these_names(name, cache, tmp_path, monkeypatch):
    path = put(tmp_path / "data" / name)
    assert read(FILE, "toy", tmp_path / "data").path == path
    assert read(FILE, "toy", str(path)).path == path
    monkeypatch.setenv("LOOKBACK_DATA", str(tmp_path / "data"))
    assert read(FILE, "toy").path == path


def test_path_then_variable_then_cache(cache, tmp_path, monkeypatch):
    put(cache / "toy" / "a.zip")
    assert read(FILE, "toy").path == cache / "toy" / "a.zip"
    put(tmp_path / "data" / "a.zip")
    monkeypatch.setenv("LOOKBACK_DATA", str(tmp_path / "data"))
    assert read(FILE, "toy").path == tmp_path / "data" / "a.zip"
    put(tmp_path / "own.zip")
    assert read(FILE, "toy", tmp_path / "own.zip").path == tmp_path / "own.zip"


def test_a_folder_without_it_leads_on_to_the_cache(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("LOOKBACK_DATA", str(tmp_path))
    put(cache / "toy" / "a.zip")
    assert read(FILE, "toy").path == cache / "toy" / "a.zip"


def test_a_path_that_holds_nothing_is_not_replaced(cache, tmp_path):
    put(cache / "toy" / "a.zip")
    for path in (tmp_path / "none", tmp_path / "none.zip"):
        with pytest.raises(DataError) as caught:
            read(FILE, "toy", path, download=True)
        assert f"a.zip is not in {path}" in str(caught.value)
        assert FILE.url in str(caught.value)


def test_the_variable_must_name_a_folder(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("LOOKBACK_DATA", str(tmp_path / "none"))
    with pytest.raises(DataError, match="LOOKBACK_DATA must name a folder"):
        read(FILE, "toy")


@pytest.mark.parametrize("data", [b"", b"righ", b"righT", b"right "])
def test_a_damaged_copy_is_refused_and_named(data, cache, tmp_path):
    path = put(tmp_path / "a.zip", data)
    with pytest.raises(DataError) as caught:
        read(FILE, "toy", path)
    found = hashlib.sha256(data).hexdigest()
    for word in (str(path), "not used", found, HASH, "(it)", FILE.url):
        assert word in str(caught.value)


def test_a_damaged_copy_is_not_passed_over(cache, tmp_path, monkeypatch):
    put(cache / "toy" / "a.zip")
    put(tmp_path / "a.zip", b"wrong")
    monkeypatch.setenv("LOOKBACK_DATA", str(tmp_path))
    with pytest.raises(DataError, match="not used"):
        read(FILE, "toy")


def test_a_hash_of_ones_own(cache, tmp_path):
    path, other = put(tmp_path / "a.zip", b"new"), hashlib.sha256(b"new").hexdigest()
    content = read(FILE, "toy", path, sha256=other)
    assert content.data == b"new"
    assert content.edition == f"an edition named by its hash, SHA-256 {other[:12]}…"
    with pytest.raises(DataError, match="not used"):
        read(FILE, "toy", path, sha256=HASH)


@pytest.mark.parametrize("word", ["", "12", "g" * 64, "0" * 63, 5])
def test_a_hash_has_64_digits(word, cache):
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        read(FILE, "toy", sha256=word)


def test_the_cache_is_the_users(monkeypatch):
    files = import_module("lookback.text.corpora.files")
    dirs = import_module("platformdirs")
    assert files.cache_folder() == dirs.user_cache_path("lookback") / "corpora"


def content_of(data):
    return Content(Path("here.zip"), data, "it")


def test_members_by_name():
    content = content_of(packed(a="é\n", b=""))
    assert members(content) == {"a": "é\n", "b": ""}
    assert member(content, "a") == "é\n"
    with pytest.raises(DataError, match=r"here.zip .* holds no c, only \['a', 'b'\]"):
        member(content, "c")


def test_lines_end_where_they_end():
    data = gzip.compress("a\u2028b\x85c\n\nd\n".encode())
    assert lines(content_of(data)) == ["a\u2028b\x85c", "", "d"]


@pytest.mark.parametrize("keep", [5, 10, 60, -1])
def test_a_cut_archive_is_named(keep):
    for pack, unpack in ((packed(a="text" * 99), members), (PACKED, lines)):
        with pytest.raises(DataError, match=r"here.zip is not used: no whole"):
            unpack(content_of(pack[:keep]))


PACKED = gzip.compress(bytes(range(256)) * 9)


def test_a_byte_order_mark_is_no_text():
    text = "\ufeffone\ntwo"
    assert members(content_of(packed(a=text.encode()))) == {"a": "one\ntwo"}
    assert lines(content_of(gzip.compress(text.encode()))) == ["one", "two"]


@pytest.mark.parametrize(
    ("data", "unpack"),
    [(packed(a=b"\xff"), members), (gzip.compress(b"\xff"), lines)],
    ids=["zip", "gzip"],  # a name made of the bytes would hold the time of the packing
)
def test_what_is_no_text_is_named(data, unpack):
    with pytest.raises(DataError, match=r"here.zip is not used: its text is not UTF-8"):
        unpack(content_of(data))
