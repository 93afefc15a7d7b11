"""The command line: what it prints, and that no failure is a bare traceback."""

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import lookback.recipes
import lookback.studies
from lookback import cli
from lookback.cli import corpora as corpora_commands
from lookback.cli import models, options, pages, words
from lookback.cli.reading import pieces, read, spelt
from lookback.encdec import EncoderDecoderConfig
from lookback.recipes.encdec import EncoderDecoderLearner
from lookback.recipes.ibm1 import Ibm1Learner
from lookback.recipes.ngram import NgramConfig, NgramLearner
from lookback.text import corpora
from lookback.text.corpora import SPLITS, Pair, PairCorpus, Tagged
from lookback.text.tokens import tokenize, tokenize_french
from lookback.text.vocabulary import Vocabulary
from lookback.trainer import checkpoint, data, device
from lookback.trainer.checkpoint import pretrained
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe
from lookback.trainer.study import Experiment, Study
from lookback.trainer.translation import Translation, Unknown

IBM1 = ("--model", "ibm1")
PAIRS = [
    ("the cat sleeps .", "le chat dort .", {(0, 0), (1, 1), (2, 2), (3, 3)}),
    ("the tree does not sleep .", "l' arbre ne dort pas .", {(0, 0), (1, 1), (4, 3)}),
    ("the cat sees the tree .", "le chat voit l' arbre .", {(1, 1), (2, 2), (4, 4)}),
    ("the dog sees the cat .", "le chien voit le chat .", {(1, 1), (2, 2), (4, 4)}),
    ("a cat sleeps .", "un chat dort .", {(0, 0), (1, 1), (2, 2), (3, 3)}),
    ("the dog sleeps .", "le chien dort .", {(0, 0), (1, 1), (2, 2), (3, 3)}),
]


def toy(times: int = 1) -> PairCorpus:
    """A toy of six pairs."""
    made = tuple(
        Pair(
            tuple(s.split()),
            tuple(t.split()),
            frozenset(sure),
            frozenset(sure | {(2, 2)}),
        )
        for s, t, sure in PAIRS
    )
    return PairCorpus("toy", "1", made * times, made[:1], made[1:2])


Enter = Callable[[str, Any], None]


@pytest.fixture
def enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Enter:
    """Puts a recipe under its name, where those of the book are not seen."""
    folder = tmp_path / "recipes"
    folder.mkdir()
    monkeypatch.setattr(lookback.recipes, "__path__", [str(folder)])
    monkeypatch.setattr(lookback.studies, "__path__", [])

    def put(name: str, recipe: Recipe[Any]) -> None:
        module = ModuleType(f"lookback.recipes.{name}")
        vars(module)["RECIPES"] = {name: recipe}
        monkeypatch.setitem(sys.modules, module.__name__, module)
        (folder / f"{name}.py").touch()

    return put


