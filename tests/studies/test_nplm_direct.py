"""Direct connections by steps and decay: the cases, and what is measured."""

import pytest

from lookback.studies import nplm_direct
from lookback.studies.nplm_direct import Case, measure
from lookback.workshop import results

from .test_nplm import CORPUS, SMALL, toy  # noqa: F401


@pytest.mark.usefixtures("toy")
def test_both_parts_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nplm_direct, "corpus", lambda data: CORPUS)
    found = measure(Case(SMALL))
    assert found == measure(Case(SMALL))
    assert found["best step"] in (0, 10, 20, 30)
    assert found["validation"] != found["test"]


def test_the_stored_rows_are_those_of_the_cases() -> None:
    stored = results("nplm_direct")
    sizes = {row["parameters"] for row in stored.rows.values()}
    assert len(sizes) == 2
