"""Translators of sub-words: words go in and come out, symbols are between.

Mutants, each caught: merges learned from one side, or from test; another list for the
target; sources that are not cut, targets that are not; symbols that are not joined;
links between symbols told for words; a merge rebuilt in another order; batches of
words; a table for each language.
"""

from typing import Any

import pytest

from kit import pair_corpus
from lookback.bpe import BPE
from lookback.recipes.bpe import (
    RECIPES,
    JointData,
    SubwordTransformer,
    bpe_of,
    joined,
    on_subwords,
    word_of,
)
from lookback.recipes.transformer import (
    RECIPES as TRANSFORMERS,
)
from lookback.recipes.transformer import (
    SmoothedConfig,
    TransformerLearner,
    adam,
)
from lookback.text.corpora import Pair, PairCorpus
from lookback.text.vocabulary import Vocabulary
from lookback.trainer import seeds
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Data, Recipe

TEXT = [
    ("the red cat sleeps .", "le chat rouge dort ."),
    ("the dog sees the red cat .", "le chien voit le chat rouge ."),
    ("a red dog sleeps .", "un chien rouge dort ."),
]
PEOPLE = pair_corpus(TEXT, TEXT[:2], [("the zebu sleeps .", "le zébu dort .")])
TRAIN, (NEW,) = PEOPLE.train, PEOPLE.test
WORDS = Recipe(
    TransformerLearner,
    Data("people", min_count=2),
    0,
    SmoothedConfig(N=1, d_model=16, h=2, d_ff=16, smoothing=0.1),
    adam(0.01, 10),
    Budget(60, 60, 30),
)
RECIPE = on_subwords(WORDS, tokens=90, symbols=45)


@pytest.fixture(scope="module")
def learner() -> SubwordTransformer:
    return train_recipe(RECIPE, PEOPLE)


def test_one_list_is_learned_from_both_sides_of_train(
    learner: SubwordTransformer,
) -> None:
    source, target = learner.sides
    assert source is target
    both = [" ".join(side) for p in TRAIN for side in (p.source, p.target)]
    expected = BPE.train(both, 45, byte_fallback=False)
    assert source.entries == expected.entries
    assert learner.bpe == expected
    assert "é" not in expected.alphabet  # which only test has


def test_a_hidden_word_is_all_its_symbols(learner: SubwordTransformer) -> None:
    source, target = ("a", "dogs", "sleeps"), ("un",)
    before, symbols = len(learner.cut(["a"])), len(learner.cut(["dogs"]))
    hidden = [before <= k < before + symbols for k in range(len(learner.cut(source)))]
    assert sum(hidden) > 1
    for one in ("dogs", 1):
        with learner.hidden(one):
            (weights,) = learner.attention_weights([(source, target)])
        assert (weights[0] == 0).tolist() == [*hidden, False]


def test_source_target_and_output_are_one_table(learner: SubwordTransformer) -> None:
    network = learner.network
    assert network.e_source is network.e_target
    assert network.e_target.table.shape == (45, 16)
    assert "e_source.table" not in learner.tensors()  # it is stored once


def test_batches_hold_the_symbols_of_both_sides(learner: SubwordTransformer) -> None:
    def ids(words: tuple[str, ...]) -> list[int]:
        return learner.bpe.encode(" ".join(words))

    batches = learner.batches(PEOPLE, "train", seeds.generator(0))
    seen = {}
    for batch in batches():
        for k, row in enumerate(batch.rows.tolist()):
            source = batch.source[k][batch.source_mask[k]].tolist()
            target = batch.target[k][batch.target_mask[k]].tolist()
            seen[row] = source, target
    for row, pair in enumerate(TRAIN):
        assert seen[row] == ([*ids(pair.source), 3], [2, *ids(pair.target), 3])


