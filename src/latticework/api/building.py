"""Build matrices, grids and sequences beyond the standard's creation functions, and products that join two arrays."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from operator import index
from typing import Any, Literal, overload

from ..core.dtypes import SCALAR_KINDS, DtypeLike, bool_, float64, int64
from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import composed, op
from ..engine.exchange.foreign import as_operand, as_operands
from ..engine.exchange.output import target
from ..engine.plans.advice import check_bool
from ..engine.shapes.extents import Shape, one_axis, shape_of, sum_of
from ..policy import as_dtype
from .conversion import asarray, astype
from .creation import arange, eye, linspace, ones, tril
from .linear_algebra import extents
from .manipulation import broadcast_to, concat, expand_dims, flip, moveaxis, reshape

#: All but `trace`, which `lw.trace` is for matrices.
__all__ = [
    "cross", "diag", "diag_indices", "diagonal", "fill_diagonal", "fromfunction", "geomspace", "identity",
    "indices", "inner", "ix_", "kron", "logspace", "outer", "tri", "tril_indices", "triu_indices", "vander",
    "vdot",
]  # fmt: skip

# --- diagonals ----------------------------------------------------------------------------------------------------


def _diagonal_matrix(x: Any, *, k: Any = 0, **_: Any) -> Shape:
    """Put one axis on a diagonal of a square matrix."""
    n = sum_of(shape_of(x)[0], abs(k))
    return (n, n)


@composed
def diag(x: Array, /, k: int = 0) -> Array:
    """Make a matrix with these elements on a diagonal, or take the diagonal of a matrix.

    Parameters
    ----------
    x: one axis, or a matrix, of any dtype.
    k: which diagonal: above the main one if positive, below if negative.

    Returns
    -------
    The dtype of x. Of n elements a matrix of ``n + abs(k)`` rows and columns, with zeros elsewhere; of a matrix the
    elements of its diagonal.

    Raises
    ------
    ValueError: x has another number of axes than 1 or 2. `linalg.diagonal` takes stacks of matrices.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.diag(lw.asarray([1, 2]), k=1)
    Array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]], dtype=int32)
    >>> lw.diag(lw.asarray([[1, 2], [3, 4]]))
    Array([1, 4], dtype=int32)
    """
    x = as_operand(OPS["diag"], x)
    if x.ndim == 2:
        return lw.linalg.diagonal(x, offset=k)
    if x.ndim != 1:
        raise ValueError(f"diag: takes one axis or a matrix; got shape {x.shape}. Use lw.linalg.diagonal for a stack")
    return _diag(x, k=index(k))


@op("all or storage", shape=_diagonal_matrix)
def _diag(x: Array, /, *, k: int) -> Array:
    """`diag` of one axis."""
    n = extents("diag", x)[0] + abs(k)
    row = lw.pad(x, (max(k, 0), max(-k, 0)))
    zeros = lw.zeros_like(row)
    return lw.where(eye(n, k=k, dtype=bool_, device=x.device), row, zeros)


@composed
def diagonal(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Take a diagonal of the matrices that two axes make, by default the first two.

    Parameters
    ----------
    x: at least two axes, any dtype.
    offset: which diagonal: above the main one if positive, below if negative.
    axis1, axis2: the axes of the rows and of the columns.

    Returns
    -------
    The dtype of x. The other axes in their order, then one along the diagonal.

    Raises
    ------
    ValueError: fewer than two axes, or the two are one.
    AxisError: an axis is out of bounds.

    Notes
    -----
    `linalg.diagonal` takes the last two axes. In NumPy both functions have the defaults that they have here.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.diagonal(lw.asarray([[1, 2], [3, 4]]), offset=1)
    Array([2], dtype=int32)
    """
    return lw.linalg.diagonal(_matrices("diagonal", x, axis1, axis2), offset=offset)


@composed
def trace(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1, *, dtype: DtypeLike | None = None) -> Array:
    """Sum a diagonal of the matrices that two axes make, by default the first two.

    Parameters
    ----------
    x: at least two axes, a numeric dtype.
    offset: which diagonal: above the main one if positive, below if negative.
    axis1, axis2: the axes of the rows and of the columns.
    dtype: the dtype of the sums; by default as for `sum`.

    Returns
    -------
    The other axes of x. Small integers are summed in the default integer dtype.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.trace(lw.asarray([[1, 2], [3, 4]]))
    Array(5, dtype=int32)
    """
    return lw.linalg.trace(_matrices("trace", x, axis1, axis2), offset=offset, dtype=dtype)


