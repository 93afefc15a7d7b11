"""Seconds that a beam costs, and what a batch saves: the shipped encoder–decoder.

Run it with `python bench/decoding.py`. One thread; the same sentences for all; each
figure is the best run of three. "rows" are the predictions that the model made,
"one by one" the same search without batches.
"""

import torch

from lookback.measure import timing
from lookback.recipes.encdec import EncoderDecoderLearner
from lookback.studies.decoding import Counting, hypotheses
from lookback.text.corpora import grammar
from lookback.workshop import pretrained

SENTENCES, ALONE, TURNS = 400, 60, 3
BEAMS = ((1, "none"), (2, "none"), (5, "none"), (5, "1.0"), (10, "none"), (50, "none"))


def main() -> None:
    torch.set_num_threads(1)
    learner = pretrained("encdec", kind=EncoderDecoderLearner)
    test = grammar(pairs=6000, seed=5).test  # by their English: never in train
    sources = [pair.source for pair in test][:SENTENCES]
    words = sum(map(len, sources)) / len(sources)
    print(f"{learner.name}, {len(sources)} sentences of {words:.1f} words, one thread")
    print(
        f"{'beam':6}{'penalty':10}{'rows':>10}{'ms a sentence':>16}{'one by one':>14}"
    )
    for size, penalty in BEAMS:
        model = Counting(learner.network)
        hypotheses(model, learner, sources, size, penalty)
        rows = model.rows

        def together(size: int = size, penalty: str = penalty) -> object:
            model = Counting(learner.network)
            return hypotheses(model, learner, sources, size, penalty)

        def alone(size: int = size, penalty: str = penalty) -> object:
            model, some = Counting(learner.network), sources[:ALONE]
            return [hypotheses(model, learner, [s], size, penalty) for s in some]

        batch, single = (timing(work, repeats=TURNS).best for work in (together, alone))
        figures = f"{1000 * batch / len(sources):16.1f}{1000 * single / ALONE:14.1f}"
        print(f"{size:<6}{penalty:10}{rows:10,}{figures}")


if __name__ == "__main__":
    main()
