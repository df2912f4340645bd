"""What the distributions share: their arguments as floats of one dtype."""

from __future__ import annotations

from typing import Any

from ... import numpy as jnp
from ...core import as_array

__all__ = ["floats"]


def floats(name: str, *xs: Any) -> list[Any]:
    """Return arguments as arrays of their common floating dtype. Where all are weak, they stay so."""
    arrays = [as_array(x, name) for x in xs]
    dtype = jnp.result_type(*[x if x.weak_type else x.dtype for x in arrays])
    if dtype.kind not in "fcV":
        dtype = jnp.result_type(float)
    if not all(x.weak_type for x in arrays):
        return [x if x.dtype == dtype and not x.weak_type else x.astype(dtype) for x in arrays]
    return [x if x.dtype == dtype and x.weak_type else x * 1.0 for x in arrays]
