"""Define Drawing: a matplotlib figure with its numbers, as wide as a page's figures."""

from matplotlib.figure import Figure

WIDTH = 4.6
"""Inches of a figure: small enough that a phone, which shows it at 0.7, keeps its type
legible, and large enough for a desktop. The engine's figure.figsize says the same."""


class Drawing(Figure):
    """Extend matplotlib's Figure by what a page needs beside the picture.

    numbers  what is drawn, as HTML tables; "" where it would be too long
    live     the module of docs/live that moves it; "" for none
    """

    numbers: str = ""
    live: str = ""
