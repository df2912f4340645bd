"""Checks of arguments that are the same for all frameworks, with the same error messages."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

__all__ = [
    "LOGICAL", "MOST", "NOWHERE", "check_axis", "check_diagonals", "check_integer", "check_mode", "check_norm",
    "check_order", "check_repetitions", "check_search", "check_segments", "check_shifts", "check_size", "near_diagonal",
    "no_values_for_numpy", "of_numbers", "of_sides", "only_axis", "rows_to_search", "take_axis", "with_ends",
]  # fmt: skip

#: Functions that test whether elements are zero, which some frameworks apply to numbers too.
LOGICAL = frozenset({"logical_and", "logical_not", "logical_or", "logical_xor"})

#: A position that replaces positions out of bounds, where they cannot be checked before. It stays beyond the end of the
#: array when positions along several axes become one: no wrong element is written.
NOWHERE = 2**31 - 1
#: A number of elements that, of a byte each, are beyond what processors address.
MOST = 2**57


def near_diagonal(shape: tuple[int, ...], k: int) -> int:
    """Return a diagonal of matrices; outside of them, the nearest one, since frameworks take no large ints."""
    if len(shape) < 2:
        raise ValueError(f"takes arrays of at least two axes; got {len(shape)}")
    return max(-shape[-2], min(operator.index(k), shape[-1]))


def no_values_for_numpy() -> TypeError:
    """Return the error for an array that is differentiated or mapped over and would go to NumPy as a constant."""
    return TypeError(
        "inside lw.grad, lw.jvp and lw.vmap, a traced array has no values that could go to NumPy. "
        "Compute with functions of latticework, return the array, or take its values as a constant: lw.stop_gradient(x)"
    )


def of_numbers(name: str) -> Callable[..., bool]:
    """Return the predicate of a function that takes no array for this option: the composition takes one."""

    def when(*_: Any, **options: Any) -> bool:
        return not hasattr(options.get(name), "shape")

    when.__doc__ = f"Tell whether {name} is no array."
    return when


def of_sides(_: Any, side: Any = "right") -> bool:
    """Tell whether the side is ``"right"`` or ``"left"``."""
    return side in ("right", "left")


def only_axis(ndim: int) -> int:
    """Return the axis where none is given: the only one."""
    if ndim != 1:
        raise ValueError("axis may be left out only where there is exactly one")
    return 0


def take_axis(ndim: int) -> int:
    """Return the axis of `take` where none is given: frameworks themselves would flatten the array."""
    if ndim != 1:
        raise ValueError(f"axis has to be given for an array of {ndim} axes")
    return 0


def check_shifts(shift: object, axis: object) -> None:
    """Check the shifts of `roll`, for frameworks that round them, and broadcast one in a tuple along several axes."""
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
    if not all(hasattr(n, "__index__") for n in shifts):
        raise TypeError("a shift is an int")
    if isinstance(shift, (tuple, list)) and isinstance(axis, (tuple, list)) and len(axis) not in (1, len(shift)):
        raise ValueError("takes as many shifts as axes")


def check_repetitions(repetitions: int | tuple[int, ...]) -> None:
    """Check the repetitions of `tile`, for frameworks that take any number for an array without elements."""
    if min(repetitions if isinstance(repetitions, (tuple, list)) else (repetitions,), default=0) < 0:
        raise ValueError("repetitions must not be negative")


def check_search(ndim: int, side: object) -> None:
    """Check the number of axes of x1 and the side of `searchsorted`."""
    if ndim != 1:
        raise ValueError("x1 must have exactly one axis")
    if side not in ("left", "right"):
        raise ValueError("side must be 'left' or 'right'")


def rows_to_search(x1: tuple[int, ...], x2: tuple[int, ...], side: Any) -> tuple[int, ...]:
    """Return the leading axes of sorted rows and of the values to look for in each."""
    check_search(1, side)
    if not x1:
        raise ValueError("x1 must have at least one axis")
    pairs = [*zip(x1[:-1], x2[:-1], strict=False)]
    if len(x2) != len(x1) or any(isinstance(n, int) and isinstance(m, int) and n != m for n, m in pairs):
        raise ValueError("x1 with leading axes takes values with the same ones")
    return x1[:-1]


def check_mode(mode: object) -> None:
    """Check the mode of `qr`."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode is 'reduced' or 'complete'; got {mode!r}")


def check_axis(ndim: int, axis: int) -> None:
    """Check that an axis is in bounds: frameworks do not look at that of `diff` of order 0."""
    if not -ndim <= operator.index(axis) < ndim:
        raise IndexError(f"axis {axis} is out of bounds for {ndim} axes")


def check_integer(axis: object) -> None:
    """Check that the axis of a reduction is no bool, float or str, which some frameworks take for an axis."""
    if isinstance(axis, (bool, float, str)):
        raise TypeError(f"an axis is an int; got {axis!r}")


def check_norm(norm: object) -> None:
    """Check the norm of transforms along no axes, for frameworks that do not look at it then."""
    if norm not in ("backward", "ortho", "forward"):
        raise ValueError(f"norm is one of 'backward', 'ortho', 'forward'; got {norm!r}")


@lru_cache(1024)
def check_diagonals(subscripts: str, shapes: tuple[tuple[object, ...], ...]) -> None:
    """Check that the axes of an operand of `einsum` with one letter are equal, for frameworks that broadcast them."""
    for letters, shape in zip(subscripts.partition("->")[0].split(","), shapes, strict=True):
        if len({*letters}) < len(letters) and len({*zip(letters, shape, strict=True)}) > len({*letters}):
            raise ValueError(f"{letters!r} of an operand of shape {shape}: axes of one letter are not equal")


def check_size(count: object) -> None:
    """Check the number of elements to make: beyond any memory, XLA does not raise an error, it ends the process."""
    if isinstance(count, int) and count >= MOST:
        raise ValueError(f"{count} elements are more than a memory can have")


def check_order(order: object) -> None:
    """Check the order of `reshape`."""
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F'; got {order!r}")


def check_segments(greatest: int, count: int) -> None:
    """Check the greatest segment number of `segment_sum` and its kin, where it is known."""
    if greatest >= count:
        raise IndexError(f"segment {greatest} is out of bounds: there are {count} segments, from 0 on")


def with_ends(
    x: Any, axis: int, before: Any, after: Any, broadcast: Callable[..., Any], concat: Callable[..., Any]
) -> Any:
    """Join arrays before and after x along an axis. They have the shape of x but there, or are 0-d; None for none."""
    if before is None and after is None:
        return x
    check_axis(x.ndim, axis)
    shape = list(x.shape)
    shape[axis] = 1
    parts = [part for part in (before, x, after) if part is not None]
    return concat([part if part.ndim else broadcast(part, tuple(shape)) for part in parts], axis)
