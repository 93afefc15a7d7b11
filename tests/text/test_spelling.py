"""Which name is taken for the one that was meant, and which is not."""

import pytest

from lookback.text.spelling import did_you_mean, nearest

COMMANDS = ["align", "corpus", "evaluate", "list", "new", "train", "translate"]
MODELS = ["bahdanau", "bahdanau-tatoeba", "bert", "ibm1", "luong", "ngram", "seq2seq"]


@pytest.mark.parametrize(
    ("typed", "names", "meant"),
    [
        ("tranlsate", COMMANDS, "translate"),
        ("trian", COMMANDS, "train"),
        ("algin", COMMANDS, "align"),
        ("evaluation", COMMANDS, "evaluate"),
        ("nwe", COMMANDS, "new"),
        ("version", [*COMMANDS, "--version"], "--version"),
        ("bahdanu", MODELS, "bahdanau"),
        ("Bahdanua", MODELS, "bahdanau"),
        ("BERT", MODELS, "bert"),
        ("ibm2", MODELS, "ibm1"),
        ("n-grams", MODELS, "ngram"),
        ("seqtoseq", MODELS, "seq2seq"),
        ("tatoeba", MODELS, "bahdanau-tatoeba"),
        ("kat", ["cat", "dog"], "cat"),
    ],
)
def test_a_slip_is_told_the_name(typed: str, names: list[str], meant: str) -> None:
    assert nearest(typed, names) == meant
    assert did_you_mean(typed, names) == f": did you mean {meant!r}?"


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("nothing", MODELS),
        ("skipgram", MODELS),
        ("transformer", MODELS),
        ("version", COMMANDS),
        ("print", COMMANDS),
        ("update", COMMANDS),
        ("write", ["register"]),
        ("", COMMANDS),
        ("?", [".", "!"]),
        ("train", []),
    ],
)
def test_another_word_is_told_none(typed: str, names: list[str]) -> None:
    assert nearest(typed, names) == ""
    assert did_you_mean(typed, names) == ""


def test_a_name_that_begins_with_the_word_comes_first() -> None:
    names = ["concat, dot", "dots", "dot, local", "dot, global"]
    assert nearest("dot", names) == "dot, global"
    assert nearest("local", names) == "dot, local"
