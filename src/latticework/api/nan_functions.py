"""Reductions and running sums that take nan for missing: of a slice of nothing else the result is defined, and there is
no warning. Integers and bools have no nan; of them these are the functions without it.
"""

from __future__ import annotations

from typing import Any

from ..core.dtypes import DtypeLike, bool_, float32
from ..core.registry import functions as lw
from ..engine.arrays.array import Array, is_array
from ..engine.declare import op
from .numpy_names import _finite
from .roots import root_of_sum

Axes = int | tuple[int, ...] | None


def _has_nan(x: Array) -> bool:
    """Return whether the dtype has nan."""
    return x.dtype.kind in "fc"


def _accumulator(x: Array) -> Any:
    """The dtype that means are made in: float32 for 16 bits, whose sums and counts soon leave the range."""
    return float32 if x.dtype.bits == 16 else x.dtype


# --- sums and products ------------------------------------------------------------------------------------------------


@op("all", shape="reduce")
def nansum(x: Array, /, axis: Axes = None, *, dtype: DtypeLike | None = None, keepdims: bool = False) -> Array:
    """Return the sum of the elements that are not nan; 0 of none.

    Parameters
    ----------
    x: any shape, any dtype. True counts as 1.
    axis: the axis or axes to reduce; None for all of them, () for none.
    dtype: the dtype of the sum, as for `sum`. x is cast to it before nan is looked for, so it must be a floating one
        where there is a nan.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    As `sum`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nansum(lw.asarray([[1.0, lw.nan], [lw.nan, lw.nan]]), axis=1)
    Array([1., 0.], dtype=float32)
    """
    if dtype is bool_:  # by the rules of a framework that takes it
        return lw.any(_or(x, 0), axis=axis, keepdims=keepdims)
    return lw.sum(_or(x, 0), axis=axis, dtype=dtype, keepdims=keepdims)


@op("all", shape="reduce")
def nanprod(x: Array, /, axis: Axes = None, *, dtype: DtypeLike | None = None, keepdims: bool = False) -> Array:
    """Return the product of the elements that are not nan; 1 of none.

    Parameters
    ----------
    x: any shape, any dtype. True counts as 1.
    axis: the axis or axes to reduce; None for all of them, () for none.
    dtype: the dtype of the product, as for `prod`. x is cast to it before nan is looked for, so it must be a floating
        one where there is a nan.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    As `prod`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanprod(lw.asarray([[3.0, lw.nan], [lw.nan, lw.nan]]), axis=1)
    Array([3., 1.], dtype=float32)
    """
    if dtype is bool_:
        return lw.all(_or(x, 1), axis=axis, keepdims=keepdims)
    return lw.prod(_or(x, 1), axis=axis, dtype=dtype, keepdims=keepdims)


@op("all", shape="accumulate_flat")
def nancumsum(x: Array, /, axis: int | None = None, *, dtype: DtypeLike | None = None) -> Array:
    """Return the running sums along an axis, to which a nan adds 0.

    Parameters
    ----------
    x: any shape, any dtype. True counts as 1.
    axis: the axis to go along; None takes the array as flat, in row-major order.
    dtype: the dtype of the sums, as for `nansum`.

    Returns
    -------
    The shape of x, or one axis of all elements.

    Raises
    ------
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nancumsum(lw.asarray([1.0, lw.nan, 2.0]))
    Array([1., 1., 3.], dtype=float32)
    """
    return _running("cumulative_sum", x, 0, axis, dtype)


@op("all", shape="accumulate_flat")
def nancumprod(x: Array, /, axis: int | None = None, *, dtype: DtypeLike | None = None) -> Array:
    """Return the running products along an axis, where a nan counts as 1.

    Parameters
    ----------
    x: any shape, any dtype. True counts as 1.
    axis: the axis to go along; None takes the array as flat, in row-major order.
    dtype: the dtype of the products, as for `nanprod`.

    Returns
    -------
    The shape of x, or one axis of all elements.

    Raises
    ------
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nancumprod(lw.asarray([3.0, lw.nan, 2.0]))
    Array([3., 3., 6.], dtype=float32)
    """
    return _running("cumulative_prod", x, 1, axis, dtype)


