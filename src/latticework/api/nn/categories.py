"""Categories: probabilities from scores along an axis, and numbers of categories as rows of zeros and ones."""

from __future__ import annotations

from typing import Any

from ...core.dtypes import DtypeLike, as_dtype, float32, int64, uint64
from ...core.registry import OPS
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed, op
from ...engine.exchange.foreign import as_operand
from ...engine.shapes.extents import Shape, all_or_some, as_int, broadcasts_to, one_axis
from .. import elementwise as _e
from ..averages import logsumexp
from ..conversion import astype
from ..searching import where as _where
from .activations import relu

__all__ = ["log_softmax", "logsumexp", "multi_hot", "one_hot", "softmax", "sparsemax"]

Axes = int | tuple[int, ...] | None


def _softmax_shape(x: Shape, where: Shape | None = None, *, axis: Axes = -1, **_: object) -> Shape:
    """Keep the shape of x, and check the axes and the mask."""
    all_or_some(axis, x)
    if where is not None and not broadcasts_to(where, x):
        raise ValueError(f"where must broadcast to the shape of x, {x}; got shape {where}")
    return x


def _checked(x: Array, where: Array | None, axis: Axes) -> Array:
    """Return an array without elements, where the axes and the mask fit it."""
    _softmax_shape(x.shape, None if where is None else where.shape, axis=axis)
    return x


