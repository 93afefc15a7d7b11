"""What a GPT keeps of its subject: the recurrent network's study, for a GPT."""

from lookback.recipes.gpt import on_text
from lookback.workshop import Study, case, on_few

from .recurrent import SEEDS, measured

STUDY = Study(
    about="agreement over distance: GPT, on the sample of the recurrent networks",
    cases={
        f"GPT, seed {seed}": case(measured, recipe=on_text("grammar", seed))
        for seed in SEEDS
    },
    check=case(measured, recipe=on_few(on_text("grammar", 0), steps=3), pairs=600),
)
