"""Searching functions: positions of extremes, of what is not zero, and of where a value belongs."""

from __future__ import annotations

from typing import Any, Literal, overload

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import op
from ..errors import BackendError
from .fixed_sizes import places, sized


@op("real numeric or bool", out="index", shape="arg_extremum")
def argmax(x: Array, /, axis: int | None = None, *, keepdims: bool = False, out: Array | None = None) -> Array:
    """Position of the greatest element, the first where there are several. The first nan counts as greatest.

    Parameters
    ----------
    x: any shape, any dtype but a complex one.
    axis: the axis to search along; None takes the array as flat, in row-major order.
    keepdims: whether the axis stays, with extent 1.

    Returns
    -------
    int64 positions, 0-d where `axis` is None.

    Raises
    ------
    ValueError: there is nothing to search: the axis has extent 0.
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.argmax(lw.asarray([[1, 3], [5, 2]]), axis=1)
    Array([1, 0], dtype=int64)
    """
    ...


@op("real numeric or bool", out="index", shape="arg_extremum")
def argmin(x: Array, /, axis: int | None = None, *, keepdims: bool = False, out: Array | None = None) -> Array:
    """Position of the least element, the first where there are several. The first nan counts as least.

    Parameters
    ----------
    x: any shape, any dtype but a complex one.
    axis: the axis to search along; None takes the array as flat, in row-major order.
    keepdims: whether the axis stays, with extent 1.

    Returns
    -------
    int64 positions, 0-d where `axis` is None.

    Raises
    ------
    ValueError: there is nothing to search: the axis has extent 0.
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.argmin(lw.asarray([[1, 3], [5, 2]]), axis=1)
    Array([0, 1], dtype=int64)
    """
    ...


@op("all", out="index", shape="reduce")
def count_nonzero(x: Array, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Array:
    """Count the elements that are not zero. nan is not zero, -0.0 is.

    Parameters
    ----------
    x: any shape, any dtype.
    axis: the axis or axes to count along; None for all of them, () for none.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    int64 counts.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.count_nonzero(lw.asarray([[0, 3], [5, 2]]), axis=0)
    Array([1, 2], dtype=int64)
    """
    ...


@op("all", out="index", shape="nonzero")
def nonzero(
    x: Array, /, *, size: int | None = None, fill_value: int | tuple[int, ...] | None = None
) -> tuple[Array, ...]:
    """Positions of the elements that are not zero, in row-major order.

    The shape of the result depends on the values, unless `size` is given.

    Parameters
    ----------
    x: at least one axis, any dtype.
    size: how many positions there are: the first ones, and `fill_value` after the last. So it works in `jax.jit`.
    fill_value: an int, or one for each axis; 0 by default. Without `size` it is not used.

    Returns
    -------
    One 1-d int64 array for each axis of x, so that ``x[lw.nonzero(x)]`` are the elements themselves.

    Raises
    ------
    ValueError: x is 0-d, or `size` is negative.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nonzero(lw.asarray([[0, 3], [5, 0]]))
    (Array([0, 1], dtype=int64), Array([1, 0], dtype=int64))
    >>> lw.nonzero(lw.asarray([[0, 3], [5, 0]]), size=3, fill_value=-1)
    (Array([ 0,  1, -1], dtype=int64), Array([ 1,  0, -1], dtype=int64))
    """
    ...


@sized("nonzero")
def _nonzero(x: Array, size: int, fill_value: Any) -> tuple[Array, ...]:
    if not x.ndim:
        raise ValueError("nonzero: x must have at least one axis")
    fills = fill_value if isinstance(fill_value, (tuple, list)) else (fill_value,) * x.ndim
    if len(fills) != x.ndim:
        raise ValueError(f"nonzero: fill_value has one int, or one for each of {x.ndim} axes; got {fill_value!r}")
    found, there = places(lw.astype(lw.ravel(x), "bool"), size)
    result, step = list[Array](), 1
    for n, fill in zip(reversed(x.shape), reversed(fills), strict=True):
        at = lw.remainder(lw.floor_divide(found, max(step, 1)), max(n, 1))
        result.append(lw.where(there, at, lw.full_like(at, 0 if fill is None else fill)))
        step *= n
    return tuple(reversed(result))


@op("real numeric or bool", out="index", shape="searchsorted", sorter="index")
def searchsorted(
    x1: Array,
    x2: Array | float,
    /,
    *,
    side: Literal["left", "right"] = "left",
    sorter: Array | None = None,
) -> Array:
    """Find the position of each element of `x2` in the sorted array `x1`, at which `x1` stays sorted.

    Parameters
    ----------
    x1: one axis, in ascending order with nan last, as `sort` leaves it. Any dtype but a complex one. With leading axes
        it has several rows, each sorted by itself.
    x2: the values to look for, an array of any shape or a Python scalar; joined with `x1` to a common dtype. Where `x1`
        has leading axes, an array with the same ones, shape (..., m): each row is looked for in the row of `x1`.
    side: ``"left"``: before the elements of `x1` that are equal to the value; ``"right"``: after them.
    sorter: positions that sort `x1`, of its shape and an integer dtype, where `x1` is not sorted itself.

    Returns
    -------
    int64 positions between 0 and the last extent of `x1`, in the shape of `x2`.

    Raises
    ------
    ValueError: `x1` has no axis, or leading ones that `x2` has not; `sorter` has another shape; or `side` is neither
        word.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1, 2, 2, 5])
    >>> lw.searchsorted(x, lw.asarray([2, 9]))
    Array([1, 4], dtype=int64)
    >>> lw.searchsorted(x, 2, side="right")
    Array(3, dtype=int64)
    >>> lw.searchsorted(lw.asarray([[1, 2], [3, 4]]), lw.asarray([[2, 5, 0], [2, 5, 4]]))
    Array([[1, 2, 0],
           [0, 2, 1]], dtype=int64)
    """
    if sorter is None:  # with a kernel, only calls with a sorter come here
        raise BackendError(
            f"searchsorted: the {x1.backend} backend does not have this function. "
            f"Convert first: lw.asarray(x, backend='numpy')"
        )
    if sorter.shape != x1.shape:
        raise ValueError(
            f"searchsorted: sorter must have the shape of x1, {tuple(x1.shape)}; got {tuple(sorter.shape)}"
        )
    x1 = lw.take_along_axis(x1, sorter, axis=-1) if x1.ndim > 1 else x1[sorter]
    return searchsorted(x1, x2, side=side)


@overload
def where(condition: Array, /) -> tuple[Array, ...]: ...


@overload
def where(condition: Array | bool, x1: Array | complex, x2: Array | complex, /) -> Array: ...


@op("all or storage", condition="bool")  # type: ignore[misc]
def where(condition: Array | bool, x1: Array | complex, x2: Array | complex, /) -> Array:
    """Elements of `x1` where a condition holds, and of `x2` elsewhere. Of a condition alone, `nonzero`.

    Parameters
    ----------
    condition: a bool array; of another dtype, what is not zero counts as true.
    x1, x2: any dtypes, either or both may be a Python scalar; shapes that broadcast together and with `condition`.

    Returns
    -------
    The broadcast shape of all three, and the common dtype of `x1` and `x2`.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([-1.5, 2.0, 3.0])
    >>> lw.where(x > 0, x, 0)
    Array([0., 2., 3.], dtype=float32)
    """
    ...
