"""What all learners of translators share, on a network whose answers are known."""

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lookback.decoding import beam_search, per_word
from lookback.measure import alignment_error_rate, bleu
from lookback.text.corpora import Pair, PairCorpus
from lookback.trainer import translation
from lookback.trainer.data import corpus as corpus_of
from lookback.trainer.data import pairs
from lookback.trainer.fit import once
from lookback.trainer.learner import Vocabularies, train_recipe
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe
from lookback.trainer.translation import (
    PAIRS,
    SHORT_PAIRS,
    AttentionLearner,
    TranslationLearner,
    Unknown,
    alignment_error,
    longest_translation,
    padded,
    teacher_forced,
)

TEXT = [
    ("the cat sleeps", "le chat dort"),
    ("the dog sees the cat", "le chien voit le chat"),
    ("a dog", "un chien"),
    ("a cat sees a dog", "un chat voit un chien"),
    ("sleeps", "dort"),
    ("the tomcat", "le chat"),  # so that the vocabularies differ in size
]


def pair(source: str, target: str, *links: tuple[int, int]) -> Pair:
    return Pair(tuple(source.split()), tuple(target.split()), *[frozenset(links)] * 2)


TRAIN = tuple(pair(*both) for both in TEXT)
VALIDATION = (
    pair("the dog sees a cat", "le chien voit un chat", *((n, n) for n in range(5))),
)
TEST = (
    pair("a cat", "un chat", (0, 0), (1, 0)),
    pair("the dog sees the zebra now", "le chien voit le zèbre"),
)
CORPUS = PairCorpus("t", "1", TRAIN, VALIDATION, TEST)


class Book(NamedTuple):
    rows: Tensor  # (B, S, V)
    last: Tensor  # (B,)
    position: Tensor  # (B,)
    weights: Tensor  # (B, S)


class Wordbook(nn.Module):
    """Word for word, the end for the end; it attends to what it translates."""

    def __init__(self, source: int, target: int) -> None:
        super().__init__()
        self.table = nn.Embedding(source, target)
        nn.init.zeros_(self.table.weight)
        self.dropout = nn.Dropout(0.5)

    def forward(
        self, source: Tensor, mask: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor]:
        state, logits, weights = self.start(source, mask), [], []
        for token in target.unbind(dim=1):
            scores, state = self.step(token, state)
            logits.append(scores)
            weights.append(state.weights)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

    def start(self, source: Tensor, mask: Tensor) -> Book:
        last = mask.sum(dim=1) - 1
        rows = self.dropout(self.table(source))
        return Book(rows, last, torch.zeros_like(last), torch.zeros(mask.shape))

    def step(self, token: Tensor, state: Book) -> tuple[Tensor, Book]:
        position = torch.minimum(state.position, state.last)
        weights = nn.functional.one_hot(position, state.rows.size(1)).float()
        logits = (state.rows * weights.unsqueeze(-1)).sum(dim=1)
        return logits, state._replace(position=position + 1, weights=weights)


class WordbookLearner(AttentionLearner):
    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return Wordbook(len(vocabularies["source"]), len(vocabularies["target"]))


class BlindLearner(TranslationLearner):
    """The same, without a word about where it attends."""

    build = WordbookLearner.build


RECIPE = Recipe(
    WordbookLearner,
    Data("t"),
    0,
    "wordbook",
    Optimiser("adam", 0.3),
    Budget(80, 12, evaluate_every=40),
)


@pytest.fixture(scope="module")
def trained() -> WordbookLearner:
    return train_recipe(RECIPE, CORPUS)


@pytest.fixture
def blind(trained: WordbookLearner) -> BlindLearner:
    learner = BlindLearner(RECIPE)
    learner.network, learner.vocabularies = trained.network, trained.vocabularies
    return learner


@pytest.fixture
def untrained() -> WordbookLearner:
    learner = WordbookLearner(RECIPE)
    learner.vocabularies = learner.words_of(CORPUS)
    learner.network = learner.untrained(learner.vocabularies)
    return learner


# --- words, batches, loss


