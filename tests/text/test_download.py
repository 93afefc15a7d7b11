"""Downloads by pooch, from a server of the test's own: whole, cut off, refused."""

import gc
import gzip
import hashlib
import io
import sys
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module

import pytest

from lookback.text.corpora import SPLITS, multi30k, tatoeba, wikitext2
from lookback.text.corpora.files import DataError, DataFile, read

DATA = bytes(range(256)) * 1200
HASH = hashlib.sha256(DATA).hexdigest()


pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Server(ThreadingHTTPServer):
    """Serves `content`; remembers the headers of each request.

    cut     after how many bytes of the body it hangs up; None never
    status  what it answers when it does not answer 200
    """

    daemon_threads = True
    content, cut, status = DATA, None, None

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/data.bin"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_GET(self):
        server = self.server
        server.asked.append(dict(self.headers))
        if server.status:
            return self.send_error(server.status)
        self.send_response(200)
        self.send_header("Content-Length", str(len(server.content)))
        self.end_headers()
        self.wfile.write(server.content[: server.cut])


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.shutdown()
        thread.join()
    gc.collect()  # pooch leaves the answer of the server open where it fails


@pytest.fixture
def get(server, cache):
    """Asks for the file: (**what `read` takes) → its content."""
    file = DataFile("data.bin", "toy", server.url, {HASH: "the one"})
    return lambda **words: read(file, "toy", **{"download": True, **words})


def left(cache):
    """The files of the cache, by name, and how long they are."""
    return {p.name: p.stat().st_size for p in cache.rglob("*") if p.is_file()}


def test_a_whole_download(get, server, cache, capsys):
    content = get()
    assert content.data == DATA
    assert content.path == cache / "toy" / "data.bin"
    assert content.edition == f"the one, SHA-256 {HASH[:12]}…"
    assert left(cache) == {"data.bin": len(DATA)}
    assert "100%" in capsys.readouterr().err  # the bar
    assert "python" not in server.asked[0]["User-Agent"].lower()
    assert server.asked[0]["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    ("loader", "name", "text"),
    [
        (tatoeba, "fra.txt", "Go.\tVa !\n"),
        (wikitext2, "wiki.train.tokens", " = A = \n one . \n"),
    ],
)
def test_loaders_download_when_asked(loader, name, text, server, cache, monkeypatch):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr(name, text)
        archive.writestr("wiki.test.tokens", text)
    server.content = raw.getvalue()
    digest = hashlib.sha256(server.content).hexdigest()
    module = import_module(loader.__module__)
    file = replace(module.FILE, url=server.url, editions={digest: "small"})
    monkeypatch.setattr(module, "FILE", file)
    corpus = loader(download=True)
    assert any(corpus.split(split) for split in SPLITS)
    assert corpus.version.startswith("small, SHA-256")
    assert loader().counts == corpus.counts  # from the cache
    assert len(server.asked) == 1


def test_multi30k_downloads_each_file_it_lacks(server, cache, monkeypatch):
    server.content = gzip.compress(b"A B.\n")
    digest = hashlib.sha256(server.content).hexdigest()
    module = import_module("lookback.text.corpora.multi30k")
    files = {
        name: replace(file, url=server.url, editions={digest: "small"})
        for name, file in module.FILES.items()
    }
    monkeypatch.setattr(module, "FILES", files)
    first = multi30k(download=True)
    assert first.train[0].target == ("a", "b", ".")
    assert len(server.asked) == 6
    assert multi30k(test="test_2017_flickr", download=True).test == first.test
    assert len(server.asked) == 8  # the rest was there


def test_what_is_there_is_not_downloaded_again(get, server):
    assert get().path == get().path == get(download=False).path
    assert len(server.asked) == 1


def test_nothing_is_downloaded_unasked(get, server, cache):
    with pytest.raises(DataError) as caught:
        get(download=False)
    assert server.asked == [] and left(cache) == {}
    for word in ("data.bin", server.url, "download=True", "path=", "LOOKBACK_DATA"):
        assert word in str(caught.value)


def test_a_download_that_breaks_off_leaves_nothing(get, server, cache):
    server.cut = 100_000
    with pytest.raises(DataError) as caught:
        get()
    for word in ("data.bin could not be downloaded", server.url, "LOOKBACK_DATA"):
        assert word in str(caught.value)
    assert left(cache) == {}
    with pytest.raises(DataError, match="not on this machine"):
        get(download=False)
    server.cut = None
    assert get().data == DATA


def test_an_altered_download_is_refused_and_named(get, server, cache):
    server.content = DATA[:-1] + b"?"
    found = hashlib.sha256(server.content).hexdigest()
    with pytest.raises(DataError) as caught:
        get()
    for word in (found, HASH, server.url, "sha256="):
        assert word in str(caught.value)
    assert left(cache) == {}
    # whoever trusts it can say so
    assert get(sha256=found.upper()).data == server.content


@pytest.mark.parametrize(("status", "reason"), [(404, "Not Found"), (503, "Service")])
def test_what_the_server_says_is_told(get, server, cache, status, reason):
    server.status = status
    with pytest.raises(DataError) as caught:
        get()
    for word in ("data.bin could not be downloaded", str(status), reason, "path="):
        assert word in str(caught.value)
    assert left(cache) == {}


@pytest.mark.parametrize("missing", ["tqdm", "pooch", "platformdirs"])
def test_a_missing_package_names_its_extra(get, missing, monkeypatch):
    if missing == "platformdirs":
        monkeypatch.undo()
        monkeypatch.delenv("LOOKBACK_DATA", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ModuleNotFoundError, match=rf"{missing}.*attention\[data\]"):
        get()
