"""Datasets: what a `DataLoader` reads samples from."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, Generic, TypeVar

from ...sampling import default_generator, randperm

__all__ = [
    "ChainDataset", "ConcatDataset", "Dataset", "IterableDataset", "StackDataset", "Subset", "TensorDataset",
    "random_split",
]  # fmt: skip

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """A dataset whose samples have keys, mostly numbers: a class has `__getitem__`, and `__len__` for most uses.

    A class may have ``__getitems__(keys)`` too, which returns the samples of a batch.
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> Any:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """A dataset whose samples come one after the other: a class has `__iter__`.

    Where a `DataLoader` has workers, each of them goes through the whole dataset. Look at `get_worker_info` to give
    each of them a part.
    """

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Any, ...]]):
    """The elements of tensors along their first axis: sample i is a tuple of the i-th element of each.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.utils.data.TensorDataset(torch.arange(3), torch.arange(3) * 10)[2]
    (tensor(2), tensor(20))
    """

    def __init__(self, *tensors: Any) -> None:
        if any(x.size(0) != tensors[0].size(0) for x in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple([x[index] for x in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


def _several(dataset: Any, keys: Any) -> list[Any]:
    """The samples of keys."""
    if callable(getattr(dataset, "__getitems__", None)):
        found = dataset.__getitems__(keys)
        if len(found) != len(keys):
            raise ValueError(f"Nested dataset's output size mismatch. Expected {len(keys)}, got {len(found)}")
        return found
    return [dataset[key] for key in keys]


class StackDataset(Dataset[Any]):
    """Several datasets side by side: a sample is a tuple of theirs, or a dict if they are given by name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        self.datasets: Any = args or kwargs
        if not self.datasets:
            raise ValueError("At least one dataset should be passed")
        lengths = [len(x) for x in self._each()]
        if len({*lengths}) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = lengths[0]

    def _each(self) -> list[Any]:
        return [*self.datasets.values()] if isinstance(self.datasets, dict) else [*self.datasets]

    def _sample(self, parts: Any) -> Any:
        return dict(zip(self.datasets, parts, strict=True)) if isinstance(self.datasets, dict) else tuple(parts)

    def __getitem__(self, index: Any) -> Any:
        return self._sample([x[index] for x in self._each()])

    def __getitems__(self, indices: Any) -> list[Any]:
        columns = [_several(x, indices) for x in self._each()]
        return [self._sample(row) for row in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T_co]):
    """Datasets one after the other.

    Attributes
    ----------
    cumulative_sizes: the number of the first sample behind each dataset.
    """

    @staticmethod
    def cumsum(sequence: Any) -> list[int]:
        """Return the sums of the lengths of a sequence's first elements."""
        return [*accumulate(map(len, sequence))]

    def __init__(self, datasets: Any) -> None:
        self.datasets = [*datasets]
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(x, IterableDataset) for x in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect_right(self.cumulative_sizes, idx)
        return self.datasets[which][idx - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Any]):
    """Iterable datasets one after the other."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = datasets

    def _each(self) -> Iterator[Any]:
        for x in self.datasets:
            if not isinstance(x, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield x

    def __iter__(self) -> Iterator[Any]:
        for x in self._each():
            yield from x

    def __len__(self) -> int:
        return sum(len(x) for x in self._each())


class Subset(Dataset[T_co]):
    """The samples of a dataset that have given keys.

    Parameters
    ----------
    dataset: the dataset.
    indices: the keys.
    """

    def __init__(self, dataset: Any, indices: Any) -> None:
        self.dataset, self.indices = dataset, indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{kind.__name__} overrides __getitem__ but not __getitems__, which a DataLoader calls. Write both"
            )

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: Any) -> list[Any]:
        keys = [self.indices[i] for i in indices]
        several = getattr(self.dataset, "__getitems__", None)
        return several(keys) if callable(several) else [self.dataset[key] for key in keys]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset, lengths, generator=default_generator):
    """Split a dataset at random.

    Parameters
    ----------
    dataset: the dataset.
    lengths: the number of samples of each part; or fractions whose sum is 1, of which what is left over goes to the
        first parts, one sample each.
    generator: where random numbers are drawn from.

    Returns
    -------
    A `Subset` for each part.

    Raises
    ------
    ValueError: the sum of the lengths is not the length of the dataset, or a fraction is outside of 0 and 1.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> [len(part) for part in torch.utils.data.random_split(range(10), [0.75, 0.25])]
    [8, 2]
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for i, fraction in enumerate(lengths):
            if not 0 <= fraction <= 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        counts = [math.floor(len(dataset) * fraction) for fraction in lengths]
        for i in range(len(dataset) - sum(counts)):
            counts[i % len(counts)] += 1
        for i, count in enumerate(counts):
            if not count:
                warnings.warn(
                    f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2
                )
        lengths = counts
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(sum(lengths), generator=generator).tolist()
    return [Subset(dataset, order[end - n : end]) for end, n in zip(accumulate(lengths), lengths, strict=True)]
