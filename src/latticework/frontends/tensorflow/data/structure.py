"""Structures of the elements of datasets: tuples and dictionaries of tensors. A list is a tensor there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import latticework as lw

from ..errors import invalid
from ..shapes import TensorShape, TensorSpec
from ..tensor import Tensor, as_tensor, dialect, ops

__all__ = [
    "CLASS", "INFINITE", "UNKNOWN", "DatasetSpec", "called", "infer_specs", "joined", "leaves", "mapped", "normalized",
    "spec_of", "specs_of", "stacked",
]  # fmt: skip

#: The class of datasets, which the module that has it puts here: its parts make datasets too.
CLASS: list[Any] = []

INFINITE, UNKNOWN = -1, -2


def mapped(f: Callable[..., Any], x: Any, *others: Any) -> Any:
    """The structure of what a function gives for each leaf of a structure, and for the leaves of others beside it.

    Raises
    ------
    TypeError: the structures are not built alike.
    """
    if isinstance(x, dict):
        if any(not isinstance(o, dict) or o.keys() != x.keys() for o in others):
            raise TypeError(f"the structures are not built alike: {x} and {others}")
        return type(x)({k: mapped(f, x[k], *[o[k] for o in others]) for k in x})
    if isinstance(x, tuple):
        if any(not isinstance(o, (tuple, list)) or len(o) != len(x) for o in others):
            raise TypeError(f"the structures are not built alike: {x} and {others}")
        found = [mapped(f, *parts) for parts in zip(x, *others, strict=True)]
        return type(x)(*found) if hasattr(x, "_fields") else tuple(found)
    return f(x, *others)


def leaves(x: Any) -> list[Any]:
    """The leaves of a structure, those of a dictionary in the order of its keys."""
    return list(_leaves(x))


def _leaves(x: Any) -> Iterator[Any]:
    if isinstance(x, dict):
        for k in sorted(x):
            yield from _leaves(x[k])
    elif isinstance(x, tuple):
        for part in x:
            yield from _leaves(part)
    else:
        yield x


def normalized(x: Any) -> Any:
    """A structure whose leaves are tensors or datasets."""
    return mapped(_leaf, x)


def _leaf(x: Any) -> Any:
    return x if isinstance(x, Tensor) or hasattr(x, "element_spec") else as_tensor(x)


def called(f: Callable[..., Any], element: Any) -> Any:
    """What a function gives for an element. The parts of a tuple are its arguments; a list is a tuple of results."""
    found = f(*element) if type(element) is tuple else f(element)
    return normalized(tuple(found) if type(found) is list else found)


# --- dtypes and shapes ----------------------------------------------------------------------------------------------


class DatasetSpec:
    """The dtypes and shapes of the elements of a dataset.

    Attributes
    ----------
    element_spec: these dtypes and shapes.
    """

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec, self._shape = element_spec, TensorShape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The dtypes and shapes of the elements."""
        return self._element_spec

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether a dataset, or another spec, has elements of these dtypes and shapes."""
        return repr(self._element_spec) == repr(other.element_spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec}, {self._shape!r})"


def spec_of(x: Any) -> Any:
    """The dtype and shape of a leaf."""
    if hasattr(x, "element_spec"):
        return DatasetSpec(x.element_spec)
    return TensorSpec(x.shape, x.dtype)


def specs_of(x: Any) -> Any:
    """The dtypes and shapes of an element."""
    return mapped(spec_of, x)


def infer_specs(f: Callable[..., Any], specs: Any) -> Any:
    """The dtypes and shapes of what a function gives for an element, found without data; None where values decide."""
    if any(not isinstance(s, TensorSpec) or s.shape.rank is None for s in leaves(specs)):
        return None
    given = mapped(lambda s: lw.spec(tuple(s.shape.dims), s.dtype._ours), specs)  # a `Spec` is a tuple itself

    def of_element(element: Any) -> Any:
        return called(f, element)

    try:
        found = lw.infer(dialect.callback(of_element), given)
        return _in_theirs(found)
    except Exception:
        return None


def _in_theirs(x: Any) -> Any:
    """Specs of latticework as TensorFlow's."""
    if isinstance(x, lw.Spec):
        return TensorSpec(x.shape, dialect.dtypes[x.dtype])
    if isinstance(x, dict):
        return {k: _in_theirs(v) for k, v in x.items()}
    found = [_in_theirs(v) for v in x]
    return type(x)(*found) if hasattr(x, "_fields") else tuple(found)


def joined(a: Any, b: Any) -> Any:
    """The most of the shapes of two specs that holds for both.

    Raises
    ------
    TypeError: their dtypes differ.
    """
    if type(a) is not type(b) or not isinstance(a, TensorSpec) or a.dtype != b.dtype:
        raise TypeError(f"{a} vs. {b}")
    if a.shape.rank is None or a.shape.rank != b.shape.rank:
        return TensorSpec(None, a.dtype)
    return TensorSpec([m if m == n else None for m, n in zip(a.shape, b.shape, strict=True)], a.dtype)


def stacked(elements: list[Any]) -> Any:
    """One element, whose leaves have those of several as their rows.

    Raises
    ------
    InvalidArgumentError: they have other shapes.
    """
    columns = [leaves(e) for e in elements]
    for component, column in enumerate(zip(*columns, strict=True)):
        first = column[0]._array.shape
        for i, x in enumerate(column):
            if x._array.shape != first:
                raise invalid(f"Cannot batch tensors with different shapes in component {component}. First element had "
                              f"shape {list(first)} and element {i} had shape {list(x._array.shape)}.")  # fmt: skip
    return mapped(lambda *rows: ops.stack(list(rows)), *elements)


def with_rows(spec: Any, count: int | None) -> Any:
    """The spec of rows that have this spec each."""
    if not isinstance(spec, TensorSpec):
        raise TypeError(f"Unable to batch elements of {spec}")
    return TensorSpec(TensorShape([count]).concatenate(spec.shape), spec.dtype)
