"""`jax.scipy.fft`: the discrete cosine transform of type 2, and its inverse."""

from __future__ import annotations

import math
from typing import Any

from .. import numpy as jnp
from ..core import as_array, dialect, ops


def _real(x: Any, name: str) -> Any:
    x = as_array(x, name)
    if x.dtype.kind == "c":
        raise ValueError(f"{name}: takes real arrays; got {x.dtype}")
    return x if x.dtype.kind in "fV" else x.astype(float)


def _checked(type: int, norm: str | None) -> None:
    if type != 2:
        raise NotImplementedError("Only DCT type 2 is implemented.")
    if norm is not None and norm not in ("backward", "ortho"):
        raise ValueError(f"jax.scipy.fft.dct: {norm!r} is not implemented")


def _with_extent(x: Any, n: int | None, axis: int) -> Any:
    if n is None or n == x.shape[axis]:
        return x
    x = ops.moveaxis(x, axis, 0)
    x = x[:n] if n < x.shape[0] else jnp.concatenate([x, jnp.zeros((n - x.shape[0], *x.shape[1:]), x.dtype)])
    return ops.moveaxis(x, 0, axis)


def dct(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    _checked(type, norm)
    x = ops.moveaxis(_with_extent(_real(x, "dct"), n, axis), axis, -1)
    size = x.shape[-1]
    turned = jnp.concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], axis=-1)
    phase = jnp.exp(-1j * math.pi * jnp.arange(size) / (2 * size))
    found = 2 * jnp.real(jnp.fft.fft(turned, axis=-1) * phase)
    if norm == "ortho":
        found = found * jnp.where(jnp.arange(size) == 0, math.sqrt(1 / (4 * size)), math.sqrt(1 / (2 * size)))
    return ops.moveaxis(found.astype(x.dtype), -1, axis)


def idct(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    _checked(type, norm)
    x = ops.moveaxis(_with_extent(_real(x, "idct"), n, axis), axis, -1)
    size, places = x.shape[-1], jnp.arange(x.shape[-1])
    if norm == "ortho":
        x = x * jnp.where(places == 0, math.sqrt(4 * size), math.sqrt(2 * size)).astype(x.dtype)
    mirrored = jnp.where(places == 0, 0, jnp.roll(x[..., ::-1], 1, axis=-1))
    spectrum = (x - 1j * mirrored) / 2 * jnp.exp(1j * math.pi * places / (2 * size))
    turned = jnp.real(jnp.fft.ifft(spectrum, axis=-1))
    half = (size + 1) // 2
    order = jnp.argsort(jnp.concatenate([jnp.arange(0, size, 2), jnp.arange(1, size, 2)[::-1]]))
    del half
    return ops.moveaxis(jnp.take(turned, order, axis=-1).astype(x.dtype), -1, axis)


def dctn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    return _over_axes(dct, x, type, s, axes, norm)


def idctn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: str | None = None) -> Any:
    return _over_axes(idct, x, type, s, axes, norm)


def _over_axes(f: Any, x: Any, type: int, s: Any, axes: Any, norm: Any) -> Any:
    x = as_array(x)
    axes = range(x.ndim) if axes is None else axes
    extents = [None] * len(axes) if s is None else s
    for axis, n in zip(axes, extents, strict=True):
        x = f(x, type, n, axis, norm)
    return x


dialect.finish(globals(), view="jax.scipy.fft")
