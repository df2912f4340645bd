"""Convolutions on TensorFlow, whose kernels for processors have the channels last, and know no groups."""

from __future__ import annotations

import itertools
import math
from typing import Any

import tensorflow as tf

from ....backend import standing_alone
from ....core.dtypes import category
from ....engine.shapes import windowed
from ....engine.shapes.windows import Axes, Windows
from ..core import COMPOSED
from ..fusion import compiled_where_large, worth
from .activations import composition_of

COMPOSED.update((f"nn.conv{n}", dtype) for n in ("", "1d", "2d", "3d") for dtype in category("complex floating"))
COMPOSED.update((f"nn.conv_transpose{n}d", dtype) for n in (1, 2, 3) for dtype in category("complex floating"))

#: The order of axes by the number of spatial ones. It is the default of TensorFlow's kernels, but some of their
#: derivatives read it from the call.
LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def _convolved(x: tf.Tensor, weight: tf.Tensor, bias: Any, axes: Axes, w: Windows, groups: int) -> tf.Tensor:
    x = padded(channels_last(x, axes), w)
    if groups > 1:
        kernel = tf.transpose(tf.reshape(weight, (groups, -1, *w.kernel)), (2, 3, 0, 1))
        y = tf.nn.depthwise_conv2d(x, kernel, (1, *w.stride, 1), "VALID", LAST[2], w.dilation)
    else:
        kernel = tf.transpose(weight, (*range(2, 2 + len(w.kernel)), 1, 0))
        y = tf.nn.convolution(x, kernel, w.stride, "VALID", LAST[len(w.kernel)], w.dilation)
    return as_before(y if bias is None else y + bias, axes)


def _has_kernel(
    x: tf.Tensor, weight: tf.Tensor, *, stride: Any = 1, dilation: Any = 1, groups: int = 1, **_: Any
) -> bool:
    """Tell whether there are elements, at most three spatial axes, no strides with dilation, and one group, or of two
    axes as many groups as channels and equal strides."""
    n = len(weight.shape) - 2
    if 0 in x.shape or not 1 <= n <= 3 or not (_is_one(stride) or _is_one(dilation)):
        return False
    if groups == 1:
        return True
    strides = {stride} if isinstance(stride, int) else {*stride}
    return n == 2 and weight.shape[1] == 1 and len(strides) == 1


def channels_first(*_: Any, layout: str | None = None, **__: Any) -> bool:
    """Tell whether the channels come before the spatial axes."""
    return layout is None or not layout.endswith("C")


def _shifted(x: tf.Tensor, weight: tf.Tensor, bias: Any, axes: Axes, w: Windows, groups: int) -> tf.Tensor:
    """Convolve groups of few channels, as the sum of the channels at all the places of the kernel.

    As a program, it goes over the array once.
    """
    x = x if axes.batched else x[None]
    x = tf.pad(x, ((0, 0), (0, 0), *w.around)) if w.pads else x
    x = tf.reshape(x, (x.shape[0], groups, 1, -1, *x.shape[2:]))
    weight = tf.reshape(weight, (groups, -1, *weight.shape[1:], *[1] * len(w.kernel)))
    y: Any = None
    for channel, *at in itertools.product(range(weight.shape[2]), *map(range, w.kernel)):
        starts = [i * d for i, d in zip(at, w.dilation, strict=True)]
        ends = [i + s * (n - 1) + 1 for i, s, n in zip(starts, w.stride, w.out, strict=True)]
        places = [slice(i, j, s) for i, j, s in zip(starts, ends, w.stride, strict=True)]
        term = x[(..., channel, *places)] * weight[(slice(None), slice(None), channel, *at)]
        y = term if y is None else y + term
    y = tf.reshape(y, (y.shape[0], -1, *w.out))
    y = y if bias is None else y + tf.reshape(bias, (-1, *[1] * len(w.kernel)))
    return y if axes.batched else y[0]


def _is_one(value: Any) -> bool:
    return value == 1 if isinstance(value, int) else all(v == 1 for v in value)


