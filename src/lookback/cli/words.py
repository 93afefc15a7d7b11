"""`lookback generate`, `translate`, `align`: models at work on words of yours."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lookback.workshop import seeds
from lookback.workshop.checkpoints import Pretrained, pretrained
from lookback.workshop.data import CUT
from lookback.workshop.makers import Aligns, Generates, Translates, maker_of
from lookback.workshop.recipes import RECIPES, known
from lookback.workshop.translating import Translation, TranslationMaker

from . import options
from .reading import read, spelt

if TYPE_CHECKING:
    from .options import Commands

GENERATE = """\
  lookback generate                          thirty words, the same each time
  lookback generate --seed 1 --words 100     other words, and more of them
  lookback generate --start "the value of"   how the first sentence begins"""
TRANSLATE = """\
  lookback translate "the minister sleeps ."
  lookback translate "Where is the station?" --model bahdanau-tatoeba
                        a network that learnt from sentences of people
  lookback translate "the minister sleeps ." --figure out.svg
                        also draws which word looks at which
  lookback translate "the zebra sleeps ." --beam 5
                        keeps five hypotheses, and unknown words"""
TRANSLATOR = "bahdanau"  # who translates, unless another is named
FIGURES = {".svg": "Date", ".pdf": "CreationDate", ".png": ""}  # each with its date
ALIGN = """\
  lookback align "the minister sleeps ." "le ministre dort ."
  lookback align "the minister sleeps ." "le ministre dort ." --figure out.svg"""


def able(ability: type) -> list[str]:
    """The models that can do that."""
    return [n for n, recipe in RECIPES.items() if isinstance(maker_of(recipe), ability)]


def add_to(commands: Commands) -> None:
    """Add the commands that some model can do."""
    if able(Generates):
        parser = options.add(
            commands, "generate", _generate, "let a model write", GENERATE
        )
        parser.add_argument("--words", type=options.number(1), default=30)
        parser.add_argument("--seed", type=options.number(0), default=0)
        parser.add_argument("--start", default="", metavar="WORDS")
        _model(parser, Generates)
    if able(Translates):
        parser = options.add(
            commands,
            "translate",
            _translate,
            "translate English into French",
            TRANSLATE,
        )
        parser.add_argument("text", metavar="SENTENCE")
        parser.add_argument("--figure", type=Path, metavar="FILE.svg")
        parser.add_argument("--beam", type=options.number(1), default=1, metavar="N")
        _model(parser, Translates, TRANSLATOR)
    if able(Aligns):
        parser = options.add(
            commands, "align", _align, "tell which word comes from which", ALIGN
        )
        parser.add_argument("source", metavar="ENGLISH")
        parser.add_argument("target", metavar="FRENCH")
        parser.add_argument("--figure", type=Path, metavar="FILE.svg")
        _model(parser, Aligns)


def _model(
    parser: argparse.ArgumentParser, ability: type, usual: str | None = None
) -> None:
    """Let a model be named; if none is, it is the usual one, or the first."""
    names = able(ability)
    default = usual if usual in names else names[0]
    parser.add_argument(
        "--model", default=default, metavar="NAME", help=", ".join(names)
    )
    options.checkpoints_from(parser)
    parser.set_defaults(ability=ability)


def _asked(words: argparse.Namespace) -> Pretrained:
    """The model that was asked for."""
    name = words.model
    if known("model", name, RECIPES) not in able(words.ability):
        raise ValueError(
            f"{name} is no model that does this: {', '.join(able(words.ability))}"
        )
    return pretrained(name, words.where)


def _generate(words: argparse.Namespace) -> int:
    found = _asked(words)
    maker = maker_of(found.recipe)
    assert isinstance(maker, Generates)
    known_words, chance = found.vocabularies, seeds.generator(words.seed)
    start = read(words.start, known_words["words"]) if words.start else []
    written = maker.generate(found.model, known_words, words.words, start, chance)
    for sentence in written:
        print(" ".join(sentence))
    return 0


def _translate(words: argparse.Namespace) -> int:
    found = _asked(words)
    maker = maker_of(found.recipe)
    assert isinstance(maker, Translates)
    cut = CUT.get(found.recipe.data.corpus, {})
    if isinstance(maker, TranslationMaker):
        known_words = found.vocabularies["source"]
        source = read(words.text, known_words, keep=True, cut=cut.get("source"))
        told = maker.explain(found.model, found.vocabularies, source, words.beam)
        target, remarks = list(told.words), _remarks(told, found)
    elif words.beam > 1:
        raise ValueError(f"{found.name} writes word by word: it searches no beam")
    else:
        remarks = list[str]()
        source = read(words.text, found.vocabularies["source"])
        target = maker.translate(found.model, found.vocabularies, source)
    if words.figure:
        if not isinstance(maker, Aligns):
            raise ValueError(
                f"{found.name} looks at no word: a figure needs one of "
                f"{', '.join(able(Aligns))}"
            )
        _draw(words.figure, maker, found, source, target)
    print(spelt(target, words.text) if cut else " ".join(target))
    for remark in remarks:
        print(f"lookback: {remark}", file=sys.stderr)
    return 0


def _remarks(told: Translation, found: Pretrained) -> list[str]:
    """What one should know of a translation, a line each."""
    remarks = [f"read: {' '.join(told.source)}"] if told.unknown else []
    entries = found.vocabularies["source"].entries
    for unknown in told.unknown:
        wrote = f"; it became {' '.join(unknown.wrote)}" if unknown.wrote else ""
        near = difflib.get_close_matches(unknown.word, entries, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        remarks.append(
            f"[{unknown.word}] is unknown, read as {unknown.read}{wrote}{hint}"
        )
    longest = found.card["data"].get("longest", len(told.source))
    if len(told.source) > longest:
        remarks.append(
            f"these are {len(told.source)} words; none that {found.name} learnt from "
            f"had more than {longest}"
        )
    return remarks


def _align(words: argparse.Namespace) -> int:
    found = _asked(words)
    maker = maker_of(found.recipe)
    assert isinstance(maker, Aligns)
    cut = CUT.get(found.recipe.data.corpus, {})
    source, target = (
        read(text, found.vocabularies[side], cut=cut.get(side))
        for side, text in (("source", words.source), ("target", words.target))
    )
    if words.figure:
        _draw(words.figure, maker, found, source, target)
    links = maker.align(found.model, found.vocabularies, source, target)
    for t, word in enumerate(target):
        told = [source[s] for s, other in sorted(links) if other == t]
        print(f"{word:16}{' '.join(told) or '(no word)'}")
    return 0


def _draw(
    path: Path, maker: Aligns, found: Pretrained, source: list[str], target: list[str]
) -> None:
    """Write the weights between two sentences as a figure: SVG, PNG or PDF."""
    from matplotlib import rc_context

    from lookback.figures import alignment

    if path.suffix not in FIGURES:
        raise ValueError(f"{path}: a figure ends in {', '.join(FIGURES)}")
    weights = maker.weights(found.model, found.vocabularies, source, target)
    metadata = {} if path.suffix == ".png" else {FIGURES[path.suffix]: None}
    try:
        # Words stay words, and the same figure is the same bytes.
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "lookback"}):
            figure = alignment(weights, source=source, target=target)
            figure.savefig(path, metadata=metadata)
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from error
