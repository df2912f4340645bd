"""Resampling on PyTorch."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from ....engine.shapes.resampling import Resize, resized, taps
from ....engine.shapes.windows import Axes, axes_of, number_of_axes, per_axis, windows
from ..core import COMPOSED, UNSIGNED
from .convolution import as_before, channels_first

COMPOSED.update((f"nn.{name}", dtype) for name in ("pixel_shuffle", "pixel_unshuffle") for dtype in UNSIGNED)

_LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}


def _read(x: torch.Tensor, size: Any, layout: str | None, options: dict[str, Any]) -> tuple[Axes, Resize]:
    axes = axes_of(tuple(x.shape), max(x.ndim - 2, 1), layout)
    return axes, resized(axes.spatial, size, **options)


def interpolate(x: torch.Tensor, *, size: Any = None, layout: str | None = None, **options: Any) -> torch.Tensor:
    axes, r = _read(x, size, layout, options)
    n = len(r.out)
    mode = {"linear": _LINEAR.get(n), "cubic": "bicubic"}.get(r.mode, r.mode)
    corners = r.align_corners if r.mode in ("linear", "cubic") else None
    extent: Any = {"size": r.out}
    if any(ratio is not None for ratio in r.ratios):
        extent = {"scale_factor": tuple([1 / ratio for ratio in r.ratios if ratio is not None])}
    y = functional.interpolate(
        channels_first(x, axes), **extent, mode=mode, align_corners=corners, antialias=r.antialias
    )
    return as_before(y, axes)


def _has_kernel(x: torch.Tensor, *, size: Any = None, layout: str | None = None, **options: Any) -> bool:
    """Tell whether the mode is nearest, nearest-exact, linear or area with at most three spatial axes, or cubic with
    two, with PyTorch's coefficient and border, and antialias with two axes only; and the places of nearest, which
    PyTorch computes in single precision, are the exact ones."""
    if not 3 <= x.ndim <= 5 or 0 in x.shape:
        return False
    axes, r = _read(x, size, layout, options)
    n = len(r.out)
    if r.antialias and (n != 2 or r.align_corners or x.dtype.itemsize == 2 or any(r.ratios)):
        return False
    if r.mode == "cubic":
        usual = (-0.5, "renormalize") if r.antialias else (-0.75, "clamp")
        return n == 2 and (r.coefficient, r.border) == usual
    if r.mode == "linear":
        return r.border == "renormalize"
    if r.mode.startswith("nearest"):
        return all(_exact(m, i, r) for i, m in enumerate(axes.spatial) if m is not None)
    return r.mode == "area"


@lru_cache(1024)
def _exact(n: int, i: int, r: Resize) -> bool:
    """Return whether PyTorch's rule for the places gives the exact places."""
    out: Any = r.out[i]
    ratio = r.ratios[i]
    step = np.float32(n) / np.float32(out) if ratio is None else np.float32(ratio)
    at = np.arange(out, dtype=np.float32) + np.float32(0.5 if r.mode == "nearest-exact" else 0)
    places = np.minimum(np.floor(at * step), n - 1)
    return bool(np.array_equal(places, taps(n, i, r)[0][:, 0]))


interpolate.when = _has_kernel  # type: ignore[attr-defined]


def unfold(x: torch.Tensor, kernel_size: Any, *, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> torch.Tensor:
    w = windows(tuple(x.shape[2:]), kernel_size, stride, padding, dilation)
    pads = tuple([low for low, _ in w.padding])
    return functional.unfold(x, w.kernel, w.dilation, pads, w.stride)


def _is_image(x: torch.Tensor, kernel_size: Any, *, padding: Any = 0, **_: Any) -> bool:
    """Tell whether there are elements and two spatial axes, x is of floats, and the padding is an int, or one for each
    axis."""
    return x.ndim == 4 and x.numel() > 0 and x.dtype.is_floating_point and _is_even(padding)


def _is_even(padding: Any) -> bool:
    return isinstance(padding, int) or (not isinstance(padding, str) and all(isinstance(p, int) for p in padding))


unfold.when = _is_image  # type: ignore[attr-defined]


def fold(
    x: torch.Tensor, output_size: Any, kernel_size: Any, *, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> torch.Tensor:
    size = per_axis(output_size, 2, "output_size")
    w = windows(size, kernel_size, stride, padding, dilation)
    pads = tuple([low for low, _ in w.padding])
    return functional.fold(x, size, w.kernel, w.dilation, pads, w.stride)


def _is_of_image(x: torch.Tensor, output_size: Any, kernel_size: Any, *, padding: Any = 0, **_: Any) -> bool:
    """Tell whether there are elements and two spatial axes, x is of floats of 32 bits or more, and the padding is an
    int, or one for each axis."""
    n = max(number_of_axes(output_size, 0), number_of_axes(kernel_size, 0)) or 2
    wide = x.dtype.is_floating_point and x.dtype.itemsize > 2
    return n == 2 and x.ndim == 3 and x.numel() > 0 and wide and _is_even(padding)


fold.when = _is_of_image  # type: ignore[attr-defined]


def pixel_shuffle(x: torch.Tensor, factor: int) -> torch.Tensor:
    return functional.pixel_shuffle(x, factor)


def pixel_unshuffle(x: torch.Tensor, factor: int) -> torch.Tensor:
    return functional.pixel_unshuffle(x, factor)


def grid_sample(
    x: torch.Tensor,
    grid: torch.Tensor,
    *,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> torch.Tensor:
    word = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    return functional.grid_sample(x, grid, word, padding_mode, align_corners)


def _has_sampler(x: torch.Tensor, grid: torch.Tensor, *, mode: str = "bilinear", **_: Any) -> bool:
    """Tell whether there are elements of 32 bits or more and two or three spatial axes, two for cubic."""
    wide = x.dtype.itemsize > 2 and x.numel() > 0 and grid.numel() > 0
    return wide and (x.ndim == 4 or (x.ndim == 5 and mode in ("bilinear", "linear", "nearest")))


grid_sample.when = _has_sampler  # type: ignore[attr-defined]