def _running(name: str, x: Array, instead: int, axis: int | None, dtype: Any) -> Array:
    x = _or(x, instead)
    return getattr(lw, name)(lw.reshape(x, (-1,)) if axis is None else x, axis=axis, dtype=dtype)  # type: ignore[no-any-return]


def _or(x: Array, instead: Any) -> Array:
    """Replace each nan."""
    if x.dtype.kind == "f":
        return _finite(x, nan=instead, posinf=lw.inf, neginf=-lw.inf)
    return lw.where(lw.isnan(x), instead, x) if _has_nan(x) else x


# --- means and spreads ------------------------------------------------------------------------------------------------


@op("floating", shape="reduce")
def nanmean(x: Array, /, axis: Axes = None, *, dtype: DtypeLike | None = None, keepdims: bool = False) -> Array:
    """Return the mean of the elements that are not nan; nan of none, without a warning.

    Parameters
    ----------
    x: any shape, a floating dtype; integers and bools are taken as the default float.
    axis: the axis or axes to reduce; None for all of them, () for none.
    dtype: a floating dtype that x is cast to first; x is not cast by default.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x, the default float for integers.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanmean(lw.asarray([[1.0, lw.nan, 2.0], [lw.nan, lw.nan, lw.nan]]), axis=1)
    Array([1.5, nan], dtype=float32)
    """
    total, count = _sum_and_count(x, lw.isnan(x), axis, keepdims)
    return lw.astype(_over(total, count), x.dtype, copy=False)


def _sum_and_count(x: Array, missing: Array, axis: Axes, keepdims: bool) -> tuple[Array, Array]:
    total = lw.sum(lw.where(missing, 0, x), axis=axis, dtype=_accumulator(x), keepdims=keepdims)
    return total, lw.count_nonzero(lw.logical_not(missing), axis=axis, keepdims=keepdims)


def _over(total: Array, count: Array, correction: float = 0) -> Array:
    """Divide by the number of elements less a correction; nan where none is left."""
    real = lw.real(total).dtype if total.dtype.kind == "c" else total.dtype
    left = lw.astype(count, real)
    if is_array(correction) or correction:  # of an array there may be a derivative
        left = left - correction
    return total / lw.where(left > 0, left, lw.nan)


