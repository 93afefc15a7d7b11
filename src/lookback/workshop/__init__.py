"""The workshop: recipes, the loop that trains, and what it leaves on disk."""

# Imported for what they enter: makers, recipes, studies.
from . import (  # noqa: F401
    abroad,
    aligning,
    attending,
    company,
    costing,
    counting,
    embedding,
    factorising,
    fixed,
    growing,
    layers,
    leaking,
    looking,
    memory,
    multiplying,
    norms,
    placing,
    probing,
    remembering,
    resemblance,
    roles,
    scaling,
    schooling,
    scoring,
    searching,
    splitting,
    stacking,
    transforming,
    windows,
)
from .checkpoints import Pretrained, pretrained
from .fit import fit
from .plan import Plan
from .recipes import RECIPES, Budget, Data, Optimiser, Recipe, recipe
from .studies import STUDIES, Results, Study, results

__all__ = [
    "RECIPES",
    "STUDIES",
    "Budget",
    "Data",
    "Optimiser",
    "Plan",
    "Pretrained",
    "Recipe",
    "Results",
    "Study",
    "fit",
    "pretrained",
    "recipe",
    "results",
]