def channels_last(x: tf.Tensor, axes: Axes) -> tf.Tensor:
    """Return the array with an axis for the batch in front and the channels last."""
    x = x if axes.batched else x[None]
    return x if axes.last else tf.transpose(x, (0, *range(2, 2 + len(axes.spatial)), 1))


def as_before(x: tf.Tensor, axes: Axes) -> tf.Tensor:
    """Undo `channels_last`, for a result with as many axes."""
    n = len(axes.spatial)
    x = x if axes.last else tf.transpose(x, (0, n + 1, *range(1, n + 1)))
    return x if axes.batched else x[0]


def padded(x: tf.Tensor, w: Windows, value: Any = 0) -> tf.Tensor:
    """Return the array, channels last, with its padding around the spatial axes."""
    return tf.pad(x, ((0, 0), *w.around, (0, 0)), constant_values=value) if w.pads else x


_TRANSPOSE: dict[int, Any] = {1: tf.nn.conv1d_transpose, 2: tf.nn.conv2d_transpose, 3: tf.nn.conv3d_transpose}


def _transposed(x: tf.Tensor, weight: tf.Tensor, bias: Any, axes: Axes, w: Windows, groups: int) -> tf.Tensor:
    """Compute the whole result, then cut off the padding."""
    x, n = channels_last(x, axes), len(w.kernel)
    whole = [out + low + high for out, (low, high) in zip(w.out, w.padding, strict=True)]
    kernel = tf.transpose(weight, (*range(2, 2 + n), 1, 0))
    y = _TRANSPOSE[n](x, kernel, (tf.shape(x)[0], *whole, weight.shape[1]), w.stride, "VALID")
    y = y[(slice(None), *[slice(low, low + out) for out, (low, _) in zip(w.out, w.padding, strict=True)])]
    return as_before(y if bias is None else y + bias, axes)


def _is_plain(
    x: tf.Tensor, weight: tf.Tensor, *, output_padding: Any = 0, groups: int = 1, dilation: Any = 1, **_: Any
) -> bool:
    """Tell whether there is one group, no dilation and no padding of the result."""
    return groups == 1 and _is_one(dilation) and output_padding in (0, (0,) * (len(weight.shape) - 2))


#: The most terms of the sum for an element.
_TERMS = 49


def _is_sum(x: tf.Tensor, weight: tf.Tensor, *, groups: int = 1, **options: Any) -> bool:
    """Tell whether there are groups with so few channels and places that a sum is faster than matrix products."""
    return groups > 1 and math.prod(weight.shape[1:]) <= _TERMS and channels_first(**options)


def _convolution(n: int | None) -> Any:
    """Make a convolution by the kernel, compiled together with the moves of the channels, or by the sum."""
    native, shifted = windowed.convolution(n, _convolved), windowed.convolution(n, _shifted)
    composition = composition_of("nn.conv" if n is None else f"nn.conv{n}d")

    def as_it_is(x: tf.Tensor, weight: tf.Tensor, **options: Any) -> tf.Tensor:
        return (native if _has_kernel(x, weight, **options) else composition)(x, weight, **options)

    def compiled(x: tf.Tensor, weight: tf.Tensor, **options: Any) -> tf.Tensor:
        return (shifted if _is_sum(x, weight, **options) else native)(x, weight, **options)

    def pays(x: tf.Tensor, weight: tf.Tensor, *, groups: int = 1, **options: Any) -> bool:
        return channels_first(**options) and (groups == 1 or _is_sum(x, weight, groups=groups, **options))

    def when(x: tf.Tensor, weight: tf.Tensor, **options: Any) -> bool:
        """Tell whether there are elements, at most three spatial axes, no strides with dilation, and one group, or of
        two axes as many groups as channels and equal strides; or groups of few channels in a large array."""
        if _has_kernel(x, weight, **options):
            return True
        return not standing_alone.get() and _is_sum(x, weight, **options) and worth((x, weight)) is not None

    conv: Any = compiled_where_large(as_it_is, compiled, 2, pays, one_axis=False)
    conv.when = when
    return conv


conv, conv1d, conv2d, conv3d = (_convolution(n) for n in (None, 1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (
    windowed.transposed_convolution(n, _transposed, _is_plain) for n in (1, 2, 3)
)
