"""Pooling on TensorFlow, whose kernels for processors have the channels last. Padding is put around beforehand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from ....backend.slopes import own_slopes as _own_slopes
from ....core.dtypes import category, float16, float64, uint32, uint64
from ....engine.shapes import windowed
from ....engine.shapes.resampling import Resize, resized
from ....engine.shapes.windows import Axes, Windows, axes_of, mean_divisor
from ..core import COMPOSED, custom_gradient, recorded
from ..fusion import compiled_where_large
from ..statistical import max as _max
from .activations import composition_of
from .convolution import LAST, as_before, channels_first, channels_last, padded

COMPOSED.update((f"nn.max_pool{n}d", dtype) for n in (1, 2, 3) for dtype in (uint32, uint64))
COMPOSED.update(("nn.max_pool3d", dtype) for dtype in (float16, float64, *category("integral")))
COMPOSED.update(("nn.avg_pool3d", dtype) for dtype in (float16, float64))
COMPOSED.update((f"nn.avg_pool{n}d", dtype) for n in (1, 2, 3) for dtype in category("complex floating"))


def _is_dense(x: tf.Tensor, kernel_size: Any, *, dilation: Any = 1, **_: Any) -> bool:
    """Tell whether there is no dilation and there are elements."""
    return 0 not in x.shape and (dilation == 1 if isinstance(dilation, int) else all(d == 1 for d in dilation))


def _max_pool(x: tf.Tensor, axes: Axes, w: Windows) -> tf.Tensor:
    least = -math.inf if x.dtype.is_floating else x.dtype.min
    x = padded(channels_last(x, axes), w, least)
    found = _greatest(x, w)
    if x.dtype.is_floating:  # TensorFlow's kernel passes over nan
        beside = _greatest(tf.cast(tf.math.is_nan(x), x.dtype), w) > 0
        found = tf.where(beside, tf.constant(math.nan, x.dtype), found)
    return as_before(found, axes)


def _greatest(x: tf.Tensor, w: Windows) -> tf.Tensor:
    """Find the greatest numbers of the windows of an array, whose channels are last."""
    if len(w.kernel) < 3:
        return tf.nn.max_pool(x, w.kernel, w.stride, "VALID", LAST[len(w.kernel)])
    return _max_pool_planes(x, w.kernel, w.stride)


def _greatest_along(x: tf.Tensor, *, axis: int) -> tf.Tensor:
    return _max(x, axis=axis)


def _first_greatest(x: tf.Tensor, *, axis: int) -> tf.Tensor:
    """Take the greatest along an axis. The first of equal ones has the derivative, in the kernel all of them."""
    return _differentiable_greatest(x, axis) if recorded() else _max(x, axis=axis)


def _differentiable_greatest(x: tf.Tensor, axis: int) -> tf.Tensor:
    @custom_gradient
    def taken(x: tf.Tensor) -> Any:
        def back(g: tf.Tensor) -> tf.Tensor:
            here = tf.one_hot(tf.argmax(x, axis), tf.shape(x)[axis], True, False, axis, tf.bool)
            return tf.where(here, tf.expand_dims(g, axis), tf.zeros((), g.dtype))

        return _max(x, axis=axis), back

    return taken(x)


_own_slopes(_first_greatest, _greatest_along)
COMPOSED.update(("nn._first_greatest", dtype) for dtype in category("integral"))


def _max_pool_planes(x: tf.Tensor, kernel: Sequence[int], stride: Sequence[int]) -> tf.Tensor:
    """Pool each plane, and then along the first axis: MaxPool3D's derivative gives each of equal elements the whole."""
    count, depth, height, width, channels = _each_extent(x)
    x = tf.reshape(x, (count * depth, height, width, channels))
    x = tf.nn.max_pool2d(x, kernel[1:], stride[1:], "VALID")
    _, height, width, _ = _each_extent(x)
    x = tf.reshape(x, (count, depth, height * width, channels))
    x = tf.nn.max_pool2d(x, (kernel[0], 1), (stride[0], 1), "VALID")
    return tf.reshape(x, (count, -1, height, width, channels))


def _each_extent(x: tf.Tensor) -> list[Any]:
    """Return the extents, each a tensor where TensorFlow will know it only at run time."""
    size = tf.shape(x)
    return [size[i] if extent is None else extent for i, extent in enumerate(x.shape)]


def _avg_pool(x: tf.Tensor, axes: Axes, w: Windows, count_include_pad: bool = True) -> tf.Tensor:
    y = tf.nn.avg_pool(padded(channels_last(x, axes), w), w.kernel, w.stride, "VALID", LAST[len(w.kernel)])
    divisor = mean_divisor(w, axes.spatial, count_include_pad)
    if not isinstance(divisor, int):
        y = y * tf.constant(math.prod(w.kernel) / divisor[..., None], y.dtype)
    return as_before(y, axes)


def _pooling(name: str, n: int, kernel: windowed.Pooling) -> Any:
    """Make pooling by a kernel, or by the composition as a program if channels come first: the kernel moves them."""
    native = windowed.pooling(n, kernel, _is_dense)
    pool: Any = compiled_where_large(native, composition_of(f"nn.{name}{n}d"), 1, channels_first)
    pool.when = _is_dense
    return pool


max_pool1d, max_pool2d, max_pool3d = (_pooling("max_pool", n, _max_pool) for n in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (_pooling("avg_pool", n, _avg_pool) for n in (1, 2, 3))

# --- resampling ---------------------------------------------------------------------------------------------------
# TensorFlow's kernel is for two spatial axes and channels last.


def _read(x: tf.Tensor, size: Any, layout: str | None, options: dict[str, Any]) -> tuple[Axes, Resize]:
    axes = axes_of(tuple(x.shape), max(len(x.shape) - 2, 1), layout)
    return axes, resized(axes.spatial, size, **options)


_METHODS = {"linear": "bilinear", "cubic": "bicubic"}


def _resized(x: tf.Tensor, *, size: Any = None, layout: str | None = None, **options: Any) -> tf.Tensor:
    axes, r = _read(x, size, layout, options)
    method = _METHODS.get(r.mode, r.mode)
    y = tf.image.resize(channels_last(x, axes), r.out, method, antialias=r.antialias)
    return as_before(y, axes)


def _has_method(x: tf.Tensor, *, size: Any = None, layout: str | None = None, **options: Any) -> bool:
    """Tell whether x is float32 with two spatial axes, the mode is linear, lanczos3, lanczos5, gaussian, mitchellcubic,
    or cubic with antialias and a coefficient of -0.5, the border is renormalized, the corners are not aligned, and the
    places follow from the extents.

    The cubic kernel without antialias is read from a table of 1024 numbers, which is too coarse.
    """
    if len(x.shape) != 4 or x.dtype != tf.float32 or None in x.shape or 0 in x.shape:
        return False
    _, r = _read(x, size, layout, options)
    if r.align_corners or r.border != "renormalize" or any(ratio is not None for ratio in r.ratios):
        return False
    if r.mode == "cubic":
        return r.antialias and r.coefficient == -0.5
    return r.mode in ("linear", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")


interpolate: Any = compiled_where_large(_resized, composition_of("nn.interpolate"), 1, channels_first)
interpolate.when = _has_method
