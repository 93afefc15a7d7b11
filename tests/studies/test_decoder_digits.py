"""Digits spelt out: the task, the four faults."""

import pytest
import torch

from lookback.studies.decoder_digits import (
    BEGIN,
    END,
    FAULTS,
    LONGEST,
    NAMES,
    SIGNS,
    Speller,
    loss,
    spelt,
)


def speller(fault: str) -> Speller:
    torch.manual_seed(0)
    return Speller(fault, d=8).eval()


def test_digits_are_spelt_between_a_beginning_and_ends() -> None:
    x = torch.tensor([[3, 1, 4], [3, 7, 8]])
    rows = ["".join(SIGNS[i] for i in row) for row in spelt(x).tolist()]
    assert rows == ["<three one four>>>>", "<three seven eight>"]
    assert (SIGNS[BEGIN], SIGNS[END]) == ("<", ">") and len(NAMES) == 10
    assert all(spelt(torch.full((1, 3), n))[0, -1] == END for n in range(10))


@pytest.mark.parametrize("fault", FAULTS)
def test_each_has_its_fault_and_no_other(fault: str) -> None:
    model, x = speller(fault), torch.tensor([[3, 1, 4], [7, 8, 9]])
    letters = spelt(x)[:, :-1]
    future = letters.clone()
    future[:, 5:] = END
    logits, weights = model(x, letters)
    assert logits.shape == (2, LONGEST - 1, len(SIGNS))
    assert weights.shape == (2, 2, LONGEST - 1, 3)
    same = torch.allclose(model(x, future)[0][:, :5], logits[:, :5], atol=1e-6)
    assert same == (fault != "no mask")
    other = torch.allclose(model(x.flip(0), letters)[0], logits, atol=1e-6)
    assert other == (fault == "no source")


@pytest.mark.parametrize("fault", FAULTS)
def test_only_without_a_shift_the_answer_is_read(fault: str) -> None:
    model, x = speller(fault), torch.tensor([[3, 1, 4]])
    target = spelt(x)
    read = target[:, 1:] if fault == "no shift" else target[:, :-1]
    log_p = model(x, read)[0].log_softmax(dim=-1)
    chosen = log_p.gather(2, target[:, 1:, None])
    torch.testing.assert_close(loss(model, x), -chosen.mean())


def test_all_begin_with_the_same_numbers() -> None:
    one, *others = (speller(fault).state_dict() for fault in FAULTS)
    for other in others:
        assert all(torch.equal(one[name], other[name]) for name in one)


def test_what_is_written_ends_before_its_first_end() -> None:
    model = speller("none")
    for row in model.write(torch.tensor([[0, 1, 2], [9, 9, 9]])):
        assert ">" not in row and len(row) < LONGEST
