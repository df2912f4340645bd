"""Pooling on NumPy: along one axis after the other, a pass over the array for each element of a window."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engine.windows import Axes, Windows, mean_divisor
from ... import windowed
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


def _max_pool(x: np.ndarray, axes: Axes, w: Windows) -> Any:
    least = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
    return as_before(combined(padded(channels_first(x, axes), w, least), w, np.maximum), axes)


def _avg_pool(x: np.ndarray, axes: Axes, w: Windows, count_include_pad: bool = True) -> Any:
    wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x
    total = combined(padded(channels_first(wide, axes), w), w, np.add)
    divisor = mean_divisor(w, axes.spatial, count_include_pad)
    result = np.divide(total, divisor, dtype=wide.dtype, casting="unsafe")
    return as_before(result.astype(x.dtype, copy=False), axes)


max_pool1d, max_pool2d, max_pool3d = (windowed.pooling(n, _max_pool) for n in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (windowed.pooling(n, _avg_pool) for n in (1, 2, 3))
