"""What a score costs: dot, general and concat over the sizes n and S, one thread.

Run it with `python bench/luong.py`. 4 sentences, 32 states that look at S states of
size n each. Times are CPU time, the best of several calls; memory is what has to be
saved for the gradients. The keys of the source are made anew in every call.
"""

import torch

from lookback.studies.luong_costs import CASES, cost


def main() -> None:
    torch.set_num_threads(1)
    print(f"{'':26}{'forward, ms':>13}{'and back, ms':>14}{'saved, MB':>11}")
    for label, size in CASES.items():
        row = cost(size)
        forward, both, saved = row["forward"], row["both"], row["bytes"] / 1e6
        figures = f"{1e3 * forward:13.2f}{1e3 * both:14.2f}{saved:11.2f}"
        print(f"{label:26}{figures}", flush=True)


if __name__ == "__main__":
    main()
