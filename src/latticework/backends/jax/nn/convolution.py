"""Convolutions on JAX: one kernel for any number of axes, any layout and any padding."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ....backend import standing_alone
from ....backend.slopes import own_slopes as _own_slopes
from ....core.dtypes import category
from ....engine.shapes import windowed
from ....engine.shapes.resampling import Resize, resized
from ....engine.shapes.windows import Axes, Windows, axes_of, mean_divisor
from ..compiled import compiled
from ..core import COMPOSED
from ..statistical import max as _max
from ..statistical import nan_is_lost


def _dilated(
    x: jax.Array, weight: jax.Array, bias: jax.Array | None, axes: Axes, groups: int, **options: Any
) -> jax.Array:
    n = len(axes.spatial)
    letters = "".join(map(chr, range(97, 97 + n)))
    data = f"N{letters}C" if axes.last else f"NC{letters}"
    if not axes.batched:
        x = x[None]
    y = lax.conv_general_dilated(
        x, weight, dimension_numbers=(data, f"OI{letters}", data), feature_group_count=groups, **options
    )
    if bias is not None:
        y = y + (bias if axes.last else bias.reshape(-1, *(1,) * n))
    return y if axes.batched else y[0]


def _convolved(
    x: jax.Array, weight: jax.Array, bias: jax.Array | None, axes: Axes, w: Windows, groups: int
) -> jax.Array:
    options = {"window_strides": w.stride, "padding": w.padding, "rhs_dilation": w.dilation}
    return _dilated(x, weight, bias, axes, groups, **options)


def _transposed(
    x: jax.Array, weight: jax.Array, bias: jax.Array | None, axes: Axes, w: Windows, groups: int
) -> jax.Array:
    """Convolve x, with gaps, and the reversed kernel."""
    pairs = []
    for kernel, d, (low, high), extra in zip(w.kernel, w.dilation, w.padding, w.extra, strict=True):
        span = (kernel - 1) * d
        pairs.append((span - low, span - high + extra))
    n, (channels, rows, *kernels) = len(w.kernel), weight.shape
    weight = weight.reshape(groups, channels // groups, rows, *kernels).swapaxes(1, 2)
    weight = lax.rev(weight.reshape(groups * rows, channels // groups, *kernels), tuple(range(2, 2 + n)))
    options = {"window_strides": (1,) * n, "padding": pairs, "rhs_dilation": w.dilation, "lhs_dilation": w.stride}
    return _dilated(x, weight, bias, axes, groups, **options)


conv, conv1d, conv2d, conv3d = (windowed.convolution(n, _convolved) for n in (None, 1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (
    windowed.transposed_convolution(n, _transposed) for n in (1, 2, 3)
)

# --- pooling ------------------------------------------------------------------------------------------------------
# Reductions of windows.


def _reduced(x: jax.Array, axes: Axes, w: Windows, start: Any, reduce: Callable[..., Any]) -> jax.Array:
    """Reduce each window of an array, in its layout."""

    def all_axes(spatial: Any, other: Any) -> tuple[Any, ...]:
        front = (other,) * axes.batched
        return (*front, *spatial, other) if axes.last else (*front, other, *spatial)

    return lax.reduce_window(
        x, start, reduce, all_axes(w.kernel, 1), all_axes(w.stride, 1), all_axes(w.around, (0, 0)),
        window_dilation=all_axes(w.dilation, 1),
    )  # fmt: skip


def _max_pool(x: jax.Array, axes: Axes, w: Windows) -> jax.Array:
    integer = jnp.issubdtype(x.dtype, jnp.integer)
    least = np.array(np.iinfo(x.dtype).min if integer else -np.inf, x.dtype)
    found = _reduced(x, axes, w, least, lax.max)
    if integer or not nan_is_lost(x):
        return found
    return jnp.where(_reduced(jnp.isnan(x), axes, w, np.array(False), lax.bitwise_or), jnp.nan, found)


def _is_dense(x: jax.Array, kernel_size: Any, *, dilation: Any = 1, **_: Any) -> bool:
    """Tell whether there is no dilation.

    JAX has no derivative of the greatest of windows with gaps.
    """
    return dilation == 1 if isinstance(dilation, int) else all(d == 1 for d in dilation)


def _avg_pool(x: jax.Array, axes: Axes, w: Windows, count_include_pad: bool = True) -> jax.Array:
    wide = x.astype(jnp.float32) if x.dtype.itemsize == 2 else x
    total = _reduced(wide, axes, w, np.array(0, wide.dtype), lax.add)
    divisor = mean_divisor(w, axes.spatial, count_include_pad)
    if not isinstance(divisor, int):
        divisor = jnp.asarray(divisor[..., None] if axes.last else divisor, wide.dtype)
    return (total / divisor).astype(x.dtype)


def _greatest(x: jax.Array, *, axis: int) -> jax.Array:
    return _max(x, axis=axis)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _first_of(x: jax.Array, axis: int) -> jax.Array:
    return _max(x, axis=axis)


@_first_of.defjvp
def _along_first(axis: int, primals: Any, tangents: Any) -> Any:
    (x,), (t,) = primals, tangents
    first = jnp.argmax(x, axis, keepdims=True)
    return _first_of(x, axis), jnp.take_along_axis(t, first, axis).squeeze(axis)


@partial(jax.jit, static_argnames="axis")
def _first_greatest(x: jax.Array, *, axis: int) -> jax.Array:
    """Take the greatest along an axis. The first of equal ones has the derivative, in jnp.max all of them."""
    return _first_of(x, axis)


_own_slopes(_first_greatest, _greatest)
COMPOSED.update(("nn._first_greatest", dtype) for dtype in category("integral"))

max_pool1d, max_pool2d, max_pool3d = (windowed.pooling(n, _max_pool, _is_dense) for n in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (windowed.pooling(n, _avg_pool) for n in (1, 2, 3))

# --- resampling ---------------------------------------------------------------------------------------------------
# The composition as one program, and JAX's own function for kernels of many elements.

_composed = compiled("nn.interpolate")


def interpolate(x: jax.Array, *, size: Any = None, layout: str | None = None, **options: Any) -> jax.Array:
    """JAX's own is a product with a matrix of all weights, nearly all of them 0 for long axes."""
    axes = axes_of(x.shape, max(x.ndim - 2, 1), layout)
    r = resized(axes.spatial, size, **options)
    if _is_taken(x, axes, r):
        return jax.image.resize(x, axes.shape(axes.channels, r.out), r.mode, antialias=r.antialias)
    return _composed(x, size=size, layout=layout, **options)


