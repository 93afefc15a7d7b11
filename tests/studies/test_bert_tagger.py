"""BERT on real text: how pairs are made and masked, and how a tagger begins."""

import pytest
import torch

from lookback.recipes.bert import TrainedConfig
from lookback.studies import bert_tagger
from lookback.studies.bert_tagger import (
    CLS,
    PIECE,
    SEGMENTS,
    SEP,
    BERTTagger,
    ColumnBERT,
    Piece,
    frequency_perplexity,
    masked,
    once_in,
    pair,
    pairs,
    pieces,
)
from lookback.text.corpora import Corpus
from lookback.window import PADDING, Lookup

SMALL = TrainedConfig(N=1, d_model=8, h=2, d_ff=12, max_positions=70, init=0.3)
WORDS = [f"word{n}" for n in range(40)]
LOOKUP = Lookup([[CLS, SEP, CLS, SEP], WORDS, WORDS])


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def text() -> list[Piece]:
    return pieces([WORDS * 4, WORDS[:5], WORDS * 2], LOOKUP)


def test_articles_are_cut_into_pieces_and_their_rests_are_left_out() -> None:
    found = text()
    assert [piece.article for piece in found] == [0] * 5 + [2] * 2
    assert all(piece.x.shape == (PIECE, 4) for piece in found)
    assert torch.equal(found[1].x, LOOKUP([WORDS * 4])[0, PIECE : 2 * PIECE])


def test_only_titles_begin_articles(monkeypatch: pytest.MonkeyPatch) -> None:
    """A legend of a table, " = W , L = ", does not; equal titles do."""
    lines = "= A b =", "c .", "= W , L =", "= x =", "d", "= x =", "e ."
    text = tuple(tuple(line.split()) for line in lines)
    words = tuple({word for line in text for word in line})
    topics = {"train": ("A b", "x", "x")}
    corpus = Corpus("wikitext2", "", 1, text, (), (), words, topics)
    monkeypatch.setattr(bert_tagger, "wiki", lambda: corpus)
    found = [" ".join(page) for page in bert_tagger.wiki_articles("train")]
    assert found == ["= A b = c . = W , L =", "= x = d", "= x = e ."]


def test_a_pair_is_framed_and_half_of_the_pairs_follow() -> None:
    found = text()
    x = pair(found[0].x, found[1].x, LOOKUP)
    cls, sep = (LOOKUP([[name]])[0, 0] for name in (CLS, SEP))
    assert torch.equal(x[0], cls)
    assert torch.equal(x[PIECE + 1], sep) and torch.equal(x[-1], sep)
    assert SEGMENTS.tolist() == [0] * (PIECE + 2) + [1] * (PIECE + 1)
    words, follows = pairs(found, 400, generator(), LOOKUP)
    assert words.shape == (400, 2 * PIECE + 3, 4) and 160 < follows.sum() < 240
    after = {k: found[k + 1].x for k in (0, 1, 2, 3, 5)}
    for row, yes in zip(words, follows, strict=True):
        if yes:
            firsts = [k for k in after if torch.equal(found[k].x, row[1 : PIECE + 1])]
            assert any(torch.equal(after[k], row[PIECE + 2 : -1]) for k in firsts)


def test_a_masked_word_shows_nothing_of_itself() -> None:
    words, _ = pairs(text(), 50, generator(), LOOKUP)
    given, chosen = masked(words, LOOKUP, 99, generator())
    assert (chosen.sum(dim=1) == round(0.15 * 2 * PIECE)).all()
    assert torch.equal(given[~chosen], words[~chosen])
    hidden = given[..., 0] == 99
    assert 0.7 < hidden.sum() / chosen.sum() < 0.9
    assert (given[hidden][:, 1:] == PADDING).all()
    assert not chosen[:, 0].any() and not chosen[:, -1].any()


def test_rows_of_all_columns_are_added() -> None:
    bert = ColumnBERT(SMALL, LOOKUP.sizes).eval()
    x = LOOKUP([WORDS[:3]])
    rows = bert.e(x[..., 0]) + bert.p(3) + bert.s(torch.zeros(1, 3, dtype=torch.long))
    for k, table in enumerate(bert.more, 1):
        rows = rows + table(x[..., k])
    torch.testing.assert_close(bert.embed(x), bert.norm(rows))


def test_a_tagger_frames_sentences_and_padding_does_not_matter() -> None:
    torch.manual_seed(0)
    tagger = BERTTagger(ColumnBERT(SMALL, LOOKUP.sizes), LOOKUP, 5).eval()
    long, short = WORDS[:6], WORDS[7:9]
    together = tagger(LOOKUP([long, short]))
    assert together.shape == (2, 6, 5)
    torch.testing.assert_close(together[1, :2], tagger(LOOKUP([short]))[0])
    framed = LOOKUP([[CLS, *short, SEP]])
    x, _ = tagger.bert.states(framed, torch.ones(1, 4, dtype=torch.bool))
    torch.testing.assert_close(together[1, :2], tagger.W_y(x)[0, 1:3])


def test_rare_words_are_those_that_the_labels_hold_once() -> None:
    same = once_in(LOOKUP, [WORDS[:3], WORDS[1:2]])
    names = {n: word for word, n in LOOKUP.tables[0].items()}
    rare = {names[n] for n in same.rare.nonzero().flatten().tolist()}
    assert rare == {WORDS[0], WORDS[2]} and same.sizes == LOOKUP.sizes


def test_frequencies_are_those_of_words_that_may_be_masked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where every word is as frequent as the others, all of them are as likely."""
    monkeypatch.setattr(bert_tagger, "words_of_both", lambda: LOOKUP)
    monkeypatch.setattr(bert_tagger, "read", lambda split: [text()])
    known = LOOKUP.sizes[0] - LOOKUP.tables[0][SEP] - 1
    (found,) = frequency_perplexity(more=1e9)
    assert found == pytest.approx(known, abs=0.1)
