"""Two cards asked for at once: the task, what is measured, what the page says of it.

Mutants that these tests kill: cards with a letter twice; digits of other cards; a
question that does not know its order; weights summed over the wrong cards.
"""

import pytest
import torch

from lookback.studies.multihead_cards import (
    HEADS,
    HIDDEN,
    LONGER,
    SEEDS,
    STUDY,
    Answerer,
    Cards,
    case,
    dealt,
    measured,
)
from lookback.workshop import results


def test_six_different_letters_and_two_different_cards_of_them() -> None:
    letters, digits, asked = dealt(200, torch.Generator().manual_seed(1))
    assert letters.shape == digits.shape == (200, 6) and asked.shape == (200, 2)
    assert all(len(set(row)) == 6 for row in letters.tolist())
    assert letters.max() <= 25 and digits.max() <= 9 and digits.min() >= 0
    assert (asked[:, 0] != asked[:, 1]).all() and asked.max() == 5
    assert (asked[:, 0] > asked[:, 1]).any() and (asked[:, 0] < asked[:, 1]).any()


@pytest.mark.parametrize("h", HEADS)
def test_the_answer_depends_on_the_order_of_the_question(h: int) -> None:
    torch.manual_seed(0)
    model = Answerer(h)
    letters, digits, asked = dealt(3, torch.Generator().manual_seed(2))
    question = letters.gather(1, asked)
    logits, weights = model(letters, digits, question)
    assert logits.shape == (3, 2, 10) and weights.shape == (3, h, 6)
    assert torch.allclose(weights.sum(dim=2), torch.ones(3, h))
    turned, _ = model(letters, digits, question.flip(1))
    assert not torch.allclose(logits, turned, atol=1e-3)


def test_what_is_measured_repeats_itself_and_consists_of_shares() -> None:
    task = Cards(h=2, seed=0, steps=3)
    found = measured(task)
    assert found == measured(task)
    assert 0 <= found["both"] + found["one"] <= 1
    assert 1 / 6 <= found["on one of them"] <= found["on the asked"] <= 1


def test_one_head_finds_one_of_two_cards_and_two_heads_find_both() -> None:
    stored = results("multihead_cards")
    assert [*stored.rows] == [*STUDY.cases]
    sizes = {
        (STUDY.cases[name].hidden, row["parameters"])
        for name, row in stored.rows.items()
    }
    assert len(sizes) == 2  # one for each way of reading, however many heads
    for seed in SEEDS:
        assert stored[case(1, seed)]["both"] < 0.13
        assert stored[case(1, seed)]["one"] > 0.85
        assert min(stored[case(h, seed)]["both"] for h in (2, 4)) > 0.98
    assert STUDY.cases[case(1, 0, True)].steps == LONGER * STUDY.cases[case(1, 0)].steps
    assert max(stored[case(1, seed, True)]["both"] for seed in SEEDS[:3]) < 0.13


def test_a_feed_forward_network_reads_two_cards_from_one_head() -> None:
    stored = results("multihead_cards")
    for seed in SEEDS[:3]:
        linear, fed = (stored[case(1, seed, True, n, True)] for n in (0, HIDDEN))
        assert linear["both"] < 0.2 < 0.9 < fed["both"]
        assert fed["on one of them"] > 2 * fed["on the other"] > 0.4
