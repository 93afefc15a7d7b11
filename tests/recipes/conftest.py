"""What tests of recipes share."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small tensors wait for threads longer than they are computed on."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class Counting(DistributedDataParallel):
    """Counts how often it is called: only so do processes share their gradients."""

    calls = 0

    def forward(self, *inputs: Any) -> Any:
        self.calls += 1
        return super().forward(*inputs)


@pytest.fixture
def wrapped() -> Iterator[Callable[[nn.Module], Counting]]:
    """Wraps a network as for several processes, of which there is one."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield Counting
    dist.destroy_process_group()