def _is_taken(x: jax.Array, axes: Axes, r: Resize) -> bool:
    """Return whether to call JAX's own function."""
    return x.dtype.itemsize > 2 and 0 not in x.shape and x.ndim > 2 and _has_method(r) and _is_wide(axes.spatial, r)


def _has_source(x: jax.Array, *, size: Any = None, layout: str | None = None, **options: Any) -> bool:
    """Tell whether the call may be made: in source that runs without latticework, JAX's own function has to take it."""
    if not standing_alone.get():
        return True
    axes = axes_of(x.shape, max(x.ndim - 2, 1), layout)
    return _is_taken(x, axes, resized(axes.spatial, size, **options))


interpolate.when = _has_source  # type: ignore[attr-defined]


def _has_method(r: Resize) -> bool:
    """Return whether JAX has the method: the border is renormalized, and the places follow from the extents."""
    if r.align_corners or r.border != "renormalize" or any(ratio is not None for ratio in r.ratios):
        return False
    return r.mode in ("linear", "lanczos3", "lanczos5") or (r.mode == "cubic" and r.coefficient == -0.5)


def _is_wide(spatial: tuple[int, ...], r: Resize) -> bool:
    """Return whether each element of the result comes from many: from ten in lanczos5, from more with antialias."""
    return r.mode == "lanczos5" or (r.antialias and any(n > 2 * out for n, out in zip(spatial, r.out, strict=True)))
