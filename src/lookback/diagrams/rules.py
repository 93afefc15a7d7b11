"""Draw the machine of rules: the row of words after dictionary and each rule."""

from lookback.figures.diagram import Diagram, Panel
from lookback.rules import RULES, RuleTranslator, Word, read_dictionary

SENTENCE = "mary has not signed the french law of the ministers ."
DICTIONARY = """
mary PROPN marie
has AUX a
not PART pas
signed VERB +a signé
the DET le/la/les/les
french ADJ français/française/français/françaises
law NOUN,f loi
of ADP de
ministers NOUN,mp ministres
. PUNCT .
"""


def rows() -> dict[str, list[Word]]:
    """Compute the row of the sentence after the dictionary and after each rule."""
    machine = RuleTranslator(read_dictionary(DICTIONARY.strip().splitlines()))
    return machine.steps(SENTENCE.split())


def written(row: list[Word]) -> str:
    """Format a row in two lines."""
    words = [word for word in row if word.forms]
    half = [word.tag for word in words].index("DET")
    first, second = words[:half], words[half:]
    return " / ".join(" ".join(word.form for word in part) for part in (first, second))


def panel() -> Panel:
    """Draw English, the dictionary and the rules, each with the row it returns."""
    english = SENTENCE.split()
    boxes = [f"t | left | {' '.join(english[:4])} / {' '.join(english[4:])}"]
    boxes += [f"d | learned | dictionary | {len(english)}"]
    boxes += [f"r{n} | op | {rule.name} | {n}" for n, rule in enumerate(RULES, 1)]
    boxes += [f"t{n} | left | {written(row)}" for n, row in enumerate(rows().values())]
    last = len(RULES)
    lines = ["  . t", "  d t0", *(f"  r{n} t{n}" for n in range(1, last + 1))]
    return Panel(
        boxes="\n".join(boxes),
        grid="\n".join(["  | 60 140", *lines]),
        arrows=" -> ".join(["d", *(f"r{n}" for n in range(1, last + 1))]),
        says={"t": "row of words"},
    )


def hold(panel: Panel) -> Panel:
    """Return the panel if each row is the machine's, and each rule has its box.

    Raises ValueError for a row or a name that is another.
    """
    for n, (name, row) in enumerate(rows().items()):
        text = panel.table[f"t{n}"].label
        if text != written(row):
            raise ValueError(
                f"after {name} {text!r} is drawn, but it is {written(row)!r}"
            )
        box = panel.table[f"r{n}" if n else "d"].label
        if box != name:
            raise ValueError(f"{box} is drawn where {name} comes")
    return panel


def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.rules:RuleTranslator",))
