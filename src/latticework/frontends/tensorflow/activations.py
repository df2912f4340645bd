"""The functions of `tf.nn` without windows: activations, losses, moments and normalisation."""

from __future__ import annotations

from typing import Any

from . import random
from .arguments import axes, extents, number, only, our_axis
from .elementwise import sigmoid, squared_difference
from .errors import invalid
from .reductions import reduce_mean
from .tensor import as_tensor, dialect, ops


# fmt: off
def relu(features: Any, name: Any = None) -> Any: return ops.nn.relu(only(features, "iuf"))
def relu6(features: Any, name: Any = None) -> Any: return ops.clip(only(features, "iuf"), 0, 6)
def elu(features: Any, name: Any = None) -> Any: return ops.nn.elu(only(features, "f"))
def selu(features: Any, name: Any = None) -> Any: return ops.nn.selu(only(features, "f"))
def l2_loss(t: Any, name: Any = None) -> Any: return ops.divide(ops.sum(ops.square(only(t, "f"))), 2)
# fmt: on


def crelu(features: Any, axis: Any = -1, name: Any = None) -> Any:
    x = only(features, "if")
    return relu(ops.concat([x, ops.negative(x)], axis=number(axis)))


def leaky_relu(features: Any, alpha: Any = 0.2, name: Any = None) -> Any:
    x = as_tensor(features)
    if x._array.dtype.kind in "iu":
        x = ops.astype(x, "float32")
    return ops.where(ops.greater(only(x, "f"), 0), x, ops.multiply(x, _single(alpha)))


def _single(alpha: Any) -> float:
    """A number as float32, which TensorFlow's kernels hold their options in."""
    import struct

    found: float = struct.unpack("f", struct.pack("f", float(alpha)))[0]
    return found


def gelu(features: Any, approximate: Any = False, name: Any = None) -> Any:
    x = as_tensor(features)
    if x._array.dtype.kind != "f":
        raise ValueError(f"`features.dtype` must be a floating point tensor. Received:features.dtype={x.dtype!r}")
    return ops.nn.gelu(x, approximate=bool(approximate))


def silu(features: Any, beta: Any = 1.0) -> Any:
    x = only(features, "fc")
    return ops.multiply(x, sigmoid(ops.multiply(x, as_tensor(beta, like=x))))


def swish(features: Any, beta: Any = 1.0) -> Any:
    return silu(features, beta)


def softmax(logits: Any, axis: Any = None, name: Any = None) -> Any:
    x = _logits(logits)
    return ops.nn.softmax(x) if axis is None else ops.nn.softmax(x, axis=our_axis(axis))


def log_softmax(logits: Any, axis: Any = None, name: Any = None) -> Any:
    return ops.nn.log_softmax(_logits(logits), axis=-1 if axis is None else our_axis(axis))


def _logits(logits: Any) -> Any:
    x = only(logits, "f")
    if not x.ndim:
        raise invalid("logits must have at least 1 dim, but got shape ()")
    return x


def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: Any = None) -> Any:
    x = as_tensor(x)
    if x._array.dtype.kind != "f":
        raise ValueError(f"`x.dtype` must be a floating point tensor. Received: {x.dtype!r}")
    if isinstance(rate, (int, float)) and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    shape = x._array.shape if noise_shape is None else _noise(x, noise_shape)
    kept = ops.greater_equal(random.uniform(shape, dtype=x.dtype), as_tensor(rate, like=x))
    scale = ops.divide(1.0, ops.subtract(1.0, as_tensor(rate, like=x)))
    return ops.where(kept, ops.multiply(x, scale), ops.zeros_like(x))


def _noise(x: Any, shape: Any) -> tuple[int, ...]:
    given = shape if isinstance(shape, (list, tuple)) else extents(shape)
    return tuple([n if k is None else number(k) for k, n in zip(given, x._array.shape, strict=True)])


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> Any:
    from .reductions import clip_by_norm
    from .shaping import gather

    found = gather(params, ids)
    rows = tuple(range(as_tensor(ids).ndim, found.ndim))
    return found if max_norm is None else clip_by_norm(found, max_norm, axes=rows)


# --- normalisation --------------------------------------------------------------------------------------------------


