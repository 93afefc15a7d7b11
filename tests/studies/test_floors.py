"""What was measured stays as good as it is: floors that no page asserts.

All of it reads stored results; a study that is measured anew has to reach them.
"""

from typing import Any

import numpy as np
import pytest

from lookback.studies import language_models, taggers, translators
from lookback.studies.recurrent import accuracies
from lookback.trainer.study import results


def values(study: str, name: str, key: str) -> list[Any]:
    """A number, or what else stands there, of each seed of a case."""
    return [row[key] for row in results(study).seeds(name)]


@pytest.mark.parametrize(
    ("system", "bleu"),
    [("encoder–decoder", 45), ("RNNsearch", 94), ("Luong, dot", 93), ("phrases", 88)],
)
def test_translators(system: str, bleu: float) -> None:
    found = {line.system: line for line in translators.lines(counted=True)}[system]
    assert found.bleu >= bleu


def test_attention_translates_long_sentences_where_the_vector_fails() -> None:
    fixed, attends = (
        np.array([np.mean(bin.scores) for bin in translators.lengths(system)])
        for system in ("encoder–decoder", "RNNsearch")
    )
    assert (attends[4:] >= 5 * fixed[4:]).all()
    assert fixed[0] > 4 * fixed[-1] and attends[-1] > 0.8 * attends[0]
    line = next(n for n in translators.lines() if n.system == "RNNsearch")
    assert line.aer is not None and line.aer <= 0.09


def test_language_models() -> None:
    rows = {n.system: n for n in language_models.lines("gpt", "grammar")}
    assert rows["GPT"].test + rows["GPT"].spread < 14.2
    assert rows["GPT"].test == min(row.test for row in rows.values())
    for kind in ("all", "attracted"):
        ours = accuracies(results("gpt")["agreement"].rows(), kind)[0][2:6]
        gru = results("lstm")["agreement"].rows(system="GRU", rate=4e-3)
        assert (ours > accuracies(gru, kind)[0][2:6]).all()


def test_a_gpt_scores_what_the_running_table_says() -> None:
    table = {n.system: n for n in language_models.lines("gpt", "python_reference")}
    rows = results("gpt")["text"].rows()
    for name, system in (("5-grams", "5-grams, Kneser–Ney"), ("GPT", "GPT")):
        tests = [np.exp(sum(r[f"{name}, nats"]) / sum(r["words"])) for r in rows]
        assert np.mean(tests) == pytest.approx(table[system].test, rel=0.01)


def test_n_grams() -> None:
    for row in results("ngram")["orders"].rows():
        one = row["Kneser–Ney, one D"]["test"]
        assert row["modified Kneser–Ney"]["test"] <= one + 0.1
        assert row["modified Kneser–Ney"]["test"] == pytest.approx(one, rel=0.05)


def test_taggers() -> None:
    scores = results("features")["scores"]
    for model, floor in (("Naive Bayes", 92.5), ("linear SVM", 94.0)):
        assert scores.row(model=model, templates="+ pairs")["test"][0] >= floor
    lines = {line.system: line for line in taggers.lines()}
    assert lines["HMM, bigrams"].accuracy > 91.5
    assert lines["HMM, trigrams"].accuracy > 92.2
    assert lines["HMM, trigrams"].unknown > 68
    again = results("hmm")["again"].row(sentences=12544)
    assert again["test"][0] == pytest.approx(lines["HMM, bigrams"].accuracy, abs=0.01)


def test_labels_after_pre_training() -> None:
    labels = results("gpt")["labels"]
    assert labels.values("right", begun="pre-trained").mean() >= 880
    right = results("bert")["pre-trainings"].values("right", model="BERT", updates=3000)
    few, _, many = right.mean(axis=(0, 2))
    assert many >= 880 and few > results("bert")["untrained"].values("right").mean()


def test_alignment() -> None:
    row = results("hmm_alignment")["compared"].row()
    assert row["systems"]["HMM"] < 0.05 < 0.1 < row["systems"]["Model 1"]
    assert row["systems"]["jumps all alike"] > 0.1
    row = results("ibm1")["compared"].row()
    assert min(row["validation"]) == row["validation"][row["best"]]
    assert (np.diff(row["bits"]) <= 0).all()


def test_phrases() -> None:
    row = results("phrases")["joined"].row()
    assert all(one["high"] < 0.05 for one in row["systems"].values())
    for S, T, *both in row["not the union"]:
        links = [link.split("-") for text in both for link in text.split()]
        assert all(int(i) < S and int(j) < T for i, j in links)
    for row in results("phrases")["tables"].rows():
        assert row["pieces"]["7"] > row["pieces"]["3"] > 1.5
    stored = results("stack_decoder")
    bleu = [row["phrases"]["copied"]["BLEU"] for row in stored["captions"].rows()]
    assert bleu == sorted(bleu) and bleu[-1] >= 54
    ours, attends = stored["grammar"].row(), stored["networks"].row(name="bahdanau")
    near, far = ours["missed"]["verbs"][0], np.sum(ours["missed"]["verbs"][3:], axis=0)
    far_too = np.sum(attends["verbs"][3:], axis=0)
    assert far[1] / far[2] > max(near[1] / near[2], far_too[1] / far_too[2])
    assert ours["missed"]["nouns"][0] / ours["missed"]["nouns"][1] < 0.02


def test_games_of_digits_and_cards() -> None:
    cards, short = results("multihead")["cards"], {"steps": 400, "rate": 1e-2}
    for h, low, high in ((1, 0, 0.13), (2, 0.98, 1), (4, 0.98, 1)):
        both = cards.values("both", h=h, hidden=0, **short)
        assert low <= min(both) and max(both) <= high


def test_real_language() -> None:
    for row in results("decoding")["exact"].rows():
        assert row["reference"] == 0
    for row in results("real")["duels"].rows():
        assert all(each["low"] > 0 for each in row["difference"].values())
