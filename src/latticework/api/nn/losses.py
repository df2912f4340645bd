"""Losses: how far predictions are from targets, of each element, summed, or on the average.

`reduction` is ``"mean"``, ``"sum"`` or ``"none"`` in each.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from ...core.registry import functions as lw
from ...engine.arrays.array import Array, is_array
from ...engine.declare import op
from ...engine.shapes.extents import Shape, broadcast_shapes, check_word, drop_axes, may_equal, one_axis
from .. import elementwise as _e
from ..conversion import astype
from ..searching import where
from .activations import relu, softplus
from .categories import log_softmax
from .normalization import as_before, length, wide

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "margin_ranking_loss",
    "mse_loss",
    "nll_loss",
    "pairwise_distance",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "triplet_margin_loss",
]

Reduction = Literal["mean", "sum", "none"]
_REDUCTIONS = ("mean", "sum", "none")


def reduced(loss: Array, reduction: str, total: Array | None = None) -> Array:
    """Reduce losses to their sum or mean, or not at all. A mean divides the sum by `total`, if given."""
    if reduction == "none":
        return loss
    if reduction == "sum":
        return lw.sum(loss)
    if reduction != "mean":
        raise ValueError("reduction")  # the shape function names those that are allowed
    return lw.mean(loss) if total is None else _e.divide(lw.sum(loss), total)


def _reduced_shape(shape: Shape, reduction: Any, words: tuple[str, ...] = _REDUCTIONS) -> Shape:
    check_word(words, "reduction", reduction)
    return shape if reduction == "none" else ()


def _pairs(*operands: Shape | None, reduction: Any = "mean", **_: Any) -> Shape:
    """Broadcast all operands, and reduce them."""
    return _reduced_shape(broadcast_shapes(*[x for x in operands if isinstance(x, tuple)]), reduction)


# --- differences ----------------------------------------------------------------------------------------------------


@op("real floating", shape=_pairs)
def mse_loss(x: Array, /, target: Array, *, weight: Array | None = None, reduction: Reduction = "mean") -> Array:
    """Compute the squares of the differences.

    Parameters
    ----------
    x, target: shapes that broadcast together, real floating dtypes; integers are taken as the default float.
    weight: what each loss is multiplied by, in a shape that broadcasts with the others; None for 1.
    reduction: ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    With weights the mean is ``sum(weight * loss) / sum(weight)``, as in PyTorch.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.mse_loss(lw.asarray([1.0, 2.0]), lw.asarray([1.0, 4.0]))
    Array(2., dtype=float32)
    """
    loss = _e.square(_e.subtract(wide(x), wide(target)))
    if weight is None:
        return as_before(reduced(loss, reduction), x)
    loss = _e.multiply(loss, weight)
    total = lw.sum(lw.broadcast_to(wide(weight), loss.shape)) if reduction == "mean" else None
    return as_before(reduced(loss, reduction, total), x)


@op("real floating", shape=_pairs)
def l1_loss(x: Array, /, target: Array, *, reduction: Reduction = "mean") -> Array:
    """Compute the absolute values of the differences.

    Parameters
    ----------
    x, target: shapes that broadcast together, real floating dtypes; integers are taken as the default float.
    reduction: ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.l1_loss(lw.asarray([1.0, 2.0]), lw.asarray([1.0, 4.0]))
    Array(1., dtype=float32)
    """
    return as_before(reduced(_e.abs(_e.subtract(wide(x), wide(target))), reduction), x)


@op("real floating", shape=_pairs)
def huber_loss(x: Array, /, target: Array, *, delta: float = 1.0, reduction: Reduction = "mean") -> Array:
    """Compute half the squares of small differences, and of large ones a linear continuation.

    Parameters
    ----------
    x, target: shapes that broadcast together, real floating dtypes; integers are taken as the default float.
    delta: a positive Python number, up to which a difference is small.
    reduction: ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    ``d**2 / 2`` for ``d = |x - target|`` up to delta, else ``delta * (d - delta / 2)`` (Huber 1964).

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.huber_loss(lw.asarray([0.0, 0.0]), lw.asarray([1.0, 4.0]), delta=2.0, reduction="none")
    Array([0.5, 6. ], dtype=float32)
    """
    apart = _e.abs(_e.subtract(wide(x), wide(target)))
    near = _e.minimum(apart, delta)  # near * (apart - near / 2) is the one and the other
    return as_before(reduced(_e.multiply(near, _e.subtract(apart, _e.multiply(near, 0.5))), reduction), x)


@op("real floating", shape=_pairs)
def smooth_l1_loss(x: Array, /, target: Array, *, beta: float = 1.0, reduction: Reduction = "mean") -> Array:
    """Compute `huber_loss` divided by beta, which is near `l1_loss` for a small beta.

    Parameters
    ----------
    x, target: shapes that broadcast together, real floating dtypes; integers are taken as the default float.
    beta: a Python number that is not negative, up to which a difference is small. For 0 it is `l1_loss`.
    reduction: ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.smooth_l1_loss(lw.asarray([0.0, 0.0]), lw.asarray([1.0, 4.0]), beta=2.0, reduction="none")
    Array([0.25, 3.  ], dtype=float32)
    """
    if beta == 0:
        return l1_loss(x, target, reduction=reduction)
    return _e.divide(huber_loss(x, target, delta=beta, reduction=reduction), beta)


# --- probabilities --------------------------------------------------------------------------------------------------


@op("real floating", shape=_pairs)
def binary_cross_entropy(
    p: Array, /, target: Array, *, weight: Array | None = None, reduction: Reduction = "mean"
) -> Array:
    """Compute the cross entropy of the probabilities of one thing or another.

    Parameters
    ----------
    p: probabilities, from 0 to 1. A real floating dtype; integers are taken as the default float.
    target: the probabilities that they should be, mostly 0 or 1, in a shape that broadcasts with p's.
    weight: what each loss is multiplied by, in a shape that broadcasts with the others; None for 1.
    reduction: ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    ``-(target * log(p) + (1 - target) * log(1 - p))``, where logarithms are at least -100, as in PyTorch. Of logits,
    `binary_cross_entropy_with_logits` is more exact.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.binary_cross_entropy(lw.asarray([0.5, 1.0]), lw.asarray([1.0, 1.0]))
    Array(0.3465736, dtype=float32)
    """
    y, t = wide(p), wide(target)
    yes = _e.maximum(_safe_log(y), -100)
    no = _e.maximum(_safe_log(_e.subtract(1.0, y)), -100)
    loss = _e.negative(_e.add(_e.multiply(t, yes), _e.multiply(_e.subtract(1.0, t), no)))
    return as_before(reduced(loss if weight is None else _e.multiply(loss, weight), reduction), p)


def _safe_log(x: Array) -> Array:
    """Compute the logarithm. At 0 it is minus infinity, with the derivative 0."""
    zero = _e.equal(x, 0)
    return where(zero, -lw.inf, _e.log(where(zero, 1.0, x)))


@op("real floating", shape=_pairs)
def binary_cross_entropy_with_logits(
    x: Array,
    /,
    target: Array,
    *,
    weight: Array | None = None,
    pos_weight: Array | None = None,
    reduction: Reduction = "mean",
) -> Array:
    """Compute the cross entropy of one thing or another from logits, the scores before `sigmoid`.

    Parameters
    ----------
    x: logits. A real floating dtype; integers are taken as the default float.
    target: the probabilities that they should stand for, mostly 0 or 1, in a shape that broadcasts with x's.
    weight: what each loss is multiplied by, in a shape that broadcasts with the others; None for 1.
    pos_weight: what the loss of a target of 1 is multiplied by besides; None for 1.
    reduction: ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    ``(1 - target) * x + (1 + (pos_weight - 1) * target) * softplus(-x)``, which does not overflow.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.binary_cross_entropy_with_logits(lw.asarray([0.0, 200.0]), lw.asarray([1.0, 1.0]))
    Array(0.3465736, dtype=float32)
    """
    y, t = wide(x), wide(target)
    no = softplus(_e.negative(y))
    if pos_weight is not None:
        no = _e.multiply(no, _e.add(_e.multiply(_e.subtract(pos_weight, 1), t), 1))
    loss = _e.add(_e.multiply(_e.subtract(1.0, t), y), no)
    return as_before(reduced(loss if weight is None else _e.multiply(loss, weight), reduction), x)


@op("real floating", shape=_pairs)
def poisson_nll_loss(
    x: Array,
    /,
    target: Array,
    *,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: Reduction = "mean",
) -> Array:
    """Compute the negative logarithm of the likelihood of counts under Poisson's distribution.

    Parameters
    ----------
    x: the expected counts, or their logarithms. A real floating dtype; integers are taken as the default float.
    target: the counts, in a shape that broadcasts with x's.
    log_input: whether x are logarithms.
    full: whether the term that does not depend on x is added, by Stirling's formula.
    eps: what is added to counts before their logarithm.
    reduction: ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    ``exp(x) - target * x``, or ``x - target * log(x + eps)``; and with `full`
    ``target * log(target) - target + log(2 * pi * target) / 2`` where the target is above 1.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.poisson_nll_loss(lw.asarray([0.0, 0.0]), lw.asarray([2.0, 3.0]))
    Array(1., dtype=float32)
    """
    y, t = wide(x), wide(target)
    if log_input:
        loss = _e.subtract(_e.exp(y), _e.multiply(t, y))
    else:
        loss = _e.subtract(y, _e.multiply(t, _e.log(_e.add(y, eps))))
    if full:
        some = where(_e.greater(t, 1), t, 1.0)
        term = _e.add(
            _e.subtract(_e.multiply(some, _e.log(some)), some), _e.multiply(_e.log(_e.multiply(some, math.tau)), 0.5)
        )
        loss = _e.add(loss, where(_e.greater(t, 1), term, 0.0))
    return as_before(reduced(loss, reduction), x)


@op("real floating", shape=_pairs)
def gaussian_nll_loss(
    x: Array, /, target: Array, var: Array, *, full: bool = False, eps: float = 1e-6, reduction: Reduction = "mean"
) -> Array:
    """Compute the negative logarithm of the likelihood of targets under a normal distribution.

    Parameters
    ----------
    x, target, var: means, targets and variances, in shapes that broadcast together. Real floating dtypes; integers are
        taken as the default float.
    full: whether the term ``log(2 * pi) / 2`` is added.
    eps: the least variance.
    reduction: ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    ``(log(var) + (x - target)**2 / var) / 2``. The derivative by a variance below eps is 0; PyTorch's is not. A
    variance for several elements has extent 1 along their axis.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.gaussian_nll_loss(lw.asarray([0.0]), lw.asarray([2.0]), lw.asarray([1.0]))
    Array(2., dtype=float32)
    """
    variance = _e.maximum(wide(var), eps)
    apart = _e.square(_e.subtract(wide(x), wide(target)))
    loss = _e.multiply(_e.add(_e.log(variance), _e.divide(apart, variance)), 0.5)
    return as_before(reduced(_e.add(loss, math.log(math.tau) / 2) if full else loss, reduction), x)


def _kl_shape(x: Shape, target: Shape, *, reduction: Any = "mean", **_: Any) -> Shape:
    return _reduced_shape(broadcast_shapes(x, target), reduction, (*_REDUCTIONS, "batchmean"))


@op("real floating", shape=_kl_shape)
def kl_div(
    log_p: Array,
    /,
    target: Array,
    *,
    log_target: bool = False,
    reduction: Literal["mean", "sum", "none", "batchmean"] = "mean",
) -> Array:
    """Compute the Kullback-Leibler divergence of distributions from targets.

    Parameters
    ----------
    log_p: logarithms of probabilities. A real floating dtype; integers are taken as the default float.
    target: the probabilities that they should be, in a shape that broadcasts with log_p's.
    log_target: whether the targets are logarithms too.
    reduction: ``"mean"`` or ``"sum"`` over all elements, ``"none"``, or ``"batchmean"``: the sum divided by the extent
        of the first axis, which is the mean of the divergences.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    ``target * (log(target) - log_p)``, which is 0 where the target is 0, and nan where it is negative.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.kl_div(lw.log(lw.asarray([0.25, 0.75])), lw.asarray([1.0, 0.0]), reduction="sum")
    Array(1.3862944, dtype=float32)
    """
    p, t = wide(log_p), wide(target)
    if log_target:
        loss = _e.multiply(_e.exp(t), _e.subtract(t, p))
    else:
        none = _e.equal(t, 0)
        entropy = _e.multiply(t, _e.log(where(none, 1.0, t)))
        loss = _e.subtract(entropy, _e.multiply(t, p))
        loss = where(none, 0.0, loss)
    if reduction == "batchmean":
        return as_before(_e.divide(lw.sum(loss), loss.shape[0] if loss.ndim else 1), log_p)
    return as_before(reduced(loss, reduction), log_p)


# --- categories -----------------------------------------------------------------------------------------------------


def _category_axis(shape: Shape, axis: Any) -> int:
    """The axis of the categories: by default the second, or the only one."""
    if not shape:
        raise ValueError("takes an array with an axis of categories; got no axes")
    return one_axis(min(1, len(shape) - 1) if axis is None else axis, shape)


def _category_shape(
    x: Shape, target: Shape, weight: Shape | None = None, *, axis: Any = None, reduction: Any = "mean", **_: Any
) -> Shape:
    """Drop the axis of the categories, which targets that are numbers have not."""
    place = _category_axis(x, axis)
    others = drop_axes(x, (place,))
    if x[place] == 0:
        raise ValueError(f"takes at least one category; got none along axis {place} of {x}")
    numbers = len(target) == len(others) and all(map(may_equal, target, others))
    if not numbers and not (len(target) == len(x) and all(map(may_equal, target, x))):
        raise ValueError(
            f"target must have the shape {others}, for numbers of categories along axis {place} of {x}, or {x}, for "
            f"their probabilities; got {target}"
        )
    if weight is not None and not (len(weight) == 1 and may_equal(weight[0], x[place])):
        raise ValueError(f"weight must have one element for each of {x[place]} categories; got shape {weight}")
    return _reduced_shape(others, reduction)


def _number_shape(
    x: Shape, target: Shape, weight: Shape | None = None, *, axis: Any = None, reduction: Any = "mean", **_: Any
) -> Shape:
    if len(target) == len(x):
        raise ValueError(f"target must have no axis of categories; got shapes {target} and {x}")
    return _category_shape(x, target, weight, axis=axis, reduction=reduction)


@op("real floating", target="index", shape=_number_shape)
def nll_loss(
    log_probs: Array,
    /,
    target: Array,
    *,
    weight: Array | None = None,
    ignore_index: int = -100,
    axis: int | None = None,
    reduction: Reduction = "mean",
) -> Array:
    """Compute the negative logarithm of the probability of the right category.

    Parameters
    ----------
    log_probs: shape (N, C, ...), logarithms of the probabilities of C categories; or (C,). A real floating dtype;
        integers are taken as the default float.
    target: shape (N, ...), the numbers of the right categories, of an integer dtype.
    weight: shape (C,), what the losses of each category are multiplied by; None for 1.
    ignore_index: the target whose losses are left out.
    axis: the axis of the categories; None for 1, or the only one.
    reduction: ``"mean"``, ``"sum"`` or ``"none"``. The mean is the sum divided by the sum of the weights of the targets
        that are not left out.

    Returns
    -------
    No axes, or the shape of target for ``reduction="none"``; the common dtype of log_probs and weight. The mean of
    nothing is nan.

    Raises
    ------
    ValueError: the shapes do not fit together, or there is no such reduction.
    IndexError: a target is no category. Compiled by JAX, its loss is nan instead.
    TypeError: the targets are no integers.

    Examples
    --------
    >>> import latticework as lw
    >>> log_probs = lw.log(lw.asarray([[0.25, 0.75], [0.5, 0.5]]))
    >>> lw.nn.nll_loss(log_probs, lw.asarray([1, -100]))
    Array(0.2876821, dtype=float32)
    """
    _number_shape(log_probs.shape, target.shape, _shape(weight), axis=axis, reduction=reduction)
    place = _category_axis(log_probs.shape, axis)
    y, weights = wide(log_probs), None if weight is None else wide(weight)
    loss, total = _of_numbers(y, target, weights, ignore_index, place, 0.0)
    return as_before(reduced(loss, reduction, total), log_probs)


def _shape(x: Array | None) -> Any:
    return None if x is None else x.shape


def _of_numbers(
    log_probs: Array, target: Array, weight: Array | None, ignore_index: int, axis: int, smoothing: float
) -> tuple[Array, Array]:
    """The losses for targets that are numbers, and the sum of the weights of those that count."""
    counts = _e.not_equal(target, ignore_index)
    safe = where(counts, target, 0)
    loss = _e.negative(_at(log_probs, safe, axis))
    ones = astype(counts, loss.dtype)
    shares = ones if weight is None else _e.multiply(lw.take(weight, safe, axis=0), ones)
    if weight is not None:
        loss = _e.multiply(loss, shares)
    if is_array(smoothing) or smoothing:
        spread = _e.negative(_weighted_sum(log_probs, weight, axis))
        n = log_probs.shape[axis]
        loss = _e.add(_e.multiply(loss, 1 - smoothing), _e.multiply(spread, smoothing / n))
    return where(counts, loss, 0.0), lw.sum(shares)


def _at(x: Array, number: Array, axis: int) -> Array:
    """The element at a number along an axis."""
    return lw.squeeze(lw.take_along_axis(x, lw.expand_dims(number, axis=axis), axis=axis), axis=axis)


def _weighted_sum(x: Array, weight: Array | None, axis: int) -> Array:
    if weight is not None:
        extents = [1] * x.ndim
        extents[axis] = -1
        x = _e.multiply(x, lw.reshape(weight, tuple(extents)))
    return lw.sum(x, axis=axis)


@op("real floating", target="own", shape=_category_shape)
def cross_entropy(
    logits: Array,
    /,
    target: Array,
    *,
    weight: Array | None = None,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    axis: int | None = None,
    reduction: Reduction = "mean",
) -> Array:
    """Compute the cross entropy of categories from logits, the scores before `softmax`.

    Parameters
    ----------
    logits: shape (N, C, ...), scores of C categories; or (C,). A real floating dtype; integers are taken as the default
        float.
    target: the numbers of the right categories, of shape (N, ...) and an integer dtype; or the probabilities that they
        should have, of the shape of logits and a floating dtype.
    weight: shape (C,), what the losses of each category are multiplied by; None for 1.
    ignore_index: the target whose losses are left out, of numbers.
    label_smoothing: how much of each target is spread evenly over all categories, from 0 to 1.
    axis: the axis of the categories; None for 1, or the only one. JAX's, TensorFlow's and Keras' is the last.
    reduction: ``"mean"``, ``"sum"`` or ``"none"``. The mean of losses of numbers is the sum divided by the sum of the
        weights of the targets that are not left out; of probabilities it is the plain mean.

    Returns
    -------
    No axes, or the shape without the categories for ``reduction="none"``; the common dtype of logits and weight.

    Raises
    ------
    ValueError: the shapes do not fit together, or there is no such reduction.
    IndexError: a target is no category. Compiled by JAX, its loss is nan instead.
    TypeError: the dtype of the targets does not go with their shape.

    Notes
    -----
    ``-sum(target * weight * log_softmax(logits))`` along the axis.

    Examples
    --------
    >>> import latticework as lw
    >>> logits = lw.asarray([[0.0, 0.0], [0.0, 200.0]])
    >>> lw.nn.cross_entropy(logits, lw.asarray([1, 1]))
    Array(0.3465736, dtype=float32)
    >>> lw.nn.cross_entropy(lw.zeros((2, 2)), lw.asarray([[0.5, 0.5], [0.0, 1.0]]), reduction="none")
    Array([0.6931472, 0.6931472], dtype=float32)
    """
    _category_shape(logits.shape, target.shape, _shape(weight), axis=axis, reduction=reduction)
    place = _category_axis(logits.shape, axis)
    log_probs, weights = log_softmax(wide(logits), axis=place), None if weight is None else wide(weight)
    numbers = target.ndim < logits.ndim
    if (target.dtype.kind in "iu") is not numbers or target.dtype.kind not in "iuf":
        wanted = "integer dtype, for numbers of categories" if numbers else "floating dtype, for probabilities"
        raise TypeError(f"nn.cross_entropy: target of shape {target.shape} must have a {wanted}; got {target.dtype}")
    if numbers:
        loss, total = _of_numbers(log_probs, target, weights, ignore_index, place, label_smoothing)
        return as_before(reduced(loss, reduction, total), logits)
    shares = as_before(target, log_probs)
    if is_array(label_smoothing) or label_smoothing:
        shares = _e.add(_e.multiply(shares, 1 - label_smoothing), label_smoothing / logits.shape[place])
    zero = _e.equal(shares, 0)  # times -inf is 0 as well
    loss = _e.negative(
        _weighted_sum(where(zero, 0.0, _e.multiply(shares, where(zero, 0.0, log_probs))), weights, place)
    )
    return as_before(reduced(loss, reduction), logits)


# --- margins and distances ------------------------------------------------------------------------------------------


@op("real floating", shape=_pairs)
def hinge_embedding_loss(x: Array, /, target: Array, *, margin: float = 1.0, reduction: Reduction = "mean") -> Array:
    """Compute a loss that is x for what belongs together, and what x lacks to a margin for what does not.

    Parameters
    ----------
    x: distances. A real floating dtype; integers are taken as the default float.
    target: 1 for what belongs together, -1 for what does not, in a shape that broadcasts with x's.
    margin: a Python number.
    reduction: ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    ``x`` for a target of 1, ``max(0, margin - x)`` for -1, and the sum of both for another, as in PyTorch.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.hinge_embedding_loss(lw.asarray([0.5, 0.75]), lw.asarray([1.0, -1.0]), reduction="none")
    Array([0.5 , 0.25], dtype=float32)
    """
    y = wide(x)
    near = where(_e.equal(target, -1), 0.0, y)
    loss = _e.add(near, where(_e.equal(target, 1), 0.0, relu(_e.subtract(margin, y))))
    return as_before(reduced(loss, reduction), x)


@op("real floating", shape=_pairs)
def margin_ranking_loss(
    x1: Array, /, x2: Array, target: Array, *, margin: float = 0.0, reduction: Reduction = "mean"
) -> Array:
    """Compute how far scores are from the order that they should have.

    Parameters
    ----------
    x1, x2: scores, in shapes that broadcast together. Real floating dtypes; integers are taken as the default float.
    target: 1 where x1 should be greater, -1 where x2 should.
    margin: a Python number, by how much it should be greater.
    reduction: ``"mean"`` or ``"sum"`` over all elements, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    ``max(0, margin - target * (x1 - x2))``.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.margin_ranking_loss(lw.asarray([1.0, 3.0]), lw.asarray([2.0, 2.0]), lw.asarray([1.0, 1.0]))
    Array(0.5, dtype=float32)
    """
    apart = _e.multiply(_e.subtract(wide(x1), wide(x2)), target)
    return as_before(reduced(relu(_e.subtract(margin, apart)), reduction), x1)


def _distance_shape(x1: Shape, x2: Shape, *, keepdims: bool = False, **_: Any) -> Shape:
    """Reduce the last axis of what the two broadcast to."""
    shape = broadcast_shapes(x1, x2)
    return drop_axes(shape, (one_axis(-1, shape),), keepdims)


@op("real floating", shape=_distance_shape)
def pairwise_distance(x1: Array, /, x2: Array, p: float = 2.0, eps: float = 1e-6, *, keepdims: bool = False) -> Array:
    """Compute the p-norm of the differences of vectors, along the last axis.

    Parameters
    ----------
    x1, x2: shapes that broadcast together. Real floating dtypes; integers are taken as the default float.
    p: a positive Python number, or `lw.inf`.
    eps: what is added to each difference, as in PyTorch. For 0 it is the distance itself.
    keepdims: whether the axis stays, with extent 1.

    Returns
    -------
    The broadcast shape without the last axis, and the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no axis.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.pairwise_distance(lw.asarray([[0.0, 3.0]]), lw.asarray([[4.0, 0.0]]), eps=0.0)
    Array([5.], dtype=float32)
    """
    apart = _e.subtract(wide(x1), wide(x2))
    return as_before(length(_e.add(apart, eps) if eps else apart, p, -1, keepdims), x1)


def _triplet_shape(*operands: Shape, reduction: Any = "mean", **_: Any) -> Shape:
    shape = broadcast_shapes(*operands)
    return _reduced_shape(drop_axes(shape, (one_axis(-1, shape),)), reduction)


@op("real floating", shape=_triplet_shape)
def triplet_margin_loss(
    anchor: Array,
    /,
    positive: Array,
    negative: Array,
    *,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: Reduction = "mean",
) -> Array:
    """Compute how far an anchor is from being nearer to one vector than to another, by a margin.

    Parameters
    ----------
    anchor, positive, negative: shapes (..., n) that broadcast together. Real floating dtypes; integers are taken as the
        default float.
    margin: a Python number.
    p, eps: of the distances, as in `pairwise_distance`.
    swap: whether the negative one is compared with the nearer one of anchor and positive.
    reduction: ``"mean"`` or ``"sum"`` over all vectors, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape without the last axis for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    ``max(0, margin + distance(anchor, positive) - distance(anchor, negative))`` (Balntas and others 2016).

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.triplet_margin_loss(lw.asarray([0.0]), lw.asarray([1.0]), lw.asarray([1.5]), eps=0.0)
    Array(0.5, dtype=float32)
    """
    a, near, far = wide(anchor), wide(positive), wide(negative)
    apart = pairwise_distance(a, far, p, eps)
    if swap:
        apart = _e.minimum(apart, pairwise_distance(near, far, p, eps))
    loss = relu(_e.add(_e.subtract(pairwise_distance(a, near, p, eps), apart), margin))
    return as_before(reduced(loss, reduction), anchor)


def _cosine_shape(x1: Shape, x2: Shape, *, axis: Any = 1, **_: Any) -> Shape:
    shape = broadcast_shapes(x1, x2)
    return drop_axes(shape, (one_axis(axis, shape),))


@op("real floating", shape=_cosine_shape)
def cosine_similarity(x1: Array, /, x2: Array, *, axis: int = 1, eps: float = 1e-8) -> Array:
    """Compute the cosine of the angle between vectors.

    Parameters
    ----------
    x1, x2: shapes that broadcast together. Real floating dtypes; integers are taken as the default float.
    axis: the axis along which the vectors are.
    eps: the least length that is divided by.

    Returns
    -------
    The broadcast shape without the axis, and the common dtype. Of a vector of zeros it is 0, with finite derivatives.

    Raises
    ------
    ValueError: the shapes do not broadcast together.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.cosine_similarity(lw.asarray([[1.0, 0.0]]), lw.asarray([[3.0, 4.0]]))
    Array([0.6], dtype=float32)
    """
    if axis is None:
        raise TypeError("nn.cosine_similarity: an axis is an int; got None")
    a, b = lw.broadcast_arrays(wide(x1), wide(x2))
    a, b = (_e.divide(x, _e.maximum(length(x, 2, axis, True), eps)) for x in (a, b))
    return as_before(lw.sum(_e.multiply(a, b), axis=axis), x1)


def _cosine_loss_shape(x1: Shape, x2: Shape, target: Shape, *, reduction: Any = "mean", **_: Any) -> Shape:
    return _reduced_shape(broadcast_shapes(_cosine_shape(x1, x2, axis=-1), target), reduction)


@op("real floating", shape=_cosine_loss_shape)
def cosine_embedding_loss(
    x1: Array, /, x2: Array, target: Array, *, margin: float = 0.0, reduction: Reduction = "mean"
) -> Array:
    """Compute how far the angles of vectors are from what belongs together and what does not.

    Parameters
    ----------
    x1, x2: shapes (..., n) that broadcast together. Real floating dtypes; integers are taken as the default float.
    target: 1 for vectors that belong together, -1 for others, in a shape that broadcasts with (...).
    margin: a Python number from -1 to 1, up to which a cosine is small enough.
    reduction: ``"mean"`` or ``"sum"`` over all vectors, or ``"none"``.

    Returns
    -------
    No axes, or the broadcast shape without the last axis for ``reduction="none"``; the common dtype.

    Raises
    ------
    ValueError: the shapes do not broadcast together, or there is no such reduction.

    Notes
    -----
    ``1 - cos`` for a target of 1, ``max(0, cos - margin)`` for -1, and 0 for another, as in PyTorch.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.cosine_embedding_loss(lw.asarray([[3.0, 4.0]]), lw.asarray([[1.0, 0.0]]), lw.asarray([1.0]))
    Array(0.39999998, dtype=float32)
    """
    cosine = cosine_similarity(wide(x1), wide(x2), axis=-1)
    far = where(_e.equal(target, -1), relu(_e.subtract(cosine, margin)), 0.0)
    loss = where(_e.equal(target, 1), _e.subtract(1.0, cosine), far)
    return as_before(reduced(loss, reduction), x1)
