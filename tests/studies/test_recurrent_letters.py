"""Letters that become words: what a network without memory sees, and what is drawn."""

import torch

from lookback.studies.recurrent_letters import network, write


def test_without_memory_only_the_last_letter_counts() -> None:
    ids = torch.tensor([[3, 5, 7], [4, 1, 7]])
    for memory in (True, False):
        torch.manual_seed(0)
        model = network(9, memory)
        assert bool(model.cell.U.any()) == memory
        scores, _ = model(ids)
        assert torch.equal(scores[0, 2], scores[1, 2]) != memory


def test_what_it_writes_is_drawn_from_its_state() -> None:
    model = network(9, True)
    with torch.no_grad():
        model.out.weight.zero_()
        model.out.bias.fill_(-50)
        model.out.bias[4] = 50
    assert write(model, 0, 5, torch.Generator().manual_seed(1)) == [4] * 5
