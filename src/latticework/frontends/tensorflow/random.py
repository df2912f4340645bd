"""`tf.random`: numbers of TensorFlow's distributions, shapes and dtypes. Latticework's generators draw them, so
they are other numbers than TensorFlow's; the same seeds give the same numbers on every backend."""

from __future__ import annotations

from typing import Any

from . import drawing, dtypes
from .arguments import extents, number
from .generators import Algorithm, Generator, create_rng_state, get_global_generator, set_global_generator
from .tensor import as_tensor, dialect

__all__ = ["Algorithm", "Generator", "create_rng_state", "get_global_generator", "set_global_generator"]


def set_seed(seed: Any) -> None:
    drawing.Stream.seed, drawing.Stream.drawn = int(seed), 0


# --- with a state ---------------------------------------------------------------------------------------------------


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: Any = None
) -> Any:
    return drawing.uniform(drawing.key_of_seed(seed), shape, minval, maxval, dtype)


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: Any = None
) -> Any:
    return drawing.scaled(
        drawing.drawn(drawing.key_of_seed(seed), "normal", extents(shape), drawing.dtype_of(dtype)), stddev, mean
    )


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: Any = None
) -> Any:
    return drawing.scaled(
        drawing.drawn(drawing.key_of_seed(seed), "truncated_normal", extents(shape), drawing.dtype_of(dtype)),
        stddev,
        mean,
    )


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: Any = None
) -> Any:
    return drawing.gamma(drawing.key_of_seed(seed), extents(shape), alpha, beta, dtype, of_each=True)


def poisson(shape: Any, lam: Any, dtype: Any = dtypes.float32, seed: Any = None, name: Any = None) -> Any:
    lam = as_tensor(lam)
    whole = (*extents(shape), *lam._array.shape)
    return drawing.poisson(drawing.key_of_seed(seed), whole, lam, dtype)


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: Any = None) -> Any:
    return drawing.categorical(drawing.key_of_seed(seed), logits, num_samples, dtypes.int64 if dtype is None else dtype)


def shuffle(value: Any, seed: Any = None, name: Any = None) -> Any:
    x = as_tensor(value)
    return drawing.shuffled(drawing.key_of_seed(seed), x) if x.ndim else x


# --- of a seed alone ------------------------------------------------------------------------------------------------


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: Any = None,
    alg: Any = "auto_select",
) -> Any:  # fmt: skip
    return drawing.uniform(drawing.of_seed(seed), shape, minval, maxval, dtype)


def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: Any = None,
    alg: Any = "auto_select",
) -> Any:  # fmt: skip
    return drawing.scaled(
        drawing.drawn(drawing.of_seed(seed), "normal", extents(shape), drawing.dtype_of(dtype)), stddev, mean
    )


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: Any = None,
    alg: Any = "auto_select",
) -> Any:  # fmt: skip
    return drawing.scaled(
        drawing.drawn(drawing.of_seed(seed), "truncated_normal", extents(shape), drawing.dtype_of(dtype)), stddev, mean
    )


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, name: Any = None
) -> Any:
    return drawing.gamma(drawing.of_seed(seed), extents(shape), alpha, beta, dtype, of_each=False)


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: Any = None) -> Any:
    return drawing.poisson(drawing.of_seed(seed), extents(shape), as_tensor(lam), dtype)


def stateless_categorical(logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: Any = None) -> Any:
    return drawing.categorical(drawing.of_seed(seed), logits, num_samples, dtype)


def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = dtypes.int32, name: Any = None
) -> Any:
    return drawing.binomial(drawing.of_seed(seed), extents(shape), counts, probs, output_dtype)


def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Any:
    held = as_tensor(seed)
    return drawing.full_integers(drawing.of_seed(held), (number(num), 2), drawing.of_seeds(held))


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    held = as_tensor(seed)
    first, second = drawing.of_seed(held)
    added = int(as_tensor(data))
    mixed = (first ^ (added & 0xFFFFFFFF), (second + 0x9E3779B1 * (1 + (added >> 32 & 0x7FFFFFFF))) & 0x7FFFFFFF)
    return drawing.full_integers(mixed, (2,), drawing.of_seeds(held))


dialect.finish(globals(), view="tf.random")
