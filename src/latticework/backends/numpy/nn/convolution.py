"""Convolutions on NumPy: matrix products of the weight and a view of the windows."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ....engine.shapes import windowed
from ....engine.shapes.windows import Axes, Windows, mean_divisor

#: The most bytes of windows that are copied for one matrix product, unless one row of windows of one sample has more.
#: They stay in the processor's cache. The view of the windows takes no memory; a product needs its columns together.
WINDOW_BYTES = 1 << 20


def _convolved(x: np.ndarray, weight: np.ndarray, bias: Any, axes: Axes, w: Windows, groups: int) -> Any:
    dtype = np.result_type(x.dtype, np.float32) if x.dtype.itemsize == 2 else x.dtype
    view = windows_of(channels_first(x, axes), w)
    rows, columns = weight.shape[0] // groups, prod(weight.shape[1:])
    kernels = weight.reshape(groups, rows, columns).astype(dtype, copy=False)
    result = np.empty((view.shape[0], groups, rows, prod(w.out)), dtype)
    together = _Together(dtype)
    for samples, places, block in _blocks(view, w, dtype):
        found = together(block).reshape(block.shape[0], groups, columns, -1)
        np.matmul(kernels, found, out=result[samples, :, :, places])
    result = result.reshape(view.shape[0], weight.shape[0], *w.out)
    if bias is not None:
        result += bias.reshape(-1, *(1,) * len(w.out))
    return as_before(result.astype(x.dtype, copy=False), axes)


def channels_first(x: np.ndarray, axes: Axes) -> np.ndarray:
    """Return a view with an axis for the batch and then the channels."""
    if axes.last:
        x = np.moveaxis(x, -1, -1 - len(axes.spatial))
    return x if axes.batched else x[None]


def as_before(x: np.ndarray, axes: Axes) -> np.ndarray:
    """Undo `channels_first`, for a result with as many axes."""
    x = x if axes.batched else x[0]
    return np.moveaxis(x, -1 - len(axes.spatial), -1) if axes.last else x


def padded(x: np.ndarray, w: Windows, value: Any = 0) -> np.ndarray:
    """Return the array with its padding around the spatial axes."""
    return np.pad(x, ((0, 0), (0, 0), *w.around), constant_values=value) if w.pads else x


def windows_of(x: np.ndarray, w: Windows) -> np.ndarray:
    """Return a view of the windows: shape (batch, channels, *kernel, *out)."""
    x = padded(x, w)
    steps = x.strides[2:]
    strides = (
        *x.strides[:2],
        *[step * d for step, d in zip(steps, w.dilation, strict=True)],
        *[step * s for step, s in zip(steps, w.stride, strict=True)],
    )
    shape = (*x.shape[:2], *w.kernel, *w.out)
    return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)


class _Together:
    """Copies the elements of blocks together, one block after the other in the same memory."""

    def __init__(self, dtype: np.dtype) -> None:
        self.memory = np.empty(0, dtype)

    def __call__(self, block: np.ndarray) -> np.ndarray:
        if block.flags.c_contiguous and block.dtype == self.memory.dtype:
            return block
        if block.size > self.memory.size:
            self.memory = np.empty(block.size, self.memory.dtype)
        found = self.memory[: block.size].reshape(block.shape)
        np.copyto(found, block)
        return found


def _blocks(view: np.ndarray, w: Windows, dtype: np.dtype) -> Iterator[tuple[slice, slice, np.ndarray]]:
    """Yield parts of the windows of no more than `WINDOW_BYTES`, and their place: some samples, or some windows along
    the first spatial axis of one sample."""
    of_one = max(1, prod(view.shape[1:]) * dtype.itemsize)
    if of_one <= WINDOW_BYTES:
        step = WINDOW_BYTES // of_one
        for i in range(0, view.shape[0], step):
            yield slice(i, i + step), slice(None), view[i : i + step]
        return
    along = view.ndim - len(w.out)
    step, row = max(1, WINDOW_BYTES * view.shape[along] // of_one), prod(w.out[1:])
    for i in range(view.shape[0]):
        for j in range(0, view.shape[along], step):
            rows = (slice(i, i + 1), *(slice(None),) * (along - 1), slice(j, j + step))
            yield slice(i, i + 1), slice(j * row, (j + step) * row), view[rows]


conv, conv1d, conv2d, conv3d = (windowed.convolution(n, _convolved) for n in (None, 1, 2, 3))

# --- pooling ------------------------------------------------------------------------------------------------------
# Along one axis after the other, a pass over the array for each element of a window.


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
