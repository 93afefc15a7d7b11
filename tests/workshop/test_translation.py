"""What every maker of translators shares, on a module whose answers are known."""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch
from lookback.workshop.makers import Bench
from lookback.workshop.ranks import Ranks
from lookback.workshop.recipes import Budget, Data, Optimiser, Recipe
from lookback.workshop.translating import (
    AttentionMaker,
    TranslationMaker,
    Unknown,
    longest,
    most,
    padded,
)
from torch import Tensor, nn

from lookback.decoding import beam_search, per_word
from lookback.measure import alignment_error_rate, bleu
from lookback.text.corpora import Corpus, Pair, PairCorpus
from lookback.workshop import translating

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
ASKED = Recipe(
    Data("t"), 0, "wordbook", Optimiser("adam", 0.3), Budget(80, 12, evaluate_every=40)
)


class Book(NamedTuple):
    rows: Tensor  # (B, S, V)
    last: Tensor  # (B,)
    place: Tensor  # (B,)
    weights: Tensor  # (B, S)


class Wordbook(nn.Module):
    """Word for word, the end for the end; what it looks at is what it translates."""

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
        place = torch.minimum(state.place, state.last)
        looked = nn.functional.one_hot(place, state.rows.size(1)).float()
        logits = (state.rows * looked.unsqueeze(-1)).sum(dim=1)
        return logits, state._replace(place=place + 1, weights=looked)


class WordbookMaker(AttentionMaker):
    def module(self, config: object, vocabularies: object) -> nn.Module:
        return Wordbook(len(vocabularies["source"]), len(vocabularies["target"]))  # type: ignore[index]


class BlindMaker(TranslationMaker):
    module = WordbookMaker.module


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple:
    """The maker, the trained module, its vocabularies."""
    path: Path = tmp_path_factory.mktemp("wordbook") / "state"
    maker, bench = WordbookMaker(), Bench(torch.device("cpu"), path, Ranks(), False)
    done = maker.train(ASKED, CORPUS, bench)
    return maker, done.model, done.vocabularies


@pytest.fixture
def untrained() -> tuple:
    maker = WordbookMaker()
    words = maker.vocabularies(ASKED, CORPUS)
    return maker, maker.module(None, words), words


# --- words, batches, loss


def test_each_side_has_its_own_words(untrained) -> None:
    _, _, words = untrained
    assert words.keys() == {"source", "target"}
    assert {"cat", "sees"} <= set(words["source"].entries)
    assert {"chat", "voit"} <= set(words["target"].entries)
    assert "chat" not in words["source"]
    assert "zebra" not in words["source"]  # only in test
    often = Recipe(Data("t", min_count=2), 0, None, None, Budget(1))
    assert "now" not in WordbookMaker().vocabularies(often, CORPUS)["source"]
    assert set(WordbookMaker().vocabularies(often, CORPUS)["target"].entries[4:]) == {
        "chat", "chien", "dort", "le", "un", "voit",
    }  # fmt: skip


def test_train_is_shuffled_anew_and_the_rest_stays(untrained) -> None:
    maker, _, words = untrained
    chance = torch.Generator().manual_seed(0)

    def rows(split: str) -> list:
        return [batch.rows.tolist() for batch in read[split]]

    read = {
        s: maker.batches(ASKED, words, CORPUS, s, chance)
        for s in ("train", "validation", "test")
    }
    orders = [rows("train") for _ in range(6)]
    for order in orders:
        assert sorted(row for rows in order for row in rows) == [0, 1, 2, 3, 4, 5]
    assert any(order != orders[0] for order in orders)
    assert all(batch.target_mask.numel() <= 12 for batch in read["train"])
    assert rows("test") == rows("test") == [[0, 1]]


def test_what_is_measured_has_a_bound(untrained, monkeypatch) -> None:
    maker, module, words = untrained
    monkeypatch.setattr(translating, "MEASURED", 1)
    chance = torch.Generator()
    batches = maker.batches(ASKED, words, CORPUS, "test", chance)
    assert [b.rows.tolist() for b in batches] == [[0]]
    asked = []
    decode = maker.decode
    maker.decode = lambda *told: asked.append(told[2]) or decode(*told)
    maker.measure(module, words, CORPUS)
    assert asked == [[VALIDATION[0].source], [TEST[0].source]]


