"""Write figures as HTML: the drawing, its caption, its numbers, its frames."""

import html
import json
from typing import Any

from .output import Output
from .search import EXCLUDE


def figure_html(output: Output, alt: str, caption: str = "", file: str = "") -> str:
    """Write what a block drew as a figure, with its numbers folded under it.

    alt is text, escaped here; caption is HTML; file names what the numbers are saved
    as, without `.csv`.

    What a script goes on with is the same inside an element that says what it needs.
    """
    if "settings" in output:
        still = {name: value for name, value in output.items() if name != "settings"}
        figure = figure_html(still, alt, caption, file)
        return _live(json.loads(output["settings"]), figure)
    kind, live = "lb-figure", output.get("live", "")
    numbers = output.get("numbers", "")
    if "diagram" in output:  # every form of it
        kind, shown = "lb-figure lb-drawn", _named(output["diagram"], "group", alt)
    elif "frames" in output:
        kind, live = "lb-figure lb-frames", "frames"
        film, numbers = _frames(json.loads(output["frames"]))
        shown = f'<div class="lb-scroll lb-film" {_role("group", alt)}>{film}</div>'
    else:
        drawing = _named(output["svg"], "img", alt)
        shown = f'<div class="lb-scroll" tabindex="0">{drawing}</div>'
    if caption:
        shown += f"<figcaption>{caption}</figcaption>"
    figure = f'<figure class="{kind}"{_data(live)}>{shown}</figure>'
    if numbers:
        asks = _data("csv", file) if file else ""
        figure += (
            f'<details class="lb-numbers"{asks} {EXCLUDE}><summary>The numbers'
            f'</summary><div class="lb-html" tabindex="0">{numbers}</div></details>'
        )
    return figure


def _role(role: str, alt: str) -> str:
    return f'role="{role}" aria-label="{html.escape(" ".join(alt.split()))}"'


def _named(drawing: str, role: str, alt: str) -> str:
    if "<svg" not in drawing:  # a drawing of tables
        return f"<div {_role(role, alt)}>{drawing}</div>"
    return drawing.replace("<svg ", f"<svg {_role(role, alt)} ")


def _data(live: str, value: str = "") -> str:
    """Ask for the script `live`, which may need a value."""
    given = f' data-{live}="{html.escape(value)}"' if value else ""
    return f' data-live="{live}"{given}' if live else ""


def _frames(frames: list[dict[str, str]]) -> tuple[str, str]:
    """Write all frames; those that are not chosen are hidden until the script runs.

    Their numbers stand together, each part under its frame's label and place.
    """
    shown, numbers = "", ""
    for i, frame in enumerate(frames):
        name = f"<p>{html.escape(frame['label'], quote=False)}</p>"
        waits = "" if frame["chosen"] else " hidden"
        live = _data(frame.get("live", "")) + "".join(
            f" data-{name}" for name in ("first", "scroll") if name in frame
        )
        drawing = (
            _named(frame["diagram"], "group", frame["label"])
            if "diagram" in frame
            else _named(frame["svg"], "img", frame["label"])
        )
        shown += f'<div class="lb-frame"{live}{waits}>{name}{drawing}</div>'
        if tables := frame.get("numbers"):
            numbers += f'<div data-frame="{i}"{waits}>{name}{tables}</div>'
    return shown, numbers


def _live(settings: dict[str, Any], figure: str) -> str:
    """Wrap a figure for the script `live/live.js`, with the models and options."""
    models = html.escape(" ".join(settings["models"]))
    options = html.escape(json.dumps(settings["options"], ensure_ascii=False))
    return (
        f'<div class="lb-live" data-live="live" data-models="{models}" '
        f'data-options="{options}">{figure}<div class="lb-start"></div></div>'
    )
