"""`jax.random`: the same bits for the same key, on any backend."""

from __future__ import annotations

import operator
from contextlib import suppress
from typing import Any

import numpy as np

import latticework as lw

from .core import as_array, dialect, enabled, ops, our_dtype
from .keys import KeyArray
from .numpy.data_types import float_of
from .tree_util import LEAVES

LEAVES.append(KeyArray)

# --- keys -----------------------------------------------------------------------------------------------------------


def _seed(seed: Any) -> Any:
    if isinstance(seed, (dialect.array, np.ndarray, np.generic)):
        seed = as_array(seed)
        if seed.dtype.kind not in "iu":
            raise TypeError(f"PRNG key seed must be an integer; got {seed.dtype}")
        if seed.ndim:
            raise TypeError(f"PRNGKey accepts a scalar seed, but was given an array of shape {seed.shape} != ().")
        return ops.random.key(seed)
    if isinstance(seed, float) or not hasattr(seed, "__index__"):
        raise TypeError(f"PRNG key seed must be an integer; got {seed!r}")
    value = operator.index(seed)
    if not enabled():
        if not -(2**31) <= value < 2**63:
            raise OverflowError(f"Python int {value} too large to convert to int32")
        value &= 0xFFFFFFFF
    return ops.random.key(value)


def _implementation(impl: Any) -> None:
    if impl not in (None, "threefry2x32"):
        raise ValueError(f"unrecognized PRNG implementation {impl!r}. This dialect has threefry2x32")


def PRNGKey(seed: Any, *, impl: Any = None) -> Any:
    _implementation(impl)
    return _seed(seed)


def key(seed: Any, *, impl: Any = None, dtype: Any = None) -> Any:
    _implementation(impl)
    return KeyArray(_seed(seed))


def _words(key: Any) -> Any:
    """The words of one key."""
    if isinstance(key, KeyArray):
        key = key._data
    else:
        key = as_array(key, "random")
        if key.dtype.name != "uint32":
            raise TypeError(f"unexpected PRNG key type: a key is an array of uint32, got {key.dtype}")
        if not key.ndim or key.shape[-1] != 2:
            raise TypeError(f"JAX encountered invalid PRNG key data: expected key_data.shape[-1] == 2; got {key.shape}")
    if key.ndim != 1:
        raise ValueError(f"a single key is expected, and got an array of keys of shape {key.shape[:-1]}. Use jax.vmap")
    return key


def key_data(keys: Any) -> Any:
    return keys._data if isinstance(keys, KeyArray) else as_array(keys)


def wrap_key_data(key_bits_array: Any, *, impl: Any = None, dtype: Any = None) -> Any:
    return KeyArray(as_array(key_bits_array))


def key_impl(keys: Any) -> Any:
    return "threefry2x32"


def clone(key: Any) -> Any:
    return key


def split(key: Any, num: Any = 2) -> Any:
    words = _words(key)
    num = (operator.index(num),) if not isinstance(num, (tuple, list)) else tuple(num)
    found = ops.random.split(words, num if len(num) != 1 else num[0])
    return KeyArray(found) if isinstance(key, KeyArray) else found


def fold_in(key: Any, data: Any) -> Any:
    words = _words(key)
    if not isinstance(data, int):
        data = as_array(data)
        if data.ndim:
            raise TypeError(f"fold_in accepts a scalar, but was given an array of shape {data.shape} != ().")
    found = ops.random.fold_in(words, data)
    return KeyArray(found) if isinstance(key, KeyArray) else found


# --- numbers of a shape ---------------------------------------------------------------------------------------------


def _shape(shape: Any) -> tuple[int, ...]:
    return tuple(operator.index(n) for n in shape) if isinstance(shape, (tuple, list)) else (operator.index(shape),)


def _float(name: str, dtype: Any) -> Any:
    found = our_dtype(float if dtype is None else dtype)
    if found.kind != "f":
        raise ValueError(f"dtype argument to `{name}` must be a float dtype, got {found}")
    return found


def _of(name: str, key: Any, shape: Any, dtype: Any, *more: Any, **options: Any) -> Any:
    return getattr(ops.random, name)(_words(key), _shape(shape), _float(name, dtype), *more, **options)


