"""What more heads do: one layer of masked self-attention, of the same size."""

from lookback.workshop import Study, case, on_few

from .attention import SEEDS, HeadsConfig, M, label, measured, recipe

HEADS = (1, 4, 16)

STUDY = Study(
    about="one layer of masked self-attention, with one head and with many",
    cases={
        label(f"h {h}", seed): case(measured, recipe=recipe(HeadsConfig(M, h), seed))
        for h in HEADS
        for seed in SEEDS
    },
    check=case(measured, recipe=on_few(recipe(HeadsConfig(M, 4), 0, 10), 3500)),
)
