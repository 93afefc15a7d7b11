"""How each model is trained: `X.py` for the chapter X, its weights beside it.

A module holds the learner of its idea and RECIPES, name → recipe; the names begin with
that of the module.
"""
