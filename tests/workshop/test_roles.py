"""What heads are found to do, on maps and sentences made by hand.

Mutants that these tests kill: distances the wrong way round, or divided by the number
of rows; weights of other layers or heads; nouns behind the pronoun, the pronoun itself,
or other tags among the nouns; a pronoun with one noun, or another word, among the
asked; any noun that gets weight instead of the one that gets most; the row of the last
French word, or of a possible link; pronouns without a link counted as wrong.
"""

import numpy as np
import pytest
import torch

from lookback.text.corpora.pair import Pair, Tags
from lookback.text.vocabulary import Vocabulary
from lookback.transformer import Transformer, TransformerConfig
from lookback.workshop import roles
from lookback.workshop.roles import Maps, Reference


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
    frozenset({(4, 1), (4, 2)}),
)


def test_distances_are_means_of_diagonals() -> None:
    looked = np.zeros((1, 2, 3, 3))
    looked[0, 0] = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    found = roles.distances([looked])
    assert found.shape == (1, 2, 5)
    assert found[0, 0].tolist() == [7, 6, 5, 4, 3]  # two back first, two on last
    assert found[0, 1].tolist() == [0] * 5
    one = np.full((1, 2, 1, 1), 8.0)  # has no neighbours: counts for its own place
    assert roles.distances([looked, one])[0, 0].tolist() == [7, 6, 23 / 4, 4, 3]


def test_references_have_a_choice_in_front_of_them() -> None:
    (found,) = roles.references([MINE])
    assert found == Reference(0, 4, "they", (0, 2), frozenset({0}))
    alone = pair("dogs see and they run", "NOUN VERB CCONJ PRON VERB", ((3, 0),))
    behind = pair("they see dogs and cats", "PRON VERB NOUN CCONJ NOUN", ((0, 2),))
    which = pair("dogs and cats that run", "NOUN CCONJ NOUN PRON VERB", ((3, 2),))
    assert roles.references([alone, behind, which]) == []
    (found,) = roles.references([alone, which], words=("that",))
    assert (found.row, found.right) == (1, frozenset({2}))


def test_both_heads_of_an_antecedent_are_right() -> None:
    both = pair("dogs , cats and they", "NOUN PUNCT NOUN CCONJ PRON", ((4, 0), (4, 2)))
    (found,) = roles.references([both])
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
    asked = roles.references([MINE])
    found = roles.resolved([maps(around, {})], asked)
    assert (found[0, 0], found[0, 1], found[1, 2], found[1, 1]) == (1, 0, 1, 0)
    other = maps({(0, 0, 4, 2): 1.0}, {})
    twice = [asked[0], asked[0]._replace(row=1)]
    assert roles.resolved([maps(around, {}), other], twice)[0, 0] == 0.5


def test_across_the_first_word_written_counts() -> None:
    across = {
        (1, 0, 1, 0): 0.2, (1, 0, 2, 2): 0.9,  # right: row 1 is the first of 1 and 2
        (1, 1, 1, 2): 0.2, (1, 1, 2, 0): 0.9,
    }  # fmt: skip
    asked, found = roles.references([MINE]), [maps({}, across)]
    told = roles.resolved_across(found, asked, [MINE])
    assert (told[1, 0], told[1, 1]) == (1, 0)
    unlinked = pair(" ".join(MINE.source), " ".join(MINE.tags.source), ((4, 0),))
    twice = [*asked, asked[0]._replace(row=1)]
    assert roles.resolved_across(found * 2, twice, [MINE, unlinked])[1, 0] == 1


def test_guesses() -> None:
    asked = roles.references([MINE])
    assert (roles.first(asked), roles.nearest(asked)) == (1, 0)
    turned = [asked[0]._replace(right=frozenset({2})), *asked * 3]
    assert (roles.first(turned), roles.nearest(turned)) == (0.75, 0.25)


@pytest.mark.parametrize("ask", [roles.first, roles.nearest])
def test_nothing_to_ask_is_refused(ask) -> None:
    with pytest.raises(ValueError, match="there is no pronoun to ask for"):
        ask([])
    with pytest.raises(ValueError, match="there is no pronoun to ask for"):
        roles.resolved([maps({}, {})], [])


def test_maps_are_those_of_the_model_sentence_by_sentence() -> None:
    longer, shorter = MINE, pair("cats run", "NOUN VERB")
    words = Vocabulary.build([longer.source]), Vocabulary.build([longer.target])
    named = dict(zip(("source", "target"), words, strict=True))
    torch.manual_seed(0)
    config = TransformerConfig(N=2, d_model=12, h=3, d_ff=8)
    model = Transformer(config, *map(len, words))
    found = roles.maps(model, named, [longer, shorter])
    assert [m.around.shape for m in found] == [(2, 3, 9, 9), (2, 3, 3, 3)]
    assert [m.across.shape for m in found] == [(2, 3, 4, 9), (2, 3, 4, 3)]
    source = torch.tensor([[*words[0].ids(shorter.source), words[0].end]])
    target = torch.tensor([[words[1].start, *words[1].ids(shorter.target)]])
    _, looks = model(source, torch.ones_like(source).bool(), target)
    for n in range(2):
        for mine, theirs in zip(
            found[1], (looks.encoder[n], *looks.decoder[n]), strict=True
        ):
            assert np.allclose(mine[n], theirs[0].detach().numpy(), atol=1e-5)


def test_errors_of_each_head() -> None:
    two = Pair(("a", "b"), ("x", "y"), *[frozenset({(0, 0), (1, 1)})] * 2)
    across = np.zeros((1, 3, 3, 3))
    across[0, 0, [0, 1], [0, 1]] = 1  # both right
    across[0, 1, [0, 1], [0, 0]] = 1  # one of two
    across[0, 2, [0, 1], [2, 2]] = 1  # both at </s>: no links
    told = roles.errors([Maps(across, across, across)], [two])
    assert told.tolist() == [[0, 0.5, 1]]
