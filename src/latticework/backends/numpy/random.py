"""Random numbers on NumPy: the counter-based generator Threefry-2x32, and numbers from its words.

Element i of a result depends on the key and on i alone, so blocks of it can be computed apart, in any order. Salmon et
al., "Parallel random numbers: as easy as 1, 2, 3" (2011); the counters and the way from words to numbers are
jax.random's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...backend import rejection
from ...backend.rejection import MASK, PARITY, ROTATIONS, erfinv_polynomial
from .core import BFLOAT16

UINT32 = np.dtype(np.uint32)
FLOAT32 = np.dtype(np.float32)

#: The number of elements computed at once: the results of a step are in the cache when the next step reads them.
BLOCK = 1 << 14


def threefry(k0: Any, k1: Any, x0: np.ndarray, x1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute Threefry-2x32 of counters, which are overwritten. The keys have their shape, or are ints."""
    if isinstance(k0, int):
        keys = [k0, k1, k0 ^ k1 ^ PARITY]
    else:
        keys = [k0, k1, k0 ^ k1 ^ UINT32.type(PARITY)]
    shifted = np.empty_like(x0)
    x0 += keys[0]
    x1 += keys[1]
    for i in range(5):
        for r in ROTATIONS[i % 2]:
            x0 += x1
            np.left_shift(x1, r, out=shifted)
            x1 >>= 32 - r
            x1 |= shifted
            x1 ^= x0
        x0 += keys[(i + 1) % 3]
        last = keys[(i + 2) % 3]
        x1 += (last + i + 1) & MASK if isinstance(last, int) else last + UINT32.type(i + 1)
    return x0, x1


def words_of(key: Any) -> tuple[int, int]:
    """Return the two words of a key as Python ints."""
    first, second = np.asarray(key).tolist()
    return first, second


