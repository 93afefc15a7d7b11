"""Words a second of the window tagger: a training step, and tagging a test.

Run it with `python bench/window.py`. Word level and sentence level, on sentences of the
grammar; each figure is the best of three.
"""

from dataclasses import replace

from lookback.measure import timings
from lookback.studies.window import Window
from lookback.text.corpora import TaggedCorpus, grammar, tagged

PAIRS, TURNS = 2000, 3


def main() -> None:
    pairs = grammar(PAIRS)
    parts = (tagged(some) for some in (pairs.train, pairs.validation, pairs.test))
    text = TaggedCorpus("grammar", pairs.version, *parts)
    words = {n: sum(len(s.words) for s in text.split(n)) for n in ("train", "test")}
    sentences = [sentence.words for sentence in text.test]
    print(f"{'words a second':20}{'training':>12}{'tagging':>12}")
    for level in ("word", "sentence"):
        setting = replace(Window(), level=level, epochs=1)
        tagger = setting.made(text)
        train, tag = timings(
            lambda setting=setting, tagger=tagger: setting.train(tagger, text.train),
            lambda tagger=tagger: tagger.tag(sentences),
            repeats=TURNS,
            warmup=0,
        )
        speeds = words["train"] / train.best, words["test"] / tag.best
        print(f"{level:20}{speeds[0]:12,.0f}{speeds[1]:12,.0f}")


if __name__ == "__main__":
    main()
