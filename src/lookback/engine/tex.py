"""Typeset formulas at build time, TeX to MathML.

The reader's browser needs no script and no network.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

# Letters that reach below the line push their subscripts down; in TeX they do not.
_LOW = re.compile(r"(<(?:msub|msubsup)>)(<mi>[yjpqgfµβγφψρηζξχ]</mi>)")
_TAG = re.compile(r"\\tag\*?\{([^}]*)\}")
# `\term{machine.h}{h_j}`: the converter sets the first argument as text.
_MACROS = {"term": r"{\text{term #1}#2}"}
_TERM = re.compile("<mrow><mtext>term\xa0([^<]*)</mtext>")
TERM = re.compile(r"\\term\{([^{}]*)\}")
"""What `\\term` names: a figure's id, a dot, and parts of it, spaces between them."""


@lru_cache(maxsize=4096)
def to_mathml(tex: str, *, display: bool = False) -> str:
    """Convert TeX to `<math>`; display: as on a line of its own.

    Raises ValueError where the TeX does not parse.
    """
    from math_core import LatexError, LatexToMathML

    if _TAG.search(tex):
        raise ValueError(f"`{tex}`: only a displayed formula, $$…$$, can carry \\tag")
    try:
        converter = LatexToMathML(fancy_error=False, macros=_MACROS)
        mathml = converter.convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        raise ValueError(f"`{tex}` is not TeX that we can set: {error}") from None
    mathml = _TERM.sub(_as_term, mathml)
    return _LOW.sub(r'\1<mpadded depth="0">\2</mpadded>', mathml)


def _as_term(match: re.Match[str]) -> str:
    """Write what the macro has set as text as an attribute, its spaces plain ones."""
    return f'<mrow data-term="{" ".join(match[1].split())}">'


def equation(tex: str, name: str, *, key: bool = False) -> str:
    r"""Typeset an equation on a line of its own, with its id and its `\tag{3}`."""
    mathml = to_mathml(_TAG.sub("", tex).strip(), display=True)
    tags = _TAG.findall(tex)
    number = f'<span class="lb-eqno">({html.escape(tags[0])})</span>' if tags else ""
    kind = "lb-equation lb-key" if key else "lb-equation"
    return f'<div class="{kind}" id="{name}" tabindex="0">{mathml}{number}</div>'
