"""What GPT and BERT are asked, and by what a test's words are grouped."""

from lookback.studies import gpt
from lookback.studies.gpt import LONGEST, known_context
from lookback.text.grammar.agreement import noun_numbers
from lookback.text.vocabulary import Vocabulary


def test_the_examples_are_balanced_and_differ() -> None:
    found = gpt.tested()
    assert len({one.words for one in found}) == len(found) == 1000
    assert 450 < sum(one.agrees for one in found) < 550
    numbers = noun_numbers()
    plural = [numbers[one.words[-1 - one.distance]] for one in found]
    assert 0.45 < sum(plural) / len(plural) < 0.55


def test_the_most_words_before_that_training_has() -> None:
    train = [list("abcde"), list("ca")]
    words = Vocabulary.build(train)
    assert known_context(train, [list("abcde")], words) == [LONGEST] * 6
    # before c: <s> <s> <s> and <s> <s> <s> a, as in training; "a c" is new, "c" is not
    assert known_context(train, [list("acd")], words) == [4, 4, 1, 2]
    # an unknown word is <unk>, which training does not have
    assert known_context(train, [list("za")], words) == [4, 0, 1]
