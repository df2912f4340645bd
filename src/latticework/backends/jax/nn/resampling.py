"""Resampling on JAX: the composition as one program, and JAX's own function for kernels of many elements."""

from __future__ import annotations

from typing import Any

import jax

from ....engine.resampling import Resize, resized
from ....engine.windows import Axes, axes_of
from ... import standing_alone
from ..compiled import compiled

_composed = compiled("nn.interpolate")


def interpolate(x: jax.Array, *, size: Any = None, layout: str | None = None, **options: Any) -> jax.Array:
    """JAX's own is a product with a matrix of all weights, nearly all of them 0 for long axes."""
    axes = axes_of(x.shape, max(x.ndim - 2, 1), layout)
    r = resized(axes.spatial, size, **options)
    if _is_taken(x, axes, r):
        return jax.image.resize(x, axes.shape(axes.channels, r.out), r.mode, antialias=r.antialias)
    return _composed(x, size=size, layout=layout, **options)


def _is_taken(x: jax.Array, axes: Axes, r: Resize) -> bool:
    """Whether JAX's own function computes it."""
    return x.dtype.itemsize > 2 and 0 not in x.shape and x.ndim > 2 and _has_method(r) and _is_wide(axes.spatial, r)


def _has_source(x: jax.Array, *, size: Any = None, layout: str | None = None, **options: Any) -> bool:
    """Tell whether the call may be made: in source that runs without latticework, JAX's own function has to take it."""
    if not standing_alone.get():
        return True
    axes = axes_of(x.shape, max(x.ndim - 2, 1), layout)
    return _is_taken(x, axes, resized(axes.spatial, size, **options))


interpolate.when = _has_source  # type: ignore[attr-defined]


def _has_method(r: Resize) -> bool:
    """Whether JAX has a method for it: the border is renormalized, and the places follow from the extents."""
    if r.align_corners or r.border != "renormalize" or any(ratio is not None for ratio in r.ratios):
        return False
    return r.mode in ("linear", "lanczos3", "lanczos5") or (r.mode == "cubic" and r.coefficient == -0.5)


def _is_wide(spatial: tuple[int, ...], r: Resize) -> bool:
    """Whether an element of the result comes from many: of lanczos5 from ten, with antialias from more."""
    return r.mode == "lanczos5" or (r.antialias and any(n > 2 * out for n, out in zip(spatial, r.out, strict=True)))
