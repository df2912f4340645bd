"""Join, cut and extend arrays, beyond the standard: NumPy's long tail."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any, Literal

from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import composed
from ..engine.exchange.foreign import as_operand
from ..engine.shapes.extents import one_axis
from .conversion import asarray
from .linear_algebra import extents
from .manipulation import concat, flip, moveaxis, reshape

# --- what an array is ----------------------------------------------------------------------------------------------


@composed
def shape(x: Array | complex, /) -> tuple[int | None, ...]:
    """Return the shape of an array; () for a Python number.

    Parameters
    ----------
    x: an array or a Python number.

    Returns
    -------
    An extent for each axis, None for one that is not known before the array is computed.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.shape(lw.zeros((2, 3))), lw.shape(1.5)
    ((2, 3), ())
    """
    return as_operand(OPS["shape"], x).shape


@composed
def ndim(x: Array | complex, /) -> int:
    """Return the number of axes of an array; 0 for a Python number.

    Parameters
    ----------
    x: an array or a Python number.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.ndim(lw.zeros((2, 3)))
    2
    """
    return as_operand(OPS["ndim"], x).ndim


@composed
def size(x: Array | complex, /, axis: int | None = None) -> int | None:
    """Return the number of elements of an array, or of its elements along an axis.

    Parameters
    ----------
    x: an array or a Python number.
    axis: the axis whose extent is asked for; all elements by default.

    Returns
    -------
    An int, None where it is not known before the array is computed.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.size(lw.zeros((2, 3))), lw.size(lw.zeros((2, 3)), axis=0)
    (6, 2)
    """
    x = as_operand(OPS["size"], x)
    return x.size if axis is None else x.shape[one_axis(axis, x.shape)]


@composed
def copy(x: Array, /) -> Array:
    """Return the array in memory of its own.

    Parameters
    ----------
    x: any shape and dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1, 2])
    >>> y = lw.copy(x)
    >>> y[0] = 5
    >>> x
    Array([1, 2], dtype=int32)
    """
    return asarray(as_operand(OPS["copy"], x), copy=True)


# --- elements added and left out -----------------------------------------------------------------------------------


@composed
def append(x: Array, /, values: Array | complex, axis: int | None = None) -> Array:
    """Join an array and values that come after it.

    Parameters
    ----------
    x: any shape and dtype.
    values: an array or a number; in the shape of x but for the axis, where one is given.
    axis: the axis to join along; None for both taken along one axis.

    Returns
    -------
    A new array of the common dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.append(lw.asarray([1, 2]), 3)
    Array([1, 2, 3], dtype=int32)
    """
    x = as_operand(OPS["append"], x)
    more = values if isinstance(values, Array) else lw.asarray(values, dtype=lw.result_type(x, values))
    return concat([x, more], axis=axis)


@composed
def insert(
    x: Array, /, index: int | slice | Sequence[int] | Array, values: Array | complex, axis: int | None = None
) -> Array:
    """Put values before the elements at some positions.

    Parameters
    ----------
    x: any shape and dtype.
    index: a position, a slice, or several positions, counted in x. Positions in an array have to have values: they
        cannot be traced.
    values: a number or an array that broadcasts to what is put in. It is cast to the dtype of x as in an assignment.
    axis: the axis to put them along; None for x taken along one axis.

    Returns
    -------
    The dtype of x, longer along the axis.

    Raises
    ------
    IndexError: a position is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.insert(lw.asarray([1, 2, 3]), [1, 3], lw.asarray([10, 30]))
    Array([ 1, 10,  2,  3, 30], dtype=int32)
    """
    import numpy as np

    x = as_operand(OPS["insert"], x)
    if axis is None:
        x, axis = lw.ravel(x), 0
    axis = one_axis(axis, x.shape)
    n = extents("insert", x, (axis,))[0]
    where = _positions("insert", index, n, end=True)
    count = where.size
    shape = [*x.shape]
    part = values if isinstance(values, Array) else lw.asarray(values, dtype=lw.result_type(x, values))
    if where.ndim == 0:  # along the axis there may be several values for one position
        part = reshape(part, (*(1 for _ in range(x.ndim - part.ndim)), *part.shape))
        part = moveaxis(part, 0, axis)
        count = part.shape[axis] or 0
        where = where if isinstance(index, int) else np.full(count, where)
    elif where.size == 1 and part.ndim >= x.ndim - axis and (part.shape[axis - x.ndim] or 0) > 1:
        count = part.shape[axis - x.ndim] or 0  # several values for one position
        where = np.full(count, where[0])
    shape[axis] = count
    new = lw.empty(tuple(shape), dtype=x.dtype, device=x.device)
    new[...] = part
    if isinstance(index, int):
        at = int(_positions("insert", index, n, end=True))
        return concat([_part(x, axis, slice(0, at)), new, _part(x, axis, slice(at, n))], axis=axis)
    order = np.argsort(where, kind="stable")
    source = np.empty(n + count, np.int64)
    added = where[order] + np.arange(count)
    kept = np.ones(n + count, bool)
    kept[added] = False
    source[added] = n + order
    source[kept] = np.arange(n)
    return lw.take(concat([x, new], axis=axis), lw.asarray(source, device=x.device), axis=axis)


@composed
def delete(x: Array, index: int | slice | Sequence[int] | Array, /, axis: int | None = None) -> Array:
    """Leave out the elements at some positions.

    Parameters
    ----------
    x: any shape and dtype.
    index: a position, a slice, several positions, or a bool for each. Positions in an array have to have values: they
        cannot be traced.
    axis: the axis that they are counted along; None for x taken along one axis.

    Returns
    -------
    The dtype of x, shorter along the axis.

    Raises
    ------
    IndexError: a position is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.delete(lw.asarray([[1, 2], [3, 4], [5, 6]]), [0, -1], axis=0)
    Array([[3, 4]], dtype=int32)
    """
    import numpy as np

    x = as_operand(OPS["delete"], x)
    if axis is None:
        x, axis = lw.ravel(x), 0
    axis = one_axis(axis, x.shape)
    n = extents("delete", x, (axis,))[0]
    if isinstance(index, int) and not isinstance(index, bool):
        at = int(_positions("delete", index, n))
        return concat([_part(x, axis, slice(0, at)), _part(x, axis, slice(at + 1, n))], axis=axis)
    kept = np.delete(np.arange(n), _positions("delete", index, n))
    return lw.take(x, lw.asarray(kept, device=x.device), axis=axis)


def _part(x: Array, axis: int, of: slice) -> Array:
    """A part of an array along one axis."""
    return x[(*(slice(None) for _ in range(axis)), of)]


def _positions(name: str, key: Any, n: int, *, end: bool = False) -> Any:
    """Positions along an axis of n elements as NumPy's integers, none of them negative. `end`: n itself is one."""
    import numpy as np

    if isinstance(key, slice):
        return np.arange(*key.indices(n))
    found = np.asarray(key)
    if found.dtype == bool:
        if found.shape != (n,):
            raise IndexError(f"{name}: a bool index has one element for each of {n}; got shape {found.shape}")
        return np.flatnonzero(found)
    if found.size == 0:
        return found.astype(np.int64)
    if found.dtype.kind not in "iu" or found.ndim > 1:
        shown = f"{key.dtype} array of shape {key.shape}" if isinstance(key, Array) else repr(key)
        raise TypeError(f"{name}: takes an int, a slice, or ints or bools along one axis; got {shown}")
    found = found.astype(np.int64)
    if ((found < -n) | (found > (n if end else n - 1))).any():
        raise IndexError(f"{name}: position {key} is out of bounds for {n} elements")
    return np.where(found < 0, found + n, found)


