"""The experiments that take too long for a page: `X.py` or `X_what.py` for chapter X.

A module holds STUDY; its results lie beside it, in `X.json`.
"""
