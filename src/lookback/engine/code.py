"""Code in colour: keywords, strings, numbers, comments and what a line defines."""

from typing import Any, cast

from pygments.token import STANDARD_TYPES, Name, Operator, Punctuation, Whitespace

PLAIN = (Name, Operator, Punctuation, Whitespace)
"""Kinds of tokens in the colour of the text: two thirds of all that there are."""


def leave_plain_tokens_alone() -> None:
    """Let Pygments put no element around a token that has no colour of its own.

    It writes one for each kind that has a short name in its table, for all of this
    process; a chapter has 4 000 of them, a twentieth of what travels.
    """
    cast(dict[Any, str], STANDARD_TYPES).update(dict.fromkeys(PLAIN, ""))
