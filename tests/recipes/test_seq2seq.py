"""How deep LSTMs are trained, and that the order of reading alone is compared."""

from dataclasses import replace

from lookback.recipes.seq2seq import IN_ORDER, RECIPES, REVERSED
from lookback.trainer.translation import PAIRS


def test_the_two_orders_of_reading_differ_in_nothing_else() -> None:
    assert RECIPES == {"seq2seq": REVERSED}
    assert REVERSED.data == PAIRS
    assert REVERSED.model.reversed is True
    assert IN_ORDER.model.reversed is False
    assert replace(IN_ORDER, model=REVERSED.model) == REVERSED
