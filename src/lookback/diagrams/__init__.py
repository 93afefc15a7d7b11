"""Draw the book's machines, each held against a run of the real one.

`encoder.draw()` builds the diagram, runs the module with small sizes, compares, and
returns the drawing; a drawing that says anything else than what ran raises ValueError.
"""
