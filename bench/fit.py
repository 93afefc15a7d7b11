"""Tokens a second of the training loop, and what it adds to a loop written by hand.

Run it with `python bench/fit.py`. The model is small on purpose: the smaller it
is, the more of each step is the loop's own. The two take turns in one process, and each
figure is the best of its turns. The last line is what saving a state costs.
"""

import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn

from lookback.measure import timing, timings
from lookback.workshop import Budget, Optimiser, fit

V, WIDTH, HIDDEN = 500, 64, 128
B, T = 32, 16
STEPS, TURNS = 60, 5
CLIP, RATE = 1.0, 1e-3


class Small(nn.Module):
    """A language model that is enough of one: embedding, GRU, logits."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, WIDTH)
        self.state = nn.GRU(WIDTH, HIDDEN, batch_first=True)
        self.out = nn.Linear(HIDDEN, V)

    def forward(self, ids: Tensor) -> Tensor:
        return self.out(self.state(self.embedding(ids))[0])  # (B, T, V)


def loss(model: nn.Module, ids: Tensor) -> tuple[Tensor, int]:
    logits, target = model(ids[:, :-1]), ids[:, 1:]
    total = nn.functional.cross_entropy(
        logits.flatten(0, 1), target.flatten(), reduction="sum"
    )
    return total, target.numel()


def by_hand(batches: list[Tensor]) -> None:
    model = Small()
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    for step in range(STEPS):
        adam.zero_grad()
        total, tokens = loss(model, batches[step % len(batches)])
        (total / tokens).backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        adam.step()


def ours(batches: list[Tensor], state: Path | None = None) -> None:
    model = Small()
    optimiser, every = Optimiser("adam", RATE, clip=CLIP), 0.0 if state else 30.0
    fit(
        model, batches, loss, optimiser, Budget(STEPS),
        state=state, progress=False, save_every=every,
    )  # fmt: skip


def main() -> None:
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    batches = [torch.randint(V, (B, T + 1), generator=generator) for _ in range(10)]
    runs = timings(lambda: by_hand(batches), lambda: ours(batches), repeats=TURNS)
    hand, fitted = (run.best for run in runs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        saving = timing(lambda: ours(batches, path), repeats=1, warmup=0)
        write = (saving.best - fitted) / STEPS
        size = path.stat().st_size
    tokens, parameters = B * T * STEPS, sum(p.numel() for p in Small().parameters())
    print(f"{parameters:,} parameters, {B * T} tokens a step, one thread")
    print(f"{'tokens a second':20}{'fit':>12}{'by hand':>12}{'ratio':>10}")
    figures = f"{tokens / fitted:12,.0f}{tokens / hand:12,.0f}{hand / fitted:8.2f} x"
    print(f"{'training':20}{figures}")
    print(f"a state of {size / 1e6:.1f} MB is written in {1000 * max(0, write):.0f} ms")


if __name__ == "__main__":
    main()