@pytest.fixture
def shop(tmp_path: Path, enter: Enter, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A toy corpus with models of it, and the folder where they are written."""
    config = NgramConfig(2, "Kneser–Ney")
    enter("ngram", Recipe(NgramLearner, Data("toy"), 0, config, None, Budget(1)))
    enter("ibm1", Recipe(Ibm1Learner, Data("toy"), 0, None, None, Budget(8)))
    monkeypatch.setattr(corpora, "toy", toy, raising=False)
    monkeypatch.setattr(data, "NAMES", (*data.NAMES, "toy"))
    monkeypatch.setattr(checkpoint, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setenv(checkpoint.VARIABLE, str(tmp_path))
    return tmp_path


@pytest.fixture
def trained(shop: Path, capsys) -> Path:
    assert cli.main(["train", "--quiet"]) == 0
    capsys.readouterr()
    return shop


def refused(capsys, *given: str | Path) -> str:
    """The one line that a command says when it refuses, with status 2."""
    assert cli.main(list(map(str, given))) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("lookback: ")
    assert told.err.count("\n") == 1
    return told.err


# --- the whole


def test_help_teaches(capsys) -> None:
    for given in ([], *([name] for name in ("list", "corpus", "train", "evaluate"))):
        with pytest.raises(SystemExit) as stop:
            cli.main([*given, "--help"])
        assert stop.value.code == 0
        assert "  lookback " in capsys.readouterr().out


def test_a_command_that_is_none_is_told_the_nearest(capsys) -> None:
    told = refused(capsys, "trian")
    assert "there is no command 'trian': did you mean 'train'? there is align," in told
    assert "did you mean '--version'?" in refused(capsys, "version")
    assert "did you mean" not in refused(capsys, "print")


def test_no_command_is_refused(capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main([])
    assert stop.value.code == 2


def test_it_is_also_a_module() -> None:
    words = [sys.executable, "-m", "lookback", "--version"]
    told = subprocess.run(words, capture_output=True, text=True, check=True)
    assert told.stdout[0].isdigit()


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("tqdm", "data"),
        ("matplotlib", "figures"),
        ("yaml", "site"),
        ("libcst", "extract"),
    ],
)
def test_a_missing_package_is_told_with_its_extra(
    capsys, monkeypatch: pytest.MonkeyPatch, module: str, extra: str
) -> None:
    def missing(words: object) -> int:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr(pages, "_run", missing)
    assert cli.main(["run", "p.md"]) == 1
    assert f"lookback-attention[{extra}]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (RecursionError(), 1, "the input is nested too deeply, or too long, for this"),
        (MemoryError(), 1, "the memory of this machine is too small for this"),
        (OSError(28, "No space left", "a/b"), 2, "a/b: No space left"),
        (OSError(28, "No space left"), 2, "No space left"),
    ],
)
def test_whatever_stops_a_command_is_one_line(
    capsys, monkeypatch: pytest.MonkeyPatch, error: BaseException, status, said
) -> None:
    def stopped(words: object) -> int:
        raise error

    monkeypatch.setattr(models, "_list", stopped)
    assert cli.main(["list"]) == status
    assert capsys.readouterr().err == f"lookback: {said}\n"


def test_an_argument_that_is_not_utf_8_is_refused(capsys) -> None:
    told = refused(capsys, "translate", "caf\udce9")
    assert told == "lookback: the argument 'caf\\udce9' is not UTF-8\n"


EXTRACT = ("extract", "bahdanau")
CORPUS = ("corpus", "grammar", "-n", "1000", "--set", "pairs=2000")


def piped(*given: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own, as a shell does."""
    command = [sys.executable, "-m", "lookback", *given]
    return subprocess.run(command, stderr=subprocess.PIPE, **more)


@pytest.mark.parametrize(
    "system",
    [
        {"PYTHONIOENCODING": "cp1252"},  # Windows, into a file
        {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"},
    ],
)
def test_what_is_printed_is_utf_8(system: dict[str, str]) -> None:
    done = piped(*EXTRACT, env=os.environ | system, stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "→" in done.stdout.decode()


@pytest.mark.parametrize("given", [("--help",), CORPUS])
def test_a_reader_that_goes_away_is_no_error(given: tuple[str, ...]) -> None:
    """As `head` does."""
    reader, writer = os.pipe()
    os.close(reader)
    done = piped(*given, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("given", [EXTRACT, CORPUS])
def test_a_full_disk_is_one_line(given: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = piped(*given, stdout=full)
    assert done.returncode in (1, 2)
    assert done.stderr == b"lookback: No space left on device\n"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text("before")
    said = "f.py: cannot be written: No space left"
    with pytest.raises(ValueError, match=said), options.whole(path) as file:
        file.write_text("half")
        raise OSError(28, "No space left")
    assert path.read_text() == "before" and [*tmp_path.iterdir()] == [path]
    (tmp_path / "link").symlink_to(path)
    with options.whole(tmp_path / "link") as file:
        file.write_text("after")
    assert path.read_text() == "after" and (tmp_path / "link").is_symlink()
    with options.whole(Path(os.devnull)) as file:  # a device is written to
        assert file == Path(os.devnull)


# --- pages


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "p.md"
    path.write_text("# P\n\n```python\nprint('ran')\n2\n```\n\nSo {{ 1 + 1 }}.\n")
    return path


def test_run_shows_what_each_block_shows(page: Path, capsys) -> None:
    assert cli.main(["run", str(page)]) == 0
    assert capsys.readouterr().out == "p.md:3: ran\np.md:3: 2\np.md:8: 2\n"


def test_a_failing_block_is_one_message(page: Path, capsys) -> None:
    page.write_text("```python\n1 / 0\n```\n")
    assert cli.main(["run", str(page)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "lookback: p.md:2: block 1: ZeroDivisionError" in captured.err
    assert "worker.py" not in captured.err


def test_a_page_that_takes_too_long_names_the_option(page: Path, capsys) -> None:
    page.write_text("```python\nwhile True: pass\n```\n")
    assert cli.main(["run", str(page), "--time-limit", "0.1"]) == 1
    err = capsys.readouterr().err
    assert "stopped here: make it do less, or raise " in err


def test_a_page_that_is_not_there_is_named(capsys) -> None:
    assert cli.main(["run", "none.md"]) == 1
    assert "there is no page" in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["0", "-1", "soon", "nan", "inf"])
def test_a_time_limit_is_a_positive_number(page: Path, limit: str, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["run", str(page), "--time-limit", limit])
    assert stop.value.code == 2
    assert "is no positive number of seconds" in capsys.readouterr().err


# --- corpora


def test_pairs_are_printed_with_their_links(shop: Path, capsys) -> None:
    assert cli.main(["corpus", "toy", "--count", "1", "--skip", "1"]) == 0
    assert capsys.readouterr().out == (
        "the tree does not sleep .\nl' arbre ne dort pas .\n"
        "  l'–the  arbre–tree  (ne–does)  dort–sleep\n\n"
    )


def test_sentences_are_printed_as_they_are(capsys) -> None:
    assert cli.main(["corpus", "python_reference", "-n", "2", "--split", "test"]) == 0
    lines = capsys.readouterr().out.splitlines()
    test = corpora.python_reference().test
    assert lines == [" ".join(sentence) for sentence in test[:2]]


def test_a_tagged_sentence_is_printed_with_its_tags() -> None:
    sentence = Tagged(("a", "dog"), ("DET", "NOUN"))
    assert corpora_commands.shown(sentence) == ["a/DET dog/NOUN"]


def test_a_corpus_is_told_its_options(shop: Path, capsys) -> None:
    given = ["corpus", "toy", "-n", "99", "--set", "times=3"]
    assert cli.main(given) == 0
    assert capsys.readouterr().out.count("the cat sleeps .") == 3
    assert "no option of toy 'time': did you mean 'times'?" in refused(
        capsys, "corpus", "toy", "--set", "time=3"
    )
    assert "--set takes OPTION=VALUE" in refused(capsys, "corpus", "toy", "--set", "3")


def test_what_a_corpus_lacks_is_refused(shop: Path, capsys) -> None:
    told = refused(capsys, "corpus", "toys")
    assert "there is no corpus 'toys': did you mean 'toy'?" in told
    told = refused(capsys, "corpus", "toy", "--skip", "6")
    assert "--skip 6: train of toy has 6" in told
    for wrong in (["-n", "0"], ["--split", "dev"], ["-n", "many"]):
        with pytest.raises(SystemExit) as stop:
            cli.main(["corpus", "toy", *wrong])
        assert stop.value.code == 2


def test_a_corpus_is_downloaded_when_asked(
    shop: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[bool]()

    def remote(download: bool = False) -> PairCorpus:
        asked.append(download)
        return toy()

    monkeypatch.setattr(corpora, "toy", remote)
    assert cli.main(["corpus", "toy", "--download"]) == 0
    assert asked == [True]
    capsys.readouterr()
    told = refused(capsys, "corpus", "grammar", "--download")
    assert "there is no option of grammar 'download'" in told


@pytest.mark.parametrize("name", ["english_ewt", "multi30k", "tatoeba", "wikitext2"])
def test_missing_data_is_told_in_words_of_the_command_line(
    tmp_path: Path, capsys, name: str
) -> None:
    told = refused(capsys, "corpus", name, "--set", f"path={tmp_path}")
    assert f"`lookback corpus {name} --download` fetches it" in told
    assert "LOOKBACK_DATA" in told
    assert "download=" not in told
    assert "path=" not in told


def test_altered_data_is_told_in_words_of_the_command_line(
    tmp_path: Path, capsys
) -> None:
    path = tmp_path / "fra-eng.zip"
    path.write_bytes(b"other")
    told = refused(capsys, "corpus", "tatoeba", "--set", f"path={path}")
    digest = hashlib.sha256(b"other").hexdigest()
    assert "fetch it again" in told
    assert "(`lookback corpus tatoeba --download`)" in told
    assert f"`lookback corpus tatoeba --set path={path} sha256={digest}`" in told
    assert "download=" not in told


# --- models


def test_models_are_listed_trained_and_measured(shop: Path, capsys) -> None:
    assert cli.main(["list"]) == 0
    told = capsys.readouterr().out
    assert "  ngram  on toy: not trained yet" in told
    assert "  toy               A toy of six pairs." in told
    assert cli.main(["train"]) == 0
    path = shop / "ngram.safetensors"
    told = capsys.readouterr().out
    assert told.startswith("ibm1: there is no checkpoint\n")
    assert told.endswith(f"ngram: there is no checkpoint\n{path}\n")
    assert cli.main(["train"]) == 0
    assert capsys.readouterr().out == "ibm1: up to date\nngram: up to date\n"
    assert cli.main(["train", "ngram", "--into", str(shop / "deep")]) == 0
    assert capsys.readouterr().out == f"{shop / 'deep' / path.name}\n"
    assert cli.main(["list", "--from", str(shop / "deep")]) == 0
    assert "parameters, validation perplexity" in capsys.readouterr().out


def test_a_model_is_measured_beside_what_was_recorded(trained: Path, capsys) -> None:
    assert cli.main(["evaluate", "ngram"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["ngram", "recorded", "measured"]
    assert [row.split()[:2] for row in rows] == [
        ["validation", "perplexity"],
        ["test", "perplexity"],
    ]
    assert all(row.split()[2] == row.split()[3] for row in rows)


def test_numbers_that_differ_are_told(
    trained: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"test perplexity": 7.0}
    evaluate = "lookback.trainer.checkpoint.evaluate"
    monkeypatch.setattr(evaluate, lambda name, where: found)
    assert cli.main(["evaluate", "ngram"]) == 1
    assert "They differ" in capsys.readouterr().out


@pytest.fixture
def adding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A study, in a module of `lookback.studies`."""
    module = ModuleType("lookback.studies.adding")

    def n(n: int) -> dict[str, int]:
        return {"n": n}

    sums = Experiment(n, [{"n": 2}, {"n": 3}], smoke={"n": 1})
    vars(module)["STUDY"] = Study("what 2 and 3 make", {"sum": sums})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(lookback.studies, "__path__", [str(tmp_path)])
    (tmp_path / "adding.py").touch()
    return module


def test_a_study_is_listed_and_measured(
    adding: ModuleType, tmp_path: Path, capsys
) -> None:
    assert cli.main(["list"]) == 0
    assert "  adding  what 2 and 3 make\n" in capsys.readouterr().out
    told = ["measure", "adding", "--only", "sum,", "n", "2", "--into", str(tmp_path)]
    assert cli.main(told) == 0
    shown = capsys.readouterr().out
    assert "sum, n 2: " in shown
    assert "sum, n 3" not in shown
    assert str(tmp_path / "adding.json") in shown
    assert cli.main(["measure", "addin"]) == 2
    assert (
        "there is no study 'addin': did you mean 'adding'?" in capsys.readouterr().err
    )
    assert cli.main(["measure"]) == 2
    assert "name a study" in capsys.readouterr().err
    assert cli.main(["measure", "adding", "--only", "smaller"]) == 2
    assert capsys.readouterr().err == (
        "lookback: no run of adding has 'smaller' in it: there is\n"
        "  sum, smoke\n  sum, n 2\n  sum, n 3\n"
    )


def test_studies_are_verified(adding: ModuleType, tmp_path: Path, capsys) -> None:
    into = ["--into", str(tmp_path)]
    assert cli.main(["measure", "adding", *into]) == 0
    path = tmp_path / "adding.json"
    stored = path.read_text()
    assert cli.main(["measure", "--verify", "adding", *into]) == 0
    assert "adding, sum, n 2: as stored\n" in capsys.readouterr().out
    path.write_text(stored.replace('"measured": {"n": 3}', '"measured": {"n": 5}'))
    assert cli.main(["measure", "--verify", "adding", *into]) == 1
    shown = capsys.readouterr().out
    assert "adding, sum, n 3: n: stored 5, now 3 (-2)\n" in shown
    assert "1 runs differ in 1 studies\n" in shown
    assert path.read_text() != stored


def test_names_and_what_is_said_of_them_never_touch(capsys) -> None:
    """The book's own, in the order of history; each name has its column."""
    assert cli.main(["list"]) == 0
    models, corpora, studies = capsys.readouterr().out.split("\n\n")
    for part in (models, corpora, studies):
        rows = part.splitlines()[1:]
        column = max(len(row.split()[0]) for row in rows) + 4
        assert all(row[column - 1] == " " != row[column] for row in rows)
    names = [row.split()[0] for row in models.splitlines()[1:]]
    assert names.index("ngram") < names.index("ibm1") < names.index("bahdanau")


def test_help_knows_what_the_house_knows_without_asking_it() -> None:
    assert data.NAMES == corpora_commands.NAMES
    assert SPLITS == corpora_commands.SPLITS
    assert device.DEVICES == models.DEVICES


def test_only_the_first_of_many_processes_speaks(
    shop: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "1")
    assert cli.main(["train"]) == 0
    assert capsys.readouterr().out == ""


def test_models_that_are_not_there_are_refused(trained: Path, capsys) -> None:
    for command in ("train", "evaluate", "generate --model"):
        told = refused(capsys, *command.split(), "ngran")
        assert "there is no model 'ngran': did you mean 'ngram'?" in told
    path = trained / "ngram.safetensors"
    path.write_bytes(path.read_bytes()[:-9])
    for given in (["evaluate", "ngram"], ["generate"]):
        assert f"{path}: truncated" in refused(capsys, *given)
    assert cli.main(["list"]) == 0
    assert "ngram.safetensors: truncated" in capsys.readouterr().out
    path.unlink()
    assert "ngram is not trained yet" in refused(capsys, "generate")


def test_a_folder_that_cannot_be_written_is_refused(shop: Path, capsys) -> None:
    (shop / "file").write_text("")
    told = refused(capsys, "train", "ngram", "--into", shop / "file")
    assert f"{shop / 'file' / 'ngram.safetensors'}: cannot be written" in told


# --- words


def test_a_model_writes(trained: Path, capsys) -> None:
    def told(*given: str) -> str:
        assert cli.main(["generate", *given]) == 0
        return capsys.readouterr().out

    started = told("--words", "20", "--start", "The dog")
    assert started.startswith("the dog ")
    assert told("--start", "The", "dog", "--words", "20") == started
    assert len(told("--words", "50").split()) <= 50
    assert told("--seed", "1") == told("--seed", "1") != told("--seed", "2")


def test_unknown_words_and_none_are_refused(trained: Path, capsys) -> None:
    told = refused(capsys, "generate", "--start", "the trea")
    assert "does not know the word 'trea': did you mean 'tree'?" in told
    told = refused(capsys, "generate", "--start", "zzz")
    assert told.endswith("does not know the word 'zzz'\n")
    assert "does not know the word '<s>'" in refused(
        capsys, "generate", "--start", "<s>"
    )
    assert "the text is empty" in refused(capsys, "generate", "--start", " ")


def test_a_model_without_the_skill_is_refused(shop: Path, capsys) -> None:
    assert words.able("generate") == ["ngram"]
    assert words.able("translate") == words.able("link") == ["ibm1"]
    told = refused(capsys, "generate", "--model", "ibm1")
    assert "ibm1 cannot generate: ngram can" in told
    told = refused(capsys, "align", "the cat", "le chat", "--model", "ngram")
    assert "ngram cannot link: ibm1 can" in told


def test_a_sentence_is_translated_and_aligned(trained: Path, capsys) -> None:
    for given in (["The cat sleeps."], ["The", "cat", "sleeps."]):
        assert cli.main(["translate", *given, *IBM1]) == 0
        assert capsys.readouterr().out == "le chat dort .\n"
    assert cli.main(["align", "the cat sees the tree.", "Le chat voit l’arbre."]) == 0
    rows = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert [word for word, _ in rows] == ["le", "chat", "voit", "l'", "arbre", "."]
    assert dict(rows)["chat"] == "cat"
    assert dict(rows)["arbre"] == "tree"


def test_two_sentences_without_quotes_are_refused(capsys) -> None:
    told = refused(capsys, "align", "the", "cat", "le", "chat")
    assert 'each in quotes: lookback align "the minister' in told
    with pytest.raises(SystemExit):
        cli.main(["align", "the cat sleeps ."])
    assert "are required: FRENCH\n" in capsys.readouterr().err


def test_the_book_s_best_translator_is_asked_unless_another_is_named(capsys) -> None:
    asked = ["translate", "the minister drinks the water ."]
    said = []
    for more in ([], ["--model", "bahdanau"], ["--model", "ibm1"]):
        assert cli.main([*asked, *more]) == 0
        said.append(capsys.readouterr().out)
    assert said[:2] == ["le ministre boit l' eau .\n"] * 2
    assert said[2] != said[0]  # word by word


def test_a_figure_holds_the_words(trained: Path, capsys) -> None:
    path = trained / "out.svg"
    for given in (
        ["translate", "the cat sleeps .", *IBM1],
        ["align", "the cat sleeps .", "le chat dort ."],
    ):
        assert cli.main([*given, "--figure", str(path)]) == 0
        text = path.read_text()
        assert all(f">{word}</text>" in text for word in ("cat", "chat", "dort"))
        before = path.read_bytes()
        assert cli.main([*given, "--figure", str(path)]) == 0
        assert path.read_bytes() == before
        capsys.readouterr()


def test_a_figure_of_sub_words_has_a_row_for_each_piece(tmp_path: Path, capsys) -> None:
    path, model = tmp_path / "out.svg", ["--model", "bpe-transformer"]
    words = "Xylophones sleep.", "Les xylophones dorment."
    for given in (["translate", words[0]], ["align", *words]):
        assert cli.main([*given, *model, "--figure", str(path)]) == 0
        assert re.search(r">x ?</text>", path.read_text())
    rows = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert [word for word, _ in rows[1:]] == ["les", "xylophones", "dorment", "."]
    assert "xylophones" in rows[2][1]


def test_what_cannot_be_translated_is_refused(trained: Path, capsys) -> None:
    told = refused(capsys, "translate", "the kat sleeps .", *IBM1)
    assert "does not know the word 'kat': did you mean 'cat'?" in told
    assert "the text is empty" in refused(capsys, "translate", "", *IBM1)
    assert "the text is empty" in refused(capsys, "align", "the cat", " ")
    told = refused(capsys, "align", "the cat", "le chut")
    assert "does not know the word 'chut': did you mean 'chat'?" in told
    told = refused(capsys, "translate", "the cat", "--model", "ngram")
    assert "ngram cannot translate: ibm1 can" in told
    told = refused(capsys, "translate", "the cat", "--model", "ibm")
    assert "did you mean 'ibm1'?" in told


NETWORK = Recipe(
    EncoderDecoderLearner,
    Data("toy", (("times", 1),)),
    0,
    EncoderDecoderConfig(m=8, n=16, l=8),
    Optimiser("adam", 0.02, clip=1.0),
    Budget(steps=80, tokens=60, evaluate_every=40),
)


@pytest.fixture
def network(trained: Path, capsys, enter: Enter) -> Path:
    """A network beside the others, that learned six sentences by heart."""
    enter("encdec", NETWORK)
    assert cli.main(["train", "encdec", "--quiet"]) == 0
    capsys.readouterr()
    return trained


def test_a_network_translates_and_says_what_it_does_not_know(
    network: Path, capsys
) -> None:
    def told(*given: str) -> tuple[str, list[str]]:
        assert cli.main(["translate", "--model", "encdec", *given]) == 0
        out, err = capsys.readouterr()
        return out, err.splitlines()

    assert told("The dog sleeps.") == ("le chien dort .\n", [])
    assert told("the dog sleeps .", "--beam", "4") == ("le chien dort .\n", [])
    out, remarks = told("The zebra sees the kat.")
    assert out.count("\n") == 1
    assert remarks == [
        "lookback: read: the [zebra] sees the [kat] .",
        "lookback: [zebra] is unknown, read as <unk>",
        "lookback: [kat] is unknown, read as <unk>; did you mean 'cat'?",
        "lookback: --model bpe-transformer reads any word of everyday English",
    ]
    assert told("the cat sees the tree .")[1] == []  # as many words as in training
    assert "did you mean" not in told("the unk sleeps .")[1][1]  # <unk> is no word
    out, (remark,) = told("the cat sees the tree sleeps .")
    assert out.split()
    assert remark == (
        "lookback: these are 7 words; "
        "no sentence that encdec learned from had more than 6"
    )


@pytest.fixture
def people(network: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The network again, its six sentences taken for what people wrote."""
    cut = {"source": tokenize, "target": tokenize_french}
    monkeypatch.setattr("lookback.trainer.data.TOKENIZERS", {"toy": cut})
    return network


def test_what_people_wrote_is_read_and_written_as_people_write(people, capsys) -> None:
    def told(text: str, *given: str) -> tuple[str, list[str]]:
        assert cli.main(["translate", "--model", "encdec", text, *given]) == 0
        out, err = capsys.readouterr()
        return out, err.splitlines()

    assert told("The dog sleeps.") == ("Le chien dort.\n", [])
    assert told(" the  tree\ndoes not sleep.") == ("L'arbre ne dort pas.\n", [])
    out, remarks = told("The left-hand dog doesn’t sleep!", "--beam", "3")
    assert out[0].isupper()
    assert remarks == [
        "lookback: read: the [left-hand] dog [doesn't] sleep [!]",
        "lookback: [left-hand] is unknown, read as <unk>",
        "lookback: [doesn't] is unknown, read as <unk>; did you mean 'does'?",
        "lookback: [!] is unknown, read as <unk>",
        "lookback: --model bpe-transformer reads any word of everyday English",
    ]
    assert told("The dog.cat sleeps.")[1][0] == "lookback: read: the [dog.cat] sleeps ."
    out, (remark,) = told("The dog sees the dog. " * 9)
    assert out.count("\n") == 1
    assert "54 words; no sentence that encdec learned from had more than 6" in remark


@pytest.mark.parametrize("special", ["<pad>", "<S>", "</s>", "<unk>"])
@pytest.mark.parametrize("cut", [None, tokenize])
def test_a_special_that_somebody_types_is_none(special: str, cut) -> None:
    found = read(f"l'{special} arbre", VOCABULARY, keep=True, cut=cut)
    assert not {*VOCABULARY.specials}.intersection(found)
    assert "".join(found) == f"l'{special.lower()}arbre"


def test_what_people_wrote_may_be_no_words(people, capsys) -> None:
    for empty in ("", " ", "\n"):
        told = refused(capsys, "translate", empty, "--model", "encdec")
        assert "the text is empty" in told


@pytest.mark.parametrize(
    ("text", "written", "said"),
    [
        ("I saw Tom in Boston.", "j' ai vu tom à boston .", "J'ai vu Tom à Boston."),
        ("Table of Tom", "la table de tom", "La table de Tom"),
        ("Is Zoltan there?", "[zoltan] est -il là ?", "[Zoltan] est-il là ?"),
        (
            "Did Zoltan come?",
            "est -ce que [zoltan] vint ?",
            "Est-ce que [Zoltan] vint ?",
        ),
        ("", "un chat", "Un chat"),
    ],
)
def test_names_keep_their_capitals(text: str, written: str, said: str) -> None:
    assert spelt(written.split(), text) == said


def test_what_a_network_refuses(network: Path, capsys) -> None:
    for empty in ("", "  "):
        told = refused(capsys, "translate", empty, "--model", "encdec")
        assert "the text is empty" in told
    told = refused(
        capsys, "translate", "the cat", "--model", "encdec", "--figure", "f.svg"
    )
    assert "encdec has no attention: a figure needs one of ibm1" in told
    told = refused(capsys, "translate", "the cat", "--beam", "2", *IBM1)
    assert "ibm1 writes word by word: it searches no beam" in told


def test_what_became_of_an_unknown_word_is_told(network: Path) -> None:
    unknown = Unknown(1, "zebra", "<unk>", ("chien", "gris"))
    told = Translation(("le", "chien", "gris"), ("the", "[zebra]"), (unknown,))
    read, became, _ = words._remarks(told, pretrained("encdec"))
    assert read == "read: the [zebra]"
    assert became == "[zebra] is unknown, read as <unk>; it became chien gris"


@pytest.mark.parametrize("name", ["none/out.svg", "out.txt", "."])
def test_a_figure_that_cannot_be_written_is_refused(
    trained: Path, capsys, name: str
) -> None:
    path = trained / name
    assert str(path) in refused(capsys, "translate", "the cat", *IBM1, "--figure", path)


VOCABULARY = Vocabulary.build(
    [["l'", "arbre", "aujourd'hui", "minister", "'s", ".", "a.b", "d'", "x"]]
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("L’arbre.", ["l'", "arbre", "."]),
        ("minister's", ["minister", "'s"]),
        ("aujourd'hui", ["aujourd'hui"]),
        ("l'  arbre .", ["l'", "arbre", "."]),
        ("a.b.", ["a.b", "."]),
    ],
)
def test_a_text_is_cut_as_the_vocabulary_is(text: str, found: list[str]) -> None:
    assert read(text, VOCABULARY) == found


def test_a_word_is_never_cut_inside() -> None:
    assert pieces("arbrex", frozenset(["arbre", "x"])) is None
    for text in ("arbrex", "l'arbrex", "arbrex.", "l'arbrex.."):
        with pytest.raises(ValueError, match="the word 'arbrex': did you mean 'arbre'"):
            read(text, VOCABULARY)
    with pytest.raises(ValueError, match=r"""the word "don't"$"""):
        read("don't .", VOCABULARY)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("L’arbrex.", ["l'", "arbrex", "."]),
        ("arbrex", ["arbrex"]),
        ("the minister's.", ["the", "minister", "'s", "."]),
        ("don't .", ["don't", "."]),
        ("zebra's", ["zebra", "'s"]),
        ("a.b.zebra.", ["a.b", ".", "zebra", "."]),
    ],
)
def test_unknown_words_may_be_kept(text: str, found: list[str]) -> None:
    assert read(text, VOCABULARY, keep=True) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("L’arbrex.", ["l'", "arbrex", "."]),
        ("Aujourd'hui-là", ["aujourd'hui-là"]),  # in two the corpus never had it
    ],
)
def test_what_people_wrote_is_cut_as_the_corpus_is(text: str, found: list[str]) -> None:
    assert read(text, VOCABULARY, keep=True, cut=tokenize_french) == found


def test_a_word_of_people_that_may_not_be_kept_is_refused() -> None:
    assert read("L’arbre.", VOCABULARY, cut=tokenize_french) == ["l'", "arbre", "."]
    with pytest.raises(ValueError, match="the word 'arbrex': did you mean 'arbre'"):
        read("L'arbrex", VOCABULARY, cut=tokenize_french)
    assert read("minister's", VOCABULARY, cut=tokenize) == ["minister", "'s"]


def test_nothing_is_no_text_either_way() -> None:
    for keep in (False, True):
        for cut in (None, tokenize):
            with pytest.raises(ValueError, match="the text is empty"):
                read(" ", VOCABULARY, keep=keep, cut=cut)


# --- the race


def test_the_race_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two trainings of a toy, the one that took up to two seconds."""
    from lookback.studies import real
    from lookback.trainer import study

    def train(seconds: float, seed: int) -> dict[str, Any]:
        about = {"parameters": 1, "seconds": seconds, "target tokens": 2}
        return {**about, "BLEU": 10 * seconds}

    races = {("system", n): ({"seconds": s}, [0]) for n, s in (("a", 1.0), ("b", 3.0))}
    settings = [{"system": "system", "training": n, "seed": 0} for n in ("a", "b")]
    toy = study.Experiment(
        train,
        settings,
        arguments=lambda system, training, seed: {
            **races[system, training][0],
            "seed": seed,
        },
    )
    monkeypatch.setattr(real, "RACES", races)
    monkeypatch.setattr(real, "STUDY", study.Study("a race", {"race": toy}))
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    monkeypatch.setattr(study, "SHIPPED", shipped)
    study.measure("real", say=str)
    monkeypatch.setattr("lookback.trainer.data.corpus", lambda data: True)
    into = ["--into", str(tmp_path / "again")]
    assert cli.main(["race", "--within", "2", *into]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split() for line in shown[1:]] == [
        ["system", "a", "1", "1", "10.0", "10.0"]
    ]
    assert cli.main(["race", "--within", "0", *into]) == 2
    assert "no training took 0 s or less" in capsys.readouterr().err
