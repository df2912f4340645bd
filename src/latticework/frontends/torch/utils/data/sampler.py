"""Samplers: the order in which a `DataLoader` reads a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

from ...core import ops
from ...sampling import Generator, multinomial, randint, randperm

__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler",
]  # fmt: skip

T_co = TypeVar("T_co", covariant=True)


def drawn_seed(generator: Any = None) -> int:
    """Draw a seed."""
    return int(randint(2**62, (), generator=generator).item())


def _positive(name: str, value: Any) -> Any:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")
    return value


class Sampler(Generic[T_co]):
    """The keys of samples, or lists of keys, in an order: a class has `__iter__`, and `__len__` if it knows it."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """The numbers of all samples in order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The numbers of samples at random.

    Parameters
    ----------
    data_source: the dataset.
    replacement: whether a sample may come again before all others have come.
    num_samples: how many; as many as there are by default.
    generator: where numbers are drawn from. Without one, a seed for a new generator is drawn from the dialect's own at
        the beginning of each epoch.

    Notes
    -----
    Without replacement the order is that of ``torch.randperm(n, generator=generator)``.
    """

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        _positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many samples an epoch has."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, left, generator = len(self.data_source), self.num_samples, self.generator
        if generator is None:
            generator = Generator().manual_seed(drawn_seed())
        if self.replacement:
            yield from randint(count, (left,), generator=generator).tolist()
            return
        while left > 0:
            yield from randperm(count, generator=generator).tolist()[:left]
            left -= count

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given keys at random, each once."""

    def __init__(self, indices: Any, generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """The numbers of samples, each with a chance in proportion to its weight.

    Parameters
    ----------
    weights: the weights, which need not add up to 1.
    num_samples: how many samples an epoch has.
    replacement: whether a sample may come again.
    generator: where numbers are drawn from; the dialect's own by default.
    """

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None) -> None:
        self.num_samples = _positive("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = ops.asarray(weights, dtype="float64")
        if self.weights.dim() != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.replacement, self.generator = replacement, generator

    def __iter__(self) -> Iterator[int]:
        yield from multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of the keys of another sampler.

    Parameters
    ----------
    sampler: the sampler, or an iterable of keys.
    batch_size: how many keys a list has.
    drop_last: whether a shorter list at the end is left out.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> [*torch.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False)]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        self.sampler, self.batch_size = sampler, _positive("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        keys = iter(self.sampler)
        while batch := [*islice(keys, self.batch_size)]:
            if not self.drop_last or len(batch) == self.batch_size:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
