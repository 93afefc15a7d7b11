"""Labels of a diagram: words, and symbols between $ signs, as SVG text and its width.

`$d_{model}$`, `$W^Q$`, `$\\alpha_{ij}$`: letters become italics, scripts are lowered or
raised. `\\text{softmax}` stays upright. A label's lines are separated by ` / `.
"""

import html
import re
from dataclasses import dataclass

from lookback.figures.diagram_letters import BOLD, italic, width

SYMBOL = 1.18  # symbols are so much larger than the words around them
SCRIPT = 0.72
SIGNS = {
    "alpha": "α", "beta": "β", "sigma": "σ", "theta": "θ", "omega": "ω", "mu": "μ",
    "cdot": "·", "times": "×", "odot": "⊙", "oplus": "⊕", "to": "→", "sqrt": "√",
    "sum": "Σ", "infty": "∞", "dots": "…", "vdots": "⋮", "leftarrow": "←",
    "tilde": "\u0303", "prime": "′",
}  # fmt: skip
_TOKEN = re.compile(r"\\text\{([^}]*)\}|\\(\w+)|([_^])(?:\{([^}]*)\}|(\S))|(.)")


@dataclass(frozen=True)
class Run:
    """Characters of one font and size, raised by `up` and moved by `by` pixels."""

    text: str
    size: float
    symbol: bool = False
    up: float = 0.0
    by: float = 0.0

    def wide(self, bold: bool) -> float:
        shown = self.text.replace("\u0303", "")
        factor = BOLD if bold and not self.symbol else 1
        return width(shown, self.size, "symbols" if self.symbol else "words") * factor


@dataclass(frozen=True)
class Line:
    """One line of a label."""

    runs: tuple[Run, ...]
    size: float
    bold: bool = False

    @property
    def width(self) -> float:
        return sum(run.wide(self.bold) + run.by for run in self.runs)

    def svg(self, x: float, y: float, style: str = "", anchor: str = "middle") -> str:
        """The text with its middle, or its start, at x, and its baseline at y."""
        height, parts = 0.0, []
        for run in self.runs:
            attributes = ' class="y"' if run.symbol else ""
            if run.up != height:
                attributes += f' dy="{number(height - run.up)}"'
            if run.by:
                attributes += f' dx="{number(run.by)}"'
            if run.size != self.size:
                attributes += f' font-size="{number(run.size)}"'
            text = html.escape(run.text, quote=False)
            parts.append(f"<tspan{attributes}>{text}</tspan>" if attributes else text)
            height = run.up
        at = f'x="{number(x)}" y="{number(y)}" font-size="{number(self.size)}"'
        style = f"{style} {anchor}" if anchor != "middle" else style
        weight = ' font-weight="700"' if self.bold else ""
        kind = f' class="{style.strip()}"' if style else ""
        return f"<text {at}{kind}{weight}>{''.join(parts)}</text>"


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel."""
    return f"{round(value, 1) + 0:g}"


def lines(label: str, size: float, *, bold: bool = False) -> list[Line]:
    """The lines of a label; of formulas alone the symbols are larger still.

    Raises ValueError for characters that the fonts lack, and for a $ without another.
    """
    return [_line(part, size, bold) for part in label.split(" / ")]


def _line(text: str, size: float, bold: bool) -> Line:
    parts = text.split("$")
    if len(parts) % 2 == 0:
        raise ValueError(f"a $ is missing in {text!r}")
    runs: list[Run] = []
    for place, part in enumerate(parts):
        if place % 2:
            runs += _symbols(part, round(size * SYMBOL, 1))
        elif part:
            runs.append(Run(part, size))
    line = Line(tuple(runs), size, bold)
    line.width  # noqa: B018  raises for a character that no font has
    return line


def _symbols(text: str, size: float) -> list[Run]:
    runs: list[Run] = []
    before = ""  # the script before, _ or ^: the other one stands above or below it
    for upright, name, script, group, single, char in _TOKEN.findall(text):
        if script:
            small, up = (
                round(size * SCRIPT, 1),
                size * (-0.2 if script == "_" else 0.36),
            )
            written = "".join(run.text for run in _symbols(group or single, small))
            back = -runs[-1].wide(False) if before and before != script else 0.0
            runs.append(Run(written, small, True, round(up, 1), round(back, 1)))
            before = script
            continue
        before = ""
        if name and name not in SIGNS:
            raise ValueError(
                f"\\{name} is no sign here: choose one of {', '.join(SIGNS)}"
            )
        char = "−" if char == "-" else char
        sign = upright or (italic(SIGNS[name]) if name else italic(char))
        if runs and not runs[-1].up:
            last = runs.pop()
            sign = last.text + sign
        runs.append(Run(sign, size, True))
    return runs


def plain(label: str) -> str:
    """A label as a sentence can say it: `$h_{1}$` is h 1."""
    label = re.sub(r"\\text\{([^}]*)\}", r"\1", label)
    label = re.sub(r"\\(\w+) ?", lambda sign: SIGNS.get(sign[1], ""), label)
    label = label.replace(" / ", ", ").replace("$", "")
    return re.sub(r"[_^]\{?([^}\s]*)\}?", r" \1", label).strip()


def most_common_type(body: str) -> tuple[str, str]:
    """The size of most words, told once for all, and the drawing without it."""
    sizes = re.findall(r'<text [^>]*?( font-size="[^"]*")', body)
    if not sizes:
        return "", body
    most = max(sorted(set(sizes)), key=sizes.count)
    return most, re.sub(rf"(<text [^>]*?){most}", r"\1", body)
