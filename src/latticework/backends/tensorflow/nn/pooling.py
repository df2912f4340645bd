"""Pooling on TensorFlow, whose kernels for processors have the channels last. Padding is put around beforehand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from ....core.dtypes import category, float16, float64, uint32, uint64
from ....engine.windows import mean_divisor, pooled
from ..core import COMPOSED
from .convolution import as_before, channels_last, padded

COMPOSED.update((f"nn.max_pool{n}d", dtype) for n in (1, 2, 3) for dtype in (uint32, uint64))
COMPOSED.update(("nn.max_pool3d", dtype) for dtype in (float16, float64, *category("integral")))
COMPOSED.update(("nn.avg_pool3d", dtype) for dtype in (float16, float64))
COMPOSED.update((f"nn.avg_pool{n}d", dtype) for n in (1, 2, 3) for dtype in category("complex floating"))


def _is_dense(x: tf.Tensor, kernel_size: Any, *, dilation: Any = 1, **_: Any) -> bool:
    """Tell whether there is no dilation and there are elements."""
    return 0 not in x.shape and (dilation == 1 if isinstance(dilation, int) else all(d == 1 for d in dilation))


def _max_pool(n: int) -> Callable[..., tf.Tensor]:
    """Make the function for n spatial axes."""

    def max_pool(
        x: tf.Tensor,
        kernel_size: Any,
        *,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        layout: str | None = None,
    ) -> tf.Tensor:
        axes, w = pooled(tuple(x.shape), n, kernel_size, stride, padding, dilation, ceil_mode, layout)
        least = -math.inf if x.dtype.is_floating else x.dtype.min
        x = padded(channels_last(x, axes), w, least)
        return as_before(tf.nn.max_pool(x, w.kernel, w.stride, "VALID"), axes)

    max_pool.when = _is_dense  # type: ignore[attr-defined]
    return max_pool


def _avg_pool(n: int) -> Callable[..., tf.Tensor]:
    """Make the function for n spatial axes."""

    def avg_pool(
        x: tf.Tensor,
        kernel_size: Any,
        *,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        layout: str | None = None,
    ) -> tf.Tensor:
        axes, w = pooled(tuple(x.shape), n, kernel_size, stride, padding, dilation, ceil_mode, layout)
        y = tf.nn.avg_pool(padded(channels_last(x, axes), w), w.kernel, w.stride, "VALID")
        divisor = mean_divisor(w, axes.spatial, count_include_pad)
        if not isinstance(divisor, int):
            y = y * tf.constant(math.prod(w.kernel) / divisor[..., None], y.dtype)
        return as_before(y, axes)

    avg_pool.when = _is_dense  # type: ignore[attr-defined]
    return avg_pool


max_pool1d, max_pool2d, max_pool3d = (_max_pool(n) for n in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (_avg_pool(n) for n in (1, 2, 3))
