"""Draw two linear models: a word, its features, their weights, the sum that decides."""

from collections.abc import Mapping

import numpy as np

from lookback.features import LinearModel, LinearSVM, NaiveBayes
from lookback.figures.diagram import Diagram, Panel

EXAMPLES = (
    ("before=the suffix=s", "NOUN"),  # the dogs
    ("before=the suffix=t", "NOUN"),  # the cat
    ("before=the suffix=s", "NOUN"),  # the houses
    ("before=she suffix=s", "VERB"),  # she runs
    ("before=she suffix=s", "VERB"),  # she sleeps
    ("before=they suffix=t", "VERB"),  # they eat
)
ROW = ("before=the", "suffix=s")  # the zorps
MODELS: dict[str, LinearModel] = {
    "Naive Bayes": NaiveBayes(1.0),
    "linear SVM": LinearSVM(1.0, "hinge", 200),
}


def fitted(model: LinearModel) -> LinearModel:
    """Fit the model to the six examples of the chapter."""
    rows = [row.split() for row, _ in EXAMPLES]
    return model.fit(rows, [tag for _, tag in EXAMPLES])


def numbers(model: LinearModel) -> dict[str, float]:
    """Compute weights of "the zorps", bias and sum, for NOUN less VERB."""
    noun, verb = (model.classes.index(tag) for tag in ("NOUN", "VERB"))
    found = {"bias": float(model.b[noun] - model.b[verb])}
    for name, feature in zip(("before", "suffix"), ROW, strict=True):
        W = model.W[model.columns[feature]]
        found[name] = float(W[noun] - W[verb])
    s = model.scores([ROW])[0]
    return {**found, "sum": float(s[noun] - s[verb])}


def panel(title: str, known: Mapping[str, float]) -> Panel:
    """Draw words, two templates, three weights, their sum, the tag, bottom to top."""
    said = {name: signed(value) for name, value in known.items()}
    answer = "NOUN" if known["sum"] > 0 else "VERB"
    return Panel(
        title=title,
        boxes=f"""
         a1  | name | the
         a2  | name | zorps
         t1  | op slim | template / before | TEMPLATES
         t2  | op slim | template / suffix | TEMPLATES
         f1  | name | before=the
         f2  | name | suffix=s
         w1  | learned slim | weight / {said["before"]} | W
         w2  | learned slim | weight / {said["suffix"]} | W
         w0  | learned slim | bias / {said["bias"]} | W
         sum | plus | | scores
         s   | name | {said["sum"]}
         y   | name | {answer}
        """,
        grid="""
         | 58 164 266
         . y .
         -6
         . s .
         . sum .
         +10
         w1 w2 w0
         f1 f2 .
         -4
         t1 t2 .
         a1 a2 .
        """,
        arrows="""
         a1 -> t1 -> f1 -> w1 -> sum
         a2 -> t2 -> f2 -> w2 -> sum
         w0 -> sum -> s
        """,
        links={"sum": "features#eq-1"},
    )


def signed(value: float) -> str:
    """Format a number with two decimals and the sign that mathematics has."""
    digits = f"{abs(value):.2f}"
    sign = "" if float(digits) == 0 else "−" if value < 0 else "+"
    return sign + digits


def hold(known: Mapping[str, float]) -> Mapping[str, float]:
    """Return the numbers if what is drawn as a sum is one; else raise ValueError."""
    total = known["before"] + known["suffix"] + known["bias"]
    if not np.isclose(total, known["sum"]):
        raise ValueError(f"the sum is drawn as {known['sum']}, but it is {total}")
    return known


def draw() -> Diagram:
    """Draw both models, side by side: the same sum of other weights."""
    panels = (
        panel(title, hold(numbers(fitted(model)))) for title, model in MODELS.items()
    )
    return Diagram(
        *panels, about=("lookback.features:NaiveBayes", "lookback.features:LinearSVM")
    )
