"""What samples is given a generator; torch's own is left as it was found."""

import torch

from lookback.trainer import seeds


def test_a_generator_is_its_seeds() -> None:
    one, other, third = (seeds.generator(seed) for seed in (1, 1, 2))
    drawn = torch.rand(5, generator=one)
    assert torch.equal(drawn, torch.rand(5, generator=other))
    assert not torch.equal(drawn, torch.rand(5, generator=third))


def test_inside_torch_is_seeded_and_outside_it_is_as_if_unused() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(11)
        expected = torch.rand(4)
        torch.manual_seed(11)
        draws = []
        for seed in (5, 5, 6):
            with seeds.seeded(seed):
                draws.append(torch.rand(3))
        assert torch.equal(torch.rand(4), expected)
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])


def test_what_fails_inside_leaves_no_trace_either() -> None:
    before = torch.get_rng_state()
    try:
        with seeds.seeded(3):
            torch.rand(2)
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert torch.equal(torch.get_rng_state(), before)