def bias_add(value: Any, bias: Any, data_format: Any = None, name: Any = None) -> Any:
    x = as_tensor(value)
    bias = as_tensor(bias, like=x)
    first = isinstance(data_format, str) and data_format.startswith("NC")
    if data_format is not None and not (first or str(data_format).startswith("N")):
        raise ValueError("`data_format` must be of the form `N...C` or `NC...`. " + f"Received: {data_format!r}")
    only(x, "iufc")
    if bias.ndim != 1 or x.ndim < 2 or bias._array.shape[0] != x._array.shape[1 if first else -1]:
        raise invalid(f"Must provide as many biases as the channel dimension of the input tensor: {bias.shape} vs. "
                      f"{x.shape}")  # fmt: skip
    return ops.add(x, ops.reshape(bias, (-1, *(1,) * (x.ndim - 2))) if first else bias)


def moments(x: Any, axes: Any, shift: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    x = as_tensor(x)
    wide = ops.astype(x, "float32") if x.dtype == "float16" else x
    if x._array.dtype.kind in "iu":
        return _moments_of_integers(only(x, "i"), axes, keepdims)
    along = our_axes(axes)
    mean = ops.mean(wide, axis=along, keepdims=True)
    away = ops.subtract(wide, ops.stop_gradient(mean))
    variance = ops.mean(_squared(away), axis=along, keepdims=True)
    found = [mean, variance]
    if not keepdims:
        shape = ops.sum(wide, axis=along)._array.shape
        found = [ops.reshape(v, shape) for v in found]
    return tuple([ops.astype(v, x.dtype) if wide is not x else v for v in found])


def _moments_of_integers(x: Any, axes: Any, keepdims: Any) -> tuple[Any, Any]:
    mean = reduce_mean(x, axes, keepdims=True)
    variance = reduce_mean(squared_difference(x, mean), axes, keepdims=bool(keepdims))
    return (mean if keepdims else ops.reshape(mean, variance._array.shape)), variance


our_axes = axes


def _squared(x: Any) -> Any:
    return ops.square(x) if x._array.dtype.kind != "c" else ops.multiply(ops.conj(x), x)


def sufficient_statistics(x: Any, axes: Any, shift: Any = None, keepdims: Any = False, name: Any = None) -> Any:
    x = as_tensor(x)
    along = tuple(range(x.ndim)) if axes is None else our_axes(axes)
    along = (along,) if isinstance(along, int) else along
    count = 1.0
    for a in along:
        count *= x._array.shape[a]
    moved = x if shift is None else ops.subtract(x, as_tensor(shift, like=x))
    total = ops.sum(moved, axis=along, keepdims=bool(keepdims))
    squares = ops.sum(ops.square(moved), axis=along, keepdims=bool(keepdims))
    return as_tensor(count, x.dtype), total, squares, None if shift is None else as_tensor(shift, like=x)


def normalize_moments(counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: Any = None) -> Any:
    mean_ss, variance_ss = as_tensor(mean_ss), as_tensor(variance_ss)
    divisor = ops.reciprocal(as_tensor(counts, like=mean_ss))
    moved = ops.multiply(mean_ss, divisor)
    mean = moved if shift is None else ops.add(moved, as_tensor(shift, like=moved))
    return mean, ops.subtract(ops.multiply(variance_ss, divisor), ops.square(moved))


def weighted_moments(x: Any, axes: Any, frequency_weights: Any, keepdims: Any = False, name: Any = None) -> Any:
    x = as_tensor(x)
    weights = ops.add(as_tensor(frequency_weights, like=x), ops.zeros_like(x))
    along, keep = our_axes(axes), bool(keepdims)
    total = ops.sum(weights, axis=along, keepdims=True)
    mean = ops.divide(ops.sum(ops.multiply(weights, x), axis=along, keepdims=True), total)
    away = ops.square(ops.subtract(x, mean))
    variance = ops.divide(ops.sum(ops.multiply(weights, away), axis=along, keepdims=True), total)
    if keep:
        return mean, variance
    shape = ops.sum(x, axis=along)._array.shape
    return ops.reshape(mean, shape), ops.reshape(variance, shape)


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: Any = None
) -> Any:
    x = as_tensor(x)
    inverse = ops.rsqrt(ops.add(as_tensor(variance), variance_epsilon))
    if scale is not None:
        inverse = ops.multiply(inverse, as_tensor(scale, like=x))
    shift = ops.multiply(ops.negative(as_tensor(mean, like=x)), inverse)
    if offset is not None:
        shift = ops.add(as_tensor(offset, like=x), shift)
    return ops.add(ops.multiply(x, ops.astype(inverse, x.dtype)), ops.astype(shift, x.dtype))


