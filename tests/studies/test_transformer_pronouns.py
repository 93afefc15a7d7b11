"""Pronouns and their nouns, on maps and sentences made by hand.

Mutants that these tests kill: nouns behind the pronoun, the pronoun itself, or other
tags among the nouns; a pronoun with one noun, or another word, among the asked; any
noun that gets weight instead of the one that gets most; the row of the last French
word, or of a possible link; pronouns without a link counted as wrong; forms of other
places, other sentences or the last asked pronoun alone.
"""

import numpy as np
import pytest
import torch
from lookback.workshop.antecedents import Reference
from lookback.workshop.heads import Maps
from torch import Tensor, nn

from lookback.text.corpora import Pair, Tags
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import antecedents


def pair(
    words: str,
    tags: str,
    antecedents: tuple[tuple[int, int], ...] = (),
    sure: frozenset[tuple[int, int]] = frozenset(),
) -> Pair:
    source, target = tuple(words.split()), ("un", "deux", "trois")
    told = Tags(tuple(tags.split()), ())
    return Pair(source, target, sure, sure, told, (), antecedents)


MINE = pair(
    "dogs see cats and they run from cars",
    "NOUN VERB PROPN CCONJ PRON VERB ADP NOUN",
    ((4, 0),),
    frozenset({(0, 0), (4, 1), (4, 2)}),
)


def test_references_have_a_choice_in_front_of_them() -> None:
    (found,) = antecedents.references([MINE])
    assert found == Reference(0, 4, "they", (0, 2), frozenset({0}))
    alone = pair("dogs see and they run", "NOUN VERB CCONJ PRON VERB", ((3, 0),))
    behind = pair("they see dogs and cats", "PRON VERB NOUN CCONJ NOUN", ((0, 2),))
    which = pair("dogs and cats that run", "NOUN CCONJ NOUN PRON VERB", ((3, 2),))
    assert antecedents.references([alone, behind, which]) == []
    (found,) = antecedents.references([alone, which], words=("that",))
    assert (found.row, found.right) == (1, frozenset({2}))


def test_both_heads_of_an_antecedent_are_right() -> None:
    both = pair("dogs , cats and they", "NOUN PUNCT NOUN CCONJ PRON", ((4, 0), (4, 2)))
    (found,) = antecedents.references([both])
    assert found.right == {0, 2}


def maps(around: dict, across: dict) -> Maps:
    """N 2, h 3, S + 1 = 9, T + 1 = 4; cells (layer, head, row, column): weight."""
    shapes = {"around": (2, 3, 9, 9), "back": (2, 3, 4, 4), "across": (2, 3, 4, 9)}
    made = {name: np.zeros(shape) for name, shape in shapes.items()}
    for name, cells in (("around", around), ("across", across)):
        for at, weight in cells.items():
            made[name][at] = weight
    return Maps(**made)


def test_the_noun_with_most_weight_counts() -> None:
    around = {
        (0, 0, 4, 0): 0.3, (0, 0, 4, 2): 0.2, (0, 0, 4, 4): 0.5,  # right
        (0, 1, 4, 0): 0.3, (0, 1, 4, 2): 0.4,  # wrong
        (1, 2, 4, 0): 0.1, (1, 2, 4, 7): 0.9,  # right: 7 stands behind
        (1, 1, 0, 0): 1.0, (1, 1, 4, 2): 0.1,  # wrong, whatever the noun looks at
    }  # fmt: skip
    asked = antecedents.references([MINE])
    found = antecedents.resolved([maps(around, {})], asked)
    assert (found[0, 0], found[0, 1], found[1, 2], found[1, 1]) == (1, 0, 1, 0)
    other = maps({(0, 0, 4, 2): 1.0}, {})
    twice = [asked[0], asked[0]._replace(row=1)]
    assert antecedents.resolved([maps(around, {}), other], twice)[0, 0] == 0.5


def test_across_the_first_word_written_counts() -> None:
    across = {
        (1, 0, 1, 0): 0.2, (1, 0, 2, 2): 0.9,  # right: row 1 is the first of 1 and 2
        (1, 1, 1, 2): 0.2, (1, 1, 2, 0): 0.9,
    }  # fmt: skip
    asked, found = antecedents.references([MINE]), [maps({}, across)]
    told = antecedents.resolved_across(found, asked, [MINE])
    assert (told[1, 0], told[1, 1]) == (1, 0)
    unlinked = pair(" ".join(MINE.source), " ".join(MINE.tags.source), ((4, 0),))
    twice = [*asked, asked[0]._replace(row=1)]
    assert antecedents.resolved_across(found * 2, twice, [MINE, unlinked])[1, 0] == 1


def test_guesses() -> None:
    asked = antecedents.references([MINE])
    assert (antecedents.first(asked), antecedents.nearest(asked)) == (1, 0)
    turned = [asked[0]._replace(right=frozenset({2})), *asked * 3]
    assert (antecedents.first(turned), antecedents.nearest(turned)) == (0.75, 0.25)


@pytest.mark.parametrize("ask", [antecedents.first, antecedents.nearest])
def test_nothing_to_ask_is_refused(ask) -> None:
    with pytest.raises(ValueError, match="there is no pronoun to ask for"):
        ask([])
    with pytest.raises(ValueError, match="there is no pronoun to ask for"):
        antecedents.resolved([maps({}, {})], [])


class Says(nn.Module):
    """Whatever is given, it predicts these ids, place by place."""

    def __init__(self, ids: list[int], V: int) -> None:
        super().__init__()
        self.logits = nn.functional.one_hot(torch.tensor(ids), V).float()

    def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> Tensor:
        assert target.size(1) <= len(self.logits)
        return self.logits[: target.size(1)].expand(len(target), -1, -1)


@pytest.mark.parametrize(
    ("says", "share"),
    [
        (("un", "deux", "trois"), 1.0),
        (("trois", "deux", "deux"), 0.5),  # place 0 is not asked for
        (("un", "trois", "deux"), 0.0),
    ],
)
def test_forms_are_asked_where_the_pronoun_is_written(
    says: tuple[str, ...], share: float
) -> None:
    other = pair("cats run", "NOUN VERB")  # nothing is asked of it
    words = {"source": Vocabulary.build([MINE.source]),
             "target": Vocabulary.build([MINE.target])}  # fmt: skip
    target = words["target"]
    model = Says([*target.ids(says), target.end], len(target))
    both = [other, MINE]
    asked = antecedents.references(both)
    assert antecedents.forms(model, words, both, asked) == share


def test_forms_of_sentences_of_different_lengths() -> None:
    """The shorter sentence stands first in the batch, and second among the pairs."""
    short = pair("dogs , cats and they", "NOUN PUNCT NOUN CCONJ PRON", ((4, 0),),
                 frozenset({(4, 0)}))  # fmt: skip
    words = {"source": Vocabulary.build([MINE.source, short.source]),
             "target": Vocabulary.build([MINE.target])}  # fmt: skip
    target = words["target"]
    model = Says([*target.ids(("un", "trois", "trois")), target.end], len(target))
    both = [MINE, short]
    asked = antecedents.references(both)
    assert [one.row for one in asked] == [0, 1]
    # MINE: place 1 wrong, place 2 right; short: place 0 right
    assert antecedents.forms(model, words, both, asked) == pytest.approx(2 / 3)
