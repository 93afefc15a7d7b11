"""GloVe: words a second that are counted, beside plain loops, and cells learnt from."""

import torch
from run import speeds

from lookback.glove import (
    GloVe,
    GloVeConfig,
    cooccurrence,
    count_neighbours,
    weighted_squares,
)
from lookback.text.corpora import grammar

WINDOW, BATCH = 5, 4096


def main() -> None:
    train = [pair.source for pair in grammar(pairs=12_500).train]
    number = {w: n for n, w in enumerate(dict.fromkeys(w for s in train for w in s))}
    text, V = [[number[word] for word in sentence] for sentence in train], len(number)
    count = {
        "ours": lambda: cooccurrence(text, V, WINDOW),
        "plain loops": lambda: count_neighbours(text, WINDOW),
    }
    speeds("words a second", {"counting": count}, sum(map(len, text)))

    X = cooccurrence(text, V, WINDOW)
    i, j, x = torch.tensor(X.i), torch.tensor(X.j), torch.tensor(X.X).float()
    model = GloVe(GloVeConfig(m=50, x_max=100, alpha=0.75, window=WINDOW), V)
    step = torch.optim.Adagrad(model.parameters(), lr=0.1)

    def epoch() -> None:
        for some in torch.randperm(len(x)).split(BATCH):
            step.zero_grad()
            weighted_squares(model(i[some], j[some]), x[some], 100, 0.75).backward()
            step.step()

    speeds("cells a second", {"learning": {"ours": epoch}}, len(x))
