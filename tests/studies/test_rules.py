"""What each rule buys: the dictionaries; and what no page says of stored results."""

from lookback.rules import RULES
from lookback.studies.rules import WORDS, machine, of_captions, of_grammar
from lookback.text.corpora import grammar
from lookback.workshop import results


def test_each_word_of_captions_has_an_entry_and_the_commonest_come_first() -> None:
    assert [*of_captions(10)] == [*of_captions()][:10]
    assert len(of_captions()) == WORDS[-1] == 250
    assert [*of_captions()][:4] == ["a", ".", "in", "the"]
    assert machine(words=of_captions(10)).translate(["a", "dog"]) == ["un", "dog"]
    assert machine([]).translate(["a", "dog"]) == ["un", "chien"]


def test_the_dictionary_of_the_grammar_has_all_its_words() -> None:
    words = {w for p in grammar(pairs=2000).train for w in p.source}
    assert words <= of_grammar().keys()


def test_what_is_measured_twice_is_the_same() -> None:
    stored = results("rules")
    row, captions = stored["grammar"], stored["captions"]
    scores = [first for first, _, _ in row["stages"]]
    assert len(scores) == len(RULES) + 1
    assert row["alone"]["order"] == scores[1]
    assert row["without"]["contract"] == scores[-2]
    assert captions["by words"][-1]["BLEU"] == captions["stages"][-1][0]
    assert captions["by words"][-1]["whole"] < 100 < captions["sentences"] == 1000
