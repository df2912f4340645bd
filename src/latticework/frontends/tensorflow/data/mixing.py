"""The methods of `tf.data.Dataset` that take elements of several datasets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dtypes
from ..errors import invalid
from .drawing import stream
from .grouping import _of, _positive
from .structure import INFINITE, UNKNOWN, joined, leaves, mapped

if TYPE_CHECKING:
    from .dataset import Dataset

__all__ = ["Mixing"]


class Mixing:
    """The methods that take elements of several datasets."""

    element_spec: Any
    _elements: Callable[[], Iterator[Any]]
    _count: Callable[[], int]

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: Any = None) -> Dataset:
        """Elements built of one of each dataset, up to the end of the shortest.

        Parameters
        ----------
        args: datasets, or one tuple or dictionary of them.
        datasets: the same by name.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        given = (args[0] if len(args) == 1 else args) if args else datasets
        for d in leaves(given):
            if isinstance(d, list):
                raise TypeError("Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                                "`tf.data.Dataset` objects. Python `list` is not supported and you should use `tuple` "
                                "instead.")  # fmt: skip
            if not hasattr(d, "_elements"):
                raise TypeError("Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                                f"`tf.data.Dataset` objects but encountered object of type {type(d)}.")  # fmt: skip

        def elements() -> Iterator[Any]:
            sources = mapped(lambda d: d._elements(), given)
            while True:
                try:
                    yield mapped(next, sources)
                except StopIteration:
                    return

        def count() -> int:
            counts = [d._count() for d in leaves(given)]
            known = [n for n in counts if n >= 0]
            return UNKNOWN if UNKNOWN in counts else min(known) if known else INFINITE

        return _of("Zip", elements, lambda: mapped(lambda d: d.element_spec, given), count)

    def flat_map(self, map_func: Any, name: Any = None) -> Dataset:
        """The elements of the datasets that a function gives for each element, one dataset after the other."""

        def elements() -> Iterator[Any]:
            for x in self._elements():
                yield from _dataset_of(map_func, x)._elements()

        return _of("FlatMap", elements, lambda: _first_specs(self, map_func), lambda: UNKNOWN)

    def interleave(
        self, map_func: Any, cycle_length: Any = None, block_length: Any = None, num_parallel_calls: Any = None,
        deterministic: Any = None, name: Any = None,
    ) -> Dataset:  # fmt: skip
        """The elements of the datasets that a function gives for each element, of several datasets by turns.

        Parameters
        ----------
        cycle_length: of how many datasets; by default as many as there are processors, as in TensorFlow.
        block_length: how many elements one gives in its turn; 1 by default.
        """
        width = _processors() if cycle_length in (None, -1) else _positive(cycle_length, "cycle_length")
        length = 1 if block_length is None else _positive(block_length, "block_length")

        def elements() -> Iterator[Any]:
            source, slots, at, given = self._elements(), [None] * width, 0, 0
            more = True
            while more or any(s is not None for s in slots):
                slot: Any = slots[at]
                if slot is None and more:
                    try:
                        slot = slots[at] = _dataset_of(map_func, next(source))._elements()
                        given = 0
                    except StopIteration:
                        more = False
                        continue
                if slot is not None:
                    found = next(slot, _END)
                    if found is not _END:
                        yield found
                        given += 1
                        if given < length:
                            continue
                    else:
                        slots[at] = None
                at, given = (at + 1) % width, 0

        return _of("Interleave", elements, lambda: _first_specs(self, map_func), lambda: UNKNOWN)

    @staticmethod
    def sample_from_datasets(
        datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: Any = False,
        rerandomize_each_iteration: Any = None,
    ) -> Dataset:  # fmt: skip
        """Elements of datasets that are drawn at random. The order is not TensorFlow's.

        Parameters
        ----------
        weights: how often each dataset is drawn, alike by default; numbers, or a dataset of such vectors.
        stop_on_empty_dataset: whether it ends where a dataset that is drawn has no more elements; otherwise the others
            go on.
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        begin = stream(seed, bool(rerandomize_each_iteration))
        changing = hasattr(weights, "_elements")
        if weights is not None and not changing and len(weights) != len(datasets):
            raise ValueError("Invalid `weights`. The shape of `weights` should be compatible with "
                             f"`[len(datasets)]` but is {len(weights)}.")  # fmt: skip

        def elements() -> Iterator[Any]:
            rng, sources = begin(), [d._elements() for d in datasets]
            vectors = weights._elements() if changing else None
            fixed = np.ones(len(datasets)) if weights is None or changing else np.asarray(weights, float)
            left = np.ones(len(datasets), bool)
            while left.any():
                if vectors is not None:
                    found: Any = next(vectors, _END)
                    if found is _END:
                        return
                    fixed = np.asarray(found.numpy(), float)
                chances = fixed * left
                if not chances.sum():
                    return
                at = int(rng.choice(len(datasets), p=chances / chances.sum()))
                element = next(sources[at], _END)
                if element is not _END:
                    yield element
                elif stop_on_empty_dataset:
                    return
                else:
                    left[at] = False

        return _of("SampleFrom", elements, lambda: _common(datasets), lambda: UNKNOWN)

    @staticmethod
    def choose_from_datasets(datasets: Any, choice_dataset: Any, stop_on_empty_dataset: Any = True) -> Dataset:
        """Elements of datasets, in the order that a dataset of their int64 numbers says."""
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        spec = choice_dataset.element_spec
        if getattr(spec, "dtype", None) != dtypes.int64 or spec.shape.rank not in (0, None):
            raise TypeError("Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors "
                            f"but are {spec}.")  # fmt: skip

        def elements() -> Iterator[Any]:
            sources = [d._elements() for d in datasets]
            for choice in choice_dataset._elements():
                at = int(choice)
                if not 0 <= at < len(sources):
                    raise invalid(f"Selector index out of range: {at} >= {len(sources)}")
                element = next(sources[at], _END)
                if element is not _END:
                    yield element
                elif stop_on_empty_dataset:
                    return

        return _of("ChooseFrom", elements, lambda: _common(datasets), lambda: UNKNOWN)


_END = object()


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _dataset_of(f: Any, element: Any) -> Any:
    found = f(*element) if type(element) is tuple else f(element)
    if not hasattr(found, "_elements"):
        raise TypeError(f"Invalid `map_func`. `map_func` must return a `Dataset` object. Got {type(found)}.")
    return found


def _first_specs(dataset: Any, f: Any) -> Any:
    """The specs of the dataset that a function gives for the first element."""
    for x in dataset._elements():
        return _dataset_of(f, x).element_spec
    raise ValueError("element_spec: the function has no element to be called with")


def _common(datasets: Any) -> Any:
    found = datasets[0].element_spec
    for d in datasets[1:]:
        found = mapped(joined, found, d.element_spec)
    return found
