"""Pooling on JAX: reductions of windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ....engine.windows import Axes, Windows, mean_divisor, pooled


def _reduced(x: jax.Array, axes: Axes, w: Windows, start: Any, reduce: Callable[..., Any]) -> jax.Array:
    """Reduce each window of an array, in its layout."""

    def all_axes(spatial: Any, other: Any) -> tuple[Any, ...]:
        front = (other,) * axes.batched
        return (*front, *spatial, other) if axes.last else (*front, other, *spatial)

    return lax.reduce_window(
        x, start, reduce, all_axes(w.kernel, 1), all_axes(w.stride, 1), all_axes(w.around, (0, 0)),
        window_dilation=all_axes(w.dilation, 1),
    )  # fmt: skip


def _max_pool(n: int) -> Callable[..., jax.Array]:
    """Make the function for n spatial axes."""

    def max_pool(
        x: jax.Array,
        kernel_size: Any,
        *,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        layout: str | None = None,
    ) -> jax.Array:
        axes, w = pooled(x.shape, n, kernel_size, stride, padding, dilation, ceil_mode, layout)
        integer = jnp.issubdtype(x.dtype, jnp.integer)
        least = np.array(np.iinfo(x.dtype).min if integer else -np.inf, x.dtype)
        return _reduced(x, axes, w, least, lax.max)

    max_pool.when = _is_dense  # type: ignore[attr-defined]
    return max_pool


def _is_dense(x: jax.Array, kernel_size: Any, *, dilation: Any = 1, **_: Any) -> bool:
    """Tell whether there is no dilation.

    JAX has no derivative of the greatest of windows with gaps.
    """
    return dilation == 1 if isinstance(dilation, int) else all(d == 1 for d in dilation)


def _avg_pool(n: int) -> Callable[..., jax.Array]:
    """Make the function for n spatial axes."""

    def avg_pool(
        x: jax.Array,
        kernel_size: Any,
        *,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        layout: str | None = None,
    ) -> jax.Array:
        axes, w = pooled(x.shape, n, kernel_size, stride, padding, dilation, ceil_mode, layout)
        wide = x.astype(jnp.float32) if x.dtype.itemsize == 2 else x
        total = _reduced(wide, axes, w, np.array(0, wide.dtype), lax.add)
        divisor = mean_divisor(w, axes.spatial, count_include_pad)
        if not isinstance(divisor, int):
            divisor = jnp.asarray(divisor[..., None] if axes.last else divisor, wide.dtype)
        return (total / divisor).astype(x.dtype)

    return avg_pool


max_pool1d, max_pool2d, max_pool3d = (_max_pool(n) for n in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (_avg_pool(n) for n in (1, 2, 3))
