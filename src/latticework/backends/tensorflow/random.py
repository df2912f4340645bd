"""Random numbers on TensorFlow: Threefry-2x32 in uint32 inside of tf.function, and by NumPy where tensors have their
values already: TensorFlow takes longer to start the hundred steps than to compute them. Many numbers are drawn by a
program (`fusion`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from ...backend import rejection
from ...backend.rejection import PARITY, ROTATIONS
from ..numpy import random as on_numpy
from .core import custom_gradient, on, recorded
from .creation import known_shape
from .fusion import Programs, pays

_UINT32 = tf.uint32


def _at_hand(*tensors: Any) -> bool:
    """Return whether tensors have their values already: nothing traces them."""
    return tf.executing_eagerly() and all(isinstance(x, tf.__internal__.EagerTensor) for x in tensors)


def _tensor(x: np.ndarray, device: str | None = None) -> tf.Tensor:
    with on(device):
        return tf.constant(x)


def threefry(k0: Any, k1: Any, x0: Any, x1: Any) -> tuple[Any, Any]:
    """Compute Threefry-2x32 of counters by keys, which broadcast: one function in a graph that calls it many times."""
    words: tuple[Any, Any] = _threefry(k0, k1, x0, x1)
    for word in words:
        word.set_shape(tf.broadcast_static_shape(k0.shape, x1.shape))
    return words


@partial(tf.function, input_signature=[tf.TensorSpec(None, _UINT32)] * 4, autograph=False)
def _threefry(k0: Any, k1: Any, x0: Any, x1: Any) -> tuple[Any, Any]:
    keys = [k0, k1, k0 ^ k1 ^ tf.constant(PARITY, _UINT32)]
    x0, x1 = x0 + k0, x1 + k1
    for i in range(5):
        for r in ROTATIONS[i % 2]:
            x0 = x0 + x1
            left = tf.bitwise.left_shift(x1, tf.constant(r, _UINT32))
            right = tf.bitwise.right_shift(x1, tf.constant(32 - r, _UINT32))
            x1 = (left | right) ^ x0
        x0 = x0 + keys[(i + 1) % 3]
        x1 = x1 + keys[(i + 2) % 3] + tf.constant(i + 1, _UINT32)
    return x0, x1


def _words(key: Any) -> tuple[Any, Any]:
    return key[0], key[1]


def _counters(n: Any) -> tuple[Any, Any]:
    index = tf.range(tf.cast(n, tf.int64))
    return tf.cast(tf.bitwise.right_shift(index, tf.constant(32, tf.int64)), _UINT32), tf.cast(index, _UINT32)


_PROGRAMS = Programs(one_axis=True)


def _drawn(shape: Any, key: Any, dtype: tf.DType, finish: Callable[..., Any], numpys: Any, device: str | None) -> Any:
    shape = known_shape(shape)
    if _at_hand(key):
        size = math.prod(shape)
        if pays(size):

            def run(key: Any) -> tf.Tensor:
                return finish(*threefry(*_words(key), *_counters(size)), dtype)

            program = _PROGRAMS.program((size, dtype, finish), (key,), size, run)
            if program is not None:
                return tf.reshape(program(key), shape)
        return _tensor(numpys(shape, key.numpy(), dtype=np.dtype(dtype.as_numpy_dtype)), device)
    with on(device):
        words = threefry(*_words(key), *_counters(math.prod(shape)))
        return tf.reshape(finish(*words, dtype), shape)


# --- from words to numbers -----------------------------------------------------------------------------------------


def as_bits(w0: Any, w1: Any, dtype: tf.DType) -> Any:
    """Return bits of an unsigned dtype."""
    if dtype is tf.uint64:
        high = tf.bitwise.left_shift(tf.cast(w0, dtype), tf.constant(32, dtype))
        return high | tf.cast(w1, dtype)
    return tf.cast(w0 ^ w1, dtype)


def as_unit(w0: Any, w1: Any, dtype: tf.DType) -> Any:
    """Return numbers in [0, 1), multiples of the spacing of the dtype's numbers from 1 to 2."""
    if dtype is tf.float64:
        word = tf.bitwise.right_shift(as_bits(w0, w1, tf.uint64), tf.constant(12, tf.uint64))
        return tf.cast(tf.cast(word, tf.int64), dtype) * 2.0**-52
    shift, digits = {tf.float32: (9, 23), tf.float16: (6, 10), tf.bfloat16: (1, 7)}[dtype]
    word = tf.bitwise.right_shift(w0 ^ w1, tf.constant(shift, _UINT32)) & tf.constant(2**digits - 1, _UINT32)
    return tf.cast(tf.cast(tf.cast(word, tf.int32), tf.float32) * 2.0**-digits, dtype)


