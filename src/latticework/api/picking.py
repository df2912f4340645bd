"""Choose elements by conditions and positions, beyond the standard: NumPy's long tail."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

from ..core.dtypes import bool_, int64
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import composed
from ..engine.exchange.foreign import as_operand
from ..engine.shapes.extents import one_axis
from ..policy import unified_rules
from .fixed_sizes import pick, places, whole_size
from .manipulation import broadcast_arrays, stack

# --- by conditions ------------------------------------------------------------------------------------------------


@composed
def argwhere(x: Array, /, *, size: int | None = None, fill_value: int | tuple[int, ...] | None = None) -> Array:
    """List the positions of the elements that are not zero, a row for each.

    Parameters
    ----------
    x: any shape and dtype. Its values decide the shape of the result, unless `size` is given.
    size: how many rows there are: the first ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: an int, or one for each axis; 0 by default. Without `size` it is not used.

    Returns
    -------
    A matrix of int64 with a column for each axis, in the order of the elements.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.argwhere(lw.asarray([[0, 1], [2, 0]]))
    Array([[0, 1],
           [1, 0]], dtype=int64)
    """
    x = as_operand(OPS["argwhere"], x)
    if not x.ndim:
        return argwhere(lw.reshape(x, (1,)), size=size)[:, :0]
    return stack(lw.nonzero(x) if size is None else lw.nonzero(x, size=size, fill_value=fill_value), axis=1)


@composed
def flatnonzero(x: Array, /, *, size: int | None = None, fill_value: int | None = None) -> Array:
    """List the positions of the elements that are not zero, in the array taken along one axis.

    Parameters
    ----------
    x: any shape and dtype. Its values decide the shape of the result, unless `size` is given.
    size: how many positions there are: the first ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: an int; 0 by default. Without `size` it is not used.

    Returns
    -------
    One axis of int64.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.flatnonzero(lw.asarray([[0, 1], [2, 0]]))
    Array([1, 2], dtype=int64)
    """
    x = lw.ravel(as_operand(OPS["flatnonzero"], x))
    return (lw.nonzero(x) if size is None else lw.nonzero(x, size=size, fill_value=fill_value))[0]


@composed
def extract(condition: Array, x: Array, /, *, size: int | None = None, fill_value: Array | complex = 0) -> Array:
    """Take the elements for which a condition holds: ``x[condition]``.

    Parameters
    ----------
    condition: of as many elements as x; what is not zero holds. Its values decide the shape of the result, unless
        `size` is given.
    x: any shape and dtype.
    size: how many elements there are: the first ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: what to fill with, in the dtype of x. Without `size` it is not used.

    Returns
    -------
    One axis, the dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1, 2], [3, 4]])
    >>> lw.extract(x > 2, x)
    Array([3, 4], dtype=int32)
    """
    condition, x = (as_operand(OPS["extract"], a) for a in (condition, x))
    if size is not None:
        return _of_size("extract", lw.ravel(condition), lw.ravel(x), size, fill_value, 0)
    return lw.take(lw.ravel(x), flatnonzero(condition))


@composed
def compress(
    condition: Array | Sequence[bool],
    x: Array,
    /,
    axis: int | None = None,
    *,
    size: int | None = None,
    fill_value: Array | complex = 0,
) -> Array:
    """Take the parts of an array along an axis for which a condition holds.

    Parameters
    ----------
    condition: one axis, no longer than that of x; what is not zero holds. Its values decide the shape of the result,
        unless `size` is given.
    x: any shape and dtype.
    axis: the axis; None for x taken along one axis.
    size: how many parts there are: the first ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: what to fill with, in the dtype of x. Without `size` it is not used.

    Returns
    -------
    The dtype of x.

    Raises
    ------
    ValueError: the condition has another number of axes than one.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.compress(lw.asarray([False, True]), lw.asarray([[1, 2], [3, 4]]), axis=0)
    Array([[3, 4]], dtype=int32)
    """
    x = as_operand(OPS["compress"], x)
    condition = lw.asarray(condition, device=x.device) if isinstance(condition, (list, tuple)) else condition
    condition = as_operand(OPS["compress"], condition)
    if condition.ndim != 1:
        raise ValueError(f"compress: the condition has one axis; got shape {condition.shape}")
    x, axis = (lw.ravel(x), 0) if axis is None else (x, axis)
    if size is not None:
        return _of_size("compress", condition, x, size, fill_value, one_axis(axis, x.shape))
    return lw.take(x, flatnonzero(condition), axis=axis)


def _of_size(name: str, condition: Array, x: Array, size: Any, fill: Any, axis: int) -> Array:
    if condition.shape[0] > x.shape[axis]:
        raise ValueError(f"{name}: the condition, of {condition.shape[0]}, is longer than the {x.shape[axis]} of x")
    with unified_rules():
        found, there = places(lw.astype(condition, "bool"), whole_size(name, size))
        return pick(name, x, found, there, fill, axis)


@composed
def select(conditions: Sequence[Array], choices: Sequence[Array | complex], /, default: Array | complex = 0) -> Array:
    """Choose each element by the first of several conditions that holds there.

    Parameters
    ----------
    conditions: bool arrays.
    choices: an array or a number for each condition. All shapes broadcast together.
    default: what there is where no condition holds.

    Returns
    -------
    The common dtype of the choices and the default.

    Raises
    ------
    ValueError: there are no conditions, or not as many choices.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1, 2, 3, 4])
    >>> lw.select([x < 2, x > 3], [x, 10 * x], default=0)
    Array([ 1,  0,  0, 40], dtype=int32)
    """
    if not conditions or len(conditions) != len(choices):
        raise ValueError(f"select: takes a choice for each condition; got {len(conditions)} and {len(choices)}")
    common = lw.result_type(*choices, default)
    result: Any = default
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = lw.where(condition, choice, result)
    return lw.astype(result, common, copy=False)


@composed
def piecewise(
    x: Array,
    conditions: Sequence[Array],
    functions: Sequence[Callable[..., Any] | complex],
    /,
    *args: Any,
    **kwargs: Any,
) -> Array:
    """Compute each element by the function of the last condition that holds there.

    Parameters
    ----------
    x: any shape and dtype.
    conditions: bool arrays that broadcast to the shape of x.
    functions: for each condition a function or a number, and perhaps one more for where none holds: 0 by default.
    args, kwargs: further arguments of the functions.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    ValueError: the number of functions does not fit.

    Notes
    -----
    NumPy calls a function with the elements that it is for. Here it gets all of x, so that it can be traced: it may
    have any value, nan too, where it is not chosen.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([-2.0, 0.5, 3.0])
    >>> lw.piecewise(x, [x < 0, x > 1], [lw.abs, 10, lambda v: 2 * v])
    Array([ 2.,  1., 10.], dtype=float32)
    """
    x = as_operand(OPS["piecewise"], x)
    if len(functions) - len(conditions) not in (0, 1):
        raise ValueError(f"piecewise: takes a function for each condition; got {len(functions)} for {len(conditions)}")
    otherwise = functions[len(conditions)] if len(functions) > len(conditions) else 0

    def value(f: Any) -> Any:
        return f(x, *args, **kwargs) if callable(f) else f

    result = lw.where(lw.zeros_like(x, dtype=bool_), x, value(otherwise))
    for condition, f in zip(conditions, functions, strict=False):
        result = lw.where(condition, value(f), result)
    return lw.astype(result, x.dtype, copy=False)


@composed
def choose(
    index: Array, choices: Sequence[Array | complex], /, mode: Literal["raise", "wrap", "clip"] = "raise"
) -> Array:
    """Choose each element from one of several arrays, by its number.

    Parameters
    ----------
    index: integers, the number of an array for each element.
    choices: arrays or numbers whose shapes broadcast with that of index.
    mode: what happens to a number that is out of bounds: ``"raise"`` an error, ``"wrap"`` around, ``"clip"`` to the
        nearest.

    Returns
    -------
    The common dtype of the choices, and the broadcast shape.

    Raises
    ------
    ValueError: a number is out of bounds, with ``mode="raise"``. It is not seen while a program is traced.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.choose(lw.asarray([1, 0]), [lw.asarray([1, 2]), lw.asarray([10, 20])])
    Array([10,  2], dtype=int32)
    """
    index = as_operand(OPS["choose"], index)
    n = len(choices)
    if not n:
        raise ValueError("choose: there are no choices")
    index = _in_bounds("choose", index, n, mode)
    common = lw.result_type(*choices)
    arrays = [c if isinstance(c, Array) else lw.asarray(c, dtype=common, device=index.device) for c in choices]
    index, *arrays = broadcast_arrays(index, *arrays)
    result = arrays[0]
    for i, choice in enumerate(arrays[1:], 1):
        result = lw.where(index == i, choice, result)
    return lw.astype(result, common, copy=False)


def _in_bounds(name: str, x: Array, n: int, mode: str) -> Array:
    """Bring numbers into the range from 0 to n - 1, or refuse them."""
    if mode == "wrap":
        return lw.remainder(x, n)
    if mode == "clip":
        return lw.clip(x, 0, n - 1)
    if mode != "raise":
        raise ValueError(f"{name}: mode is 'raise', 'wrap' or 'clip'; got {mode!r}")
    if _any(lw.logical_or(x < 0, x >= n)):
        raise ValueError(f"{name}: a number is out of bounds: there are {n}, from 0 to {n - 1}")
    return x


def _any(x: Array) -> bool:
    """Return whether any element is true; False for a traced or lazy array, whose values are not known yet."""
    if x._sig.backend.lazy:
        return False
    with contextlib.suppress(Exception):  # frameworks that trace refuse in classes of their own
        return bool(lw.any(x))
    return False


# --- positions in many dimensions -------------------------------------------------------------------------------------


@composed
def unravel_index(indices: Array | int, /, shape: tuple[int, ...], order: Literal["C", "F"] = "C") -> tuple[Array, ...]:
    """Turn positions in an array taken along one axis into positions along each axis.

    Parameters
    ----------
    indices: integers of any shape.
    shape: the shape of the array that they are positions in.
    order: ``"C"`` where the last axis goes fastest, ``"F"`` where the first does.

    Returns
    -------
    For each axis an array in the shape and dtype of indices.

    Raises
    ------
    ValueError: a position is out of bounds. It is not seen while a program is traced.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.unravel_index(lw.asarray([3, 5]), (2, 3))
    (Array([1, 1], dtype=int32), Array([0, 2], dtype=int32))
    """
    x = as_operand(OPS["unravel_index"], indices)
    x = _in_bounds("unravel_index", x, math.prod(shape), "raise")
    found = []
    for n in reversed(shape) if order == "C" else shape:
        found.append(lw.remainder(x, n))
        x = lw.floor_divide(x, n)
    return tuple(reversed(found)) if order == "C" else tuple(found)


@composed
def ravel_multi_index(
    indices: Sequence[Array],
    /,
    shape: tuple[int, ...],
    mode: Literal["raise", "wrap", "clip"] = "raise",
    order: Literal["C", "F"] = "C",
) -> Array:
    """Turn positions along each axis into positions in the array taken along one axis.

    Parameters
    ----------
    indices: for each axis an array of integers; their shapes broadcast together.
    shape: the shape of the array that they are positions in.
    mode: what happens to a position that is out of bounds: ``"raise"`` an error, ``"wrap"`` around, ``"clip"`` to the
        nearest.
    order: ``"C"`` where the last axis goes fastest, ``"F"`` where the first does.

    Returns
    -------
    The broadcast shape, int64.

    Raises
    ------
    ValueError: there is not one array for each axis, or a position is out of bounds; the latter is not seen while a
        program is traced.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.ravel_multi_index((lw.asarray([1, 1]), lw.asarray([0, 2])), (2, 3))
    Array([3, 5], dtype=int64)
    """
    arrays = [as_operand(OPS["ravel_multi_index"], x) for x in indices]
    if len(arrays) != len(shape):
        raise ValueError(f"ravel_multi_index: takes positions for each of {len(shape)} axes; got {len(arrays)}")
    result: Any = lw.zeros((), dtype=int64, device=arrays[0].device)
    pairs = [*zip(arrays, shape, strict=True)]
    for x, n in pairs if order == "C" else reversed(pairs):
        place = lw.astype(_in_bounds("ravel_multi_index", x, n, mode), int64, copy=False)
        result = result * n + place
    whole: Array = result
    return whole
