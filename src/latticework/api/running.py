"""Running extremes and sums of exponentials along one axis, beside `cumulative_sum` and `cumulative_prod`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import op
from ..engine.shapes.extents import known_extent, one_axis


def _scanned(join: Callable[[Any, Any], Any], x: Array, axis: int | None) -> Array:
    """Join each element with all before it: after each step with twice as many, the logarithm of n steps."""
    if axis is None and x.ndim != 1:
        raise ValueError("axis may be left out only where there is exactly one")
    a = one_axis(0 if axis is None else axis, x.shape)
    before, n, step = (slice(None),) * a, known_extent(x.shape, a), 1
    while step < n:
        joined = join(x[(*before, slice(step, None))], x[(*before, slice(None, -step))])
        x = lw.concat([x[(*before, slice(None, step))], joined], axis=a)
        step *= 2
    return x if step > 1 else x.copy()


def _last(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Make a choice of one of two floats, the later one of equal ones: it has the derivative. nan stays."""
    return lambda later, earlier: lw.where(lw.logical_or(compare(later, earlier), lw.isnan(later)), later, earlier)


@op("real numeric or bool", shape="accumulate")
def cummax(x: Array, /, axis: int | None = None) -> Array:
    """Return the greatest element up to each position along an axis; nan from the first nan on.

    Parameters
    ----------
    x: at least one axis, any dtype but a complex one.
    axis: the axis to go along. It may be left out only where x has but one.

    Returns
    -------
    The shape and dtype of x. (torch.cummax returns positions as well.)

    Raises
    ------
    ValueError: `axis` is left out and x has not exactly one.
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cummax(lw.asarray([1, 3, 2, 5]))
    Array([1, 3, 3, 5], dtype=int32)
    """
    if x.dtype.kind == "f":
        return _scanned(_last(lw.greater_equal), x, axis)
    return _scanned(lw.maximum if x.dtype.kind != "b" else lw.logical_or, x, axis)


@op("real numeric or bool", shape="accumulate")
def cummin(x: Array, /, axis: int | None = None) -> Array:
    """Return the least element up to each position along an axis; nan from the first nan on.

    Parameters
    ----------
    x: at least one axis, any dtype but a complex one.
    axis: the axis to go along. It may be left out only where x has but one.

    Returns
    -------
    The shape and dtype of x. (torch.cummin returns positions as well.)

    Raises
    ------
    ValueError: `axis` is left out and x has not exactly one.
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.cummin(lw.asarray([4, 1, 2, 0]))
    Array([4, 1, 1, 0], dtype=int32)
    """
    if x.dtype.kind == "f":
        return _scanned(_last(lw.less_equal), x, axis)
    return _scanned(lw.minimum if x.dtype.kind != "b" else lw.logical_and, x, axis)


@op("real floating", shape="accumulate")
def logcumsumexp(x: Array, /, axis: int | None = None) -> Array:
    """Return the logarithm of the sum of the exponentials of the elements up to each position along an axis.

    Parameters
    ----------
    x: at least one axis, a real floating dtype; integers are taken as the default float.
    axis: the axis to go along. It may be left out only where x has but one.

    Returns
    -------
    The shape of x and its dtype, the default float for integers.

    Raises
    ------
    ValueError: `axis` is left out and x has not exactly one.
    AxisError: `axis` is out of bounds.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.logcumsumexp(lw.asarray([0.0, 0.0, 0.0]))
    Array([0.       , 0.6931472, 1.0986123], dtype=float32)
    """
    return _scanned(lw.logaddexp, x, axis)