def _matrices(name: str, x: Any, axis1: int, axis2: int) -> Array:
    """Move two axes to the end."""
    x = as_operand(OPS[name], x)
    if x.ndim < 2:
        raise ValueError(f"{name}: needs two axes or more; got shape {x.shape}")
    rows, columns = one_axis(axis1, x.shape), one_axis(axis2, x.shape)
    if rows == columns:
        raise ValueError(f"{name}: axis1 and axis2 are both axis {rows}")
    return x if (rows, columns) == (x.ndim - 2, x.ndim - 1) else moveaxis(x, (rows, columns), (-2, -1))


@overload
def fill_diagonal(x: Array, value: Array | complex, /, wrap: bool = ..., *, inplace: Literal[True] = ...) -> None: ...


@overload
def fill_diagonal(x: Array, value: Array | complex, /, wrap: bool = ..., *, inplace: Literal[False]) -> Array: ...


@composed
def fill_diagonal(x: Array, value: Array | complex, /, wrap: bool = False, *, inplace: bool = True) -> Array | None:
    """Write other elements to the main diagonal of an array.

    Parameters
    ----------
    x: a matrix, or more axes of one length; any dtype.
    value: a number, or an array, whose elements are repeated along the diagonal.
    wrap: whether the diagonal of a matrix with more rows than columns begins again, one row after it ended.
    inplace: whether the elements are written into x, as NumPy does; with False, into a copy of it, as JAX does.

    Returns
    -------
    None, as NumPy's function; with ``inplace=False`` a new array of the shape and dtype of x.

    Raises
    ------
    ValueError: one axis or none, or more than two of unequal length; a view of another array, to which frameworks
        without views cannot write.
    TypeError: value is of a kind that does not go into the dtype of x; in place, x is no `Array`. A framework's own
        array that never changes is a `BackendError`.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.zeros((2, 2))
    >>> lw.fill_diagonal(x, 5)
    >>> x
    Array([[5., 0.],
           [0., 5.]], dtype=float32)
    >>> lw.fill_diagonal(x, lw.asarray([1.0, 2.0]), inplace=False)
    Array([[1., 0.],
           [0., 2.]], dtype=float32)
    """
    x = target("fill_diagonal", x, inplace)
    shape = extents("fill_diagonal", x)
    if len(shape) < 2 or (len(shape) > 2 and len({*shape}) > 1):
        raise ValueError(f"fill_diagonal: takes a matrix, or more axes of one length; got shape {x.shape}")
    columns, turn = shape[1], shape[1] + 1 if wrap and len(shape) == 2 else max(shape[0], 1)
    count = shape[0] // turn * columns + min(shape[0] % turn, columns) if wrap else min(shape)
    place = arange(count, dtype=int64, device=x.device)
    if type(value) not in SCALAR_KINDS:
        listed = isinstance(value, (list, tuple))
        value = asarray(value, device=x.device) if listed else as_operand(OPS["fill_diagonal"], value, x._sig.backend)
    if isinstance(value, Array) and value.ndim:
        (n,) = extents("fill_diagonal", reshape(value, (-1,)))
        value = lw.take(reshape(value, (-1,)), place % max(n, 1)) if count else value
    result = x if inplace else asarray(x, copy=True)
    if count:
        row = place // columns * turn + place % columns
        result[(row, *(place % columns for _ in shape[1:]))] = value
    return None if inplace else result


def _along(x: Array, axis: int, ndim: int) -> Array:
    """Expand a 1-d array to `ndim` axes, with its elements along `axis`."""
    return expand_dims(x, tuple([i for i in range(ndim) if i != axis]))


# --- matrices -----------------------------------------------------------------------------------------------------


@composed
def tri(n: int, m: int | None = None, /, k: int = 0, *, dtype: DtypeLike | None = None, device: Any = None) -> Array:
    """Make a matrix of ones on and below a diagonal, and zeros above it.

    Parameters
    ----------
    n, m: the numbers of rows and of columns; as many columns as rows by default.
    k: which diagonal: above the main one if positive, below if negative.
    dtype: its dtype; the default dtype, float32, if not given.
    device: its device.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.tri(2, 3, dtype=lw.int8)
    Array([[1, 0, 0],
           [1, 1, 0]], dtype=int8)
    """
    return tril(ones((index(n), index(n if m is None else m)), dtype=dtype, device=device), k=k)


