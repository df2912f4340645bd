"""Rules of activations, normalisations and losses that NumPy computes in a few passes. All others are compositions.

Where a function has a kink, its slope is PyTorch's: that on the left of 0 for `relu`, `leaky_relu` and `elu`, and 0 and
1 at the ends of `hard_silu`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..api.special.numerics import polynomial
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .rules import elementwise, rule
from .tape import Call

_ROOT_TAU = math.sqrt(math.tau)


def _is(condition: Array, like: Array) -> Array:
    """Return a condition as numbers, 1 and 0: a product takes less time than a choice."""
    return lw.astype(condition, like.dtype)


# --- activations ------------------------------------------------------------------------------------------------------


def of_sigmoid(x: Array) -> Array:
    """Compute the slope of the sigmoid, ``e / (1 + e)**2`` with ``e = exp(-abs(x))``: exact in both tails."""
    e = lw.exp(-lw.abs(x))
    return e / lw.square(1 + e)


def _of_leaky(x: Array, negative_slope: float) -> Array:
    above = _is(x > 0, x)
    return above + negative_slope * (1 - above)


def _of_elu(x: Array, alpha: float) -> Array:
    above = _is(x > 0, x)
    return lw.exp(lw.minimum(x, 0)) * (alpha * (1 - above)) + above


def _of_silu(out: Array, x: Array) -> Array:
    sigmoid = lw.nn.sigmoid(x)
    return sigmoid + out * (1 - sigmoid)


def _of_mish(x: Array) -> Array:
    """Compute ``t + x * t'`` with ``t = n / (n + 2)`` and ``n = e * (e + 2)``. From an x of 20 on, t is 1; below
    -1000, e is 0."""
    x = lw.clip(x, -1000, 20)
    e = lw.exp(x)
    n = e * (e + 2)
    return (n + 4 * x * e * (e + 1) / (n + 2)) / (n + 2)


def _of_hard_silu(x: Array) -> Array:
    above = _is(x >= 3, x)
    return (lw.clip(x, -3, 3) / 3 + 0.5) * (_is(x > -3, x) - above) + above


def _of_gelu(out: Array, x: Array, approximate: bool | str = False) -> Array:
    if approximate in (False, "none"):
        return _of_exact_gelu(out, x)
    if approximate == "sigmoid":
        sigmoid, slope = lw.nn.sigmoid(1.702 * x), 1.702
        return sigmoid + out * (1 - sigmoid) * slope
    factor = 2 * math.sqrt(2 / math.pi)
    square = lw.square(x)
    sigmoid = lw.nn.sigmoid(x * (factor + factor * 0.044715 * square))
    return sigmoid + out * (1 - sigmoid) * (factor + 3 * factor * 0.044715 * square)


#: The terms of ``(distribution function - 1 / 2) / x`` of the normal distribution in x**2, the highest power first:
#: between -1/2 and 1/2 they are precise to float32, in which alone NumPy has this function.
_CENTRE = [(-1) ** n / (2**n * math.factorial(n) * (2 * n + 1)) / _ROOT_TAU for n in range(4, -1, -1)]


def _of_exact_gelu(out: Array, x: Array) -> Array:
    """Compute the distribution function of the normal distribution and x times its density. The distribution function
    is ``gelu(x) / x``, around 0 a sum of powers."""
    square = lw.square(x)
    near = _is(square < 0.25, x)
    far = 1 - near
    inner = x * near  # before it is squared: a large square times 0 is nan
    share = out / (x * far + near) * far + (inner * polynomial(lw.square(inner), _CENTRE) + 0.5) * near
    return share + x * lw.exp(square * -0.5) * (1 / _ROOT_TAU)


elementwise("nn.relu", lambda out, x: _is(x > 0, x))
elementwise("nn.relu6", lambda out, x: _is(lw.logical_and(x > 0, x < 6), x))
elementwise("nn.leaky_relu", lambda out, x, negative_slope=0.01: _of_leaky(x, negative_slope))
elementwise("nn.celu", lambda out, x, alpha=1.0: lw.where(x > 0, 1, lw.exp(x / alpha)))
elementwise("nn.elu", lambda out, x, alpha=1.0: _of_elu(x, alpha))
elementwise("nn.sigmoid", lambda out, x: of_sigmoid(x))
elementwise("nn.softplus", lambda out, x, **plain: lw.nn.sigmoid(x))
elementwise("nn.silu", _of_silu)
elementwise("nn.mish", lambda out, x: _of_mish(x))
elementwise("nn.hard_silu", lambda out, x: _of_hard_silu(x))
elementwise("nn.gelu", _of_gelu)
elementwise("nn._erf", lambda out, x: lw.exp(-x * x) * (2 / math.sqrt(math.pi)))


# --- categories -------------------------------------------------------------------------------------------------------


def _of_softmax(call: Call, t: Array) -> Array:
    y: Array = call.out
    product = y * t
    return product - y * lw.sum(product, axis=call.kw.get("axis", -1), keepdims=True)


rule("nn.softmax", lambda call, tangents: _of_softmax(call, tangents[0]))(lambda call, g: {0: _of_softmax(call, g)})
rule(
    "nn.log_softmax",
    lambda call, tangents: tangents[0] - _total(call, lw.exp(call.out) * tangents[0]),
)(lambda call, g: {0: g - lw.exp(call.out) * _total(call, g)})


def _total(call: Call, x: Array) -> Array:
    return lw.sum(x, axis=call.kw.get("axis", -1), keepdims=True)


def _is_unweighted(logits: Any, target: Any, /, **options: Any) -> bool:
    return options.get("weight") is None and not options.get("label_smoothing")


@rule("nn.cross_entropy", when=_is_unweighted)
def _cross_entropy(call: Call, g: Array) -> Any:
    """Of the logits: the probabilities less the targets. Here, the categories are the last of two axes, and there are
    neither weights nor smoothing."""
    logits, target = call.args
    n, reduction = logits.shape[0], call.kw.get("reduction", "mean")
    if target.dtype.kind in "iu":
        counts = target != call.kw.get("ignore_index", -100)
        weight = lw.astype(counts, logits.dtype)
        g = (g / lw.sum(weight) if reduction == "mean" else g) * weight
        found = lw.nn.softmax(logits, axis=1)
        own = lw.arange(n, device=target.device), lw.where(counts, target, 0)
        found[own] = found[own] - 1
        return {0: found * g[:, None]}
    wanted = lw.astype(target, logits.dtype)
    g = lw.broadcast_to(g / n if reduction == "mean" else g, (n,))[:, None]
    total = lw.sum(wanted, axis=1, keepdims=True)
    return {
        0: (lw.nn.softmax(logits, axis=1) * total - wanted) * g,
        1: -g * lw.nn.log_softmax(logits, axis=1) if 1 in call.differentiated else None,
    }


# --- normalisations ---------------------------------------------------------------------------------------------------


def _mean(x: Array, axes: tuple[int, ...]) -> Array:
    return lw.mean(x, axis=axes, keepdims=True)


def _of_standardized(g: Array, x: Array, axes: tuple[int, ...], eps: float) -> tuple[Array, Array]:
    """Return the cotangent of what was brought to a mean of 0 and a variance of 1, and the standardised array itself.
    The mean and the part along the array are taken out of the cotangent."""
    away = x - _mean(x, axes)
    factor = 1 / lw.sqrt(_mean(lw.square(away), axes) + eps)
    away = away * factor
    return factor * (g - _mean(g, axes) - away * _mean(g * away, axes)), away


@rule("nn.layer_norm")
def _layer_norm(call: Call, g: Array) -> Any:
    x, weight = call.args[0], call.kw.get("weight")
    extents = call.kw["normalized_shape"] if "normalized_shape" in call.kw else call.args[1]
    axes = tuple(range(x.ndim - (len(extents) if isinstance(extents, (tuple, list)) else 1), x.ndim))
    found, away = _of_standardized(g if weight is None else g * weight, x, axes, call.kw.get("eps", 1e-5))
    cotangents = {0: found, "bias": g}  # it is summed to the shape of bias
    if "weight" in call.differentiated:
        cotangents["weight"] = g * away
    return cotangents


def _channels(vector: Any, x: Array, axis: int) -> Any:
    """Return a vector as an array that broadcasts with x along an axis, None for 1."""
    return 1 if vector is None else lw.reshape(vector, (-1, *[1] * (x.ndim - axis % x.ndim - 1)))


def _others(x: Array, axis: int) -> tuple[int, ...]:
    return tuple([a for a in range(x.ndim) if a != axis % x.ndim])


@rule("nn._by_statistics")
def _by_statistics(call: Call, g: Array) -> Any:
    x, mean, var = call.args
    axis, eps = call.kw.get("axis", 1), call.kw.get("eps", 1e-5)
    others = _others(x, axis)
    weight = call.kw.get("weight")
    factor = 1 / lw.sqrt(var + eps)
    scale = factor if weight is None else factor * weight
    found: dict[Any, Any] = {0: g * _channels(scale, x, axis)}
    if len(call.differentiated) > (0 in call.differentiated):
        total = lw.sum(g, axis=others)
        along = lw.sum(g * (x - _channels(mean, x, axis)), axis=others)
        found |= {"bias": total, "weight": along * factor, 1: -total * scale}
        found[2] = along * scale * factor * factor * -0.5
    return found


@rule("nn._by_batch")
def _by_batch(call: Call, g: tuple[Array, Array, Array]) -> Any:
    """The results are the normalised array, its means, and its variances with the correction."""
    (x,), (of_result, of_mean, of_var) = call.args, g
    axis, correction = call.kw.get("axis", 1), call.kw.get("correction", 1)
    others, weight = _others(x, axis), call.kw.get("weight")
    count = math.prod([x.shape[a] for a in others])
    found, away = _of_standardized(of_result * _channels(weight, x, axis), x, others, call.kw.get("eps", 1e-5))
    # of too few numbers the variance is nan, and so is its derivative where one is asked for
    spread = of_var * (2 / (count - correction)) if count > correction else lw.where(of_var == 0, 0, math.nan)
    apart = x - _mean(x, others)
    found = found + _channels(of_mean / count, x, axis) + apart * _channels(lw.astype(spread, x.dtype), x, axis)
    return {0: found, "weight": lw.sum(of_result * away, axis=others), "bias": lw.sum(of_result, axis=others)}


# --- losses -----------------------------------------------------------------------------------------------------------


def _of_huber(call: Call) -> Array:
    """Return the slope of each loss by its number: the distance, cut off at delta."""
    x, target = call.args
    delta = call.kw.get("delta", 1.0)
    slope = lw.clip(x - target, -delta, delta)
    return slope / x.size if call.kw.get("reduction", "mean") == "mean" else slope


def _along_huber(call: Call, tangents: Mapping[Any, Array]) -> Array:
    t: Any = tangents.get(0, 0)
    product = _of_huber(call) * (t - tangents[1] if 1 in tangents else t)
    return product if call.kw.get("reduction", "mean") == "none" else lw.sum(product)


@rule("nn.huber_loss", _along_huber)
def _huber_loss(call: Call, g: Array) -> Any:
    found = _of_huber(call) * g
    return {0: found, 1: -found}
