"""Activations: functions of each element, and glu, which halves an axis."""

from __future__ import annotations

import math
from typing import Any, Literal

from ...core.dtypes import float32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from ...engine.shapes.extents import Shape, check_word, one_axis, replace_axis
from .. import elementwise as _e
from ..searching import where

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "leaky_relu",
    "log_sigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softplus",
    "softsign",
    "squareplus",
    "tanh_shrink",
    "threshold",
]


# --- rectifiers -----------------------------------------------------------------------------------------------------


@op("real numeric")
def relu(x: Array, /) -> Array:
    """Set what is negative to zero.

    Parameters
    ----------
    x: any shape, a real numeric dtype.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    ``max(x, 0)`` (Fukushima 1969). The derivative at 0 is 0 on PyTorch, JAX and TensorFlow. nan stays nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.relu(lw.asarray([-1.5, 0.0, 2.0]))
    Array([0., 0., 2.], dtype=float32)
    """
    return _e.maximum(x, 0)


@op("real numeric")
def relu6(x: Array, /) -> Array:
    """Bring each element into the range from 0 to 6.

    Parameters
    ----------
    x: any shape, a real numeric dtype.

    Returns
    -------
    The shape and dtype of x. The derivative at 0 and 6 is 0 on PyTorch, JAX and TensorFlow.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.relu6(lw.asarray([-1.5, 2.0, 8.0]))
    Array([0., 2., 6.], dtype=float32)
    """
    return _e.clip(x, 0, 6)


@op("real floating")
def leaky_relu(x: Array, /, negative_slope: float = 0.01) -> Array:
    """Multiply what is negative by a slope.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    negative_slope: a Python number.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    The slope is 0.01 by default, as in PyTorch and JAX; in TensorFlow and Keras it is 0.2.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.leaky_relu(lw.asarray([-10.0, 2.0]), 0.1)
    Array([-1.,  2.], dtype=float32)
    """
    return where(_e.greater(x, 0), x, _e.multiply(x, negative_slope))


def _prelu_shape(x: Shape, weight: Shape, *, axis: Any = None, **_: Any) -> Shape:
    """Keep the shape of x, and check that there is one slope for all, one for each index along the axis, or slopes of a
    shape that broadcasts to that of x."""
    if weight in ((), (1,)):
        return x
    if len(weight) > 1:
        if len(weight) > len(x) or any(
            n != 1 and None not in (m, n) and m != n for m, n in zip(reversed(x), reversed(weight), strict=False)
        ):
            raise ValueError(f"weight must broadcast to the shape of x, {x}; got shape {weight}")
        return x
    extent = x[one_axis(_slopes_axis(x, weight, axis), x)]
    if None not in (extent, weight[0]) and extent != weight[0]:
        last = f", or along the last, {x[-1]}" if axis is None and len(x) > 2 else ""
        raise ValueError(
            f"weight must have one slope or as many as x has elements along axis {1 if axis is None else axis}, "
            f"{extent}{last}; got shape {weight}"
        )
    return x


def _slopes_axis(x: Shape, weight: Shape, axis: int | None) -> int:
    """The axis of x that slopes of one axis go along, where none is given: that of PyTorch's channels if they are as
    many, else the last, if they broadcast."""
    if axis is not None:
        return axis
    channels = len(x) > 1 and (None in (x[1], weight[0]) or x[1] == weight[0])
    return -1 if not channels and x and x[-1] == weight[0] else 1


