"""Short ways that several dialects share: what `calls.short` asks first, of an array of ours and the other arguments.

Each gives None, or raises, where the arguments mean something that the framework's function has to look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import latticework as lw

from ..engine.array import Array

if TYPE_CHECKING:
    from .dialect import Dialect

__all__ = [
    "clipped", "contracted", "copied", "diagonal_of", "empty_like", "of_floats", "ones_like", "padded", "parts",
    "repeated", "zeros_like",
]  # fmt: skip


def copied(a: Array) -> Array:
    """A copy of an array."""
    return a.copy()


def parts(a: Array, sections: Any, axis: Any = 0) -> Any:
    """So many equal parts of an array along an axis, as a list."""
    if type(sections) is not int:
        return None
    return lw.split(a, sections) if axis == 0 else lw.split(a, sections, axis=axis) if type(axis) is int else None


def of_floats(f: Any) -> Any:
    """A function of one array of ours without options, for floats, whose dtype the result has."""

    def fast(a: Array) -> Any:
        return f(a) if a._sig.dtype.kind == "f" else None

    return fast


def contracted(dialect: Dialect, text: Any, arrays: Sequence[Any]) -> Any:
    """``einsum`` of arrays of a dialect, for arrays of floats of one signature; None of others, and for an error, which
    the dialect's own function has to tell."""
    if type(text) is not str or not arrays:
        return None
    ours, array, sig = [], dialect.array, None
    for x in arrays:
        if type(x) is not array:
            return None
        a = x._array
        if sig is not a._sig:
            if sig is not None or a._sig.weak or a._sig.dtype.kind != "f":
                return None
            sig = a._sig
        ours.append(a)
    try:
        return dialect.wrapped(lw.einsum(text, *ours))
    except Exception:
        return None


def repeated(a: Array, repeats: Any, axis: Any = None) -> Any:
    """An array with each element, or each part along an axis, so many times."""
    if type(repeats) is not int:
        return None
    return lw.repeat(a, repeats) if axis is None else lw.repeat(a, repeats, axis=axis) if type(axis) is int else None


def zeros_like(a: Array) -> Array:
    """Zeros like an array."""
    return lw.zeros_like(a)


def ones_like(a: Array) -> Array:
    """Ones like an array."""
    return lw.ones_like(a)


def empty_like(a: Array) -> Array:
    """Any values like an array."""
    return lw.empty_like(a)


def diagonal_of(a: Array, k: Any = 0) -> Any:
    """A matrix with these elements on its diagonal, or the diagonal of a matrix."""
    return lw.diag(a, k) if type(k) is int else None


def padded(a: Array, pad_width: Any, mode: Any = "constant") -> Any:
    """An array with zeros around it, so many as an int or tuples of ints say."""
    if mode != "constant" or a.dtype.kind != "f" or not a.ndim or not _of_ints(pad_width):
        return None
    return lw.pad(a, pad_width)


def _of_ints(x: Any) -> bool:
    return type(x) is int or (type(x) in (tuple, list) and all(map(_of_ints, x)))


def clipped(a: Array, low: Any, high: Any) -> Any:
    """An array of floats within two Python numbers."""
    if a.dtype.kind != "f" or type(low) not in _NUMBERS or type(high) not in _NUMBERS:
        return None
    found = lw.clip(a, low, high)
    return found if found.dtype is a.dtype else None


_NUMBERS = (int, float)
