"""BLEU above and below a threshold."""

import numpy as np
import pytest

from lookback.studies.decoding_unsure import measured, parts
from lookback.text.corpora import Pair

RIGHT = "le chat dort ici ."
READ = [Pair(("a",), tuple(RIGHT.split()))] * 4
WRITTEN = [RIGHT.split()] * 3 + [["un", "chien", "mange", "là", "!"]]


def test_either_part_has_its_own_bleu() -> None:
    found = parts(WRITTEN, READ, np.array([False, False, False, True]))
    assert found["sure"] == pytest.approx(100)
    assert found["unsure"] < 20 < found["all"] < 100
    assert found["share"] == 0.25
    turned = parts(WRITTEN, READ, np.array([True, True, True, False]))
    assert (turned["sure"], turned["unsure"]) == (found["unsure"], found["sure"])


def test_a_tenth_of_validation_lies_below_the_threshold() -> None:
    row = measured("encdec", most=40)
    assert row["validation"]["share"] == pytest.approx(0.1)
    assert row["below"] < 0
