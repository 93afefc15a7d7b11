"""Sentences a second of the stack decoder, by its beam, one process.

Run it with `python bench/stack_decoder.py`, `LOOKBACK_DATA` being the folder of
Multi30k: it learns phrases from 5 000 captions and translates 200 others. Without the
captions it takes as many pairs of the grammar. Decoders are new each time: nothing that
an earlier one has looked up is left.
"""

import time

from lookback.hmm_alignment import HMMAlignment
from lookback.ngram import KneserNey, NgramModel
from lookback.phrases import PhraseTable, flipped, symmetrise
from lookback.stack_decoder import StackDecoder
from lookback.text.corpora import DataError, grammar, multi30k

PAIRS, SENTENCES, TURNS = 5000, 200, 2


def main() -> None:
    try:
        text = multi30k()
    except DataError:
        text = grammar(pairs=PAIRS + 1500)
    there = [(pair.source, pair.target) for pair in text.train[:PAIRS]]
    back = [(target, source) for source, target in there]
    began = time.process_time()
    ways = [HMMAlignment().fit(some).align_all(some) for some in (there, back)]
    links = [symmetrise(a, flipped(b)) for a, b in zip(*ways, strict=True)]
    table = PhraseTable.fit(there, links)
    language = NgramModel(3, KneserNey()).fit([target for _, target in there])
    seconds = time.process_time() - began
    print(f"{text.name}: {len(table):,} phrase pairs learned in {seconds:.1f} s")
    some = [pair.source for pair in text.test[:SENTENCES]]
    for beam in (1, 10, 30):
        best = float("inf")
        for _ in range(TURNS):
            decoder = StackDecoder(table, language, beam=beam)
            began = time.process_time()
            for source in some:
                decoder.translate(source)
            best = min(best, time.process_time() - began)
        print(f"beam {beam:3}  {len(some) / best:6.1f} sentences a second")


if __name__ == "__main__":
    main()
