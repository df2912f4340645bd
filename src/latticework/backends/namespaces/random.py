"""Random numbers in functions of the standard: the generator Threefry-2x32 on words of uint32, and numbers from them.

The counters and the way from words to numbers are those of the other backends, so that a key gives the same numbers.
The sums of words wrap around, as unsigned integers do in every framework.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from ...backend import rejection
from ...backend.rejection import PARITY, ROTATIONS
from .functions import Functions, made

__all__: list[str] = []

#: What words need.
_NEEDS = ("bitwise_xor", "bitwise_or", "bitwise_left_shift", "bitwise_right_shift", "add")


def _native(f: Functions, name: str) -> Any:
    return next(n for n, d in f._backend.dtypes.items() if str(d) == name)


def _words(f: Functions, values: list[int]) -> Any:
    return f._xp.asarray(values, dtype=_native(f, "uint32"))


def _word(f: Functions, value: int) -> Any:
    return f._backend.scalar(_native(f, "uint32"))(value)


def threefry(f: Functions, k0: Any, k1: Any, x0: Any, x1: Any) -> tuple[Any, Any]:
    """Compute Threefry-2x32 of words and counters that broadcast together."""
    xor, left, right, join = f.bitwise_xor, f.bitwise_left_shift, f.bitwise_right_shift, f.bitwise_or
    keys = [k0, k1, xor(xor(k0, k1), _word(f, PARITY))]
    x0, x1 = x0 + keys[0], x1 + keys[1]
    for i in range(5):
        for r in ROTATIONS[i % 2]:
            x0 = x0 + x1
            x1 = xor(join(left(x1, _word(f, r)), right(x1, _word(f, 32 - r))), x0)
        x0, x1 = x0 + keys[(i + 1) % 3], x1 + keys[(i + 2) % 3] + _word(f, i + 1)
    return x0, x1


def _counters(f: Functions, size: int) -> tuple[Any, Any]:
    """Return the words of the positions 0, 1, 2, …, of which there are fewer than 2**32."""
    if size >= 2**32:
        raise ValueError(f"takes fewer than 2**32 elements; got {size}")
    low = f._count(size, 0, 1, dtype=_native(f, "uint32"), device=None)
    return f.zeros((size,), dtype=_native(f, "uint32"), device=None), low


def _shape(shape: Any) -> tuple[int, ...]:
    return (shape,) if hasattr(shape, "__index__") else tuple(shape)


def _drawn(f: Functions, shape: Any, key: Any, finish: Any) -> Any:
    shape = _shape(shape)
    words = threefry(f, key[0], key[1], *_counters(f, math.prod(shape)))
    return f.reshape(finish(*words), shape)


def as_bits(f: Functions, w0: Any, w1: Any, dtype: Any) -> Any:
    """Return bits of an unsigned dtype."""
    backend = f._backend
    if backend.dtypes[dtype].bits == 64:
        high, low = backend.astype(w0, dtype), backend.astype(w1, dtype)
        return f.bitwise_or(f.bitwise_left_shift(high, backend.number(32, high)), low)
    word = f.bitwise_xor(w0, w1)
    if backend.dtypes[dtype].bits == 32:
        return word
    mask = (1 << backend.dtypes[dtype].bits) - 1
    return backend.astype(f.bitwise_and(word, _word(f, mask)), dtype)


#: dtype -> how many bits a word of 32 loses for a number in [0, 1), and which bits come first.
_UNIT = {"float32": (9, 0xFFFFFFFF), "bfloat16": (1, 0xFF), "float16": (6, 0xFFFF)}


def as_unit(f: Functions, w0: Any, w1: Any, dtype: Any) -> Any:
    """Return numbers in [0, 1), multiples of the spacing of the dtype's numbers from 1 to 2."""
    backend = f._backend
    name = str(backend.dtypes[dtype])
    if name == "float64":
        bits = as_bits(f, w0, w1, _native(f, "uint64"))
        return backend.astype(f.bitwise_right_shift(bits, backend.number(12, bits)), dtype) * 2.0**-52
    shift, mask = _UNIT[name]
    word = f.bitwise_right_shift(f.bitwise_and(f.bitwise_xor(w0, w1), _word(f, mask)), _word(f, shift))
    found = backend.astype(word, _native(f, "float32")) * 2.0 ** -(mask.bit_length() - shift)
    return found if name == "float32" else backend.astype(found, dtype)


