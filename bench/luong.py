"""What a score costs: dot, general and concat over the sizes n and S, one thread.

Run it with `python bench/luong.py`. 4 sentences, 32 states that look at S states of
size n each. Times are CPU time, the best of several looks; memory is what has to be
kept for the gradients. The keys of the source are made anew in every look.
"""

import torch

from lookback.workshop.multiplying import LOOKS, cost


def main() -> None:
    torch.set_num_threads(1)
    print(f"{'':26}{'look, ms':>10}{'and learn, ms':>15}{'kept, MB':>10}")
    for label, look in LOOKS.items():
        found = cost(look)
        told = found["forward"] * 1e3, found["both"] * 1e3, found["bytes"] / 1e6
        print(f"{label:26}{told[0]:10.2f}{told[1]:15.2f}{told[2]:10.2f}", flush=True)


if __name__ == "__main__":
    main()