@op("floating", out="real", shape="reduce")
def nanvar(
    x: Array, /, axis: Axes = None, *, dtype: DtypeLike | None = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """Return the variance of the elements that are not nan.

    Parameters
    ----------
    x: any shape, a floating dtype; integers and bools are taken as the default float.
    axis: the axis or axes to reduce; None for all of them, () for none.
    dtype: a floating dtype that x is cast to first; x is not cast by default.
    correction: what is taken from the number of elements before dividing by it, as for `var`.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x, the default float for integers, a real one for complex input. nan where the number of elements that
    are not nan does not exceed `correction`, without a warning.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanvar(lw.asarray([1.0, lw.nan, 3.0]))
    Array(1., dtype=float32)
    """
    return _variance(x, axis, correction, keepdims, root=False)


@op("floating", out="real", shape="reduce")
def nanstd(
    x: Array, /, axis: Axes = None, *, dtype: DtypeLike | None = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """Return the standard deviation of the elements that are not nan: the square root of `nanvar`.

    Parameters
    ----------
    x: any shape, a floating dtype; integers and bools are taken as the default float.
    axis: the axis or axes to reduce; None for all of them, () for none.
    dtype: a floating dtype that x is cast to first; x is not cast by default.
    correction: what is taken from the number of elements before dividing by it, as for `std`.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    As `nanvar`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanstd(lw.asarray([1.0, lw.nan, 5.0]))
    Array(2., dtype=float32)
    """
    return _variance(x, axis, correction, keepdims, root=True)


def _variance(x: Array, axis: Axes, correction: float, keepdims: bool, *, root: bool) -> Array:
    """The mean of the squared distances from the mean, or its root, in the accumulator's dtype until the last."""
    missing = lw.isnan(x)
    total, count = _sum_and_count(x, missing, axis, True)
    away = lw.where(missing, 0, x - _over(total, count))
    squares = lw.square(away) if away.dtype.kind == "f" else lw.square(lw.real(away)) + lw.square(lw.imag(away))
    if not keepdims:
        count = lw.count_nonzero(lw.logical_not(missing), axis=axis)
    spread = _over(lw.sum(squares, axis=axis, keepdims=keepdims), count, correction)
    dtype = lw.real(x).dtype if x.dtype.kind == "c" else x.dtype
    return lw.astype(root_of_sum(spread, 0.5) if root else spread, dtype, copy=False)


# --- extremes ---------------------------------------------------------------------------------------------------------


@op("real numeric or bool", shape="extremum")
def nanmax(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Return the greatest element that is not nan; nan where all are, without a warning.

    Parameters
    ----------
    x: any shape, any dtype but a complex one.
    axis: the axis or axes to reduce; None for all of them, () for none.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x.

    Raises
    ------
    ValueError: there are no elements to choose from.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanmax(lw.asarray([[1.0, lw.nan], [lw.nan, lw.nan]]), axis=1)
    Array([ 1., nan], dtype=float32)
    """
    return _extreme("max", x, -lw.inf, axis, keepdims)


@op("real numeric or bool", shape="extremum")
def nanmin(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Return the least element that is not nan; nan where all are, without a warning.

    Parameters
    ----------
    x: any shape, any dtype but a complex one.
    axis: the axis or axes to reduce; None for all of them, () for none.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    The dtype of x.

    Raises
    ------
    ValueError: there are no elements to choose from.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanmin(lw.asarray([[1.0, lw.nan], [lw.nan, lw.nan]]), axis=1)
    Array([ 1., nan], dtype=float32)
    """
    return _extreme("min", x, lw.inf, axis, keepdims)


def _extreme(name: str, x: Array, beyond: float, axis: Axes, keepdims: bool) -> Array:
    extreme: Any = getattr(lw, name)
    if not _has_nan(x):
        return extreme(x, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]
    missing = lw.isnan(x)
    found = extreme(lw.where(missing, beyond, x), axis=axis, keepdims=keepdims)
    return lw.where(lw.all(missing, axis=axis, keepdims=keepdims), lw.nan, found)


@op("real numeric or bool", out="index", shape="arg_extremum")
def nanargmax(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Return the position of the greatest element that is not nan, the first where there are several.

    Parameters
    ----------
    x: any shape, any dtype but a complex one.
    axis: the axis to search along; None takes the array as flat, in row-major order.
    keepdims: whether the axis stays, with extent 1.

    Returns
    -------
    int64 positions, -1 where all elements are nan. (That is jax.numpy's answer; numpy.nanargmax raises an error, which
    would have to look at values.)

    Raises
    ------
    ValueError: there is nothing to search: the axis has extent 0.
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanargmax(lw.asarray([[1.0, lw.nan, 2.0], [lw.nan, lw.nan, lw.nan]]), axis=1)
    Array([ 2, -1], dtype=int64)
    """
    return _position("max", x, axis, keepdims)


@op("real numeric or bool", out="index", shape="arg_extremum")
def nanargmin(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Return the position of the least element that is not nan, the first where there are several.

    Parameters
    ----------
    x: any shape, any dtype but a complex one.
    axis: the axis to search along; None takes the array as flat, in row-major order.
    keepdims: whether the axis stays, with extent 1.

    Returns
    -------
    int64 positions, -1 where all elements are nan: see `nanargmax`.

    Raises
    ------
    ValueError: there is nothing to search: the axis has extent 0.
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nanargmin(lw.asarray([1.0, lw.nan, 2.0]))
    Array(0, dtype=int64)
    """
    return _position("min", x, axis, keepdims)


def _position(name: str, x: Array, axis: int | None, keepdims: bool) -> Array:
    """Find the first extreme value. An infinity in place of nan could not be told from one that is in x."""
    if not _has_nan(x):
        return getattr(lw, f"arg{name}")(x, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]
    found = x == getattr(lw, f"nan{name}")(x, axis=axis, keepdims=True)
    some = lw.any(found, axis=axis, keepdims=keepdims)
    return lw.where(some, lw.argmax(found, axis=axis, keepdims=keepdims), -1)
