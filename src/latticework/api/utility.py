"""Utility functions: truth of all or any elements, and differences."""

from __future__ import annotations

from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import op
from ..errors import AxisError


@op("all", out="bool", shape="reduce")
def all(
    x: Array, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, out: Array | None = None
) -> Array:
    """Return whether all elements are true. Numbers are true unless they are zero; nan and the infinities are true.

    Parameters
    ----------
    x: any shape, any dtype.
    axis: the axis or axes to reduce; None for all of them, () for none.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    A bool array. True where there are no elements.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.all(lw.asarray([[1, 0], [2, 3]]), axis=1)
    Array([False,  True], dtype=bool)
    """
    ...


@op("all", out="bool", shape="reduce")
def any(
    x: Array, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False, out: Array | None = None
) -> Array:
    """Return whether any element is true. Numbers are true unless they are zero; nan and the infinities are true.

    Parameters
    ----------
    x: any shape, any dtype.
    axis: the axis or axes to reduce; None for all of them, () for none.
    keepdims: whether those axes stay, with extent 1.

    Returns
    -------
    A bool array. False where there are no elements.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.any(lw.asarray([[1, 0], [0, 0]]), axis=1)
    Array([ True, False], dtype=bool)
    """
    ...


@op("numeric", shape="diff")
def diff(
    x: Array,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Array | complex | None = None,
    append: Array | complex | None = None,
) -> Array:
    """Differences of neighbours along one axis, taken `n` times over.

    Parameters
    ----------
    x: at least one axis, a numeric dtype.
    axis: the axis to go along.
    n: how many times to take differences.
    prepend, append: what to put before and after x first, of its shape but along `axis`, or one number for all. Dtypes
        are joined.

    Returns
    -------
    The dtype of x, joined with those of `prepend` and `append`, and the shape of x, shorter by `n` along `axis`
    (but not below 0). Integers wrap around at the ends of their range, so an unsigned difference is never negative.

    Raises
    ------
    AxisError: `axis` is out of bounds, as any is for a 0-d array.
    ValueError: `n` is negative, or the shapes do not fit together.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1, 4, 9, 16])
    >>> lw.diff(x)
    Array([3, 5, 7], dtype=int32)
    >>> lw.diff(x, n=2)
    Array([2, 2], dtype=int32)
    >>> lw.diff(x, prepend=0)
    Array([1, 3, 5, 7], dtype=int32)
    """
    if not -x.ndim <= axis < x.ndim:
        raise AxisError(f"axis {axis} is out of bounds")
    if n < 0:
        raise ValueError("n must not be negative")
    before = (slice(None),) * (axis % x.ndim)
    one = (*x.shape[: axis % x.ndim], 1, *x.shape[axis % x.ndim + 1 :])
    parts: list[Any] = [part for part in (prepend, x, append) if part is not None]
    if len(parts) > 1:
        x = lw.concat([part if part.ndim else lw.broadcast_to(part, one) for part in parts], axis=axis)
    for _ in range(n):
        x = x[(*before, slice(1, None))] - x[(*before, slice(None, -1))]
    return x