def test_the_loss_counts_words_and_ends_and_no_padding(untrained) -> None:
    maker, module, words = untrained
    module.eval()
    batch, *_ = maker.batches(ASKED, words, CORPUS, "test", torch.Generator())
    V, tokens = len(words["target"]), 2 + 1 + 5 + 1
    total, count = maker.loss(module, batch)
    assert count == tokens
    assert total.item() == pytest.approx(tokens * math.log(V))
    with torch.no_grad():
        module.table.weight[words["source"].ids(["cat"])[0], 1] = math.log(V + 1)
    total, _ = maker.loss(module, batch)  # "chat" is read at "cat": 1 of 2 V
    expected = (tokens - 1) * math.log(V) + math.log(2 * V)
    assert total.item() == pytest.approx(expected)


# --- decoding


def test_it_translates_what_it_learnt_in_the_order_given(made) -> None:
    maker, model, words = made
    sources = [p.source for p in (*TRAIN, *VALIDATION)]
    found = maker.decode(model, words, sources)
    assert found == [[*p.target] for p in (*TRAIN, *VALIDATION)]
    for source, target in zip(sources, found, strict=True):
        assert maker.translate(model, words, source) == target
    assert maker.decode(model, words, []) == []


def test_dropout_is_off_while_it_translates(made) -> None:
    maker, model, words = made
    model.train()
    sources = [p.source for p in TRAIN] * 5
    assert maker.decode(model, words, sources) == [[*p.target] for p in TRAIN] * 5
    assert not model.training
    model.train()
    maker.looks(model, words, [(p.source, p.target) for p in TRAIN])
    assert not model.training


def test_a_beam_is_that_of_the_search(made) -> None:
    maker, model, words = made
    target, sources = words["target"], [p.source for p in TRAIN]
    found = maker.decode(model, words, sources, size=3, penalty=per_word)
    for source, written in zip(sources, found, strict=True):
        ((_, ids, mask),) = padded([source], words["source"])
        ((best,),) = beam_search(
            model, ids, mask, begin=target.start, end=target.end,
            longest=longest(len(source)), size=3, penalty=per_word,
        )  # fmt: skip
        assert target.words(best.ids) == written


def test_a_translation_may_be_twice_as_long_and_no_longer(untrained) -> None:
    maker, module, words = untrained
    with torch.no_grad():
        module.table.weight[:, words["target"].ids(["le"])[0]] = 9.0  # and never ends
    assert [longest(n) for n in (1, 10)] == [14, 32]
    for size in (1, 2):
        found = maker.decode(module, words, [["cat"], ["a"] * 10], size=size)
        assert [len(words) for words in found] == [32, 32]  # of one batch
    assert len(maker.decode(module, words, [["cat"]])[0]) == 14


def test_sentences_of_like_length_are_padded_together(monkeypatch) -> None:
    words = WordbookMaker().vocabularies(ASKED, CORPUS)["source"]
    sources = [["cat"] * n for n in (5, 1, 3, 1, 2)]
    ((rows, ids, mask),) = padded(sources, words)
    assert rows == [1, 3, 4, 2, 0]
    assert ids.shape == mask.shape == (5, 6)
    assert mask.sum(dim=1).tolist() == [2, 2, 3, 4, 6]
    (cat,) = words.ids(["cat"])
    assert ids[2].tolist() == [cat, cat, words.end, *[words.pad] * 3]
    monkeypatch.setattr(translating, "TOKENS", 6)
    assert [rows for rows, *_ in padded(sources, words)] == [[1], [3], [4], [2], [0]]
    monkeypatch.setattr(translating, "TOKENS", 1)
    assert [rows for rows, *_ in padded(sources, words)] == [[1], [3], [4], [2], [0]]


def test_no_source_may_be_empty(made) -> None:
    maker, model, words = made
    with pytest.raises(ValueError, match=r"sources \[1, 2\] are empty: expected at le"):
        maker.decode(model, words, [["cat"], [], ()])
    with pytest.raises(ValueError, match=r"sources \[0\] are empty"):
        maker.translate(model, words, [])


def test_text_alone_is_refused() -> None:
    text = Corpus("t", "1", 1, (("a",),), (), (), (), {})
    with pytest.raises(ValueError, match="a translator learns from pairs, t has none"):
        WordbookMaker().vocabularies(ASKED, text)


