"""Convolutions, in any number of dimensions and both layouts.

What is called a convolution here is the correlation of neural networks: the kernel is not turned round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...core.registry import OPS
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed, op
from ...engine.exchange.foreign import as_operands
from ...engine.shapes.extents import Shape, size_of
from ...engine.shapes.windows import Axes, Windows, convolved, transposed
from .. import elementwise as _e
from ..linear_algebra import matmul

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "conv", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "depthwise_conv2d",
]  # fmt: skip

Ints = int | Sequence[int]
Padding = int | str | Sequence[int | Sequence[int]]


# --- what the compositions share --------------------------------------------------------------------------------------


def channels_first(x: Array, axes: Axes) -> Array:
    """The array with an axis for the batch and the channels after it."""
    if axes.last:
        x = lw.moveaxis(x, -1, -1 - len(axes.spatial))
    return x if axes.batched else lw.expand_dims(x, axis=0)


def as_before(x: Array, axes: Axes) -> Array:
    """Undo `channels_first`, of a result with as many axes."""
    x = x if axes.batched else x[0]
    return lw.moveaxis(x, -1 - len(axes.spatial), -1) if axes.last else x


def padded(x: Array, pairs: Sequence[tuple[int, int]], value: Any = 0) -> Array:
    """The array with elements around its last axes."""
    if not any(map(any, pairs)):
        return x
    return lw.pad(x, ((0, 0),) * (x.ndim - len(pairs)) + tuple(pairs), constant_values=value)


@lru_cache(256)
def _places(out: int, kernel: int, stride: int, dilation: int) -> np.ndarray:
    """The places of the elements of each window, one window after the other."""
    import numpy as np

    return (np.arange(out)[:, None] * stride + np.arange(kernel) * dilation).ravel()


def along_windows(x: Array, axis: int, w: Windows, i: int) -> Array:
    """The array with two axes in the place of one: the windows, and the elements of each."""
    out, kernel = w.out[i], w.kernel[i]
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    if (kernel, w.stride[i]) != (1, 1):
        places = lw.asarray(_places(out, kernel, w.stride[i], w.dilation[i]), device=x.device)
        x = lw.take(x, places, axis=axis)
    return reshaped(x, (*before, out, kernel, *after))


def reshaped(x: Array, shape: Sequence[Any]) -> Array:
    """Reshape an array; one extent of the new shape may be unknown."""
    return lw.reshape(x, tuple([-1 if n is None else n for n in shape]))


def in_windows(x: Array, w: Windows, value: Any = 0) -> Array:
    """The windows of an array with channels first: shape (batch, channels, *kernel, *out)."""
    x = padded(x, w.around, value)
    n = len(w.kernel)
    for i in range(n):
        x = along_windows(x, 2 + 2 * i, w, i)
    order = (0, 1, *range(3, 3 + 2 * n, 2), *range(2, 2 + 2 * n, 2))
    return lw.permute_dims(x, order)


def _conv_shape(n: int | None) -> Callable[..., Shape]:
    """The shape function of a convolution with n spatial axes."""

    def shape(x: Shape, weight: Shape, bias: Shape | None = None, **options: Any) -> Shape:
        axes, w = convolved(x, weight, bias, n, **options)
        return axes.shape(weight[0], w.out)

    return shape


def _convolve(x: Array, weight: Array, bias: Array | None, n: int | None, groups: int, **options: Any) -> Array:
    """Convolve by one matrix product of the weight and the windows for each group."""
    shape = None if bias is None else bias.shape
    axes, w = convolved(x.shape, weight.shape, shape, n, groups=groups, **options)
    x = channels_first(x, axes)
    rows, columns = weight.shape[0] // groups, math.prod(weight.shape[1:])
    found = reshaped(in_windows(x, w), (x.shape[0], groups, columns, size_of(w.out)))
    y = matmul(lw.reshape(weight, (groups, rows, columns)), found)
    y = reshaped(y, (x.shape[0], weight.shape[0], *w.out))
    if bias is not None:
        y = _e.add(y, lw.reshape(bias, (-1, *(1,) * len(w.out))))
    return as_before(y, axes)


# --- convolutions -----------------------------------------------------------------------------------------------------


@op("floating", shape=_conv_shape(1))
def conv1d(
    x: Array,
    /,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int = 1,
    layout: str | None = "NCW",
) -> Array:
    """Convolve along one spatial axis.

    Parameters
    ----------
    x: shape (batch, channels, width), or without the batch; a floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    weight: shape (channels_out, channels / groups, kernel), in every layout of x.
    bias: shape (channels_out,), or None for none.
    stride: the steps from one window to the next, an int or one for each spatial axis.
    padding: zeros around x: an int, one for each spatial axis, a pair (before, after) for each, ``"valid"`` for
        none, ``"same"`` for a result of ``ceil(extent / stride)`` elements, or ``"same_lower"``, which puts the odd
        zero in front.
    dilation: the steps from one element of a window to the next.
    groups: in how many parts the channels are convolved, each with its own part of the weight.
    layout: ``"NCW"`` or ``"NWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels_out, out), in the layout of x and the common dtype of all arrays, where
    ``out = (extent + before + after - dilation * (kernel - 1) - 1) // stride + 1``.

    Raises
    ------
    ValueError: the shapes do not fit together, or a window is larger than the padded array.

    Notes
    -----
    ``y[b, o, i] = bias[o] + sum(x[b, c, i * stride + k * dilation] * weight[o, c, k])`` over c and k.
    TensorFlow's and Keras' weights have the axes (*kernel, channels_in, channels_out):
    ``lw.permute_dims(weight, (2, 1, 0))`` makes a latticework weight of theirs.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[[1.0, 2.0, 4.0, 8.0]]])
    >>> lw.nn.conv1d(x, lw.asarray([[[1.0, -1.0]]]))
    Array([[[-1., -2., -4.]]], dtype=float32)
    >>> lw.nn.conv1d(x, lw.asarray([[[1.0, 1.0]]]), lw.asarray([0.5]), stride=2, padding=[(1, 0)])
    Array([[[1.5, 6.5]]], dtype=float32)
    """
    return _convolve(x, weight, bias, 1, groups, stride=stride, padding=padding, dilation=dilation, layout=layout)


@op("floating", shape=_conv_shape(2))
def conv2d(
    x: Array,
    /,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int = 1,
    layout: str | None = "NCHW",
) -> Array:
    """Convolve along two spatial axes.

    Parameters
    ----------
    x: shape (batch, channels, height, width), or without the batch; a floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    weight: shape (channels_out, channels / groups, kernel height, kernel width), in every layout of x.
    bias: shape (channels_out,), or None for none.
    stride: the steps from one window to the next, an int or one for each spatial axis.
    padding: zeros around x: an int, one for each spatial axis, a pair (before, after) for each, ``"valid"`` for
        none, ``"same"`` for a result of ``ceil(extent / stride)`` elements, or ``"same_lower"``, which puts the odd
        zero in front.
    dilation: the steps from one element of a window to the next.
    groups: in how many parts the channels are convolved, each with its own part of the weight.
    layout: ``"NCHW"`` or ``"NHWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels_out, out height, out width), in the layout of x and the common dtype of all arrays, where
    ``out = (extent + before + after - dilation * (kernel - 1) - 1) // stride + 1``.

    Raises
    ------
    ValueError: the shapes do not fit together, or a window is larger than the padded array.

    Notes
    -----
    ``y[b, o, i] = bias[o] + sum(x[b, c, i * stride + k * dilation] * weight[o, c, k])`` over c and k.
    TensorFlow's and Keras' weights have the axes (*kernel, channels_in, channels_out):
    ``lw.permute_dims(weight, (3, 2, 0, 1))`` makes a latticework weight of theirs.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])
    >>> lw.nn.conv2d(x, lw.ones((1, 1, 2, 2)))
    Array([[[[12., 16.]]]], dtype=float32)
    >>> lw.nn.conv2d(x, lw.ones((1, 1, 2, 2)), padding="same")
    Array([[[[12., 16.,  9.],
             [ 9., 11.,  6.]]]], dtype=float32)
    """
    return _convolve(x, weight, bias, 2, groups, stride=stride, padding=padding, dilation=dilation, layout=layout)


@op("floating", shape=_conv_shape(3))
def conv3d(
    x: Array,
    /,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int = 1,
    layout: str | None = "NCDHW",
) -> Array:
    """Convolve along three spatial axes.

    Parameters
    ----------
    x: shape (batch, channels, depth, height, width), or without the batch; a floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    weight: shape (channels_out, channels / groups, *kernel), of 5 axes, in every layout of x.
    bias: shape (channels_out,), or None for none.
    stride: the steps from one window to the next, an int or one for each spatial axis.
    padding: zeros around x: an int, one for each spatial axis, a pair (before, after) for each, ``"valid"`` for
        none, ``"same"`` for a result of ``ceil(extent / stride)`` elements, or ``"same_lower"``, which puts the odd
        zero in front.
    dilation: the steps from one element of a window to the next.
    groups: in how many parts the channels are convolved, each with its own part of the weight.
    layout: ``"NCDHW"`` or ``"NDHWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels_out, *out), in the layout of x and the common dtype of all arrays, where
    ``out = (extent + before + after - dilation * (kernel - 1) - 1) // stride + 1``.

    Raises
    ------
    ValueError: the shapes do not fit together, or a window is larger than the padded array.

    Notes
    -----
    ``y[b, o, i] = bias[o] + sum(x[b, c, i * stride + k * dilation] * weight[o, c, k])`` over c and k.
    TensorFlow's and Keras' weights have the axes (*kernel, channels_in, channels_out):
    ``lw.permute_dims(weight, (4, 3, 0, 1, 2))`` makes a latticework weight of theirs.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.ones((1, 2, 3, 4, 4))
    >>> lw.nn.conv3d(x, lw.ones((5, 2, 3, 3, 3))).shape
    (1, 5, 1, 2, 2)
    >>> lw.nn.conv3d(x, lw.ones((4, 1, 1, 1, 1)), groups=2)[0, 0, 0, 0, 0]
    Array(1., dtype=float32)
    """
    return _convolve(x, weight, bias, 3, groups, stride=stride, padding=padding, dilation=dilation, layout=layout)


@op("floating", shape=_conv_shape(None))
def conv(
    x: Array,
    /,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int = 1,
    layout: str | None = None,
) -> Array:
    """Convolve along any number of spatial axes.

    Parameters
    ----------
    x: shape (batch, channels, *spatial), or without the batch; a floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    weight: shape (channels_out, channels / groups, *kernel), which says how many axes there are, in every layout of x.
    bias: shape (channels_out,), or None for none.
    stride: the steps from one window to the next, an int or one for each spatial axis.
    padding: zeros around x: an int, one for each spatial axis, a pair (before, after) for each, ``"valid"`` for
        none, ``"same"`` for a result of ``ceil(extent / stride)`` elements, or ``"same_lower"``, which puts the odd
        zero in front.
    dilation: the steps from one element of a window to the next.
    groups: in how many parts the channels are convolved, each with its own part of the weight.
    layout: None or ``"channels_first"``, ``"channels_last"``, or the letters of `conv1d`, `conv2d` and `conv3d`.

    Returns
    -------
    Shape (batch, channels_out, *out), in the layout of x and the common dtype of all arrays, where
    ``out = (extent + before + after - dilation * (kernel - 1) - 1) // stride + 1``.

    Raises
    ------
    ValueError: the shapes do not fit together, or a window is larger than the padded array.

    Notes
    -----
    ``y[b, o, i] = bias[o] + sum(x[b, c, i * stride + k * dilation] * weight[o, c, k])`` over c and k.
    PyTorch's kernels are for 1 to 3 spatial axes, TensorFlow's too; more are a product of windows there.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.ones((1, 2, 3, 3, 3, 3))
    >>> lw.nn.conv(x, lw.ones((1, 2, 2, 2, 2, 2)))[0, 0, 0, 0, 0]
    Array([32., 32.], dtype=float32)
    """
    return _convolve(x, weight, bias, None, groups, stride=stride, padding=padding, dilation=dilation, layout=layout)


@composed
def depthwise_conv2d(
    x: Array,
    /,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    layout: str | None = "NCHW",
) -> Array:
    """Convolve each channel by itself, along two spatial axes.

    Parameters
    ----------
    x: shape (batch, channels, height, width), or without the batch; a floating dtype, and integers are taken as the
        default float. Other layouts by `layout`.
    weight: shape (channels * m, 1, kernel height, kernel width): m kernels for each channel, one after the other.
    bias: shape (channels * m,), or None for none.
    stride, padding, dilation, layout: as for `conv2d`.

    Returns
    -------
    Shape (batch, channels * m, out height, out width), in the layout of x and the common dtype of all arrays.

    Raises
    ------
    ValueError: the shapes do not fit together, or a window is larger than the padded array.

    Notes
    -----
    `conv2d` with as many groups as there are channels, which is how PyTorch has it. TensorFlow's weight has the axes
    (height, width, channels, m): ``lw.reshape(lw.permute_dims(weight, (2, 3, 0, 1)), (-1, 1, height, width))`` makes
    a latticework weight of it.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[[[1.0, 2.0]], [[3.0, 4.0]]]])
    >>> lw.nn.depthwise_conv2d(x, lw.asarray([[[[1.0, 1.0]]], [[[1.0, -1.0]]]]))
    Array([[[[ 3.]],
    <BLANKLINE>
            [[-1.]]]], dtype=float32)
    """
    x, weight = as_operands(OPS["nn.depthwise_conv2d"], (x, weight))
    channels = x.shape[-1 if layout in ("NHWC", "channels_last") else -3] if x.ndim > 2 else 1
    if weight.ndim != 4 or weight.shape[1] != 1:
        raise ValueError(
            f"nn.depthwise_conv2d: weight must have shape (channels * m, 1, height, width) for {channels} channels; "
            f"got {weight.shape}"
        )
    return conv2d(x, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=channels, layout=layout)


# --- transposed -------------------------------------------------------------------------------------------------------


def _transpose_shape(n: int) -> Callable[..., Shape]:
    """The shape function of a transposed convolution with n spatial axes."""

    def shape(x: Shape, weight: Shape, bias: Shape | None = None, **options: Any) -> Shape:
        axes, w = transposed(x, weight, bias, n, **options)
        channels = None if weight[1] is None else weight[1] * options["groups"]
        return axes.shape(channels, w.out)

    return shape


def _transpose(x: Array, weight: Array, bias: Array | None, n: int, groups: int, **options: Any) -> Array:
    """A convolution of x with zeros between its elements, and of the kernel turned round."""
    shape = None if bias is None else bias.shape
    axes, w = transposed(x.shape, weight.shape, shape, n, groups=groups, **options)
    x = channels_first(x, axes)
    pairs = []
    for i in range(n):
        x = _with_gaps(x, 2 + i, w.stride[i])
        span, (low, high) = (w.kernel[i] - 1) * w.dilation[i], w.padding[i]
        pairs.append((span - low, span - high + w.extra[i]))
    crop = (..., *[slice(max(-a, 0), -max(-b, 0) or None) for a, b in pairs])
    x = x[crop] if any(min(pair) < 0 for pair in pairs) else x
    x = padded(x, [(max(a, 0), max(b, 0)) for a, b in pairs])
    y = conv(x, _turned(weight, n, groups), bias, dilation=w.dilation, groups=groups)
    return as_before(y, axes)


def _with_gaps(x: Array, axis: int, stride: int) -> Array:
    """The array with zeros between its elements along an axis."""
    if stride == 1:
        return x
    before, n, after = x.shape[:axis], x.shape[axis], x.shape[axis + 1 :]
    x = padded(lw.expand_dims(x, axis=axis + 1), [(0, stride - 1), *[(0, 0)] * len(after)])
    x = reshaped(x, (*before, n * stride, *after))
    return x[(*(slice(None),) * axis, slice(None, 1 - stride))]


def _turned(weight: Array, n: int, groups: int) -> Array:
    """Make a convolution's weight of a transposed one's: exchange channels in each group, and flip the kernel."""
    channels, rows = weight.shape[:2]
    kernel = weight.shape[2:]
    weight = lw.flip(weight, axis=tuple(range(2, 2 + n)))
    if groups == 1:
        return lw.swapaxes(weight, 0, 1)
    weight = lw.swapaxes(lw.reshape(weight, (groups, channels // groups, rows, *kernel)), 1, 2)
    return lw.reshape(weight, (groups * rows, channels // groups, *kernel))


@op("floating", shape=_transpose_shape(1))
def conv_transpose1d(
    x: Array,
    /,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Ints = 1,
    padding: Padding = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
    layout: str | None = "NCW",
) -> Array:
    """Compute the transpose of a convolution along one spatial axis: the gradient of one with respect to its operand.

    Parameters
    ----------
    x: shape (batch, channels, width), or without the batch; a floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    weight: shape (channels, channels_out / groups, *kernel), in every layout of x.
    bias: shape (channels_out,), or None for none.
    stride: the steps in the result from one element of x to the next.
    padding: how much is cut off from the result: an int, one for each spatial axis, or a pair (before, after) for
        each. ``"valid"`` for nothing, ``"same"`` for a result of ``extent * stride`` elements.
    output_padding: how many elements the result has more behind each axis: less than the stride or the dilation.
    groups: in how many parts the channels are convolved.
    dilation: the steps from one element of the kernel to the next.
    layout: ``"NCW"`` or ``"NWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels_out, *out), in the layout of x and the common dtype of all arrays, where
    ``out = (extent - 1) * stride + dilation * (kernel - 1) + 1 - before - after + output_padding``.

    Raises
    ------
    ValueError: the shapes do not fit together, or nothing would be left of the result.

    Notes
    -----
    The parameters are PyTorch's. JAX's `conv_transpose` does not turn the kernel round, unless it is told
    ``transpose_kernel``, and its padding is of the array with gaps.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.conv_transpose1d(lw.asarray([[[1.0, 2.0]]]), lw.asarray([[[1.0, 1.0, 1.0]]]), stride=2)
    Array([[[1., 1., 3., 2., 2.]]], dtype=float32)
    """
    return _transpose(
        x, weight, bias, 1, groups,
        stride=stride, padding=padding, output_padding=output_padding, dilation=dilation, layout=layout,
    )  # fmt: skip


@op("floating", shape=_transpose_shape(2))
def conv_transpose2d(
    x: Array,
    /,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Ints = 1,
    padding: Padding = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
    layout: str | None = "NCHW",
) -> Array:
    """Compute the transpose of a convolution along two spatial axes: the gradient of one with respect to its operand.

    Parameters
    ----------
    x: shape (batch, channels, height, width), or without the batch; a floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    weight: shape (channels, channels_out / groups, *kernel), in every layout of x.
    bias: shape (channels_out,), or None for none.
    stride: the steps in the result from one element of x to the next.
    padding: how much is cut off from the result: an int, one for each spatial axis, or a pair (before, after) for
        each. ``"valid"`` for nothing, ``"same"`` for a result of ``extent * stride`` elements.
    output_padding: how many elements the result has more behind each axis: less than the stride or the dilation.
    groups: in how many parts the channels are convolved.
    dilation: the steps from one element of the kernel to the next.
    layout: ``"NCHW"`` or ``"NHWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels_out, *out), in the layout of x and the common dtype of all arrays, where
    ``out = (extent - 1) * stride + dilation * (kernel - 1) + 1 - before - after + output_padding``.

    Raises
    ------
    ValueError: the shapes do not fit together, or nothing would be left of the result.

    Notes
    -----
    The parameters are PyTorch's. JAX's `conv_transpose` does not turn the kernel round, unless it is told
    ``transpose_kernel``, and its padding is of the array with gaps.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.conv_transpose2d(lw.asarray([[[[1.0, 2.0]]]]), lw.ones((1, 1, 2, 2)), stride=2)
    Array([[[[1., 1., 2., 2.],
             [1., 1., 2., 2.]]]], dtype=float32)
    """
    return _transpose(
        x, weight, bias, 2, groups,
        stride=stride, padding=padding, output_padding=output_padding, dilation=dilation, layout=layout,
    )  # fmt: skip


@op("floating", shape=_transpose_shape(3))
def conv_transpose3d(
    x: Array,
    /,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Ints = 1,
    padding: Padding = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
    layout: str | None = "NCDHW",
) -> Array:
    """Compute the transpose of a convolution along three spatial axes: the gradient of one with respect to its operand.

    Parameters
    ----------
    x: shape (batch, channels, depth, height, width), or without the batch; a floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    weight: shape (channels, channels_out / groups, *kernel), in every layout of x.
    bias: shape (channels_out,), or None for none.
    stride: the steps in the result from one element of x to the next.
    padding: how much is cut off from the result: an int, one for each spatial axis, or a pair (before, after) for
        each. ``"valid"`` for nothing, ``"same"`` for a result of ``extent * stride`` elements.
    output_padding: how many elements the result has more behind each axis: less than the stride or the dilation.
    groups: in how many parts the channels are convolved.
    dilation: the steps from one element of the kernel to the next.
    layout: ``"NCDHW"`` or ``"NDHWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels_out, *out), in the layout of x and the common dtype of all arrays, where
    ``out = (extent - 1) * stride + dilation * (kernel - 1) + 1 - before - after + output_padding``.

    Raises
    ------
    ValueError: the shapes do not fit together, or nothing would be left of the result.

    Notes
    -----
    The parameters are PyTorch's. JAX's `conv_transpose` does not turn the kernel round, unless it is told
    ``transpose_kernel``, and its padding is of the array with gaps.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.conv_transpose3d(lw.ones((1, 2, 2, 2, 2)), lw.ones((2, 3, 3, 3, 3)), stride=2, padding=1).shape
    (1, 3, 3, 3, 3)
    """
    return _transpose(
        x, weight, bias, 3, groups,
        stride=stride, padding=padding, output_padding=output_padding, dilation=dilation, layout=layout,
    )  # fmt: skip
