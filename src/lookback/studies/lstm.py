"""What gates are good for: the study of the recurrent network, with LSTM and GRU."""

from lookback.recipes.lstm import on_text
from lookback.workshop import Study, case, on_few

from .recurrent import SEEDS, measured

STUDY = Study(
    about="agreement and gradients over distance: networks with gates",
    cases={
        f"{cell.upper()}, seed {seed}": case(
            measured, recipe=on_text(cell, "grammar", seed)
        )
        for cell in ("lstm", "gru")
        for seed in SEEDS
    },
    check=case(
        measured, recipe=on_few(on_text("gru", "grammar", 0), steps=3), pairs=600
    ),
)
