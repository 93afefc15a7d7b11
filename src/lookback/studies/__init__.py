"""The experiments that take too long for a page: `X.py` or `X_what.py` for chapter X.

A module holds STUDY; its results are stored next to it, in `X.json`.
"""
