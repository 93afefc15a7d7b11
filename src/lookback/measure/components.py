"""The directions in which vectors differ most."""

import torch
from torch import Tensor


def principal_components(vectors: Tensor, k: int = 2) -> tuple[Tensor, Tensor]:
    """The k directions in which rows (V, m) differ most.   Pearson 1901.

    →  each row's coordinates along them (V, k); their shares of all variance (k,).
    A direction and its opposite are the same: the largest number of each is positive.
    """
    if vectors.dim() != 2 or not 0 < k <= min(vectors.shape):
        raise ValueError(
            f"vectors {tuple(vectors.shape)}: expected (V, m) and k ≤ both"
        )
    wide = vectors.detach().to(torch.promote_types(vectors.dtype, torch.float32))
    centred = wide - wide.mean(dim=0)
    U, S, _ = torch.linalg.svd(centred, full_matrices=False)  # (V, r), (r,)
    points = U[:, :k] * S[:k]
    sign = points.gather(0, points.abs().argmax(dim=0, keepdim=True)).sign()  # (1, k)
    return points * sign, (S**2 / (S**2).sum())[:k]
