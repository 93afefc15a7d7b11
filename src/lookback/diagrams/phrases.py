"""Draw the way from two alignments to a phrase table, with one pair's numbers."""

from lookback.figures.diagram import Diagram, Panel
from lookback.phrases import PhraseTable, extract_phrases, flipped, symmetrise

PAIR = (
    ("german", "minister", "used", "to", "love"),
    ("ministre", "allemand", "aimait"),
)
FORWARD = {(0, 1), (1, 0), (4, 2)}
BACKWARD = {(1, 0), (0, 1), (2, 2), (2, 3), (2, 4)}  # as (target, source)


def counted() -> dict[str, int]:
    """Count the links and phrase pairs of each step."""
    source, target = PAIR
    home = flipped(BACKWARD)
    links = symmetrise(FORWARD, home)
    found = extract_phrases(links, len(source), len(target))
    table = PhraseTable.fit([PAIR], [links])
    return {
        "a": len(FORWARD),
        "b": len(home),
        "s": len(links),
        "p": len(found),
        "t": len(table),
    }


def panel() -> Panel:
    """Draw two alignments; one out of them, its phrase pairs, and the table."""
    known = counted()
    boxes = f"""
    fm | learned | HMM / English to French | forward
    bm | learned | HMM / French to English | backward
    a | left | {known["a"]} links
    b | left | {known["b"]} links
    sy | op | symmetrise | symmetrise
    s | left | {known["s"]} links
    ex | op | extract phrases | extract_phrases
    p | left | {known["p"]} phrase pairs
    ta | op | phrase table | PhraseTable.fit
    t | left | {known["t"]} × 4 numbers
    """
    grid = """
     | 100 262 400 480
     fm a bm b
     +20
     sy s
     ex p
     ta t
    """
    phone = """
     | 84 236
     a b
     fm bm
     +10
     sy s
     ex p
     ta t
    """
    return Panel(
        boxes=boxes,
        grid=grid,
        phone=phone,
        arrows="fm -> sy\nbm -> sy\nsy -> ex -> ta",
        says={"a": "links", "b": "links"},
        links={"ex": "phrases#eq-1", "ta": "phrases#eq-2"},
    )


def hold(panel: Panel) -> Panel:
    """Return the panel if its numbers are those of a run.

    Raises ValueError for a number that is another.
    """
    for name, number in counted().items():
        label = panel.table[name].label
        if str(number) not in label.split():
            raise ValueError(f"{label!r} is drawn, but the run has {number}")
    return panel


def draw() -> Diagram:
    return Diagram(hold(panel()), about=("lookback.phrases:PhraseTable",))