@composed
def identity(n: int, /, *, dtype: DtypeLike | None = None, device: Any = None) -> Array:
    """Make the identity matrix of n rows and columns.

    Parameters
    ----------
    n: the number of rows and of columns.
    dtype: its dtype; the default dtype, float32, if not given.
    device: its device.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.identity(2)
    Array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return eye(n, dtype=dtype, device=device)


@composed
def vander(x: Array, /, n: int | None = None, increasing: bool = False) -> Array:
    """Make a matrix of the powers of each element: the Vandermonde matrix.

    Parameters
    ----------
    x: at least one axis, a numeric dtype.
    n: how many powers; as many as elements by default.
    increasing: whether the powers go up from 0 along each row; down to it otherwise.

    Returns
    -------
    The shape of x with an axis of n powers after it, and the dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.vander(lw.asarray([2, 3]), 3)
    Array([[4, 2, 1],
           [9, 3, 1]], dtype=int32)
    """
    x = as_operand(OPS["vander"], x)
    if not x.ndim:
        raise ValueError("vander: needs an axis; got shape ()")
    count = index(extents("vander", x)[-1] if n is None else n)
    if count < 1:
        return lw.zeros((*extents("vander", x), 0), dtype=x.dtype, device=x.device)
    column = expand_dims(x, -1)
    factors = concat([lw.ones_like(column), broadcast_to(column, (*extents("vander", x), count - 1))], axis=-1)
    powers = lw.cumulative_prod(factors, axis=-1, dtype=x.dtype)
    return powers if increasing else flip(powers, axis=-1)


# --- sequences ------------------------------------------------------------------------------------------------------


@composed
def logspace(
    start: complex | Array,
    stop: complex | Array,
    num: int = 50,
    endpoint: bool = True,
    base: float | Array = 10.0,
    *,
    dtype: DtypeLike | None = None,
    axis: int = 0,
    device: Any = None,
) -> Array:
    """Make numbers whose logarithms lie at equal distances, from ``base**start`` to ``base**stop``.

    Parameters
    ----------
    start, stop: the first exponent and the last one, or arrays of them, which broadcast together; without `endpoint`,
        the one that would come after the last.
    num: how many numbers.
    endpoint: whether ``base**stop`` is among them.
    base: the base of the powers, or an array of bases, which broadcasts with the exponents.
    dtype: the default float if not given. Numbers for an integer dtype are computed in float64 and rounded down.
    axis: where the axis of the numbers comes to lie among those of arrays.
    device: its device.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.logspace(0, 2, 3)
    Array([  1.,  10., 100.], dtype=float32)
    >>> lw.logspace(0, 4, 5, base=2)
    Array([ 1.,  2.,  4.,  8., 16.], dtype=float32)
    """
    check_bool("logspace", "endpoint", endpoint)  # PyTorch has the base here
    whole = dtype is not None and as_dtype(dtype).kind in "iu"
    if isinstance(base, Array) and base.ndim:
        start, stop = (
            lw.broadcast_to(x, base.shape) if isinstance(x, Array) and x.ndim < base.ndim else x
            for x in as_operands(OPS["logspace"], (start, stop, base), joined=True)[:2]
        )
    chosen = float64 if whole else dtype
    exponents = linspace(start, stop, num, endpoint=endpoint, dtype=chosen, device=device, axis=axis)
    if isinstance(base, Array) and base.ndim:
        ahead = (*(1 for _ in range(exponents.ndim - 1 - base.ndim)), *base.shape)
        base = expand_dims(astype(reshape(base, ahead), exponents.dtype, copy=False), axis)
    powers = lw.pow(base, exponents)
    return astype(powers, dtype) if whole and dtype is not None else powers


@composed
def geomspace(
    start: complex | Array,
    stop: complex | Array,
    num: int = 50,
    endpoint: bool = True,
    *,
    dtype: DtypeLike | None = None,
    axis: int = 0,
    device: Any = None,
) -> Array:
    """Make numbers in geometric progression: each is the same multiple of the one before it.

    Parameters
    ----------
    start, stop: the first number and the last one, or arrays of them, which broadcast together; without `endpoint`,
        the one that would come after the last.
    num: how many numbers.
    endpoint: whether `stop` is among them.
    dtype: the default float if not given, or the default complex dtype if `start` or `stop` is complex.
    axis: where the axis of the numbers comes to lie among those of arrays.
    device: its device.

    Returns
    -------
    `num` numbers on one axis. The first is start and, with `endpoint`, the last is stop, exactly. Of arrays, the other
    axes are those that they broadcast to.

    Raises
    ------
    ValueError: start or stop is the number 0, or the two are real numbers of different signs. Between elements of
        arrays that are so, the numbers are nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.geomspace(1, 8, 4)
    Array([1., 2., 4., 8.], dtype=float32)
    >>> lw.geomspace(lw.asarray([1.0, 2.0]), 8, 3, axis=-1)
    Array([[1.       , 2.8284268, 8.       ],
           [2.       , 4.       , 8.       ]], dtype=float32)
    """
    check_bool("geomspace", "endpoint", endpoint)
    if isinstance(start, Array) or isinstance(stop, Array):
        return _multiples(start, stop, num, endpoint, dtype, axis, device)
    if start == 0 or stop == 0:
        raise ValueError(f"geomspace: there is no factor from {start} to {stop}; neither may be 0")
    ratio: Any = stop / start
    if not isinstance(ratio, complex) and ratio < 0:
        raise ValueError(f"geomspace: real numbers of one sign are needed; got {start} and {stop}")
    whole = dtype is not None and as_dtype(dtype).kind in "iu"
    rate = cmath.log(ratio) if isinstance(ratio, complex) else math.log(ratio)
    chosen = float64 if whole else dtype
    logarithms = linspace(rate * 0, rate, num, endpoint=endpoint, dtype=chosen, device=device)
    result = lw.multiply(lw.exp(logarithms), start)
    place = arange(num, device=result.device)
    result = lw.where(place == 0, start, result)
    if endpoint and num > 1:
        result = lw.where(place == num - 1, stop, result)
    if whole and dtype is not None:
        return astype(lw.round(result), dtype)
    return astype(result, logarithms.dtype, copy=False)


def _multiples(start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, axis: int, device: Any) -> Array:
    """`geomspace` between the elements of arrays."""
    first, last = as_operands(OPS["geomspace"], (start, stop), joined=True)
    whole = dtype is not None and as_dtype(dtype).kind in "iu"
    chosen = lw.result_type(first, last, 1.0) if dtype is None or whole else as_dtype(dtype)
    computed = float64 if whole else chosen
    first, last = (astype(x, computed, copy=False) for x in lw.broadcast_arrays(first, last))
    rates = lw.log(lw.divide(last, first))
    logarithms = linspace(lw.zeros_like(rates), rates, num, endpoint=endpoint, device=device)
    result = lw.multiply(lw.exp(logarithms), first)
    place = reshape(arange(num, device=result.device), (-1, *(1 for _ in first.shape)))
    good = lw.isfinite(rates)  # an end that is 0, or of another sign, leads nowhere
    result = lw.where(lw.logical_and(place == 0, good), first, result)
    if endpoint and num > 1:
        result = lw.where(lw.logical_and(place == num - 1, good), last, result)
    result = lw.where(good, result, lw.nan)
    return moveaxis(astype(lw.round(result), as_dtype(dtype)) if whole else result, 0, axis)


# --- positions ------------------------------------------------------------------------------------------------------


@composed
def tril_indices(n: int, /, k: int = 0, m: int | None = None, *, device: Any = None) -> tuple[Array, Array]:
    """List the positions on and below a diagonal of a matrix, row by row.

    Parameters
    ----------
    n, m: the numbers of rows and of columns; as many columns as rows by default.
    k: which diagonal: above the main one if positive, below if negative.
    device: where the positions lie.

    Returns
    -------
    The rows and the columns, int64.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.tril_indices(2)
    (Array([0, 1, 1], dtype=int64), Array([0, 0, 1], dtype=int64))
    """
    return _triangle(n, n if m is None else m, k, lower=True, device=device)


@composed
def triu_indices(n: int, /, k: int = 0, m: int | None = None, *, device: Any = None) -> tuple[Array, Array]:
    """List the positions on and above a diagonal of a matrix, row by row.

    Parameters
    ----------
    n, m: the numbers of rows and of columns; as many columns as rows by default.
    k: which diagonal: above the main one if positive, below if negative.
    device: where the positions lie.

    Returns
    -------
    The rows and the columns, int64.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.triu_indices(2)
    (Array([0, 0, 1], dtype=int64), Array([0, 1, 1], dtype=int64))
    """
    return _triangle(n, n if m is None else m, k, lower=False, device=device)


def _triangle(n: int, m: int, k: int, *, lower: bool, device: Any) -> tuple[Array, Array]:
    """List the positions of a part of a matrix of n rows and m columns. NumPy goes through a mask of all positions."""
    import numpy as np

    rows = np.arange(max(index(n), 0))
    ends = np.clip(rows + (index(k) + lower), 0, max(index(m), 0))  # where the part ends, or begins, in each row
    counts = ends if lower else max(index(m), 0) - ends
    columns = np.arange(int(counts.sum()))
    columns -= np.repeat(np.cumsum(counts) - (counts if lower else counts + ends), counts)
    places = (np.repeat(rows, counts), columns)
    made = [asarray(x.astype(np.int64, copy=False), device=device) for x in places]
    return made[0], made[1]


@composed
def diag_indices(n: int, /, ndim: int = 2, *, device: Any = None) -> tuple[Array, ...]:
    """List the positions of the main diagonal of an array whose axes have n elements each.

    Parameters
    ----------
    n: the length of each axis.
    ndim: the number of axes.
    device: where the positions lie.

    Returns
    -------
    For each axis, the numbers from 0 to n - 1, int64.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.diag_indices(2)
    (Array([0, 1], dtype=int64), Array([0, 1], dtype=int64))
    """
    place = arange(n, dtype=int64, device=device)
    return tuple([place for _ in range(ndim)])


@composed
def indices(shape: tuple[int, ...], /, *, dtype: DtypeLike | None = None, device: Any = None) -> Array:
    """Make a grid: for each axis an array of the positions along it.

    Parameters
    ----------
    shape: the shape of the grid.
    dtype: its dtype, int64 if not given.
    device: its device.

    Returns
    -------
    The shape ``(len(shape), *shape)``.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.indices((2, 2))
    Array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]], dtype=int64)
    """
    chosen = int64 if dtype is None else dtype
    axes = [arange(n, dtype=chosen, device=device) for n in shape]
    if not axes:
        return lw.zeros((0,), dtype=chosen, device=device)
    return lw.stack([broadcast_to(_along(x, i, len(axes)), tuple(shape)) for i, x in enumerate(axes)])


@composed
def ix_(*arrays: Array) -> tuple[Array, ...]:
    """Turn positions along several axes into arrays that index their product: ``x[lw.ix_(rows, columns)]``.

    Parameters
    ----------
    arrays: for each axis the positions, of one axis each, or a bool array that is True at them.

    Returns
    -------
    For each axis an array with as many axes as there are arrays, all but its own of extent 1.

    Raises
    ------
    ValueError: an array has more axes than one, or none.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1, 2, 3], [4, 5, 6]])
    >>> x[lw.ix_(lw.asarray([1, 0]), lw.asarray([0, 2]))]
    Array([[4, 6],
           [1, 3]], dtype=int32)
    """
    found = []
    for i, x in enumerate(as_operand(OPS["ix_"], x) for x in arrays):
        if x.ndim != 1:
            raise ValueError(f"ix_: takes arrays of one axis; got shape {x.shape}")
        found.append(_along(lw.nonzero(x)[0] if x.dtype.kind == "b" else x, i, len(arrays)))
    return tuple(found)


@composed
def fromfunction(
    f: Callable[..., Any],
    /,
    shape: tuple[int, ...],
    *,
    dtype: DtypeLike | None = None,
    device: Any = None,
    **kwargs: Any,
) -> Array:
    """Call a function on the positions of a grid: for each axis it gets an array of them.

    Parameters
    ----------
    f: a function of as many arrays as there are axes, each in the shape of the grid.
    shape: the shape of the grid.
    dtype: the dtype of the positions; the default float if not given, as in NumPy.
    device: where they lie.
    kwargs: further arguments of f.

    Returns
    -------
    What f returns.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype=lw.int32)
    Array([[ 0,  1,  2],
           [10, 11, 12]], dtype=int32)
    """
    chosen = lw.default_float_dtype() if dtype is None else dtype
    result: Array = f(*lw.unstack(indices(tuple(shape), dtype=chosen, device=device)), **kwargs)
    return result


# --- products -----------------------------------------------------------------------------------------------------


@composed
def outer(x1: Array, x2: Array, /) -> Array:
    """Multiply each element of x1 by each of x2, both taken along one axis.

    Parameters
    ----------
    x1, x2: any shapes, numeric dtypes.

    Returns
    -------
    A matrix in the common dtype, with a row for each element of x1.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.outer(lw.asarray([1, 2]), lw.asarray([3, 4]))
    Array([[3, 4],
           [6, 8]], dtype=int32)
    """
    x1, x2 = as_operands(OPS["outer"], (x1, x2))
    return lw.linalg.outer(lw.ravel(x1), lw.ravel(x2))


@composed
def inner(x1: Array, x2: Array, /) -> Array:
    """Sum the products along the last axes of both.

    Parameters
    ----------
    x1, x2: numeric dtypes, whose last axes have one length; or one of them 0-d.

    Returns
    -------
    The common dtype; the other axes of x1, then those of x2. The product where one is 0-d.

    Raises
    ------
    ValueError: the last axes are of different lengths.

    Notes
    -----
    Complex elements are not conjugated, as in NumPy; `vecdot` does that.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.inner(lw.asarray([[1, 2], [3, 4]]), lw.asarray([10, 1]))
    Array([12, 34], dtype=int32)
    """
    x1, x2 = as_operands(OPS["inner"], (x1, x2))
    if not (x1.ndim and x2.ndim):
        return lw.multiply(x1, x2)
    return lw.tensordot(x1, x2, axes=((-1,), (-1,)))


@composed
def vdot(x1: Array, x2: Array, /) -> Array:
    """Sum the products of all elements, those of x1 conjugated.

    Parameters
    ----------
    x1, x2: numeric dtypes, of as many elements; their shapes do not matter.

    Returns
    -------
    A 0-d array of the common dtype.

    Raises
    ------
    ValueError: they have different numbers of elements.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.vdot(lw.asarray([1j, 2]), lw.asarray([1j, 3]))
    Array(7.+0.j, dtype=complex64)
    """
    x1, x2 = as_operands(OPS["vdot"], (x1, x2))
    return lw.vecdot(lw.ravel(x1), lw.ravel(x2))


@composed
def kron(x1: Array, x2: Array, /) -> Array:
    """Compute the Kronecker product: x2 multiplied by each element of x1, side by side.

    Parameters
    ----------
    x1, x2: any shapes, numeric dtypes. The one with fewer axes gets axes of extent 1 in front.

    Returns
    -------
    The common dtype; along each axis the product of both lengths.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.kron(lw.asarray([1, 10]), lw.asarray([1, 2, 3]))
    Array([ 1,  2,  3, 10, 20, 30], dtype=int32)
    """
    x1, x2 = as_operands(OPS["kron"], (x1, x2))
    ndim = max(x1.ndim, x2.ndim)
    a, b = ((*(1 for _ in range(ndim - x.ndim)), *extents("kron", x)) for x in (x1, x2))
    left = reshape(x1, tuple(n for m in a for n in (m, 1)))
    right = reshape(x2, tuple(n for m in b for n in (1, m)))
    backend, rows = x1._sig.backend, min(math.prod(a[:-1]), math.prod(b[:-1]))
    # Whole rows are multiplied in a third of the time; not in a compiled program, which makes every element by itself.
    if rows >= _MANY_ROWS and not (backend.facts.compiles or backend.lazy):
        row = (a[-1], b[-1])
        left = reshape(broadcast_to(left, (*left.shape[:-2], *row)), (*left.shape[:-2], math.prod(row)))
        right = reshape(broadcast_to(right, (*right.shape[:-2], *row)), (*right.shape[:-2], math.prod(row)))
    return reshape(lw.multiply(left, right), tuple(m * n for m, n in zip(a, b, strict=True)))


#: If both operands of `kron` have at least this many rows, their rows are repeated before they are multiplied.
_MANY_ROWS = 8


@composed
def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Compute the cross product of vectors of three elements: `linalg.cross`.

    Parameters
    ----------
    x1, x2: numeric dtypes, with three elements along the axis and other axes that broadcast.
    axis: the axis of the vectors.

    Returns
    -------
    The common dtype, and the broadcast shape.

    Raises
    ------
    ValueError: there are not three elements along the axis.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cross(lw.asarray([1, 0, 0]), lw.asarray([0, 1, 0]))
    Array([0, 0, 1], dtype=int32)
    """
    return lw.linalg.cross(x1, x2, axis=axis)
