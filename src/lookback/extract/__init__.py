"""A chapter's program as text: the plain view of a definition, and one file of all.

`plain` cuts source down to what a person reads; `view` finds the source of a name and
cuts it; `program` writes a chapter's machine as one file. Only text is read: nothing is
imported, and the standard library is enough.
"""

from .plain import plain
from .program import program

__all__ = ["plain", "program"]
