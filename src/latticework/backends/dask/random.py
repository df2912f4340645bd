"""Random numbers on Dask: NumPy's, for each block by the positions of its elements. The chunks change no number."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ...backend import rejection
from ..numpy import random as on_numpy
from .blocks import by_block, call, kernel, positions, require_known

#: The name of the axis of a key, which no result has.
_KEY = -1


def _drawn(shape: Any, key: da.Array, dtype: Any, finish: Callable[..., Any], last: int | None = None) -> da.Array:
    """Make an array by `finish` from the random words of each element. `last`: the extent of one more axis."""
    shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    if any(operator.index(n) < 0 for n in shape):
        raise ValueError(f"a shape has no negative extents; got {shape}")
    chunks = da.core.normalize_chunks("auto", shape, dtype=dtype) if shape else ()
    block = partial(_block, shape=shape, dtype=dtype, finish=finish)
    pairs = [part for axis, c in enumerate(chunks) for part in (positions(c), (axis,))]
    axes = tuple(range(len(shape)))
    more: dict[str, Any] = {} if last is None else {"new_axes": {len(shape): last}}
    out = axes if last is None else (*axes, len(shape))
    return call(block, out, key, (_KEY,), *pairs, dtype=dtype, concatenate=True, **more)


def _block(key: Any, *places: Any, shape: tuple[int, ...], dtype: Any, finish: Callable[..., Any]) -> np.ndarray:
    index = _index(places, shape)
    return finish(index.shape, key, index)


def _index(places: tuple[Any, ...], shape: tuple[int, ...]) -> np.ndarray:
    """Return the positions of a block's elements in the whole array, from those along each axis."""
    index = np.zeros((), np.int64)
    for axis, at in enumerate(places):
        index = index[..., None] * shape[axis] + at
    return np.asarray(index)


def _bits_of(shape: Any, key: Any, index: Any, dtype: Any) -> np.ndarray:
    return on_numpy.drawn(shape, key, dtype, partial(on_numpy.as_bits, dtype=dtype), index)


def _unit_of(shape: Any, key: Any, index: Any, dtype: Any) -> np.ndarray:
    return on_numpy.drawn(shape, key, dtype, partial(on_numpy.as_unit, dtype=dtype), index)


def _normal_of(shape: Any, key: Any, index: Any, dtype: Any) -> np.ndarray:
    return on_numpy.drawn(shape, key, dtype, partial(on_numpy.as_normal, dtype=dtype), index)


def _keys_of(shape: Any, key: Any, index: Any) -> np.ndarray:
    words = on_numpy.threefry(*on_numpy.words_of(key), *on_numpy.counters(index.reshape(-1)))
    return np.stack(words, axis=-1).reshape(*shape, 2)


def _bits(shape: Any, key: da.Array, *, dtype: Any, device: Any) -> da.Array:
    return _drawn(shape, key, dtype, partial(_bits_of, dtype=dtype))


def _unit(shape: Any, key: da.Array, *, dtype: Any, device: Any) -> da.Array:
    return _drawn(shape, key, dtype, partial(_unit_of, dtype=dtype))


def _gauss(shape: Any, key: da.Array, *, dtype: Any, device: Any) -> da.Array:
    return _drawn(shape, key, dtype, partial(_normal_of, dtype=dtype))


def _split(shape: Any, key: da.Array, *, dtype: Any, device: Any) -> da.Array:
    return _drawn(shape[:-1], key, dtype, _keys_of, last=2)


def _fold(shape: Any, key: da.Array, data: da.Array, *, dtype: Any, device: Any) -> da.Array:
    return call(_folded, (0,), key, (_KEY,), data, (), dtype=dtype, concatenate=True, new_axes={0: 2})


def _folded(key: Any, data: Any) -> np.ndarray:
    return on_numpy._fold((2,), key, data, dtype=None)


