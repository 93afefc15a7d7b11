"""What gates are good for: the study of the recurrent network, with LSTM and GRU."""

from lookback.recipes.lstm import on_text
from lookback.workshop import Study

from .recurrent import SEEDS, measured

STUDY = Study(
    about="agreement and gradients over distance: networks with gates",
    cases={
        f"{cell.upper()}, seed {seed}": on_text(cell, "grammar", seed)
        for cell in ("lstm", "gru")
        for seed in SEEDS
    },
    measure=measured,
    check=None,  # the shipped models answer for it
)