# --- looking


def test_weights_are_rows_of_target_and_columns_of_source(made) -> None:
    maker, model, words = made
    read = [(p.source, p.target) for p in TRAIN]
    for (source, target), looked in zip(
        read, maker.looks(model, words, read), strict=True
    ):
        assert looked.shape == (len(target) + 1, len(source) + 1)
        np.testing.assert_array_equal(looked, np.eye(len(target) + 1))
        alone = maker.weights(model, words, source, target)
        np.testing.assert_array_equal(alone, np.eye(len(target)))
        assert alone.dtype == np.float64
    uneven = maker.weights(model, words, ["a", "cat"], ["un", "chat", "le", "le"])
    assert uneven.tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]  # the end is looked at


def test_a_word_is_aligned_to_where_it_looks_most_unless_that_is_the_end(made) -> None:
    maker, model, words = made
    target = ["un", "chat", "le", "le"]
    assert maker.align(model, words, ["a", "cat"], target) == {(0, 0), (1, 1)}
    assert maker.looked_at(model, words, ["a", "cat"], target) == [0, 1, None, None]
    looked = np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [0.1, 0.2, 0.7], [1, 0, 0]])
    assert most(looked) == {(1, 0), (0, 1)}
    assert all(type(i) is int for link in most(looked) for i in link)


def test_it_measures_bleu_and_the_error_of_pairs_with_links(made) -> None:
    maker, model, words = made
    found = maker.measure(model, words, CORPUS)
    assert found["validation BLEU"] == pytest.approx(100)
    assert found["validation AER"] == 0
    written = [["un", "chat"], maker.translate(model, words, TEST[1].source)]
    assert len(written[1]) == 6
    expected = bleu(hypotheses=written, references=[[*p.target] for p in TEST]).score
    assert found["test BLEU"] == pytest.approx(expected)
    assert 0 < expected < 100
    gold = TEST[0].sure
    rate = alignment_error_rate([{(0, 0), (1, 1)}], [gold], [gold])
    assert found["test AER"] == pytest.approx(rate)
    blind = BlindMaker().measure(model, words, CORPUS)
    assert blind == {k: v for k, v in found.items() if "BLEU" in k}


# --- what is not known


def test_unknown_words_are_kept_and_marked(made) -> None:
    maker, model, words = made
    unk = words["source"].unk
    before = model.table.weight.detach().clone()
    with torch.no_grad():
        model.table.weight[unk] = 0
        model.table.weight[unk, words["target"].ids(["chien"])[0]] = 9
    told = maker.explain(model, words, ["the", "zebra", "sleeps"])
    assert told.source == ("the", "[zebra]", "sleeps")
    assert told.words == ("le", "chien", "dort")
    assert told.unknown == (Unknown(1, "zebra", "<unk>", ("chien",)),)
    with torch.no_grad():
        model.table.weight[unk, words["target"].unk] = 10
    told = maker.explain(model, words, ["gnu", "sees", "the", "zebra"], size=2)
    assert told.words == ("[gnu]", "voit", "le", "[zebra]")
    assert told.unknown == (
        Unknown(0, "gnu", "<unk>", ("[gnu]",)),
        Unknown(3, "zebra", "<unk>", ("[zebra]",)),
    )
    blind = BlindMaker().explain(model, words, ["gnu", "sees"])
    assert blind.words == ("<unk>", "voit")
    assert blind.source == ("[gnu]", "sees")
    assert blind.unknown == (Unknown(0, "gnu", "<unk>", ()),)
    with torch.no_grad():
        model.table.weight.copy_(before)


def test_where_all_is_known_nothing_is_told(made) -> None:
    maker, model, words = made
    told = maker.explain(model, words, ["a", "cat"])
    assert (told.words, told.source, told.unknown) == (("un", "chat"), ("a", "cat"), ())


def test_an_unknown_word_of_the_model_alone_stays_as_it_is(made) -> None:
    maker, model, words = made
    (cat,) = words["source"].ids(["cat"])
    before = model.table.weight.detach().clone()
    with torch.no_grad():
        model.table.weight[cat, words["target"].unk] = 99
    told = maker.explain(model, words, ["cat", "zebra"])
    assert told.words[0] == "<unk>"
    assert told.unknown[0].word == "zebra"
    with torch.no_grad():
        model.table.weight.copy_(before)
