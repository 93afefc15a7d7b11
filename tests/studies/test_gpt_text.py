"""Words known before: the longest that training has, too; and the stored rows."""

import numpy as np

from lookback.recipes.gpt import on_text
from lookback.studies.gpt_text import LONGEST, SEEDS, STUDY, TEXT, known_context
from lookback.studies.language_models import lines
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import results


def test_the_most_words_before_that_training_has() -> None:
    train = [list("abcde"), list("ca")]
    words = Vocabulary.build(train)
    assert known_context(train, [list("abcde")], words) == [LONGEST] * 6
    # before c: <s> <s> <s> and <s> <s> <s> a, as in training; "a c" is new, "c" is not
    assert known_context(train, [list("acd")], words) == [4, 4, 1, 2]
    # an unknown word is <unk>, which training does not have
    assert known_context(train, [list("za")], words) == [4, 0, 1]


def test_the_rows_sum_to_the_running_tables_perplexities() -> None:
    assert list(STUDY.cases) == [f"GPT, seed {seed}" for seed in SEEDS]
    table = {line.system: line for line in lines("gpt", TEXT)}
    rows = results("gpt_text").seeds("GPT")
    for name, system in (("5-grams", "5-grams, Kneser–Ney"), ("GPT", "GPT")):
        tests = [np.exp(sum(r[f"{name}, nats"]) / sum(r["words"])) for r in rows]
        assert abs(np.mean(tests) / table[system].test - 1) < 0.01
    for seed, case in enumerate(STUDY.cases.values()):
        assert case == on_text(TEXT, seed)


def test_most_is_lost_where_the_text_repeats_itself() -> None:
    for row in results("gpt_text").seeds("GPT"):
        lost = np.subtract(row["GPT, nats"], row["5-grams, nats"])[1:]
        each = lost / np.array(row["words"][1:])
        assert (np.diff(each) > 0).all()
