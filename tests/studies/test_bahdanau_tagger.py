"""The study of the bidirectional encoder as a tagger, on sentences of the grammar."""

from dataclasses import replace

import pytest
import torch

from lookback.studies import bahdanau_tagger, window
from lookback.studies.bahdanau_tagger import (
    SEEDS,
    SETTINGS,
    STUDY,
    TAGGERS,
    AnnotationTagger,
    BiGRU,
    measured,
)
from lookback.text.corpora import TaggedCorpus, grammar, tagged
from lookback.window import PADDING, WindowConfig
from lookback.workshop import results

PAIRS = grammar(150)
TEXT = TaggedCorpus(
    "t", "1", tagged(PAIRS.train), tagged(PAIRS.validation), tagged(PAIRS.test)
)
FEW = BiGRU(epochs=1, n=5)
CONFIG = WindowConfig(3, 4, (2,), 5)


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """English EWT is the grammar; batches are small."""
    monkeypatch.setattr(bahdanau_tagger, "ewt", lambda: TEXT)
    monkeypatch.setattr(window, "BATCH", 100)


def made() -> AnnotationTagger:
    torch.manual_seed(0)
    return AnnotationTagger(CONFIG, sizes=(10, 6), C=3, n=7)


def test_each_score_depends_on_the_whole_sentence() -> None:
    model = made()
    x = torch.stack([torch.randint(1, n, (2, 8)) for n in (10, 6)], dim=-1)
    f = model(x)
    assert f.shape == (2, 8, 3)
    for word in (0, 7):
        changed = x.clone()
        changed[0, word] = 1 + x[0, word] % 5
        moved = (model(changed) - f).abs().sum(dim=2)
        assert bool((moved[0] > 0).all()) and not moved[1].any()


def test_the_annotations_are_those_of_two_plain_loops() -> None:
    model = made()
    x = torch.stack([torch.randint(1, n, (1, 4)) for n in (10, 6)], dim=-1)
    vectors = model.look_up(x)
    ahead, state = [], torch.zeros(1, 7)
    for t in range(4):
        state = model.forwards(vectors[:, t], state)
        ahead.append(state)
    back, state = [], torch.zeros(1, 7)
    for t in reversed(range(4)):
        state = model.backwards(vectors[:, t], state)
        back.insert(0, state)
    h = torch.cat([torch.stack(ahead, dim=1), torch.stack(back, dim=1)], dim=2)
    assert torch.allclose(model(x), model.M_2(torch.tanh(model.M_1(h))), atol=1e-6)


def test_padding_changes_no_score() -> None:
    model = made()
    x = torch.stack([torch.randint(1, n, (1, 5)) for n in (10, 6)], dim=-1)
    longer = torch.cat([x, torch.full((1, 3, 2), PADDING)], dim=1)
    assert torch.allclose(model(longer)[:, :5], model(x), atol=1e-6)


def test_it_trains_as_a_window_does_and_from_its_seed() -> None:
    one, again = FEW.learn(TEXT), FEW.learn(TEXT)
    other = replace(FEW, seed=1).learn(TEXT)
    assert isinstance(one.network, AnnotationTagger) and one.level == "word"
    sames = [torch.equal(a, b) for a, b in zip(one.weights, again.weights, strict=True)]
    assert all(sames)
    assert not torch.equal(one.weights[0], other.weights[0])
    words = [sentence.words for sentence in TEXT.test]
    assert [len(t) for t in one.tag(words)] == [len(w) for w in words]
    gold = [tag for sentence in TEXT.test for tag in sentence.tags]
    found = [t for tags in BiGRU(epochs=6, n=16).learn(TEXT).tag(words) for t in tags]
    right = sum(a == b for a, b in zip(found, gold, strict=True))
    assert right > 0.7 * len(gold)


def test_each_case_is_a_setting_and_a_seed() -> None:
    assert list(STUDY.cases) == [
        f"{name}, seed {n}" for name in SETTINGS for n in SEEDS
    ]
    assert measured(FEW).keys() == {
        "parameters", "seconds", "validation", "test", "unknown"
    }  # fmt: skip
    assert {"BiGRU": BiGRU()} == TAGGERS


def test_what_is_stored_is_near_the_window() -> None:
    found = results("bahdanau_tagger")
    assert [*found.rows] == [*STUDY.cases]
    for row in found.seeds("n 64"):
        assert 94 < row["test"][0] < 95 and 76 < row["unknown"][0] < 80