def bits(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    wanted = our_dtype("uint32" if dtype is None and not enabled() else dtype or "uint64")
    if wanted.kind != "u":
        raise ValueError(f"bits: dtype must be an unsigned one; got {wanted}")
    return ops.random.bits(_words(key), _shape(shape), wanted)


def uniform(
    key: Any, shape: Any = (), dtype: Any = None, minval: Any = 0.0, maxval: Any = 1.0, *, out_sharding: Any = None
) -> Any:
    plain = isinstance(minval, (int, float)) and isinstance(maxval, (int, float))
    if plain:
        with suppress(OverflowError):  # of an infinite range, JAX gives infinities
            return _of("uniform", key, shape, dtype, low=float(minval), high=float(maxval))
    low, high = as_array(minval), as_array(maxval)
    dtype = _float("uniform", dtype)
    low, high = ops.astype(low, dtype), ops.astype(high, dtype)
    draws = _of("uniform", key, shape, dialect.dtypes[dtype])
    return ops.maximum(low, draws * (high - low) + low)


def normal(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    found = our_dtype(float if dtype is None else dtype)
    if found.kind not in "fc":
        raise ValueError(f"dtype argument to `normal` must be a float or complex dtype, got {found}")
    return ops.random.normal(_words(key), _shape(shape), found)


# fmt: off
def gumbel(key: Any, shape: Any = (), dtype: Any = None, mode: Any = None, *, out_sharding: Any = None) -> Any:
    return _of("gumbel", key, shape, dtype)
def exponential(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    return _of("exponential", key, shape, dtype)
def laplace(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    return _of("laplace", key, shape, dtype)
def logistic(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    return _of("logistic", key, shape, dtype)
def cauchy(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    return _of("cauchy", key, shape, dtype)
# fmt: on


def randint(key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    found = our_dtype(int if dtype is None else dtype)
    if found.kind not in "iu":
        raise TypeError(f"randint only accepts integer dtypes, got {found}")
    low, high = (x if isinstance(x, int) else as_array(x) for x in (minval, maxval))
    return ops.random.randint(_words(key), _shape(shape), low, high, found)


def rademacher(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    dtype = our_dtype(int if dtype is None else dtype)
    return ops.astype(2 * ops.astype(bernoulli(key, 0.5, _shape(shape)), lw.int32) - 1, dtype)


def truncated_normal(
    key: Any, lower: Any, upper: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    dtype = _float("truncated_normal", dtype)
    if shape is None:
        shape = lw.broadcast_shapes(*[getattr(x, "shape", ()) for x in (lower, upper)])
    lower, upper = (x if isinstance(x, (int, float)) else ops.astype(as_array(x), dtype) for x in (lower, upper))
    return ops.random.truncated_normal(_words(key), _shape(shape), dtype, lower=lower, upper=upper)


def permutation(key: Any, x: Any, axis: int = 0, independent: bool = False, *, out_sharding: Any = None) -> Any:
    words = _words(key)
    if not isinstance(x, int):
        x = as_array(x, "permutation")
        if not x.ndim:
            x = int(x)
    return ops.random.permutation(words, ops.arange(x, dtype=our_dtype(int)) if isinstance(x, int) else x, axis,
                                  independent=independent)  # fmt: skip


def choice(
    key: Any, a: Any, shape: Any = (), replace: bool = True, p: Any = None, axis: int = 0, mode: Any = None
) -> Any:
    words = _words(key)
    a = a if isinstance(a, int) else as_array(a, "choice")
    if not isinstance(a, int) and not a.ndim:
        a = int(a)
    a = ops.arange(a, dtype=our_dtype(int)) if isinstance(a, int) else a
    p = None if p is None else as_array(p)
    return _chosen(words, a, _shape(shape), replace, p, axis)


@dialect.function
def _chosen(words: Any, a: Any, shape: Any, replace: bool, p: Any, axis: int) -> Any:
    """Like `lw.random.choice`, for probabilities whose sum need not be 1."""
    from ...api.random.permuting import chosen

    return chosen(words, a, shape, replace, p, axis, checked=False)


# --- numbers by parameters ------------------------------------------------------------------------------------------


def bernoulli(key: Any, p: Any = 0.5, shape: Any = None, mode: str = "low", *, out_sharding: Any = None) -> Any:
    if mode not in ("high", "low"):
        raise ValueError(f"got mode={mode!r}, expected 'high' or 'low'")
    if mode == "high":
        raise NotImplementedError("bernoulli: the mode 'high' is not there in this dialect")
    p = as_array(p, "bernoulli")
    p = ops.astype(p, our_dtype(float_of(p)))
    return ops.random.bernoulli(_words(key), p, p.shape if shape is None else _shape(shape))


def categorical(
    key: Any, logits: Any, axis: int = -1, shape: Any = None, replace: bool = True, mode: Any = None, *,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    logits = as_array(logits, "categorical")
    logits = ops.astype(logits, our_dtype(float_of(logits)))
    found = ops.random.categorical(_words(key), logits, axis, None if shape is None else _shape(shape), replace=replace)
    return ops.astype(found, our_dtype(int))


def _by_parameters(name: str, key: Any, shape: Any, dtype: Any, *parameters: Any) -> Any:
    dtype = _float(name, dtype)
    arrays = [ops.astype(as_array(x, name), dtype) for x in parameters]
    return getattr(ops.random, name)(_words(key), *arrays, None if shape is None else _shape(shape), dtype)


# fmt: off
def gamma(key: Any, a: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    return _by_parameters("gamma", key, shape, dtype, a)
def loggamma(key: Any, a: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    return _by_parameters("loggamma", key, shape, dtype, a)
def beta(key: Any, a: Any, b: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    return _by_parameters("beta", key, shape, dtype, a, b)
def chisquare(key: Any, df: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    return _by_parameters("chisquare", key, shape, dtype, df)
def dirichlet(key: Any, alpha: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    return _by_parameters("dirichlet", key, shape, dtype, alpha)
def t(key: Any, df: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    return _by_parameters("student_t", key, shape, dtype, df)
def binomial(key: Any, n: Any, p: Any, shape: Any = None, dtype: Any = None) -> Any:
    return _by_parameters("binomial", key, shape, dtype, n, p)
# fmt: on


def poisson(key: Any, lam: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    dtype = our_dtype(int if dtype is None else dtype)
    lam = ops.astype(as_array(lam), our_dtype(np.float32))
    return ops.random.poisson(_words(key), lam, None if shape is None else _shape(shape), dtype)


def geometric(key: Any, p: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    dtype = our_dtype(int if dtype is None else dtype)
    p = as_array(p)
    p = ops.astype(p, our_dtype(float_of(p)))
    return ops.random.geometric(_words(key), p, None if shape is None else _shape(shape), dtype)


def multivariate_normal(
    key: Any, mean: Any, cov: Any, shape: Any = None, dtype: Any = None, method: str = "cholesky", *,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    if method not in ("cholesky", "svd", "eigh"):
        raise ValueError("method must be one of {'svd', 'eigh', 'cholesky'}")
    mean, cov = as_array(mean), as_array(cov)
    wide = our_dtype(float_of(mean, cov) if dtype is None else dtype)
    found = None if shape is None else _shape(shape)
    return ops.random.multivariate_normal(
        _words(key), ops.astype(mean, wide), ops.astype(cov, wide), found, wide, method=method
    )


# --- made of others -------------------------------------------------------------------------------------------------


def _parameters(name: str, dtype: Any, shape: Any, *xs: Any) -> tuple[list[Any], tuple[int, ...]]:
    """Return the parameters in the dtype of the numbers, and the shape of the numbers."""
    dtype = _float(name, dtype)
    arrays = [ops.astype(as_array(x), dtype) for x in xs]
    return arrays, _shape(lw.broadcast_shapes(*[x.shape for x in arrays]) if shape is None else shape)


def lognormal(
    key: Any, sigma: Any = np.float32(1.0), shape: Any = None, dtype: Any = None, *, out_sharding: Any = None  # noqa: B008
) -> Any:  # fmt: skip
    (sigma,), shape = _parameters("lognormal", dtype, shape, sigma)
    return ops.exp(normal(key, shape, dtype) * sigma)


def pareto(key: Any, b: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    (b,), shape = _parameters("pareto", dtype, shape, b)
    return ops.exp(exponential(key, shape, dtype) / b)


def rayleigh(key: Any, scale: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    (scale,), shape = _parameters("rayleigh", dtype, shape, scale)
    u = uniform(key, shape, dtype)
    return scale * ops.sqrt(ops.log(u) * -2.0)


def triangular(
    key: Any, left: Any, mode: Any, right: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    (left, mode, right), shape = _parameters("triangular", dtype, shape, left, mode, right)
    fc = (mode - left) / (right - left)
    u = uniform(key, shape, dtype)
    first = left + ops.sqrt(u * (right - left) * (mode - left))
    second = right - ops.sqrt((1 - u) * (right - left) * (right - mode))
    return ops.where(u < fc, first, second)


def wald(key: Any, mean: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    (mean,), shape = _parameters("wald", dtype, shape, mean)
    first, second = split(key)
    v, z = normal(first, shape, dtype), uniform(second, shape, dtype)
    square = v * v
    x = mean + 0.5 * square * mean * mean - 0.5 * mean * ops.sqrt(4 * mean * square + (mean * square) ** 2)
    return ops.where(z <= mean / (mean + x), x, mean * mean / x)


def weibull_min(key: Any, scale: Any, concentration: Any, shape: Any = (), dtype: Any = None) -> Any:
    random_uniform = uniform(key, shape, dtype, minval=0.0, maxval=1.0)
    return ops.pow(-ops.log1p(-random_uniform), 1.0 / concentration) * scale


def maxwell(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    rvs = normal(key, (*_shape(shape), 3), dtype)
    return ops.linalg.vector_norm(rvs, axis=-1)


def double_sided_maxwell(key: Any, loc: Any, scale: Any, shape: Any = (), dtype: Any = None) -> Any:
    shape = _shape(shape)
    first, second = split(key)
    sign = rademacher(second, shape, "float32" if dtype is None else dtype)
    return maxwell(first, shape, dtype) * sign * scale + loc


def generalized_normal(key: Any, p: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    words, shape = _words(key), _shape(shape)
    one, other = ops.random.split(words, 2)
    size = gamma(one, 1 / p, shape, dtype)
    return rademacher(other, shape, size.dtype) * size ** (1 / p)


def ball(key: Any, d: int, p: Any = 2, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    words, shape, d = _words(key), _shape(shape), operator.index(d)
    one, other = ops.random.split(words, 2)
    g = generalized_normal(one, p, (*shape, d), dtype)
    e = exponential(other, shape, dtype)
    return g / ((ops.sum(abs(g) ** p, axis=-1) + e) ** (1 / p))[..., None]


def f(key: Any, dfnum: Any, dfden: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    below, above = ops.random.split(_words(key), 2)
    (dfnum, dfden), shape = _parameters("f", dtype, shape, dfnum, dfden)
    num = chisquare(above, dfnum, shape, dtype) / dfnum
    return num / (chisquare(below, dfden, shape, dtype) / dfden)


def multinomial(key: Any, n: Any, p: Any, *, shape: Any = None, dtype: Any = None, unroll: Any = 1) -> Any:
    p = as_array(p, "multinomial")
    n = as_array(n, "multinomial")
    ours = _float("multinomial", dtype)
    p, n = ops.astype(p, ours), ops.astype(n, ours)
    batch = np.broadcast_shapes(n.shape, p.shape[:-1])
    if shape is not None:
        shape = _shape(shape)
        if shape != np.broadcast_shapes(shape, (*batch, p.shape[-1])):
            raise ValueError(f"multinomial: shape {shape} does not fit n of {n.shape} and p of {p.shape}")
        batch = shape[:-1]
    left = ops.broadcast_to(n, batch)
    p = ops.moveaxis(ops.broadcast_to(p, (*batch, p.shape[-1])), -1, 0)
    rest = ops.flip(ops.cumulative_sum(ops.flip(p, axis=0), axis=0), axis=0)
    ratios = p / ops.where(rest == 0, 1, rest)
    keys = ops.random.split(_words(key), p.shape[0])
    counts = []
    for i in range(p.shape[0]):
        count = binomial(keys[i], left, ops.clip(ratios[i], 0, 1), dtype=left.dtype)
        left = left - count
        counts.append(count)
    return ops.stack(counts, axis=-1)


def orthogonal(
    key: Any, n: int, shape: Any = (), dtype: Any = None, m: int | None = None, *, out_sharding: Any = None
) -> Any:
    shape = _shape(shape)
    m = n if m is None else m
    z = normal(key, (*shape, max(n, m), min(n, m)), dtype)
    q, r = ops.linalg.qr(z)
    d = ops.linalg.diagonal(r)
    found = q * ops.expand_dims(ops.sign(d), -2)
    return ops.matrix_transpose(found) if n < m else found


dialect.finish(globals(), view="jax.random")
