"""What was measured stays as good as it is: floors that no page asserts.

All of it reads stored results; a study that is measured anew has to reach them.
"""

from typing import Any

import numpy as np
import pytest

from lookback.studies import language_models, translators
from lookback.studies.recurrent import accuracies
from lookback.workshop import results


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
        ours = accuracies(results("gpt"), "GPT", kind)[0][2:6]
        assert (ours > accuracies(results("lstm"), "GRU", kind)[0][2:6]).all()
    learnt, random = (
        values("nplm_vectors", n, "perplexity") for n in ("learnt", "random")
    )
    assert 2 * max(learnt) < min(random)


def test_a_gpt_scores_what_the_running_table_says() -> None:
    table = {n.system: n for n in language_models.lines("gpt", "python_reference")}
    rows = results("gpt_text").seeds("GPT")
    for name, system in (("5-grams", "5-grams, Kneser–Ney"), ("GPT", "GPT")):
        tests = [np.exp(sum(r[f"{name}, nats"]) / sum(r["words"])) for r in rows]
        assert np.mean(tests) == pytest.approx(table[system].test, rel=0.01)


def test_n_grams() -> None:
    stored = results("ngram")
    orders = [row for label, row in stored.rows.items() if label.startswith("order ")]
    for row in orders:
        assert row["add-k"]["validation"] == min(row["by k"])
        one = row["Kneser–Ney, one D"]["test"]
        assert row["modified Kneser–Ney"]["test"] <= one + 0.1
        assert row["modified Kneser–Ney"]["test"] == pytest.approx(one, rel=0.05)


def test_taggers() -> None:
    for model, floor in (("Naive Bayes", 92.5), ("linear SVM", 94.0)):
        row = results("features", cases=[f"{model}, + pairs"])[f"{model}, + pairs"]
        assert row["test"][0] >= floor
    for row in results("bahdanau_tagger").seeds("n 64"):
        assert 94 < row["test"][0] < 95 and 76 < row["unknown"][0] < 80
    hmm = results("hmm")
    kinds = hmm["unknown"]["kinds"]
    assert kinds["suffixes, order 2"]["test"][0] > 91.5
    assert kinds["suffixes, order 3"]["test"][0] > 92.2
    assert kinds["suffixes, order 3"]["unknown"][0] > 68
    assert hmm["tagged 12544"]["test"][0] == kinds["suffixes, order 2"]["test"][0]
    for label, row in hmm.rows.items():
        if label.startswith("tagged "):
            assert (np.diff(row["likelihood"]) > 0).all()
        if label.startswith("untagged"):
            assert 50 < row["many to one"][-1] < 60


def test_labels_after_pre_training() -> None:
    for study, few in (("bert_labels", 100), ("gpt_labels", 300)):
        right = {
            (how, n): np.mean(values(study, f"{how}, {n} labels", "right"))
            for how, n in (
                ("pre-trained", 1000),
                ("pre-trained", few),
                ("from scratch", 1000),
            )
        }
        assert right["pre-trained", 1000] >= 880
        assert right["pre-trained", few] > right["from scratch", 1000]
    curve = results("bert_tagger")["pre-training"]["curve"]
    assert curve[-1][1] < curve[3][1] - 0.2


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


def test_parsers() -> None:
    stored = results("pcfg")
    kinds = stored["parsers"]["kinds"]
    assert kinds["plain, h = 2"]["F1"][0] > 90
    assert kinds["parents, h = 2"]["F1"][0] > 92
    last = kinds["parents and prepositions, h = 2"]
    assert last["exact"] > kinds["parents, h = 2"]["exact"]
    best = stored["baselines"]["F1"]["gold trees, made binary"][0]
    assert all(row["F1"][-1][0] < best - 10 for row in stored.seeds("alone"))


def test_games_of_digits_and_cards() -> None:
    found = results("lstm_forget")
    for name in ("forget bias 0", "forget bias 1", "forget bias 1, silence"):
        assert all(row["right"][-1] < 0.2 for row in found.seeds(f"LSTM, {name}"))
    for name in ("LSTM, forget bias 3", "LSTM, forget bias 4", "GRU"):
        assert all(row["right"][-1] == 1 for row in found.seeds(name))
    assert all(-0.2 < r["norm"][0] < 0.3 for r in found.seeds("LSTM, forget bias 2"))
    assert all(row["norm"][0] < -6 for row in found.seeds("GRU"))
    copy, reverse = (
        [exact[-1] for exact in values("luong_digits", f"{task}, local-m", "exact")]
        for task in ("copy", "reverse")
    )
    assert min(copy) > max(reverse)
    digits = results("bahdanau_digits")
    assert len({row["parameters"] for row in digits.rows.values()}) == 1
    for name, low, high in (("h 1", 0, 0.13), ("h 2", 0.98, 1), ("h 4", 0.98, 1)):
        both = values("multihead_cards", name, "both")
        assert low <= min(both) and max(both) <= high
    after = "the next letter"
    tied = values("attention_tied", f"{after}, queries as keys", "on the card")
    free = values("attention_tied", f"{after}, three matrices", "on the card")
    assert max(tied) * 4 < min(free)


def test_real_language() -> None:
    for row in results("decoding")["exact"].rows():
        assert row["reference"] == 0
    for row in results("real")["duels"].rows():
        assert all(each["low"] > 0 for each in row["difference"].values())
