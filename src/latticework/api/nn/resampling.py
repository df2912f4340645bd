"""Resampling: other extents, patches, and elements at any place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.registry import functions as lw
from ...engine.array import Array
from ...engine.declare import op
from ...engine.extents import Shape
from ...engine.resampling import Resize, resized, taps
from ...engine.windows import Axes, axes_of
from .. import elementwise as _e
from ..conversion import astype
from .convolution import as_before, channels_first, reshaped
from .pooling import in_parts

__all__ = ["interpolate"]

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
        x = astype(x, lw.float32)
    for i, (n, out) in enumerate(zip(axes.spatial, r.out, strict=True)):
        if r.mode == "area":
            x = in_parts(x, 2 + i, out, "mean")
        elif n != out or r.ratios[i] not in (None, 1.0) or r.mode in ("gaussian", "mitchellcubic"):
            x = _weighted(x, 2 + i, *taps(n, i, r))
    return as_before(astype(x, dtype, copy=False), axes)


def _weighted(x: Array, axis: int, places: Any, weights: Any) -> Array:
    """Sums of elements along an axis by their weights."""
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    x = lw.take(x, lw.asarray(places.ravel(), device=x.device), axis=axis)
    if weights is None:
        return x
    x = reshaped(x, (*before, *places.shape, *after))
    weights = lw.asarray(weights.reshape(*weights.shape, *(1,) * len(after)), dtype=x.dtype, device=x.device)
    return lw.sum(_e.multiply(x, weights), axis=axis + 1)