def test_each_side_has_its_own_words(untrained: WordbookLearner) -> None:
    words = untrained.vocabularies
    assert words.keys() == {"source", "target"}
    assert untrained.sides == (words["source"], words["target"])
    assert {"cat", "sees"} <= set(words["source"].entries)
    assert {"chat", "voit"} <= set(words["target"].entries)
    assert "chat" not in words["source"]
    assert "zebra" not in words["source"]  # only in test
    often = Recipe(WordbookLearner, Data("t", min_count=2), 0, None, None, Budget(1))
    words = WordbookLearner(often).words_of(CORPUS)
    assert "now" not in words["source"]
    assert set(words["target"].entries[4:]) == {
        "chat", "chien", "dort", "le", "un", "voit",
    }  # fmt: skip


def test_train_is_shuffled_at_each_epoch_and_the_rest_stays(
    untrained: WordbookLearner,
) -> None:
    generator = torch.Generator().manual_seed(0)

    def rows(split: str) -> list[list[int]]:
        return [batch.rows.tolist() for batch in once(read[split])]

    read = {
        split: untrained.batches(CORPUS, split, generator)
        for split in ("train", "validation", "test")
    }
    orders = [rows("train") for _ in range(6)]
    for order in orders:
        assert sorted(row for rows in order for row in rows) == [0, 1, 2, 3, 4, 5]
    assert any(order != orders[0] for order in orders)
    assert all(batch.target_mask.numel() <= 12 for batch in once(read["train"]))
    assert rows("test") == rows("test") == [[0, 1]]


def test_what_is_measured_has_a_bound(
    untrained: WordbookLearner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation, "EVALUATED", 1)
    batches = untrained.batches(CORPUS, "test", torch.Generator())
    assert [batch.rows.tolist() for batch in once(batches)] == [[0]]
    read = []
    decode = untrained.decode

    def watched(sources: Any, **options: Any) -> list[list[str]]:
        read.append(sources)
        return decode(sources, **options)

    monkeypatch.setattr(untrained, "decode", watched)
    untrained.evaluate(CORPUS)
    assert read == [[VALIDATION[0].source], [TEST[0].source]]


def test_the_loss_counts_words_and_ends_and_no_padding(
    untrained: WordbookLearner,
) -> None:
    network = untrained.network.eval()
    batch, *_ = once(untrained.batches(CORPUS, "test", torch.Generator()))
    source, target = untrained.sides
    V, tokens = len(target), 2 + 1 + 5 + 1
    total, count = untrained.loss(network, batch)
    assert count == tokens
    assert total.item() == pytest.approx(tokens * math.log(V))
    with torch.no_grad():
        network.table.weight[source.ids(["cat"])[0], 1] = math.log(V + 1)
    total, _ = untrained.loss(network, batch)  # "chat" is read at "cat": 1 of 2 V
    expected = (tokens - 1) * math.log(V) + math.log(2 * V)
    assert total.item() == pytest.approx(expected)


def test_teacher_forcing_reads_the_reference_up_to_each_word(
    untrained: WordbookLearner,
) -> None:
    batch, *_ = once(untrained.batches(CORPUS, "test", torch.Generator()))
    read = []

    class Alone(nn.Module):
        """Returns its logits alone, and not the first of several outputs."""

        def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> Tensor:
            read.append((source, mask, target))
            return target + 0.5

    logits = teacher_forced(Alone(), batch)
    ((source, mask, target),) = read
    assert source is batch.source
    assert mask is batch.source_mask
    assert torch.equal(target, batch.target[:, :-1])
    assert torch.equal(logits, target + 0.5)


# --- decoding


def test_it_translates_what_it_learned_in_the_order_given(
    trained: WordbookLearner,
) -> None:
    sources = [p.source for p in (*TRAIN, *VALIDATION)] * 5
    trained.network.train()  # it drops out nothing while it translates
    found = trained.decode(sources)
    assert found == [[*p.target] for p in (*TRAIN, *VALIDATION)] * 5
    assert not trained.network.training
    trained.network.train()
    trained.attention_weights([(p.source, p.target) for p in TRAIN])
    assert not trained.network.training
    for source, target in zip(sources, found, strict=True):
        assert trained.translate(source) == target
    assert trained.decode([]) == []


