"""Statistical functions on JAX, and `all` and `any`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ...backend.arguments import check_axis, check_integer, only_axis, with_ends
from ...backend.plain import NativeCall, comes_to
from ...backend.slopes import own_slopes as _own_slopes
from ...core.dtypes import bfloat16, complex64, complex128, float16
from .core import EMULATED, root, truth

Axes = int | tuple[int, ...] | None
#: The floats of 16 bits. JAX adds and multiplies these in float32 where no dtype is given.
_SHORT = frozenset((jnp.dtype(jnp.float16), jnp.dtype(jnp.bfloat16)))


def numbers(axis: Axes) -> Axes:
    """Return the axes as they are; JAX takes a name for an axis of jax.vmap as well."""
    for a in axis if isinstance(axis, tuple) else (axis,):
        check_integer(a)
    return axis


def _reduction(f: Callable[..., Any]) -> Callable[..., NativeCall | None]:
    """Make the function that tells which call of jax.numpy stands for a reduction."""

    def plain(x: jax.Array, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> NativeCall | None:
        options: dict[str, Any] = {} if axis is None else {"axis": axis}
        options |= {"keepdims": True} if keepdims else {}
        if dtype is not None and dtype != x.dtype and dtype in _SHORT:
            return None
        # Sums and products of narrower integers have 64 bits unless another dtype is requested.
        same = dtype is None or (dtype == x.dtype and (x.dtype.itemsize == 8 or jnp.issubdtype(dtype, jnp.inexact)))
        return f, (x,), options if same else {**options, "dtype": dtype}

    return plain


# --- sums and products --------------------------------------------------------------------------------------------


def sum(x: jax.Array, *, axis: Axes = None, dtype: Any, keepdims: bool = False) -> jax.Array:
    if dtype in _SHORT:
        return jnp.sum(x.astype(dtype), numbers(axis), keepdims=keepdims)
    return jnp.sum(x, numbers(axis), dtype, keepdims=keepdims)


comes_to(sum, _reduction(jnp.sum))


def prod(x: jax.Array, *, axis: Axes = None, dtype: Any, keepdims: bool = False) -> jax.Array:
    if dtype in _SHORT:
        return jnp.prod(x.astype(dtype), numbers(axis), keepdims=keepdims)
    return jnp.prod(x, numbers(axis), dtype, keepdims=keepdims)


comes_to(prod, _reduction(jnp.prod))


def cumulative_sum(x: jax.Array, *, axis: int | None = None, dtype: Any, include_initial: bool = False) -> jax.Array:
    return _running(jnp.cumulative_sum, x, axis, dtype, include_initial)


def cumulative_prod(x: jax.Array, *, axis: int | None = None, dtype: Any, include_initial: bool = False) -> jax.Array:
    return _running(jnp.cumulative_prod, x, axis, dtype, include_initial)


def _running(
    f: Callable[..., jax.Array], x: jax.Array, axis: int | None, dtype: Any, include_initial: bool
) -> jax.Array:
    """Compute a running sum or product; in float32 for 16 bits, which JAX rounds at each step."""
    axis = only_axis(x.ndim) if axis is None else axis
    work = dtype
    if dtype in _SHORT:
        x, work = x.astype(dtype).astype(jnp.float32), jnp.float32
    return f(x, axis=axis, dtype=work, include_initial=include_initial).astype(dtype)


for _d in (float16, bfloat16):
    EMULATED["cumulative_sum", _d], EMULATED["cumulative_prod", _d] = cumulative_sum, cumulative_prod


def diff(x: jax.Array, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> jax.Array:
    if not n:
        check_axis(x.ndim, axis)
    return jnp.diff(with_ends(x, axis, prepend, append, jnp.broadcast_to, jnp.concatenate), n, axis)


# --- extremes -----------------------------------------------------------------------------------------------------


#: The least number of elements of which XLA's greatest and least on a CPU may pass over nan, as those of jaxlib 0.10.2.
_LARGE = 4096


@cache
def _passes_over_nan() -> bool:
    """Try whether the greatest of a large array passes over nan, on the device that JAX computes on."""
    with jax.ensure_compile_time_eval():
        return not bool(jnp.isnan(jnp.max(jnp.zeros(_LARGE).at[0].set(jnp.nan))))


def nan_is_lost(x: jax.Array) -> bool:
    """Tell whether a reduction may pass over nan. In jax.vmap an array has more elements than its shape says."""
    if not (isinstance(x, jax.core.Tracer) or x.size >= _LARGE):
        return False
    return jnp.issubdtype(x.dtype, jnp.floating) and _passes_over_nan()


def _beside_nan(f: Callable[..., jax.Array]) -> Callable[..., jax.Array]:
    """Make an extreme that is nan beside nan, with nan for the derivatives: XLA's own may pass over nan on a CPU."""

    @partial(jax.custom_jvp, nondiff_argnums=(1, 2))
    def found(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
        return jnp.where(jnp.any(jnp.isnan(x), axis, keepdims=keepdims), jnp.nan, f(x, axis, keepdims=keepdims))

    @found.defjvp
    def along(axis: Axes, keepdims: bool, primals: Any, tangents: Any) -> Any:
        (x,), (t,) = primals, tangents
        out = found(x, axis, True)
        hit = x == out
        share = hit / jnp.sum(hit, axis, keepdims=True)  # of equal ones, as JAX has it
        share = jnp.where(jnp.isnan(out), jnp.nan, share).astype(t.dtype)
        return found(x, axis, keepdims), jnp.sum(share * t, axis, keepdims=keepdims)

    return found


_greatest, _least = _beside_nan(jnp.max), _beside_nan(jnp.min)


@partial(jax.jit, static_argnames=("axis", "keepdims"))
def _max_with_nan(x: jax.Array, *, axis: Axes = None, keepdims: bool = False) -> jax.Array:
    return _greatest(x, axis, keepdims)


@partial(jax.jit, static_argnames=("axis", "keepdims"))
def _min_with_nan(x: jax.Array, *, axis: Axes = None, keepdims: bool = False) -> jax.Array:
    return _least(x, axis, keepdims)


def _extreme(f: Callable[..., jax.Array], with_nan: Callable[..., jax.Array]) -> Callable[..., NativeCall | None]:
    """Make the function that tells which call stands for an extreme."""

    def call(x: jax.Array, *, axis: Axes = None, keepdims: bool = False) -> NativeCall | None:
        lost = jnp.issubdtype(x.dtype, jnp.floating) and _passes_over_nan()
        return _reduction(with_nan if lost else f)(x, axis=axis, keepdims=keepdims)

    return call


def max(x: jax.Array, *, axis: Axes = None, keepdims: bool = False) -> jax.Array:
    if nan_is_lost(x):
        return _max_with_nan(x, axis=numbers(axis), keepdims=keepdims)
    return jnp.max(x, numbers(axis), keepdims=keepdims)


comes_to(max, _extreme(jnp.max, _max_with_nan), _max_with_nan)


def min(x: jax.Array, *, axis: Axes = None, keepdims: bool = False) -> jax.Array:
    if nan_is_lost(x):
        return _min_with_nan(x, axis=numbers(axis), keepdims=keepdims)
    return jnp.min(x, numbers(axis), keepdims=keepdims)


comes_to(min, _extreme(jnp.min, _min_with_nan), _min_with_nan)


# --- mean and spread ----------------------------------------------------------------------------------------------


def mean(x: jax.Array, *, axis: Axes = None, keepdims: bool = False) -> jax.Array:
    return jnp.mean(x, numbers(axis), keepdims=keepdims)


comes_to(mean, _reduction(jnp.mean))


@partial(jax.jit, static_argnames=("axis", "keepdims"))
def _mean_complex(x: jax.Array, *, axis: Axes = None, keepdims: bool = False) -> jax.Array:
    """Divide each component: a complex division by the count makes inf + 1j an inf + nanj."""
    return jax.lax.complex(mean(x.real, axis=axis, keepdims=keepdims), mean(x.imag, axis=axis, keepdims=keepdims))


def _count(x: jax.Array, axis: Axes) -> int:
    """Count the elements of each mean."""
    numbers(axis)
    if axis is None:
        return int(x.size)
    return math.prod(x.shape[a] for a in axis) if isinstance(axis, tuple) else int(x.shape[axis])


def var(x: jax.Array, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> jax.Array:
    if _count(x, axis) <= correction:
        return _no_spread(x, axis, keepdims)
    return jnp.var(x, axis, ddof=correction, keepdims=keepdims)


def std(x: jax.Array, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> jax.Array:
    if _count(x, axis) <= correction:
        return _no_spread(x, axis, keepdims)
    return _deviation(x, axis, correction, keepdims)


@partial(jax.jit, static_argnums=(1, 2, 3))
def _deviation(x: jax.Array, axis: Axes, correction: float, keepdims: bool) -> jax.Array:
    if x.dtype.itemsize < 4:  # jnp.std takes the root of a variance that is out of the range of float16
        return _deviation(x.astype(jnp.float32), axis, correction, keepdims).astype(x.dtype)
    if x.dtype.kind != "f":
        return jnp.std(x, axis, ddof=correction, keepdims=keepdims)
    return root(jnp.var(x, axis, ddof=correction, keepdims=keepdims))


def _no_spread(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    """Return nan, where JAX would divide by zero and give an infinity."""
    return jnp.sum(x.real, axis, keepdims=keepdims) * jnp.nan


# --- truth --------------------------------------------------------------------------------------------------------


@partial(jax.jit, static_argnames=("axis", "keepdims"))
def all(x: jax.Array, *, axis: Axes = None, keepdims: bool = False) -> jax.Array:
    return jnp.all(truth(x), numbers(axis), keepdims=keepdims)


@partial(jax.jit, static_argnames=("axis", "keepdims"))
def any(x: jax.Array, *, axis: Axes = None, keepdims: bool = False) -> jax.Array:
    return jnp.any(truth(x), numbers(axis), keepdims=keepdims)


for _d in (complex64, complex128):
    EMULATED["mean", _d] = _mean_complex

# --- numerical ----------------------------------------------------------------------------------------------------


def convolve(x1: jax.Array, x2: jax.Array, *, mode: Any = "full") -> jax.Array:
    half = x1.dtype.itemsize == 2 and jnp.issubdtype(x1.dtype, jnp.floating)
    wide = jnp.float32 if half else None
    return jnp.convolve(x1, x2, mode, precision="highest", preferred_element_type=wide).astype(x1.dtype)


# --- running ------------------------------------------------------------------------------------------------------
# JAX's functions count no axis from the end.


def _latest(f: Callable[..., Any]) -> Callable[..., Any]:
    """Make a running extreme, each of which has the derivative of the last one of the elements that equal it."""

    @partial(jax.custom_jvp, nondiff_argnums=(1,))
    def own(x: Any, axis: int) -> Any:
        return f(x, axis=axis)

    @own.defjvp
    def along(axis: int, xs: Any, tangents: Any) -> Any:
        (x,), (tangent,) = xs, tangents
        out = own(x, axis)
        positions = lax.broadcasted_iota(np.int32, x.shape, axis)
        sources = lax.cummax(jnp.where((x == out) | jnp.isnan(x), positions, 0), axis=axis)
        return out, jnp.take_along_axis(tangent, sources, axis=axis)

    def call(x: Any, *, axis: int) -> Any:
        return own(x, axis)

    return jax.jit(call, static_argnames="axis")


_running_max, _running_min = _latest(lax.cummax), _latest(lax.cummin)


def cummax(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    return _accumulated(_running_max, x, axis)


def cummin(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    return _accumulated(_running_min, x, axis)


def _cummax_natively(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    return _accumulated(lax.cummax, x, axis)


def _cummin_natively(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    return _accumulated(lax.cummin, x, axis)


_own_slopes(cummax, _cummax_natively)
_own_slopes(cummin, _cummin_natively)


def logcumsumexp(x: jax.Array, *, axis: int | None = None) -> jax.Array:
    """Compute logcumsumexp: JAX's derivatives are nan where the sum is of zeros, whose logarithm is -inf."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return _accumulated(lax.cumlogsumexp, x, axis)
    return _logcumsumexp(x, axis)


@partial(jax.jit, static_argnums=1)
def _logcumsumexp(x: jax.Array, axis: int | None) -> jax.Array:
    greatest = _accumulated(lax.cummax, x, axis)
    least = jnp.asarray(jnp.finfo(x.dtype).min / 4, x.dtype)
    total = _accumulated(lax.cumlogsumexp, jnp.where(x == -jnp.inf, least, x), axis)
    return jnp.where(greatest == -jnp.inf, greatest, total)


def _accumulated(f: Callable[..., Any], x: jax.Array, axis: int | None) -> jax.Array:
    axis = only_axis(x.ndim) if axis is None else axis
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} is out of bounds")
    if x.dtype == bool:  # which these take none of
        return f(x.astype("uint8"), axis=axis % x.ndim).astype(bool)
    result: jax.Array = f(x, axis=axis % x.ndim)
    return result
