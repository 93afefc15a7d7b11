"""Words are cut into the pieces that Python cuts them into, and joined again."""

from __future__ import annotations

from lookback import pretrained
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