def as_normal(f: Functions, w0: Any, w1: Any, dtype: Any) -> Any:
    """Return numbers of the standard normal distribution."""
    from ...core.dtypes import float_limits

    backend = f._backend
    u = as_unit(f, w0, w1, dtype)
    low = -1 + float_limits(backend.dtypes[dtype]).eps / 2
    first = backend.number(low, u)
    u = f.maximum(u * (backend.number(1, u) - first) + first, first)
    found = f.random._erfinv(u)
    return found * backend.number(math.sqrt(2), found)


def _creating(finish: Any) -> Any:
    def draw(f: Functions, shape: Any, key: Any, *, dtype: Any, device: Any = None) -> Any:
        return _drawn(f, shape, key, partial(finish, f, dtype=dtype))

    return draw


for _name, _finish in (("_bits", as_bits), ("_unit", as_unit), ("_gauss", as_normal)):
    made(*_NEEDS, name=f"random.{_name}")(_creating(_finish))


@made(*_NEEDS, name="random._split")
def _split(f: Functions, shape: Any, key: Any, *, dtype: Any, device: Any = None) -> Any:
    words = threefry(f, key[0], key[1], *_counters(f, math.prod(shape[:-1])))
    return f.reshape(f.stack([*words], axis=-1), tuple(shape))


@made(*_NEEDS, name="random._fold")
def _fold(f: Functions, shape: Any, key: Any, data: Any, *, dtype: Any, device: Any = None) -> Any:
    word = f.reshape(f._backend.astype(data, _native(f, "uint32")), (1,))
    return f.concat([*threefry(f, key[0], key[1], word * _word(f, 0), word)], axis=0)


# --- by rejection -----------------------------------------------------------------------------------------------------


class _Kit(rejection.Kit):
    """A namespace's functions for the samplers. Words are arrays of uint32."""

    def __init__(self, f: Functions) -> None:
        self.f = f
        for name in "log log1p exp sqrt floor ceil abs".split():
            setattr(self, name, getattr(f, name))
        self.threefry = partial(threefry, f)
        self.unit, self.normal = partial(as_unit, f), partial(as_normal, f)

    def fixed(self, i: int) -> Any:
        return _words(self.f, [i])

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        like = a if hasattr(a, "dtype") else b
        a, b = (x if hasattr(x, "dtype") else self.f._backend.number(x, like) for x in (a, b))
        return self.f.where(condition, a, b)

    def full(self, like: Any, value: float) -> Any:
        return self.f._full(tuple(like.shape), value, dtype=self.f._backend.dtype_of(like))

    def take(self, table: tuple[float, ...], at: Any) -> Any:
        backend = self.f._backend
        values = self.f._xp.asarray([*table], dtype=backend.dtype_of(at))
        places = backend.cast(backend.native_dtypes[backend.index_dtype])(at)
        last = backend.number(len(table) - 1, places)
        return self.f.take(values, self.f.minimum(self.f.maximum(places, backend.number(0, places)), last), axis=0)

    def lgamma(self, x: Any) -> Any:
        wide = next((n for n, d in self.f._backend.dtypes.items() if str(d) == "float64"), self.f._backend.dtype_of(x))
        found = rejection.lgamma(self.f._backend.astype(x, wide), self.f.log)
        return self.f._backend.astype(found, self.f._backend.dtype_of(x))

    def loop(self, active: Any, step: Any, carry: Any, state: Any, constants: Any) -> Any:
        """Go on with all elements until none is active; elements that are done stay as they are."""
        while True:
            going = active(state, constants)
            if not self.f._backend.item(self.f.any(going)):
                return carry, tuple(state)
            carry, found = step(carry, state, constants)
            state = tuple([self.f.where(going, new, old) for new, old in zip(found, state, strict=True)])


