"""Norms: bring the elements along some axes to mean 0 and variance 1, or to a length of 1.

Numbers of 16 bits are computed in float32, and rounded at the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, overload

from ...core.dtypes import float32
from ...core.registry import OPS
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed, op
from ...engine.exchange.foreign import as_operands
from ...engine.shapes.extents import Shape, all_or_some, as_int, may_equal, one_axis
from .. import elementwise as _e
from ..conversion import astype
from ..searching import where

__all__ = [
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "rms_norm",
    "standardize",
]


def wide(x: Array) -> Array:
    """The array in float32, if it is in 16 bits."""
    return astype(x, float32) if x.dtype.bits < 32 else x


def as_before(result: Array, x: Array) -> Array:
    """The result in the dtype of x."""
    return result if result.dtype is x.dtype else astype(result, x.dtype)


def _affine(y: Array, weight: Array | None, bias: Array | None) -> Array:
    y = y if weight is None else _e.multiply(y, weight)
    return y if bias is None else _e.add(y, bias)


def _standardized(x: Array, axes: Any, eps: float) -> Array:
    """The elements less their mean, divided by the root of their variance."""
    apart = _e.subtract(x, lw.mean(x, axis=axes, keepdims=True))
    variance = lw.mean(_e.square(apart), axis=axes, keepdims=True)
    return _e.divide(apart, _e.sqrt(_e.add(variance, eps)))


# --- along the last axes --------------------------------------------------------------------------------------------


def _trailing(normalized_shape: Any) -> tuple[int, ...]:
    """The extents of the last axes, given as one int or several."""
    if isinstance(normalized_shape, (tuple, list)):
        found = tuple([as_int(n, "normalized_shape has ints") for n in normalized_shape])
        if not found:
            raise ValueError("normalized_shape must have at least one extent; got none")
        return found
    return (as_int(normalized_shape, "normalized_shape is an int, or a tuple of ints"),)


def _trailing_shape(
    x: Shape, weight: Shape | None = None, bias: Shape | None = None, *, normalized_shape: Any, **_: Any
) -> Shape:
    """Keep the shape of x, and check that its last axes are as `normalized_shape` says, as weight and bias are."""
    wanted = _trailing(normalized_shape)
    last = x[len(x) - len(wanted) :]
    if len(wanted) > len(x) or not all(map(may_equal, last, wanted)):
        raise ValueError(f"normalized_shape must be the last extents of x, of shape {x}; got {wanted}")
    for name, shape in (("weight", weight), ("bias", bias)):
        if shape is not None and (len(shape) != len(wanted) or not all(map(may_equal, shape, wanted))):
            raise ValueError(f"{name} must have the shape {wanted}; got {shape}")
    return x


@op("real floating", shape=_trailing_shape)
def layer_norm(
    x: Array,
    /,
    normalized_shape: int | Sequence[int],
    weight: Array | None = None,
    bias: Array | None = None,
    eps: float = 1e-5,
) -> Array:
    """Bring the elements along the last axes to mean 0 and variance 1, then scale and shift them.

    Parameters
    ----------
    x: shape (..., *normalized_shape), a real floating dtype; integers are taken as the default float.
    normalized_shape: the extents of the last axes, an int for one.
    weight, bias: shape normalized_shape, or None for none.
    eps: what is added to the variance.

    Returns
    -------
    The shape of x, and the common dtype of all arrays.

    Raises
    ------
    ValueError: the shapes do not fit together.

    Notes
    -----
    ``(x - mean) / sqrt(var + eps) * weight + bias``, with the biased variance (Ba, Kiros and Hinton 2016).

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.layer_norm(lw.asarray([[1.0, 3.0], [0.0, 40.0]]), 2, eps=0.0)
    Array([[-1.,  1.],
           [-1.,  1.]], dtype=float32)
    """
    shapes = [None if a is None else a.shape for a in (weight, bias)]
    _trailing_shape(x.shape, *shapes, normalized_shape=normalized_shape)
    axes = tuple(range(-len(_trailing(normalized_shape)), 0))
    return as_before(_affine(_standardized(wide(x), axes, eps), weight, bias), x)


@op("real floating", shape=_trailing_shape)
def rms_norm(
    x: Array, /, normalized_shape: int | Sequence[int], weight: Array | None = None, eps: float | None = None
) -> Array:
    """Divide the elements along the last axes by the root of their mean square.

    Parameters
    ----------
    x: shape (..., *normalized_shape), a real floating dtype; integers are taken as the default float.
    normalized_shape: the extents of the last axes, an int for one.
    weight: shape normalized_shape, or None for none.
    eps: what is added to the mean square; None for `finfo(x.dtype).eps`. Keras' is 1e-6.

    Returns
    -------
    The shape of x, and the common dtype of all arrays.

    Raises
    ------
    ValueError: the shapes do not fit together.

    Notes
    -----
    ``x / sqrt(mean(x**2) + eps) * weight`` (Zhang and Sennrich 2019).

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.rms_norm(lw.asarray([1.0, -7.0]), 2, eps=0.0)
    Array([ 0.2, -1.4], dtype=float32)
    """
    _trailing_shape(x.shape, None if weight is None else weight.shape, normalized_shape=normalized_shape)
    axes = tuple(range(-len(_trailing(normalized_shape)), 0))
    y = wide(x)
    square = lw.mean(_e.square(y), axis=axes, keepdims=True)
    root = _e.sqrt(_e.add(square, lw.finfo(x.dtype).eps if eps is None else eps))
    return as_before(_affine(_e.divide(y, root), weight, None), x)


# --- along channels -------------------------------------------------------------------------------------------------


def _along(vector: Any, ndim: int, axis: int) -> Any:
    """Reshape a vector to `ndim` axes, with its elements along `axis`."""
    if vector is None:
        return None
    extents = [1] * ndim
    extents[axis] = -1
    return lw.reshape(vector, tuple(extents))


def _channel_shape(x: Shape, *vectors: Shape | None, axis: int = 1, **_: Any) -> Shape:
    """Keep the shape of x, and check that each vector has an element for each channel."""
    if len(x) < 2:
        raise ValueError(f"x must have at least two axes, of samples and channels; got shape {x}")
    n = x[one_axis(axis, x)]
    for shape in vectors:
        if shape is not None and (len(shape) != 1 or not may_equal(shape[0], n)):
            raise ValueError(f"takes one element for each of {n} channels, along axis {axis} of {x}; got shape {shape}")
    return x


def _check_channels(x: Array, *vectors: Array | None, axis: int = 1) -> None:
    _channel_shape(x.shape, *[None if v is None else v.shape for v in vectors], axis=axis)


@op("real floating", shape=_channel_shape)
def _by_statistics(
    x: Array,
    mean: Array,
    var: Array,
    /,
    weight: Array | None = None,
    bias: Array | None = None,
    *,
    eps: float = 1e-5,
    axis: int = 1,
) -> Array:
    """Normalize by given means and variances, one for each channel."""
    _check_channels(x, mean, var, weight, bias, axis=axis)
    centred = _e.subtract(wide(x), _along(wide(mean), x.ndim, axis))
    return as_before(_scaled(centred, wide(var), weight, bias, eps, axis), x)


def _scaled(centred: Array, var: Array, weight: Array | None, bias: Array | None, eps: float, axis: int) -> Array:
    """Divide what has a mean of 0 in each channel by the root of the variances, then scale and shift it."""
    factor = _e.divide(1.0 if weight is None else wide(weight), _e.sqrt(_e.add(var, eps)))
    return _affine(centred, _along(factor, centred.ndim, axis), _along(bias, centred.ndim, axis))


@overload
def batch_norm(
    x: Array,
    mean: Array | None,
    var: Array | None,
    weight: Array | None = None,
    bias: Array | None = None,
    /,
    *,
    training: Literal[False] = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
    axis: int = 1,
    correction: float = 1,
) -> Array: ...


@overload
def batch_norm(
    x: Array,
    mean: Array | None,
    var: Array | None,
    weight: Array | None = None,
    bias: Array | None = None,
    /,
    *,
    training: bool,
    momentum: float = 0.1,
    eps: float = 1e-5,
    axis: int = 1,
    correction: float = 1,
) -> Any: ...


@composed
def batch_norm(
    x: Array,
    mean: Array | None,
    var: Array | None,
    weight: Array | None = None,
    bias: Array | None = None,
    /,
    *,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
    axis: int = 1,
    correction: float = 1,
) -> Any:
    """Normalize each channel: by running statistics, or by those of the batch in training.

    Parameters
    ----------
    x: at least two axes, a real floating dtype; integers are taken as the default float.
    mean, var: shape (n,) for n channels, the running statistics. In training they may be None.
    weight, bias: shape (n,), or None for none.
    training: whether to normalize by the mean and variance of the batch, and return new running statistics too.
    momentum: how much of the new running statistics comes from the batch. It is 1 less Keras' and TensorFlow's.
    eps: what is added to the variance.
    axis: the axis of the channels. PyTorch's is 1, Keras' -1.
    correction: of the batch's variance in the running one: 1 for the unbiased variance as in PyTorch, 0 for the biased
        one as in Keras. The batch is always normalized by the biased one.

    Returns
    -------
    The normalized array, of the shape of x and the common dtype; in training a tuple of it, the new running mean and
    the new running variance. Nothing is changed in place. Without running statistics these two are the batch's.

    Raises
    ------
    ValueError: the shapes do not fit together, or there are no running statistics and it is not training.

    Notes
    -----
    ``(x - mean) / sqrt(var + eps) * weight + bias`` (Ioffe and Szegedy 2015), and
    ``(1 - momentum) * running + momentum * batch``.

    Examples
    --------
    >>> import latticework as lw
    >>> x, mean, var = lw.asarray([[1.0], [3.0]]), lw.asarray([0.0]), lw.asarray([1.0])
    >>> lw.nn.batch_norm(x, mean, var, eps=0.0)
    Array([[1.],
           [3.]], dtype=float32)
    >>> y, mean, var = lw.nn.batch_norm(x, mean, var, training=True, momentum=0.5)
    >>> mean, var
    (Array([1.], dtype=float32), Array([1.5], dtype=float32))
    """
    o = OPS["nn.batch_norm"]
    if mean is None or var is None:
        if not training:
            raise ValueError("nn.batch_norm: takes mean and var where it is not training; got None")
        x, running = as_operands(o, [x])[0], None
    else:
        x, mean, var = as_operands(o, [x, mean, var])
        if not training:
            return _by_statistics(x, mean, var, weight, bias, eps=eps, axis=axis)
        _check_channels(x, mean, var, axis=axis)
        running = (mean, var)
    result, *batch = _by_batch(x, weight, bias, eps=eps, axis=axis, correction=correction)
    if running is None:
        return result, *batch
    return result, *[_moved(old, new, momentum) for old, new in zip(running, batch, strict=True)]


def _batch_shape(x: Shape, *vectors: Shape | None, axis: int = 1, **_: Any) -> list[Shape]:
    _channel_shape(x, *vectors, axis=axis)
    channels = (x[one_axis(axis, x)],)
    return [x, channels, channels]


@op("real floating", out=("same", "same", "same"), shape=_batch_shape)
def _by_batch(
    x: Array,
    /,
    weight: Array | None = None,
    bias: Array | None = None,
    *,
    eps: float = 1e-5,
    axis: int = 1,
    correction: float = 1,
) -> tuple[Array, Array, Array]:
    """Normalize by the statistics of the batch, and return these: the variance with its correction."""
    _check_channels(x, weight, bias, axis=axis)
    place = one_axis(axis, x.shape)
    others = tuple(a for a in range(x.ndim) if a != place)
    y = wide(x)
    mean = lw.mean(y, axis=others)
    centred = _e.subtract(y, _along(mean, y.ndim, place))
    variance = lw.mean(_e.square(centred), axis=others)
    result = _scaled(centred, variance, weight, bias, eps, axis)
    if correction:
        count = math.prod(x.shape[a] for a in others)
        variance = _e.multiply(variance, count / (count - correction) if count > correction else lw.nan)
    return as_before(result, x), as_before(mean, x), as_before(variance, x)


def _moved(running: Array, batch: Array, momentum: float) -> Array:
    """Running statistics after a batch."""
    moved = _e.add(_e.multiply(running, 1 - momentum), _e.multiply(batch, momentum))
    return as_before(moved, running) if running.dtype.kind == "f" else moved


def _running_shape(x: Shape, *vectors: Shape | None, **_: Any) -> list[Shape]:
    _channel_shape(x, *vectors)
    return [x, x[1:2], x[1:2]]


@op("real floating", out=("same", "same", "same"), shape=_running_shape)
def _in_training(
    x: Array,
    mean: Array,
    var: Array,
    /,
    weight: Array | None = None,
    bias: Array | None = None,
    *,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[Array, Array, Array]:
    """Normalize by the statistics of the batch, and return the new running ones too, as constants."""
    _check_channels(x, mean, var, weight, bias)
    result, of_mean, of_var = _by_batch(x, weight, bias, eps=eps)
    new_mean, new_var = (
        _moved(lw.stop_gradient(old), lw.stop_gradient(new), momentum) for old, new in ((mean, of_mean), (var, of_var))
    )
    return result, new_mean, new_var


@op("real floating", shape=_channel_shape)
def instance_norm(
    x: Array,
    /,
    mean: Array | None = None,
    var: Array | None = None,
    weight: Array | None = None,
    bias: Array | None = None,
    *,
    eps: float = 1e-5,
) -> Array:
    """Normalize each channel of each sample: by its own statistics, or by running ones.

    Parameters
    ----------
    x: shape (N, C, ...), a real floating dtype; integers are taken as the default float.
    mean, var: shape (C,), running statistics to normalize by; None for those of each sample.
    weight, bias: shape (C,), or None for none.
    eps: what is added to the variance.

    Returns
    -------
    The shape of x, and the common dtype of all arrays.

    Raises
    ------
    ValueError: the shapes do not fit together, or one of mean and var is given alone.

    Notes
    -----
    Ulyanov, Vedaldi and Lempitsky 2016. The variance is the biased one.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.instance_norm(lw.asarray([[[1.0, 3.0], [0.0, 40.0]]]), eps=0.0)
    Array([[[-1.,  1.],
            [-1.,  1.]]], dtype=float32)
    """
    _check_channels(x, mean, var, weight, bias)
    if mean is not None and var is not None:
        return _by_statistics(x, mean, var, weight, bias, eps=eps)
    if mean is not None or var is not None:
        raise ValueError("nn.instance_norm: takes mean and var together; got one of them")
    y = _standardized(wide(x), tuple(range(2, x.ndim)), eps)
    return as_before(_affine(y, _along(weight, x.ndim, 1), _along(bias, x.ndim, 1)), x)


def _group_shape(
    x: Shape, weight: Shape | None = None, bias: Shape | None = None, *, num_groups: Any, **_: Any
) -> Shape:
    """Like `_channel_shape`; check also that the channels go into groups of equal size."""
    _channel_shape(x, weight, bias)
    groups = as_int(num_groups, "num_groups is an int")
    if groups < 1 or (x[1] is not None and x[1] % groups):
        raise ValueError(f"num_groups must divide the number of channels, {x[1]}; got {groups}")
    return x


@op("real floating", shape=_group_shape)
def group_norm(
    x: Array, /, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Array:
    """Normalize groups of channels of each sample together.

    Parameters
    ----------
    x: shape (N, C, ...), a real floating dtype; integers are taken as the default float.
    num_groups: how many groups the channels go into, each of neighbours.
    weight, bias: shape (C,), or None for none.
    eps: what is added to the variance.

    Returns
    -------
    The shape of x, and the common dtype of all arrays.

    Raises
    ------
    ValueError: the channels do not go into so many groups, or the shapes do not fit together.

    Notes
    -----
    Wu and He 2018. The variance is the biased one.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.group_norm(lw.asarray([[1.0, 3.0, 0.0, 40.0]]), 2, eps=0.0)
    Array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    shapes = [None if a is None else a.shape for a in (weight, bias)]
    _group_shape(x.shape, *shapes, num_groups=num_groups)
    if x.size == 0:
        return x
    y = lw.reshape(wide(x), (x.shape[0], num_groups, -1))
    y = lw.reshape(_standardized(y, -1, eps), x.shape)
    return as_before(_affine(y, _along(weight, x.ndim, 1), _along(bias, x.ndim, 1)), x)