@op("real floating", shape=_prelu_shape)
def prelu(x: Array, /, weight: Array, *, axis: int | None = None) -> Array:
    """Multiply what is negative by a slope that is learned: one for all, one for each channel, or one for each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    weight: the slopes, of shape (), (1,) or (n,), where x has n elements along the axis; or of two or more axes, of any
        shape that broadcasts to that of x, as Keras and ONNX have it.
    axis: the axis of the channels, for slopes of one axis. Where it is None and x has n elements along axis 1, that
        is PyTorch's axis of the channels, and each channel has its slope, whatever the last axis has. Where x has n
        elements along the last axis alone, only that can be meant, and the slopes broadcast as in NumPy.

    Returns
    -------
    The shape of x, and the common dtype of the two.

    Raises
    ------
    ValueError: there are neither one slope nor n, or their shape does not broadcast to that of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.prelu(lw.asarray([[-1.0, -1.0], [2.0, -2.0]]), lw.asarray([0.5, 0.25]))
    Array([[-0.5 , -0.25],
           [ 2.  , -0.5 ]], dtype=float32)
    >>> lw.nn.prelu(lw.asarray([[-1.0, -1.0], [2.0, -2.0]]), lw.asarray([[0.5], [0.25]]))
    Array([[-0.5, -0.5],
           [ 2. , -0.5]], dtype=float32)
    """
    _prelu_shape(x.shape, weight.shape, axis=axis)
    if weight.ndim == 1 and weight.shape != (1,):
        shape = [1] * x.ndim
        shape[_slopes_axis(x.shape, weight.shape, axis)] = -1
        weight = lw.reshape(weight, tuple(shape))
    elif weight.ndim > x.ndim:
        weight = weight[0]
    return where(_e.greater(x, 0), x, _e.multiply(x, weight))


@op("real floating")
def elu(x: Array, /, alpha: float = 1.0) -> Array:
    """Replace what is negative by a scaled exponential that goes to -alpha.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    alpha: a Python number.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    ``x`` above 0, else ``alpha * (exp(x) - 1)`` (Clevert, Unterthiner and Hochreiter 2015).

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.elu(lw.asarray([-1.0, 2.0]))
    Array([-0.63212055,  2.        ], dtype=float32)
    """
    return where(_e.greater(x, 0), x, _e.multiply(_e.expm1(_not_above_zero(x)), alpha))


def _not_above_zero(x: Array) -> Array:
    """Return the lesser of x and 0, with the slope 1 at 0."""
    return where(_e.greater(x, 0), 0.0, x)


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@op("real floating")
def selu(x: Array, /) -> Array:
    """Scale `elu` so that layers keep mean and variance.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    ``scale * elu(x, alpha)`` with alpha 1.6732632 and scale 1.0507010 (Klambauer and others 2017).

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.selu(lw.asarray([-1.0, 2.0]))
    Array([-1.1113307,  2.101402 ], dtype=float32)
    """
    return _e.multiply(elu(x, _SELU_ALPHA), _SELU_SCALE)


@op("real floating")
def celu(x: Array, /, alpha: float = 1.0) -> Array:
    """Replace what is negative by an exponential, so that the slope at 0 is 1 for every alpha.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    alpha: a Python number, not 0.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    ``x`` above 0, else ``alpha * (exp(x / alpha) - 1)`` (Barron 2017).

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.celu(lw.asarray([-1.0, 2.0]), 2.0)
    Array([-0.78693867,  2.        ], dtype=float32)
    """
    return where(_e.greater(x, 0), x, _e.multiply(_e.expm1(_e.divide(_not_above_zero(x), alpha)), alpha))


@op("real floating")
def threshold(x: Array, /, threshold: float, value: float) -> Array:
    """Replace what is not above a threshold by a value.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    threshold, value: Python numbers.

    Returns
    -------
    The shape and dtype of x. nan stays nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.threshold(lw.asarray([0.5, 2.0]), 1.0, -1.0)
    Array([-1.,  2.], dtype=float32)
    """
    return where(_e.less_equal(x, threshold), value, x)


@op("real floating")
def hard_shrink(x: Array, /, threshold: float = 0.5) -> Array:
    """Set what is near zero to zero.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    threshold: a Python number. What is as far from zero, or nearer, becomes zero.

    Returns
    -------
    The shape and dtype of x. nan stays nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.hard_shrink(lw.asarray([-0.75, 0.25, 0.5]))
    Array([-0.75,  0.  ,  0.  ], dtype=float32)
    """
    return where(_e.less_equal(_e.abs(x), threshold), 0.0, x)