def test_a_beam_is_that_of_the_search(trained: WordbookLearner) -> None:
    (source, target), sources = trained.sides, [p.source for p in TRAIN]
    found = trained.decode(sources, size=3, penalty=per_word)
    for words, written in zip(sources, found, strict=True):
        ((_, ids, mask),) = padded([words], source)
        ((best,),) = beam_search(
            trained.network, ids, mask, begin=target.start, end=target.end,
            longest=longest_translation(len(words)), size=3, penalty=per_word,
        )  # fmt: skip
        assert target.words(best.ids) == written


def test_a_translation_may_be_twice_as_long_and_no_longer(
    untrained: WordbookLearner,
) -> None:
    with torch.no_grad():  # it never ends
        (le,) = untrained.vocabularies["target"].ids(["le"])
        untrained.network.table.weight[:, le] = 9.0
    assert [longest_translation(n) for n in (1, 10)] == [14, 32]
    for size in (1, 2):
        found = untrained.decode([["cat"], ["a"] * 10], size=size)
        assert [len(words) for words in found] == [32, 32]  # of one batch
        (cut,) = untrained.decode([["cat"]], size=size, longest=5)
        assert cut == ["le"] * 5
    assert len(untrained.decode([["cat"]])[0]) == 14


def test_sentences_of_similar_length_are_padded_together(
    untrained: WordbookLearner, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = untrained.vocabularies["source"]
    sources = [["cat"] * n for n in (5, 1, 3, 1, 2)]
    ((rows, ids, mask),) = padded(sources, words)
    assert rows == [1, 3, 4, 2, 0]
    assert ids.shape == mask.shape == (5, 6)
    assert mask.sum(dim=1).tolist() == [2, 2, 3, 4, 6]
    (cat,) = words.ids(["cat"])
    assert ids[2].tolist() == [cat, cat, words.end, *[words.pad] * 3]
    monkeypatch.setattr(translation, "EVALUATION_TOKENS", 6)
    assert [rows for rows, *_ in padded(sources, words)] == [[1], [3], [4], [2], [0]]
    monkeypatch.setattr(translation, "EVALUATION_TOKENS", 1)
    assert [rows for rows, *_ in padded(sources, words)] == [[1], [3], [4], [2], [0]]


def test_no_source_may_be_empty(trained: WordbookLearner) -> None:
    with pytest.raises(ValueError, match=r"sources \[1, 2\] are empty: expected at le"):
        trained.decode([["cat"], [], ()])
    with pytest.raises(ValueError, match=r"sources \[0\] are empty"):
        trained.translate([])


# --- attention weights


def test_weights_are_rows_of_target_and_columns_of_source(
    trained: WordbookLearner,
) -> None:
    read = [(p.source, p.target) for p in TRAIN]
    for (source, target), weights in zip(
        read, trained.attention_weights(read), strict=True
    ):
        assert weights.shape == (len(target) + 1, len(source) + 1)
        np.testing.assert_array_equal(weights, np.eye(len(target) + 1))
        alone = trained.attention(source, target)
        np.testing.assert_array_equal(alone, np.eye(len(target)))
        assert alone.dtype == np.float64
    uneven = trained.attention(["a", "cat"], ["un", "chat", "le", "le"])
    assert uneven.tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]  # then to the end


def test_a_word_is_linked_where_its_weight_is_largest_unless_that_is_the_end(
    trained: WordbookLearner,
) -> None:
    target = ["un", "chat", "le", "le"]
    assert trained.link(["a", "cat"], target) == {(0, 0), (1, 1)}
    assert trained.attended(["a", "cat"], target) == [0, 1, None, None]


def test_the_alignment_error_is_that_of_the_largest_weights() -> None:
    weights = np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [0.1, 0.2, 0.7], [1, 0, 0]])
    right = pair("a b", "c d e", (1, 0), (0, 1))
    assert alignment_error([weights], [right]) == 0
    half = pair("a b", "c d e", (1, 0), (1, 1))
    assert alignment_error([weights], [half]) == pytest.approx(1 - 2 / 4)


def test_bleu_and_the_error_of_pairs_with_links_are_measured(
    trained: WordbookLearner, blind: BlindLearner
) -> None:
    metrics = trained.evaluate(CORPUS)
    assert metrics["validation BLEU"] == pytest.approx(100)
    assert metrics["validation AER"] == 0
    written = [["un", "chat"], *trained.decode([TEST[1].source])]
    assert len(written[1]) == 6
    expected = bleu(hypotheses=written, references=[[*p.target] for p in TEST]).score
    assert metrics["test BLEU"] == pytest.approx(expected)
    assert 0 < expected < 100
    gold = TEST[0].sure
    rate = alignment_error_rate([{(0, 0), (1, 1)}], [gold], [gold])
    assert metrics["test AER"] == pytest.approx(rate)
    assert blind.evaluate(CORPUS) == {k: v for k, v in metrics.items() if "BLEU" in k}


