"""Pooling on JAX: reductions of windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ....engine.windows import Axes, Windows, mean_divisor
from ... import windowed


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
    return _reduced(x, axes, w, least, lax.max)


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


max_pool1d, max_pool2d, max_pool3d = (windowed.pooling(n, _max_pool, _is_dense) for n in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (windowed.pooling(n, _avg_pool) for n in (1, 2, 3))