@op("real floating")
def soft_shrink(x: Array, /, threshold: float = 0.5) -> Array:
    """Bring each element nearer to zero, by as much as the threshold.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    threshold: a Python number that is not negative.

    Returns
    -------
    The shape and dtype of x. nan stays nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.soft_shrink(lw.asarray([-0.75, 0.25, 2.0]))
    Array([-0.25,  0.  ,  1.5 ], dtype=float32)
    """
    return _e.subtract(x, _e.clip(x, -threshold, threshold))


# --- smooth ---------------------------------------------------------------------------------------------------------


@op("real floating")
def sigmoid(x: Array, /) -> Array:
    """Compute the logistic function, ``1 / (1 + exp(-x))``, for each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.sigmoid(lw.asarray([-lw.inf, 0.0, 2.0]))
    Array([0.      , 0.5     , 0.880797], dtype=float32)
    """
    small = _e.exp(_e.negative(_e.abs(x)))
    return _e.divide(where(_e.less(x, 0), small, 1.0), _e.add(small, 1))


@op("real floating")
def log_sigmoid(x: Array, /) -> Array:
    """Compute the logarithm of `sigmoid`, which does not underflow.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.log_sigmoid(lw.asarray([-200.0, 0.0]))
    Array([-200.       ,   -0.6931472], dtype=float32)
    """
    return _e.negative(softplus(_e.negative(x)))


@op("real floating")
def silu(x: Array, /) -> Array:
    """Multiply each element by its `sigmoid`.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    ``x * sigmoid(x)``, also called swish (Elfwing, Uchibe and Doya 2017). -inf gives nan, as in PyTorch and JAX.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.silu(lw.asarray([-1.0, 2.0]))
    Array([-0.2689414,  1.761594 ], dtype=float32)
    """
    return _e.multiply(x, sigmoid(x))


@op("real floating")
def mish(x: Array, /) -> Array:
    """Multiply each element by the tanh of its `softplus`.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    ``x * tanh(softplus(x))`` (Misra 2019). -inf gives nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.around(lw.nn.mish(lw.asarray([-1.0, 2.0])), decimals=4)
    Array([-0.3034,  1.944 ], dtype=float32)
    """
    return _e.multiply(x, _e.tanh(softplus(x)))


Approximation = bool | Literal["none", "tanh", "sigmoid"]
_APPROXIMATIONS = ("none", "tanh", "sigmoid")


def _gelu_shape(x: Shape, *, approximate: Any = False, **_: Any) -> Shape:
    if not isinstance(approximate, bool):
        check_word(_APPROXIMATIONS, "approximate", approximate)
    return x


@op("real floating", shape=_gelu_shape)
def gelu(x: Array, /, *, approximate: Approximation = False) -> Array:
    """Multiply each element by the probability that a normal variable is less.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    approximate: how the probability is computed. ``"none"`` or False: by erf, to full precision. ``"tanh"`` or True:
        by tanh of a polynomial, wrong by up to 5e-4. ``"sigmoid"``: by ``sigmoid(1.702 * x)``, wrong by up to 2e-2.

    Returns
    -------
    The shape and dtype of x.

    Raises
    ------
    ValueError: there is no such approximation.

    Notes
    -----
    ``x * (1 + erf(x / sqrt(2))) / 2`` (Hendrycks and Gimpel 2016). By default it is exact in PyTorch and TensorFlow,
    and approximated by tanh in JAX and Keras. -inf gives nan, and so may inf on PyTorch.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([0.0, 2.0])
    >>> lw.nn.gelu(x), lw.nn.gelu(x, approximate="tanh")
    (Array([0.       , 1.9544997], dtype=float32), Array([0.       , 1.9545978], dtype=float32))
    """
    if approximate in (False, "none"):
        probability = _e.multiply(_e.add(_erf(_e.multiply(x, math.sqrt(0.5))), 1), 0.5)
    elif approximate in (True, "tanh"):
        inner = _e.multiply(x, _e.add(_e.multiply(_e.square(x), 0.044715), 1))
        probability = sigmoid(_e.multiply(inner, 2 * math.sqrt(2 / math.pi)))
    elif approximate == "sigmoid":
        probability = sigmoid(_e.multiply(x, 1.702))
    else:
        raise ValueError("approximate")  # the shape function names the words that are allowed
    return _e.multiply(x, probability)


