"""What tests write again and again: seeded tensors, comparisons, refusals."""

import io
import math
import zipfile

import pytest
import torch
from torch import Tensor

from lookback.text.corpora import Corpus, Pair, PairCorpus


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def randn(*shape, seed=0):
    """Normal numbers in double precision."""
    return torch.randn(*shape, generator=generator(seed), dtype=torch.float64)


def randint(V, *shape, seed=0):
    """Ids of V words."""
    return torch.randint(V, shape, generator=generator(seed))


def padding_mask(*lengths):
    """A mask (B, S) of sentences of these lengths, S being the longest."""
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def random_mask(*shape, seed=1):
    """About half is True, and so is the first position of every row."""
    mask = torch.rand(*shape, generator=generator(seed)) > 0.5
    mask[..., 0] = True
    return mask


def filled(module, seed=1, scale=0.7):
    """The module in double precision for evaluation, each parameter drawn anew."""
    module, chance = module.double().eval(), generator(seed)
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(scale * torch.randn(p.shape, generator=chance, dtype=p.dtype))
    return module


def parameters(module):
    """What the module has learned so far."""
    return [p.detach().clone() for p in module.parameters()]


def same(one, two):
    """Are these tensors equal, one by one?"""
    return all(map(torch.equal, one, two))


def set_to(parameter, *values):
    """Give a parameter these numbers, row by row."""
    with torch.no_grad():
        parameter.copy_(torch.tensor(values, dtype=parameter.dtype).view_as(parameter))


def size(module):
    """The number of parameters."""
    return sum(p.numel() for p in module.parameters())


def tensors(state):
    """All tensors of nested tuples and lists, in order."""
    if isinstance(state, Tensor):
        return [state]
    return [t for part in state or () for t in tensors(part)]


def close(one, two, tolerance=None):
    """Assert that numbers are equal, to the tenth digit, or in float32 to the fifth."""
    if tolerance is None:
        tolerance = 1e-5 if getattr(one, "dtype", None) == torch.float32 else 1e-10
    torch.testing.assert_close(one, two, rtol=tolerance, atol=tolerance)


def unchanged(call, *arguments):
    """Assert that a call leaves its arguments as they came; return what it returns."""
    before = [t.clone() for t in tensors(arguments)]
    found = call(*arguments)
    assert all(map(torch.equal, tensors(arguments), before))
    return found


def text_corpus(train, validation=(), test=()):
    """A corpus of sentences, each written as one string."""
    splits = ([tuple(s.split()) for s in split] for split in (train, validation, test))
    return Corpus("t", "1", 1, *map(tuple, splits), (), {})


def pair_corpus(train, validation=(), test=()):
    """A corpus of pairs, each written as two strings."""
    splits = (
        tuple(Pair(*(tuple(side.split()) for side in pair)) for pair in split)
        for split in (train, validation, test)
    )
    return PairCorpus("t", "1", *splits)


LETTERS = text_corpus(
    ["a b a", "b", "a b", "c a b", "b a b a b"], ["a b", "c"], ["zz a"]
)


def refuses(message):
    return pytest.raises(ValueError, match=message)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def packed(**texts):
    """A zip archive as people make them, in memory: name → text, in one folder."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(f"folder/{name}", text)
        archive.writestr("__MACOSX/folder/a", b"\xff")
    return raw.getvalue()
