"""`tf.random`: numbers of TensorFlow's distributions, shapes and dtypes. Latticework's generators draw them, so
they are other numbers than TensorFlow's; the same seeds give the same numbers on every backend."""

from __future__ import annotations

from typing import Any

from ...api.random.drawing import refuse_state_in_a_trace
from ..calls.cache import take_of_state
from . import dtypes
from .arguments import extents, number
from .errors import invalid
from .tensor import as_tensor, dialect, ops

_FLOATS = ("bfloat16", "float16", "float32", "float64")


class _Stream:
    """The random stream of functions without a seed of their own."""

    seed: int | None = None
    drawn = 0


def set_seed(seed: Any) -> None:
    _Stream.seed, _Stream.drawn = int(seed), 0


def _key(seed: Any) -> Any:
    """A key for the next call: of the process's seed and the function's, or of the system's entropy.

    Raises
    ------
    TraceError: a function is being traced.
    """
    import os

    refuse_state_in_a_trace(
        "the generator of tf.random",
        "Draw by a seed: tf.random.stateless_normal(shape, seed); or draw the numbers first, and give them to the "
        "function as an argument",
    )
    if seed is None and _Stream.seed is None:
        return (int.from_bytes(os.urandom(4), "little"), int.from_bytes(os.urandom(4), "little"))
    take_of_state()
    _Stream.drawn += 1
    return ((_Stream.seed or 0) & 0xFFFFFFFF, ((number(seed) or 0) * 1000003 + _Stream.drawn) & 0x7FFFFFFF)


def _of_seed(seed: Any) -> Any:
    """The key of a stateless function: its seed is two integers."""
    found = as_tensor(seed)
    if found.shape != (2,):
        raise invalid(f"seed must have shape [2], not {found.shape}")
    first, second = found._array.tolist()
    return first & 0xFFFFFFFF, second & 0x7FFFFFFF


def _our_key(pair: Any, x: Any = None) -> Any:
    import latticework as lw

    backend = None if x is None else x.device.backend
    return lw.random.fold_in(lw.random.key(pair[0], backend=backend), pair[1])


def _dtype(dtype: Any, known: tuple[str, ...] = _FLOATS) -> Any:
    found = dtypes.as_dtype(dtype)
    if found.name not in known:
        raise ValueError(f"Argument `dtype` got invalid value {found!r}. Accepted dtypes are {', '.join(known)}.")
    return found


@dialect.function
def _drawn(pair: Any, name: str, shape: Any, dtype: Any, *args: Any) -> Any:
    import latticework as lw

    first = next((x for x in args if hasattr(x, "shape")), None)
    return getattr(lw.random, name)(_our_key(pair, first), *args, shape=shape, dtype=dtype)


def _scaled(x: Any, scale: Any, shift: Any) -> Any:
    return ops.add(ops.multiply(x, as_tensor(scale, like=x)), as_tensor(shift, like=x))


def _uniform(pair: Any, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Any:
    dtype = _dtype(dtype, (*_FLOATS, "int32", "int64", "uint32", "uint64"))
    shape = extents(shape)
    if dtype.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        low, high = as_tensor(minval, dtype), as_tensor(maxval, dtype)
        if low.ndim == high.ndim == 0 and not int(low) < int(high):
            raise invalid(f"Need minval < maxval, got {int(low)} >= {int(high)}")
        return _integers(pair, shape, low, high, dtype)
    found = _drawn(pair, "uniform", shape, dtype)
    low = as_tensor(minval, like=found)
    high = as_tensor(1 if maxval is None else maxval, like=found)
    return _scaled(found, ops.subtract(high, low), low)


@dialect.function
def _integers(pair: Any, shape: Any, low: Any, high: Any, dtype: Any) -> Any:
    import latticework as lw

    return lw.random.randint(_our_key(pair, low), shape, low, high, dtype=dtype)


# --- with a state ---------------------------------------------------------------------------------------------------


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: Any = None
) -> Any:
    return _uniform(_key(seed), shape, minval, maxval, dtype)


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: Any = None
) -> Any:
    return _scaled(_drawn(_key(seed), "normal", extents(shape), _dtype(dtype)), stddev, mean)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: Any = None
) -> Any:
    return _scaled(_drawn(_key(seed), "truncated_normal", extents(shape), _dtype(dtype)), stddev, mean)


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: Any = None
) -> Any:
    return _gamma(_key(seed), extents(shape), alpha, beta, dtype, of_each=True)