@op("real floating")
def _erf(x: Array, /) -> Array:
    """The error function, where a framework has none: rational functions within 1 and beyond it (Cephes, ndtr.c).

    Float16 does not hold what they divide.
    """
    if x.dtype.bits == 16:
        return lw.astype(_erf(lw.astype(x, float32)), x.dtype)
    size, square = _e.abs(x), _e.square(x)
    near = _e.divide(_e.multiply(x, _polynomial(square, _NEAR[0])), _polynomial(square, _NEAR[1]))
    far = _e.clip(size, 1, 6)  # beyond 6 it is 1 in double precision
    rest = _e.divide(_polynomial(far, _FAR[0]), _polynomial(far, _FAR[1]))
    rest = _e.multiply(_e.exp(_e.negative(_e.square(far))), rest)
    return where(_e.less(size, 1), near, _e.copysign(_e.subtract(1.0, rest), x))


def _polynomial(x: Array, coefficients: tuple[float, ...]) -> Array:
    """A polynomial by Horner's rule, from the highest coefficient on."""
    result = _e.add(_e.multiply(x, coefficients[0]), coefficients[1])
    for c in coefficients[2:]:
        result = _e.add(_e.multiply(result, x), c)
    return result


#: Numerator and denominator of erf(x) / x for x**2 up to 1, and of exp(x**2) * erfc(x) from 1 to 8.
_NEAR = (
    (9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3, 7.00332514112805075473e3,
     5.55923013010394962768e4),
    (1.0, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3, 2.26290000613890934246e4,
     4.92673942608635921086e4),
)  # fmt: skip
_FAR = (
    (2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0, 4.86371970985681366614e1,
     1.96520832956077098242e2, 5.26445194995477358631e2, 9.34528527171957607540e2, 1.02755188689515710272e3,
     5.57535335369399327526e2),
    (1.0, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2, 9.75708501743205489753e2,
     1.82390916687909736289e3, 2.24633760818710981792e3, 1.65666309194161350182e3, 5.57535340817727675546e2),
)  # fmt: skip


@op("real floating")
def softplus(x: Array, /, beta: float | None = None, threshold: float | None = None) -> Array:
    """Compute a smooth form of `relu`, ``log(1 + exp(beta * x)) / beta``, for each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    beta: a Python number that is not 0; None for 1, which costs no pass over the data.
    threshold: where ``beta * x`` is above it, the result is x itself; None for no threshold.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    It never overflows, and needs no threshold for that. PyTorch's default is ``beta=1, threshold=20``, in double
    precision wrong by 2e-9 above 20; JAX, TensorFlow and Keras have neither.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.softplus(lw.asarray([-1.0, 0.0, 100.0]))
    Array([  0.3132617,   0.6931472, 100.       ], dtype=float32)
    >>> lw.nn.softplus(lw.asarray([1.0]), beta=2.0)
    Array([1.063464], dtype=float32)
    """
    if beta is None and threshold is None:
        return _e.logaddexp(x, 0.0)
    scaled = x if beta is None else _e.multiply(x, beta)
    result = softplus(scaled)
    if beta is not None:
        result = _e.divide(result, beta)
    return result if threshold is None else where(_e.greater(scaled, threshold), x, result)


@op("real floating")
def softsign(x: Array, /) -> Array:
    """Compute ``x / (1 + |x|)`` for each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x, from -1 to 1. Infinities give nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.softsign(lw.asarray([-1.0, 3.0]))
    Array([-0.5 ,  0.75], dtype=float32)
    """
    return _e.divide(x, _e.add(_e.abs(x), 1))


