"""Numbers as small ints with a scale and a zero point, and products of them."""

from __future__ import annotations

from typing import Any

import latticework as lw

from ..core.dtypes import float64
from .table import Call, dtype_of, reads
from .windows import convolve

__all__: list[str] = []


def _along(c: Call, x: Any, part: Any) -> Any:
    """Bring scales or zero points to a shape that goes along x: one, one for each place along an axis, or blocks."""
    if part is None or not part.ndim:
        return part
    axis, block = c.get("axis", 1), c.get("block_size", 0)
    if block:
        n = x.shape[axis]
        key = [slice(None)] * x.ndim
        key[axis] = slice(0, n)
        return lw.repeat(part, block, axis=axis)[tuple(key)]
    if part.size == 1:
        return lw.reshape(part, ())
    shape = [1] * x.ndim
    shape[axis] = -1
    return lw.reshape(part, tuple(shape))


def _quotient(x: Any, scale: Any) -> Any:
    """Divide by a scale for each element: XLA multiplies by the reciprocal of one scale, which may round otherwise."""
    return x / lw.broadcast_to(scale, x.shape)


def _rounded(x: Any, zero: Any, dtype: Any) -> Any:
    """Round to the nearest int, add the zero point, and keep what the dtype has."""
    found = lw.round(x)
    if zero is not None:
        found = found + lw.astype(zero, found.dtype)
    limits = lw.iinfo(dtype)
    return lw.astype(lw.clip(found, limits.min, limits.max), dtype)


@reads("QuantizeLinear")
def _quantise(c: Call, x: Any, scale: Any, zero: Any = None) -> Any:
    if zero is not None:
        dtype = zero.dtype
    else:
        code = c.get("output_dtype", 0)
        dtype = dtype_of(code, f"the result of QuantizeLinear (node {c.name!r})") if code else lw.uint8
    x = x if x.dtype.kind == "f" else lw.astype(x, lw.float32)
    y = _quotient(x, _along(c, x, lw.astype(scale, x.dtype)))
    if dtype in lw.extended_dtypes:
        most = lw.finfo(dtype).max
        return lw.astype(lw.clip(y, -most, most), dtype)
    wide = y if y.dtype.itemsize > 2 else lw.astype(y, lw.float32)
    return _rounded(wide, _along(c, x, zero), dtype)


@reads("DequantizeLinear")
def _dequantise(c: Call, x: Any, scale: Any, zero: Any = None) -> Any:
    code = c.get("output_dtype", 0)
    dtype = dtype_of(code, f"the result of DequantizeLinear (node {c.name!r})") if code else scale.dtype
    wide = lw.astype(x, lw.float32 if x.dtype in lw.extended_dtypes else lw.int32)
    if zero is not None:
        wide = wide - _along(c, x, lw.astype(zero, wide.dtype))
    return lw.astype(lw.astype(wide, lw.float32) * _along(c, x, lw.astype(scale, lw.float32)), dtype)


@reads("DynamicQuantizeLinear")
def _quantise_by_range(c: Call, x: Any) -> Any:
    low, high = lw.minimum(lw.min(x), 0), lw.maximum(lw.max(x), 0)
    scale = (high - low) / 255
    scale = lw.where(scale == 0, 1, scale)
    zero = _rounded(-low / scale, None, lw.uint8)
    return _rounded(_quotient(x, scale), zero, lw.uint8), scale, zero


# --- products --------------------------------------------------------------------------------------------------------


def _left(x: Any, zero: Any, axis: int, dtype: Any) -> Any:
    """Subtract the zero point: one, or one for each place along an axis."""
    x = lw.astype(x, dtype)
    return x if zero is None else x - _placed(lw.astype(zero, dtype), x.ndim, axis)


def _placed(part: Any, ndim: int, axis: int) -> Any:
    if part.size == 1:
        return lw.reshape(part, ())
    if part.ndim != 1:
        return part
    shape = [1] * ndim
    shape[axis] = -1
    return lw.reshape(part, tuple(shape))


@reads("MatMulInteger")
def _product(c: Call, a: Any, b: Any, a_zero: Any = None, b_zero: Any = None) -> Any:
    return _left(a, a_zero, -2, lw.int32) @ _left(b, b_zero, -1, lw.int32)


@reads("ConvInteger")
def _convolution(c: Call, x: Any, weight: Any, x_zero: Any = None, weight_zero: Any = None) -> Any:
    found = convolve(c, _left(x, x_zero, 1, float64), _left(weight, weight_zero, 0, float64))
    return lw.astype(found, lw.int32)


@reads("QLinearMatMul")
def _quantised_product(
    c: Call, a: Any, a_scale: Any, a_zero: Any, b: Any, b_scale: Any, b_zero: Any, scale: Any, zero: Any
) -> Any:
    whole = _left(a, a_zero, -2, lw.int32) @ _left(b, b_zero, -1, lw.int32)
    wide = [lw.astype(s, lw.float32) for s in (a_scale, b_scale, scale)]
    factor = _placed(wide[0], a.ndim, -2) * _placed(wide[1], b.ndim, -1) / _placed(wide[2], a.ndim, -1)
    return _rounded(lw.astype(whole, lw.float32) * factor, _placed(zero, a.ndim, -1), zero.dtype)


@reads("QLinearConv")
def _quantised_convolution(
    c: Call, x: Any, x_scale: Any, x_zero: Any, weight: Any, w_scale: Any, w_zero: Any, scale: Any, zero: Any,
    bias: Any = None,
) -> Any:  # fmt: skip
    found = convolve(c, _left(x, x_zero, 1, float64), _left(weight, w_zero, 0, float64))
    if bias is not None:
        found = found + _placed(lw.astype(bias, float64), x.ndim, 1)
    factor = _placed(x_scale * w_scale / scale, x.ndim, 1)
    return _rounded(found * lw.astype(factor, float64), zero, zero.dtype)