def _neighbours_shape(x: Shape, *, size: Any, **_: Any) -> Shape:
    if as_int(size, "size is an int") < 1:
        raise ValueError(f"size must be at least 1; got {size}")
    return _channel_shape(x)


@op("real floating", shape=_neighbours_shape)
def local_response_norm(x: Array, /, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Array:
    """Divide each element by a power of the mean square of its neighbours among the channels.

    Parameters
    ----------
    x: shape (N, C, ...), a real floating dtype; integers are taken as the default float.
    size: how many channels are neighbours: ``size // 2`` before and ``(size - 1) // 2`` after, as far as there are.
    alpha, beta, k: Python numbers, see the formula.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    ValueError: size is less than 1, or x has less than two axes.

    Notes
    -----
    ``x / (k + alpha * sum(x**2) / size) ** beta``, the sum being over the neighbours (Krizhevsky and others 2012).
    TensorFlow's does not divide by size, and has the channels last: ``alpha=a * (2 * r + 1), size=2 * r + 1, k=bias``
    are its parameters for the radius r.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.local_response_norm(lw.asarray([[3.0, 0.0, 4.0]]), 3, alpha=3.0, beta=0.5, k=0.0)
    Array([[1., 0., 1.]], dtype=float32)
    """
    _neighbours_shape(x.shape, size=size)
    y = wide(x)
    before, after = size // 2, (size - 1) // 2
    width = [(0, 0)] * x.ndim
    width[1] = (before, after)
    squares = lw.pad(_e.square(y), tuple(width))
    n = x.shape[1]
    total = squares[:, :n]
    for i in range(1, size):
        total = _e.add(total, squares[:, i : i + n])
    power = _e.pow(_e.add(_e.multiply(total, alpha / size), k), beta)
    return as_before(_e.divide(y, power), x)


# --- along any axes -------------------------------------------------------------------------------------------------


@op("real floating", shape="flip")
def standardize(x: Array, /, *, axis: int | tuple[int, ...] | None = -1, eps: float = 1e-5) -> Array:
    """Bring the elements along some axes to mean 0 and variance 1.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    axis: the axis or axes; None for all.
    eps: what is added to the variance.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    ``(x - mean) / sqrt(var + eps)``, with the biased variance.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.standardize(lw.asarray([1.0, 3.0]), eps=0.0)
    Array([-1.,  1.], dtype=float32)
    """
    return as_before(_standardized(wide(x), axis, eps), x)


def length(x: Array, p: float, axis: Any, keepdims: bool = False) -> Array:
    """The p-norm of vectors. Its derivative is 0 where all elements are 0."""
    size = _e.abs(x)
    power: Any = p
    known = None if isinstance(power, Array) else p  # an array may be differentiated by, whatever its value
    if known == lw.inf:
        return lw.max(size, axis=axis, keepdims=keepdims)
    if known == 1:
        return lw.sum(size, axis=axis, keepdims=keepdims)
    powers = _e.square(x) if known == 2 else _e.pow(size, p)
    total = lw.sum(powers, axis=axis, keepdims=keepdims)
    zero = _e.equal(total, 0)
    total = where(zero, 1.0, total)
    return where(zero, 0.0, _e.sqrt(total) if known == 2 else _e.pow(total, 1 / p))


@op("real floating", shape="flip")
def normalize(x: Array, /, *, p: float = 2.0, axis: int | tuple[int, ...] | None = 1, eps: float = 1e-12) -> Array:
    """Divide vectors by their p-norm, so that it becomes 1.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    p: a positive Python number, or `lw.inf` for the greatest absolute value.
    axis: the axis or axes along which the vectors are; None for all. Keras' and TensorFlow's is the last.
    eps: the least that is divided by.

    Returns
    -------
    The shape and dtype of x. Zeros stay zeros, with finite derivatives.

    Raises
    ------
    IndexError: there is no such axis.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.normalize(lw.asarray([[3.0, 4.0], [0.0, 0.0]]))
    Array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    if x.size == 0:
        all_or_some(axis, x.shape)
        return x
    y = wide(x)
    return as_before(_e.divide(y, _e.maximum(length(y, p, axis, True), eps)), x)
