"""ndonnx's namespace, with the functions in which version 0.23 differs from the standard put right."""

from __future__ import annotations

from typing import Any

import ndonnx as ndx

__all__ = ["MENDED"]

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


# --- uint64: onnxruntime chooses and orders none, and ndonnx does it in another dtype ---------------------------------

_LEAST = -(2**63)


def where(condition: Any, x1: Any, x2: Any) -> Any:
    """Choose among the bits as int64."""
    if x1.dtype != ndx.uint64:
        return ndx.where(condition, x1, x2)
    return ndx.where(condition, x1.astype(ndx.int64), x2.astype(ndx.int64)).astype(ndx.uint64)


def _in_order(name: str, places: bool = False) -> Any:
    of_others = getattr(ndx, name)

    def call(x: Any, **options: Any) -> Any:
        """Numbers of int64 that are less by 2**63 have the same order."""
        if "sort" in name and not x.ndim:
            raise IndexError("the array has no axes")
        if x.dtype != ndx.uint64:
            return of_others(x, **options)
        least = ndx.asarray(_LEAST, dtype=ndx.int64)
        found = of_others(x.astype(ndx.int64) + least, **options)
        return found if places else (found + least).astype(ndx.uint64)

    call.__name__ = call.__qualname__ = name
    return staticmethod(call)


class _Mended:
    """The namespace, with functions of this module before its own."""

    __name__ = ndx.__name__
    bitwise_right_shift = staticmethod(bitwise_right_shift)
    cumulative_sum, sum = staticmethod(cumulative_sum), staticmethod(sum)
    where = staticmethod(where)
    max, min, sort = _in_order("max"), _in_order("min"), _in_order("sort")
    argsort = _in_order("argsort", places=True)

    def __getattr__(self, name: str) -> Any:
        return getattr(ndx, name)


MENDED: Any = _Mended()
