"""Matrices of a given structure: bands, blocks, constant diagonals; and products of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtypes import int64
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from ...engine.shapes.extents import (
    Shape,
    as_int,
    broadcast_shapes,
    may_equal,
    mismatch,
    need_axes,
    shape_of,
    sum_of,
)
from ...engine.shapes.linalg import diagonal as _shape_of_diagonal
from ...engine.shapes.linalg import matmul as _shape_of_matmul
from ..linear_algebra import extents, matmul

__all__ = ["block_diag", "diagonal_set", "matrix_band_part", "multi_dot", "toeplitz"]


def _band_shape(x: Shape, *, lower: Any, upper: Any, **_: Any) -> Shape:
    """Keep the shape of matrices."""
    need_axes(x)
    as_int(lower, "lower is an int")
    as_int(upper, "upper is an int")
    return x


@op("numeric", shape=_band_shape)
def matrix_band_part(x: Array, lower: int, upper: int, /) -> Array:
    """Keep a band of diagonals of each matrix in a stack, and set the others to 0.

    Parameters
    ----------
    x: shape (..., M, N), a numeric dtype.
    lower: how many diagonals below the main one stay; all if it is negative.
    upper: how many diagonals above the main one stay; all if it is negative.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    ValueError: x has fewer than two axes.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.matrix_band_part(lw.ones((3, 3), dtype=lw.int32), 0, 1)
    Array([[1, 1, 0],
           [0, 1, 1],
           [0, 0, 1]], dtype=int32)
    """
    lower, upper = as_int(lower, "lower is an int"), as_int(upper, "upper is an int")
    if upper >= 0:
        x = lw.tril(x, k=upper)
    return lw.triu(x, k=-lower) if lower >= 0 else x if upper >= 0 else lw.asarray(x, copy=True)


def _block_shape(arrays: list[Any], **_: Any) -> Shape:
    """Add the rows and the columns, and broadcast the stacks."""
    if not arrays:
        raise ValueError("takes at least one array")
    shapes: list[Shape] = [(*(1,) * (2 - len(s)), *s) for s in map(shape_of, arrays)]
    stack = broadcast_shapes(*[s[:-2] for s in shapes])
    return (*stack, sum_of(*[s[-2] for s in shapes]), sum_of(*[s[-1] for s in shapes]))


@op("all", shape=_block_shape)
def block_diag(*arrays: Array) -> Array:
    """Put matrices on the diagonal of one, with zeros elsewhere; for stacks, each with its own.

    Parameters
    ----------
    arrays: shapes (..., M, N) with stacks that broadcast together; one axis is a row, none a matrix of one element.

    Returns
    -------
    The common dtype: as many rows as all of them have together, and columns likewise.

    Raises
    ------
    ValueError: there is no array, or the stacks do not fit together.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.block_diag(lw.asarray([[1, 2]]), lw.asarray([3]))
    Array([[1, 2, 0],
           [0, 0, 3]], dtype=int32)
    """
    blocks = [lw.reshape(x, (1,) * (2 - x.ndim) + x.shape) if x.ndim < 2 else x for x in arrays]
    if len(blocks) == 1:
        return lw.asarray(blocks[0], copy=True)
    shapes = [extents("linalg.block_diag", x) for x in blocks]
    stack: Any = broadcast_shapes(*[s[:-2] for s in shapes])
    columns = [s[-1] for s in shapes]
    rows = []
    for i, (x, shape) in enumerate(zip(blocks, shapes, strict=True)):
        x = lw.broadcast_to(x, (*stack, *shape[-2:]))
        before, after = sum(columns[:i]), sum(columns[i + 1 :])
        parts = [
            lw.zeros((*stack, shape[-2], before), dtype=x.dtype, device=x.device),
            x,
            lw.zeros((*stack, shape[-2], after), dtype=x.dtype, device=x.device),
        ]
        rows.append(lw.concat(parts, axis=-1))
    return lw.concat(rows, axis=-2)


def _toeplitz_shape(c: Any, r: Any = None, **_: Any) -> Shape:
    """Return a matrix with the column c and the row r, for each of a stack."""
    row = c if r is None else r
    if not c or not row:
        raise ValueError(f"takes vectors along the last axis; got shapes {c} and {row}")
    return (*broadcast_shapes(c[:-1], row[:-1]), c[-1], row[-1])


@op("all", shape=_toeplitz_shape)
def toeplitz(c: Array, /, r: Array | None = None) -> Array:
    """Return the matrix with constant diagonals that has this first column and first row; for stacks, each its own.

    Parameters
    ----------
    c: shape (..., M): the first column.
    r: shape (..., N): the first row, of which the first element is not used. By default the complex conjugate of c.

    Returns
    -------
    Shape (..., M, N), the common dtype.

    Raises
    ------
    ValueError: an array has no axes, or the stacks do not fit together.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.toeplitz(lw.asarray([1, 2, 3]), lw.asarray([1, 4, 5]))
    Array([[1, 4, 5],
           [2, 1, 4],
           [3, 2, 1]], dtype=int32)
    """
    row = (lw.conj(c) if c.dtype.kind == "c" else c) if r is None else r
    (m,), (n,) = extents("linalg.toeplitz", c, (-1,)), extents("linalg.toeplitz", row, (-1,))
    stack: Any = broadcast_shapes(c.shape[:-1], row.shape[:-1])
    c, row = lw.broadcast_to(c, (*stack, m)), lw.broadcast_to(row, (*stack, n))
    if m == 0 or n == 0:
        return lw.zeros((*stack, m, n), dtype=c.dtype, device=c.device)
    line = lw.concat([lw.flip(row[..., 1:], axis=-1), c], axis=-1)  # by diagonals, from the upper right corner on
    if c._sig.backend.lazy:
        i, j = (lw.arange(k, dtype=int64, device=c.device) for k in (m, n))
        return lw.take(line, i[:, None] - j + (n - 1), axis=-1)
    rows = lw.sliding_window_view(lw.flip(line, axis=-1), n, axis=-1)  # the last one first
    return lw.asarray(lw.flip(rows, axis=-2), copy=True)


def _set_shape(x: Shape, d: Any, *, offset: Any = 0, **_: Any) -> Shape:
    """Keep the shape of matrices, whose diagonals the other array broadcasts to."""
    want = _shape_of_diagonal(x, offset=offset)
    try:
        fits = all(map(may_equal, broadcast_shapes(want, d), want)) and len(d) <= len(want)
    except ValueError:
        fits = False
    if not fits:
        raise mismatch([x, d], f"The diagonals have shape {want}, which the second array has to broadcast to")
    return x


@op("all", shape=_set_shape)
def diagonal_set(x: Array, d: Array, /, *, offset: int = 0) -> Array:
    """Replace a diagonal of each matrix in a stack, in a copy.

    Parameters
    ----------
    x: shape (..., M, N).
    d: what broadcasts to the shape of the diagonals.
    offset: which diagonal: 0 for the main one, above it for a positive and below it for a negative number.

    Returns
    -------
    The shape of x, the common dtype.

    Raises
    ------
    ValueError: the shapes do not fit together.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.linalg.diagonal_set(lw.zeros((2, 3), dtype=lw.int32), lw.asarray([7, 8]), offset=1)
    Array([[0, 7, 0],
           [0, 0, 8]], dtype=int32)
    """
    offset = as_int(offset, "an offset is an int")
    m, n = extents("linalg.diagonal_set", x, (-2, -1))
    want: Any = _shape_of_diagonal(x.shape, offset=offset)
    _set_shape(x.shape, d.shape, offset=offset)
    if want[-1] == 0:
        return lw.asarray(x, copy=True)
    d = lw.broadcast_to(d, want)
    rows = lw.arange(m, dtype=int64, device=x.device)
    columns = lw.arange(n, dtype=int64, device=x.device)
    along = lw.clip(rows if offset >= 0 else columns, 0, want[-1] - 1)
    values = lw.take(d, along, axis=-1)
    on = columns - rows[:, None] == offset
    return lw.where(on, values[..., :, None] if offset >= 0 else values[..., None, :], x)


# --- products -----------------------------------------------------------------------------------------------------


def _multi_shape(arrays: list[Any], **_: Any) -> Shape:
    """Multiply matrices, of which the first and the last may be vectors."""
    if len(arrays) < 2:
        raise ValueError(f"takes two arrays or more; got {len(arrays)}")
    shapes = [shape_of(x) for x in arrays]
    for i, s in enumerate(shapes):
        if len(s) < 2 and not (len(s) == 1 and i in (0, len(shapes) - 1)):
            raise ValueError(f"takes matrices, and vectors as the first and the last array; got shapes {shapes}")
    result = shapes[0]
    for s in shapes[1:]:
        result = _shape_of_matmul(result, s)
    return result


@op("numeric", shape=_multi_shape)
def multi_dot(arrays: Sequence[Array], /) -> Array:
    """Multiply two or more matrices in the order that takes the fewest multiplications.

    Parameters
    ----------
    arrays: numeric dtypes: matrices, or stacks of them that broadcast together. The first may be a vector, which is
        a row then, and the last one, which is a column.

    Returns
    -------
    The shape of the product, the common dtype. The axis of a vector is dropped.

    Raises
    ------
    ValueError: there are fewer than two arrays, or the shapes do not fit together.

    Notes
    -----
    The order is found from the shapes alone (Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", matrix
    chains).

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1, 2], [3, 4]])
    >>> lw.linalg.multi_dot([x, x, lw.asarray([1, 1])])
    Array([17, 37], dtype=int32)
    """
    arrays = [*arrays]
    _multi_shape([x.shape for x in arrays])
    row, column = arrays[0].ndim == 1, arrays[-1].ndim == 1
    if row:
        arrays[0] = arrays[0][None, :]
    if column:
        arrays[-1] = arrays[-1][:, None]
    sizes = [*extents("linalg.multi_dot", arrays[0], (-2,)), *[x.shape[-1] or 0 for x in arrays]]
    result = _multiplied(arrays, sizes)
    return result[..., 0, 0] if row and column else result[..., 0, :] if row else result[..., 0] if column else result


def _multiplied(arrays: list[Array], sizes: list[int]) -> Array:
    """Multiply matrices of these extents where each product costs least."""
    count = len(arrays)
    cost = {(i, i): 0 for i in range(count)}
    cut = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            prices = {k: cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)}
            cut[i, j] = min(prices, key=lambda k: prices[k])
            cost[i, j] = prices[cut[i, j]]

    def product(i: int, j: int) -> Array:
        if i == j:
            return arrays[i]
        k = cut[i, j]
        return matmul(product(i, k), product(k + 1, j))

    return product(0, count - 1)
