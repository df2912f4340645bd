"""The methods of `tf.data.Dataset` that change elements, choose among them, or make a value of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from .. import dtypes
from ..arguments import number
from ..errors import invalid
from ..shapes import TensorSpec
from ..tensor import as_tensor
from .drawing import stream
from .grouping import _of, specs_after, unknown_specs
from .structure import INFINITE, UNKNOWN, called, infer_specs, leaves, mapped, normalized

if TYPE_CHECKING:
    from .dataset import Dataset

__all__ = ["Selecting"]


class Selecting:
    """The methods that change elements and choose among them."""

    element_spec: Any
    _elements: Callable[[], Iterator[Any]]
    _count: Callable[[], int]
    _like: Any

    def map(
        self, map_func: Any, num_parallel_calls: Any = None, deterministic: Any = None, synchronous: Any = None,
        use_unbounded_threadpool: Any = False, name: Any = None,
    ) -> Dataset:  # fmt: skip
        """What a function gives for each element, in their order.

        Parameters
        ----------
        map_func: a function of the tensor of an element, or of the parts of a tuple.
        num_parallel_calls, deterministic: they change nothing; calls are made one after the other.
        """
        _check_callable(map_func)

        def elements() -> Iterator[Any]:
            return map(partial(called, map_func), self._elements())  # it goes on after an error

        return _of("Map", elements, lambda: specs_after(self, map_func, elements), self._count)

    def filter(self, predicate: Any, name: Any = None) -> Dataset:
        """The elements for which a function gives True.

        Raises
        ------
        ValueError: it gives no bool without axes.
        """
        _check_predicate(predicate, self.element_spec)
        return self._like("Filter", lambda: filter(lambda x: _truth(predicate, x), self._elements()), lambda: UNKNOWN)

    def take_while(self, predicate: Any, name: Any = None) -> Dataset:
        """The elements before the first for which a function gives False."""
        _check_predicate(predicate, self.element_spec)

        def elements() -> Iterator[Any]:
            for x in self._elements():
                if not _truth(predicate, x):
                    return
                yield x

        return self._like("TakeWhile", elements, lambda: UNKNOWN)

    def take(self, count: Any, name: Any = None) -> Dataset:
        """The first elements; all where the count is negative."""
        n = int(as_tensor(count, dtypes.int64))
        whole = self._count
        return self._like(
            "Take",
            lambda: islice(self._elements(), n if n >= 0 else None),
            lambda: whole() if n < 0 else n if whole() == INFINITE else min(n, whole()) if whole() >= 0 else UNKNOWN,
        )

    def skip(self, count: Any, name: Any = None) -> Dataset:
        """The elements after the first ones; none where the count is negative."""
        n = int(as_tensor(count, dtypes.int64))
        whole = self._count
        return self._like(
            "Skip",
            lambda: islice(self._elements(), n, None) if n >= 0 else iter(()),
            lambda: 0 if n < 0 else max(whole() - n, 0) if whole() >= 0 else whole(),
        )

    def shard(self, num_shards: Any, index: Any, name: Any = None) -> Dataset:
        """Every so many-th element, from one on.

        Raises
        ------
        InvalidArgumentError: the number is not positive, or the index does not lie below it.
        """
        n, at = number(num_shards), number(index)
        if n < 1:
            raise invalid(f"Number of shards must be greater than zero (currently num_shards = {n}).")
        if not 0 <= at < n:
            raise invalid(f"Index must be between 0 and {n - 1} (currently index = {at}).")
        whole = self._count
        return self._like(
            "Shard",
            lambda: islice(self._elements(), at, None, n),
            lambda: whole() if whole() < 0 else max(-(-(whole() - at) // n), 0),
        )

    def unique(self, name: Any = None) -> Dataset:
        """Each value once, where it first comes; of int32 and int64 only."""
        for s in leaves(self.element_spec):
            if s.dtype not in (dtypes.int32, dtypes.int64):
                raise TypeError(f"`tf.data.Dataset.unique` does not support type {s.dtype!r} -- only `tf.int32`, "
                                "`tf.int64`, and `tf.string` are supported.")  # fmt: skip

        def elements() -> Iterator[Any]:
            seen = set()
            for x in self._elements():
                key = repr(x._array.shape), x.numpy().tobytes()
                if key not in seen:
                    seen.add(key)
                    yield x

        return self._like("Unique", elements, lambda: UNKNOWN)

    def repeat(self, count: Any = None, name: Any = None) -> Dataset:
        """The elements several times; without an end where the count is None or negative."""
        n = -1 if count is None else int(as_tensor(count, dtypes.int64))

        def elements() -> Iterator[Any]:
            times = 0
            while n < 0 or times < n:
                empty = True
                for x in self._elements():
                    empty = False
                    yield x
                if empty:
                    return
                times += 1

        def total() -> int:
            whole = self._count()
            return 0 if n == 0 else whole if n < 0 and whole == 0 else INFINITE if n < 0 else whole * max(
                n, 0) if whole >= 0 else whole  # fmt: skip

        return self._like("Repeat", elements, total)

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: Any = True, name: Any = None
    ) -> Dataset:
        """The elements in a random order: each is drawn of the next `buffer_size`.

        Parameters
        ----------
        buffer_size: how many elements are held; -2 (`tf.data.UNKNOWN_CARDINALITY`) for all.
        seed: an int that decides the order, with that of `tf.random.set_seed`. The order is not TensorFlow's.
        reshuffle_each_iteration: whether each iteration has another order.

        Raises
        ------
        InvalidArgumentError: the size is neither positive nor -2.
        """
        size = int(as_tensor(buffer_size, dtypes.int64))
        if size < 1 and size != UNKNOWN:
            raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        begin = stream(seed, reshuffle_each_iteration is None or bool(reshuffle_each_iteration))

        def elements() -> Iterator[Any]:
            rng, source = begin(), self._elements()
            held = list(islice(source, size if size > 0 else None))
            for x in source:
                at = int(rng.integers(len(held)))
                held[at], drawn = x, held[at]
                yield drawn
            for at in rng.permutation(len(held)).tolist():
                yield held[at]

        return self._like("Shuffle", elements)

    def cache(self, filename: Any = "", name: Any = None) -> Dataset:
        """The elements, which are kept after the first iteration to the end.

        Raises
        ------
        NotImplementedError: there is a file's name; elements are kept in memory alone.
        """
        if filename:
            raise NotImplementedError("tf.data.Dataset.cache: elements are kept in memory, not in a file: leave the "
                                      "filename out")  # fmt: skip
        kept: list[list[Any]] = []

        def elements() -> Iterator[Any]:
            if kept:
                yield from kept[0]
                return
            found = []
            for x in self._elements():
                found.append(x)
                yield x
            kept[:] = [found]

        return self._like("Cache", elements)

    def prefetch(self, buffer_size: Any, name: Any = None) -> Dataset:
        """The same elements. They are made when they are asked for, not before."""
        n = int(as_tensor(buffer_size, dtypes.int64))
        if n < -1:
            raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
        return self._like("Prefetch", self._elements)

    def ignore_errors(self, log_warning: Any = False, name: Any = None) -> Dataset:
        """The elements without those for which `map` or `filter` has raised an error of `tf.errors`; after an error of
        a generator there are none."""
        from ..errors import OpError

        def elements() -> Iterator[Any]:
            source = self._elements()
            while True:
                try:
                    yield next(source)
                except StopIteration:
                    return
                except OpError:
                    continue

        return self._like("IgnoreErrors", elements, lambda: UNKNOWN)

    def enumerate(self, start: Any = 0, name: Any = None) -> Dataset:
        """Pairs of an int64 number and an element."""
        first = number(start)
        return _of(
            "Enumerate",
            lambda: ((as_tensor(i, dtypes.int64), x) for i, x in enumerate(self._elements(), first)),
            lambda: (TensorSpec((), dtypes.int64), self.element_spec),
            self._count,
        )

    def scan(self, initial_state: Any, scan_func: Any, name: Any = None) -> Dataset:
        """What a function of a state and an element gives beside the next state.

        Parameters
        ----------
        scan_func: it returns a pair, of the next state and of the element of the result.
        """
        _check_callable(scan_func)
        first = normalized(initial_state)

        def elements() -> Iterator[Any]:
            state = first
            for x in self._elements():
                found = scan_func(state, x)
                if not isinstance(found, (tuple, list)) or len(found) != 2:
                    raise TypeError("Invalid `scan_func`. `scan_func` should return a pair consisting of new state and "
                                    "the output value.")  # fmt: skip
                state = _next_state(first, found[0])
                yield normalized(found[1])

        def specs() -> Any:
            start = mapped(lambda x: TensorSpec(x.shape, x.dtype), first)
            found = infer_specs(lambda s, x: normalized(scan_func(s, x)[1]), (start, self.element_spec))
            return unknown_specs(elements) if found is None else found

        return _of("Scan", elements, specs, self._count)

    def reduce(self, initial_state: Any, reduce_func: Any, name: Any = None) -> Any:
        """The last state that a function of the state and an element gives.

        Raises
        ------
        TypeError: a state has other dtypes than the first.
        InvalidArgumentError: it is built in another way.
        """
        _check_callable(reduce_func)
        state = first = normalized(initial_state)
        for x in self._elements():
            state = _next_state(first, reduce_func(state, x))
        return state

    def get_single_element(self, name: Any = None) -> Any:
        """The one element.

        Raises
        ------
        InvalidArgumentError: there is none, or more than one.
        """
        found = list(islice(self._elements(), 2))
        if len(found) != 1:
            raise invalid("Dataset had more than one element." if found else "Dataset was empty.")
        return found[0]

    def concatenate(self, dataset: Any, name: Any = None) -> Dataset:
        """The elements, then those of another dataset of the same dtypes."""
        from .structure import joined

        try:
            specs = mapped(joined, self.element_spec, dataset.element_spec)
        except TypeError:
            raise TypeError(
                f"Incompatible dataset elements:\n  {self.element_spec} vs.   {dataset.element_spec}"
            ) from None

        def count() -> int:
            both = self._count(), dataset._count()
            return INFINITE if INFINITE in both else UNKNOWN if UNKNOWN in both else sum(both)

        return _of("Concatenate", lambda: chain(self._elements(), dataset._elements()), lambda: specs, count)


def _check_callable(f: Any) -> None:
    if not callable(f):
        raise ValueError(f"Argument `func` must be a callable. Received func={f} (of type {type(f)})")


def _check_predicate(predicate: Any, specs: Any) -> None:
    """Refuse a function that does not give a bool, where that is known without data."""
    _check_callable(predicate)
    found = infer_specs(predicate, specs)
    if found is not None and found != TensorSpec((), dtypes.bool):
        raise _no_truth(found)


def _no_truth(specs: Any) -> ValueError:
    return ValueError("Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
                      f"{specs}.")  # fmt: skip


def _truth(predicate: Any, x: Any) -> bool:
    found = called(predicate, x)
    if isinstance(found, (tuple, dict)) or found.ndim or found.dtype != dtypes.bool:
        raise _no_truth(mapped(lambda s: TensorSpec(s.shape, s.dtype), found))
    return bool(found)


def _next_state(first: Any, state: Any) -> Any:
    try:
        return mapped(_same_dtype, first, normalized(state))
    except _DtypeError as error:
        raise TypeError(str(error)) from None
    except TypeError as error:
        raise invalid(f"The state is built in another way than the initial state: {error}") from None


class _DtypeError(Exception):
    """A state has another dtype than the first."""


def _same_dtype(first: Any, state: Any) -> Any:
    if isinstance(state, (tuple, dict)):
        raise TypeError(f"a structure {state} for a tensor")
    if first.dtype != state.dtype:
        raise _DtypeError(
            "The element types for the new state must match the initial state. "
            f"Expected {first.dtype!r}; got {state.dtype!r}."
        )
    return state