@op("real floating", shape=_softmax_shape, where="bool")
def softmax(x: Array, /, axis: Axes = -1, *, dtype: DtypeLike | None = None, where: Array | None = None) -> Array:
    """Make probabilities of scores: exponentials divided by their sum.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    axis: the axis or axes along which the result sums to 1; None for all.
    dtype: a real floating dtype that x is cast to first; x is not cast by default.
    where: a bool array that broadcasts to x. What it leaves out gets 0, and counts for nothing; where nothing is left
        along the axis, all are 0.

    Returns
    -------
    The shape and dtype of x. nan along an axis whose scores are all -inf. An inf gives nan in its place, and on most
    frameworks along its whole axis.

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
    if x.size == 0:
        return _checked(x, where, axis)
    if where is None:
        powers = _e.exp(_e.subtract(x, lw.max(x, axis=axis, keepdims=True)))
        return _e.divide(powers, lw.sum(powers, axis=axis, keepdims=True))
    _softmax_shape(x.shape, where.shape)
    x = _where(where, x, -lw.inf)
    powers = _where(where, _e.exp(_e.subtract(x, lw.max(x, axis=axis, keepdims=True))), 0.0)
    total = lw.sum(powers, axis=axis, keepdims=True)
    return _e.divide(powers, _where(_e.equal(total, 0), 1.0, total))


@op("real floating", shape=_softmax_shape, where="bool")
def log_softmax(x: Array, /, axis: Axes = -1, *, dtype: DtypeLike | None = None, where: Array | None = None) -> Array:
    """Compute the logarithm of `softmax`, which does not underflow.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    axis: the axis or axes along which the exponentials of the result sum to 1; None for all.
    dtype: a real floating dtype that x is cast to first; x is not cast by default.
    where: a bool array that broadcasts to x. What it leaves out gets -inf, and counts for nothing.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    ValueError: there is no such axis, or `where` does not broadcast to x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.log_softmax(lw.asarray([0.0, 200.0]))
    Array([-200.,    0.], dtype=float32)
    """
    if x.size == 0:
        return _checked(x, where, axis)
    if where is None:
        shifted = _e.subtract(x, lw.max(x, axis=axis, keepdims=True))
        return _e.subtract(shifted, _e.log(lw.sum(_e.exp(shifted), axis=axis, keepdims=True)))
    _softmax_shape(x.shape, where.shape)
    x = _where(where, x, -lw.inf)
    shifted = _e.subtract(x, lw.max(x, axis=axis, keepdims=True))
    total = lw.sum(_where(where, _e.exp(shifted), 0.0), axis=axis, keepdims=True)
    return _where(where, _e.subtract(shifted, _e.log(_where(_e.equal(total, 0), 1.0, total))), -lw.inf)


@op("real floating", shape="sort")
def sparsemax(x: Array, /, *, axis: int = -1) -> Array:
    """Make probabilities of scores; the probabilities of scores far below the greatest are 0.

    Parameters
    ----------
    x: any shape with an axis, a real floating dtype; integers are taken as the default float.
    axis: the axis along which the result sums to 1.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    The point nearest to the scores among all distributions (Martins and Astudillo 2016): what is left of the scores
    above a threshold, which follows from their order.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.sparsemax(lw.asarray([1.0, 1.5, -2.0]))
    Array([0.25, 0.75, 0.  ], dtype=float32)
    """
    if x.size == 0:
        return x
    x = _e.subtract(x, lw.max(x, axis=axis, keepdims=True))
    falling = lw.sort(x, axis=axis, descending=True)
    sums = lw.cumulative_sum(falling, axis=axis)
    extents = [1] * x.ndim
    extents[axis] = -1
    count = lw.reshape(lw.arange(1, x.shape[axis] + 1, dtype=x.dtype, device=x.device), tuple(extents))
    above = _e.greater(_e.add(_e.multiply(falling, count), 1), sums)
    total = lw.sum(_where(above, falling, 0.0), axis=axis, keepdims=True)
    kept = lw.sum(astype(above, x.dtype), axis=axis, keepdims=True)
    return relu(_e.subtract(x, _e.divide(_e.subtract(total, 1), kept)))


# --- numbers of categories ------------------------------------------------------------------------------------------


@composed
def one_hot(x: Array, /, num_classes: int, *, dtype: DtypeLike | None = None, axis: int = -1) -> Array:
    """Write each number of a category as a row that has a 1 there and zeros elsewhere.

    Parameters
    ----------
    x: any shape, an integer dtype. What is below 0 or not below `num_classes` gives zeros alone.
    num_classes: how many categories there are.
    dtype: the result's dtype, the default float by default. PyTorch's is int64.
    axis: the axis of the categories in the result.

    Returns
    -------
    The shape of x with another axis of `num_classes` elements.

    Raises
    ------
    TypeError: x is not of integers.
    ValueError: `num_classes` is negative.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.one_hot(lw.asarray([1, 0, -1]), 2)
    Array([[0., 1.],
           [1., 0.],
           [0., 0.]], dtype=float32)
    """
    x, count, place = _categories("one_hot", x, num_classes, axis)
    wanted = lw.default_float_dtype() if dtype is None else as_dtype(dtype)
    like = lw.zeros((), dtype=float32 if wanted.storage else wanted, device=x.device)
    hot = _one_hot(x, like, num_classes=count, axis=place)
    return astype(hot, wanted) if wanted.storage else hot


def _hot_shape(x: Shape, like: Shape = (), *, num_classes: int, axis: int) -> Shape:
    """Insert the axis of the categories."""
    return (*x[:axis], num_classes, *x[axis:])


@op("all", x="index", shape=_hot_shape)
def _one_hot(x: Array, like: Array, /, *, num_classes: int, axis: int) -> Array:
    """Write 1 at each number of a category, along a new axis, in the dtype of `like`."""
    return astype(_is_category(x, num_classes, axis), like.dtype)


@composed
def multi_hot(x: Array, /, num_classes: int, *, dtype: DtypeLike | None = None, axis: int = -1) -> Array:
    """Write several numbers of categories as one row that has a 1 at each of them.

    Parameters
    ----------
    x: any shape with an axis, an integer dtype. What is below 0 or not below `num_classes` counts for nothing.
    num_classes: how many categories there are.
    dtype: the result's dtype, the default float by default.
    axis: the axis of x along which the numbers of one row are. In the result it is the axis of the categories.

    Returns
    -------
    The shape of x with `num_classes` elements along the axis.

    Raises
    ------
    TypeError: x is not of integers.
    ValueError: `num_classes` is negative.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.multi_hot(lw.asarray([[0, 2], [1, 1]]), 3)
    Array([[1., 0., 1.],
           [0., 1., 0.]], dtype=float32)
    """
    x = as_operand(OPS["nn.multi_hot"], x)
    x, count, place = _categories("multi_hot", x, num_classes, one_axis(axis, x.shape))
    hot = lw.any(_is_category(x, count, place), axis=place + 1)
    return astype(hot, lw.default_float_dtype() if dtype is None else dtype)


def _categories(name: str, x: Any, num_classes: Any, axis: int) -> tuple[Array, int, int]:
    """Check numbers of categories. Return them, how many there are, and the axis of the categories from the start."""
    x = as_operand(OPS[f"nn.{name}"], x)
    if x.dtype.kind not in "iu":
        raise TypeError(f"nn.{name}: takes integers, the numbers of categories; got {x.dtype}")
    count = as_int(num_classes, f"nn.{name}: num_classes is an int")
    if count < 0:
        raise ValueError(f"nn.{name}: num_classes must not be negative; got {count}")
    return x, count, one_axis(axis, x.shape, x.ndim + 1)


def _is_category(x: Array, count: int, axis: int) -> Array:
    """Compare each number with each category, along a new axis."""
    wide = uint64 if x.dtype is uint64 else int64
    categories = lw.arange(count, dtype=wide, device=x.device)
    categories = lw.reshape(categories, (count, *(1,) * (x.ndim - axis)))
    return _e.equal(lw.expand_dims(astype(x, wide), axis=axis), categories)
