"""Words a second that are counted, and cells a second that are learnt from, by GloVe.

Run it with `python bench/glove.py`. The count is compared with the plain loops that
define it, on the same sentences in one process; each figure is the best run of three.
"""

import torch

from lookback.glove import (
    GloVe,
    GloVeConfig,
    cooccurrence,
    count_neighbours,
    weighted_squares,
)
from lookback.measure import timing
from lookback.text.corpora import grammar

PAIRS, WINDOW, BATCH, TURNS = 12_500, 5, 4096, 3  # four pairs in five are train


def main() -> None:
    torch.set_num_threads(1)
    train = [pair.source for pair in grammar(pairs=PAIRS).train]
    number = {
        word: n for n, word in enumerate(dict.fromkeys(w for s in train for w in s))
    }
    text = [[number[word] for word in sentence] for sentence in train]
    words, V = sum(map(len, text)), len(number)
    ours = timing(lambda: cooccurrence(text, V, WINDOW), repeats=TURNS).best
    loops = timing(lambda: count_neighbours(text, WINDOW), repeats=TURNS, warmup=0).best
    print(f"{words:,} words, window {WINDOW}; one thread")
    print(f"{'words counted a second':26}{words / ours:12,.0f}")
    print(f"{'by loops of Python':26}{words / loops:12,.0f}{loops / ours:8.1f} x")

    X = cooccurrence(text, V, WINDOW)
    i, j, x = (
        torch.from_numpy(X.i),
        torch.from_numpy(X.j),
        torch.from_numpy(X.X).float(),
    )
    model = GloVe(GloVeConfig(m=50, x_max=100, alpha=0.75, window=WINDOW), V)
    step = torch.optim.Adagrad(model.parameters(), lr=0.1)

    def epoch() -> None:
        for some in torch.randperm(len(x)).split(BATCH):
            step.zero_grad()
            weighted_squares(model(i[some], j[some]), x[some], 100, 0.75).backward()
            step.step()

    learnt = len(x) / timing(epoch, repeats=TURNS).best
    print(f"{'cells learnt a second':26}{learnt:12,.0f}")


if __name__ == "__main__":
    main()
