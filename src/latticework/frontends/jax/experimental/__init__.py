"""`jax.experimental`: differential equations, checks, and calls of Python."""

from __future__ import annotations

from typing import Any

from ..callbacks import called
from ..callbacks import pure_callback as _pure
from ..config import enable_x64

__all__ = ["enable_x64", "io_callback"]


def io_callback(
    callback: Any, result_shape_dtypes: Any, *args: Any, sharding: Any = None, ordered: bool = False, **kwargs: Any
) -> Any:
    """Call a function of Python, for what it does, with the values of arrays."""
    if result_shape_dtypes is None:
        called(callback, args, kwargs)
        return None
    return _pure(callback, result_shape_dtypes, *args, **kwargs)
