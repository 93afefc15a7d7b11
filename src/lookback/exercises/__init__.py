"""Write it yourself: machines that readers write, and a judge that knows mistakes.

X.py holds the exercise of chapter X: the reference, cases, and mistakes, each of them a
program whose docstring says what is wrong. `judge` compares.
"""

from lookback.exercises.judge import check

__all__ = ["check"]
