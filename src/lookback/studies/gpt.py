"""What a GPT keeps of its subject: the recurrent network's study, for a GPT."""

from lookback.recipes.gpt import on_text
from lookback.workshop import Study

from .recurrent import SEEDS, measured

STUDY = Study(
    about="agreement over distance: GPT, on the sample of the recurrent networks",
    cases={f"GPT, seed {seed}": on_text("grammar", seed) for seed in SEEDS},
    measure=measured,
    check=None,  # the shipped model answers for it
)
