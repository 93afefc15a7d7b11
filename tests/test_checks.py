"""What is refused, by which words; and that nothing else is."""

import math

import pytest
import torch
from torch import zeros

from kit import refuses
from lookback.checks import (
    above,
    at_least,
    between,
    finite,
    ids,
    may_attend,
    one_of,
    padded,
    shapes,
    share,
    whole,
)

NO = torch.tensor([[True, True], [False, False]])
SOUND = [
    lambda: shapes(Q=(zeros(5, 3), "… T d_k"), K=(zeros(7, 3), "… S d_k")),
    lambda: shapes(Q=(zeros(2, 1, 5, 3), "… T d"), K=(zeros(4, 7, 3), "… S d")),
    lambda: shapes(x=(zeros(2, 5, 8), "B T 8"), mask=(None, "B T")),
    lambda: shapes(scalars=(zeros(4), "…"), number=(torch.tensor(1), "")),
    lambda: ids(3, tokens=torch.tensor([[0, 2]]), V=torch.tensor([], dtype=torch.long)),
    lambda: ids(3, tokens=torch.tensor([9]).to("meta")),
    lambda: whole(m=1, least=10**9),
    lambda: whole(0, h=0),
    lambda: between(2, 4, k=2, size=4),
    lambda: above(0, t=1e-300, k=5, X=torch.tensor([1, 9]), none=zeros(0)),
    lambda: above(1, X=zeros(2).to("meta")),
    lambda: at_least(0, alpha=0, counts=torch.tensor([0.0, 2.5])),
    lambda: finite("why", x=torch.tensor([math.nan]).to("meta")),
    lambda: share(dropout=0, other=0.999),
    lambda: one_of(("dot", "general"), score="dot"),
    lambda: may_attend(NO[:, :1].any(0)[None], zeros(3, 4, 2)),
    lambda: may_attend(NO.to("meta"), zeros(2, 2)),
    lambda: padded(NO.mT),
]


@pytest.mark.parametrize("check", SOUND)
def test_what_is_sound_passes(check):
    check()


REFUSED = [
    (
        lambda: shapes(Q=(zeros(5, 3), "… T d_k"), K=(zeros(6, 2), "… S d_k")),
        r"K has shape \(6, 2\): expected \(…, S, d_k\), .*d_k being 3",
    ),
    (lambda: shapes(x=(zeros(2, 5, 7), "B T 8")), r"\(2, 5, 7\).*\(B, T, 8\)"),
    (lambda: shapes(x=(zeros(5, 8), "B T 8")), r"x .*\(5, 8\).*\(B, T, 8\)"),
    (lambda: shapes(x=(zeros(2, 2, 5, 8), "B T 8")), r"\(2, 2, 5, 8\)"),
    (lambda: shapes(x=(zeros(3), "… T d")), r"x has shape \(3,\): .* \(…, T, d\)"),
    (lambda: shapes(x=(zeros(3, 4), "A A")), r"\(A, A\), A being 3"),
    (lambda: shapes(x=(zeros(1), "")), r"x has shape \(1,\): expected \(\)"),
    (lambda: shapes(x=(zeros(0, 2, 2), "… B T")), r"\(0, 2, 2\).*of them 0"),
    (
        lambda: shapes(Q=(zeros(3, 2, 5), "… d"), K=(zeros(4, 2, 5), "… d")),
        r"K has shape \(4, 2, 5\).*… the same axes for all",
    ),
    (lambda: shapes(a=(zeros(2), "B"), b=(None, "B"), c=(zeros(3), "B")), "B being 2"),
    (lambda: ids(3, x=torch.tensor([0, 3])), "x holds ids from 0 to 3: .* 0 to 2"),
    (lambda: ids(3, x=torch.tensor([-1, 1])), "x holds ids from -1 to 1"),
    (
        lambda: ids(3, x=torch.tensor([True])),
        "x is torch.bool: expected ids of",
    ),
    (lambda: ids(3, x=torch.tensor([1]).byte()), "x is torch.uint8: expected ids"),
    (lambda: whole(m=1, n=0), "n must be a whole number ≥ 1, got 0"),
    (lambda: whole(n=2.5), r"n must be a whole number ≥ 1, got 2\.5"),
    (lambda: whole(n=True), "n must be a whole number ≥ 1, got True"),
    (lambda: whole(2, n=1), "n must be a whole number ≥ 2, got 1"),
    (lambda: between(1, 3, k=0), "k must be a whole number from 1 to 3, got 0"),
    (lambda: between(1, 3, m=1, k=4), "k must be a whole number from 1 to 3, got 4"),
    (lambda: between(0, 3, k=True), "k must be a whole number from 0 to 3, got True"),
    (lambda: above(0, t=0), "t must be > 0, got 0"),
    (lambda: above(2, m=3, t=1.5), r"t must be > 2, got 1\.5"),
    (lambda: above(0, t=math.inf), "t must be > 0, got inf"),
    (
        lambda: above(0, X=torch.tensor([3, 0])),
        "X must be > 0, .* from 0 to 3",
    ),
    (lambda: above(0, X=torch.tensor([1, math.nan])), "X must be > 0, got nan"),
    (lambda: at_least(0, x=-1), "x must be ≥ 0, got -1"),
    (lambda: at_least(0, x=math.inf), "x must be ≥ 0, got inf"),
    (lambda: at_least(0, x=math.nan), "x must be ≥ 0, got nan"),
    (lambda: finite("why", x=torch.tensor([1, math.inf])), "x must be finite: why"),
    (lambda: share(dropout=1), "dropout must be ≥ 0 and < 1, got 1"),
    (lambda: share(dropout=-0.1), "dropout must be .*, got -0.1"),
    (lambda: share(dropout=math.nan), "dropout must be .*nan"),
    (lambda: one_of(("a", "b"), score="c"), "score must be one of 'a', 'b', got 'c'"),
    (
        lambda: may_attend(NO, zeros(2, 2)),
        r"mask is False .* in rows \[\[1\]\]",
    ),
    (lambda: may_attend(NO.long(), zeros(2, 2)), "mask is torch.int64 of shape"),
    (lambda: may_attend(NO, zeros(2, 3)), r"shape \(2, 2\): .* \(2, 3\)"),
    (lambda: may_attend(NO[None], zeros(2, 2)), r"shape \(1, 2, 2\): .* \(2, 2\)"),
    (lambda: padded(torch.tensor([[False, True]])), "mask is False before a True"),
]


@pytest.mark.parametrize(("check", "message"), REFUSED)
def test_what_is_not_sound_is_told_by_name_value_and_expectation(check, message):
    with refuses(message):
        check()


def test_a_module_with_checks_can_be_exported():
    class Checked(torch.nn.Module):
        def forward(self, x, mask):
            shapes(x=(x, "B 3"), mask=(mask, "B 3"))
            may_attend(mask, x)
            ids(9, x=x)
            return x.masked_fill(~mask, 0)

    given = torch.arange(6).view(2, 3), torch.ones(2, 3, dtype=torch.bool)
    exported = torch.export.export(Checked(), given).module()
    assert torch.equal(exported(*given), given[0])
