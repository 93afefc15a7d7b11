"""Where heads look, on maps made by hand and beside the model itself.

Mutants that these tests kill: distances the wrong way round, or divided by the number
of rows; weights of other layers, heads or sentences; padding among the places.
"""

import numpy as np
import torch
from lookback.workshop.heads import Maps

from lookback.text.corpora import Pair
from lookback.text.vocabulary import Vocabulary
from lookback.transformer import Transformer, TransformerConfig
from lookback.workshop import heads


def test_distances_are_means_of_diagonals() -> None:
    looked = np.zeros((1, 2, 3, 3))
    looked[0, 0] = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    found = heads.distances([looked])
    assert found.shape == (1, 2, 5)
    assert found[0, 0].tolist() == [7, 6, 5, 4, 3]  # two back first, two on last
    assert found[0, 1].tolist() == [0] * 5
    one = np.full((1, 2, 1, 1), 8.0)  # has no neighbours: counts for its own place
    assert heads.distances([looked, one])[0, 0].tolist() == [7, 6, 23 / 4, 4, 3]


def test_maps_are_those_of_the_model_sentence_by_sentence() -> None:
    shorter = Pair(("cats", "run"), ("deux",))
    many = ("dogs", "see", "cats", "and", "they", "run")
    longer = Pair(many, ("un", "deux", "trois"))
    words = Vocabulary.build([longer.source]), Vocabulary.build([longer.target])
    named = dict(zip(("source", "target"), words, strict=True))
    torch.manual_seed(0)
    config = TransformerConfig(N=2, d_model=12, h=3, d_ff=8)
    model = Transformer(config, *map(len, words))
    found = heads.maps(model, named, [longer, shorter])
    assert [m.around.shape for m in found] == [(2, 3, 7, 7), (2, 3, 3, 3)]
    assert [m.across.shape for m in found] == [(2, 3, 4, 7), (2, 3, 2, 3)]
    assert [m.back.shape for m in found] == [(2, 3, 4, 4), (2, 3, 2, 2)]
    source = torch.tensor([[*words[0].ids(shorter.source), words[0].end]])
    target = torch.tensor([[words[1].start, *words[1].ids(shorter.target)]])
    _, weights = model(source, torch.ones_like(source).bool(), target)
    for n in range(2):
        for mine, theirs in zip(
            found[1], (weights.encoder[n], *weights.decoder[n]), strict=True
        ):
            assert np.allclose(mine[n], theirs[0].detach().numpy(), atol=1e-5)


def test_errors_of_each_head() -> None:
    two = Pair(("a", "b"), ("x", "y"), *[frozenset({(0, 0), (1, 1)})] * 2)
    across = np.zeros((1, 3, 3, 3))
    across[0, 0, [0, 1], [0, 1]] = 1  # both right
    across[0, 1, [0, 1], [0, 0]] = 1  # one of two
    across[0, 2, [0, 1], [2, 2]] = 1  # both at </s>: no links
    told = heads.errors([Maps(across, across, across)], [two])
    assert told.tolist() == [[0, 0.5, 1]]