def _sampled(sample: Callable[..., Any], key: da.Array, *params: da.Array) -> da.Array:
    """Draw samples by rejection with parameters of each element."""
    params = tuple(da.broadcast_arrays(*params)) if len(params) > 1 else params
    first = params[0]
    require_known(first)
    axes = tuple(range(first.ndim))
    pairs = [part for axis in axes for part in (positions(first.chunks[axis]), (axis,))]
    operands = [part for p in params for part in (p, axes)]
    block = partial(_sampled_block, sample=sample, count=len(params), shape=first.shape)
    return call(block, axes, key, (_KEY,), *operands, *pairs, dtype=first.dtype, concatenate=True)


def _sampled_block(
    key: Any, *blocks: Any, sample: Callable[..., Any], count: int, shape: tuple[int, ...]
) -> np.ndarray:
    return on_numpy.elementwise(sample, key, *blocks[:count], index=_index(blocks[count:], shape))


def _gamma(a: da.Array, key: da.Array, *, log: bool = False) -> da.Array:
    return _sampled(partial(rejection.gamma, log=log), key, a)


def _poisson(lam: da.Array, key: da.Array) -> da.Array:
    return _sampled(rejection.poisson, key, lam)


def _binomial(n: da.Array, p: da.Array, key: da.Array) -> da.Array:
    return _sampled(rejection.binomial, key, n, p)


def _erf(x: da.Array) -> da.Array:
    return by_block(kernel("random._erf", x), x.dtype, x)


def _erfinv(x: da.Array) -> da.Array:
    return by_block(kernel("random._erfinv", x), x.dtype, x)


# --- with a state --------------------------------------------------------------------------------------------------


class _Source:
    """The source of a `latticework.random.Generator`: Dask's generator, which has one of NumPy's for each block."""

    def __init__(self, sequence: Any, device: Any = None) -> None:
        self.native = da.random.default_rng(int(sequence.generate_state(1, np.uint64)[0]))

    def state(self) -> dict[str, Any]:
        """Return the state of its bit generator, and how many it has made for blocks."""
        own = self.native._bit_generator
        return {"state": own.state, "seed": own.seed_seq.state}

    def restore(self, state: dict[str, Any]) -> None:
        own = type(self.native._bit_generator)(np.random.SeedSequence(**state["seed"]))
        own.state = state["state"]
        self.native = da.random.Generator(own)

    def unit(self, shape: Any, dtype: Any) -> da.Array:
        return self.native.random(shape).astype(dtype)

    def normal(self, shape: Any, dtype: Any) -> da.Array:
        return self.native.standard_normal(shape).astype(dtype)

    def exponential(self, shape: Any, dtype: Any) -> da.Array:
        return self.native.standard_exponential(shape).astype(dtype)

    def integers(self, low: int, high: int, shape: Any, dtype: Any) -> da.Array:
        return self.native.integers(low, high, shape, dtype=np.int64).astype(dtype)

    def gamma(self, a: da.Array) -> da.Array:
        return self._sampled("standard_gamma", a)

    def poisson(self, lam: da.Array) -> da.Array:
        return self._sampled("poisson", lam)

    def binomial(self, n: da.Array, p: da.Array) -> da.Array:
        return self._sampled("binomial", n.astype(np.int64), p)

    def hypergeometric(self, good: da.Array, bad: da.Array, sample: da.Array) -> da.Array:
        counts = [x.astype(np.int64) for x in (good, bad, sample)]
        return self._sampled("hypergeometric", *counts).astype(good.dtype)

    def von_mises(self, kappa: da.Array) -> da.Array:
        return self._sampled("vonmises", da.zeros_like(kappa), kappa)

    def zipf(self, a: da.Array) -> da.Array:
        return self._sampled("zipf", a)

    def _sampled(self, name: str, *params: da.Array) -> da.Array:
        """Draw numbers of a distribution with parameters of one shape, in the dtype of the last. Dask fails for no
        elements."""
        *_, last = params = da.broadcast_arrays(*params)
        if 0 in last.shape:
            return da.zeros_like(last)
        return getattr(self.native, name)(*params, last.shape, chunks=last.chunks).astype(last.dtype)

    def permutation(self, n: int) -> da.Array:
        return self.native.permutation(n)
