"""Milliseconds a sentence of a beam, in a batch and one by one: the encoder–decoder."""

from functools import partial

from run import costs

from lookback.recipes.encdec import EncoderDecoderLearner
from lookback.studies.decoding import Counting, hypotheses
from lookback.text.corpora import grammar
from lookback.workshop import pretrained

SENTENCES = 60
BEAMS = ((1, "none"), (2, "none"), (5, "none"), (5, "1.0"), (10, "none"), (50, "none"))


def main() -> None:
    learner = pretrained("encdec", kind=EncoderDecoderLearner)
    test = grammar(pairs=6000, seed=5).test  # by their English: never in train
    sources = [pair.source for pair in test][:SENTENCES]

    def search(parts: list[list[tuple[str, ...]]], size: int, penalty: str) -> None:
        for part in parts:
            hypotheses(Counting(learner.network), learner, part, size, penalty)

    rows = {
        f"beam of {size}, penalty {penalty}": {
            "one by one": partial(search, [[s] for s in sources], size, penalty),
            "batch": partial(search, [sources], size, penalty),
        }
        for size, penalty in BEAMS
    }
    costs("ms a sentence", rows, len(sources), turns=1)
