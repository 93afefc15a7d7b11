"""Vectors that are learnt, and vectors that are not: the windows and the rows."""

from lookback.studies.nplm_vectors import windows
from lookback.text.corpora import Pair
from lookback.text.vocabulary import Vocabulary


def test_each_word_has_its_own_context_the_nearest_word_first() -> None:
    pairs = (Pair(("a", "b"), ("x",)), Pair(("b",), ("x",)))
    words = Vocabulary.build([pair.source for pair in pairs])
    context, target = windows(pairs, words)
    read = [words.words(row) for row in context.tolist()]
    assert read == [
        ["<s>", "<s>", "<s>"],
        ["a", "<s>", "<s>"],
        ["b", "a", "<s>"],
        ["<s>", "<s>", "<s>"],
        ["b", "<s>", "<s>"],
    ]
    assert words.words(target.tolist()) == ["a", "b", "</s>", "b", "</s>"]
