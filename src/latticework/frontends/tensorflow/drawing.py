"""Random numbers of TensorFlow's distributions, shapes and dtypes by a key, which latticework's generators draw."""

from __future__ import annotations

from typing import Any

from ...api.random.drawing import refuse_state_in_a_trace
from ..calls.cache import take_of_state
from . import dtypes
from .arguments import extents, number
from .errors import invalid
from .tensor import as_tensor, dialect, ops

__all__ = [
    "FLOATS",
    "Stream",
    "binomial",
    "categorical",
    "drawn",
    "dtype_of",
    "full_integers",
    "gamma",
    "key_of_seed",
    "of_seed",
    "of_seeds",
    "poisson",
    "scaled",
    "shuffled",
    "uniform",
]

FLOATS = ("bfloat16", "float16", "float32", "float64")


class Stream:
    """The random stream of functions without a seed of their own."""

    seed: int | None = None
    drawn = 0


def key_of_seed(seed: Any) -> Any:
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
    if seed is None and Stream.seed is None:
        return (int.from_bytes(os.urandom(4), "little"), int.from_bytes(os.urandom(4), "little"))
    take_of_state()
    Stream.drawn += 1
    return ((Stream.seed or 0) & 0xFFFFFFFF, ((number(seed) or 0) * 1000003 + Stream.drawn) & 0x7FFFFFFF)


def of_seed(seed: Any) -> Any:
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


def dtype_of(dtype: Any, known: tuple[str, ...] = FLOATS) -> Any:
    found = dtypes.as_dtype(dtype)
    if found.name not in known:
        raise ValueError(f"Argument `dtype` got invalid value {found!r}. Accepted dtypes are {', '.join(known)}.")
    return found


@dialect.function
def drawn(pair: Any, name: str, shape: Any, dtype: Any, *args: Any) -> Any:
    import latticework as lw

    first = next((x for x in args if hasattr(x, "shape")), None)
    return getattr(lw.random, name)(_our_key(pair, first), *args, shape=shape, dtype=dtype)


def scaled(x: Any, scale: Any, shift: Any) -> Any:
    return ops.add(ops.multiply(x, as_tensor(scale, like=x)), as_tensor(shift, like=x))


def uniform(pair: Any, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Any:
    dtype = dtype_of(dtype, (*FLOATS, "int32", "int64", "uint32", "uint64"))
    shape = extents(shape)
    if dtype.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        low, high = as_tensor(minval, dtype), as_tensor(maxval, dtype)
        if low.ndim == high.ndim == 0 and not int(low) < int(high):
            raise invalid(f"Need minval < maxval, got {int(low)} >= {int(high)}")
        return _integers(pair, shape, low, high, dtype)
    found = drawn(pair, "uniform", shape, dtype)
    low = as_tensor(minval, like=found)
    high = as_tensor(1 if maxval is None else maxval, like=found)
    return scaled(found, ops.subtract(high, low), low)


@dialect.function
def _integers(pair: Any, shape: Any, low: Any, high: Any, dtype: Any) -> Any:
    import latticework as lw

    return lw.random.randint(_our_key(pair, low), shape, low, high, dtype=dtype)


def gamma(pair: Any, shape: Any, alpha: Any, beta: Any, dtype: Any, *, of_each: bool) -> Any:
    """`of_each`: whether the shape is that of the numbers for each alpha, and not that of the whole result."""
    alpha = as_tensor(alpha, dtype_of(dtype))
    beta = as_tensor(1 if beta is None else beta, like=alpha)
    alpha = ops.add(alpha, ops.zeros_like(beta))
    whole = (*shape, *alpha._array.shape) if of_each else shape
    found = drawn(pair, "gamma", whole, alpha.dtype, ops.broadcast_to(alpha, whole))
    return ops.divide(found, beta)


def poisson(pair: Any, whole: Any, lam: Any, dtype: Any) -> Any:
    lam = lam if lam._array.dtype.kind == "f" else ops.astype(lam, "float32")
    found = drawn(pair, "poisson", whole, "int32", ops.broadcast_to(lam, whole))
    return ops.astype(found, dtypes.as_dtype(dtype))


@dialect.function
def _categories(pair: Any, logits: Any, count: int) -> Any:
    import latticework as lw

    picked = lw.random.categorical(_our_key(pair, logits), logits, axis=-1, shape=(count, logits.shape[0]))
    return lw.astype(lw.matrix_transpose(picked), "int64")


def categorical(pair: Any, logits: Any, num_samples: Any, dtype: Any) -> Any:
    logits = as_tensor(logits)
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, got shape {logits.shape}")
    return ops.astype(_categories(pair, logits, number(num_samples)), dtypes.as_dtype(dtype))


@dialect.function
def shuffled(pair: Any, x: Any) -> Any:
    import latticework as lw

    return lw.random.permutation(_our_key(pair, x), x)


def binomial(pair: Any, whole: Any, counts: Any, probs: Any, dtype: Any) -> Any:
    found = dtypes.as_dtype(dtype)
    if found.name not in ("float16", "float32", "float64", "int32", "int64"):
        raise invalid(f"the dtype {found.name} is not in the list of allowed values: half, float, double, int32, int64")
    counts, probs = as_tensor(counts), as_tensor(probs)
    counts = counts if counts._array.dtype.kind == "f" else ops.astype(counts, "float32")
    probs = probs if probs.dtype == counts.dtype else ops.astype(probs, counts.dtype)
    each = ops.add(counts, ops.zeros_like(probs))._array.shape
    if each != whole[len(whole) - len(each) :]:
        raise invalid("Shape passed in must end with broadcasted shape.")
    trials = drawn(pair, "binomial", whole, counts.dtype, ops.broadcast_to(counts, whole),
                   ops.broadcast_to(probs, whole))  # fmt: skip
    return ops.astype(trials, found)


@dialect.function
def _bits(pair: Any, shape: Any, dtype: Any) -> Any:
    import latticework as lw

    return lw.random.bits(_our_key(pair), shape, dtype)


def full_integers(pair: Any, shape: Any, dtype: Any) -> Any:
    found = _bits(pair, shape, f"uint{dtype.size * 8}")
    return found if dtype.is_unsigned else ops.bitcast(found, dtype)


def of_seeds(seed: Any) -> Any:
    if seed.dtype.name not in ("int32", "int64"):
        raise invalid(f"the dtype {seed.dtype.name} of seed is not in the list of allowed values: int32, int64")
    return seed.dtype
