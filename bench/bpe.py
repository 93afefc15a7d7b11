"""Byte-pair encoding of 1 MB of text: ours beside `tokenizers`.

The text is what every Python brings along, its manual with all programs and tables, and
behind it sentences of the grammar.
"""

from functools import partial

from run import costs, speeds
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from lookback.bpe import BPE, BYTES, SPECIALS
from lookback.text.corpora import grammar
from lookback.text.corpora.python_reference import manual

SIZES = (1000, 2000, 4000, 8000)


def text() -> list[str]:
    lines = [line for page in manual().values() for line in page.split("\n")]
    lines += [" ".join(s) for p in grammar(6000).train for s in (p.source, p.target)]
    return "\n".join(lines)[:1_000_000].split("\n")


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


def main() -> None:
    lines = text()
    spaced = [line + " " for line in lines]
    train = {
        f"training, V = {size}": {
            "ours": partial(BPE.train, lines, size),
            "tokenizers": partial(theirs, spaced, size),
        }
        for size in SIZES
    }
    costs("milliseconds", train)
    bpe, twin = BPE.train(lines, SIZES[-2]), theirs(spaced, SIZES[-2])
    encode = {
        "first": lambda: BPE(bpe.alphabet, bpe.merges).encode("\n".join(lines)),
        "again": lambda: [bpe.encode(line) for line in lines],
        "tokenizers": lambda: [twin.encode(line).ids for line in spaced],
    }
    tokens = sum(len(bpe.encode(line)) for line in lines)
    speeds("tokens a second", {f"encoding, V = {SIZES[-2]}": encode}, tokens)
