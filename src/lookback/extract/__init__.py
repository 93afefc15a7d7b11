"""A chapter's program as text: the plain view of source, and one file of a machine.

`plain` cuts source down to what a person reads, `checks` names the functions that it
cuts in a module, and `program` writes the machine of a chapter as one file. Source is
read as text: no chapter is imported, and the standard library is enough.
"""

from .package import checks
from .plain import plain
from .program import program

__all__ = ["checks", "plain", "program"]
