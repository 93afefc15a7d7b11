"""What each rule buys: in every order, on captions, and what is stored."""

import math

import pytest

from lookback.rules import RULES
from lookback.studies import rules
from lookback.studies.rules import (
    NAMES,
    WORDS,
    Orders,
    machine,
    of_captions,
    of_grammar,
    score,
)
from lookback.text.pairs import Pair, Tags
from lookback.workshop import results

SIGNED = Pair(
    ("mary", "has", "not", "signed", "the", "law", "."),
    ("marie", "n'", "a", "pas", "signé", "la", "loi", "."),
    tags=Tags((), ("PROPN", "ADV", "AUX", "ADV", "VERB", "DET", "NOUN", "PUNCT")),
)
MUST = Pair(
    ("the", "kings", "must", "sign", "the", "laws", "."),
    ("les", "rois", "doivent", "signer", "les", "lois", "."),
    tags=Tags((), ("DET", "NOUN", "VERB", "VERB", "DET", "NOUN", "PUNCT")),
)


def test_a_machine_with_another_dictionary() -> None:
    assert machine(words=of_captions(10)).translate(["a", "dog"]) == ["un", "dog"]
    assert machine([]).translate(["a", "dog"]) == ["un", "chien"]


def test_each_word_has_an_entry_and_the_commonest_come_first() -> None:
    assert [*of_captions(10)] == [*of_captions()][:10]
    assert len(of_captions()) == WORDS[-1] == 250
    assert [*of_captions()][:4] == ["a", ".", "in", "the"]


def test_the_dictionary_of_the_grammar_has_all_its_words() -> None:
    words = {w for p in rules.grammar(pairs=2000).train for w in p.source}
    assert words <= of_grammar().keys()


def test_orders_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "corpus", lambda data: None)
    monkeypatch.setattr(rules, "pairs", lambda text, split: [SIGNED, MUST])
    found = rules.orders(Orders(2, ("agree", "contract", "elide")))
    assert len(found["scores"]) == 6 and found["scores"] == sorted(found["scores"])
    three = [r for r in RULES if r.name in ("agree", "elide", "contract")]
    assert found["ours"] == score(
        machine([three[0], three[2], three[1]]), [SIGNED, MUST]
    )


def test_what_is_stored_is_what_the_page_says() -> None:
    stored = results("rules")
    row = stored["grammar"]
    scores = [first for first, _, _ in row["stages"]]
    assert scores == sorted(scores) and len(scores) == len(RULES) + 1
    assert all(low < value < high for value, low, high in row["stages"])
    assert row["alone"]["order"] == scores[1]
    assert row["without"]["contract"] == scores[-2]
    orders = stored["orders"]
    assert len(orders["scores"]) == math.factorial(len(NAMES))
    captions = stored["captions"]
    assert captions["by words"][-1]["BLEU"] == captions["stages"][-1][0]
    assert captions["by words"][-1]["whole"] < 100 < captions["sentences"] == 1000
