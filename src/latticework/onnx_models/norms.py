"""Norms: by the batch, the instance, groups, the layer, and neighbouring channels."""

from __future__ import annotations

import math
from typing import Any

import latticework as lw

from .table import Call, reads

__all__: list[str] = []


def _along(x: Any, part: Any) -> Any:
    """Return one number for each channel in a shape that goes along the channels of x."""
    return lw.reshape(part, (-1, *(1,) * (x.ndim - 2)))


@reads("BatchNormalization")
def _batch_norm(c: Call, x: Any, scale: Any, bias: Any, mean: Any, var: Any) -> Any:
    """By the statistics given, or in training by those of the batch, with the running ones after it."""
    eps = c.get("epsilon", 1e-5)
    if not c.get("training_mode", 0):
        if c.opset < 14 and sum(c.wanted) > 1:
            raise c.refuse("in training is read from opset 14 on")
        return lw.nn.batch_norm(x, mean, var, scale, bias, eps=eps)
    momentum, axes = c.get("momentum", 0.9), tuple([a for a in range(x.ndim) if a != 1])
    y = lw.nn.batch_norm(x, None, None, scale, bias, training=True, eps=eps)
    y = y[0] if isinstance(y, tuple) else y
    now = lw.mean(x, axis=axes), lw.var(x, axis=axes)
    kept = [
        lw.astype(lw.astype(old, new.dtype) * momentum + new * (1 - momentum), old.dtype)
        for old, new in zip((mean, var), now, strict=True)
    ]
    return y, *kept


@reads("InstanceNormalization")
def _instance_norm(c: Call, x: Any, scale: Any, bias: Any) -> Any:
    return lw.nn.instance_norm(x, None, None, scale, bias, eps=c.get("epsilon", 1e-5))


@reads("GroupNormalization")
def _group_norm(c: Call, x: Any, scale: Any, bias: Any) -> Any:
    """Before opset 21 scale and bias have a number for each group."""
    groups = c.get("num_groups")
    if c.opset < 21:
        each = x.shape[1] // groups
        scale, bias = lw.repeat(scale, each), lw.repeat(bias, each)
    return lw.nn.group_norm(x, groups, scale, bias, c.get("epsilon", 1e-5))


def _wide(c: Call, x: Any) -> Any:
    """Cast to the dtype that statistics are computed in, if that is wider."""
    return lw.astype(x, lw.float32) if c.get("stash_type", 1) == 1 and x.dtype.itemsize < 4 else x


@reads("LayerNormalization")
def _layer_norm(c: Call, x: Any, scale: Any, bias: Any = None) -> Any:
    axis, eps = c.get("axis", -1) % x.ndim, c.get("epsilon", 1e-5)
    shape = x.shape[axis:]
    if sum(c.wanted) == 1 and scale.shape == shape and (bias is None or bias.shape == shape) and x.dtype.itemsize > 2:
        return lw.nn.layer_norm(x, shape, scale, bias, eps)
    axes, wide = tuple(range(axis, x.ndim)), _wide(c, x)
    mean = lw.mean(wide, axis=axes, keepdims=True)
    left = wide - mean
    inverse = 1 / lw.sqrt(lw.mean(left * left, axis=axes, keepdims=True) + eps)
    y = lw.astype(left * inverse, x.dtype) * scale
    return y if bias is None else y + bias, mean, inverse


@reads("RMSNormalization")
def _rms_norm(c: Call, x: Any, scale: Any) -> Any:
    axes, wide = tuple(range(c.get("axis", -1) % x.ndim, x.ndim)), _wide(c, x)
    mean = lw.mean(wide * wide, axis=axes, keepdims=True)
    return lw.astype(wide / lw.sqrt(mean + c.get("epsilon", 1e-5)), x.dtype) * scale


@reads("LpNormalization")
def _lp_norm(c: Call, x: Any) -> Any:
    """Divide by the norm; zeros stay zeros."""
    axis = c.get("axis", -1)
    if c.get("p", 2) == 1:
        norm = lw.sum(lw.abs(x), axis=axis, keepdims=True)
    else:
        squares = lw.sum(x * x, axis=axis, keepdims=True)
        norm = lw.where(squares > 0, lw.sqrt(lw.where(squares > 0, squares, 1)), 0)
    return x / lw.where(norm == 0, 1, norm)


@reads("MeanVarianceNormalization")
def _mean_variance(c: Call, x: Any) -> Any:
    axes = tuple(c.get("axes", (0, 2, 3)))
    left = x - lw.mean(x, axis=axes, keepdims=True)
    return left / (lw.sqrt(lw.mean(left * left, axis=axes, keepdims=True)) + 1e-9)


@reads("LRN")
def _neighbours(c: Call, x: Any) -> Any:
    """Divide by a power of the sum of squares of neighbouring channels."""
    size = c.get("size")
    low, high = (size - 1) // 2, math.ceil((size - 1) / 2)
    squares = lw.pad(x * x, [(0, 0), (low, high), *[(0, 0)] * (x.ndim - 2)])
    channels = x.shape[1]
    total = squares[:, :channels]
    for i in range(1, size):
        total = total + squares[:, i : i + channels]
    return x / (c.get("bias", 1.0) + c.get("alpha", 1e-4) / size * total) ** c.get("beta", 0.75)
