"""Functions in which ndonnx 0.23 differs from the standard."""

from __future__ import annotations

from typing import Any

import ndonnx as ndx

__all__ = ["bitwise_right_shift", "cumulative_sum", "sum"]

_BITS = {ndx.int8: 8, ndx.int16: 16, ndx.int32: 32, ndx.int64: 64}


def bitwise_right_shift(x1: Any, x2: Any) -> Any:
    """ndonnx divides signed integers by a power of two, which has another sign for the last bit."""
    found = ndx.bitwise_right_shift(x1, x2)
    if x1.dtype not in _BITS:
        return found
    sign = ndx.where(x1 < 0, ndx.asarray(-1, dtype=x1.dtype), ndx.asarray(0, dtype=x1.dtype))
    return ndx.where(x2 >= _BITS[x1.dtype] - 1, sign, found)


def cumulative_sum(x: Any, *, dtype: Any, **options: Any) -> Any:
    """ndonnx adds uint64 in another dtype, in which numbers beyond its range are 0: int64 has the same bits."""
    if dtype != ndx.uint64:
        return ndx.cumulative_sum(x, dtype=dtype, **options)
    return ndx.cumulative_sum(x.astype(ndx.int64), dtype=ndx.int64, **options).astype(dtype)


def sum(x: Any, *, dtype: Any, **options: Any) -> Any:
    """onnxruntime adds int64 in float64, which has 53 bits: here the halves of the numbers are added."""
    x = x.astype(dtype)
    if dtype not in (ndx.int64, ndx.uint64):
        return ndx.sum(x, dtype=dtype, **options)
    x = x.astype(ndx.int64)
    half = ndx.asarray(2**32, dtype=ndx.int64)
    high = x // half
    low = ndx.sum(x - high * half, dtype=ndx.int64, **options)
    return (ndx.sum(high, dtype=ndx.int64, **options) * half + low).astype(dtype)
