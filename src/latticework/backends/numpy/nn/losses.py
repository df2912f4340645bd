"""Losses on NumPy, part by part: there is no further array of the size of the predictions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ....core.dtypes import bfloat16, float16
from ..core import COMPOSED
from .blocks import BLOCK, FEW, constant, elementwise, parts, row_sums

COMPOSED.update(
    (f"nn.{name}", dtype)
    for name in ("cosine_similarity", "cross_entropy", "huber_loss")
    for dtype in (bfloat16, float16)
)


def huber_loss(x: Any, target: Any, *, delta: float = 1.0, reduction: str = "mean") -> Any:
    if reduction == "none":
        apart = np.subtract(x, target)
        return elementwise(apart, partial(_huber_block, constant(apart, delta)), 1)
    total = x.dtype.type(sum(_huber_sums(np.ravel(x), np.ravel(target), delta)))
    return total / x.dtype.type(x.size) if reduction == "mean" else total


def _huber_block(delta: Any, apart: Any, out: Any, near: Any) -> None:
    size = np.abs(apart, out=out)
    np.minimum(size, delta[: size.size], out=near)
    size -= np.multiply(near, near.dtype.type(0.5))
    size *= near


#: The number of products that one call of BLAS adds, so few that the sum is as precise as NumPy's.
_ROW = 1 << 12


def _huber_sums(x: Any, target: Any, delta: float) -> Iterator[float]:
    """Yield the sums of the losses block by block. With the part of a distance that is near, at most delta, a loss is
    ``distance * near - near**2 / 2``: sums of products, which need no array."""
    bound = constant(x, delta)
    memory = np.empty((2, bound.size), x.dtype)
    for start in range(0, x.size, bound.size):
        part = slice(start, start + bound.size)
        size, near = memory[:, : x[part].size]
        np.subtract(x[part], target[part], size)
        np.abs(size, size)
        np.minimum(size, bound[: size.size], out=near)
        yield _sum_of_products(size, near) - 0.5 * _sum_of_products(near, near)


def _sum_of_products(x: Any, y: Any) -> float:
    whole = x.size - x.size % _ROW
    total = sum(np.vecdot(x[:whole].reshape(-1, _ROW), y[:whole].reshape(-1, _ROW)).tolist())
    return float(total + (np.vecdot(x[whole:], y[whole:]) if whole < x.size else 0))


def _is_large(x: Any, target: Any, *, delta: float = 1.0, reduction: str = "mean") -> bool:
    """Tell whether x and target have the same shape and many elements, and there is such a reduction."""
    return x.shape == target.shape and x.size > BLOCK // 8 and reduction in ("mean", "sum", "none")


huber_loss.when = _is_large  # type: ignore[attr-defined]


def cosine_similarity(x1: Any, x2: Any, *, axis: int = 1, eps: float = 1e-8) -> Any:
    sizes = (np.maximum(np.sqrt(np.vecdot(x, x)), x.dtype.type(eps)) for x in (x1, x2))
    return np.vecdot(x1, x2) / next(sizes) / next(sizes)


def _are_rows(x1: Any, x2: Any, *, axis: Any = 1, eps: float = 1e-8) -> bool:
    """Tell whether both have the same shape, and vectors of some elements, not too many, along the last axis."""
    if x1.shape != x2.shape or x1.ndim < 2 or axis not in (-1, x1.ndim - 1):
        return False
    return 0 < x1.shape[-1] <= FEW and x1.size > 0


cosine_similarity.when = _are_rows  # type: ignore[attr-defined]


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
            if not np.all(np.isfinite(own)):  # for a share of 0 it is 0, also where the logit is -inf
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
