"""Agreement at four learning rates: which rate is chosen."""

from lookback.studies.recurrent_rates import RATES, best_rate
from lookback.workshop import Results


def test_the_best_rate_is_chosen_on_validation() -> None:
    rows = {
        f"RNN at {rate:g}, seed {seed}": {"validation perplexity": perplexity + seed}
        for rate, perplexity in zip(RATES, (3.0, 1.0, 2.0, 2.0), strict=True)
        for seed in range(2)
    }
    assert best_rate(Results("recurrent_rates", rows, {}), "RNN") == RATES[1]
