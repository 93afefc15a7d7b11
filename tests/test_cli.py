"""The command line: what it prints, and that no failure is a bare traceback."""

import hashlib
import os
import re
import shlex
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
from lookback.cli import models, options, words
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
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def trained(shop: Path, capsys) -> Path:
    assert cli.main(["train", "--quiet"]) == 0
    capsys.readouterr()
    return shop


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


Say = Callable[..., str]


@pytest.fixture
def say(capsys) -> Say:
    """Runs a command line; returns what it printed."""

    def run(line: str, status: int = 0) -> str:
        assert cli.main(shlex.split(line)) == status
        return capsys.readouterr().out

    return run


def refused(capsys, line: str) -> str:
    """The one line that a command says when it refuses, with status 2."""
    assert cli.main(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("lookback: ") and err.count("\n") == 1
    return err


# --- refusals

CAT = "translate 'the cat'"
REFUSED = [
    ("trian", "no command 'trian': did you mean 'train'? there is align,"),
    ("version", "did you mean '--version'?"),
    ("print", "there is no command 'print': there is align,"),
    ("corpus toys", "there is no corpus 'toys': did you mean 'toy'?"),
    ("corpus toy --skip 6", "--skip 6: train of toy has 6"),
    ("corpus toy --set time=3", "no option of toy 'time': did you mean 'times'?"),
    ("corpus toy --set 3", "--set takes OPTION=VALUE"),
    ("corpus grammar --download", "there is no option of grammar 'download'"),
    ("train ngran", "there is no model 'ngran': did you mean 'ngram'?"),
    ("evaluate ngran", "there is no model 'ngran': did you mean 'ngram'?"),
    ("generate --model ngran", "there is no model 'ngran': did you mean 'ngram'?"),
    ("train ngram --into ngram.safetensors", "ngram.safetensors: cannot be written"),
    ("measure", "name a study"),
    ("generate --start 'the trea'", "the word 'trea': did you mean 'tree'?"),
    ("generate --start zzz", "does not know the word 'zzz'\n"),
    ("generate --start '<s>'", "does not know the word '<s>'"),
    ("generate --start ' '", "the text is empty"),
    ("generate --model ibm1", "ibm1 cannot generate: ngram can"),
    ("align the cat le chat", 'each in quotes: lookback align "the minister'),
    ("align 'the cat' ' '", "the text is empty"),
    ("align 'the cat' 'le chut'", "the word 'chut': did you mean 'chat'?"),
    ("align 'the cat' 'le chat' --model ngram", "ngram cannot link: ibm1 can"),
    (f"{CAT} --model ngram", "ngram cannot translate: ibm1 can"),
    (f"{CAT} --model ibm1 --beam 2", "ibm1 writes word by word: it searches no beam"),
    ("translate 'the kat .' --model ibm1", "the word 'kat': did you mean 'cat'?"),
    ("translate '' --model ibm1", "the text is empty"),
    (f"{CAT} --model ibm1 --figure no/out.svg", "no/out.svg: cannot be written"),
    (f"{CAT} --model ibm1 --figure out.txt", "out.txt: a figure ends in .svg, .pdf"),
    (f"{CAT} --model ibm1 --figure .", ".: a figure ends in .svg, .pdf"),
]


@pytest.mark.parametrize(("line", "said"), REFUSED)
def test_what_is_refused_is_one_line(
    trained: Path, capsys, line: str, said: str
) -> None:
    assert said in refused(capsys, line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "required: COMMAND"),
        ("corpus toy -n 0", "no whole number of 1 or more"),
        ("corpus toy -n many", "no whole number of 1 or more"),
        ("corpus toy --split dev", "invalid choice: 'dev'"),
        ("align 'the cat sleeps .'", "required: FRENCH"),
        *(
            (f"run p.md --time-limit={limit}", "no positive number of seconds")
            for limit in ("0", "-1", "soon", "nan", "inf")
        ),
    ],
)
def test_what_argparse_refuses(capsys, line: str, said: str) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(shlex.split(line))
    assert stop.value.code == 2 and said in capsys.readouterr().err


def test_a_model_that_is_damaged_or_gone_is_refused(trained: Path, say, capsys) -> None:
    path = trained / "ngram.safetensors"
    path.write_bytes(path.read_bytes()[:-9])
    for line in ("evaluate ngram", "generate"):
        assert f"{path}: truncated" in refused(capsys, line)
    assert "ngram.safetensors: truncated" in say("list")
    path.unlink()
    assert "ngram is not trained yet" in refused(capsys, "generate")


