"""Several processes that train one network together, each on a GPU of its own, or all on CPUs.

torchrun starts them and numbers them by rank. Each plays games of its own and has the same weights as the
others: DistributedDataParallel averages the gradients. The first one, of rank 0, keeps the time, saves and
prints.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from torch import Tensor, nn

Item = TypeVar("Item")


class ProcessGroup:
    """The processes that train one network: this one alone, unless torchrun started several."""

    def __init__(self, rank: int = 0, size: int = 1, local_size: int = 1, device: str = "cpu") -> None:
        self.rank, self.size, self.device = rank, size, device
        self.local_size = local_size  # how many of them share this machine's cores
        self._interrupted = False

    @property
    def is_first(self) -> bool:
        """Whether this process keeps the time, saves and prints."""
        return self.rank == 0

    def data_parallel(self, model: nn.Module) -> nn.Module:
        """The model as it is trained: with the first process's weights, and gradients averaged over all."""
        if self.size == 1:
            return model
        from torch.nn.parallel import DistributedDataParallel

        return DistributedDataParallel(model, broadcast_buffers=False)

    def from_first(self, number: float) -> float:
        """The first process's number, in all of them."""
        if self.size == 1:
            return number
        import torch.distributed as dist

        sent = self._tensor(number)
        dist.broadcast(sent, src=0)
        return float(sent)

    def least(self, number: int) -> int:
        """The least of the processes' numbers, in all of them."""
        if self.size == 1:
            return number
        import torch.distributed as dist

        sent = self._tensor(number)
        dist.all_reduce(sent, op=dist.ReduceOp.MIN)
        return int(sent)

    def gather(self, item: Item) -> list[Item]:
        """What each process has, by rank, in all of them."""
        if self.size == 1:
            return [item]
        import torch.distributed as dist

        found: list[Any] = [None] * self.size
        dist.all_gather_object(found, item)
        return cast(list[Item], found)

    def _tensor(self, number: float) -> Tensor:
        import torch

        return torch.tensor(float(number), dtype=torch.float64, device=self.device)

    @contextmanager
    def interrupts_held(self) -> Iterator[None]:
        """Hold Ctrl-C until `check_interrupt`: a process that stopped by itself would leave the others
        waiting for it.
        """
        if self.size == 1:
            yield
            return

        def hold(*_: object) -> None:
            self._interrupted = True

        before = signal.signal(signal.SIGINT, hold)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def check_interrupt(self) -> None:
        """Raise KeyboardInterrupt in all processes if any of them was interrupted."""
        if self.least(-int(self._interrupted)) < 0:
            raise KeyboardInterrupt

    def leave(self) -> None:
        """End what the processes share."""
        if self.size > 1:
            import torch.distributed as dist

            dist.destroy_process_group()


def launched() -> bool:
    """Whether torchrun started this process along with others."""
    return "TORCHELASTIC_RUN_ID" in os.environ and int(os.environ["WORLD_SIZE"]) > 1


def local_processes() -> int:
    """How many processes torchrun started on this machine."""
    return int(os.environ["LOCAL_WORLD_SIZE"]) if launched() else 1


def join_processes(device: str) -> ProcessGroup:
    """The group of the processes that torchrun started, or of this one. On GPUs, this one takes its own."""
    if not launched():
        return ProcessGroup(device=device)
    import torch
    import torch.distributed as dist

    if device == "cuda":
        from numba import cuda

        mine = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(mine)
        cuda.select_device(mine)
    dist.init_process_group("nccl" if device == "cuda" else "gloo")
    return ProcessGroup(dist.get_rank(), dist.get_world_size(), local_processes(), device)
