"""Random numbers on JAX: its own, by the generator Threefry-2x32, whichever is its default."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.random import threefry2x32_p

from ...backend import rejection
from .core import to_device


def _by(sample: Callable[..., jax.Array], key: Any, *args: Any) -> jax.Array:
    # Numbers by position, as is jax.random's default: a program may have switched that off.
    with jax.threefry_partitionable(True):
        return sample(jax.random.wrap_key_data(key, impl="threefry2x32"), *args)


def _on(result: jax.Array, device: Any) -> jax.Array:
    return result if device is None or isinstance(result, jax.core.Tracer) else to_device(result, device, None)


def _bits(shape: Any, key: Any, *, dtype: Any, device: Any) -> jax.Array:
    return _on(_by(jax.random.bits, key, shape, dtype), device)


def _unit(shape: Any, key: Any, *, dtype: Any, device: Any) -> jax.Array:
    return _on(_by(jax.random.uniform, key, shape, dtype), device)


def _gauss(shape: Any, key: Any, *, dtype: Any, device: Any) -> jax.Array:
    return _on(_by(jax.random.normal, key, shape, dtype), device)


def _split(shape: Any, key: Any, *, dtype: Any, device: Any) -> jax.Array:
    return _on(jax.random.key_data(_by(jax.random.split, key, shape[:-1])), device)


def _fold(shape: Any, key: Any, data: Any, *, dtype: Any, device: Any) -> jax.Array:
    return _on(jax.random.key_data(_by(jax.random.fold_in, key, data)), device)


def _wide(x: Any) -> jax.Array:
    return x.astype(jnp.float32) if x.dtype.itemsize < 4 else x


def _gamma(a: Any, key: Any, *, log: bool = False) -> jax.Array:
    wide = _wide(a)
    return _by(jax.random.loggamma if log else jax.random.gamma, key, wide, a.shape, wide.dtype).astype(a.dtype)


class _Kit(rejection.Kit):
    """JAX's functions for the samplers, of elements along one axis. Words are arrays of uint32.

    For Poisson and binomial numbers: jax.random's own samplers go on for all elements until the last one is accepted,
    and take the last accepted number of each, so that an element depends on its neighbours.
    """

    log, log1p, exp, sqrt = map(staticmethod, (jnp.log, jnp.log1p, jnp.exp, jnp.sqrt))
    floor, ceil, abs, lgamma = map(staticmethod, (jnp.floor, jnp.ceil, jnp.abs, jax.lax.lgamma))
    where, full = staticmethod(jnp.where), staticmethod(jnp.full_like)

    @staticmethod
    def threefry(k0: Any, k1: Any, x0: Any, x1: Any) -> tuple[Any, Any]:
        first, second = threefry2x32_p.bind(*jnp.broadcast_arrays(k0, k1, x0, x1))
        return first, second

    @staticmethod
    def unit(w0: Any, w1: Any, dtype: Any) -> jax.Array:
        if dtype.itemsize == 8:
            word = (w0.astype(jnp.uint64) << 32 | w1) >> 12
            return word.astype(dtype) * 2.0**-52
        return ((w0 ^ w1) >> 9).astype(dtype) * jnp.float32(2.0**-23)

    @staticmethod
    def fixed(i: int) -> jax.Array:
        return jnp.uint32(i)

    @staticmethod
    def take(table: tuple[float, ...], at: Any) -> jax.Array:
        return jnp.take(jnp.asarray(table, at.dtype), at.astype(jnp.int32), mode="clip")

    @staticmethod
    def loop(active: Any, step: Any, carry: Any, state: Any, constants: Any) -> Any:
        """Go on with all elements until none is active; elements that are done stay as they are."""

        def body(values: Any) -> Any:
            carry, state = values
            going = active(state, constants)
            carry, found = step(carry, state, constants)
            kept = [jnp.where(going, new, old) for new, old in zip(found, state, strict=True)]
            return tuple(carry), tuple(kept)

        return jax.lax.while_loop(lambda values: active(values[1], constants).any(), body, (tuple(carry), tuple(state)))


@partial(jax.jit, static_argnums=0)
def _sampled(sample: Any, key: Any, *params: Any) -> jax.Array:
    first = params[0]
    flat = [_wide(p).reshape(-1) for p in params]
    index = jnp.arange(first.size, dtype=jnp.uint32)
    words = (key[0], key[1])
    if first.size > 2**32:
        raise ValueError(f"takes at most 2**32 elements; got {first.size}")
    found = sample(_Kit(), words, (jnp.zeros_like(index), index), *flat, flat[0].dtype)
    return found.astype(first.dtype).reshape(first.shape)


def _poisson(lam: Any, key: Any) -> jax.Array:
    return _sampled(rejection.poisson, key, lam)


def _binomial(n: Any, p: Any, key: Any) -> jax.Array:
    return _sampled(rejection.binomial, key, *jnp.broadcast_arrays(n, p))


_erf = jax.scipy.special.erf
_erfinv = jax.scipy.special.erfinv


# --- with a state --------------------------------------------------------------------------------------------------


class _Source:
    """The source of a `latticework.random.Generator`: a key of JAX. Each draw splits a new key from it."""

    def __init__(self, sequence: Any, device: Any = None) -> None:
        words = jnp.asarray(sequence.generate_state(2), jnp.uint32)
        self.native = jax.random.wrap_key_data(_on(words, device), impl="threefry2x32")

    def state(self) -> dict[str, Any]:
        return {"state": np.array(jax.random.key_data(self.native))}

    def restore(self, state: dict[str, Any]) -> None:
        device = next(iter(self.native.devices()))
        words = jax.device_put(np.asarray(state["state"], np.uint32), device)
        self.native = jax.random.wrap_key_data(words, impl="threefry2x32")

    def _next(self) -> Any:
        self.native, key = jax.random.split(self.native)
        return key

    def unit(self, shape: Any, dtype: Any) -> jax.Array:
        return jax.random.uniform(self._next(), shape, dtype)

    def normal(self, shape: Any, dtype: Any) -> jax.Array:
        return jax.random.normal(self._next(), shape, dtype)

    def exponential(self, shape: Any, dtype: Any) -> jax.Array:
        return jax.random.exponential(self._next(), shape, dtype)

    def integers(self, low: int, high: int, shape: Any, dtype: Any) -> jax.Array:
        limits = jnp.iinfo(jnp.int64 if jax.config.jax_enable_x64 else jnp.int32)
        if low >= limits.min and high <= limits.max and jnp.iinfo(dtype).bits <= limits.bits:
            return jax.random.randint(self._next(), shape, low, high, dtype)
        words = jax.random.bits(self._next(), shape, jnp.uint32)  # without its 64-bit switch
        return (words % jnp.uint32(high - low) if high - low < 2**32 else words) + jnp.uint32(low % 2**32)

    def gamma(self, a: Any) -> jax.Array:
        return jax.random.gamma(self._next(), a, a.shape, a.dtype)

    def poisson(self, lam: Any) -> jax.Array:
        return jax.random.poisson(self._next(), lam, lam.shape).astype(lam.dtype)

    def binomial(self, n: Any, p: Any) -> jax.Array:
        return jax.random.binomial(self._next(), n, p, p.shape, p.dtype)

    def permutation(self, n: int) -> jax.Array:
        return jax.random.permutation(self._next(), n)
