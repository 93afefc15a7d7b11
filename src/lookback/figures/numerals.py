"""Format numbers for tables and figures: 12 345, −0.3, 95 %, 2 × 10⁻⁷."""

import math
import re

SPACE = "\u202f"  # narrow, and no line ends in it
WHOLE = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
NUMERAL = re.compile(rf"(?<![\w.,])[-+−]?{WHOLE}(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")
UNIT = r"(?: ?(?:%|×|ms|s|[kM]?B)|\u202f%)?"
ONE = rf"[-+−×≈<>~ ]*\d[\d,.\u2009\u202f\xa0 ]*(?:e[-+]?\d+| × 10[⁻⁰¹²³⁴-⁹]+)?{UNIT}"
NUMBER = re.compile(rf"{ONE}(?: ?± ?{ONE})?(?: \({ONE}(?: to |–|, ){ONE}\))?")
VECTOR = re.compile(r"[\[(]?[-−]?\d[\d.]*(?:[ ,;]+[-−]?\d[\d.]*)+[\])]?")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MISSING = {"–", "—", "-"}


def is_number(text: str) -> bool:
    """Recognise numbers: 1,234.5, 12 %, −0.3, ×2, 3 ± 1, 3 (2 to 4), and a dash.

    So is a vector: 1 0 −1.
    """
    text = text.strip()
    return text in MISSING or any(kind.fullmatch(text) for kind in (NUMBER, VECTOR))


def in_figures(text: str, *, least: int = 5) -> str:
    """Format a number as the book writes it; in words, the numbers among them.

    least  how many digits before the point are set in groups; fewer are where the
           text has a comma in them
    """
    if text.strip() in MISSING:
        return text
    if not is_number(text):  # words, perhaps with numbers among them
        text = re.sub(r"(?<=\d),(?=\d{3}\b)", SPACE, text)
        return re.sub(r"(?<=\d) ?%", f"{SPACE}%", text)
    written = NUMERAL.sub(lambda match: _numeral(match[0], least), text)
    return re.sub(r"(?<=\d) ?%", f"{SPACE}%", written)


def rounded(value: float, digits: int = 3) -> str:
    """Format a value to so many significant digits, as the book writes it."""
    return in_figures(readable(value, digits)) or "–"


def readable(value: float, digits: int = 3) -> str:
    """Format a value to so many digits, as programs read it: -0.3, 2.00e-07."""
    if not math.isfinite(value):
        return ""
    if value == round(value) and abs(value) < 1e9:
        return f"{value:.0f}"
    before = math.floor(math.log10(abs(value)))
    if -4 <= before < 6:
        return f"{value:.{max(0, digits - 1 - before)}f}"
    return f"{value:.{digits - 1}e}"


def digits_before(text: str) -> int:
    """Count the digits before the point of the longest number in a text."""
    if not is_number(text):
        return 0
    found = [n.lstrip("-+−").partition(".")[0] for n in NUMERAL.findall(text)]
    return max((len(n.replace(",", "")) for n in found if "e" not in n), default=0)


def _numeral(text: str, least: int) -> str:
    text, exponent = text.replace("-", "−", 1), ""
    if "e" in text:
        text, _, power = text.partition("e")
        exponent = f" × 10{str(int(power.replace('−', '-'))).translate(RAISED)}"
    whole, point, rest = text.partition(".")
    plain = whole.replace(",", "")
    if "," in whole or len(plain.lstrip("−+")) >= least:
        whole = re.sub(r"(?<=\d)(?=(\d{3})+$)", SPACE, plain)
    return f"{whole}{point}{rest}{exponent}"
