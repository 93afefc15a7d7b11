"""Set the labels of a diagram as SVG text, and measure them in the site's fonts.

Words are set in Roboto, symbols between $ signs in STIX Two Math: `$d_{model}$`,
`$W^Q$`, `$\\alpha_{ij}$`. Letters become italics, scripts are lowered or raised,
`\\text{softmax}` stays upright. A label's lines are separated by ` / `.
"""

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from fontTools.ttLib import TTFont

FONTS = {
    "words": ("font_roboto", "files/Roboto-Regular.ttf"),
    "symbols": ("ziamath", "fonts/STIXTwoMath-Regular.ttf"),
}
"""The packages that carry the fonts, and the files in them."""
BOLD = 1.05  # a bold word is so much wider, at most
SYMBOL = 1.18  # symbols are so much larger than the words around them
SCRIPT = 0.72
SIGNS = {
    "alpha": "α", "beta": "β", "sigma": "σ", "theta": "θ", "omega": "ω", "mu": "μ",
    "cdot": "·", "times": "×", "odot": "⊙", "oplus": "⊕", "to": "→", "sqrt": "√",
    "sum": "Σ", "infty": "∞", "dots": "…", "vdots": "⋮", "leftarrow": "←",
    "tilde": "\u0303", "prime": "′",
}  # fmt: skip
LETTERS = (("a", "z", 0x1D44E), ("A", "Z", 0x1D434), ("α", "ω", 0x1D6FC))
"""First and last of some letters, and where Unicode has the first one's italics."""
_TOKEN = re.compile(r"\\text\{([^}]*)\}|\\(\w+)|([_^])(?:\{([^}]*)\}|(\S))|(.)")


@cache
def _advances(font: str) -> dict[str, float]:
    """Read the width of each character of a font, as a part of its size."""
    package, path = FONTS[font]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"{package}, which carries a font, is not installed")
    with TTFont(Path(spec.submodule_search_locations[0]) / path) as file:
        unit, widths = file["head"].unitsPerEm, file["hmtx"]
        names = file.getBestCmap().items()
        return {chr(code): widths[name][0] / unit for code, name in names}


def width(text: str, size: float, font: str = "words") -> float:
    """Measure a text in pixels; font is "words" or "symbols".

    Raises ValueError for a character that the font lacks.
    """
    letters = _advances(font)
    for letter in text:
        if letter not in letters:
            name = unicodedata.name(letter, "unnamed")
            if font == "symbols":
                other, hint = "words", "write it without $"
            else:
                other, hint = "symbols", "write it between $ signs"
            if letter not in _advances(other):
                hint = "choose another"
            raise ValueError(
                f"the font of {font} has no {letter!r} ({name}), in {text!r}: {hint}"
            )
    return sum(letters[letter] for letter in text) * size


def italic(letter: str) -> str:
    """Map a letter to its mathematical italic: a → 𝑎; return other characters."""
    if letter == "h":
        return "ℎ"
    for first, last, start in LETTERS:
        if first <= letter <= last:
            return chr(start + ord(letter) - ord(first))
    return letter


@dataclass(frozen=True)
class Run:
    """Hold characters of one font and size, raised by `up`, moved by `by` pixels."""

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
    """Hold one line of a label."""

    runs: tuple[Run, ...]
    size: float
    bold: bool = False

    @property
    def width(self) -> float:
        return sum(run.wide(self.bold) + run.by for run in self.runs)

    def svg(self, x: float, y: float, style: str = "", anchor: str = "middle") -> str:
        """Write an SVG <text> anchored at x, with its baseline at y."""
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
    """Format a coordinate to a tenth of a pixel."""
    return f"{round(value, 1) + 0:g}"


def lines(label: str, size: float, *, bold: bool = False) -> list[Line]:
    """Parse a label into its lines.

    Raises ValueError for characters that the fonts lack, and for a $ without another.
    """
    return [_line(part, size, bold) for part in label.split(" / ")]


def _line(text: str, size: float, bold: bool) -> Line:
    """Parse one line into runs of words and of symbols."""
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
    """Parse a formula into runs: italics, signs, sub- and superscripts."""
    runs: list[Run] = []
    before = ""  # the script before, _ or ^: the other one stands above or below it
    for upright, name, script, group, single, char in _TOKEN.findall(text):
        if script:
            small = round(size * SCRIPT, 1)
            up = size * (-0.2 if script == "_" else 0.36)
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
    """Convert a label to plain text for a screen reader: `$h_{1}$` is h 1."""
    label = re.sub(r"\\text\{([^}]*)\}", r"\1", label)
    label = re.sub(r"\\(\w+) ?", lambda sign: SIGNS.get(sign[1], ""), label)
    label = label.replace(" / ", ", ").replace("$", "")
    return re.sub(r"[_^]\{?([^}\s]*)\}?", r" \1", label).strip()
