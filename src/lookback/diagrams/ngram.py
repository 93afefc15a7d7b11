"""Draw Kneser–Ney after one context: what each count gives up, who receives it."""

from collections.abc import Mapping

import numpy as np

from lookback.diagrams.hmm import weighed
from lookback.figures.diagram import Diagram, Panel
from lookback.ngram import END, START, KneserNey, NgramModel

CORPUS = ("San Francisco",) * 3 + ("new glasses", "reading glasses")
WORDS = ("San", "new", "reading", "Francisco", "glasses", END)
D = 2 / 3
KS = range(1, len(WORDS) + 1)


def fitted() -> NgramModel:
    """Fit bigrams to the ten words of the chapter, with the one discount 2/3."""
    return NgramModel(2, KneserNey(D)).fit([s.split() for s in CORPUS])


def numbers() -> dict[str, float]:
    """Compute a sentence's first shares, before (c) and after (p), and what moved."""
    model = fitted()
    counts, lower = model.counts, model.counts.total[()]
    total = counts.total[START,]
    freed = counts.freed[START,] / total
    found = {"pool": freed}
    for k, word in zip(KS, WORDS, strict=True):
        c = counts.count.get((START, word), 0)
        found[f"c{k}"] = c / total
        found[f"p{k}"] = model.score(word, [START])
        found[f"c{k} pool"] = D / total if c else 0.0
        found[f"pool p{k}"] = freed * counts.count[word,] / lower
    return found


def panel() -> Panel:
    """Draw shares of the counts, what is taken off, probabilities, top to bottom."""
    known, lines = numbers(), list[str]()
    rows = [
        "pool | op | each gives up 0.133; / 0.4 in all goes to the others | freed",
        "lc | left | share of counts",
        "lp | left | Kneser–Ney",
        "lw | left | next word",
    ]
    for k, word in zip(KS, WORDS, strict=True):
        name = "(end)" if word == END else word
        rows += [f"w{k} | name | {name}", f"p{k} | bars c0 | | score"]
        lines.append(f"pool ~> p{k} | c1")
        if known[f"c{k}"]:
            rows += [f"v{k} | name | {name}", f"c{k} | bars c4 | | share"]
            lines.append(f"c{k} ~> pool | c1")
    shown = {n: [v] for n, v in known.items() if " " not in n and n != "pool" and v}
    return Panel(
        boxes="\n".join(rows),
        grid="""
         | 14 150 250 350 446 532 602
         lw v1 v2 v3 . . .
         -18
         lc c1 c2 c3 . . .
         +16
         . . . pool . . .
         +16
         lp p1 p2 p3 p4 p5 p6
         -14
         . w1 w2 w3 w4 w5 w6
        """,
        phone="""
         | 32 86 138 192 246 300
         v1 v2 v3 . . .
         -14
         c1 c2 c3 . . .
         +10
         . . pool . . .
         +10
         p1 p2 p3 p4 p5 p6
         -12
         w1 . w3 . w5 .
         -12
         . w2 . w4 . w6
        """,
        arrows="\n".join(lines),
        numbers=shown,
        weights={pair: known[pair] for pair in known if " " in pair},
        says={"c": "share of the counts", "p": "probability", "v": "word", "w": "word"},
        links={"pool": "ngram#eq-8"},
    )


def hold(panel: Panel, known: Mapping[str, float]) -> Panel:
    """Return the panel if it shows what the model computes, and nothing is lost.

    Raises ValueError for a bar or an arrow that says something else.
    """
    for name, values in panel.numbers.items():
        (value,) = np.asarray(values, dtype=float).tolist()
        if abs(value - known[name]) > 1e-9:
            raise ValueError(f"{name} is drawn as {value}, but it is {known[name]}")
    for k in KS:
        moved = known[f"c{k}"] - known[f"c{k} pool"] + known[f"pool p{k}"]
        if abs(moved - known[f"p{k}"]) > 1e-9:
            raise ValueError(f"p{k} is {known[f'p{k}']}, but {moved} arrives there")
    return weighed(panel, {n: v for n, v in known.items() if " " in n and v})


def draw() -> Diagram:
    return Diagram(hold(panel(), numbers()), about=("lookback.ngram:KneserNey",))
