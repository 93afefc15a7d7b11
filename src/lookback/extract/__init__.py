"""A chapter's program as text: the plain view of source, and one file of a machine.

`plain` cuts source down to what a person reads; `Package` knows the functions that only
check, so that it cuts their calls, too; `imports` writes what a piece of a module needs
above it; `program` writes the machine of a chapter as one file. Source is read as text:
no chapter is imported, nothing is installed for it.

>>> print(plain("def f(x: int) -> int: return x + 1"))
def f(x): return x + 1
"""

from .package import Definition, Package
from .plain import plain
from .program import imports, program, requirements

__all__ = ["Definition", "Package", "imports", "plain", "program", "requirements"]
