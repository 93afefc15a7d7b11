"""A step of the decoder of an encoder–decoder: a GRU that reads the source's vector."""

import torch
from torch import Tensor

from .judge import Case, Exercise, numbers

T = Tensor


def decoder_step(y: T, h: T, c: T, W: T, U: T, C: T, b: T) -> T:
    """W, U, C and b each have three blocks of n rows, for r, z and the candidate:

    r = σ(W_r y + b_r + U_r h + C_r c),   z = σ(W_z y + b_z + U_z h + C_z c)
    new = tanh(W_h y + b_h + r ⊙ (U_h h + C_h c)),   h' = z ⊙ h + (1 − z) ⊙ new

    y (B, m): the word before;  h (B, n): the state;  c (B, n): the source's vector
    W (3 n, m), U (3 n, n), C (3 n, n), b (3 n,)
    →  h' (B, n)
    """
    _, z, new = gates(y @ W.T + b, h @ U.T + c @ C.T)
    return z * h + (1 - z) * new


def gates(read: T, past: T) -> tuple[Tensor, Tensor, Tensor]:
    """r, z and the candidate: of the word before, and of state and source."""
    (y_r, y_z, y_h), (p_r, p_z, p_h) = read.chunk(3, dim=1), past.chunk(3, dim=1)
    r = (y_r + p_r).sigmoid()
    return r, (y_z + p_z).sigmoid(), (y_h + r * p_h).tanh()


def no_source(y: T, h: T, c: T, W: T, U: T, C: T, b: T) -> T:
    """the source's vector c is not read: C c is missing"""
    return decoder_step(y, h, c, W, U, torch.zeros_like(C), b)


def update_turned(y: T, h: T, c: T, W: T, U: T, C: T, b: T) -> T:
    """z and 1 − z are exchanged: here z keeps the old state"""
    _, z, new = gates(y @ W.T + b, h @ U.T + c @ C.T)
    return (1 - z) * h + z * new


def reset_state_alone(y: T, h: T, c: T, W: T, U: T, C: T, b: T) -> T:
    """r acts on U h alone: it acts on U h + C c"""
    n, read, past = h.size(1), y @ W.T + b, h @ U.T + c @ C.T
    r, z, _ = gates(read, past)
    new = read[:, 2 * n :] + r * (h @ U[2 * n :].T) + c @ C[2 * n :].T
    return z * h + (1 - z) * new.tanh()


def reset_inside(y: T, h: T, c: T, W: T, U: T, C: T, b: T) -> T:
    """r acts on h and c, before the matrices: it acts on U h + C c"""
    n, read = h.size(1), y @ W.T + b
    r, z, _ = gates(read, h @ U.T + c @ C.T)
    new = read[:, 2 * n :] + (r * h) @ U[2 * n :].T + (r * c) @ C[2 * n :].T
    return z * h + (1 - z) * new.tanh()


def no_reset(y: T, h: T, c: T, W: T, U: T, C: T, b: T) -> T:
    """the reset gate r is not used"""
    read, past = y @ W.T + b, h @ U.T + c @ C.T
    _, z, _ = gates(read, past)
    new = (read + past).chunk(3, dim=1)[2].tanh()
    return z * h + (1 - z) * new


def gates_exchanged(y: T, h: T, c: T, W: T, U: T, C: T, b: T) -> T:
    """r and z are exchanged: the first n rows are for r, the next for z"""
    order = torch.arange(3 * h.size(1)).view(3, -1)[[1, 0, 2]].flatten()
    return decoder_step(y, h, c, W[order], U[order], C[order], b[order])


def cases() -> list[Case]:
    sizes = (3, 2), (3, 4), (3, 4), (12, 2), (12, 4), (12, 4), (12,)
    arguments = numbers(*sizes)
    one = [[1.0]], [[0.5]], [[2.0]], [[1.0], [0], [2]], [[0.0], [1], [1]]
    more = [[1.0], [-1], [0.5]], [0.0, 1, 0.3]
    return [
        Case("one unit", tuple(map(torch.tensor, (*one, *more)))),
        Case("random numbers", arguments),
    ]


EXERCISE = Exercise(
    decoder_step,
    ("h'",),
    cases,
    [no_source, update_turned, reset_state_alone, reset_inside, no_reset,
     gates_exchanged],
    gradients=("y", "h", "c", "W", "U", "C", "b"),
)  # fmt: skip
