"""The study of the window tagger, on sentences of the grammar."""

from dataclasses import replace

import pytest
import torch

from lookback.studies import window
from lookback.studies.window import (
    ASKED,
    BATCH,
    MORE,
    SETTINGS,
    SIGMA,
    Covered,
    Learned,
    Window,
    by_length,
    measured,
)
from lookback.text.corpora import Tagged, TaggedCorpus, grammar, tagged
from lookback.window import COLUMNS
from lookback.workshop import results

PAIRS = grammar(150)
TEXT = TaggedCorpus(
    "t", "1", tagged(PAIRS.train), tagged(PAIRS.validation), tagged(PAIRS.test)
)
FEW = Window(epochs=2)
LONGER = Window(epochs=8)


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """English EWT is the grammar; batches are small."""
    monkeypatch.setattr(window, "ewt", lambda: TEXT)
    monkeypatch.setattr(window, "BATCH", 100)


def test_batches_hold_every_sentence_once() -> None:
    sentences = [Tagged(("a",) * n, ("X",) * n) for n in (5, 900, 3, 70, 40, 60)]
    found = by_length(sentences)
    assert sorted(id(s) for some in found for s in some) == sorted(map(id, sentences))
    assert [sum(len(s.words) for s in some) for some in found] == [108, 970]
    assert BATCH == 1000


def test_a_tagger_learns_and_says_a_tag_for_each_word() -> None:
    before, after = LONGER.made(TEXT), LONGER.learn(TEXT)
    words = [sentence.words for sentence in TEXT.test]
    gold = [tag for sentence in TEXT.test for tag in sentence.tags]

    def right(tagger: window.Tagger) -> float:
        found = [tag for tags in tagger.tag(words) for tag in tags]
        return sum(a == b for a, b in zip(found, gold, strict=True)) / len(gold)

    assert right(before) < 0.4 < 0.6 < right(after)
    assert [len(t) for t in after.tag(words)] == [len(w) for w in words]
    assert after.parameters == sum(w.numel() for w in after.weights)


def test_word_level_leaves_the_transitions_alone() -> None:
    tagger = replace(FEW, level="word").learn(TEXT)
    assert not tagger.likelihood.A.any()
    C = len(TEXT.tags)
    assert FEW.made(TEXT).parameters - tagger.parameters == C * C + C
    assert FEW.learn(TEXT).likelihood.A.any()
    words = [TEXT.test[0].words]
    f = tagger.network(tagger.lookup(words))
    assert tagger.tag(words)[0] == tuple(TEXT.tags[c] for c in f[0].argmax(dim=1))


def test_a_seed_decides_everything() -> None:
    one, two, other = (replace(FEW, seed=s).learn(TEXT) for s in (0, 0, 1))
    assert torch.equal(one.likelihood.A, two.likelihood.A)
    assert not torch.equal(one.likelihood.A, other.likelihood.A)
    state = torch.get_rng_state()
    FEW.learn(TEXT)
    assert torch.equal(torch.get_rng_state(), state)


def test_vectors_are_scaled_and_go_to_their_words() -> None:
    words, table = window.pretrained(window.VECTORS).vectors()
    tagger = replace(FEW, vectors=True).made(TEXT)
    rows = [tagger.lookup.tables[0][word] for word in words]
    found = tagger.network.get_parameter("tables.0.weight")[rows]
    assert found.std().item() == pytest.approx(SIGMA, rel=1e-3)
    assert torch.allclose(found, table * (SIGMA / table.std()), atol=1e-6)
    assert MORE.keys() == COLUMNS.keys() - {"word"}


def test_words_with_a_vector_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Few:
        def vectors(self) -> tuple[list[str], None]:
            return ["the", "zebra"], None

    monkeypatch.setattr(window, "pretrained", lambda name: Few())
    row = measured(Covered("few"))
    test = [w for s in TEXT.test for w in s.words]
    assert row["words"] == 2 and row["in train"] == 1
    share = 100 * test.count("the") / len(test)
    assert row["test"] == pytest.approx(share, abs=0.01) and row["unknown"] == 0


def test_what_was_learned_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "ASKED", ("the", "is"))
    row = measured(Learned(FEW))
    assert row.keys() == {"neighbours"}
    counts = [w.lower() for s in TEXT.train for w in s.words]
    for word, near in row["neighbours"].items():
        assert len(near) == 5 and word not in near
        assert all(counts.count(other) > 1 for other in near)


def test_settings_are_those_of_the_table_and_the_floors_are_reached() -> None:
    study = results("window")
    assert len(ASKED) == len(study["learned"]["neighbours"])
    for name in SETTINGS:
        assert len(study.seeds(name)) == 3
    for row in study.seeds("all"):
        assert row["test"][0] >= 94.0 and row["unknown"][0] >= 75.0
