"""Resampling on TensorFlow, whose kernel is for two spatial axes and channels last."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from ....engine.resampling import Resize, resized
from ....engine.windows import Axes, axes_of
from ..fusion import compiled_where_large
from .compositions import composition_of
from .convolution import as_before, channels_first, channels_last


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