@composed
def flatten(x: Array, /, order: Literal["C", "F"] = "C") -> Array:
    """Copy all elements of an array along one axis.

    Parameters
    ----------
    x: any shape and dtype.
    order: in which order elements are taken: with the last axis changing fastest ("C") or the first ("F").

    Returns
    -------
    One axis, the dtype of x, in memory of its own; `ravel` shares it with x where it can.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.flatten(lw.asarray([[1, 2], [3, 4]]), order="F")
    Array([1, 3, 2, 4], dtype=int32)
    """
    return reshape(as_operand(OPS["flatten"], x), (-1,), copy=True, order=order)


@composed
def resize(x: Array, shape: int | tuple[int, ...], /) -> Array:
    """Return an array of another size, in which the elements come again from the first on where there are too few.

    Parameters
    ----------
    x: any shape and dtype.
    shape: the shape of the result.

    Returns
    -------
    The dtype of x; zeros where x has no elements.

    Notes
    -----
    This is NumPy's `resize`. `nn.interpolate` is what other libraries call so: it resizes images.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.resize(lw.asarray([1, 2, 3]), (2, 4))
    Array([[1, 2, 3, 1],
           [2, 3, 1, 2]], dtype=int32)
    """
    x = lw.ravel(as_operand(OPS["resize"], x))
    target = tuple(map(index, shape)) if isinstance(shape, Sequence) else (index(shape),)
    if any(n < 0 for n in target):
        raise ValueError(f"resize: extents must not be negative; got shape {target}")
    (n,), wanted = extents("resize", x), math.prod(target)
    if not n or not wanted:
        return lw.zeros(target, dtype=x.dtype, device=x.device)
    whole = x if wanted <= n else lw.tile(x, (-(-wanted // n),))
    return reshape(whole[:wanted], target)


@composed
def trim_zeros(x: Array, /, trim: str = "fb", axis: int | None = None) -> Array:
    """Leave out the zeros at the ends.

    Parameters
    ----------
    x: any dtype. Its values decide the shape of the result: it cannot be traced.
    trim: ``"f"`` for the front, ``"b"`` for the back, ``"fb"`` for both.
    axis: the axis to trim; None for all of them. Along an axis, what is cut off has zeros only.

    Returns
    -------
    The dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.trim_zeros(lw.asarray([0, 0, 1, 0, 2, 0]))
    Array([1, 0, 2], dtype=int32)
    """
    if not trim or {*trim.lower()} - {*"fb"}:
        raise ValueError(f"trim_zeros: trim is 'f', 'b' or 'fb'; got {trim!r}")
    x = as_operand(OPS["trim_zeros"], x)
    kept = [slice(None)] * x.ndim
    for i in range(x.ndim) if axis is None else (one_axis(axis, x.shape),):
        others = tuple(j for j in range(x.ndim) if j != i)
        (places,) = lw.nonzero(lw.any(lw.not_equal(x, 0), axis=others) if others else lw.not_equal(x, 0))
        found = asarray(places, backend="numpy").__array__()
        first, last = (int(found[0]), int(found[-1]) + 1) if found.size else (0, 0)
        n = x.shape[i]
        kept[i] = slice(first if "f" in trim.lower() or not found.size else 0, last if "b" in trim.lower() else n)
        if not found.size:
            kept[i] = slice(0, 0)
    return x[tuple(kept)]


# --- axes turned, arrays cut and put together -------------------------------------------------------------------------


@composed
def rot90(x: Array, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """Turn an array by quarters of a circle in the plane of two axes.

    Parameters
    ----------
    x: at least two axes, any dtype.
    k: how many quarters, from the first axis towards the second; the other way if negative.
    axes: the two axes of the plane.

    Returns
    -------
    The dtype of x; the extents of the two axes are exchanged if k is odd.

    Raises
    ------
    ValueError: the axes are not two different ones.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.rot90(lw.asarray([[1, 2], [3, 4]]))
    Array([[2, 4],
           [1, 3]], dtype=int32)
    """
    x = as_operand(OPS["rot90"], x)
    if len(axes) != 2 or one_axis(axes[0], x.shape) == one_axis(axes[1], x.shape):
        raise ValueError(f"rot90: axes are two different ones; got {axes} for shape {x.shape}")
    first, second = (one_axis(a, x.shape) for a in axes)
    match index(k) % 4:
        case 0:
            return copy(x)
        case 1:
            return lw.swapaxes(flip(x, axis=second), first, second)
        case 2:
            return flip(x, axis=(first, second))
        case _:
            return flip(lw.swapaxes(x, first, second), axis=second)


@composed
def hsplit(x: Array, /, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Cut an array into parts along its second axis, or its only one.

    Parameters
    ----------
    x: at least one axis, any dtype.
    indices_or_sections: into how many equal parts; or where each part but the first begins.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.hsplit(lw.asarray([[1, 2], [3, 4]]), 2)[1]
    Array([[2],
           [4]], dtype=int32)
    """
    x = _with_axes("hsplit", x, 1)
    return lw.split(x, indices_or_sections, axis=min(x.ndim - 1, 1))


@composed
def vsplit(x: Array, /, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Cut an array into parts along its first axis.

    Parameters
    ----------
    x: at least two axes, any dtype.
    indices_or_sections: into how many equal parts; or where each part but the first begins.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.vsplit(lw.asarray([[1, 2], [3, 4]]), 2)[1]
    Array([[3, 4]], dtype=int32)
    """
    return lw.split(_with_axes("vsplit", x, 2), indices_or_sections, axis=0)


@composed
def dsplit(x: Array, /, indices_or_sections: int | Sequence[int]) -> list[Array]:
    """Cut an array into parts along its third axis.

    Parameters
    ----------
    x: at least three axes, any dtype.
    indices_or_sections: into how many equal parts; or where each part but the first begins.

    Examples
    --------
    >>> import latticework as lw
    >>> [part.shape for part in lw.dsplit(lw.zeros((2, 2, 4)), 2)]
    [(2, 2, 2), (2, 2, 2)]
    """
    return lw.split(_with_axes("dsplit", x, 3), indices_or_sections, axis=2)


def _with_axes(name: str, x: Any, least: int) -> Array:
    array: Array = as_operand(OPS[name], x)
    if array.ndim < least:
        raise ValueError(f"{name}: needs {least} axes or more; got shape {array.shape}")
    return array


@composed
def block(arrays: Any, /) -> Array:
    """Put an array together from nested lists of blocks.

    Parameters
    ----------
    arrays: an array, a number, or lists of them. The blocks of the innermost lists are joined along the last axis,
        those of the lists around them along the last but one, and so on.

    Returns
    -------
    The common dtype, with as many axes as the deepest list or the block with the most.

    Raises
    ------
    ValueError: a list is empty, lists of unequal depth stand side by side, or shapes do not fit together.

    Examples
    --------
    >>> import latticework as lw
    >>> one, two = lw.ones((2, 2)), lw.full((2, 1), 2.0)
    >>> lw.block([[one, two], [lw.zeros((1, 3))]])
    Array([[1., 1., 2.],
           [1., 1., 2.],
           [0., 0., 0.]], dtype=float32)
    """
    depth = _depth(arrays)
    leaves = [*_leaves(arrays)]
    ndim = max([depth, *[x.ndim for x in leaves]])
    return _joined(arrays, ndim, depth)


def _depth(blocks: Any) -> int:
    if not isinstance(blocks, list):
        return 0
    if not blocks:
        raise ValueError("block: a list of blocks is empty")
    depths = {_depth(b) for b in blocks}
    if len(depths) > 1:
        raise ValueError(
            f"block: lists of depths {sorted(depths)} stand side by side; each block has to be equally deep"
        )
    return depths.pop() + 1


def _leaves(blocks: Any) -> list[Array]:
    if isinstance(blocks, list):
        return [x for b in blocks for x in _leaves(b)]
    return [as_operand(OPS["block"], blocks)]


def _joined(blocks: Any, ndim: int, depth: int) -> Array:
    if not isinstance(blocks, list):
        x: Array = as_operand(OPS["block"], blocks)
        return reshape(x, (*(1 for _ in range(ndim - x.ndim)), *x.shape)) if x.ndim < ndim else x
    return concat([_joined(b, ndim, depth - 1) for b in blocks], axis=-depth)
