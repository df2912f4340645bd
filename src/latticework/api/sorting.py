"""Sorting functions. The order is the same on every backend: nan after everything else, -0.0 and 0.0 equal."""

from __future__ import annotations

from ..engine.array import Array
from ..engine.declare import op


@op("real numeric or bool", out="index", shape="sort")
def argsort(x: Array, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """Positions that sort an array along one axis.

    Parameters
    ----------
    x: at least one axis, any dtype but a complex one.
    axis: the axis to sort along.
    descending: whether the greatest comes first. nan then comes before everything else.
    stable: whether equal elements are sure to keep their order, in a descending sort too.

    Returns
    -------
    int64 positions along the axis, in the shape of x.

    Raises
    ------
    AxisError: `axis` is out of bounds, as any is for a 0-d array.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.argsort(lw.asarray([3, 1, 3, 2]))
    Array([1, 3, 0, 2], dtype=int64)
    >>> lw.argsort(lw.asarray([3, 1, 3, 2]), descending=True)
    Array([0, 2, 3, 1], dtype=int64)
    """
    ...


@op("real numeric or bool", shape="sort")
def sort(x: Array, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
    """A copy of an array, sorted along one axis.

    Parameters
    ----------
    x: at least one axis, any dtype but a complex one.
    axis: the axis to sort along.
    descending: whether the greatest comes first. nan then comes before everything else.
    stable: whether equal elements are sure to keep their order. It shows in zeros alone, -0.0 and 0.0.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    AxisError: `axis` is out of bounds, as any is for a 0-d array.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.sort(lw.asarray([3, 1, 3, 2]))
    Array([1, 2, 3, 3], dtype=int32)
    >>> lw.sort(lw.asarray([3.0, float("nan"), 2.0]), descending=True)
    Array([nan,  3.,  2.], dtype=float32)
    """
    ...