@pytest.mark.parametrize("name", ["english_ewt", "multi30k", "tatoeba", "wikitext2"])
def test_missing_data_is_told_in_words_of_the_command_line(
    tmp_path: Path, capsys, name: str
) -> None:
    told = refused(capsys, f"corpus {name} --set path={tmp_path}")
    assert f"`lookback corpus {name} --download` fetches it" in told
    assert "LOOKBACK_DATA" in told
    assert "download=" not in told and "path=" not in told


def test_altered_data_is_told_in_words_of_the_command_line(
    tmp_path: Path, capsys
) -> None:
    path = tmp_path / "fra-eng.zip"
    path.write_bytes(b"other")
    told = refused(capsys, f"corpus tatoeba --set path={path}")
    digest = hashlib.sha256(b"other").hexdigest()
    assert "fetch it again" in told and "(`lookback corpus tatoeba --download`)" in told
    assert f"`lookback corpus tatoeba --set path={path} sha256={digest}`" in told
    assert "download=" not in told


# --- the whole


def test_it_is_also_a_module() -> None:
    words = [sys.executable, "-m", "lookback", "--version"]
    told = subprocess.run(words, capture_output=True, text=True, check=True)
    assert told.stdout[0].isdigit()


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (RecursionError(), 1, "the input is nested too deeply, or too long, for this"),
        (MemoryError(), 1, "the memory of this machine is too small for this"),
        (OSError(28, "No space left", "a/b"), 2, "a/b: No space left"),
        (OSError(28, "No space left"), 2, "No space left"),
        *(
            (ModuleNotFoundError("No module", name=name), 1, f"attention[{extra}]")
            for name, extra in {
                "tqdm": "data",
                "matplotlib": "figures",
                "yaml": "site",
                "libcst": "extract",
            }.items()
        ),
    ],
)
def test_whatever_stops_a_command_is_one_line(
    capsys, monkeypatch: pytest.MonkeyPatch, error: BaseException, status, said
) -> None:
    def stopped(words: object) -> int:
        raise error

    monkeypatch.setattr(models, "_list", stopped)
    assert cli.main(["list"]) == status
    err = capsys.readouterr().err
    assert said in err if status == 1 else err == f"lookback: {said}\n"


def test_an_argument_that_is_not_utf_8_is_refused(capsys) -> None:
    told = refused(capsys, "translate caf\udce9")
    assert told == "lookback: the argument 'caf\\udce9' is not UTF-8\n"


EXTRACT = ("extract", "bahdanau")
CORPUS = ("corpus", "python_reference", "-n", "1000")


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


@pytest.mark.parametrize(
    ("code", "option", "status", "out", "err"),
    [
        ("print('ran')\n2", "", 0, "p.md:1: ran\np.md:1: 2\np.md:6: 2\n", ""),
        ("1 / 0", "", 1, "", "lookback: p.md:2: block 1: ZeroDivisionError"),
        ("while 1: 1", "--time-limit .1", 1, "", "make it do less, or raise"),
    ],
)
def test_a_page_is_run(
    tmp_path: Path, capsys, code: str, option: str, status: int, out: str, err: str
) -> None:
    page = tmp_path / "p.md"
    page.write_text(f"```python\n{code}\n```\n\nSo {{{{ 1 + 1 }}}}.\n")
    assert cli.main(["run", str(page), *option.split()]) == status
    said = capsys.readouterr()
    assert said.out == out and err in said.err and "worker.py" not in said.err


def test_a_page_that_is_not_there_is_named(capsys) -> None:
    assert cli.main(["run", "none.md"]) == 1
    assert "there is no page" in capsys.readouterr().err


# --- corpora


def test_sentences_are_printed_as_they_are(say: Say) -> None:
    lines = say("corpus python_reference -n 2 --split test").splitlines()
    test = corpora.python_reference().test
    assert lines == [" ".join(sentence) for sentence in test[:2]]
    sentence = Tagged(("a", "dog"), ("DET", "NOUN"))
    assert corpora_commands.shown(sentence) == ["a/DET dog/NOUN"]


def test_pairs_are_printed_with_their_links(shop: Path, say: Say) -> None:
    assert say("corpus toy --count 1 --skip 1") == (
        "the tree does not sleep .\nl' arbre ne dort pas .\n"
        "  l'–the  arbre–tree  (ne–does)  dort–sleep\n\n"
    )
    assert say("corpus toy -n 99 --set times=3").count("the cat sleeps .") == 3


