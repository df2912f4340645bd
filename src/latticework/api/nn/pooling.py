"""Pooling: the greatest, the mean or a norm of each window, and the way back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...core.dtypes import float32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array, is_array
from ...engine.declare import op
from ...engine.plans.advice import no_array
from ...engine.shapes.extents import Shape
from ...engine.shapes.windows import Axes, Windows, axes_of, mean_divisor, per_axis, pooled, wanted_extents
from .. import elementwise as _e
from ..conversion import astype
from ..roots import power_of_sizes, root_of_sum
from ..searching import where as _where
from .convolution import Ints, Padding, along_windows, as_before, channels_first, in_windows, padded, reshaped

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "adaptive_avg_pool2d", "adaptive_max_pool2d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d",
    "lp_pool3d", "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices", "max_pool3d",
    "max_pool3d_with_indices", "max_unpool2d",
]  # fmt: skip


# --- what the compositions share --------------------------------------------------------------------------------------


def _pool_shape(n: int) -> Callable[..., Shape]:
    """The shape function of pooling over n spatial axes."""

    def shape(x: Shape, *, kernel_size: Ints, dilation: Ints = 1, count_include_pad: bool = True, **o: Any) -> Shape:
        axes, w = pooled(x, n, kernel_size, o["stride"], o["padding"], dilation, o["ceil_mode"], o["layout"])
        return axes.shape(axes.channels, w.out)

    return shape


def _least(x: Array) -> Any:
    """Return minus infinity for floats, and the least number of an integer dtype."""
    return -math.inf if x.dtype.kind == "f" else lw.iinfo(x.dtype).min


def _without_axis(x: Shape, *, axis: int) -> Shape:
    return (*x[:axis], *x[axis + 1 :])


@op("real numeric", shape=_without_axis)
def _first_greatest(x: Array, /, *, axis: int) -> Array:
    """Take the greatest along an axis, counted from the first. The first of equal ones has the derivative."""
    return lw.max(x, axis=axis)


def _max_pool(x: Array, axes: Axes, w: Windows) -> Array:
    """The greatest along one axis after the other, the last axis first: so the first of equal ones in the order of the
    elements has the derivative."""
    x = padded(channels_first(x, axes), w.around, _least(x))
    for i in reversed(range(len(w.out))):
        x = _first_greatest(along_windows(x, 2 + i, w, i), axis=3 + i)
    return as_before(x, axes)


def _avg_pool(x: Array, axes: Axes, w: Windows, count_include_pad: bool) -> Array:
    """The sum along one axis after the other, divided by how many elements there are."""
    dtype = x.dtype
    x = astype(x, float32, copy=False) if dtype.bits == 16 else x
    x = padded(channels_first(x, axes), w.around)
    for i in range(len(w.out)):
        x = lw.sum(along_windows(x, 2 + i, w, i), axis=3 + i)
    divisor = mean_divisor(w, axes.spatial, count_include_pad)
    if not isinstance(divisor, int):
        divisor = lw.asarray(divisor, dtype=x.dtype, device=x.device)
    return as_before(astype(_e.divide(x, divisor), dtype, copy=False), axes)


# --- the greatest ---------------------------------------------------------------------------------------------------


@op("real numeric", shape=_pool_shape(1))
def max_pool1d(
    x: Array,
    /,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    layout: str | None = "NCW",
) -> Array:
    """Take the greatest element of each window along one spatial axis.

    Parameters
    ----------
    x: shape (batch, channels, width), or without the batch; a real numeric dtype.
        Other layouts by `layout`.
    kernel_size: the extent of the windows, an int or one for each spatial axis.
    stride: the steps from one window to the next; None for the extent of the windows.
    padding: how many elements of padding go around x: an int, one for each spatial axis, a pair (before, after) for
        each, or ``"valid"``, ``"same"``, ``"same_lower"`` as for `conv1d`. Less than a window.
    dilation: the steps from one element of a window to the next.
    ceil_mode: whether there is one more window for elements that are left over behind.
    layout: ``"NCW"`` or ``"NWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels, *out), in the layout and the dtype of x. nan where a window has one.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Notes
    -----
    Padding counts as less than all elements. The extents are PyTorch's, and of ``"same"`` TensorFlow's.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.max_pool1d(lw.asarray([[1, 5, 2, 4, 3]]), 2)
    Array([[5, 4]], dtype=int32)
    >>> lw.nn.max_pool1d(lw.asarray([[1, 5, 2, 4, 3]]), 2, ceil_mode=True)
    Array([[5, 4, 3]], dtype=int32)
    """
    axes, w = pooled(x.shape, 1, kernel_size, stride, padding, dilation, ceil_mode, layout)
    return _max_pool(x, axes, w)


@op("real numeric", shape=_pool_shape(2))
def max_pool2d(
    x: Array,
    /,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    layout: str | None = "NCHW",
) -> Array:
    """Take the greatest element of each window along two spatial axes.

    Parameters
    ----------
    x: shape (batch, channels, height, width), or without the batch; a real numeric dtype.
        Other layouts by `layout`.
    kernel_size: the extent of the windows, an int or one for each spatial axis.
    stride: the steps from one window to the next; None for the extent of the windows.
    padding: how many elements of padding go around x: an int, one for each spatial axis, a pair (before, after) for
        each, or ``"valid"``, ``"same"``, ``"same_lower"`` as for `conv2d`. Less than a window.
    dilation: the steps from one element of a window to the next.
    ceil_mode: whether there is one more window for elements that are left over behind.
    layout: ``"NCHW"`` or ``"NHWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels, *out), in the layout and the dtype of x. nan where a window has one.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Notes
    -----
    Padding counts as less than all elements. The extents are PyTorch's, and of ``"same"`` TensorFlow's.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
    >>> lw.nn.max_pool2d(x, 2, stride=1)
    Array([[[5., 6.]]], dtype=float32)
    >>> lw.nn.max_pool2d(x, 2, padding="same")
    Array([[[5., 6.]]], dtype=float32)
    """
    axes, w = pooled(x.shape, 2, kernel_size, stride, padding, dilation, ceil_mode, layout)
    return _max_pool(x, axes, w)


@op("real numeric", shape=_pool_shape(3))
def max_pool3d(
    x: Array,
    /,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    layout: str | None = "NCDHW",
) -> Array:
    """Take the greatest element of each window along three spatial axes.

    Parameters
    ----------
    x: shape (batch, channels, depth, height, width), or without the batch; a real numeric dtype.
        Other layouts by `layout`.
    kernel_size: the extent of the windows, an int or one for each spatial axis.
    stride: the steps from one window to the next; None for the extent of the windows.
    padding: how many elements of padding go around x: an int, one for each spatial axis, a pair (before, after) for
        each, or ``"valid"``, ``"same"``, ``"same_lower"`` as for `conv3d`. Less than a window.
    dilation: the steps from one element of a window to the next.
    ceil_mode: whether there is one more window for elements that are left over behind.
    layout: ``"NCDHW"`` or ``"NDHWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels, *out), in the layout and the dtype of x. nan where a window has one.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Notes
    -----
    Padding counts as less than all elements. The extents are PyTorch's, and of ``"same"`` TensorFlow's.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.max_pool3d(lw.ones((1, 2, 4, 4, 4)), 2).shape
    (1, 2, 2, 2, 2)
    """
    axes, w = pooled(x.shape, 3, kernel_size, stride, padding, dilation, ceil_mode, layout)
    return _max_pool(x, axes, w)


def _with_indices_shape(n: int) -> Callable[..., list[Shape]]:
    def shape(x: Shape, *, kernel_size: Ints, **options: Any) -> list[Shape]:
        return [_pool_shape(n)(x, kernel_size=kernel_size, layout=None, **options)] * 2

    return shape


@op("real numeric", out=("same", "index"), shape=_with_indices_shape(1))
def max_pool1d_with_indices(
    x: Array,
    /,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
) -> tuple[Array, Array]:
    """Take the greatest element of each window along one spatial axis, and its place.

    Parameters
    ----------
    x: shape (batch, channels, width), or without the batch; a real numeric dtype.
    kernel_size, stride, padding, dilation, ceil_mode: as for `max_pool1d`.

    Returns
    -------
    A tuple of two arrays of shape (batch, channels, out width): the greatest elements, in the dtype of x, and their
    places in x, as int64. Of equal elements the first counts.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.max_pool1d_with_indices(lw.asarray([[1, 5, 2, 4, 3]]), 2)
    (Array([[5, 4]], dtype=int32), Array([[1, 3]], dtype=int64))
    """
    axes, w = pooled(x.shape, 1, kernel_size, stride, padding, dilation, ceil_mode, None)
    return _with_places(x, axes, w)


@op("real numeric", out=("same", "index"), shape=_with_indices_shape(2))
def max_pool2d_with_indices(
    x: Array,
    /,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
) -> tuple[Array, Array]:
    """Take the greatest element of each window along two spatial axes, and its place.

    Parameters
    ----------
    x: shape (batch, channels, height, width), or without the batch; a real numeric dtype.
    kernel_size, stride, padding, dilation, ceil_mode: as for `max_pool2d`.

    Returns
    -------
    A tuple of two arrays of shape (batch, channels, out height, out width): the greatest elements, in the dtype of x,
    and their places ``row * width + column`` in x, as int64. `max_unpool2d` takes both. Of equal elements the first
    counts.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.max_pool2d_with_indices(lw.asarray([[[1, 2, 3], [4, 6, 5]]]), 2, stride=1)
    (Array([[[6, 6]]], dtype=int32), Array([[[4, 4]]], dtype=int64))
    """
    axes, w = pooled(x.shape, 2, kernel_size, stride, padding, dilation, ceil_mode, None)
    return _with_places(x, axes, w)


@op("real numeric", out=("same", "index"), shape=_with_indices_shape(3))
def max_pool3d_with_indices(
    x: Array,
    /,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
) -> tuple[Array, Array]:
    """Take the greatest element of each window along three spatial axes, and its place.

    Parameters
    ----------
    x: shape (batch, channels, depth, height, width), or without the batch; a real numeric dtype.
    kernel_size, stride, padding, dilation, ceil_mode: as for `max_pool3d`.

    Returns
    -------
    A tuple of two arrays of shape (batch, channels, out depth, out height, out width): the greatest elements, in the
    dtype of x, and their places ``(level * height + row) * width + column`` in x, as int64. Of equal elements the first
    counts.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.max_pool3d_with_indices(lw.asarray([[[[1, 2], [4, 3]], [[5, 8], [7, 6]]]]), 2)
    (Array([[[[8]]]], dtype=int32), Array([[[[5]]]], dtype=int64))
    """
    axes, w = pooled(x.shape, 3, kernel_size, stride, padding, dilation, ceil_mode, None)
    return _with_places(x, axes, w)


def _with_places(x: Array, axes: Axes, w: Windows) -> tuple[Array, Array]:
    """The greatest of each window and its place in the flattened spatial axes."""
    found = in_windows(channels_first(x, axes), w, _least(x))
    n = len(w.kernel)
    found = reshaped(found, (*found.shape[:2], math.prod(w.kernel), *w.out))
    inside = place = lw.argmax(found, axis=2)
    flat: Any = None
    for i, (s, d, (low, _)) in enumerate(zip(w.stride, w.dilation, w.padding, strict=True)):
        behind = math.prod(w.kernel[i + 1 :])
        step = _e.floor_divide(place, behind) if behind > 1 else place
        place = _e.remainder(place, behind) if behind > 1 else place
        starts = lw.asarray(_starts(w.out[i], s, low), dtype=inside.dtype, device=x.device)
        starts = lw.reshape(starts, (-1, *(1,) * (n - 1 - i)))
        along = _e.add(_e.multiply(step, d) if d > 1 else step, starts)
        flat = along if flat is None else _e.add(_e.multiply(flat, axes.spatial[i]), along)
    return as_before(lw.max(found, axis=2), axes), as_before(flat, axes)


@lru_cache(256)
def _starts(n: int, stride: int, before: int) -> np.ndarray:
    """Return the positions where the windows begin."""
    import numpy as np

    return np.arange(n) * stride - before


def _unpool_shape(x: Shape, indices: Shape, *, kernel_size: Ints, stride: Any, padding: Any, output_size: Any) -> Shape:
    """Return the extents of an array that pooling would reduce to the extents of x."""
    axes = axes_of(x, 2, None)
    if len(indices) != len(x) or any(None not in (m, n) and m != n for m, n in zip(x, indices, strict=True)):
        raise ValueError(f"indices must have the shape of x, {x}; got {indices}")
    kernel = per_axis(kernel_size, 2, "kernel_size")
    steps = kernel if stride is None else per_axis(stride, 2, "stride")
    pads = per_axis(padding, 2, "padding", 0)
    out = tuple([
        None if n is None else (n - 1) * s + k - 2 * p
        for n, s, k, p in zip(axes.spatial, steps, kernel, pads, strict=True)
    ])  # fmt: skip
    if output_size is not None:
        wanted = per_axis(tuple(output_size)[-2:], 2, "output_size")
        if any(n is not None and abs(m - n) >= s for m, n, s in zip(wanted, out, steps, strict=True)):
            raise ValueError(f"output_size must be within the stride {steps} of {out}; got {output_size}")
        out = wanted
    return axes.shape(axes.channels, out)


@op("real numeric", indices="index", shape=_unpool_shape)
def max_unpool2d(
    x: Array,
    /,
    indices: Array,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Ints = 0,
    output_size: Sequence[int] | None = None,
) -> Array:
    """Put the elements that `max_pool2d_with_indices` gives back to their places, among zeros.

    Parameters
    ----------
    x, indices: shape (batch, channels, height, width), or without the batch: the elements and their places.
    kernel_size, stride, padding: those of the pooling.
    output_size: the extents of the result, where others would have been pooled to the same; None for
        ``(extent - 1) * stride + kernel_size - 2 * padding``.

    Returns
    -------
    Shape (batch, channels, *output_size), and the dtype of x. Of several elements for one place it is not said which
    stays.

    Raises
    ------
    ValueError: the shapes differ, or output_size is farther than a stride from the usual one.

    Examples
    --------
    >>> import latticework as lw
    >>> x, indices = lw.nn.max_pool2d_with_indices(lw.asarray([[[1, 2, 3, 4], [8, 7, 6, 5]]]), 2)
    >>> lw.nn.max_unpool2d(x, indices, 2)
    Array([[[0, 0, 0, 0],
            [8, 0, 6, 0]]], dtype=int32)
    """
    shape: Any = _unpool_shape(
        x.shape, indices.shape, kernel_size=kernel_size, stride=stride, padding=padding, output_size=output_size
    )
    size, planes = shape[-1] * shape[-2], math.prod(x.shape[:-2])
    first = lw.asarray(_starts(planes, size, 0), dtype=indices.dtype, device=x.device)
    places = _e.add(lw.reshape(indices, (planes, -1)), lw.expand_dims(first, axis=-1))
    result = lw.zeros(planes * size, dtype=x.dtype, device=x.device)
    result[lw.reshape(places, (-1,))] = lw.reshape(x, (-1,))
    return lw.reshape(result, shape)


# --- the mean -------------------------------------------------------------------------------------------------------


@op("floating", shape=_pool_shape(1))
def avg_pool1d(
    x: Array,
    /,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    layout: str | None = "NCW",
) -> Array:
    """Take the mean of each window along one spatial axis.

    Parameters
    ----------
    x: shape (batch, channels, width), or without the batch; a floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    kernel_size: the extent of the windows, an int or one for each spatial axis.
    stride: the steps from one window to the next; None for the extent of the windows.
    padding: how many elements of padding go around x: an int, one for each spatial axis, a pair (before, after) for
        each, or ``"valid"``, ``"same"``, ``"same_lower"`` as for `conv1d`. Less than a window.
    dilation: the steps from one element of a window to the next.
    ceil_mode: whether there is one more window for elements that are left over behind.
    count_include_pad: whether padding counts as zeros, as in PyTorch. False for the mean of the elements of x alone, as
        in TensorFlow and Keras. What `ceil_mode` adds never counts.
    layout: ``"NCW"`` or ``"NWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels, *out), in the layout and the dtype of x.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.avg_pool1d(lw.asarray([[1.0, 5.0, 2.0, 4.0]]), 2)
    Array([[3., 3.]], dtype=float32)
    >>> lw.nn.avg_pool1d(lw.asarray([[1.0, 5.0]]), 2, padding=1, count_include_pad=False)
    Array([[1., 5.]], dtype=float32)
    """
    axes, w = pooled(x.shape, 1, kernel_size, stride, padding, dilation, ceil_mode, layout)
    return _avg_pool(x, axes, w, count_include_pad)


@op("floating", shape=_pool_shape(2))
def avg_pool2d(
    x: Array,
    /,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    layout: str | None = "NCHW",
) -> Array:
    """Take the mean of each window along two spatial axes.

    Parameters
    ----------
    x: shape (batch, channels, height, width), or without the batch; a floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    kernel_size: the extent of the windows, an int or one for each spatial axis.
    stride: the steps from one window to the next; None for the extent of the windows.
    padding: how many elements of padding go around x: an int, one for each spatial axis, a pair (before, after) for
        each, or ``"valid"``, ``"same"``, ``"same_lower"`` as for `conv2d`. Less than a window.
    dilation: the steps from one element of a window to the next.
    ceil_mode: whether there is one more window for elements that are left over behind.
    count_include_pad: whether padding counts as zeros, as in PyTorch. False for the mean of the elements of x alone, as
        in TensorFlow and Keras. What `ceil_mode` adds never counts.
    layout: ``"NCHW"`` or ``"NHWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels, *out), in the layout and the dtype of x.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
    >>> lw.nn.avg_pool2d(x, 2, stride=1)
    Array([[[3., 4.]]], dtype=float32)
    """
    axes, w = pooled(x.shape, 2, kernel_size, stride, padding, dilation, ceil_mode, layout)
    return _avg_pool(x, axes, w, count_include_pad)


@op("floating", shape=_pool_shape(3))
def avg_pool3d(
    x: Array,
    /,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    layout: str | None = "NCDHW",
) -> Array:
    """Take the mean of each window along three spatial axes.

    Parameters
    ----------
    x: shape (batch, channels, depth, height, width), or without the batch; a floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    kernel_size: the extent of the windows, an int or one for each spatial axis.
    stride: the steps from one window to the next; None for the extent of the windows.
    padding: how many elements of padding go around x: an int, one for each spatial axis, a pair (before, after) for
        each, or ``"valid"``, ``"same"``, ``"same_lower"`` as for `conv3d`. Less than a window.
    dilation: the steps from one element of a window to the next.
    ceil_mode: whether there is one more window for elements that are left over behind.
    count_include_pad: whether padding counts as zeros, as in PyTorch. False for the mean of the elements of x alone, as
        in TensorFlow and Keras. What `ceil_mode` adds never counts.
    layout: ``"NCDHW"`` or ``"NDHWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels, *out), in the layout and the dtype of x.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.avg_pool3d(lw.ones((1, 2, 4, 4, 4)), 2).shape
    (1, 2, 2, 2, 2)
    """
    axes, w = pooled(x.shape, 3, kernel_size, stride, padding, dilation, ceil_mode, layout)
    return _avg_pool(x, axes, w, count_include_pad)


def _lp_shape(n: int) -> Callable[..., Shape]:
    def shape(x: Shape, *, norm: float, kernel_size: Ints, **options: Any) -> Shape:
        return _pool_shape(n)(x, kernel_size=kernel_size, **options)

    return shape


def _lp_pool(x: Array, n: int, norm: float, kernel: Ints, *windows: Any) -> Array:
    """The root of the sums of powers. `windows`: the stride, the padding, the dilation, `ceil_mode` and the layout."""
    if is_array(norm):
        raise no_array(f"nn.lp_pool{n}d", "norm", norm)
    names = ("stride", "padding", "dilation", "ceil_mode", "layout")
    options: Any = dict(zip(names, windows, strict=True))
    if norm == math.inf:
        return _MAXIMA[n](x, kernel, **options)
    mean = _MEANS[n](power_of_sizes(x, norm), kernel, **options)
    size = math.prod(per_axis(kernel, n, "kernel_size"))
    return root_of_sum(_e.multiply(mean, size), 1 / norm)


_MAXIMA = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}
_MEANS = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}


@op("real floating", shape=_lp_shape(1))
def lp_pool1d(
    x: Array,
    /,
    norm: float,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    layout: str | None = "NCW",
) -> Array:
    """Take the power mean of each window along one spatial axis, times the number of elements: for 1 the sum.

    Parameters
    ----------
    x: shape (batch, channels, width), or without the batch; a real floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    norm: the power p; infinity for the greatest element.
    kernel_size, stride, padding, dilation, ceil_mode, layout: as for `avg_pool1d`. Padding counts as zeros, and for the
        greatest element not at all.

    Returns
    -------
    Shape (batch, channels, *out), in the layout and the dtype of x.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Notes
    -----
    ``sum(x ** p) ** (1 / p)``, as in PyTorch: of negative sums nan. (ONNX takes ``abs(x) ** p``: give lw.abs(x).) Of an
    incomplete window of `ceil_mode`, the mean of its elements is multiplied by the size of a complete one, which is
    PyTorch's, too.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.lp_pool1d(lw.asarray([[3.0, 4.0, 0.0]]), 2, 2, stride=1)
    Array([[5., 4.]], dtype=float32)
    >>> lw.nn.lp_pool1d(lw.asarray([[3.0, 4.0, 0.0]]), 1, 2, padding=1)
    Array([[3., 4.]], dtype=float32)
    """
    return _lp_pool(x, 1, norm, kernel_size, stride, padding, dilation, ceil_mode, layout)


@op("real floating", shape=_lp_shape(2))
def lp_pool2d(
    x: Array,
    /,
    norm: float,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    layout: str | None = "NCHW",
) -> Array:
    """Take the power mean of each window along two spatial axes, times the number of elements: for 1 the sum.

    Parameters
    ----------
    x: shape (batch, channels, height, width), or without the batch; a real floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    norm: the power p; infinity for the greatest element.
    kernel_size, stride, padding, dilation, ceil_mode, layout: as for `avg_pool2d`. Padding counts as zeros, and for the
        greatest element not at all.

    Returns
    -------
    Shape (batch, channels, *out), in the layout and the dtype of x.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Notes
    -----
    ``sum(x ** p) ** (1 / p)``, as in PyTorch: of negative sums nan. (ONNX takes ``abs(x) ** p``: give lw.abs(x).) Of an
    incomplete window of `ceil_mode`, the mean of its elements is multiplied by the size of a complete one, which is
    PyTorch's, too.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.lp_pool2d(lw.asarray([[[3.0, 4.0, 0.0], [0.0, 0.0, 0.0]]]), 2, 2, stride=1)
    Array([[[5., 4.]]], dtype=float32)
    """
    return _lp_pool(x, 2, norm, kernel_size, stride, padding, dilation, ceil_mode, layout)


@op("real floating", shape=_lp_shape(3))
def lp_pool3d(
    x: Array,
    /,
    norm: float,
    kernel_size: Ints,
    *,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    layout: str | None = "NCDHW",
) -> Array:
    """Take the power mean of each window along three spatial axes, times the number of elements: for 1 the sum.

    Parameters
    ----------
    x: shape (batch, channels, depth, height, width), or without the batch; a real floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    norm: the power p; infinity for the greatest element.
    kernel_size, stride, padding, dilation, ceil_mode, layout: as for `avg_pool3d`. Padding counts as zeros, and for the
        greatest element not at all.

    Returns
    -------
    Shape (batch, channels, *out), in the layout and the dtype of x.

    Raises
    ------
    ValueError: a window is larger than the padded array, or padding is as large as a window.

    Notes
    -----
    ``sum(x ** p) ** (1 / p)``, as in PyTorch: of negative sums nan. (ONNX takes ``abs(x) ** p``: give lw.abs(x).) Of an
    incomplete window of `ceil_mode`, the mean of its elements is multiplied by the size of a complete one, which is
    PyTorch's, too.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.lp_pool3d(lw.ones((1, 1, 2, 2, 2)), 3, 2)
    Array([[[[[2.]]]]], dtype=float32)
    """
    return _lp_pool(x, 3, norm, kernel_size, stride, padding, dilation, ceil_mode, layout)


# --- to extents that are requested ------------------------------------------------------------------------------------


@lru_cache(256)
def _parts(n: int, out: int) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Return the places of the elements of each part of an axis, which of them are in the part, and the parts' sizes.

    Part i goes from ``floor(i * n / out)`` to ``ceil((i + 1) * n / out)``.
    """
    import numpy as np

    i = np.arange(out)
    start, stop = i * n // out, -((i + 1) * -n // out)
    size = stop - start
    place = start[:, None] + np.arange(size.max())
    own = place < stop[:, None]
    return np.minimum(place, stop[:, None] - 1).ravel(), None if own.all() else own, size


