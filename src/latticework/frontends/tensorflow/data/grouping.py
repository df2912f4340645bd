"""The methods of `tf.data.Dataset` that make one element of several, and several of one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

from .. import dtypes
from ..arguments import number
from ..errors import DataLossError, invalid
from ..shapes import TensorShape, TensorSpec
from ..tensor import Tensor, as_tensor, ops
from .structure import CLASS, INFINITE, UNKNOWN, DatasetSpec, called, infer_specs, leaves, mapped, stacked, with_rows

if TYPE_CHECKING:
    from .dataset import Dataset

__all__ = ["Grouping"]


class Grouping:
    """The methods that group elements and take groups apart."""

    element_spec: Any
    _elements: Callable[[], Iterator[Any]]
    _count: Callable[[], int]

    def batch(
        self, batch_size: Any, drop_remainder: Any = False, num_parallel_calls: Any = None, deterministic: Any = None,
        name: Any = None,
    ) -> Dataset:  # fmt: skip
        """Elements whose tensors have the tensors of several elements as their rows.

        Parameters
        ----------
        batch_size: how many rows.
        drop_remainder: whether a last group of fewer rows is left out.

        Raises
        ------
        InvalidArgumentError: the size is not positive, or tensors of a group have other shapes.
        """
        size, drop = _positive(batch_size, "Batch size"), bool(drop_remainder)
        return _of(
            "Batch",
            lambda: map(stacked, _groups(self._elements(), size, drop)),
            lambda: mapped(lambda s: with_rows(s, size if drop else None), self.element_spec),
            lambda: _divided(self._count(), size, drop),
        )

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None, drop_remainder: Any = False,
        name: Any = None,
    ) -> Dataset:  # fmt: skip
        """Like `batch`, of tensors of several shapes, which are filled up at the ends of their axes.

        Parameters
        ----------
        padded_shapes: the shapes to fill up to; an extent of None or -1 is the longest of the group. By default those
            of the elements as far as they are known.
        padding_values: what they are filled with, 0 by default; scalars of the tensors' dtypes.

        Raises
        ------
        ValueError: a shape does not fit to the elements.
        TypeError: a value is of another dtype.
        DataLossError: a tensor is longer than the shape.
        """
        size, drop = _positive(batch_size, "Batch size"), bool(drop_remainder)
        specs = leaves(self.element_spec)
        shapes = [_padded_shape(s, p) for s, p in zip(specs, _beside(padded_shapes, self.element_spec), strict=True)]
        fills = [_fill(s, v) for s, v in zip(specs, _beside(padding_values, self.element_spec), strict=True)]

        def group(elements: list[Any]) -> Any:
            columns = zip(*[leaves(e) for e in elements], strict=True)
            rows = iter([_filled(list(c), s, v) for c, s, v in zip(columns, shapes, fills, strict=True)])
            by = {id(x): r for x, r in zip(leaves(elements[0]), rows, strict=True)}
            return mapped(lambda x: by[id(x)], elements[0])

        def found_specs() -> Any:
            by = {id(s): TensorSpec([size if drop else None, *shape], s.dtype)
                  for s, shape in zip(specs, shapes, strict=True)}  # fmt: skip
            return mapped(lambda s: by[id(s)], self.element_spec)

        return _of("PaddedBatch", lambda: map(group, _groups(self._elements(), size, drop)), found_specs,
                   lambda: _divided(self._count(), size, drop))  # fmt: skip

    def unbatch(self, name: Any = None) -> Dataset:
        """The rows of the elements' tensors as elements.

        Raises
        ------
        ValueError: a tensor has no axis.
        InvalidArgumentError: the tensors of an element have other numbers of rows.
        """
        for s in leaves(self.element_spec):
            if s.shape.rank == 0:
                raise ValueError("Cannot unbatch an input with scalar components.")

        def rows() -> Iterator[Any]:
            for element in self._elements():
                counts = {x._array.shape[0] for x in leaves(element)}
                if len(counts) > 1:
                    raise invalid(f"Input element must have the same batch size in each component: {sorted(counts)}")
                for i in range(counts.pop()):
                    yield mapped(lambda x, i=i: x[i], element)

        def count() -> int:
            known: set[Any] = {s.shape[0] if s.shape.rank is not None else None for s in leaves(self.element_spec)} - {
                None
            }
            whole = self._count()
            if not known or whole == UNKNOWN:
                return UNKNOWN
            return INFINITE if whole == INFINITE else int(whole * known.pop())

        return _of(
            "Unbatch", rows,
            lambda: mapped(lambda s: TensorSpec(None if s.shape.rank is None else s.shape[1:], s.dtype),
                           self.element_spec),
            count,
        )  # fmt: skip

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: Any = None) -> Dataset:
        """Groups of other sizes, of elements that are groups.

        Parameters
        ----------
        batch_size: the number of rows, or several that take turns.
        """
        if any(s.shape.rank == 0 for s in leaves(self.element_spec)):
            raise ValueError(
                "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset with scalar elements. "
                "Fix the issue by adding the `batch` transformation to the dataset."
            )
        listed = as_tensor(batch_size, dtypes.int64)._array.tolist()
        sizes = [_positive(n, "Batch size") for n in (listed if isinstance(listed, list) else [listed])]
        drop, rows = bool(drop_remainder), self.unbatch()

        def groups() -> Iterator[Any]:
            source = rows._elements()
            for size in cycle(sizes):
                found = list(islice(source, size))
                if not found or (drop and len(found) < size):
                    return
                yield stacked(found)

        fixed = sizes[0] if drop and len({*sizes}) == 1 else None
        return _of("Rebatch", groups, lambda: mapped(lambda s: with_rows(s, fixed), rows.element_spec), lambda: UNKNOWN)

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: Any = None
    ) -> Dataset:
        """Elements that hold datasets: each of some of these elements.

        Parameters
        ----------
        size: how many elements one has.
        shift: how many elements lie between the starts of two of them; `size` by default.
        stride: how many elements lie between two elements of one.
        drop_remainder: whether the last ones, of fewer elements, are left out.
        """
        n, by = _positive(size, "Window size"), _positive(stride, "Window stride")
        step, drop = _positive(size if shift is None else shift, "Window shift"), bool(drop_remainder)

        def windows() -> Iterator[Any]:
            source, held, dropped = self._elements(), deque[Any](), 0
            while True:
                if dropped:  # elements between the end of one window and the start of the next
                    dropped -= len(list(islice(source, dropped)))
                    if dropped:
                        return
                held.extend(islice(source, (n - 1) * by + 1 - len(held)))
                chosen = [*islice(held, 0, None, by)][:n]
                if not chosen or (drop and len(chosen) < n):
                    return
                yield self._of_window(chosen)
                dropped = max(step - len(held), 0)
                for _ in range(min(step, len(held))):
                    held.popleft()

        def count() -> int:
            whole, span = self._count(), (n - 1) * by + 1
            if whole < 0:
                return whole
            return max((whole - span) // step + 1, 0) if drop else -(-whole // step)

        def specs() -> Any:
            return mapped(DatasetSpec, self.element_spec)

        return _of("Window", windows, specs, count, nested=True)

    def _of_window(self, chosen: list[Any]) -> Any:
        """An element whose leaves are datasets of the leaves of several elements."""
        columns = iter(range(len(leaves(chosen[0]))))

        def dataset(spec: Any) -> Dataset:
            k = next(columns)
            held = [leaves(e)[k] for e in chosen]
            return _of("Variant", lambda: iter(held), lambda: spec, lambda: len(held))

        return mapped(dataset, _in_order(self.element_spec))

    def group_by_window(
        self, key_func: Any, reduce_func: Any, window_size: Any = None, window_size_func: Any = None, name: Any = None
    ) -> Dataset:
        """What a function makes of datasets of those elements that have the same key.

        Parameters
        ----------
        key_func: a function of an element that gives an int64 scalar.
        reduce_func: a function of the key and of a dataset of such elements, that gives a dataset.
        window_size: after how many elements of a key it is called; those that are left over come at the end.
        window_size_func: a function of the key that gives that number.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")

        def size_of(key: Tensor) -> int:
            found = number(window_size) if window_size_func is None else int(as_tensor(window_size_func(key)))
            return _positive(found, "Window size")

        def grouped(key: int, held: list[Any]) -> Iterator[Any]:
            window = self._like("Window", lambda: iter(held), lambda: len(held))  # type: ignore[attr-defined]
            yield from reduce_func(as_tensor(key, dtypes.int64), window)

        def elements() -> Iterator[Any]:
            held: dict[int, list[Any]] = {}
            for element in self._elements():
                key = called(key_func, element)
                group = held.setdefault(int(key), [])
                group.append(element)
                if len(group) >= size_of(key):
                    yield from grouped(int(key), held.pop(int(key)))
            for k in sorted(held):
                yield from grouped(k, held[k])

        return _of("GroupByWindow", elements, lambda: unknown_specs(elements), lambda: UNKNOWN)

    def bucket_by_sequence_length(
        self, element_length_func: Any, bucket_boundaries: Any, bucket_batch_sizes: Any, padded_shapes: Any = None,
        padding_values: Any = None, pad_to_bucket_boundary: Any = False, no_padding: Any = False,
        drop_remainder: Any = False, name: Any = None,
    ) -> Dataset:  # fmt: skip
        """Padded groups of elements of about the same length.

        Parameters
        ----------
        element_length_func: a function of an element that gives its length.
        bucket_boundaries: the lengths from which on the next group is taken.
        bucket_batch_sizes: how many elements a group has, one number more than boundaries.
        pad_to_bucket_boundary: whether they are filled up to just below the boundary.
        no_padding: whether elements of a group have the same shape, and are not filled up.
        """
        ends, sizes = list(bucket_boundaries), list(bucket_batch_sizes)
        if len(sizes) != len(ends) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(sizes)}` and `len(bucket_boundaries)={len(ends)}`."
            )

        def key(*element: Any) -> Any:
            length = int(as_tensor(element_length_func(*element)))
            return as_tensor(sum(length >= end for end in ends), dtypes.int64)

        def group(bucket: Any, window: Any) -> Any:
            at = int(bucket)
            if no_padding:
                return window.batch(sizes[at], drop_remainder=drop_remainder)
            shapes = padded_shapes
            if pad_to_bucket_boundary:
                if at == len(ends):
                    raise invalid("When pad_to_bucket_boundary=True, elements must have length < "
                                  "max(bucket_boundaries).")  # fmt: skip
                wanted = shapes if shapes is not None else mapped(lambda s: s.shape, window.element_spec)
                longest = ends[at] - 1
                shapes = mapped(lambda s: TensorShape([longest if d in (None, -1) else d for d in TensorShape(s)]),
                                wanted)  # fmt: skip
            return window.padded_batch(sizes[at], shapes, padding_values, drop_remainder)

        return self.group_by_window(key, group, window_size_func=lambda k: sizes[int(k)])


def unknown_specs(elements: Callable[[], Iterator[Any]]) -> Any:
    """The dtypes of the first element, with as many axes as it has; other elements may have other extents.

    Raises
    ------
    ValueError: there are no elements.
    """
    for element in elements():
        return mapped(
            lambda x: TensorSpec([None] * x.ndim, x.dtype) if isinstance(x, Tensor) else x._find_specs(), element
        )
    raise ValueError("element_spec: values decide on the dtypes and shapes, and there are no elements")


def specs_after(dataset: Any, f: Callable[..., Any], elements: Callable[[], Iterator[Any]]) -> Any:
    """The dtypes and shapes of what a function gives for each element of a dataset."""
    found = infer_specs(f, dataset.element_spec)
    return unknown_specs(elements) if found is None else found


def _of(
    word: str, elements: Callable[[], Any], specs: Callable[[], Any], count: Callable[[], int], nested: bool = False
) -> Dataset:
    return CLASS[0]._of(word, elements, specs, count, nested=nested)


def _positive(n: Any, what: str) -> int:
    found = int(as_tensor(n, dtypes.int64))
    if found <= 0:
        raise invalid(f"{what} must be greater than zero.")
    return found


def _groups(source: Iterator[Any], size: int, drop: bool) -> Iterator[list[Any]]:
    while group := list(islice(source, size)):
        if len(group) == size or not drop:
            yield group


def _divided(count: int, size: int, drop: bool) -> int:
    return count if count < 0 else count // size if drop else -(-count // size)


def _in_order(specs: Any) -> Any:
    """The structure with the entries of dictionaries in the order of their keys, as its leaves are counted."""
    if isinstance(specs, dict):
        return {k: _in_order(specs[k]) for k in sorted(specs)}
    if isinstance(specs, tuple) and not hasattr(specs, "_fields"):
        return tuple([_in_order(s) for s in specs])
    return specs


def _beside(given: Any, specs: Any) -> list[Any]:
    """What is given for each leaf of the elements; None for all where nothing is."""
    count = len(leaves(specs))
    if given is None:
        return [None] * count
    if not isinstance(specs, (tuple, dict)):
        return [given]
    found: list[Any] = []
    _collect(given, specs, found)
    return found


def _collect(given: Any, specs: Any, found: list[Any]) -> None:
    if isinstance(specs, dict):
        for k in sorted(specs):
            _collect(None if given is None else given[k], specs[k], found)
    elif isinstance(specs, tuple):
        for part, spec in zip([None] * len(specs) if given is None else given, specs, strict=True):
            _collect(part, spec, found)
    else:
        found.append(given)


def _padded_shape(spec: Any, given: Any) -> TensorShape:
    if given is None:
        if spec.shape.rank is None:
            raise ValueError("padded_batch: the rank of the elements is not known; give padded_shapes")
        return spec.shape
    listed = given.numpy().tolist() if hasattr(given, "numpy") else given
    shape = TensorShape([None if n == -1 else n for n in listed])
    fits = spec.shape.rank is None or (
        shape.rank == spec.shape.rank
        and all(m is None or n is None or m >= n for m, n in zip(shape, spec.shape, strict=True))
    )
    if not fits:
        raise ValueError(f"The padded shape {shape} is not compatible with the shape {spec.shape} of the corresponding "
                         "input component.")  # fmt: skip
    return shape


def _fill(spec: Any, given: Any) -> Any:
    if given is None:
        return 0
    found = as_tensor(given)
    if found.ndim:
        raise ValueError(f"Invalid `padding_values`. `padding_values` must be scalars, got shape {found.shape}.")
    if found.dtype != spec.dtype:
        raise TypeError(f"Invalid `padding_values`. `padding_values` values type {found.dtype!r} does not match type "
                        f"{spec.dtype!r} of the corresponding input component.")  # fmt: skip
    return found._array.tolist()


def _filled(column: list[Any], shape: TensorShape, value: Any) -> Any:
    """Tensors as the rows of one, filled up to a shape."""
    longest = [max(sizes) for sizes in zip(*[x._array.shape for x in column], strict=True)]
    wanted = [n if given is None else given for n, given in zip(longest, shape, strict=True)]
    rows = []
    for x in column:
        held = x._array.shape
        if any(n > m for n, m in zip(held, wanted, strict=True)):
            raise DataLossError(None, None, "Attempted to pad to a smaller size than the input element.")
        widths = [(0, m - n) for n, m in zip(held, wanted, strict=True)]
        rows.append(ops.pad(x, widths, constant_values=value) if any(w for _, w in widths) else x)
    return ops.stack(rows)