def as_normal(w0: Any, w1: Any, dtype: tf.DType) -> Any:
    """Return numbers of the standard normal distribution."""
    numpys = np.dtype(dtype.as_numpy_dtype).type
    low = np.nextafter(numpys(-1), numpys(0))
    u = tf.maximum(as_unit(w0, w1, dtype) * (numpys(1) - low) + low, low)
    return _erfinv(u) * tf.constant(math.sqrt(2), dtype)


# --- creation ------------------------------------------------------------------------------------------------------


def _bits(shape: Any, key: Any, *, dtype: tf.DType, device: str | None) -> Any:
    return _drawn(shape, key, dtype, as_bits, on_numpy._bits, device)


def _unit(shape: Any, key: Any, *, dtype: tf.DType, device: str | None) -> Any:
    return _drawn(shape, key, dtype, as_unit, on_numpy._unit, device)


def _gauss(shape: Any, key: Any, *, dtype: tf.DType, device: str | None) -> Any:
    return _drawn(shape, key, dtype, as_normal, on_numpy._gauss, device)


def _split(shape: Any, key: Any, *, dtype: tf.DType, device: str | None) -> Any:
    if _at_hand(key):
        return _tensor(on_numpy._split(shape, key.numpy(), dtype=None), device)
    with on(device):
        return tf.reshape(tf.stack(threefry(*_words(key), *_counters(math.prod(shape[:-1]))), -1), shape)


def _fold(shape: Any, key: Any, data: Any, *, dtype: tf.DType, device: str | None) -> Any:
    if _at_hand(key, data):
        return _tensor(on_numpy._fold(shape, key.numpy(), data.numpy(), dtype=None), device)
    with on(device):
        return tf.stack(threefry(*_words(key), tf.zeros_like(data), data))


# --- by rejection --------------------------------------------------------------------------------------------------


class _Kit(rejection.Kit):
    """TensorFlow's functions for the samplers, of elements along one axis. Words are tensors of uint32."""

    log, log1p, exp, sqrt = map(staticmethod, (tf.math.log, tf.math.log1p, tf.exp, tf.sqrt))
    floor, ceil, abs, lgamma = map(staticmethod, (tf.floor, tf.math.ceil, tf.abs, tf.math.lgamma))
    where = staticmethod(tf.where)
    threefry, unit, normal = staticmethod(threefry), staticmethod(as_unit), staticmethod(as_normal)

    @staticmethod
    def fixed(i: int) -> Any:
        return tf.constant(i, _UINT32)

    @staticmethod
    def full(like: Any, value: float) -> Any:
        return tf.fill(tf.shape(like), tf.constant(value, like.dtype))

    @staticmethod
    def take(table: tuple[float, ...], at: Any) -> Any:
        return tf.gather(tf.constant(table, at.dtype), tf.clip_by_value(tf.cast(at, tf.int32), 0, len(table) - 1))

    @staticmethod
    def loop(active: Any, step: Any, carry: Any, state: Any, constants: Any) -> Any:
        """Go on with all elements until none is active; elements that are done stay as they are."""

        def goes_on(_: Any, state: Any) -> Any:
            return tf.reduce_any(active(state, constants))

        def body(carry: Any, state: Any) -> Any:
            going = active(state, constants)
            carry, found = step(carry, state, constants)
            return tuple(carry), tuple([tf.where(going, new, old) for new, old in zip(found, state, strict=True)])

        return tf.while_loop(goes_on, body, (tuple(carry), tuple(state)))


KIT = _Kit()


def _sampled(sample: Any, numpys: Any, key: Any, *params: Any) -> Any:
    dtype = params[0].dtype
    if _at_hand(key, *params):
        return _tensor(numpys(*[p.numpy() for p in params], key.numpy()))
    computed = tf.float64 if dtype is tf.float64 else tf.float32
    shape = tf.shape(params[0])
    for p in params[1:]:
        shape = tf.broadcast_dynamic_shape(shape, tf.shape(p))
    flat = [tf.reshape(tf.broadcast_to(tf.cast(p, computed), shape), [-1]) for p in params]
    found = sample(KIT, _words(key), _counters(tf.size(flat[0])), *flat, computed)
    result = tf.reshape(tf.cast(found, dtype), shape)
    result.set_shape(tf.broadcast_static_shape(params[0].shape, params[-1].shape))
    return result