def _gamma(pair: Any, shape: Any, alpha: Any, beta: Any, dtype: Any, *, of_each: bool) -> Any:
    """`of_each`: whether the shape is that of the numbers for each alpha, and not that of the whole result."""
    alpha = as_tensor(alpha, _dtype(dtype))
    beta = as_tensor(1 if beta is None else beta, like=alpha)
    alpha = ops.add(alpha, ops.zeros_like(beta))
    whole = (*shape, *alpha._array.shape) if of_each else shape
    found = _drawn(pair, "gamma", whole, alpha.dtype, ops.broadcast_to(alpha, whole))
    return ops.divide(found, beta)


def poisson(shape: Any, lam: Any, dtype: Any = dtypes.float32, seed: Any = None, name: Any = None) -> Any:
    lam = as_tensor(lam)
    whole = (*extents(shape), *lam._array.shape)
    return _poisson(_key(seed), whole, lam, dtype)


def _poisson(pair: Any, whole: Any, lam: Any, dtype: Any) -> Any:
    lam = lam if lam._array.dtype.kind == "f" else ops.astype(lam, "float32")
    found = _drawn(pair, "poisson", whole, "int32", ops.broadcast_to(lam, whole))
    return ops.astype(found, dtypes.as_dtype(dtype))


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: Any = None) -> Any:
    return _categorical(_key(seed), logits, num_samples, dtypes.int64 if dtype is None else dtype)


@dialect.function
def _categories(pair: Any, logits: Any, count: int) -> Any:
    import latticework as lw

    picked = lw.random.categorical(_our_key(pair, logits), logits, axis=-1, shape=(count, logits.shape[0]))
    return lw.astype(lw.matrix_transpose(picked), "int64")


def _categorical(pair: Any, logits: Any, num_samples: Any, dtype: Any) -> Any:
    logits = as_tensor(logits)
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, got shape {logits.shape}")
    return ops.astype(_categories(pair, logits, number(num_samples)), dtypes.as_dtype(dtype))


@dialect.function
def _shuffled(pair: Any, x: Any) -> Any:
    import latticework as lw

    return lw.random.permutation(_our_key(pair, x), x)


def shuffle(value: Any, seed: Any = None, name: Any = None) -> Any:
    x = as_tensor(value)
    return _shuffled(_key(seed), x) if x.ndim else x


# --- of a seed alone ------------------------------------------------------------------------------------------------


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: Any = None,
    alg: Any = "auto_select",
) -> Any:  # fmt: skip
    return _uniform(_of_seed(seed), shape, minval, maxval, dtype)


def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: Any = None,
    alg: Any = "auto_select",
) -> Any:  # fmt: skip
    return _scaled(_drawn(_of_seed(seed), "normal", extents(shape), _dtype(dtype)), stddev, mean)


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: Any = None,
    alg: Any = "auto_select",
) -> Any:  # fmt: skip
    return _scaled(_drawn(_of_seed(seed), "truncated_normal", extents(shape), _dtype(dtype)), stddev, mean)


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, name: Any = None
) -> Any:
    return _gamma(_of_seed(seed), extents(shape), alpha, beta, dtype, of_each=False)


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: Any = None) -> Any:
    return _poisson(_of_seed(seed), extents(shape), as_tensor(lam), dtype)


def stateless_categorical(logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: Any = None) -> Any:
    return _categorical(_of_seed(seed), logits, num_samples, dtype)


dialect.finish(globals(), view="tf.random")
