"""The study of long trainings, on a language of a few sentences."""

from typing import Any

import pytest
import torch

from lookback.recipes.bpe import on_subwords
from lookback.recipes.transformer import TrainedConfig, TransformerLearner, adam
from lookback.studies import real_longer
from lookback.studies.real import Translations
from lookback.studies.real_longer import (
    BEST,
    COPIES,
    FINAL,
    MEAN,
    copy_of,
    mean_of,
    together,
    words_of,
    written,
)
from lookback.studies.real_subwords import ALL, COPIED, KNOWN, UNKNOWN
from lookback.studies.stack_decoder import counted
from lookback.text.corpora import Pair, PairCorpus
from lookback.workshop import Budget, Data, Recipe, follow

TEXT = [
    ("the red cat sleeps .", "le chat rouge dort ."),
    ("the dog sees the red cat .", "le chien voit le chat rouge ."),
    ("a red dog sleeps .", "un chien rouge dort ."),
]
TRAIN = tuple(Pair(tuple(s.split()), tuple(t.split())) for s, t in TEXT)
NEW = Pair(("the", "żebra", "sleeps", "."), ("le", "chat", "dort", "."))
WORDS = Recipe(
    TransformerLearner,
    Data("menagerie"),
    0,
    TrainedConfig(N=1, d_model=8, h=2, d_ff=8, smoothing=0.1),
    adam(0.02, 10),
    Budget(2, 60, 2),
)
SYMBOLS = on_subwords(WORDS, 80, symbols=40)
PEOPLE = PairCorpus("menagerie", "1", TRAIN, TRAIN[:2], (*TRAIN, NEW))


def test_the_mean_of_checkpoints_by_hand() -> None:
    one = {"w": torch.tensor([1.0, 2.0]), "n": torch.tensor(3)}
    two = {"w": torch.tensor([3.0, 6.0]), "n": torch.tensor(4)}
    mean = mean_of([one, two])
    assert mean["w"].tolist() == [2.0, 4.0]
    assert mean["n"].item() == 4


def test_a_copy_does_not_learn() -> None:
    layer = torch.nn.Linear(2, 2)
    before, copied = layer.weight.tolist(), copy_of(layer)
    with torch.no_grad():
        layer.weight.add_(1)
    assert copied["weight"].tolist() == before


def test_each_name_is_of_its_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = follow(WORDS, PEOPLE)
    best = copy_of(learner.network)
    other = {name: value + 1.0 for name, value in best.items()}
    third = {name: value + 3.0 for name, value in best.items()}
    seen: list[float] = []

    def translated(learner: Any, test: Any, size: int) -> Any:
        first = next(iter(best))
        apart = learner.network.state_dict()[first] - best[first]
        seen.append(round(float(apart.mean()), 3))
        sentences = [["le", str(seen[-1])] for _ in test]
        return Translations([], [], sentences)

    monkeypatch.setattr(real_longer, "translated", translated)
    found = written(learner, PEOPLE.test, [other, third])
    said = {name: sentences[0][1] for name, sentences in found.items()}
    assert said == {FINAL: "3.0", MEAN: "2.0", BEST: "0.0", COPIES: "0.0"}
    now = copy_of(learner.network)
    assert all(torch.equal(now[name], value) for name, value in best.items())


def test_sub_words_know_what_they_can_spell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_longer, "corpus", lambda data: PEOPLE)
    learner = SYMBOLS.learner(SYMBOLS)
    learner.vocabularies = learner.words_of(PEOPLE)
    assert words_of(learner) >= {"the", "sleeps"}
    assert "żebra" not in words_of(learner)  # no sentence of train has a ż


def test_systems_are_compared_on_the_same_sentences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = [["a", "b", "c", "d", str(k)] for k in range(6)]
    test = [Pair(("x",), tuple(words)) for words in wanted]
    wrong = [["x"] * 5, *wanted[1:]]
    columns = {True: counted(wanted, test), False: counted(wrong, test)}
    ways = (FINAL, MEAN, BEST)
    rows = {
        "words": {
            "with unknown words": [0, 1],
            "counts": {**dict.fromkeys(ways, columns[False]), COPIES: columns[True]},
        },
        "sub-words": {
            "with unknown words": [],
            "counts": {FINAL: columns[False], MEAN: columns[True], BEST: columns[True]},
        },
    }
    monkeypatch.setattr(real_longer, "results", lambda name, cases: rows)
    row = together("words", ["sub-words"])
    assert row["test"].keys() == {"words", "sub-words", COPIED}
    ours = row["test"]["sub-words"]
    assert ours[KNOWN]["difference"]["words"]["BLEU"] == 0
    assert ours[UNKNOWN]["difference"]["words"]["BLEU"] > 0
    assert ours[ALL]["difference"][COPIED]["BLEU"] == 0
    assert row["test"]["words"][ALL]["difference"]["sub-words"]["BLEU"] < 0
    assert row["averaged"]["words"]["BLEU"] == 0
    assert row["averaged"]["sub-words"]["BLEU"] > 0
