"""Describe a figure that scripts go on with: trained models, live in the page."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from matplotlib.figure import Figure

from lookback.figures.frames import Frames

KINDS = ("translator", "next", "step", "tree", "vectors", "gates")
STARTS = ("click", "sight")

Example = Mapping[str, Any]


class Live:
    """Hold a drawing, and the models that move it where a script runs.

    still    what everybody sees first, and who has no script or no weights for good
    systems  name of a trained model → what it is called
    """

    def __init__(
        self,
        kind: str,
        *,
        systems: Mapping[str, str],
        sentence: Sequence[str],
        still: Figure | Frames,
        examples: Sequence[Example] = (),
        lengths: Sequence[Example] = (),
        first: str = "",
        start: str = "click",
        heads: bool = False,
        at: int = 0,
        unsure: Mapping[str, float] | None = None,
        verb: str = "",
    ) -> None:
        """Set what the script `docs/live/{kind}.js` is given.

        kind      one of KINDS
        sentence  the words that the drawing shows: the script begins with them
        examples  sentences to pick: {"source": words, "target": words, "about": why}
        lengths   one sentence of each length for a slider, in this order
        first     the system that is loaded first; without it the first one
        start     "click": weights are loaded when the reader presses the button, which
                  says how large they are; "sight": when the figure comes into sight
        heads     can attention heads be looked at one by one, and switched off?
        at        the step that is shown first, from 0
        unsure    name of a model → the mean ln P of a word, or of a piece of one, below
                  which a translation has a warning
        verb      what the button says, before the size; without it the kind's own words
        Raises ValueError for another kind or start, and for no system or sentence.
        """
        for name, value, known in (("kind", kind, KINDS), ("start", start, STARTS)):
            if value not in known:
                raise ValueError(f"{name} is {value!r}: expected one of {known}")
        if not systems or not sentence:
            raise ValueError("expected at least one system, and a sentence with words")
        if first and first not in systems:
            raise ValueError(f"first is {first!r}: expected one of {[*systems]}")
        self.still, self.systems = still, dict(systems)
        self.options: dict[str, Any] = {
            "kind": kind,
            "systems": self.systems,
            "sentence": list(sentence),
            "first": first or next(iter(systems)),
            "start": start,
        }
        more = {
            "examples": list(examples),
            "lengths": list(lengths),
            "heads": heads,
            "at": at,
            "unsure": dict(unsure or {}),
            "verb": verb,
        }
        self.options |= {name: value for name, value in more.items() if value}

    def settings(self) -> dict[str, Any]:
        """Return the models and the options that the script is given."""
        return {"models": list(self.systems), "options": self.options}

    def __repr__(self) -> str:
        return f"<live {self.options['kind']}: {', '.join(self.systems)}>"

    def _ipython_display_(self) -> None:
        """Display the drawing in a notebook."""
        import_module("IPython.display").display(self.still)
