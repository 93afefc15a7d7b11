"""A small Transformer less one part: the task, what is taken away, and what is said.

Mutants that these tests kill: an adjective on the wrong side of its noun, or without
agreement; another part taken away than the one that is named, or none; the sublayer of
the other side; residual connections that remain.
"""

import random

import pytest
import torch

from lookback.studies.transformer_parts import (
    AFTER,
    BEFORE,
    BEGIN,
    END,
    ENGLISH,
    FAILING,
    FRENCH,
    LONGER,
    NOUNS,
    PAD,
    PARTS,
    SEEDS,
    STEPS,
    STUDY,
    Trial,
    batch,
    case,
    measured,
    pair,
    phrase,
    without,
)
from lookback.workshop import results


def test_adjectives_agree_and_stand_where_they_do_in_french() -> None:
    draw = random.Random(3)
    seen = set()
    for _ in range(300):
        source, target = phrase(draw)
        noun, french, feminine = next(row for row in NOUNS if row[0] == source[-1])
        assert (source[0], target[0]) == ("the", "la" if feminine else "le")
        middle = target.index(french)
        assert source.index(noun) == len(source) - 1
        before = [row[1 + feminine] for row in BEFORE if row[0] in source]
        after = [row[1 + feminine] for row in AFTER if row[0] in source]
        assert target[1:middle] == before and target[middle + 1 :] == after
        seen.add((len(before), len(after)))
    assert seen == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_two_phrases_joined_and_padded() -> None:
    source, target = pair(random.Random(1))
    assert source.count("and") == target.count("et") == 1
    x, y = batch(random.Random(1), 5)
    assert [ENGLISH[i] for i in x[0].tolist() if i > BEGIN] == source
    assert [FRENCH[i] for i in y[0].tolist() if i > BEGIN] == target
    assert (y[:, 0] == BEGIN).all() and (x == END).sum() == (y == END).sum() == 5
    assert (x == PAD).any() and len(ENGLISH) == len(set(ENGLISH))
    assert len(FRENCH) == len(set(FRENCH))


def states(model, source, target):
    logits, _ = model(source, source.ne(PAD), target)
    return logits.detach()


@pytest.mark.parametrize("part", PARTS)
def test_exactly_one_part_is_taken_away(part: str) -> None:
    torch.manual_seed(0)
    model = without(part)
    source, target = batch(random.Random(2), 2)
    target = target[:, :4]
    plain = states(model, source, target)
    turned = source.clone()
    turned[:, :3] = source[:, :3].flip(1)
    other = target.clone()
    other[:, 1] = 5
    reads = not torch.allclose(plain, states(model, turned * 0 + 4, target), atol=1e-4)
    assert reads is (part != "cross-attention")
    back = states(model, source, other)[:, 2:]
    assert torch.allclose(plain[:, 2:], back, atol=1e-5) is (
        part == "masked self-attention"
    )
    blind = torch.allclose(plain, states(model, turned, target), atol=1e-4)
    assert blind is (part in ("positions", "cross-attention"))
    layers = model.encoder.layers[0], model.decoder.layers[0]
    norms = sum("norm" in name for name, _ in model.named_parameters())
    assert (norms == 0) is (part == "norms")
    x = torch.randn(1, 3, 32)
    zero = [layer.feed_forward(x).eq(0).all().item() for layer in layers]
    assert zero == [part == "feed-forward networks"] * 2
    y, _ = layers[0].self_attention(x, x, x, None)
    assert y.eq(0).all().item() is (part == "self-attention of the encoder")


def test_without_residual_connections_the_sublayer_stands_alone() -> None:
    torch.manual_seed(0)
    layer = without("residual connections").encoder.layers[0]
    x = torch.randn(1, 3, 32)
    found, _ = layer(x, None)
    inside = layer.self_attention.f(x, x, x, None)[0]
    middle = layer.norm_self_attention(inside)
    expected = layer.norm_feed_forward(layer.feed_forward.f(middle))
    assert torch.allclose(found, expected, atol=1e-5)


def test_what_is_measured_repeats_itself() -> None:
    trial = Trial("norms", seed=0, steps=2)
    found = measured(trial)
    assert found == measured(trial) and 0 <= found["exact"] <= 1
    with pytest.raises(ValueError, match="part"):
        Trial("nose", seed=0)


def test_which_parts_are_needed() -> None:
    stored = results("transformer_parts")
    assert [*stored.rows] == [*STUDY.cases]
    whole = [stored[case("nothing", seed)]["exact"] for seed in SEEDS]
    assert min(whole) > 0.9
    for part in ("cross-attention", "positions"):
        assert max(stored[case(part, seed)]["exact"] for seed in SEEDS) < 0.5
    slow = [stored[case("residual connections", seed)]["exact"] for seed in SEEDS]
    assert min(slow) < 0.5
    for part in FAILING:
        assert STUDY.cases[case(part, 0, True)].steps == LONGER * STEPS