def counters(index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the two words of positions, new arrays."""
    return (index >> 32).astype(np.uint32), index.astype(np.uint32)


Finish = Callable[[np.ndarray, np.ndarray], np.ndarray]


def drawn(shape: Any, key: Any, dtype: Any, finish: Finish, index: np.ndarray | None = None) -> np.ndarray:
    """Make an array by `finish` from the random words of each element. `index`: the positions if not 0, 1, 2, …"""
    k0, k1 = words_of(key)
    shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    size = math.prod(shape)
    result = np.empty(size, dtype)
    places = None if index is None else index.reshape(-1)
    for start in range(0, size, BLOCK):
        stop = min(start + BLOCK, size)
        at = np.arange(start, stop, dtype=np.int64) if places is None else places[start:stop]
        result[start:stop] = finish(*threefry(k0, k1, *counters(at)))
    return result.reshape(shape)


# --- from words to numbers -----------------------------------------------------------------------------------------


def as_bits(w0: np.ndarray, w1: np.ndarray, dtype: Any) -> np.ndarray:
    """Return bits of an unsigned dtype."""
    if dtype.itemsize == 8:
        wide = w0.astype(np.uint64)
        wide <<= np.uint64(32)
        wide |= w1
        return wide
    return np.bitwise_xor(w0, w1).astype(dtype, copy=False)


def as_unit(w0: np.ndarray, w1: np.ndarray, dtype: Any) -> np.ndarray:
    """Return numbers in [0, 1), multiples of the spacing of the dtype's numbers from 1 to 2."""
    if dtype.itemsize == 8:
        result = (as_bits(w0, w1, np.dtype(np.uint64)) >> np.uint64(12)).astype(np.float64)
        result *= 2.0**-52
        return result
    word = np.bitwise_xor(w0, w1)
    if dtype == FLOAT32:
        word >>= 9
        scale = 2.0**-23
    elif dtype == BFLOAT16:
        word &= 0xFF
        word >>= 1
        scale = 2.0**-7
    else:
        word &= 0xFFFF
        word >>= 6
        scale = 2.0**-10
    result = word.astype(np.float32)
    result *= np.float32(scale)
    return result.astype(dtype, copy=False)


def as_normal(w0: np.ndarray, w1: np.ndarray, dtype: Any) -> np.ndarray:
    """Return numbers of the standard normal distribution."""
    u = as_unit(w0, w1, dtype)
    low = np.nextafter(dtype.type(-1), dtype.type(0))
    u = np.maximum(u * (dtype.type(1) - low) + low, low)
    if dtype.itemsize < 4:
        return dtype.type(math.sqrt(2)) * erfinv(u.astype(np.float32)).astype(dtype)
    result = erfinv(u)
    result *= dtype.type(math.sqrt(2))
    return result


def erfinv(x: np.ndarray) -> np.ndarray:
    """Compute the inverse of the error function inside of (-1, 1), in float32 or float64."""
    w = -np.log1p(-x * x)
    (_, coefficients, shift), *others = erfinv_polynomial(w, np.sqrt, double=x.dtype.itemsize == 8)
    result = _polynomial(coefficients, shift(w))  # for nearly all of them
    for inside, coefficients, shift in others:
        at = np.nonzero(inside)
        result[at] = _polynomial(coefficients, shift(w[at]))
    result *= x
    return result


def _polynomial(coefficients: tuple[float, ...], x: np.ndarray) -> np.ndarray:
    result = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        result *= x
        result += c
    return result


# --- creation ------------------------------------------------------------------------------------------------------


def _bits(shape: Any, key: Any, *, dtype: Any, device: Any = None) -> np.ndarray:
    return drawn(shape, key, dtype, partial(as_bits, dtype=dtype))


def _unit(shape: Any, key: Any, *, dtype: Any, device: Any = None) -> np.ndarray:
    return drawn(shape, key, dtype, partial(as_unit, dtype=dtype))


def _gauss(shape: Any, key: Any, *, dtype: Any, device: Any = None) -> np.ndarray:
    return drawn(shape, key, dtype, partial(as_normal, dtype=dtype))


def _split(shape: Any, key: Any, *, dtype: Any, device: Any = None) -> np.ndarray:
    index = np.arange(math.prod(shape[:-1]), dtype=np.int64)
    return np.stack(threefry(*words_of(key), *counters(index)), axis=-1).reshape(shape)


def _fold(shape: Any, key: Any, data: Any, *, dtype: Any, device: Any = None) -> np.ndarray:
    x1 = np.asarray(data, dtype=np.uint32).reshape(1).copy()
    return np.concatenate(threefry(*words_of(key), np.zeros_like(x1), x1))


# --- by rejection --------------------------------------------------------------------------------------------------


class _Kit(rejection.Kit):
    """NumPy's functions for the samplers, of elements along one axis. Words are arrays of uint32."""

    log, log1p, exp, sqrt, floor, ceil, abs = np.log, np.log1p, np.exp, np.sqrt, np.floor, np.ceil, np.abs
    where = staticmethod(np.where)

    @staticmethod
    def threefry(k0: Any, k1: Any, x0: Any, x1: Any) -> tuple[Any, Any]:
        shape = np.broadcast_shapes(k0.shape, x1.shape)
        return threefry(k0, k1, *(np.broadcast_to(x, shape).copy() for x in (x0, x1)))

    unit = staticmethod(as_unit)
    normal = staticmethod(as_normal)

    @staticmethod
    def fixed(i: int) -> np.ndarray:
        return np.full(1, i, np.uint32)

    @staticmethod
    def full(like: np.ndarray, value: float) -> np.ndarray:
        return np.full_like(like, value)

    @staticmethod
    def take(table: tuple[float, ...], at: np.ndarray) -> np.ndarray:
        return np.take(np.asarray(table, at.dtype), at.astype(np.int64), mode="clip")

    @staticmethod
    def lgamma(x: np.ndarray) -> np.ndarray:
        return rejection.lgamma(x.astype(np.float64), np.log).astype(x.dtype)

    @staticmethod
    def loop(active: Any, step: Any, carry: Any, state: Any, constants: Any) -> Any:
        """Go on with only the elements that are not done."""
        result = [np.array(x) for x in state]
        alive = np.arange(result[0].size)
        while True:
            going = active(state, constants)
            if not going.all():
                for whole, x in zip(result, state, strict=True):
                    whole[alive] = x
                alive = alive[going]
                state, constants = (tuple([x[going] for x in xs]) for xs in (state, constants))
            if not alive.size:
                return carry, tuple(result)
            carry, state = step(carry, state, constants)


KIT = _Kit()


def elementwise(sample: Callable[..., Any], key: Any, *params: Any, index: np.ndarray | None = None) -> np.ndarray:
    """Draw samples with these parameters, arrays of one shape, at the positions in `index` or 0, 1, 2, …

    `sample` gets the words of the key and of the positions, and the parameters, along one axis.
    """
    first = params[0]
    computed = np.promote_types(first.dtype, np.float32) if first.dtype != BFLOAT16 else FLOAT32
    flat = [np.asarray(p, computed).reshape(-1) for p in params]
    result = np.empty(first.size, first.dtype)
    words = tuple([np.full(1, w, np.uint32) for w in words_of(key)])
    places = np.arange(first.size, dtype=np.int64) if index is None else index.reshape(-1)
    with np.errstate(all="ignore"):
        for start in range(0, first.size, BLOCK):
            part = slice(start, start + BLOCK)
            result[part] = sample(KIT, words, counters(places[part]), *[p[part] for p in flat], computed)
    return result.reshape(first.shape)


def _gamma(a: Any, key: Any, *, log: bool = False) -> np.ndarray:
    return elementwise(partial(rejection.gamma, log=log), key, a)


def _poisson(lam: Any, key: Any) -> np.ndarray:
    return elementwise(rejection.poisson, key, lam)


def _binomial(n: Any, p: Any, key: Any) -> np.ndarray:
    return elementwise(rejection.binomial, key, *np.broadcast_arrays(n, p))


# --- special functions ---------------------------------------------------------------------------------------------


def _erfinv(x: Any) -> np.ndarray:
    wide = np.asarray(x, FLOAT32) if x.dtype.itemsize < 4 else x
    with np.errstate(all="ignore"):
        result = np.where(np.abs(wide) == 1, wide * np.inf, erfinv(np.atleast_1d(wide)).reshape(wide.shape))
    return result.astype(x.dtype, copy=False)


_each_erf = np.frompyfunc(math.erf, 1, 1)


def _erf(x: Any) -> np.ndarray:
    # Element by element: the bounds of a distribution are few.
    return np.asarray(_each_erf(x.astype(np.float64)), np.float64).astype(x.dtype)


# --- with a state --------------------------------------------------------------------------------------------------


class _Source:
    """The source of a `latticework.random.Generator`: NumPy's generator."""

    def __init__(self, sequence: np.random.SeedSequence | np.random.Generator, device: Any = None) -> None:
        own = isinstance(sequence, np.random.Generator)
        self.native = sequence if own else np.random.Generator(np.random.PCG64(sequence))

    def state(self) -> dict[str, Any]:
        return {"state": self.native.bit_generator.state}

    def restore(self, state: dict[str, Any]) -> None:
        self.native.bit_generator.state = state["state"]

    def unit(self, shape: Any, dtype: Any) -> np.ndarray:
        return self._floats(self.native.random, shape, dtype)

    def normal(self, shape: Any, dtype: Any) -> np.ndarray:
        return self._floats(self.native.standard_normal, shape, dtype)

    def exponential(self, shape: Any, dtype: Any) -> np.ndarray:
        return self._floats(self.native.standard_exponential, shape, dtype)

    def _floats(self, draw: Any, shape: Any, dtype: Any) -> np.ndarray:
        wide = dtype if dtype.itemsize >= 4 else FLOAT32
        return np.asarray(draw(shape, dtype=wide)).astype(dtype, copy=False)

    def integers(self, low: int, high: int, shape: Any, dtype: Any) -> np.ndarray:
        return np.asarray(self.native.integers(low, high, shape, dtype=dtype))

    def gamma(self, a: np.ndarray) -> np.ndarray:
        return np.asarray(self.native.standard_gamma(a, dtype=a.dtype))

    def poisson(self, lam: np.ndarray) -> np.ndarray:
        return np.asarray(self.native.poisson(lam)).astype(lam.dtype)

    def binomial(self, n: np.ndarray, p: np.ndarray) -> np.ndarray:
        return np.asarray(self.native.binomial(n.astype(np.int64), p)).astype(p.dtype)

    def hypergeometric(self, good: np.ndarray, bad: np.ndarray, sample: np.ndarray) -> np.ndarray:
        counts = [x.astype(np.int64) for x in (good, bad, sample)]
        return np.asarray(self.native.hypergeometric(*counts)).astype(good.dtype)

    def von_mises(self, kappa: np.ndarray) -> np.ndarray:
        return np.asarray(self.native.vonmises(0.0, kappa)).astype(kappa.dtype)

    def zipf(self, a: np.ndarray) -> np.ndarray:
        return np.asarray(self.native.zipf(a)).astype(a.dtype)

    def permutation(self, n: int) -> np.ndarray:
        return self.native.permutation(n)
