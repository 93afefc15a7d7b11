"""Agreement and gradients over distance, of networks with gates."""

from lookback.studies import language_models
from lookback.studies.language_models import lines
from lookback.studies.lstm import STUDY
from lookback.studies.recurrent import LAGS, accuracies, gradients
from lookback.workshop import TEXTS, results


def test_each_system_is_trained_from_three_seeds() -> None:
    labels = [f"{name}, seed {seed}" for name in ("LSTM", "GRU") for seed in range(3)]
    assert list(STUDY.cases) == labels
    for label, case in STUDY.cases.items():
        assert label == f"{case.model.cell.upper()}, seed {case.seed}"
        assert case.data == TEXTS["grammar"]


def test_what_the_chapter_says_of_the_study() -> None:
    """Sentences of docs/lstm.md that have no number of their own."""
    found = results("lstm")
    for system in ("LSTM", "GRU"):
        mean = accuracies(found, system, "all")[0]
        assert (mean[4:] > 0.54).all()
        assert (accuracies(found, system, "attracted")[0][3:] < 0.5).all()
    left = {
        (system, part, when): gradients(found, system, part, when)[0][LAGS]
        for system, part in (("GRU", "h"), ("LSTM", "c"))
        for when in ("first", "last")
    }
    assert left["LSTM", "c", "first"] > 1e-3
    assert min(left["GRU", "h", "last"], left["LSTM", "c", "last"]) > 0.05
    score = {(n.system, n.text): n.test for n in lines("lstm")}
    for system in ("LSTM", "GRU"):
        assert score[system, "grammar"] < score["RNN", "grammar"]
        counted = score["5-grams, Kneser–Ney", "python_reference"]
        assert score[system, "python_reference"] > counted
    mixture = "NPLM and trigrams, mixed"
    assert score["GRU", "multi30k"] < score[mixture, "multi30k"]
    entry = language_models.STUDY.cases["GRU on wikitext2, seed 0"]
    budget = entry.recipes[0].budget
    assert budget.steps * budget.tokens < 2_051_910  # the words of train
