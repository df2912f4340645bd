"""Categories: probabilities from scores along an axis, and numbers of categories as rows of zeros and ones."""

from __future__ import annotations

from ...core.registry import functions as lw
from ...engine.array import Array
from ...engine.declare import op
from ...engine.extents import Shape, all_or_some, broadcast_shapes
from .. import elementwise as _e
from ..searching import where as _where

__all__ = ["softmax"]

Axes = int | tuple[int, ...] | None


def _softmax_shape(x: Shape, where: Shape | None = None, *, axis: Axes = -1, **_: object) -> Shape:
    """Keep the shape of x, and check the axes and the mask."""
    all_or_some(axis, x)
    if where is not None and (len(where) > len(x) or broadcast_shapes(x, where) != x):
        raise ValueError(f"where must broadcast to the shape of x, {x}; got shape {where}")
    return x


@op("real floating", shape=_softmax_shape, where="bool")
def softmax(x: Array, /, *, axis: Axes = -1, where: Array | None = None) -> Array:
    """Make probabilities of scores: exponentials divided by their sum.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    axis: the axis or axes along which the result sums to 1; None for all.
    where: a bool array that broadcasts to x. What it leaves out gets 0, and counts for nothing; where nothing is left
        along the axis, all are 0.

    Returns
    -------
    The shape and dtype of x. nan along an axis whose scores are all -inf, or of which one is inf.

    Raises
    ------
    ValueError: there is no such axis, or `where` does not broadcast to x.

    Notes
    -----
    ``exp(x - max(x)) / sum(exp(x - max(x)))``, which does not overflow.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[0.0, 0.0, -lw.inf], [1.0, 1.0, 1.0]])
    >>> lw.nn.softmax(x)
    Array([[0.5       , 0.5       , 0.        ],
           [0.33333334, 0.33333334, 0.33333334]], dtype=float32)
    >>> lw.nn.softmax(x, where=lw.asarray([True, False, True]))
    Array([[1. , 0. , 0. ],
           [0.5, 0. , 0.5]], dtype=float32)
    """
    if not x.size:
        return x
    if where is None:
        powers = _e.exp(_e.subtract(x, lw.max(x, axis=axis, keepdims=True)))
        return _e.divide(powers, lw.sum(powers, axis=axis, keepdims=True))
    _softmax_shape(x.shape, where.shape)
    x = _where(where, x, -lw.inf)
    powers = _where(where, _e.exp(_e.subtract(x, lw.max(x, axis=axis, keepdims=True))), 0.0)
    total = lw.sum(powers, axis=axis, keepdims=True)
    return _e.divide(powers, _where(_e.equal(total, 0), 1.0, total))
