"""Two cards asked for at once: what is dealt; the order of a question counts."""

import pytest
import torch

from lookback.studies.multihead_cards import Answerer, dealt


def test_six_different_letters_and_two_different_cards_of_them() -> None:
    letters, digits, asked = dealt(200, torch.Generator().manual_seed(1))
    assert letters.shape == digits.shape == (200, 6) and asked.shape == (200, 2)
    assert all(len(set(row)) == 6 for row in letters.tolist())
    assert letters.max() <= 25 and digits.max() <= 9 and digits.min() >= 0
    assert (asked[:, 0] != asked[:, 1]).all() and asked.max() == 5
    assert (asked[:, 0] > asked[:, 1]).any() and (asked[:, 0] < asked[:, 1]).any()


@pytest.mark.parametrize("h", (1, 2, 4))
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
