"""The last word."""

from torch import Tensor, nn

from lookback.checks import ids, whole

__all__ = ["LastWord"]


class LastWord(nn.Module):
    """s_t = W[x_t]: the scores of the next word depend on the last word alone.

    V  size of the vocabulary

    >>> import torch
    >>> LastWord(5)(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 5])
    """

    def __init__(self, V: int) -> None:
        super().__init__()
        whole(V=V)
        self.V = V
        self.W = nn.Embedding(V, V)

    def forward(self, x: Tensor) -> Tensor:
        """The scores of the next word.

        x  (B, T)     ids
        →  (B, T, V)
        Raises `ValueError` for what is no id of the vocabulary.
        """
        ids(self.V, x=x)
        scores: Tensor = self.W(x)  # (1)
        return scores
