"""Resampling on JAX."""

from __future__ import annotations

from typing import Any

import jax

from ....engine.resampling import Resize, resized
from ....engine.windows import Axes, axes_of


def _read(x: jax.Array, size: Any, layout: str | None, options: dict[str, Any]) -> tuple[Axes, Resize]:
    axes = axes_of(x.shape, max(x.ndim - 2, 1), layout)
    return axes, resized(axes.spatial, size, **options)


def interpolate(x: jax.Array, *, size: Any = None, layout: str | None = None, **options: Any) -> jax.Array:
    axes, r = _read(x, size, layout, options)
    return jax.image.resize(x, axes.shape(axes.channels, r.out), r.mode, antialias=r.antialias)


def _has_method(x: jax.Array, *, size: Any = None, layout: str | None = None, **options: Any) -> bool:
    """Tell whether the mode is linear, lanczos3, lanczos5, or cubic with a coefficient of -0.5, the border is
    renormalized, the corners are not aligned, and the places follow from the extents."""
    if x.ndim < 3 or 0 in x.shape or x.dtype.itemsize == 2:
        return False
    _, r = _read(x, size, layout, options)
    if r.align_corners or r.border != "renormalize" or any(ratio is not None for ratio in r.ratios):
        return False
    return r.mode in ("linear", "lanczos3", "lanczos5") or (r.mode == "cubic" and r.coefficient == -0.5)


interpolate.when = _has_method  # type: ignore[attr-defined]
