"""`jax.nn.initializers`: functions that draw the first values of parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from .. import random
from ..core import as_array, dialect, ops, our_dtype
from ..numpy import creation

__all__ = ["Initializer", "kaiming_normal", "kaiming_uniform", "xavier_normal", "xavier_uniform"]

_Draw = Callable[..., Any]


@runtime_checkable
class Initializer(Protocol):
    """A function of a key, a shape and a dtype, that draws an array."""

    def __call__(self, key: Any, shape: Any, dtype: Any = None, out_sharding: Any = None) -> Any:
        """Draw an array."""


def zeros(key: Any, shape: Any, dtype: Any = None, out_sharding: Any = None) -> Any:
    return creation.zeros(shape, dtype)


def ones(key: Any, shape: Any, dtype: Any = None, out_sharding: Any = None) -> Any:
    return creation.ones(shape, dtype)


def constant(value: Any, dtype: Any = None) -> _Draw:
    def init(key: Any, shape: Any, dtype: Any = dtype, out_sharding: Any = None) -> Any:
        return creation.full(shape, value, float if dtype is None else dtype)

    return init


def uniform(scale: Any = 1e-2, dtype: Any = None) -> _Draw:
    def init(key: Any, shape: Any, dtype: Any = dtype, out_sharding: Any = None) -> Any:
        found = random.uniform(key, shape, dtype)
        return found * ops.astype(as_array(scale), found._array.dtype)

    return init


def normal(stddev: Any = 1e-2, dtype: Any = None) -> _Draw:
    def init(key: Any, shape: Any, dtype: Any = dtype, out_sharding: Any = None) -> Any:
        found = random.normal(key, shape, dtype)
        return found * ops.astype(as_array(stddev), found._array.dtype)

    return init


def truncated_normal(stddev: Any = 1e-2, dtype: Any = None, lower: Any = -2.0, upper: Any = 2.0) -> _Draw:
    def init(key: Any, shape: Any, dtype: Any = dtype, out_sharding: Any = None) -> Any:
        found = random.truncated_normal(key, lower, upper, shape, dtype)
        return found * ops.astype(as_array(stddev), found._array.dtype)

    return init


def _fans(shape: Any, in_axis: Any, out_axis: Any, batch_axis: Any) -> tuple[float, float]:
    """Return the fan-in and the fan-out of a layer."""
    if len(shape) <= 1 and in_axis == -2:
        raise ValueError(f"variance_scaling: in_axis has to be given for a shape of {len(shape)} dimensions")
    extent = lambda axes: math.prod(shape[n] for n in ((axes,) if isinstance(axes, int) else axes))  # noqa: E731
    into, out, batch = extent(in_axis), extent(out_axis), extent(batch_axis)
    space = math.prod(shape) / into / out / batch
    return into * space, out * space


def _is_complex(dtype: Any) -> bool:
    return bool(dtype is not None and our_dtype(dtype).kind == "c")


def _in_disk(key: Any, shape: Any, dtype: Any, distribution: str) -> Any:
    """Draw complex numbers of variance 1 in a disk about 0, uniform or normal truncated at 2."""
    of_radius, of_angle = random.split(key)
    part = "float64" if dtype.bits == 128 else "float32"
    u, angle = random.uniform(of_radius, shape, part), random.uniform(of_angle, shape, part) * (2 * math.pi)
    if distribution == "uniform":
        radius = ops.sqrt(2 * u)
    else:  # the truncated one has the deviation that is divided by
        radius = ops.sqrt(-ops.log1p(-u * (1 - math.exp(-4)))) / 0.95311164380491208
    return ops.astype(radius, dtype) * ops.exp(1j * ops.astype(angle, dtype))


def variance_scaling(
    scale: Any, mode: str, distribution: str, in_axis: Any = -2, out_axis: Any = -1, batch_axis: Any = (),
    dtype: Any = None,
) -> _Draw:  # fmt: skip
    def init(key: Any, shape: Any, dtype: Any = dtype, out_sharding: Any = None) -> Any:
        into, out = _fans(shape, in_axis, out_axis, batch_axis)
        count = {
            "fan_in": into, "fan_out": out, "fan_avg": (into + out) / 2, "fan_geo_avg": math.sqrt(into * out)
        }.get(mode)  # fmt: skip
        if count is None:
            raise ValueError(f"invalid mode for variance scaling initializer: {mode}")
        variance = scale / count
        if distribution == "normal":
            return random.normal(key, shape, dtype) * math.sqrt(variance)
        if distribution in ("uniform", "truncated_normal") and _is_complex(dtype):
            return _in_disk(key, shape, our_dtype(dtype), distribution) * math.sqrt(variance)
        if distribution == "uniform":
            return random.uniform(key, shape, dtype, -1) * math.sqrt(3 * variance)
        if distribution == "truncated_normal":
            return random.truncated_normal(key, -2, 2, shape, dtype) * (math.sqrt(variance) / 0.87962566103423978)
        raise ValueError(f"invalid distribution for variance scaling initializer: {distribution}")

    return init


# fmt: off
def glorot_uniform(in_axis: Any = -2, out_axis: Any = -1, batch_axis: Any = (), dtype: Any = None) -> _Draw:
    return variance_scaling(1.0, "fan_avg", "uniform", in_axis, out_axis, batch_axis, dtype)
def glorot_normal(in_axis: Any = -2, out_axis: Any = -1, batch_axis: Any = (), dtype: Any = None) -> _Draw:
    return variance_scaling(1.0, "fan_avg", "truncated_normal", in_axis, out_axis, batch_axis, dtype)
def lecun_uniform(in_axis: Any = -2, out_axis: Any = -1, batch_axis: Any = (), dtype: Any = None) -> _Draw:
    return variance_scaling(1.0, "fan_in", "uniform", in_axis, out_axis, batch_axis, dtype)
def lecun_normal(in_axis: Any = -2, out_axis: Any = -1, batch_axis: Any = (), dtype: Any = None) -> _Draw:
    return variance_scaling(1.0, "fan_in", "truncated_normal", in_axis, out_axis, batch_axis, dtype)
def he_uniform(in_axis: Any = -2, out_axis: Any = -1, batch_axis: Any = (), dtype: Any = None) -> _Draw:
    return variance_scaling(2.0, "fan_in", "uniform", in_axis, out_axis, batch_axis, dtype)
def he_normal(in_axis: Any = -2, out_axis: Any = -1, batch_axis: Any = (), dtype: Any = None) -> _Draw:
    return variance_scaling(2.0, "fan_in", "truncated_normal", in_axis, out_axis, batch_axis, dtype)
# fmt: on

xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal = glorot_uniform, glorot_normal, he_uniform, he_normal


def orthogonal(scale: Any = 1.0, column_axis: int = -1, dtype: Any = None) -> _Draw:
    def init(key: Any, shape: Any, dtype: Any = dtype, out_sharding: Any = None) -> Any:
        if len(shape) < 2:
            raise ValueError("orthogonal initializer requires at least a 2D shape")
        if 0 in shape:
            return creation.zeros(shape, float if dtype is None else dtype)
        columns = shape[column_axis]
        rows = math.prod(shape) // columns
        q = random.orthogonal(key, rows, (), dtype, columns)
        wide = (rows, *[n for i, n in enumerate(shape) if i != column_axis % len(shape)])[1:]
        return scale * ops.moveaxis(ops.reshape(q, (*wide, columns)), -1, column_axis)

    return init


def delta_orthogonal(scale: Any = 1.0, column_axis: int = -1, dtype: Any = None) -> _Draw:
    def init(key: Any, shape: Any, dtype: Any = dtype, out_sharding: Any = None) -> Any:
        if len(shape) not in (3, 4, 5):
            raise ValueError("Delta orthogonal initializer requires a 3D, 4D or 5D shape.")
        if shape[-1] < shape[-2]:
            raise ValueError("`fan_in` must be less or equal than `fan_out`. ")
        matrix = orthogonal(scale, column_axis, dtype)(key, shape[-2:])
        centre = tuple((n - 1) // 2 for n in shape[:-2])
        return creation.zeros(shape, float if dtype is None else dtype).at[centre].set(matrix)

    return init


dialect.finish(globals(), view="jax.nn.initializers")