@op("real floating")
def squareplus(x: Array, /, b: float = 4.0) -> Array:
    """Compute a smooth form of `relu` without exponentials, ``(x + sqrt(x**2 + b)) / 2``, for each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    b: a Python number that is not negative: how smooth it is. For 0 it is `relu`.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    Barron 2021. It is JAX's and Keras'.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.squareplus(lw.asarray([0.0, 1.5]))
    Array([1., 2.], dtype=float32)
    """
    return _e.multiply(_e.add(x, _e.sqrt(_e.add(_e.square(x), b))), 0.5)


@op("real floating")
def tanh_shrink(x: Array, /) -> Array:
    """Subtract from each element its tanh.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.tanh_shrink(lw.asarray([-1.0, 2.0]))
    Array([-0.23840582,  1.0359724 ], dtype=float32)
    """
    return _e.subtract(x, _e.tanh(x))


# --- piecewise linear -----------------------------------------------------------------------------------------------


@op("real floating")
def hard_tanh(x: Array, /, min: float = -1.0, max: float = 1.0) -> Array:
    """Bring each element into a range, by default that of tanh.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.
    min, max: Python numbers, the ends of the range.

    Returns
    -------
    The shape and dtype of x.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.hard_tanh(lw.asarray([-1.5, 0.5, 2.0]))
    Array([-1. ,  0.5,  1. ], dtype=float32)
    """
    return _e.clip(x, min, max)


@op("real floating")
def hard_sigmoid(x: Array, /) -> Array:
    """Compute ``(x + 3) / 6`` brought into the range from 0 to 1, for each element.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    PyTorch, JAX and Keras 3 agree; Keras 2 had ``0.2 * x + 0.5``.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.hard_sigmoid(lw.asarray([-4.0, 0.0, 1.5]))
    Array([0.  , 0.5 , 0.75], dtype=float32)
    """
    return _e.divide(_e.clip(_e.add(x, 3), 0, 6), 6)


@op("real floating")
def hard_silu(x: Array, /) -> Array:
    """Multiply each element by its `hard_sigmoid`.

    Parameters
    ----------
    x: any shape, a real floating dtype; integers are taken as the default float.

    Returns
    -------
    The shape and dtype of x.

    Notes
    -----
    Also called hard swish (Howard and others 2019). -inf gives nan.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.hard_silu(lw.asarray([-4.0, 1.0, 6.0]))
    Array([-0.       ,  0.6666667,  6.       ], dtype=float32)
    """
    bounded = where(_e.less(_e.abs(x), 3), x, _e.multiply(_e.sign(x), 3))  # at -3 and 3 the slopes are those outside
    return _e.multiply(x, _e.divide(_e.add(bounded, 3), 6))


# --- gates ----------------------------------------------------------------------------------------------------------


def _glu_shape(x: Shape, *, axis: Any = -1, **_: Any) -> Shape:
    """Halve the axis."""
    a = one_axis(axis, x)
    extent = x[a]
    if extent is not None and extent % 2:
        raise ValueError(f"takes an even number of elements along the axis; got {extent} along axis {axis} of {x}")
    return replace_axis(x, a, None if extent is None else extent // 2)


@op("real floating", shape=_glu_shape)
def glu(x: Array, /, axis: int = -1) -> Array:
    """Multiply the first half of an axis by the `sigmoid` of the second.

    Parameters
    ----------
    x: any shape with an axis, a real floating dtype; integers are taken as the default float.
    axis: the axis to halve, of an even extent.

    Returns
    -------
    The shape of x with half as many elements along the axis, and its dtype.

    Raises
    ------
    ValueError: the extent is odd.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.glu(lw.asarray([2.0, 4.0, 0.0, lw.inf]))
    Array([1., 4.], dtype=float32)
    """
    _glu_shape(x.shape, axis=axis)
    first, second = lw.split(x, 2, axis=axis)
    return _e.multiply(first, sigmoid(second))
