"""Products of vectors, matrices and tensors: the main namespace's share of linear algebra, and `linalg`'s too."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import op
from ..errors import AxisError

#: None for an extent that is not known before the array is computed.
Shape = tuple[int | None, ...]


@op("numeric", shape="matmul")
def matmul(x1: Array, x2: Array, /, out: Array | None = None) -> Array:
    """Matrix product of each pair of matrices in two stacks; the operator ``@``.

    Parameters
    ----------
    x1: shape (..., M, K), or (K,) for a row vector, whose axis M the result lacks.
    x2: shape (..., K, N), or (K,) for a column vector, whose axis N the result lacks. The leading axes broadcast.

    Returns
    -------
    Shape (..., M, N) in the common dtype. Integers of every width are multiplied exactly and wrap around. float16
    and bfloat16 are summed in float32 and rounded once, as the frameworks and the hardware do. Complex operands
    are not conjugated. Where K is 0 all elements are 0.

    Raises
    ------
    TypeError: bool operands.
    ValueError: shapes that do not fit together, or an operand without axes.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1, 2], [3, 4]])
    >>> lw.matmul(x, lw.asarray([1, 10]))
    Array([21, 43], dtype=int32)
    >>> x @ x
    Array([[ 7, 10],
           [15, 22]], dtype=int32)
    """
    ...


@op("all or storage", shape="matrix_transpose", view=True)
def matrix_transpose(x: Array, /) -> Array:
    """Transpose of each matrix in a stack: the last two axes exchanged.

    Parameters
    ----------
    x: shape (..., M, N), any dtype.

    Returns
    -------
    Shape (..., N, M), a view of x. Complex elements are not conjugated.

    Raises
    ------
    ValueError: x has fewer than two axes.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.matrix_transpose(lw.asarray([[1, 2, 3], [4, 5, 6]]))
    Array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)
    """
    ...


@op("numeric", shape="tensordot")
def tensordot(x1: Array, x2: Array, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """Sum of products over some axes of two arrays, for every combination of the other axes.

    Parameters
    ----------
    x1, x2: numeric dtypes.
    axes: how many of the last axes of x1 to sum over with as many of the first axes of x2, in order; or the axes
        of x1 and those of x2, in pairs. 0 gives the outer product. Paired axes have equal lengths: a length of 1 is
        not stretched.

    Returns
    -------
    The remaining axes of x1, then those of x2, in the common dtype. Computed by `matmul`, with its precision.

    Raises
    ------
    ValueError: axes of different lengths, twice the same axis, or a negative number of axes.
    AxisError: (a ValueError and IndexError) an axis that the array does not have.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1, 2], [3, 4]])
    >>> lw.tensordot(x, x)
    Array(30, dtype=int32)
    >>> lw.tensordot(x, lw.asarray([1, 10]), axes=((0,), (0,)))
    Array([31, 42], dtype=int32)
    """
    first, second = _pairs(x1.shape, x2.shape, axes)
    if not first:
        return lw.multiply(lw.expand_dims(x1, tuple(range(x1.ndim, x1.ndim + x2.ndim))), x2)
    rows = [i for i in range(x1.ndim) if i not in first]
    columns = [i for i in range(x2.ndim) if i not in second]
    product = matmul(_matrix(x1, rows, first), _matrix(x2, second, columns))
    if len(rows) == len(columns) == 1:
        return product
    return lw.reshape(product, extents("tensordot", x1, rows) + extents("tensordot", x2, columns))


@op("numeric", shape="vecdot")
def vecdot(x1: Array, x2: Array, /, *, axis: int = -1, out: Array | None = None) -> Array:
    """Dot product of each pair of vectors, of which the first is conjugated.

    Parameters
    ----------
    x1, x2: numeric dtypes; shapes that broadcast together along all axes but `axis`, where they are equal.
    axis: where the vectors lie, counted from the end: -1 for the last axis. Where both arrays have the same number
        of axes it may be counted from the start as well.

    Returns
    -------
    The broadcast shape without `axis`, in the common dtype: the sum of ``conj(x1) * x2``.

    Raises
    ------
    ValueError: shapes that do not fit together.
    AxisError: (a ValueError and IndexError) an axis that one of the arrays does not have.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.vecdot(lw.asarray([1j, 2.0]), lw.asarray([3j, 4.0]))
    Array(11.+0.j, dtype=complex64)
    >>> lw.vecdot(lw.asarray([[1, 2], [3, 4]]), lw.asarray([1, 10]))
    Array([21, 43], dtype=int32)
    """
    ...


def _pairs(a: Shape, b: Shape, axes: Any) -> tuple[list[int], list[int]]:
    """The axes that `tensordot` sums over, counted from the start, of arrays of each of these shapes."""
    shapes = f"arrays of shapes {a} and {b}"
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise ValueError(f"tensordot: axes are an int or the axes of x1 and of x2; got {axes!r}")
        first, second = (_from_start(s, chosen, shapes) for s, chosen in zip((a, b), axes, strict=True))
    else:
        count = operator.index(axes)
        if not 0 <= count <= min(len(a), len(b)):
            raise ValueError(f"tensordot: cannot sum over {count} axes of {shapes}")
        first, second = [*range(len(a) - count, len(a))], [*range(count)]
    if len(first) != len(second) or any(len({a[i], b[j]} - {None}) > 1 for i, j in zip(first, second, strict=True)):
        raise ValueError(
            f"tensordot: axes {tuple(first)} and {tuple(second)} of {shapes} do not fit together. "
            f"They have to be as many and equal in length, pair by pair"
        )
    return first, second


def _from_start(shape: Shape, axes: Any, shapes: str) -> list[int]:
    axes = [operator.index(a) for a in (axes if isinstance(axes, (tuple, list)) else [axes])]
    if wrong := [a for a in axes if not -len(shape) <= a < len(shape)]:
        raise AxisError(f"tensordot: axis {wrong[0]} is out of bounds for array of shape {shape}")
    found = [a % len(shape) for a in axes]
    if len({*found}) != len(found):
        raise ValueError(f"tensordot: the axes {tuple(axes)} name one axis twice, for {shapes}")
    return found


def _matrix(x: Array, first: list[int], second: list[int]) -> Array:
    """Return x as a matrix, with some axes as rows and the others as columns; x itself where it is that already."""
    order = (*first, *second)
    if order != (*range(x.ndim),):
        x = lw.permute_dims(x, order)
    if len(first) == len(second) == 1:
        return x
    shape = extents("tensordot", x)
    return lw.reshape(x, (prod(shape[: len(first)]), prod(shape[len(first) :])))


def extents(name: str, x: Array, axes: Iterable[int] | None = None) -> tuple[int, ...]:
    """The extents along these axes of an array, or all, in a function that needs to know them."""
    shape: Shape = x.shape
    found = []
    for axis in range(len(shape)) if axes is None else axes:
        n = shape[axis]
        if n is None:
            raise ValueError(
                f"{name}: the extent of axis {axis % len(shape)} is not known before the array is computed; its shape "
                f"is {shape}. Take x.compute(), or inside tf.function give tf.TensorSpec the shape"
            )
        found.append(n)
    return tuple(found)
