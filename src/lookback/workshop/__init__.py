"""The workshop: recipes, the training loop, trained models, and studies.

What other rooms need is imported from here.
"""

from . import seeds
from .checkpoint import path_of, pretrained, ships, train
from .data import (
    NOT_SHIPPED,
    TOKENIZERS,
    AnyCorpus,
    Sentences,
    corpus,
    english,
    pairs,
    vocabulary,
)
from .distributed import unwrap
from .fit import Batches, fit
from .language import TEXTS, LanguageLearner, on
from .learner import (
    Learner,
    Metrics,
    NeuralLearner,
    Run,
    Tensors,
    Vocabularies,
    Weights,
    Words,
    follow,
    outline,
)
from .log import Log
from .recipe import (
    Budget,
    Data,
    Optimiser,
    Parameters,
    Recipe,
    known,
    recipe,
    recipes,
)
from .study import Cases, Results, Row, Study, results
from .translation import (
    CAPTIONS,
    PAIRS,
    SHORT_PAIRS,
    AttentionLearner,
    Translation,
    TranslationLearner,
    alignment_error,
    padded,
    teacher_forced,
)
from .vectors import FIRST, VectorLearner, unique_sentences

__all__ = [
    "CAPTIONS",
    "FIRST",
    "NOT_SHIPPED",
    "PAIRS",
    "SHORT_PAIRS",
    "TEXTS",
    "TOKENIZERS",
    "AnyCorpus",
    "AttentionLearner",
    "Batches",
    "Budget",
    "Cases",
    "Data",
    "LanguageLearner",
    "Learner",
    "Log",
    "Metrics",
    "NeuralLearner",
    "Optimiser",
    "Parameters",
    "Recipe",
    "Results",
    "Row",
    "Run",
    "Sentences",
    "Study",
    "Tensors",
    "Translation",
    "TranslationLearner",
    "VectorLearner",
    "Vocabularies",
    "Weights",
    "Words",
    "alignment_error",
    "corpus",
    "english",
    "fit",
    "follow",
    "known",
    "on",
    "outline",
    "padded",
    "pairs",
    "path_of",
    "pretrained",
    "recipe",
    "recipes",
    "results",
    "seeds",
    "ships",
    "teacher_forced",
    "train",
    "unique_sentences",
    "unwrap",
    "vocabulary",
]
