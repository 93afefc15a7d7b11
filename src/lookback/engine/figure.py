"""Write figures as HTML: the drawing, its caption, its numbers, its frames."""

import html
import json
from typing import Any

from .search import EXCLUDE
from .worker import Output


def figure_html(output: Output, alt: str, caption: str = "") -> str:
    """Write a figure with its numbers folded under it.

    alt is text, escaped here; caption is HTML.

    What a script goes on with is the same inside an element that says what it needs.
    """
    if "settings" in output:
        still = {name: value for name, value in output.items() if name != "settings"}
        return _live(json.loads(output["settings"]), figure_html(still, alt, caption))
    if "frames" in output:
        return _frames(json.loads(output["frames"]), alt, caption)
    live = f' data-live="{output["live"]}"' if output.get("live") else ""
    return (
        f'<figure class="lb-figure"{live}><div class="lb-scroll" tabindex="0">'
        f"{_named(output['svg'], alt)}</div>{_caption(caption)}</figure>"
        f"{_numbers(output.get('numbers', ''))}"
    )


def _named(svg: str, alt: str) -> str:
    label = html.escape(" ".join(alt.split()), quote=True)
    shown = f'<svg role="img" aria-label="{label}" '
    return svg.replace("<svg ", shown, 1)


def _caption(caption: str) -> str:
    return f"<figcaption>{caption}</figcaption>" if caption else ""


def _numbers(tables: str) -> str:
    if not tables:
        return ""
    return (
        f'<details class="lb-numbers" {EXCLUDE}><summary>The numbers'
        f'</summary><div class="lb-html" tabindex="0">{tables}</div></details>'
    )


def _frames(frames: list[dict[str, str]], alt: str, caption: str) -> str:
    """Write all frames; those that are not chosen are hidden until the script runs.

    Their numbers are folded together, each part under its frame's label and place.
    """
    label = html.escape(" ".join(alt.split()), quote=True)
    shown, parts = "", ""
    for i, frame in enumerate(frames):
        name = f"<p>{html.escape(frame['label'], quote=False)}</p>"
        waits = "" if frame["chosen"] else " hidden"
        live = f' data-live="{frame["live"]}"' if frame.get("live") else ""
        drawing = _named(frame["svg"], frame["label"])
        shown += f'<div class="lb-frame"{live}{waits}>{name}{drawing}</div>'
        if tables := frame.get("numbers"):
            parts += f'<div data-frame="{i}"{waits}>{name}{tables}</div>'
    return (
        '<figure class="lb-figure lb-frames" data-live="frames">'
        f'<div class="lb-scroll lb-film" role="group" aria-label="{label}">{shown}'
        f"</div>{_caption(caption)}</figure>{_numbers(parts)}"
    )


def _live(settings: dict[str, Any], figure: str) -> str:
    """Wrap a figure for the script `live/live.js`, with the models and options."""
    models = html.escape(" ".join(settings["models"]))
    options = html.escape(json.dumps(settings["options"], ensure_ascii=False))
    return (
        f'<div class="lb-live" data-live="live" data-models="{models}" '
        f'data-options="{options}">{figure}<div class="lb-start"></div></div>'
    )


def diagram_html(markup: str, alt: str, caption: str = "") -> str:
    """Write a diagram, every form of it. alt is text, escaped here; caption is HTML."""
    label = html.escape(" ".join(alt.split()), quote=True)
    shown = f'<svg role="group" aria-label="{label}" '
    drawn = markup.replace("<svg ", shown)
    return f'<figure class="lb-figure lb-drawn">{drawn}{_caption(caption)}</figure>'
