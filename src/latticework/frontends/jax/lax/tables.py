"""`jax.lax`: names of tables and dtypes, and functions that hand on what they get."""

from __future__ import annotations

from typing import Any

from ..core import as_array, describe, ops
from ..sharding import with_sharding_constraint

__all__ = ["with_sharding_constraint"]


def dtype(x: Any) -> Any:
    """Return the dtype of an argument that is read as an array."""
    return as_array(x, "dtype").dtype


def broadcast_like(arr: Any, like_arr: Any) -> Any:
    arr, like_arr = as_array(arr), as_array(like_arr)
    return ops.broadcast_to(arr, like_arr.shape)


def empty(shape: Any, dtype: Any, *, out_sharding: Any = None) -> Any:
    from ..numpy.creation import zeros

    return zeros(shape, dtype)


def optimization_barrier(operand: Any, /) -> Any:
    """Return the tree itself: no compiler moves anything across it."""
    return operand


def platform_dependent(*args: Any, default: Any = None, **per_platform: Any) -> Any:
    """Call the function of the platform that arrays are on; `default` where there is none."""
    from ..devices import default_backend

    f = per_platform.get(default_backend(), default)
    if f is None:
        raise ValueError(f"platform_dependent: there is no function for {default_backend()!r}, and no default")
    return f(*args)


def approx_max_k(
    operand: Any, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
) -> Any:  # fmt: skip
    """Return the greatest elements along an axis and their positions: here all of them are the right ones."""
    from .shaping import top_k

    x = ops.moveaxis(as_array(operand), reduction_dimension, -1)
    values, places = top_k(x, k)
    return ops.moveaxis(values, -1, reduction_dimension), ops.moveaxis(places, -1, reduction_dimension)


def approx_min_k(
    operand: Any, k: int, reduction_dimension: int = -1, recall_target: float = 0.95,
    reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
) -> Any:  # fmt: skip
    """Return the least elements along an axis and their positions: here all of them are the right ones."""
    values, places = approx_max_k(-as_array(operand), k, reduction_dimension)
    return -values, places


describe(globals(), "jax.lax")
