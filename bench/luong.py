"""What a score costs: dot, general and concat over the sizes n and S, one thread.

Run it with `python bench/luong.py`. 4 sentences, 32 states that attend to S states of
size n each. Times are CPU time, the best of several runs; memory is what has to be
saved for the gradients. The keys of the source are made anew in every run.
"""

import torch

from lookback.studies.luong_costs import CASES, cost


def main() -> None:
    torch.set_num_threads(1)
    print(f"{'':26}{'forward, ms':>13}{'and backward':>14}{'saved, MB':>11}")
    for label, size in CASES.items():
        row = cost(size)
        times = f"{row['forward'] * 1e3:13.2f}{row['both'] * 1e3:14.2f}"
        print(f"{label:26}{times}{row['bytes'] / 1e6:11.2f}", flush=True)


if __name__ == "__main__":
    main()
