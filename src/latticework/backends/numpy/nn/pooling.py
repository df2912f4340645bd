"""Pooling on NumPy: along one axis after the other, a pass over the array for each element of a window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....engine.windows import Windows, mean_divisor, pooled
from .convolution import as_before, channels_first, padded


def combined(x: np.ndarray, w: Windows, combine: np.ufunc) -> np.ndarray:
    """Combine the elements of each window, along one axis after the other. There is no copy of the windows."""
    for axis, (kernel, stride, dilation, out) in enumerate(zip(w.kernel, w.stride, w.dilation, w.out, strict=True), 2):
        parts = [
            x[(*(slice(None),) * axis, slice(i * dilation, i * dilation + (out - 1) * stride + 1, stride))]
            for i in range(kernel)
        ]
        x = combine(parts[0], parts[1]) if kernel > 1 else parts[0]
        for part in parts[2:]:
            combine(x, part, out=x)
    return x


def _max_pool(n: int) -> Callable[..., Any]:
    """Make the function for n spatial axes."""

    def max_pool(
        x: np.ndarray,
        kernel_size: Any,
        *,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        layout: str | None = None,
    ) -> Any:
        axes, w = pooled(x.shape, n, kernel_size, stride, padding, dilation, ceil_mode, layout)
        least = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
        result = combined(padded(channels_first(x, axes), w, least), w, np.maximum)
        return as_before(result, axes)

    return max_pool


def _avg_pool(n: int) -> Callable[..., Any]:
    """Make the function for n spatial axes."""

    def avg_pool(
        x: np.ndarray,
        kernel_size: Any,
        *,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        layout: str | None = None,
    ) -> Any:
        axes, w = pooled(x.shape, n, kernel_size, stride, padding, dilation, ceil_mode, layout)
        wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x
        total = combined(padded(channels_first(wide, axes), w), w, np.add)
        divisor = mean_divisor(w, axes.spatial, count_include_pad)
        result = np.divide(total, divisor, dtype=wide.dtype, casting="unsafe")
        return as_before(result.astype(x.dtype, copy=False), axes)

    return avg_pool


max_pool1d, max_pool2d, max_pool3d = (_max_pool(n) for n in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (_avg_pool(n) for n in (1, 2, 3))
