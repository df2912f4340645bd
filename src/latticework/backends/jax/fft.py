"""The Fourier transform extension on JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ...backend.arguments import check_norm
from ...backend.unsupported import refused
from .core import REFUSED


def _along_one(f: Callable[..., jax.Array], *, halved: bool = False) -> Callable[..., jax.Array]:
    def call(x: jax.Array, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> jax.Array:
        if x.ndim and (n if n is not None else x.shape[axis] - halved) < 1:
            raise ValueError("needs 1 element or more")  # JAX gives an array of none
        return compiled(x, n, axis, norm)

    compiled = jax.jit(f, static_argnums=(1, 2, 3))
    call.__name__ = call.__qualname__ = f.__name__
    return call


def _along_many(f: Callable[..., jax.Array], *, halved: bool = False) -> Callable[..., jax.Array]:
    def call(
        x: jax.Array, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
    ) -> Any:
        if s is not None and axes is None:
            raise ValueError("s is given without axes")
        along = [*range(x.ndim)] if axes is None else [*axes]
        if not along:
            check_norm(norm)
        lengths = [x.shape[a] for a in along]
        if halved and lengths:
            lengths[-1] = 2 * (lengths[-1] - 1)
        if s is not None:  # JAX does not know -1
            lengths = [length if n == -1 else n for n, length in zip(s, lengths, strict=True)]
        if not along and f in (jnp.fft.fftn, jnp.fft.ifftn):
            return x.astype(jnp.result_type(x, jnp.complex64))
        if not along or min(lengths) < 1:
            raise ValueError("needs an axis to go along, and 1 element or more")
        return compiled(x, tuple(lengths), tuple(along), norm)

    compiled = jax.jit(f, static_argnums=(1, 2, 3))
    call.__name__ = call.__qualname__ = f.__name__
    return call


fft = _along_one(jnp.fft.fft)
ifft = _along_one(jnp.fft.ifft)
rfft = _along_one(jnp.fft.rfft)
irfft = _along_one(jnp.fft.irfft, halved=True)
hfft = _along_one(jnp.fft.hfft, halved=True)
ihfft = _along_one(jnp.fft.ihfft)
fftn = _along_many(jnp.fft.fftn)
ifftn = _along_many(jnp.fft.ifftn)
rfftn = _along_many(jnp.fft.rfftn)
irfftn = _along_many(jnp.fft.irfftn, halved=True)

REFUSED.update(refused("fft"))