def test_a_corpus_is_downloaded_when_asked(
    shop: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[bool]()

    def remote(download: bool = False) -> PairCorpus:
        asked.append(download)
        return toy()

    monkeypatch.setattr(corpora, "toy", remote)
    say("corpus toy --download")
    assert asked == [True]


# --- models


def test_models_are_listed_trained_and_measured(
    shop: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = say("list")
    assert "  ngram  on toy: not trained yet" in told
    assert "  toy               A toy of six pairs." in told
    path = shop / "ngram.safetensors"
    told = say("train")
    assert told.startswith("ibm1: there is no checkpoint\n")
    assert told.endswith(f"ngram: there is no checkpoint\n{path}\n")
    assert say("train") == "ibm1: up to date\nngram: up to date\n"
    assert say("train ngram --into deep") == f"deep/{path.name}\n"
    assert "parameters, validation perplexity" in say("list --from deep")
    monkeypatch.setenv("RANK", "1")  # of many processes the first alone speaks
    assert say("train") == ""


def test_a_model_is_measured_beside_what_was_recorded(
    trained: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, *rows = map(str.split, say("evaluate ngram").splitlines())
    assert head == ["ngram", "recorded", "measured"]
    assert [row[:2] for row in rows] == [
        ["validation", "perplexity"],
        ["test", "perplexity"],
    ]
    assert all(row[2] == row[3] for row in rows)
    other = {"test perplexity": 7.0}
    evaluate = "lookback.trainer.checkpoint.evaluate"
    monkeypatch.setattr(evaluate, lambda name, where: other)
    assert "They differ" in say("evaluate ngram", 1)


def test_a_study_is_listed_measured_and_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, say: Say, capsys
) -> None:
    def n(n: int) -> dict[str, int]:
        return {"n": n}

    module = ModuleType("lookback.studies.adding")
    sums = Experiment(n, [{"n": 2}, {"n": 3}], smoke={"n": 1})
    vars(module)["STUDY"] = Study("what 2 and 3 make", {"sum": sums})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(lookback.studies, "__path__", [str(tmp_path)])
    (tmp_path / "adding.py").touch()
    path, into = tmp_path / "adding.json", f"--into {tmp_path}"
    assert "  adding  what 2 and 3 make\n" in say("list")
    shown = say(f"measure adding --only sum, n 2 {into}")
    assert "sum, n 2: " in shown and "sum, n 3" not in shown and str(path) in shown
    assert "no study 'addin': did you mean 'adding'?" in refused(
        capsys, "measure addin"
    )
    assert cli.main(["measure", "adding", "--only", "smaller"]) == 2
    assert capsys.readouterr().err == (
        "lookback: no run of adding has 'smaller' in it: there is\n"
        "  sum, smoke\n  sum, n 2\n  sum, n 3\n"
    )
    say(f"measure adding {into}")
    assert "sum, n 2: as stored\n" in say(f"measure --verify adding {into}")
    wrong = path.read_text().replace('"measured": {"n": 3}', '"measured": {"n": 5}')
    path.write_text(wrong)
    shown = say(f"measure --verify adding {into}", 1)
    assert "adding, sum, n 3: n: stored 5, now 3 (-2)\n" in shown
    assert "1 runs differ in 1 studies\n" in shown and path.read_text() == wrong


def test_names_and_what_is_said_of_them_never_touch(say: Say) -> None:
    """The book's own, in the order of history; each name has its column."""
    parts = [part.splitlines()[1:] for part in say("list").split("\n\n")]
    for rows in parts:
        column = max(len(row.split()[0]) for row in rows) + 4
        assert all(row[column - 1] == " " != row[column] for row in rows)
    names = [row.split()[0] for row in parts[0]]
    assert names.index("ngram") < names.index("ibm1") < names.index("bahdanau")


def test_help_knows_what_the_house_knows_without_asking_it() -> None:
    assert data.NAMES == corpora_commands.NAMES
    assert SPLITS == corpora_commands.SPLITS
    assert device.DEVICES == models.DEVICES


# --- words


def test_a_model_writes(trained: Path, say: Say) -> None:
    started = say("generate --words 20 --start 'The dog'")
    assert started.startswith("the dog ")
    assert say("generate --start The dog --words 20") == started
    assert len(say("generate --words 50").split()) <= 50
    first, second = (say(f"generate --seed {seed}") for seed in (1, 2))
    assert say("generate --seed 1") == first != second


def test_a_sentence_is_translated_and_aligned(trained: Path, say: Say) -> None:
    for sentence in ("'The cat sleeps.'", "The cat sleeps."):
        assert say(f"translate {sentence} --model ibm1") == "le chat dort .\n"
    shown = say("align 'the cat sees the tree.' 'Le chat voit l’arbre.'")
    rows = [line.split(maxsplit=1) for line in shown.splitlines()]
    assert [word for word, _ in rows] == ["le", "chat", "voit", "l'", "arbre", "."]
    assert dict(rows)["chat"] == "cat" and dict(rows)["arbre"] == "tree"


def test_the_book_s_best_translator_is_asked_unless_another_is_named(say: Say) -> None:
    asked = "translate the minister drinks the water ."
    best = "le ministre boit l' eau .\n"
    assert say(asked) == say(f"{asked} --model bahdanau") == best
    assert say(f"{asked} --model ibm1") != best  # word by word


def test_a_figure_holds_the_words(trained: Path, say: Say) -> None:
    for line in (
        "translate 'the cat sleeps .' --model ibm1",
        "align 'the cat sleeps .' 'le chat dort .'",
    ):
        made = []
        for _ in range(2):
            say(f"{line} --figure out.svg")
            made.append(Path("out.svg").read_text())
        assert made[0] == made[1]
        assert all(f">{word}</text>" in made[0] for word in ("cat", "chat", "dort"))


def test_a_figure_of_sub_words_has_a_row_for_each_piece(
    tmp_path: Path, say: Say
) -> None:
    path = tmp_path / "out.svg"
    for line in (
        "translate 'Xylophones sleep.'",
        "align 'Xylophones sleep.' 'Les xylophones dorment.'",
    ):
        shown = say(f"{line} --model bpe-transformer --figure {path}")
        assert re.search(r">x ?</text>", path.read_text())
    rows = [line.split(maxsplit=1) for line in shown.splitlines()]
    assert [word for word, _ in rows] == ["les", "xylophones", "dorment", "."]
    assert "xylophones" in rows[1][1]


@pytest.fixture
def translated(network: Path, capsys) -> Callable[..., tuple[str, list[str]]]:
    """Returns what the network makes of a text, and the remarks on that."""

    def run(text: str, *given: str) -> tuple[str, list[str]]:
        assert cli.main(["translate", "--model", "encdec", text, *given]) == 0
        out, err = capsys.readouterr()
        assert out.count("\n") == 1
        return out, err.splitlines()

    return run


def test_a_network_translates_and_says_what_it_does_not_know(translated) -> None:
    assert translated("The dog sleeps.") == ("le chien dort .\n", [])
    assert translated("the dog sleeps .", "--beam", "4") == ("le chien dort .\n", [])
    assert translated("The zebra sees the kat.")[1] == [
        "lookback: read: the [zebra] sees the [kat] .",
        "lookback: [zebra] is unknown, read as <unk>",
        "lookback: [kat] is unknown, read as <unk>; did you mean 'cat'?",
        "lookback: --model bpe-transformer reads any word of everyday English",
    ]
    assert translated("the cat sees the tree .")[1] == []  # as many words as learned
    assert "did you mean" not in translated("the unk sleeps .")[1][1]  # no word
    out, (remark,) = translated("the cat sees the tree sleeps .")
    assert out.split()
    assert remark == (
        "lookback: these are 7 words; "
        "no sentence that encdec learned from had more than 6"
    )


def test_what_people_wrote_is_read_and_written_as_people_write(
    translated, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    """The network again, its six sentences taken for what people wrote."""
    cut = {"source": tokenize, "target": tokenize_french}
    monkeypatch.setattr("lookback.trainer.data.TOKENIZERS", {"toy": cut})
    assert translated("The dog sleeps.") == ("Le chien dort.\n", [])
    assert translated(" the  tree\ndoes not sleep.") == ("L'arbre ne dort pas.\n", [])
    out, remarks = translated("The left-hand dog doesn’t sleep!", "--beam", "3")
    assert out[0].isupper()
    assert remarks == [
        "lookback: read: the [left-hand] dog [doesn't] sleep [!]",
        "lookback: [left-hand] is unknown, read as <unk>",
        "lookback: [doesn't] is unknown, read as <unk>; did you mean 'does'?",
        "lookback: [!] is unknown, read as <unk>",
        "lookback: --model bpe-transformer reads any word of everyday English",
    ]
    read_as = translated("The dog.cat sleeps.")[1][0]
    assert read_as == "lookback: read: the [dog.cat] sleeps ."
    assert "the text is empty" in refused(capsys, "translate ' ' --model encdec")


def test_what_a_network_refuses(network: Path, capsys) -> None:
    assert "the text is empty" in refused(capsys, "translate ' ' --model encdec")
    told = refused(capsys, f"{CAT} --model encdec --figure f.svg")
    assert "encdec has no attention: a figure needs one of ibm1" in told
    unknown = Unknown(1, "zebra", "<unk>", ("chien", "gris"))
    found = Translation(("le", "chien", "gris"), ("the", "[zebra]"), (unknown,))
    assert words._remarks(found, pretrained("encdec")) == [
        "read: the [zebra]",
        "[zebra] is unknown, read as <unk>; it became chien gris",
        "--model bpe-transformer reads any word of everyday English",
    ]


@pytest.mark.parametrize(
    ("text", "written", "said"),
    [
        ("I saw Tom in Boston.", "j' ai vu tom à boston .", "J'ai vu Tom à Boston."),
        ("Table of Tom", "la table de tom", "La table de Tom"),
        ("Is Zoltan there?", "[zoltan] est -il là ?", "[Zoltan] est-il là ?"),
        ("", "un chat", "Un chat"),
    ],
)
def test_names_keep_their_capitals(text: str, written: str, said: str) -> None:
    assert spelt(written.split(), text) == said


VOCABULARY = Vocabulary.build(
    [["l'", "arbre", "aujourd'hui", "minister", "'s", ".", "a.b", "d'", "x"]]
)
KEPT = {"keep": True}
PEOPLE = {"keep": True, "cut": tokenize_french}


@pytest.mark.parametrize(
    ("text", "how", "found"),
    [
        ("L’arbre.", {}, "l' arbre ."),
        ("minister's", {}, "minister 's"),
        ("aujourd'hui", {}, "aujourd'hui"),
        ("l'  arbre .", {}, "l' arbre ."),
        ("a.b.", {}, "a.b ."),
        ("L’arbrex.", KEPT, "l' arbrex ."),
        ("the minister's.", KEPT, "the minister 's ."),
        ("don't .", KEPT, "don't ."),
        ("zebra's", KEPT, "zebra 's"),
        ("a.b.zebra.", KEPT, "a.b . zebra ."),
        ("L’arbrex.", PEOPLE, "l' arbrex ."),
        ("Aujourd'hui-là", PEOPLE, "aujourd'hui-là"),  # in two it never had that
        ("L’arbre.", {"cut": tokenize_french}, "l' arbre ."),
        ("minister's", {"cut": tokenize}, "minister 's"),
    ],
)
def test_a_text_is_cut_as_the_corpus_is(text: str, how: dict, found: str) -> None:
    assert read(text, VOCABULARY, **how) == found.split()


@pytest.mark.parametrize(
    ("text", "how", "said"),
    [
        ("arbrex", {}, "the word 'arbrex': did you mean 'arbre'"),
        ("l'arbrex", {}, "the word 'arbrex': did you mean 'arbre'"),
        ("l'arbrex..", {}, "the word 'arbrex': did you mean 'arbre'"),
        ("don't .", {}, r"""the word "don't"$"""),
        ("L'arbrex", {"cut": tokenize_french}, "the word 'arbrex': did you mean"),
        (" ", {}, "the text is empty"),
        (" ", KEPT, "the text is empty"),
        (" ", PEOPLE, "the text is empty"),
    ],
)
def test_a_word_is_never_cut_inside(text: str, how: dict, said: str) -> None:
    assert pieces("arbrex", frozenset(["arbre", "x"])) is None
    with pytest.raises(ValueError, match=said):
        read(text, VOCABULARY, **how)


@pytest.mark.parametrize("special", ["<pad>", "<S>", "</s>", "<unk>"])
@pytest.mark.parametrize("cut", [None, tokenize])
def test_a_special_that_somebody_types_is_none(special: str, cut) -> None:
    found = read(f"l'{special} arbre", VOCABULARY, keep=True, cut=cut)
    assert not {*VOCABULARY.specials}.intersection(found)
    assert "".join(found) == f"l'{special.lower()}arbre"


# --- the race


def test_the_race_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, say: Say, capsys
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
    into = f"--into {tmp_path / 'again'}"
    row = say(f"race --within 2 {into}").splitlines()[1:]
    assert " ".join(" ".join(row).split()) == "system a 1 1 10.0 10.0"
    assert "no training took 0 s or less" in refused(capsys, f"race --within 0 {into}")
