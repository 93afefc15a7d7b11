"""A GPT is trained as the recurrent networks are, and stays within its positions."""

import pytest

from lookback.recipes.gpt import (
    BUDGETS,
    CONFIGS,
    RECIPES,
    on_text,
)
from lookback.recipes.recurrent import BUDGETS as RECURRENT
from lookback.text.corpora import DataError
from lookback.trainer.data import corpus, english
from lookback.trainer.language import TEXTS


@pytest.mark.parametrize("text", TEXTS)
def test_there_is_a_position_for_every_word_of_its_text(text: str) -> None:
    assert {*CONFIGS} == {*BUDGETS} == {*TEXTS}
    try:
        read = corpus(TEXTS[text])
    except DataError as error:
        pytest.skip(f"LOOKBACK_DATA has no copy: {error}")
    longest = max(
        len(sentence)
        for split in ("train", "validation", "test")
        for sentence in english(read, split)
    )
    assert longest + 1 <= CONFIGS[text].max_positions < 1.5 * longest


def test_it_reads_as_many_words_as_the_recurrent_networks() -> None:
    for text in ("grammar", "python_reference", "multi30k"):
        assert BUDGETS[text] == RECURRENT[text]
    assert {"gpt": on_text("grammar")} == RECIPES
    assert on_text("grammar", seed=2).seed == 2
