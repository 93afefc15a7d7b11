"""Agreement over distance: GPT beside the GRU, on the same sentences."""

from lookback.recipes.gpt import on_text
from lookback.studies.gpt import STUDY
from lookback.studies.language_models import lines
from lookback.studies.recurrent import accuracies
from lookback.workshop import results


def test_it_is_trained_from_three_seeds() -> None:
    assert list(STUDY.cases) == [f"GPT, seed {seed}" for seed in range(3)]
    for label, case in STUDY.cases.items():
        assert case == on_text("grammar", int(label[-1]))


def test_the_floors_of_the_chapter() -> None:
    """Perplexity, and agreement beside the GRU's."""
    rows = {line.system: line for line in lines("gpt", "grammar")}
    assert rows["GPT"].seeds == 3
    assert rows["GPT"].test + rows["GPT"].spread < 14.2
    assert rows["GPT"].test == min(row.test for row in rows.values())
    for kind, least in (("all", 0), ("attracted", 0)):
        ours = accuracies(results("gpt"), "GPT", kind)[0][2:6]
        theirs = accuracies(results("lstm"), "GRU", kind)[0][2:6]
        assert (ours > theirs + least).all()
