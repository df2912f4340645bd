"""Losses on NumPy, part by part: there is no array of the size of the predictions besides."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ....core.dtypes import bfloat16, float16
from ..core import COMPOSED
from .blocks import BLOCK, constant, elementwise, parts, row_sums

COMPOSED.update((f"nn.{name}", dtype) for name in ("cross_entropy", "huber_loss") for dtype in (bfloat16, float16))


def huber_loss(x: Any, target: Any, *, delta: float = 1.0, reduction: str = "mean") -> Any:
    apart = np.subtract(x, target)
    loss = elementwise(apart, partial(_huber_block, constant(apart, delta)), 1)
    return loss if reduction == "none" else np.mean(loss) if reduction == "mean" else np.sum(loss)


def _huber_block(delta: Any, apart: Any, out: Any, near: Any) -> None:
    size = np.abs(apart, out=out)
    np.minimum(size, delta[: size.size], out=near)
    size -= np.multiply(near, near.dtype.type(0.5))
    size *= near


def _is_large(x: Any, target: Any, *, delta: float = 1.0, reduction: str = "mean") -> bool:
    """Tell whether x and target have the same shape and many elements, and there is such a reduction."""
    return x.shape == target.shape and x.size > BLOCK // 8 and reduction in ("mean", "sum", "none")


huber_loss.when = _is_large  # type: ignore[attr-defined]


def cross_entropy(
    logits: Any,
    target: Any,
    *,
    weight: Any = None,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    axis: int | None = None,
    reduction: str = "mean",
) -> Any:
    loss = np.empty(logits.shape[0], logits.dtype)
    numbers = target.ndim == 1
    for part in parts(logits, (1,)):
        rows = np.subtract(logits[part], np.max(logits[part], axis=1, keepdims=True))
        if numbers:
            counts = target[part] != ignore_index
            own = np.take_along_axis(rows, np.where(counts, target[part], 0)[:, None], axis=1)[:, 0]
        else:
            shares = target[part].astype(rows.dtype, copy=False)
            with np.errstate(invalid="ignore"):
                own, total = np.vecdot(shares, rows), row_sums(shares)[:, 0]
            if not np.all(np.isfinite(own)):  # of a share of 0 it is 0, also where the logit is -inf
                own = np.sum(np.multiply(shares, rows, out=np.zeros_like(rows), where=shares != 0), axis=1)
        logarithm = np.log(row_sums(np.exp(rows, out=rows)))[:, 0]
        loss[part] = np.where(counts, logarithm - own, 0) if numbers else logarithm * total - own
    if reduction == "none":
        return loss
    total = np.sum(loss)
    if reduction == "sum":
        return total
    with np.errstate(invalid="ignore"):
        return total / loss.dtype.type(np.count_nonzero(target != ignore_index) if numbers else loss.size)


def _is_plain(
    logits: Any, target: Any, *, weight: Any = None, label_smoothing: float = 0.0, axis: Any = None, **options: Any
) -> bool:
    """Tell whether the categories are along the last of two axes, there are neither weights nor smoothing, and the
    targets are numbers, or probabilities of the predictions' shape."""
    if logits.ndim != 2 or axis not in (None, 1, -1) or weight is not None or label_smoothing or not logits.size:
        return False
    if options.get("reduction", "mean") not in ("mean", "sum", "none"):
        return False
    if target.dtype.kind in "iu":
        return bool(target.shape == logits.shape[:1])
    return bool(target.dtype.kind == "f" and target.shape == logits.shape)


cross_entropy.when = _is_plain  # type: ignore[attr-defined]
