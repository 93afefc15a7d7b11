"""word2vec on real English: what is put beside the model that ships."""

from dataclasses import replace

from lookback.recipes.word2vec import RECIPES
from lookback.studies import word2vec
from lookback.studies.word2vec_text import STUDY

SHIPPED = RECIPES["word2vec-tatoeba"]


def test_cases_differ_from_the_model_that_ships_in_what_their_names_say() -> None:
    cbow = STUDY.cases["Tatoeba, CBOW"]
    assert cbow.text == "tatoeba"
    assert cbow.recipe.model == replace(SHIPPED.model, kind="cbow")
    assert replace(cbow.recipe, model=SHIPPED.model) == SHIPPED
    assert cbow.asks


def test_its_cheap_case_is_that_of_the_study_of_the_grammar() -> None:
    """So that it can be measured where no other text was downloaded."""
    assert STUDY.measure is word2vec.measure
    assert STUDY.check is not None
    assert STUDY.cases[STUDY.check] == word2vec.STUDY.cases["quick"]