# --- losses ---------------------------------------------------------------------------------------------------------


def _pair(labels: Any, logits: Any) -> tuple[Any, Any]:
    logits = as_tensor(logits)
    labels = as_tensor(labels, like=logits)
    if labels.shape != logits.shape:
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape})."
        )
    if labels.dtype != logits.dtype:
        raise invalid(f"the labels are of {labels.dtype.name}, and the logits of {logits.dtype.name}")
    return labels, only(logits, "f")


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: Any = None) -> Any:
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")
    labels, logits = _pair(labels, logits)
    small = ops.log1p(ops.exp(ops.negative(ops.abs(logits))))
    return ops.add(ops.subtract(ops.nn.relu(logits), ops.multiply(logits, labels)), small)


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: Any = None) -> Any:
    labels, logits = _pair(labels, logits)
    weight = ops.add(ops.multiply(ops.subtract(as_tensor(pos_weight, like=logits), 1), labels), 1)
    small = ops.log1p(ops.exp(ops.negative(ops.abs(logits))))
    rest = ops.multiply(weight, ops.add(small, ops.nn.relu(ops.negative(logits))))
    return ops.add(ops.multiply(ops.subtract(1, labels), logits), rest)


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: Any = -1, name: Any = None) -> Any:
    logits = _logits(logits)
    labels = as_tensor(labels, like=logits)
    labels = ops.astype(labels, logits.dtype) if labels.dtype != logits.dtype else labels
    axis = our_axis(axis)
    wide = _widened(logits)
    found = ops.negative(
        ops.sum(ops.multiply(ops.astype(labels, wide.dtype), ops.nn.log_softmax(wide, axis=axis)), axis=axis)
    )
    return ops.astype(found, logits.dtype) if wide is not logits else found


def _widened(x: Any) -> Any:
    """float16 and bfloat16 as float32, in which TensorFlow computes these losses."""
    return ops.astype(x, "float32") if str(x._array.dtype) in ("float16", "bfloat16") else x


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: Any = None) -> Any:
    logits, labels = _logits(logits), as_tensor(labels)
    if labels.ndim != logits.ndim - 1:
        raise ValueError(f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Got labels.shape={labels.shape}"
                         f" of rank {labels.ndim} and logits.shape={logits.shape} of rank {logits.ndim}")  # fmt: skip
    if labels.shape != logits.shape[:-1]:
        raise ValueError("`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
                         f"labels.shape={labels.shape} and logits.shape={logits.shape}")  # fmt: skip
    only(labels, "i", "int8 int16")
    classes = logits._array.shape[-1]
    inside = ops.logical_and(ops.greater_equal(labels, 0), ops.less(labels, classes))
    if not bool(ops.all(inside)):
        raise invalid(f"Received a label value which is outside the valid range of [0, {classes})")
    wide = _widened(logits)
    picked = ops.take_along_axis(ops.nn.log_softmax(wide), ops.expand_dims(labels, -1), axis=-1)
    return ops.astype(ops.negative(ops.squeeze(picked, -1)), logits.dtype)


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: Any = False, name: Any = None) -> Any:
    rate, targets = as_tensor(log_input), as_tensor(targets, like=as_tensor(log_input))
    if rate.shape != targets.shape:
        raise ValueError(f"`log_input` and `targets` must have the same shape, received ({rate.shape} vs "
                         f"{targets.shape}).")  # fmt: skip
    found = ops.subtract(ops.exp(rate), ops.multiply(rate, targets))
    if not compute_full_loss:
        return found
    point5 = 0.5 * 1.8378770664093453
    half = ops.add(ops.log(targets), 2.0 * point5)
    stirling = ops.add(ops.subtract(ops.multiply(targets, ops.log(targets)), targets), ops.multiply(0.5, half))
    small = ops.logical_and(ops.greater_equal(targets, 0), ops.less_equal(targets, 1))
    return ops.add(found, ops.where(small, ops.zeros_like(targets), stirling))


dialect.finish(globals(), view="tf.nn")
