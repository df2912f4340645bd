"""`DistributedSampler`: the share that one of several processes has of a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...sampling import Generator, randperm
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every n-th sample of a dataset, for process `rank` of n.

    Parameters
    ----------
    dataset: the dataset.
    num_replicas, rank: the number of processes, and which of them this is. They must be given: there is no
        ``torch.distributed`` to ask.
    shuffle: whether the order is random: the same one in all processes, and another one after `set_epoch`.
    seed: the seed of the order, the same in all processes.
    drop_last: whether samples are left out so that all processes have as many; else the first ones come again.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise ValueError("there is no torch.distributed to ask for num_replicas and rank: give both")
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank, self.epoch = dataset, num_replicas, rank, 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        count = len(dataset)
        self.num_samples = count // num_replicas if drop_last else -(-count // num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = [*range(count)]
        if self.shuffle:
            order = randperm(count, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        while len(order) < self.total_size:
            order += order[: self.total_size - len(order)]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the epoch, which changes the random order."""
        self.epoch = epoch
