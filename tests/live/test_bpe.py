"""Words are cut into the pieces that Python cuts them into, and joined again."""

from __future__ import annotations

from lookback import BPE, pretrained
from lookback.recipes.bpe import SubwordLearner, joined

from .conftest import Node

IMPORTS = {"bpe": "BPE, joined", "vocabulary": "Vocabulary"}
WORDS = [
    "the",
    "unbelievably",
    "quick",
    "aaaaaaa",
    "o'clock",
    "œuvre",
    "zzz",
    "?!?",
    "1999",
    "x",
    "straße",
    "☃",
]


def test_pieces_of_any_word(node: Node) -> None:
    learner = pretrained("bpe-transformer", kind=SubwordLearner)
    words = [*WORDS, *dict.fromkeys(e.strip() for e in learner.sides[0].entries[4:])]
    script = """
        const bpe = new BPE(new Vocabulary(given.known).words);
        const cut = given.words.map((word) => bpe.segment([word]));
        return { cut, whole: bpe.segment(given.words), strange: bpe.strange("a☃b☃ ⅷ"),
                 joined: joined(bpe.segment(given.words)) };
    """
    known = learner.sides[0].dumps()
    found = node(script, IMPORTS, {"known": known, "words": words})
    assert found["cut"] == [[*learner.cut([word])] for word in words]
    assert found["whole"] == [*learner.cut(words)]
    assert found["joined"] == joined(found["whole"])
    assert found["strange"] == ["☃", "ⅷ"]
    assert not learner.knows("☃") and learner.knows("unbelievably")


def test_a_character_of_two_code_units_is_one_symbol(node: Node) -> None:
    """JavaScript counts an emoji as two."""
    bpe = BPE.train(["😀a 😀a 😀😀"], size=12, byte_fallback=False)
    words = ["😀a", "a😀", "😀😀😀", "b"]
    script = """
        const bpe = new BPE(given.symbols);
        return given.words.map((word) => bpe.segment([word]));
    """
    given = {"symbols": bpe.entries[4:], "words": words}
    found = node(script, {"bpe": "BPE"}, given)
    assert found == [bpe.cut(f"{word} ") for word in words]