def _sampled(f: Functions, sample: Any, key: Any, *params: Any) -> Any:
    backend, first = f._backend, params[0]
    narrow = backend.dtypes[backend.dtype_of(first)].bits < 32
    computed = _native(f, "float32") if narrow else backend.dtype_of(first)
    flat = [f.reshape(backend.astype(p, computed) if narrow else p, (-1,)) for p in params]
    words = (f.reshape(key[0], (1,)), f.reshape(key[1], (1,)))
    found = sample(_Kit(f), words, _counters(f, math.prod(first.shape)), *flat, computed)
    found = f.reshape(found, tuple(first.shape))
    return backend.astype(found, backend.dtype_of(first)) if narrow else found


@made(*_NEEDS, name="random._gamma")
def _gamma(f: Functions, a: Any, key: Any, *, log: bool = False) -> Any:
    return _sampled(f, partial(rejection.gamma, log=log), key, a)


@made(*_NEEDS, name="random._poisson")
def _poisson(f: Functions, lam: Any, key: Any) -> Any:
    return _sampled(f, rejection.poisson, key, lam)


@made(*_NEEDS, name="random._binomial")
def _binomial(f: Functions, n: Any, p: Any, key: Any) -> Any:
    shape = tuple((n * 0 + p * 0).shape)
    return _sampled(f, rejection.binomial, key, f.broadcast_to(n, shape), f.broadcast_to(p, shape))


# --- with a state -----------------------------------------------------------------------------------------------------


class _Source:
    """The source of a `latticework.random.Generator`: a key, from which each draw folds a new one."""

    def __init__(self, f: Functions, sequence: Any) -> None:
        self.f, self.count = f, 0
        self.words = [int(w) for w in sequence.generate_state(2)]

    @property
    def native(self) -> Any:
        """The key of the next draw."""
        return self._key(self.count + 1)

    def __deepcopy__(self, memo: Any) -> _Source:
        copied = object.__new__(_Source)
        copied.f, copied.count, copied.words = self.f, self.count, [*self.words]
        return copied

    def state(self) -> dict[str, Any]:
        return {"state": [*self.words, self.count]}

    def restore(self, state: dict[str, Any]) -> None:
        *self.words, self.count = (int(w) for w in state["state"])

    def _next(self) -> Any:
        self.count += 1
        return self._key(self.count)

    def _key(self, number: int) -> Any:
        k0, k1 = (_word(self.f, w) for w in self.words)
        counters = (_words(self.f, [n]) for n in (number >> 32, number & 0xFFFFFFFF))
        return self.f.concat([*threefry(self.f, k0, k1, *counters)], axis=0)

    def unit(self, shape: Any, dtype: Any) -> Any:
        return self.f.random._unit(shape, self._next(), dtype=dtype)

    def normal(self, shape: Any, dtype: Any) -> Any:
        return self.f.random._gauss(shape, self._next(), dtype=dtype)

    def exponential(self, shape: Any, dtype: Any) -> Any:
        return -self.f.log1p(-self.unit(shape, dtype))

    def integers(self, low: int, high: int, shape: Any, dtype: Any) -> Any:
        """Take the remainder of 64 bits, where the dtype has no more: the shares differ by 2**-32 at most of a range of
        32 bits."""
        backend = self.f._backend
        bits = self.f.random._bits(shape, self._next(), dtype=_native(self.f, "uint64"))
        span = high - low
        drawn = bits if span >= 2**64 else self.f.remainder(bits, backend.number(span, bits))
        return backend.astype(drawn, dtype) + backend.scalar(dtype)(low)

    def gamma(self, a: Any) -> Any:
        return self.f.random._gamma(a, self._next())

    def poisson(self, lam: Any) -> Any:
        return self.f.random._poisson(lam, self._next())

    def binomial(self, n: Any, p: Any) -> Any:
        return self.f.random._binomial(n, p, self._next())

    def permutation(self, n: int) -> Any:
        bits = self.f.random._bits((n,), self._next(), dtype=_native(self.f, "uint64"))
        return self.f.argsort(bits, axis=-1, descending=False, stable=True)


@made(*_NEEDS, "remainder", name="random._Source")
def _source(f: Functions, sequence: Any, device: Any = None) -> _Source:
    return _Source(f, sequence)
