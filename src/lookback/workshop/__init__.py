"""The workshop: recipes, the loop that trains, and what it leaves on disk."""

from . import aligning, counting, growing, windows  # noqa: F401  they enter names
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
