"""Draw a translation as a way through hypotheses, each a phrase longer."""

from lookback.figures.diagram import Diagram, Panel
from lookback.ngram import NgramModel
from lookback.phrases import Option
from lookback.stack_decoder import (
    FEATURES,
    Hypothesis,
    LanguageModel,
    StackDecoder,
)

SOURCE = ("the", "blue", "car")
TABLE = {
    ("the",): {"la": -1, "le": -1},
    ("blue",): {"bleue": -2, "bleu": -1},
    ("car",): {"voiture": -1},
    ("blue", "car"): {"voiture bleue": -2},
}
AFTER = {
    "<s>": {"la": -1, "le": -1},
    "la": {"voiture": -1},
    "le": {"bleu": -1},
    "voiture": {"bleue": -1, "</s>": -2},
    "bleue": {"</s>": -1},
    "bleu": {"</s>": -1},
}
ALONE, NEVER = -3, -4
"""Of a word if nothing is known of what precedes it, and of any other pair of words."""


class Phrases:
    """Hold the phrases of the chapter's example."""

    max_length = 2

    def options(self, phrase: tuple[str, ...]) -> tuple[Option, ...]:
        found = TABLE.get(phrase, {})
        return tuple(
            Option(tuple(e.split()), (float(n), 0.0, 0.0, 0.0))
            for e, n in found.items()
        )


class Pairs(LanguageModel):
    """Score pairs of words with whole numbers; a word is a state."""

    def __init__(self) -> None:
        self.start = ("<s>",)

    def step(self, state: tuple[str, ...], word: str) -> tuple[float, tuple[str, ...]]:
        score = AFTER.get(state[-1], {}).get(word, NEVER) if state else ALONE
        return float(score), (word,)


def toy(beam: int = 10) -> StackDecoder:
    """Build the example's decoder: three features, each with the weight 1."""
    weights = {FEATURES[0]: 1.0, "language model": 1.0, "distortion": 1.0}
    decoder = StackDecoder(Phrases(), NgramModel(2), weights, beam=beam)
    decoder.language = Pairs()
    return decoder


def marks(covered: int) -> str:
    """List the translated words of the source, a dot for each of the others."""
    return " ".join(w if covered >> i & 1 else "·" for i, w in enumerate(SOURCE))


NODES = {
    "s": "",
    "a": "la",
    "b": "le",
    "c": "la voiture",
    "g": "la voiture bleue",
    "h": "la voiture bleue",
}
"""Name in the drawing → what has been written; `g` by a phrase, `h` word by word."""
BEST = ("s a", "a g")


def hypotheses() -> dict[str, Hypothesis]:
    """Find the hypotheses of a run that are drawn, by their names."""
    every = [h for stack in toy().stacks(SOURCE) for h in stack.values()]
    found: dict[str, Hypothesis] = {}
    for name, text in NODES.items():
        same = [h for h in every if " ".join(words(h)) == text]
        found[name] = min(same, key=lambda h: h.at) if name == "h" else same[0]
    return found


def words(hypothesis: Hypothesis) -> tuple[str, ...]:
    """Collect the words on the best way to a hypothesis."""
    if not hypothesis.edges:
        return ()
    _, before, option, _ = max(hypothesis.edges, key=lambda edge: edge[0])
    return (*words(before), *option.target)


def known() -> set[tuple[str, str]]:
    """Find the arrows between these hypotheses: each is a phrase that was appended."""
    found = hypotheses()
    names = {id(h): name for name, h in found.items()}
    return {
        (names[id(edge[1])], name)
        for name, h in found.items()
        for edge in h.edges
        if id(edge[1]) in names
    }


def label(hypothesis: Hypothesis) -> str:
    """Write what is translated, what was written, and what it scores."""
    text = " ".join(words(hypothesis)) or "start"
    score = f"{hypothesis.score:.0f}".replace("-", "−")
    return f"{marks(hypothesis.covered)} / {text} / {score}"


def panel() -> Panel:
    """Draw hypotheses by the number of words that are translated, left to right."""
    boxes = [
        f"{name} | {'learned' if name in 'sag' else 'op'} | {label(h)} | {name}"
        for name, h in hypotheses().items()
    ]
    heads = ("none", "1 word", "2 words", "3 words")
    boxes += [f"t{n} | name | {text}" for n, text in enumerate(heads)]
    best = [f"{pair.replace(' ', ' -/> ')} | c1" for pair in BEST]
    others = [f"{a} -/> {b}" for a, b in sorted(known()) if f"{a} {b}" not in BEST]
    return Panel(
        boxes="\n".join(boxes),
        grid="""
         | 40 170 330 520
         t0 t1 t2 t3
         . a . g
         +12
         s b . .
         +12
         . . c h
        """,
        phone="""
         | 80 240
         s .
         +16
         a b
         +16
         c g
         +16
         h .
        """,
        arrows="\n".join([*best, *others]),
    )


def hold(panel: Panel) -> Panel:
    """Return the panel if its boxes and arrows are those of the run, none missing.

    Raises ValueError for a label, or an arrow, that says something else.
    """
    for name, hypothesis in hypotheses().items():
        if panel.table[name].label != label(hypothesis):
            raise ValueError(
                f"{name} is drawn as {panel.table[name].label!r}, but it is "
                f"{label(hypothesis)!r}"
            )
    drawn = {(arrow.start, arrow.end) for arrow in panel.lines}
    if drawn != known():
        raise ValueError(f"these arrows are wrong: {sorted(drawn ^ known())}")
    return panel


def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.stack_decoder:StackDecoder",))
