"""What GPT and BERT are asked, and by what a test's words are grouped."""

from lookback.studies.gpt import LONGEST, known_context
from lookback.text.vocabulary import Vocabulary


def test_the_most_words_before_that_training_has() -> None:
    train = [list("abcde"), list("ca")]
    words = Vocabulary.build(train)
    assert known_context(train, [list("abcde")], words) == [LONGEST] * 6
    # before c: <s> <s> <s> and <s> <s> <s> a, as in training; "a c" is new, "c" is not
    assert known_context(train, [list("acd")], words) == [4, 4, 1, 2]
    # an unknown word is <unk>, which training does not have
    assert known_context(train, [list("za")], words) == [4, 0, 1]
