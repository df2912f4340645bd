"""Functions in which ndonnx 0.23 differs from the standard."""

from __future__ import annotations

from typing import Any

import ndonnx as ndx

__all__ = ["bitwise_right_shift"]

_BITS = {ndx.int8: 8, ndx.int16: 16, ndx.int32: 32, ndx.int64: 64}


def bitwise_right_shift(x1: Any, x2: Any) -> Any:
    """ndonnx divides signed integers by a power of two, which has another sign for the last bit."""
    found = ndx.bitwise_right_shift(x1, x2)
    if x1.dtype not in _BITS:
        return found
    sign = ndx.where(x1 < 0, ndx.asarray(-1, dtype=x1.dtype), ndx.asarray(0, dtype=x1.dtype))
    return ndx.where(x2 >= _BITS[x1.dtype] - 1, sign, found)
