"""Byte-pair encoding of 1 MB of text: ours, `tokenizers`, and the counting alone.

Run it with `python bench/bpe.py`. The text is what every Python brings along, its
manual with all programs and tables, and behind it sentences of the grammar. "One count"
is one pass over the pairs of neighbouring characters of that text, which is the least
that any training must do. "Counted anew" is the paper's program, which counts all pairs
of all words for each merge; it is run for its first merges, and the rest reckoned from
those, a little high, since words grow shorter.
`tokenizers` runs on one thread, as we do. Each figure is the best run of three, in
seconds of the processor.
"""

import os
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from lookback.bpe import BPE, BYTES, SPECIALS, count_and_merge, words_of
from lookback.measure import timings
from lookback.text.corpora import grammar
from lookback.text.corpora.python_reference import manual

LENGTH, TURNS = 1_000_000, 3
SIZES = (1000, 2000, 4000, 8000)
FEW = 20  # merges of the paper's program


def text() -> list[str]:
    """Lines, LENGTH bytes of them together."""
    lines = [line for page in manual().values() for line in page.split("\n")]
    lines += [" ".join(s) for p in grammar(6000).train for s in (p.source, p.target)]
    kept, room = list[str](), LENGTH
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def seconds(*works: Callable[[], object], turns: int = TURNS) -> list[float]:
    """The least that each of `works` took; they take turns."""
    runs = timings(*works, repeats=turns, warmup=0, clock=time.process_time)
    return [run.best for run in runs]


def theirs(lines: list[str], size: int) -> Tokenizer:
    """`tokenizers`, told to do the same."""
    twin = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    twin.pre_tokenizer = pre_tokenizers.Split(Regex(r"\s"), "merged_with_previous")
    twin.train_from_iterator(
        lines,
        trainers.BpeTrainer(
            vocab_size=size, special_tokens=[*SPECIALS, *BYTES], show_progress=False
        ),
    )
    return twin


def counted_anew(lines: list[str], merges: int) -> None:
    """Algorithm 1 of Sennrich et al. 2016."""
    times = Counter(word for line in lines for word in words_of(line))
    letters = sorted({*"".join(times)})
    count_and_merge(times, letters, len(letters) + merges)


def main() -> None:
    lines = text()
    whole, spaced = "\n".join(lines), [line + " " for line in lines]
    words = {word for line in lines for word in words_of(line)}
    print(f"{len(whole.encode()):,} bytes, {len(words):,} different words")
    (count,) = seconds(lambda: Counter(pairwise(whole)))
    none, few = seconds(
        lambda: counted_anew(lines, 0), lambda: counted_anew(lines, FEW), turns=1
    )
    print(f"one count of its pairs {count:.3f} s")
    header = ("ours", "tokenizers", "of one count", "counted anew")
    print(f"{'training':10}" + "".join(f"{name:>14}" for name in header))
    for size in SIZES:
        our, their = seconds(
            partial(BPE.train, lines, size), partial(theirs, spaced, size)
        )
        merges = len(BPE.train(lines, size).merges)
        anew = none + (few - none) / FEW * merges
        told = f"{our:12.3f} s{their:12.3f} s{our / count:12.1f} x{anew:12.0f} s"
        print(f"{f'V = {size}':10}{told}")
    bpe, twin = BPE.train(lines, SIZES[-2]), theirs(spaced, SIZES[-2])
    tokens = sum(len(bpe.encode(line)) for line in lines)
    assert [bpe.encode(x) for x in lines] == [e.ids for e in twin.encode_batch(spaced)]
    first, again, their = seconds(
        lambda: [BPE(bpe.alphabet, bpe.merges).encode(whole)],
        lambda: [bpe.encode(line) for line in lines],
        lambda: [twin.encode(line).ids for line in spaced],
    )
    print(f"encode, V = {SIZES[-2]}, tokens a second, the same ids")
    for name, spent in (("first", first), ("again", again), ("tokenizers", their)):
        print(f"{name:10}{tokens / spent:14,.0f}")


if __name__ == "__main__":
    main()
