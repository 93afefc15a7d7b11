"""Draw two trees of one sentence: what *with forks* hangs from."""

from lookback.diagrams.hmm import weighed
from lookback.figures.diagram import Diagram, Panel
from lookback.pcfg import PCFG
from lookback.trees import Tree, children, is_leaf, label_of

RULES: dict[tuple[str, ...], float] = {
    ("S", "NP", "VP"): 1.0,
    ("VP", "V", "NP"): 1 / 2,
    ("VP", "VP", "PP"): 1 / 2,
    ("NP", "NP", "PP"): 1 / 4,
    ("PP", "P", "NP"): 1.0,
}
LEXICON = {
    ("NP", "she"): 1 / 4,
    ("NP", "fish"): 1 / 4,
    ("NP", "forks"): 1 / 4,
    ("V", "eats"): 1.0,
    ("P", "with"): 1.0,
}
SENTENCE = ("she", "eats", "fish", "with", "forks")
SHE: Tree = ("NP", "she")
FORKS: Tree = ("PP", ("P", "with"), ("NP", "forks"))
VERB: Tree = (
    "S", SHE, ("VP", ("VP", ("V", "eats"), ("NP", "fish")), FORKS)
)  # fmt: skip
NOUN: Tree = (
    "S", SHE, ("VP", ("V", "eats"), ("NP", ("NP", "fish"), FORKS))
)  # fmt: skip
TREES = {"she eats with forks": VERB, "the fish has forks": NOUN}

GRID = {
    "she eats with forks": """
     | 40 100 160 220 280 340 400 460 520
     . . s . . . . . .
     n1 . . . . vp1 . . .
     . . . vp2 . . . pp .
     . . v . n2 . p . n3
     w1 . w2 . w3 . w4 . w5
    """,
    "the fish has forks": """
     | 40 100 160 220 280 340 400 460 520
     . . s . . . . . .
     n1 . . . vp1 . . . .
     . . v . . . np . .
     . . . . n2 . . pp .
     . . . . . . p . n3
     w1 . w2 . w3 . w4 . w5
    """,
}


def toy() -> PCFG:
    """Build the grammar that the chapter works out by hand."""
    return PCFG.from_parameters(RULES, LEXICON)


def names(tree: Tree) -> dict[str, Tree]:
    """Name each node of the drawing: name → the tree under it."""
    found: dict[str, Tree] = {}
    many = {"VP": 0, "NP": 0}

    def go(node: Tree) -> None:
        label = label_of(node)
        if is_leaf(node):
            i = SENTENCE.index(str(node[1])) + 1
            name = {"NP": f"n{(i + 1) // 2}", "V": "v", "P": "p"}[label]
        else:
            many[label] = many.get(label, 0) + 1
            name = f"vp{many['VP']}" if label == "VP" else label.lower()
        found[name] = node
        for child in children(node):
            go(child)

    go(tree)
    return found


def lines(tree: Tree) -> dict[str, float]:
    """Compute "a b" → the probability of the rule at a, for each child and word b."""
    model, nodes = toy(), names(tree)
    rules = dict[tuple[str, ...], float](model.rules)
    rules.update({(A, word): p for (A, word), p in model.lexicon.items()})
    found = {}
    for name, node in nodes.items():
        if is_leaf(node):
            word = str(node[1])
            found[f"{name} w{SENTENCE.index(word) + 1}"] = rules[label_of(node), word]
            continue
        p = rules[label_of(node), *map(label_of, children(node))]
        for child in children(node):
            (below,) = [n for n, other in nodes.items() if other is child]
            found[f"{name} {below}"] = p
    return found


def panel(title: str) -> Panel:
    """Draw one tree, each line as wide as its rule is likely."""
    tree = TREES[title]
    rows = [
        f"{n} | learned | {label_of(node)} | {label_of(node)}"
        for n, node in names(tree).items()
    ]
    rows += [f"w{i} | word bold | {word} | {i}" for i, word in enumerate(SENTENCE, 1)]
    known = lines(tree)
    return Panel(
        title=title,
        boxes="\n".join(rows),
        grid=GRID[title],
        arrows="\n".join(f"{pair.replace(' ', ' -> ')} | c1" for pair in known),
        weights=known,
        says={"vp": "VP", "n": "NP", "np": "NP", "w": "word"},
        gap=20,
    )


def hold(panel: Panel) -> Panel:
    """Return the panel if its lines are a tree's that the grammar finds possible."""
    return weighed(panel, lines(TREES[panel.title]))


def draw() -> Diagram:
    return Diagram(
        *(hold(panel(title)) for title in TREES), about=("lookback.pcfg:PCFG",)
    )
