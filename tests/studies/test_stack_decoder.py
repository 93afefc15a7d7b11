"""What several studies measure: copied and marked words, counts that are stored."""

import numpy as np

from lookback.measure import bleu_counts
from lookback.stack_decoder import Translation
from lookback.studies.stack_decoder import UNK, columns, copied, counts_in, marked


def test_a_copied_word_is_marked_if_it_was_never_read() -> None:
    one = Translation(
        ("zèbre", "zebra", "a", "le"), 0.0, np.zeros(8),
        ((0, 1, ("zèbre",)), (1, 2, ("zebra",)), (2, 3, ("a",)), (3, 4, ("le",))),
    )  # fmt: skip
    written = marked(("the", "zebra", "a", "b"), one, {"the", "a", "b"})
    assert written == ["zèbre", UNK, "a", "le"]


def test_counts_come_back_as_they_were() -> None:
    wanted = [["x", "y", "z", "x", "y"], ["u", "v"]]
    counts = bleu_counts(
        hypotheses=[["x", "y", "z", "x"], ["u", "w"]], references=wanted
    )
    assert (counts_in(columns(counts)) == counts).all()


class Attending:
    """Its weights on the words of a source rise to the last; most is on </s>."""

    def attention_weights(self, read):
        return [np.tile(np.arange(len(s) + 1), (len(t) + 1, 1)) for s, t in read]


class Going(Attending):
    """It attends to the source word by word, and then to the first."""

    def attention_weights(self, read):
        return [np.eye(len(t) + 1, len(s) + 1) for s, t in read]


def test_an_unknown_word_becomes_the_one_attended_to() -> None:
    sources = [["a", "b"], ["two", "zebras"], ["one", "lama", "."]]
    written = [["x", "y"], ["deux", UNK, UNK], [UNK, UNK]]
    last = copied(Attending(), sources, written)
    assert last == [["x", "y"], ["deux", "zebras", "zebras"], [".", "."]]
    # The third row has its most weight on </s>, which is no word.
    each = copied(Going(), sources, written)
    assert each == [["x", "y"], ["deux", "zebras", "two"], ["one", "lama"]]
    assert written[1] == ["deux", UNK, UNK]
