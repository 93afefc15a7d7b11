"""TeX to MathML at build time: the reader's browser needs no script and no network."""

from __future__ import annotations

import html
import re
from functools import lru_cache

# Letters that reach below the line push their subscripts down; in TeX they do not.
_LOW = re.compile(r"(<(?:msub|msubsup)>)(<mi>[yjpqgfµβγφψρηζξχ]</mi>)")
_TAG = re.compile(r"\\tag\*?\{([^}]*)\}")


@lru_cache(maxsize=4096)
def to_mathml(tex: str, display: bool) -> str:
    r"""A formula as HTML: `<math>`, or a `div.lb-equation` with its number.

    tex      TeX without dollar signs; `\tag{3}` in a displayed formula numbers it
    display  on a line of its own
    raises ValueError where the TeX does not parse
    """
    from math_core import LatexError, LatexToMathML

    bare, tags = _TAG.sub("", tex).strip(), _TAG.findall(tex)
    if tags and not display:
        raise ValueError(f"`{tex}`: only a displayed formula, $$…$$, can carry \\tag")
    try:
        mathml = LatexToMathML(fancy_error=False).convert_with_local_state(
            bare, displaystyle=display
        )
    except LatexError as error:
        raise ValueError(f"`{tex}` is not TeX that we can set: {error}") from None
    mathml = _LOW.sub(r'\1<mpadded depth="0">\2</mpadded>', mathml)
    if not display:
        return mathml
    number = f'<span class="lb-eqno">({html.escape(tags[0])})</span>' if tags else ""
    return f'<div class="lb-equation" tabindex="0">{mathml}{number}</div>'
