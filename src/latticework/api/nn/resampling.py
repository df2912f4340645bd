"""Resampling: other extents, patches, and elements at any place."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...core.dtypes import float32, int32, int64
from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import op
from ...engine.shapes.extents import Shape, as_int, check_word, size_of
from ...engine.shapes.resampling import Resize, in_order, resized, taps
from ...engine.shapes.windows import Axes, Windows, axes_of, number_of_axes, per_axis, windows
from .. import elementwise as _e
from ..conversion import astype
from ..linear_algebra import matmul
from .convolution import Ints, Padding, as_before, channels_first, in_windows, padded, reshaped
from .pooling import in_parts

if TYPE_CHECKING:
    import numpy as np

__all__ = ["affine_grid", "fold", "grid_sample", "interpolate", "pixel_shuffle", "pixel_unshuffle", "unfold"]

Size = int | Sequence[int] | None
Scale = float | Sequence[float] | None


# --- interpolation ----------------------------------------------------------------------------------------------------


def resize_of(x: Shape, size: Size, layout: str | None, **options: Any) -> tuple[Axes, Resize]:
    """Read the shape and the options of a call."""
    axes = axes_of(x, max(len(x) - 2, 1), layout)
    return axes, resized(axes.spatial, size, **options)


def _interpolate_shape(x: Shape, *, size: Size = None, layout: str | None, **options: Any) -> Shape:
    axes, r = resize_of(x, size, layout, **options)
    return axes.shape(axes.channels, r.out)


@op("real floating", shape=_interpolate_shape)
def interpolate(
    x: Array,
    /,
    size: Size = None,
    *,
    scale: Scale = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    antialias: bool = False,
    coefficient: float | None = None,
    border: str | None = None,
    recompute: bool = False,
    layout: str | None = None,
) -> Array:
    """Resize an array along all of its spatial axes, of which there may be any number.

    Parameters
    ----------
    x: shape (batch, channels, *spatial), a real floating dtype; integers are taken as the default float. Another
        layout by `layout`.
    size: the extents of the result, an int or one for each spatial axis.
    scale: instead of size, by how much the extents are multiplied, a number or one for each spatial axis: the result
        has ``floor(extent * scale)`` elements.
    mode: ``"nearest"``, ``"nearest-exact"``, ``"linear"`` (also ``"bilinear"``, ``"trilinear"``), ``"cubic"`` (also
        ``"bicubic"``), ``"area"``, ``"area-exact"``, ``"lanczos3"``, ``"lanczos5"``, ``"gaussian"`` or
        ``"mitchellcubic"``.
    align_corners: whether the centers of the first and the last elements stay where they are. Else the edges of the
        array do: element i of the result lies at ``(i + 0.5) * extent / size - 0.5``.
    antialias: whether the kernel becomes wider where the result has fewer elements.
    coefficient: that of the cubic kernel. None for -0.75, and with antialias for -0.5, as in PyTorch; Keys' is -0.5.
    border: what is taken for elements beyond x: ``"clamp"`` for the nearest of x, ``"renormalize"`` for none, so that
        the other weights sum to 1. None for ``"clamp"`` in cubic mode without antialias, else ``"renormalize"``.
    recompute: whether the places follow from the extents of the result, and not from `scale` itself.
    layout: None or ``"channels_first"``, ``"channels_last"``, or the letters of `conv1d`, `conv2d` and `conv3d`.

    Returns
    -------
    Shape (batch, channels, *size), in the layout and the dtype of x.

    Raises
    ------
    ValueError: both or none of size and scale, an unknown mode, or an option that the mode has not.

    Notes
    -----
    Each element is a sum of elements of x by the weights of a kernel, along one axis after the other. What the
    frameworks compute, in these words:

    ====================================================  =========================================================
    PyTorch ``nearest``, ``nearest-exact``, ``area``      the same modes
    PyTorch ``linear``, ``bilinear``, ``trilinear``       ``"linear"``
    PyTorch ``bicubic``                                   ``"cubic"``
    JAX ``nearest``, TensorFlow ``nearest``               ``"nearest-exact"``
    JAX ``linear``                                        ``"linear"``, antialias=True
    JAX ``cubic``                                         ``"cubic"``, antialias=True
    JAX ``cubic`` with antialias=False, TensorFlow's      ``"cubic"``, coefficient=-0.5, border="renormalize"
    JAX and TensorFlow ``lanczos3``, ``lanczos5``         the same modes; antialias is True in JAX where it is left out
    TensorFlow ``gaussian``, ``mitchellcubic``            the same modes
    TensorFlow ``area``                                   ``"area-exact"``: elements count by how much is in the part
    SciPy ``ndimage.zoom`` with order=1                   ``"linear"``, align_corners=True
    ====================================================  =========================================================

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[[1.0, 3.0]]])
    >>> lw.nn.interpolate(x, 4)
    Array([[[1., 1., 3., 3.]]], dtype=float32)
    >>> lw.nn.interpolate(x, scale=2, mode="linear")
    Array([[[1. , 1.5, 2.5, 3. ]]], dtype=float32)
    >>> lw.nn.interpolate(x, 3, mode="linear", align_corners=True)
    Array([[[1., 2., 3.]]], dtype=float32)
    """
    axes, r = resize_of(
        x.shape, size, layout, scale=scale, mode=mode, align_corners=align_corners, antialias=antialias,
        coefficient=coefficient, border=border, recompute=recompute,
    )  # fmt: skip
    dtype = x.dtype
    x = channels_first(x, axes)
    if dtype.bits == 16 and not r.mode.startswith("nearest"):
        x = astype(x, float32)
    for i in in_order(axes.spatial, r):
        n, out = axes.spatial[i], r.out[i]
        if r.mode == "area":
            x = in_parts(x, 2 + i, out, "mean")
        elif n != out or r.ratios[i] not in (None, 1.0) or r.mode in ("gaussian", "mitchellcubic"):
            x = _weighted(x, 2 + i, *taps(n, i, r))
    return as_before(astype(x, dtype, copy=False), axes)


#: Up to this many elements are taken and added one by one, which takes no memory beside the result's.
_FEW = 8


def _weighted(x: Array, axis: int, places: Any, weights: Any) -> Array:
    """Sums of elements along an axis by their weights."""
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    if weights is None:
        return lw.take(x, lw.asarray(places.ravel(), device=x.device), axis=axis)
    weights = weights.reshape(*weights.shape, *(1,) * len(after))
    if places.shape[1] <= _FEW:
        terms = [_term(x, axis, places[:, k], weights[:, k]) for k in range(places.shape[1])]
        return functools.reduce(_e.add, terms)
    x = lw.take(x, lw.asarray(places.ravel(), device=x.device), axis=axis)
    x = reshaped(x, (*before, *places.shape, *after))
    return lw.sum(_e.multiply(x, lw.asarray(weights, dtype=x.dtype, device=x.device)), axis=axis + 1)


def _term(x: Array, axis: int, places: Any, weights: Any) -> Array:
    """Take one element for each element of the result, times its weight."""
    x = lw.take(x, lw.asarray(places, device=x.device), axis=axis)
    return _e.multiply(x, lw.asarray(weights, dtype=x.dtype, device=x.device))


# --- patches ----------------------------------------------------------------------------------------------------------


def _unfold_shape(x: Shape, *, kernel_size: Ints, dilation: Ints, padding: Padding, stride: Ints) -> Shape:
    axes = axes_of(x, len(x) - 2, None)
    w = windows(axes.spatial, kernel_size, stride, padding, dilation)
    return (x[0], size_of((x[1], *w.kernel)), size_of(w.out))


@op("all", shape=_unfold_shape)
def unfold(x: Array, /, kernel_size: Ints, *, dilation: Ints = 1, padding: Padding = 0, stride: Ints = 1) -> Array:
    """Put the windows of an array side by side, as columns.

    Parameters
    ----------
    x: shape (batch, channels, *spatial), any dtype and any number of spatial axes.
    kernel_size, stride, dilation: as for `max_pool2d`, with a stride of 1.
    padding: zeros around x, in all forms that `conv2d` takes.

    Returns
    -------
    Shape (batch, channels * elements of a window, windows), and the dtype of x.

    Raises
    ------
    ValueError: a window is larger than the padded array.

    Notes
    -----
    The rows have the order of PyTorch: the channel first, then the place in the window. TensorFlow's `extract_patches`
    and JAX's have the windows' places as axes.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.unfold(lw.asarray([[[1, 2, 3, 4]]]), 2)
    Array([[[1, 2, 3],
            [2, 3, 4]]], dtype=int32)
    """
    axes = axes_of(x.shape, x.ndim - 2, None)
    w = windows(axes.spatial, kernel_size, stride, padding, dilation)
    rows, columns = size_of((x.shape[1], *w.kernel)), size_of(w.out)
    return reshaped(in_windows(x, w), (x.shape[0], rows, columns))


def _folded(x: Shape, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Windows:
    """Check a call of `fold`, and return the windows that `unfold` would have made."""
    if len(x) != 3:
        raise ValueError(f"x must have three axes: the batch, the elements of windows, and the windows; got {x}")
    n = max(number_of_axes(output_size, 0), number_of_axes(kernel_size, 0)) or 2
    w = windows(per_axis(output_size, n, "output_size"), kernel_size, stride, padding, dilation)
    if (x[2] is not None and x[2] != size_of(w.out)) or (x[1] is not None and x[1] % math.prod(w.kernel)):
        raise ValueError(
            f"x must have a multiple of {math.prod(w.kernel)} rows and {size_of(w.out)} columns, for {w.out} windows "
            f"of {w.kernel}; got {x}"
        )
    return w


def _fold_shape(
    x: Shape, *, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Padding, stride: Ints
) -> Shape:
    w = _folded(x, output_size, kernel_size, dilation, padding, stride)
    channels = None if x[1] is None else x[1] // math.prod(w.kernel)
    return (x[0], channels, *per_axis(output_size, len(w.kernel), "output_size"))


@op("numeric", shape=_fold_shape)
def fold(
    x: Array,
    /,
    output_size: Ints,
    kernel_size: Ints,
    *,
    dilation: Ints = 1,
    padding: Padding = 0,
    stride: Ints = 1,
) -> Array:
    """Add up windows at the places where `unfold` takes them from.

    Parameters
    ----------
    x: shape (batch, channels * elements of a window, windows), a numeric dtype.
    output_size: the spatial extents of the result, a sequence of ints, or an int for two equal ones.
    kernel_size, dilation, padding, stride: as for `unfold`.

    Returns
    -------
    Shape (batch, channels, *output_size), and the dtype of x. Places that are in no window are 0.

    Raises
    ------
    ValueError: x has not so many windows, or not such large ones.

    Notes
    -----
    The transpose of `unfold`: of patches that overlap, the sums.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.fold(lw.asarray([[[1, 2, 3], [2, 3, 4]]]), (4,), 2)
    Array([[[1, 4, 6, 4]]], dtype=int32)
    """
    w = _folded(x.shape, output_size, kernel_size, dilation, padding, stride)
    n = len(w.kernel)
    extents = per_axis(output_size, n, "output_size")
    dtype = x.dtype
    x = reshaped(x, (x.shape[0], x.shape[1] // math.prod(w.kernel), *w.kernel, *w.out))
    x = lw.permute_dims(x, (0, 1, *[a for i in range(n) for a in (2 + i, 2 + n + i)]))  # (kernel, out) for each axis
    for i in range(n):
        x = _added_up(x, 2 + i, w, i, extents[i])
    return x if x.dtype is dtype else astype(x, dtype)


def _added_up(x: Array, axis: int, w: Windows, i: int, extent: int) -> Array:
    """Make one axis of two, the elements of windows and the windows: of all that fall on a place, the sum."""
    before, after = x.shape[:axis], x.shape[axis + 2 :]
    places = _sources(extent, w.kernel[i], w.stride[i], w.dilation[i], w.padding[i][0], w.out[i])
    x = reshaped(x, (*before, w.kernel[i] * (w.out[i] or 0), *after))
    x = padded(x, [(0, 1), *[(0, 0)] * len(after)])  # a zero for places without a window
    x = lw.take(x, lw.asarray(places.ravel(), device=x.device), axis=axis)
    return lw.sum(reshaped(x, (*before, *places.shape, *after)), axis=axis + 1, dtype=x.dtype)


@lru_cache(256)
def _sources(extent: int, kernel: int, stride: int, dilation: int, low: int, out: int) -> np.ndarray:
    """Return, for each place of an axis, the elements of windows that lie there, as ``element * out + window``, filled
    up with ``kernel * out``."""
    import numpy as np

    start = np.arange(extent)[:, None] + low - np.arange(kernel) * dilation
    window = start // stride
    there = (start % stride == 0) & (window >= 0) & (window < out)
    found = np.where(there, np.arange(kernel) * out + window, kernel * out)
    found.sort(axis=1)
    return found[:, : max(1, there.sum(axis=1).max(initial=0))]


def _shuffle_shape(x: Shape, *, factor: int) -> Shape:
    _check_factor(x, factor)
    if x[-3] is not None and x[-3] % factor**2:
        raise ValueError(f"the channels, {x[-3]}, must be a multiple of {factor} ** 2; got shape {x}")
    height, width = (None if n is None else n * factor for n in x[-2:])
    return (*x[:-3], None if x[-3] is None else x[-3] // factor**2, height, width)


def _check_factor(x: Shape, factor: int) -> None:
    if len(x) < 3:
        raise ValueError(f"x must have axes for channels, height and width; got shape {x}")
    if as_int(factor, "factor is an int") < 1:
        raise ValueError(f"factor must be at least 1; got {factor}")


@op("all", shape=_shuffle_shape)
def pixel_shuffle(x: Array, factor: int, /) -> Array:
    """Make a larger image of several channels: of factor * factor elements of channels a square.

    Parameters
    ----------
    x: shape (..., channels * factor ** 2, height, width), any dtype.
    factor: by how much height and width grow.

    Returns
    -------
    Shape (..., channels, height * factor, width * factor), and the dtype of x.

    Raises
    ------
    ValueError: the channels are no multiple of ``factor ** 2``.

    Notes
    -----
    The channels of one square are beside each other, as in PyTorch. In TensorFlow's `depth_to_space` they are
    ``channels`` apart.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.pixel_shuffle(lw.asarray([[[1]], [[2]], [[3]], [[4]]]), 2)
    Array([[[1, 2],
            [3, 4]]], dtype=int32)
    """
    shape: Any = _shuffle_shape(x.shape, factor=factor)
    k = x.ndim - 3
    x = reshaped(x, (*x.shape[:-3], shape[-3], factor, factor, *x.shape[-2:]))
    x = lw.permute_dims(x, (*range(k + 1), k + 3, k + 1, k + 4, k + 2))
    return reshaped(x, shape)


def _unshuffle_shape(x: Shape, *, factor: int) -> Shape:
    _check_factor(x, factor)
    if any(n is not None and n % factor for n in x[-2:]):
        raise ValueError(f"height and width, {x[-2:]}, must be multiples of {factor}; got shape {x}")
    height, width = (None if n is None else n // factor for n in x[-2:])
    return (*x[:-3], None if x[-3] is None else x[-3] * factor**2, height, width)


@op("all", shape=_unshuffle_shape)
def pixel_unshuffle(x: Array, factor: int, /) -> Array:
    """Make several channels of an image: of each square of factor * factor elements a place in each of them.

    Parameters
    ----------
    x: shape (..., channels, height, width), any dtype.
    factor: by how much height and width shrink.

    Returns
    -------
    Shape (..., channels * factor ** 2, height / factor, width / factor), and the dtype of x.

    Raises
    ------
    ValueError: height or width is no multiple of the factor.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.pixel_unshuffle(lw.asarray([[[1, 2], [3, 4]]]), 2)
    Array([[[1]],
    <BLANKLINE>
           [[2]],
    <BLANKLINE>
           [[3]],
    <BLANKLINE>
           [[4]]], dtype=int32)
    """
    shape: Any = _unshuffle_shape(x.shape, factor=factor)
    k = x.ndim - 3
    x = reshaped(x, (*x.shape[:-2], shape[-2], factor, shape[-1], factor))
    x = lw.permute_dims(x, (*range(k + 1), k + 2, k + 4, k + 1, k + 3))
    return reshaped(x, shape)


# --- elements at any place --------------------------------------------------------------------------------------------


def _grid_shape(theta: Shape, *, size: Sequence[int], align_corners: bool) -> Shape:
    n = len(size) - 2
    if n < 1:
        raise ValueError(f"size must be that of an array with batch, channels and spatial axes; got {tuple(size)}")
    wanted = (size[0], n, n + 1)
    if len(theta) != 3 or any(m is not None and m != k for m, k in zip(theta, wanted, strict=True)):
        raise ValueError(f"theta must have shape {wanted}; got {theta}")
    return (*size[:1], *size[2:], n)


@op("real floating", shape=_grid_shape)
def affine_grid(theta: Array, /, size: Sequence[int], *, align_corners: bool = False) -> Array:
    """Make the grid of an affine map, for `grid_sample`.

    Parameters
    ----------
    theta: shape (batch, n, n + 1), the matrices of the maps and their translations; a real floating dtype, and integers
        are taken as the default float.
    size: the shape (batch, channels, *spatial) of the array that is made by `grid_sample`, with n spatial axes.
    align_corners: whether -1 and 1 are the centers of the first and the last elements; else the edges.

    Returns
    -------
    Shape (batch, *spatial, n), and the dtype of theta: for each element a place in x, its last axis first.

    Raises
    ------
    ValueError: theta has not the shape that size asks for.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.affine_grid(lw.asarray([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 1, 1, 2))
    Array([[[[-0.5,  0. ],
             [ 0.5,  0. ]]]], dtype=float32)
    """
    shape: Any = _grid_shape(theta.shape, size=size, align_corners=align_corners)
    base = lw.asarray(_base_grid(tuple(size[2:]), align_corners), dtype=theta.dtype, device=theta.device)
    return lw.reshape(matmul(base, lw.matrix_transpose(theta)), shape)


@lru_cache(16)
def _base_grid(spatial: tuple[int, ...], align_corners: bool) -> np.ndarray:
    """The places of the elements with a one after each: shape (elements, n + 1)."""
    import numpy as np

    lines = [
        np.linspace(-1, 1, n) if align_corners and n > 1 else (2 * np.arange(n) + 1) / n - 1 if not align_corners
        else np.zeros(n)
        for n in spatial
    ]  # fmt: skip
    grid = np.stack([*np.meshgrid(*lines, indexing="ij")[::-1], np.ones(spatial)], axis=-1)
    return grid.reshape(-1, len(spatial) + 1)


def _sample_shape(x: Shape, grid: Shape, *, mode: str, padding_mode: str, align_corners: bool) -> Shape:
    check_word(("bilinear", "linear", "nearest", "bicubic", "cubic"), "mode", mode)
    check_word(("zeros", "border", "reflection"), "padding_mode", padding_mode)
    n = len(x) - 2
    if n < 1 or len(grid) != n + 2 or grid[-1] not in (n, None):
        raise ValueError(f"grid must have shape (batch, *{max(n, 1)} spatial axes, {n}) for x of shape {x}; got {grid}")
    if None not in (x[0], grid[0]) and x[0] != grid[0]:
        raise ValueError(f"x and grid must have the same batch; got shapes {x} and {grid}")
    if 0 in x[2:]:
        raise ValueError(f"the spatial axes of x must have elements; got shape {x}")
    return (x[0], x[1], *grid[1:-1])


@op("real floating", shape=_sample_shape)
def grid_sample(
    x: Array,
    /,
    grid: Array,
    *,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Array:
    """Take elements of an array at places that a grid says.

    Parameters
    ----------
    x: shape (batch, channels, *spatial), of n spatial axes; a real floating dtype, and integers are taken as the
        default float.
    grid: shape (batch, *out, n): for each element of the result a place in x, its last axis first, from -1 to 1.
    mode: ``"bilinear"`` (also ``"linear"``), ``"nearest"``, or ``"bicubic"`` (also ``"cubic"``) with the coefficient
        -0.75.
    padding_mode: what lies beyond x: ``"zeros"``, ``"border"`` for its nearest element, or ``"reflection"``.
    align_corners: whether -1 and 1 are the centers of the first and the last elements; else the edges.

    Returns
    -------
    Shape (batch, channels, *out), and the common dtype of both.

    Raises
    ------
    ValueError: the shapes do not fit together, or a word is unknown.

    Notes
    -----
    As in PyTorch, whose kernel for cubic takes two spatial axes. Here there may be any number.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> lw.nn.grid_sample(x, lw.asarray([[[[0.0, 0.0], [1.0, 1.0]]]]), align_corners=True)
    Array([[[[2.5, 4. ]]]], dtype=float32)
    """
    shape: Any = _sample_shape(x.shape, grid.shape, mode=mode, padding_mode=padding_mode, align_corners=align_corners)
    dtype = x.dtype
    if dtype.bits == 16:
        x, grid = astype(x, float32), astype(grid, float32)
    spatial = x.shape[2:]
    n, cubic = len(spatial), mode in ("cubic", "bicubic")
    places: list[list[tuple[Array, Array | None]]] = []
    for i, extent in enumerate(spatial):
        at = grid[..., n - 1 - i]
        at = _e.multiply(_e.add(at, 1), (extent - 1) / 2) if align_corners else _e.subtract(
            _e.multiply(_e.add(at, 1), extent / 2), 0.5
        )  # fmt: skip
        if not cubic:
            at = _inside(at, extent, padding_mode, align_corners)
        places.append(_neighbours(at, mode))
    flat = lw.reshape(x, (*x.shape[:2], math.prod(spatial)))
    total: Any = None
    for corner in itertools.product(*places):
        value = _picked(flat, corner, spatial, padding_mode, align_corners)
        total = value if total is None else _e.add(total, value)
    return astype(lw.reshape(total, shape), dtype, copy=False)


def _neighbours(at: Array, mode: str) -> list[tuple[Array, Array | None]]:
    """The elements beside each place along an axis, as floats, and their weights."""
    if mode == "nearest":
        return [(_e.round(at), None)]
    first = _e.floor(at)
    t = _e.subtract(at, first)
    if mode in ("bilinear", "linear"):
        return [(first, _e.subtract(1, t)), (_e.add(first, 1), t)]
    return [(_e.add(first, k), _cubic(_e.abs(_e.subtract(t, k)), near=k in (0, 1))) for k in (-1, 0, 1, 2)]


def _cubic(t: Array, near: bool, a: float = -0.75) -> Array:
    """The cubic kernel, at distances to 1 or beyond."""
    if near:
        return _e.add(_e.multiply(_e.subtract(_e.multiply(t, a + 2), a + 3), _e.square(t)), 1)
    inner = _e.add(_e.multiply(_e.subtract(_e.multiply(t, a), 5 * a), t), 8 * a)
    return _e.subtract(_e.multiply(inner, t), 4 * a)


def _inside(at: Array, extent: int, padding_mode: str, align_corners: bool) -> Array:
    """Places along an axis brought into the array, where the padding is not zeros."""
    if padding_mode == "zeros":
        return at
    if padding_mode == "reflection":
        low, span = (0.0, extent - 1.0) if align_corners else (-0.5, float(extent))
        if span == 0:
            return _e.multiply(at, 0)
        folded = _e.remainder(_e.subtract(at, low), 2 * span)
        at = _e.add(_e.minimum(folded, _e.subtract(2 * span, folded)), low)
    return lw.clip(at, 0, extent - 1)


def _picked(flat: Array, corner: Any, spatial: Shape, padding_mode: str, align_corners: bool) -> Array:
    """The elements at one of the neighbours of each place, times their weights."""
    index: Any = None
    valid: Any = None
    weight: Any = None
    for (place, part), extent in zip(corner, spatial, strict=True):
        assert extent is not None
        place = _inside(place, extent, padding_mode, align_corners)
        kept = lw.clip(place, 0, extent - 1)
        if padding_mode == "zeros":
            there = _e.equal(kept, place)
            valid = there if valid is None else _e.logical_and(valid, there)
        kept = lw.where(_e.isnan(kept), 0.0, kept)
        step = astype(kept, int64 if flat._sig.backend.index_dtype is int64 else int32)
        index = step if index is None else _e.add(_e.multiply(index, extent), step)
        if part is not None:
            weight = part if weight is None else _e.multiply(weight, part)
    index = lw.reshape(index, (flat.shape[0], 1, -1))
    index = lw.broadcast_to(index, (flat.shape[0], flat.shape[1], index.shape[2]))
    value = lw.take_along_axis(flat, index, axis=2)
    if valid is not None:
        value = lw.where(lw.reshape(valid, (flat.shape[0], 1, -1)), value, 0.0)
    return value if weight is None else _e.multiply(value, lw.reshape(weight, (flat.shape[0], 1, -1)))
