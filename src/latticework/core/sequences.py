"""Nested sequences of Python scalars and arrays: their elements, their shape, and whether they are rectangular."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .dtypes import SCALAR_KINDS, Dtype, as_dtype

__all__ = ["check_rectangular", "element", "elements", "plain", "shape_of"]


def element(x: Any) -> Dtype | type:
    """Return what an element of a sequence promotes as: an array's dtype, or a Python scalar type."""
    if hasattr(x, "dtype"):
        return as_dtype(x.dtype)
    for kind in SCALAR_KINDS:
        if isinstance(x, kind):
            return kind
    raise TypeError(f"asarray: {x!r} is no number, array or sequence of them")


def elements(obj: Any) -> Iterator[Any]:
    if isinstance(obj, (list, tuple, range)):
        for x in obj:
            yield from elements(x)
    else:
        yield obj


def plain(obj: Any) -> Any:
    """Convert nested sequences of scalars to nested lists of Python scalars."""
    if isinstance(obj, (list, tuple, range)):
        return [plain(x) for x in obj]
    if hasattr(obj, "tolist"):
        return obj.tolist()
    return next(kind(obj) for kind in SCALAR_KINDS if isinstance(obj, kind))  # an IntEnum is an int


def shape_of(obj: Any) -> tuple[int, ...]:
    if isinstance(obj, (list, tuple, range)):
        return (len(obj), *(shape_of(obj[0]) if obj else ()))
    return tuple(getattr(obj, "shape", ()))


def check_rectangular(obj: Any, shape: tuple[int, ...], place: str = "obj") -> None:
    found = shape_of(obj)
    if len(found) != len(shape) or found[:1] != shape[:1]:
        raise ValueError(
            f"asarray: ragged sequences: {place} has shape {found} where the first of its kind has {shape}. "
            f"All parts of an array have the same shape"
        )
    if isinstance(obj, (list, tuple, range)):
        for i, x in enumerate(obj):
            check_rectangular(x, shape[1:], f"{place}[{i}]")
    elif not (isinstance(obj, (*SCALAR_KINDS,)) or hasattr(obj, "dtype")):
        raise TypeError(f"asarray: {place} is {obj!r}, which is no number, array or sequence of them")
    elif found != shape:
        raise ValueError(f"asarray: ragged sequences: {place} has shape {found} where others have {shape}")
