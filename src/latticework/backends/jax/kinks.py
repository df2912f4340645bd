"""Slopes of latticework's at kinks, on JAX: functions that JAX computes, with derivatives that it is told.

A program without derivatives is JAX's own: it does not run what it is told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ...backend.slopes import own_slopes

__all__ = ["of_clip", "of_extreme", "share_of", "with_slopes"]


def with_slopes(native: Callable[..., Any], *slopes: Callable[..., Any] | None) -> Callable[..., Any]:
    """Give a function slopes by its operands.

    Parameters
    ----------
    native: JAX's function of arrays, which gives the values.
    slopes: for each operand a function of the result and the operands, None where the slope is 0.
    """

    @jax.custom_jvp
    def own(*xs: Any) -> Any:
        return native(*xs)

    @own.defjvp
    def along(xs: Any, tangents: Any) -> Any:
        out = own(*xs)
        moved = jnp.zeros_like(out)
        for slope, tangent in zip(slopes, tangents, strict=True):
            if slope is not None:
                moved = moved + jnp.asarray(slope(out, *xs), out.dtype) * jnp.asarray(tangent, out.dtype)
        return out, moved

    def call(*xs: Any) -> Any:
        return own(*xs)

    call.__name__ = call.__qualname__ = native.__name__
    return own_slopes(jax.jit(call), native)


def of_extreme(out: Any, x: Any, other: Any) -> Any:
    """Return the slope of a greatest or least one of two by the first: equal ones share."""
    mine = (x == out) | jnp.isnan(out)
    return jnp.where(mine & (x == other), 0.5, mine)


def of_clip(out: Any, x: Any, low: Any, high: Any) -> Any:
    """Return the slope of a clip: 1 between the bounds and at them. Between equal bounds there is none."""
    return (low <= x) & (x <= high) & (low < high)


def share_of(out: Any, x: Any, other: Any, factor: float = 1.0) -> Any:
    """Return the share of a number in a sum of two exponentials of `factor` times x and the other, by their difference:
    the rounding of a large sum is more than that. Two equal infinities have a half each."""
    infinite = jnp.isinf(out)
    away = jnp.where(infinite, 0, x) - jnp.where(infinite, 0, other)
    return jnp.where(infinite, jnp.where(x == other, 0.5, (x == out) & (out > 0)), jax.nn.sigmoid(away * factor))