@pytest.mark.parametrize("options", [{}, {"size": 3}])
def test_it_translates_words_into_words(
    learner: SubwordTransformer, options: dict[str, Any]
) -> None:
    symbols = [learner.cut(pair.source) for pair in TRAIN]
    plain = TransformerLearner(RECIPE)
    plain.restore(learner.tensors(), learner.vocabularies)
    expected = plain.decode(symbols, longest=40, **options)
    found = learner.decode([p.source for p in TRAIN], longest=40, **options)
    assert found == [joined(symbols) for symbols in expected]
    assert all(" " not in word for sentence in found for word in sentence)


def test_a_word_is_unknown_where_train_lacks_a_letter(
    learner: SubwordTransformer,
) -> None:
    explained = learner.explain(NEW.source)
    assert explained.source == ("the", "[zebu]", "sleeps", ".")  # train has no z
    (zebu,) = explained.unknown
    assert (zebu.position, zebu.word, zebu.read) == (1, "zebu", "<unk>")
    assert [list(explained.words)] == learner.decode([NEW.source])
    known = learner.explain(("gods", "sleep", "."))  # words that train lacks
    assert known.unknown == () and known.source == ("gods", "sleep", ".")


def test_attention_is_between_symbols_and_links_between_words(
    learner: SubwordTransformer,
) -> None:
    source, target = NEW.source, NEW.target
    s, t = learner.cut(source), learner.cut(target)
    assert len(s) > len(source)
    (weights,) = learner.attention_weights([(source, target)])
    assert weights.shape == (len(t) + 1, len(s) + 1)
    (maps,) = learner.maps([NEW])
    assert weights == pytest.approx(maps.cross[-1].mean(axis=0), abs=1e-6)
    links = learner.link(source, target)
    largest = weights[:-1].argmax(axis=1)
    expected = {
        (word_of(s)[int(i)], word_of(t)[j]) for j, i in enumerate(largest) if i < len(s)
    }
    assert links == expected
    assert len(learner.attended(source, target)) == len(target)


def test_metrics_are_measured_on_sentences_of_all_lengths(
    learner: SubwordTransformer,
) -> None:
    many = tuple(Pair(("a",), (str(k),)) for k in range(2500))
    text = PairCorpus("people", "1", TRAIN, many, TRAIN)
    assert learner.measured_on(text, "validation") == many[::2]
    assert learner.measured_on(text, "test") == TRAIN


def test_symbols_are_joined_and_belong_to_words() -> None:
    symbols = ("un ", "ch", "at ", "d", "ort ")
    assert joined(symbols) == ["un", "chat", "dort"]
    assert word_of(symbols) == [0, 1, 1, 2, 2]
    assert joined(symbols[:-1]) == ["un", "chat", "d"]  # a sentence that was cut off
    assert word_of(()) == joined(()) == []


@pytest.mark.parametrize("text", [["low low lower lowest"], ["aaaa aaa aa a", "baaaa"]])
def test_the_merges_come_back_from_the_list(text: list[str]) -> None:
    for size in (9, 12, 15, 40):
        bpe = BPE.train(text, size if size > 11 else 12, byte_fallback=False)
        assert bpe_of(Vocabulary(bpe.entries)) == bpe


def test_a_list_that_is_no_bpe_is_refused() -> None:
    specials = Vocabulary.build([]).entries
    for entries in (("a", "b", "abab"), ("a", "b", "ax")):
        with pytest.raises(ValueError, match="is no merge of two symbols"):
            bpe_of(Vocabulary((*specials, *entries)))


def test_data_of_words_is_refused() -> None:
    with pytest.raises(ValueError, match="learned from JointData"):
        train_recipe(
            Recipe(SubwordTransformer, *list(vars(WORDS).values())[1:]), PEOPLE
        )


def test_nothing_but_the_symbols_differs() -> None:
    ours, theirs = RECIPES["bpe-multi30k"], TRANSFORMERS["transformer-multi30k"]
    assert ours.optimiser == theirs.optimiser
    assert ours.seed == theirs.seed
    assert ours.budget.steps == theirs.budget.steps
    assert ours.data == JointData("multi30k", symbols=4000)
    for field, value in vars(theirs.model).items():
        assert getattr(ours.model, field) == (True if field == "shared" else value)
