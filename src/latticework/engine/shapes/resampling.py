"""Resampling: where the elements of a resized axis come from, and their weights. Computed with NumPy, from numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from .extents import Shape, as_int, check_word

if TYPE_CHECKING:
    import numpy as np

__all__ = ["BORDERS", "MODES", "Resize", "in_order", "resized", "taps"]

#: Each mode, by all of its names.
MODES = {
    "nearest": "nearest", "nearest-exact": "nearest-exact", "linear": "linear", "bilinear": "linear",
    "trilinear": "linear", "cubic": "cubic", "bicubic": "cubic", "area": "area", "area-exact": "area-exact",
    "lanczos3": "lanczos3", "lanczos5": "lanczos5", "gaussian": "gaussian", "mitchellcubic": "mitchellcubic",
}  # fmt: skip
BORDERS = ("clamp", "renormalize")

#: Modes with a kernel, and how far it reaches.
_RADIUS = {"linear": 1.0, "cubic": 2.0, "lanczos3": 3.0, "lanczos5": 5.0, "gaussian": 1.5, "mitchellcubic": 2.0}


class Resize(NamedTuple):
    """A call of `interpolate`: the mode by its first name, the extents of the result, and for each axis the steps in x
    from one element of the result to the next, None for the quotient of the extents. The rest is as in the call, with
    its defaults."""

    mode: str
    out: tuple[Any, ...]
    ratios: tuple[float | None, ...]
    align_corners: bool
    antialias: bool
    coefficient: float
    border: str


def resized(
    spatial: Shape,
    size: Any = None,
    *,
    scale: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    antialias: bool = False,
    coefficient: float | None = None,
    border: str | None = None,
    recompute: bool = False,
) -> Resize:
    """Read a call of `interpolate`.

    Raises
    ------
    ValueError: both or none of size and scale, an unknown word, or an option that the mode does not have.
    """
    n = len(spatial)
    check_word((*MODES,), "mode", mode)
    mode = MODES[mode]
    if (size is None) == (scale is None):
        raise ValueError(f"give size or scale, and not both; got size={size!r}, scale={scale!r}")
    if 0 in spatial:
        raise ValueError(f"the spatial axes of x must have elements; got {spatial}")
    ratios: tuple[float | None, ...] = (None,) * n
    if size is not None:
        sizes = size if isinstance(size, Sequence) else (size,) * n
        out: Shape = tuple([as_int(m, "size is an int or a sequence of ints") for m in sizes])
    else:
        scales = [float(s) for s in (scale if isinstance(scale, Sequence) else (scale,) * n)]
        if len(scales) == n:
            out = tuple([None if m is None else math.floor(m * s) for m, s in zip(spatial, scales, strict=True)])
            ratios = ratios if recompute else tuple([1 / s if s > 0 else None for s in scales])
        else:
            out = (0,) * len(scales)
    if len(out) != n:
        what = "size" if scale is None else "scale"
        raise ValueError(
            f"{what} must have one number for each of {n} spatial axes; got {size if scale is None else scale}"
        )
    if any(m is not None and m < 1 for m in out):
        raise ValueError(f"the result must have elements; it would have spatial axes {out}, of {spatial}")
    if mode not in _RADIUS and (align_corners or antialias):
        what = "align_corners" if align_corners else "antialias"
        raise ValueError(f"{what} is for modes with a kernel ({', '.join(_RADIUS)}); got mode={mode!r}")
    if mode != "cubic" and coefficient is not None:
        raise ValueError(f"coefficient is for mode='cubic'; got mode={mode!r}")
    if border is not None:
        check_word(BORDERS, "border", border)
    usual = "clamp" if mode == "cubic" and not antialias else "renormalize"
    kernel = -0.5 if antialias else -0.75
    return Resize(
        mode, out, ratios, bool(align_corners), bool(antialias), kernel if coefficient is None else float(coefficient),
        border or usual,
    )  # fmt: skip


def in_order(spatial: Shape, r: Resize) -> list[int]:
    """Return the axes in the order that takes the least time: the shrinking axes, then the others from the last one on.

    The last axis comes first among the others, because its elements are moved one by one.
    """
    axes = range(len(spatial))
    shrink = [i for i in axes if (spatial[i] or 0) > (r.out[i] or 0)]
    return [*shrink, *[i for i in reversed(axes) if i not in shrink]]


@lru_cache(256)
def taps(n: int, i: int, r: Resize) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the places on an axis of n elements that each element along axis i of a result comes from, and weights.

    There are no weights (None) if each element has one place. Both have the shape (extent of the result, places for
    each).
    """
    import numpy as np

    out = r.out[i]
    assert out is not None
    ratio = r.ratios[i]
    at = np.arange(out)
    if r.mode in ("nearest", "nearest-exact"):
        half = r.mode == "nearest-exact"
        exact = (2 * at + half) * n // (2 * out)
        place = exact if ratio is None else np.floor((at + half / 2) * ratio).astype(np.int64)
        return np.minimum(place, n - 1)[:, None], None
    step = n / out if ratio is None else ratio
    if r.mode == "area-exact":
        return _overlaps(n, at * step, step)
    center = at * ((n - 1) / max(out - 1, 1)) + 0.5 if r.align_corners else (at + 0.5) * step
    stretch = max(step, 1.0) if r.antialias else 1.0
    reach = _RADIUS[r.mode] * stretch
    first = np.ceil(center - reach - 0.5).astype(np.int64)
    place = first[:, None] + np.arange(math.floor(2 * reach) + 1)
    weight = _kernel(r.mode, r.coefficient)(np.abs(place + 0.5 - center[:, None]) / stretch)
    if r.border == "renormalize":
        weight = np.where((place >= 0) & (place < n), weight, 0.0)
    used = np.any(weight != 0, axis=0)
    place, weight = place[:, used], weight[:, used]
    return np.clip(place, 0, n - 1), weight / np.sum(weight, axis=1, keepdims=True)


def _overlaps(n: int, start: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the elements in intervals, weighted by how much of each is inside."""
    import numpy as np

    place = np.floor(start).astype(np.int64)[:, None] + np.arange(math.ceil(step) + 1)
    inside = np.minimum(place + 1, (start + step)[:, None]) - np.maximum(place, start[:, None])
    weight = np.where(place < n, np.maximum(inside, 0.0), 0.0)
    return np.clip(place, 0, n - 1), weight / np.sum(weight, axis=1, keepdims=True)


def _kernel(mode: str, a: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function from an element's distance, which is not negative, to its weight."""
    import numpy as np

    radius = _RADIUS[mode]

    def cubic(t: np.ndarray) -> np.ndarray:
        near = ((a + 2) * t - (a + 3)) * t * t + 1
        return np.where(t <= 1, near, np.where(t < 2, ((a * t - 5 * a) * t + 8 * a) * t - 4 * a, 0.0))

    def mitchell(t: np.ndarray) -> np.ndarray:
        near = (7 / 6 * t - 2) * t * t + 8 / 9
        return np.where(t <= 1, near, np.where(t < 2, ((-7 / 18 * t + 2) * t - 10 / 3) * t + 16 / 9, 0.0))

    kernels: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "linear": lambda t: np.maximum(1 - t, 0.0),
        "cubic": cubic,
        "mitchellcubic": mitchell,
        "gaussian": lambda t: np.where(t < radius, np.exp(-2.0 * t * t), 0.0),
        "lanczos3": lambda t: np.where(t <= radius, np.sinc(t) * np.sinc(t / radius), 0.0),
        "lanczos5": lambda t: np.where(t <= radius, np.sinc(t) * np.sinc(t / radius), 0.0),
    }
    return kernels[mode]
