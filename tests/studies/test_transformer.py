"""Where heads look, on maps made by hand and beside the model itself.

Mutants that these tests kill: weights of other layers, heads or sentences; padding
among the places.
"""

import numpy as np
import torch

from lookback.text.corpora import Pair
from lookback.text.vocabulary import Vocabulary
from lookback.transformer import Transformer, TransformerConfig
from lookback.workshop import heads


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
    _, looks = model(source, torch.ones_like(source).bool(), target)
    for n in range(2):
        for mine, theirs in zip(
            found[1], (looks.encoder[n], *looks.decoder[n]), strict=True
        ):
            assert np.allclose(mine[n], theirs[0].detach().numpy(), atol=1e-5)