def in_parts(x: Array, axis: int, out: int, reduce: str) -> Array:
    """The mean or the greatest of each part of an axis, as many as requested."""
    n = x.shape[axis]
    if n == out:
        return x
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    places, own, size = _parts(n, out)
    if len(places) != n:  # parts overlap, or have different sizes
        x = lw.take(x, lw.asarray(places, device=x.device), axis=axis)
    x = reshaped(x, (*before, out, len(places) // out, *after))
    if reduce == "max":
        return _first_greatest(x, axis=axis + 1)
    if own is not None:
        mask = lw.asarray(own.reshape(*own.shape, *(1,) * len(after)), device=x.device)
        x = _where(mask, x, 0.0)
    total = lw.sum(x, axis=axis + 1)
    divisor = lw.asarray(size.reshape(-1, *(1,) * len(after)), dtype=x.dtype, device=x.device)
    return _e.divide(total, int(size[0]) if own is None else divisor)


def _adaptive_shape(x: Shape, *, output_size: Any, layout: str | None) -> Shape:
    axes = axes_of(x, 2, layout)
    return axes.shape(axes.channels, wanted_extents(axes.spatial, output_size))


def adaptive(x: Array, axes: Axes, output_size: Any, reduce: str) -> Array:
    """The mean or the greatest of parts of all spatial axes."""
    dtype = x.dtype
    x = astype(x, float32, copy=False) if dtype.bits == 16 and reduce == "mean" else x
    x = channels_first(x, axes)
    extents = wanted_extents(axes.spatial, output_size)
    for i in reversed(range(len(extents))) if reduce == "max" else range(len(extents)):  # as in `_max_pool`
        x = in_parts(x, 2 + i, extents[i], reduce)
    return as_before(astype(x, dtype, copy=False), axes)


@op("real floating", shape=_adaptive_shape)
def adaptive_avg_pool2d(x: Array, /, output_size: int | Sequence[int | None], *, layout: str | None = "NCHW") -> Array:
    """Take the mean of so many parts along two spatial axes that the result has the requested extents.

    Parameters
    ----------
    x: shape (batch, channels, height, width), or without the batch; a real floating dtype, and integers
        are taken as the default float. Other layouts by `layout`.
    output_size: the extents of the result, an int or one for each spatial axis; None for that of x.
    layout: ``"NCHW"`` or ``"NHWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels, *output_size), in the layout and the dtype of x.

    Raises
    ------
    ValueError: there are no elements along a spatial axis, or an extent of the result is less than 1.

    Notes
    -----
    Part i of an axis goes from ``floor(i * extent / out)`` to ``ceil((i + 1) * extent / out)``, as in PyTorch; parts
    may overlap.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.adaptive_avg_pool2d(lw.asarray([[[1.0, 2.0, 6.0, 3.0]]]), (1, 2))
    Array([[[1.5, 4.5]]], dtype=float32)
    >>> lw.nn.adaptive_avg_pool2d(lw.asarray([[[1.0, 2.0, 6.0]]]), (None, 2))
    Array([[[1.5, 4. ]]], dtype=float32)
    """
    return adaptive(x, axes_of(x.shape, 2, layout), output_size, "mean")


@op("real numeric", shape=_adaptive_shape)
def adaptive_max_pool2d(x: Array, /, output_size: int | Sequence[int | None], *, layout: str | None = "NCHW") -> Array:
    """Take the greatest of so many parts along two spatial axes that the result has the requested extents.

    Parameters
    ----------
    x: shape (batch, channels, height, width), or without the batch; a real numeric dtype.
        Other layouts by `layout`.
    output_size: the extents of the result, an int or one for each spatial axis; None for that of x.
    layout: ``"NCHW"`` or ``"NHWC"``; ``"channels_first"`` and ``"channels_last"`` say the same.

    Returns
    -------
    Shape (batch, channels, *output_size), in the layout and the dtype of x.

    Raises
    ------
    ValueError: there are no elements along a spatial axis, or an extent of the result is less than 1.

    Notes
    -----
    Part i of an axis goes from ``floor(i * extent / out)`` to ``ceil((i + 1) * extent / out)``, as in PyTorch; parts
    may overlap.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.adaptive_max_pool2d(lw.asarray([[[1.0, 2.0, 6.0, 3.0]]]), (1, 2))
    Array([[[2., 6.]]], dtype=float32)
    >>> lw.nn.adaptive_max_pool2d(lw.asarray([[[1.0, 2.0, 6.0]]]), (None, 2))
    Array([[[2., 6.]]], dtype=float32)
    """
    return adaptive(x, axes_of(x.shape, 2, layout), output_size, "max")
