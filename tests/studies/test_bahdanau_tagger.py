"""The study of the bidirectional encoder as a tagger, on sentences of the grammar."""

import torch

from lookback.studies.bahdanau_tagger import AnnotationTagger
from lookback.window import PADDING, WindowConfig

CONFIG = WindowConfig(3, 4, (2,), 5)


def made() -> AnnotationTagger:
    torch.manual_seed(0)
    return AnnotationTagger(CONFIG, sizes=(10, 6), C=3, n=7)


def test_each_score_depends_on_the_whole_sentence() -> None:
    model = made()
    x = torch.stack([torch.randint(1, n, (2, 8)) for n in (10, 6)], dim=-1)
    f = model(x)
    assert f.shape == (2, 8, 3)
    for word in (0, 7):
        changed = x.clone()
        changed[0, word] = 1 + x[0, word] % 5
        moved = (model(changed) - f).abs().sum(dim=2)
        assert bool((moved[0] > 0).all()) and not moved[1].any()


def test_the_annotations_are_those_of_two_plain_loops() -> None:
    model = made()
    x = torch.stack([torch.randint(1, n, (1, 4)) for n in (10, 6)], dim=-1)
    vectors = model.look_up(x)
    ahead, state = [], torch.zeros(1, 7)
    for t in range(4):
        state = model.forwards(vectors[:, t], state)
        ahead.append(state)
    back, state = [], torch.zeros(1, 7)
    for t in reversed(range(4)):
        state = model.backwards(vectors[:, t], state)
        back.insert(0, state)
    h = torch.cat([torch.stack(ahead, dim=1), torch.stack(back, dim=1)], dim=2)
    assert torch.allclose(model(x), model.M_2(torch.tanh(model.M_1(h))), atol=1e-6)


def test_padding_changes_no_score() -> None:
    model = made()
    x = torch.stack([torch.randint(1, n, (1, 5)) for n in (10, 6)], dim=-1)
    longer = torch.cat([x, torch.full((1, 3, 2), PADDING)], dim=1)
    assert torch.allclose(model(longer)[:, :5], model(x), atol=1e-6)
