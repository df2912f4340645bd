"""What is asked of arguments whatever the framework, in the same words on all of them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

__all__ = [
    "LOGICAL", "MOST", "NOWHERE", "check_axis", "check_diagonals", "check_integer", "check_mode", "check_norm",
    "check_order", "check_repetitions", "check_search", "check_segments", "check_shifts", "check_size",
    "near_diagonal", "only_axis", "take_axis", "with_ends",
]  # fmt: skip

#: Functions of whether elements are zero, which some frameworks take of numbers too.
LOGICAL = frozenset({"logical_and", "logical_not", "logical_or", "logical_xor"})

#: A position that stands for those out of bounds, where nobody can look at them before. It stays beyond the end of
#: the array when positions along several axes become one: no wrong element is written.
NOWHERE = 2**31 - 1
#: So many elements, of a byte each, are beyond what processors address.
MOST = 2**57


def near_diagonal(shape: tuple[int, ...], k: int) -> int:
    """A diagonal of matrices; of those that lie outside of them the nearest, for frameworks take no int so large."""
    if len(shape) < 2:
        raise ValueError(f"takes arrays of at least two axes; got {len(shape)}")
    return max(-shape[-2], min(operator.index(k), shape[-1]))


def only_axis(ndim: int) -> int:
    """The axis where none is given."""
    if ndim != 1:
        raise ValueError("axis may be left out only where there is exactly one")
    return 0


def take_axis(ndim: int) -> int:
    """The axis of `take` where none is given: frameworks of their own would flatten the array."""
    if ndim != 1:
        raise ValueError(f"axis has to be given for an array of {ndim} axes")
    return 0


def check_shifts(shift: object, axis: object) -> None:
    """Of `roll`, for frameworks that round shifts, and broadcast one in a tuple along several axes."""
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
    if not all(hasattr(n, "__index__") for n in shifts):
        raise TypeError("a shift is an int")
    if isinstance(shift, (tuple, list)) and isinstance(axis, (tuple, list)) and len(axis) not in (1, len(shift)):
        raise ValueError("takes as many shifts as axes")


def check_repetitions(repetitions: int | tuple[int, ...]) -> None:
    """Of `tile`, for frameworks that take any number for an array without elements."""
    if min(repetitions if isinstance(repetitions, (tuple, list)) else (repetitions,), default=0) < 0:
        raise ValueError("repetitions must not be negative")


def check_search(ndim: int, side: object) -> None:
    """Of `searchsorted`: the axes of what is searched, and the side."""
    if ndim != 1:
        raise ValueError("x1 must have exactly one axis")
    if side not in ("left", "right"):
        raise ValueError("side must be 'left' or 'right'")


def check_mode(mode: object) -> None:
    """Of `qr`."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode is 'reduced' or 'complete'; got {mode!r}")


def check_axis(ndim: int, axis: int) -> None:
    """Of `diff` of order 0, for frameworks that do not look at the axis then."""
    if not -ndim <= operator.index(axis) < ndim:
        raise IndexError(f"axis {axis} is out of bounds for {ndim} axes")


def check_integer(axis: object) -> None:
    """Of reductions, for frameworks that take a bool for axis 0 or 1, a number that is equal to one, or a name."""
    if isinstance(axis, (bool, float, str)):
        raise TypeError(f"an axis is an int; got {axis!r}")


def check_norm(norm: object) -> None:
    """Of transforms along no axes, for frameworks that do not look at the norm then."""
    if norm not in ("backward", "ortho", "forward"):
        raise ValueError(f"norm is one of 'backward', 'ortho', 'forward'; got {norm!r}")


@lru_cache(1024)
def check_diagonals(subscripts: str, shapes: tuple[tuple[object, ...], ...]) -> None:
    """Of `einsum`: the axes of an operand that have one letter are equal, for frameworks that broadcast them."""
    for letters, shape in zip(subscripts.partition("->")[0].split(","), shapes, strict=True):
        if len({*letters}) < len(letters) and len({*zip(letters, shape, strict=True)}) > len({*letters}):
            raise ValueError(f"{letters!r} of an operand of shape {shape}: axes of one letter are not equal")


def check_size(count: object) -> None:
    """Of what has as many elements as its arguments say. Beyond any memory, XLA does not raise an error: it ends the
    process."""
    if isinstance(count, int) and count >= MOST:
        raise ValueError(f"{count} elements are more than a memory can have")


def check_order(order: object) -> None:
    """Of `reshape`."""
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F'; got {order!r}")


def check_segments(greatest: int, count: int) -> None:
    """Of `segment_sum` and its kin: the greatest number of a segment, where it is known."""
    if greatest >= count:
        raise IndexError(f"segment {greatest} is out of bounds: there are {count} segments, from 0 on")


def with_ends(
    x: Any, axis: int, before: Any, after: Any, broadcast: Callable[..., Any], concat: Callable[..., Any]
) -> Any:
    """An array with others before and after it along an axis, of its shape but there, or 0-d; None for none."""
    if before is None and after is None:
        return x
    check_axis(x.ndim, axis)
    shape = list(x.shape)
    shape[axis] = 1
    parts = [part for part in (before, x, after) if part is not None]
    return concat([part if part.ndim else broadcast(part, tuple(shape)) for part in parts], axis)
