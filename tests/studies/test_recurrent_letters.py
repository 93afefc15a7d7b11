"""Letters that become words: what is trained, and what is counted."""

from dataclasses import replace

import torch

from lookback.studies import recurrent_letters
from lookback.studies.recurrent_letters import STUDY, Letters, spelt, text, write
from lookback.workshop import results

SMALL = Letters(True, seed=0, steps=30, m=4, n=8, batch=8, pairs=100, written=300)


def test_it_repeats_itself_and_each_seed_is_another() -> None:
    found = spelt(SMALL)
    assert spelt(SMALL) == found
    assert spelt(replace(SMALL, seed=1)) != found
    assert 0 <= found["real"] < 1


def test_without_memory_only_the_last_letter_counts() -> None:
    model = recurrent_letters._model(replace(SMALL, memory=False), 9)
    assert not model.cell.U.any()
    scores, _ = model(torch.tensor([[3, 5, 7], [4, 1, 7]]))
    assert torch.equal(scores[0, 2], scores[1, 2])
    scores, _ = recurrent_letters._model(SMALL, 9)(torch.tensor([[3, 5, 7], [4, 1, 7]]))
    assert not torch.equal(scores[0, 2], scores[1, 2])


def test_what_it_writes_is_drawn_from_its_state() -> None:
    model = recurrent_letters._model(SMALL, len(set(text(100))))
    with torch.no_grad():
        model.out.weight.zero_()
        model.out.bias.fill_(-50)
        model.out.bias[4] = 50
    assert write(model, 0, 5, torch.Generator().manual_seed(1)) == [4] * 5


def test_what_the_chapter_says_of_the_study() -> None:
    """A sentence of docs/recurrent.md that has no number of its own."""
    found = results("recurrent_letters")
    with_memory = [row["real"] for row in found.seeds("with memory")]
    without = [row["real"] for row in found.seeds("without")]
    assert len(with_memory) == len(without) == 5
    assert min(with_memory) > 1.5 * max(without)
    assert {case.memory for case in STUDY.cases.values()} == {True, False}
