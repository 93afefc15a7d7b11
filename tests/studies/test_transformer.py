"""What single heads do, on maps and sentences made by hand."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lookback.recipes.transformer import (
    RECIPES,
    Maps,
    TransformerLearner,
)
from lookback.studies.transformer import (
    beside,
    forms,
    found_by_heads,
    resolved,
    resolved_cross,
)
from lookback.text.corpora import Pair, Tags
from lookback.text.grammar.pronouns import references
from lookback.text.vocabulary import Vocabulary


def learner_of(pairs: Sequence[Pair]) -> TransformerLearner:
    """It knows the words of these pairs, and has no network yet."""
    learner = TransformerLearner(RECIPES["transformer"])
    learner.vocabularies = {
        "source": Vocabulary.build([pair.source for pair in pairs]),
        "target": Vocabulary.build([pair.target for pair in pairs]),
    }
    return learner


def pair(
    words: str,
    tags: str,
    antecedents: tuple[tuple[int, int], ...] = (),
    sure: frozenset[tuple[int, int]] = frozenset(),
) -> Pair:
    source, target = tuple(words.split()), ("un", "deux", "trois")
    tagged = Tags(tuple(tags.split()), ())
    return Pair(source, target, sure, sure, tagged, (), antecedents)


MINE = pair(
    "dogs see cats and they run from cars",
    "NOUN VERB PROPN CCONJ PRON VERB ADP NOUN",
    ((4, 0),),
    frozenset({(0, 0), (4, 1), (4, 2)}),
)


def maps(encoder: dict, cross: dict) -> Maps:
    """N 2, h 3, S + 1 = 9, T + 1 = 4; cells (layer, head, row, column): weight."""
    shapes = {"encoder": (2, 3, 9, 9), "decoder": (2, 3, 4, 4), "cross": (2, 3, 4, 9)}
    weights = {name: np.zeros(shape) for name, shape in shapes.items()}
    for name, cells in (("encoder", encoder), ("cross", cross)):
        for at, weight in cells.items():
            weights[name][at] = weight
    return Maps(**weights)


def test_the_noun_with_most_weight_counts() -> None:
    encoder = {
        (0, 0, 4, 0): 0.3, (0, 0, 4, 2): 0.2, (0, 0, 4, 4): 0.5,  # right
        (0, 1, 4, 0): 0.3, (0, 1, 4, 2): 0.4,  # wrong
        (1, 2, 4, 0): 0.1, (1, 2, 4, 7): 0.9,  # right: 7 comes after the pronoun
        (1, 1, 0, 0): 1.0, (1, 1, 4, 2): 0.1,  # wrong, whatever the noun attends to
    }  # fmt: skip
    pronouns = references([MINE])
    found = resolved([maps(encoder, {})], pronouns)
    assert (found[0, 0], found[0, 1], found[1, 2], found[1, 1]) == (1, 0, 1, 0)
    other = maps({(0, 0, 4, 2): 1.0}, {})
    twice = [pronouns[0], pronouns[0]._replace(row=1)]
    assert resolved([maps(encoder, {}), other], twice)[0, 0] == 0.5


def test_what_only_a_head_and_only_a_rule_finds() -> None:
    pronouns = [references([MINE])[0]._replace(row=row) for row in range(3)]
    right = maps({(0, 1, 4, 0): 1.0, (1, 2, 4, 0): 1.0}, {})
    wrong = maps({(0, 1, 4, 2): 1.0, (1, 2, 4, 0): 1.0}, {})
    heads = found_by_heads([right, wrong, right], pronouns)
    assert heads.shape == (3, 2, 3)
    assert heads[:, 0, 1].tolist() == [True, False, True]
    counts = beside(heads, np.array([True, True, False]))
    assert counts["only the head"][0][1] == 1 and counts["only the rule"][0][1] == 1
    assert counts["only the head"][1][2] == 1 and counts["only the rule"][1][2] == 0


def test_in_cross_attention_the_first_word_written_counts() -> None:
    cross = {
        (1, 0, 1, 0): 0.2, (1, 0, 2, 2): 0.9,  # right: row 1 is the first of 1 and 2
        (1, 1, 1, 2): 0.2, (1, 1, 2, 0): 0.9,
    }  # fmt: skip
    pronouns, found = references([MINE]), [maps({}, cross)]
    shares = resolved_cross(found, pronouns, [MINE])
    assert (shares[1, 0], shares[1, 1]) == (1, 0)
    unlinked = pair(" ".join(MINE.source), " ".join(MINE.tags.source), ((4, 0),))
    twice = [*pronouns, pronouns[0]._replace(row=1)]
    assert resolved_cross(found * 2, twice, [MINE, unlinked])[1, 0] == 1


class Says(nn.Module):
    """Whatever is given, it predicts these ids, position by position."""

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
        (("trois", "deux", "deux"), 0.5),  # position 0 is not the pronoun's
        (("un", "trois", "deux"), 0.0),
    ],
)
def test_forms_are_compared_where_the_pronoun_is_written(
    says: tuple[str, ...], share: float
) -> None:
    other = pair("cats run", "NOUN VERB")  # it has no pronoun
    learner = learner_of([MINE])
    target = learner.sides[1]
    learner.network = Says([*target.ids(says), target.end], len(target))
    both = [other, MINE]
    assert forms(learner, both, references(both)) == share


def test_forms_of_sentences_of_different_lengths() -> None:
    """The shorter sentence is first in the batch, and second among the pairs."""
    short = pair("dogs , cats and they", "NOUN PUNCT NOUN CCONJ PRON", ((4, 0),),
                 frozenset({(4, 0)}))  # fmt: skip
    learner = learner_of([MINE, short])
    target = learner.sides[1]
    ids = [*target.ids(("un", "trois", "trois")), target.end]
    learner.network = Says(ids, len(target))
    both = [MINE, short]
    pronouns = references(both)
    assert [one.row for one in pronouns] == [0, 1]
    # MINE: position 1 wrong, position 2 right; short: position 0 right
    assert forms(learner, both, pronouns) == pytest.approx(2 / 3)
