"""Write figures as HTML: the drawing, its caption, its numbers, its frames."""

import html
import json
from collections.abc import Callable
from typing import Any

from .output import Output
from .search import EXCLUDE

Weights = Callable[[str], dict[str, Any]]
"""The name of a model → where its weights are, as `Weights.seen_from` tells."""


def figure_html(
    output: Output,
    alt: str,
    caption: str = "",
    file: str = "",
    weights: Weights = lambda name: {},
) -> str:
    """Write what a block drew as a figure, with its numbers folded under it.

    alt is text, escaped here; caption is HTML; file names what the numbers are saved
    as, without `.csv`; weights tells where those of a live figure's models are.

    A live figure is the one that it begins with, inside an element for its script.
    """
    if output.kind == "live":
        still = figure_html(output.parts[0], alt, caption, file)
        return _live(output, still, weights)
    kind, script, numbers = "lb-figure", output.script, output.numbers
    if output.kind == "diagram":  # every form of it
        kind, shown = "lb-figure lb-drawn", _named(output, alt)
    elif output.kind == "frames":
        kind, script = "lb-figure lb-frames", "frames"
        film, numbers = _frames(output)
        shown = f'<div class="lb-scroll lb-film" {_role("group", alt)}>{film}</div>'
    else:
        shown = f'<div class="lb-scroll" tabindex="0">{_named(output, alt)}</div>'
    if caption:
        shown += f"<figcaption>{caption}</figcaption>"
    figure = f'<figure class="{kind}"{_data(script)}>{shown}</figure>'
    if numbers:
        asks = _data("csv", file) if file else ""
        figure += (
            f'<details class="lb-numbers"{asks} {EXCLUDE}><summary>The numbers'
            f'</summary><div class="lb-html" tabindex="0">{numbers}</div></details>'
        )
    return figure


def _role(role: str, alt: str) -> str:
    return f'role="{role}" aria-label="{html.escape(" ".join(alt.split()))}"'


def _named(drawing: Output, alt: str) -> str:
    role = _role("group" if drawing.kind == "diagram" else "img", alt)
    if "<svg" not in drawing.text:  # a drawing of tables
        return f"<div {role}>{drawing.text}</div>"
    return drawing.text.replace("<svg ", f"<svg {role} ")


def _data(script: str, value: str = "") -> str:
    """Ask for a script, which may need a value."""
    given = f' data-{script}="{html.escape(value)}"' if value else ""
    return f' data-live="{script}"{given}' if script else ""


def _frames(output: Output) -> tuple[str, str]:
    """Write all frames; those that are not chosen are hidden until the script runs.

    Their numbers stand together, each part under its frame's label and place.
    """
    shown, numbers, settings = "", "", output.settings
    labels: list[str] = settings["labels"]
    for i, (label, frame) in enumerate(zip(labels, output.parts, strict=True)):
        name = f"<p>{html.escape(label, quote=False)}</p>"
        waits = "" if label in settings["chosen"] else " hidden"
        first = " data-first" * (label == settings["first"] != labels[-1])
        scroll = " data-scroll" * (settings["scroll"] and not i)
        asks = f"{_data(frame.script)}{first}{scroll}"
        shown += (
            f'<div class="lb-frame"{asks}{waits}>{name}{_named(frame, label)}</div>'
        )
        if frame.numbers:
            numbers += f'<div data-frame="{i}"{waits}>{name}{frame.numbers}</div>'
    return shown, numbers


def _live(output: Output, figure: str, weights: Weights) -> str:
    """Wrap a figure for the script `live/live.js`, with the models and options."""
    models = {name: weights(name) for name in output.settings["models"]}
    found = html.escape(json.dumps(models))
    options = html.escape(json.dumps(output.settings["options"], ensure_ascii=False))
    return (
        f'<div class="lb-live" data-live="live" data-models="{found}" '
        f'data-options="{options}">{figure}<div class="lb-start"></div></div>'
    )
