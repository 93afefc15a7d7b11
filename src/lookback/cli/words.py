"""`lookback generate`, `translate`, `align`: models at work on words of yours."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lookback.text.spelling import nearest

from . import options
from .reading import read, spelt

if TYPE_CHECKING:
    from lookback.trainer.learner import Learner
    from lookback.trainer.translation import Translation, TranslationLearner

    from .options import Commands

GENERATE = """\
  lookback generate                          thirty words, the same each time
  lookback generate --seed 1 --words 100     other words, and more of them
  lookback generate --start this bird        how the first sentence begins"""
TRANSLATE = """\
  lookback translate the minister sleeps .
  lookback translate the minister sleeps . --figure out.svg
                        also draws the attention weights
  lookback translate the zebra sleeps . --beam 5
                        keeps five hypotheses, and unknown words
  lookback translate "Where is the station?" --model bahdanau-tatoeba
                        a network that learned from sentences of people

Quotes keep signs such as ? ' * from the shell."""
FIGURES = {".svg": "Date", ".pdf": "CreationDate", ".png": ""}  # each with its date
ALIGN = """\
  lookback align "the minister sleeps ." "le ministre dort ."
  lookback align "the minister sleeps ." "le ministre dort ." --figure out.svg"""


def add_to(commands: Commands) -> None:
    parser = options.add(commands, "generate", _generate, "let a model write", GENERATE)
    parser.add_argument("--words", type=options.number(1), default=30)
    parser.add_argument("--seed", type=options.number(0), default=0)
    parser.add_argument("--start", nargs="+", default=[], metavar="WORD")
    _model(parser, "generate", "ngram")
    parser = options.add(
        commands, "translate", _translate, "translate English into French", TRANSLATE
    )
    parser.add_argument("words", nargs="+", metavar="WORD")
    parser.add_argument("--figure", type=Path, metavar="FILE.svg")
    parser.add_argument("--beam", type=options.number(1), default=1, metavar="N")
    _model(parser, "translate", "bahdanau")
    parser = options.add(
        commands, "align", _align, "tell which word comes from which", ALIGN
    )
    parser.add_argument("source", metavar="ENGLISH")
    parser.add_argument("target", metavar="FRENCH")
    parser.add_argument("more", nargs="*", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--figure", type=Path, metavar="FILE.svg")
    _model(parser, "link", "ibm1")


def _model(parser: argparse.ArgumentParser, skill: str, usual: str) -> None:
    """Let a model be named that has this skill."""
    text = f"a model, by default {usual}: `lookback list` shows all"
    parser.add_argument("--model", default=usual, metavar="NAME", help=text)
    options.checkpoints_from(parser)
    parser.set_defaults(skill=skill)


def _chosen(arguments: argparse.Namespace) -> Learner:
    """The model that was named; `ValueError` where it has not the skill."""
    from lookback.trainer.checkpoint import pretrained
    from lookback.trainer.recipe import recipe

    if arguments.skill not in recipe(arguments.model).learner.skills():
        raise ValueError(
            f"{arguments.model} cannot {arguments.skill}: "
            f"{', '.join(able(arguments.skill))} can"
        )
    return pretrained(arguments.model, arguments.where)


def able(skill: str) -> list[str]:
    """The models that have a skill."""
    from lookback.trainer.recipe import recipes

    return [n for n, recipe in recipes().items() if skill in recipe.learner.skills()]


def _generate(arguments: argparse.Namespace) -> int:
    from lookback.trainer import seeds

    model, generator = _chosen(arguments), seeds.generator(arguments.seed)
    known = model.vocabularies["words"]
    text = " ".join(arguments.start)
    start = read(text, known) if text else []
    written = model.generate(arguments.words, start=start, generator=generator)
    for sentence in written:
        print(" ".join(sentence))
    return 0


def _translate(arguments: argparse.Namespace) -> int:
    from lookback.trainer.data import TOKENIZERS
    from lookback.trainer.translation import TranslationLearner

    model = _chosen(arguments)
    tokenizers = TOKENIZERS.get(model.recipe.data.corpus, {})
    known, text = model.vocabularies["source"], " ".join(arguments.words)
    if isinstance(model, TranslationLearner):
        cut = tokenizers.get("source")
        source = read(text, known, keep=True, cut=cut)
        translation = model.explain(source, arguments.beam)
        target, remarks = list(translation.words), _remarks(translation, model)
    elif arguments.beam > 1:
        raise ValueError(f"{model.name} writes word by word: it searches no beam")
    else:
        remarks = list[str]()
        source = read(text, known)
        target = model.translate(source)
    if arguments.figure:
        if "attention" not in model.skills():
            raise ValueError(
                f"{model.name} has no attention: a figure needs one of "
                f"{', '.join(able('attention'))}"
            )
        _draw(arguments.figure, model, source, target)
    print(spelt(target, text) if tokenizers else " ".join(target))
    for remark in remarks:
        print(f"lookback: {remark}", file=sys.stderr)
    return 0


def _remarks(translation: Translation, model: TranslationLearner) -> list[str]:
    """What one should know of a translation, a line each."""
    source, unknown = translation.source, translation.unknown
    remarks = [f"read: {' '.join(source)}"] if unknown else []
    known = model.vocabularies["source"]
    entries = known.entries[len(known.specials) :]
    for word in unknown:
        became = f"; it became {' '.join(word.written)}" if word.written else ""
        near = nearest(word.word, entries)
        hint = f"; did you mean {near!r}?" if near else ""
        remarks.append(f"[{word.word}] is unknown, read as {word.read}{became}{hint}")
    if unknown and not hasattr(type(model), "bpe"):
        remarks.append("--model bpe-transformer reads any word of everyday English")
    longest = model.metadata["data"].get("longest", len(source))
    if len(source) > longest:
        remarks.append(
            f"these are {len(source)} words; no sentence that {model.name} learned "
            f"from had more than {longest}"
        )
    return remarks


def _align(arguments: argparse.Namespace) -> int:
    from lookback.trainer.data import TOKENIZERS

    if arguments.more:
        raise ValueError(
            "align takes two sentences, each in quotes: "
            'lookback align "the minister sleeps ." "le ministre dort ."'
        )
    model = _chosen(arguments)
    keep = hasattr(type(model), "bpe")  # it reads any word, piece by piece
    tokenizers = TOKENIZERS.get(model.recipe.data.corpus, {})
    source, target = (
        read(text, model.vocabularies[side], keep, tokenizers.get(side))
        for side, text in (("source", arguments.source), ("target", arguments.target))
    )
    if arguments.figure:
        _draw(arguments.figure, model, source, target)
    links = model.link(source, target)
    for t, word in enumerate(target):
        linked = [source[s] for s, other in sorted(links) if other == t]
        print(f"{word:15} {' '.join(linked) or '(no word)'}")
    return 0


def _draw(path: Path, model: Learner, source: list[str], target: list[str]) -> None:
    """Write the attention weights as a figure: SVG, PNG or PDF."""
    from matplotlib import rc_context

    from lookback.figures import alignment
    from lookback.trainer.translation import TranslationLearner

    if path.suffix not in FIGURES:
        raise ValueError(f"{path}: a figure ends in {', '.join(FIGURES)}")
    weights = model.attention(source, target)
    if isinstance(model, TranslationLearner):
        source, target = [*model.cut(source)], [*model.cut(target)]
    metadata = {} if path.suffix == ".png" else {FIGURES[path.suffix]: None}
    # Words stay words, and the same figure is the same bytes.
    with (
        rc_context({"svg.fonttype": "none", "svg.hashsalt": "lookback"}),
        options.whole(path) as file,
    ):
        figure = alignment(weights, source=source, target=target)
        figure.savefig(file, format=path.suffix[1:], metadata=metadata)