def _gamma(a: Any, key: Any, *, log: bool = False) -> Any:
    """Draw samples, with the derivative by a of numbers at which the distribution function stays the same."""

    def samples(a: Any) -> Any:
        return _sampled(partial(rejection.gamma, log=log), partial(on_numpy._gamma, log=log), key, a)

    if not recorded():
        return samples(a)

    @custom_gradient
    def differentiable(a: Any) -> Any:
        found = tf.stop_gradient(samples(tf.stop_gradient(a)))
        return found, lambda cotangent: cotangent * _slope(a, found, log)

    return differentiable(a)


def _slope(a: Any, samples: Any, log: bool) -> Any:
    given = a.dtype
    dtype = tf.float64 if given is tf.float64 else tf.float32
    a, samples = tf.cast(a, dtype), tf.cast(samples, dtype)
    if not log:
        return tf.cast(tf.raw_ops.RandomGammaGrad(alpha=a, sample=samples), given)
    small = samples < rejection.SMALL_LOGARITHM
    numbers = tf.exp(tf.where(small, tf.zeros_like(samples), samples))
    near_0 = (tf.math.digamma(a + 1) - samples) / a
    return tf.cast(tf.where(small, near_0, tf.raw_ops.RandomGammaGrad(alpha=a, sample=numbers) / numbers), given)


def _poisson(lam: Any, key: Any) -> Any:
    return _sampled(rejection.poisson, on_numpy._poisson, key, lam)


def _binomial(n: Any, p: Any, key: Any) -> Any:
    return _sampled(rejection.binomial, on_numpy._binomial, key, n, p)


# --- special functions ---------------------------------------------------------------------------------------------

_erf = tf.math.erf


def _erfinv(x: Any) -> Any:
    """Compute erfinv. Branches not taken have finite derivatives: an infinity there times 0 would be nan."""
    wide = tf.cast(x, tf.float32) if x.dtype.size == 2 else x
    ends = tf.abs(wide) == 1
    inside = tf.where(ends, tf.zeros_like(wide), wide)
    result = rejection.erfinv(inside, tf.math.log1p, _root, tf.where, double=wide.dtype == tf.float64)
    return tf.cast(tf.where(ends, tf.stop_gradient(wide) * math.inf, result), x.dtype)


def _root(w: Any) -> Any:
    return tf.sqrt(tf.maximum(w, tf.constant(1e-30, w.dtype)))


# --- with a state --------------------------------------------------------------------------------------------------


class _Source:
    """The source of a `latticework.random.Generator`: TensorFlow's generator, whose state is a variable."""

    def __init__(self, sequence: Any, device: str | None = None) -> None:
        self.device = device
        with on(device), tf.init_scope():
            self.native = tf.random.Generator.from_seed(int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1)))

    def state(self) -> dict[str, Any]:
        return {"state": self.native.state.numpy(), "algorithm": int(self.native.algorithm)}

    def restore(self, state: dict[str, Any]) -> None:
        self.native.reset(state["state"])

    def _seed(self) -> Any:
        return self.native.make_seeds(1)[:, 0]

    def unit(self, shape: Any, dtype: tf.DType) -> Any:
        return self.native.uniform(shape, dtype=dtype)

    def normal(self, shape: Any, dtype: tf.DType) -> Any:
        return self.native.normal(shape, dtype=dtype)

    def exponential(self, shape: Any, dtype: tf.DType) -> Any:
        return -tf.math.log1p(-self.unit(shape, dtype))

    def integers(self, low: int, high: int, shape: Any, dtype: tf.DType) -> Any:
        return tf.cast(self.native.uniform(shape, low, high, dtype=tf.int64), dtype)

    def gamma(self, a: Any) -> Any:
        return tf.random.stateless_gamma(tf.shape(a), self._seed(), a, dtype=a.dtype)

    def poisson(self, lam: Any) -> Any:
        return tf.random.stateless_poisson(tf.shape(lam), self._seed(), lam, dtype=lam.dtype)

    def binomial(self, n: Any, p: Any) -> Any:
        return tf.random.stateless_binomial(tf.shape(p), self._seed(), n, p, output_dtype=p.dtype)

    def permutation(self, n: int) -> Any:
        return tf.argsort(self.native.uniform((n,), dtype=tf.float64))