# --- how sure a model is


@torch.no_grad()
def by_hand(learner: TranslationLearner, source: list[str], words: list[str]) -> float:
    """The mean of ln P of the words and the end, one step after the other."""
    english, french = learner.sides
    row = torch.tensor([[*english.ids(source), english.end]])
    network: Any = learner.network.eval()
    state, total = network.start(row, row > 0), 0.0
    ids = [french.start, *french.ids(words), french.end]
    for last, new in pairwise(ids):
        logits, state = network.step(torch.tensor([last]), state)
        total += float(logits[0].log_softmax(dim=0)[new])
    return total / (len(words) + 1)


def test_a_score_is_the_mean_of_what_was_written(trained: WordbookLearner) -> None:
    sources = [["a", "cat"], ["the", "dog", "sees", "the", "cat"], ["zebra"]]
    written = trained.pieces(sources)
    expected = [by_hand(trained, *both) for both in zip(sources, written, strict=True)]
    assert trained.scores(sources, written) == pytest.approx(expected, rel=1e-5)
    assert len({round(score, 4) for score in expected}) == 3
    for source, score in zip(sources, expected, strict=True):
        assert trained.explain(source).score == pytest.approx(score, rel=1e-5)
    other = [["un", "chien"], *written[1:]]  # not what the model would write
    assert trained.scores(sources, other)[0] < expected[0]


# --- unknown words


def test_unknown_words_are_kept_and_marked(
    trained: WordbookLearner, blind: BlindLearner
) -> None:
    source, target = trained.sides
    weight = trained.network.table.weight
    before = weight.detach().clone()
    with torch.no_grad():
        weight[source.unk] = 0
        weight[source.unk, target.ids(["chien"])[0]] = 9
    found = trained.explain(["the", "zebra", "sleeps"])
    assert found.source == ("the", "[zebra]", "sleeps")
    assert found.words == ("le", "chien", "dort")
    assert found.unknown == (Unknown(1, "zebra", "<unk>", ("chien",)),)
    with torch.no_grad():
        weight[source.unk, target.unk] = 10
    found = trained.explain(["gnu", "sees", "the", "zebra"], size=2)
    assert found.words == ("[gnu]", "voit", "le", "[zebra]")
    assert found.unknown == (
        Unknown(0, "gnu", "<unk>", ("[gnu]",)),
        Unknown(3, "zebra", "<unk>", ("[zebra]",)),
    )
    (cat,) = source.ids(["cat"])
    with torch.no_grad():
        weight[cat, target.unk] = 99
    found = trained.explain(["cat", "zebra"])  # <unk> for a known word stays
    assert found.words[0] == "<unk>" and found.unknown[0].word == "zebra"
    found = blind.explain(["gnu", "sees"])
    assert found.words == ("<unk>", "voit")
    assert found.source == ("[gnu]", "sees")
    assert found.unknown == (Unknown(0, "gnu", "<unk>", ()),)
    with torch.no_grad():
        weight.copy_(before)
    found = trained.explain(["a", "cat"])
    assert (found.words, found.source) == (("un", "chat"), ("a", "cat"))
    assert found.unknown == ()


# --- what translators learn from


def test_short_pairs_are_like_the_others_without_a_long_sentence() -> None:
    longest = {
        data: max(len(p.source) for p in pairs(corpus_of(few(data)), "train"))
        for data in (PAIRS, SHORT_PAIRS)
    }
    assert longest[SHORT_PAIRS] <= 18 < longest[PAIRS]
    assert SHORT_PAIRS.corpus == PAIRS.corpus == "grammar"
    assert SHORT_PAIRS.options[: len(PAIRS.options)] == PAIRS.options


def few(data: Data) -> Data:
    """The same corpus of 400 pairs."""
    options = {**dict(data.options), "pairs": 400}
    return Data(data.corpus, tuple(options.items()))
