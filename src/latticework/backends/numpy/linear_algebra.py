"""Linear algebra of the main namespace on NumPy."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from ...core.dtypes import bfloat16, float16
from .core import EMULATED

matmul = np.matmul
matrix_transpose = operator.attrgetter("mT")


def vecdot(x1: np.ndarray, x2: np.ndarray, *, axis: int = -1) -> Any:
    if axis >= 0 and x1.ndim != x2.ndim:  # np.vecdot counts from the start of each by itself
        raise ValueError(f"axis {axis} is ambiguous for shapes {x1.shape} and {x2.shape}. Count it from the end, as -1")
    return np.vecdot(x1, x2, axis=axis)


# np.matmul takes a hundred times as long for float16 as BLAS for float32, and makes float32 of bfloat16. It sums
# products of float16 in float32 too, hence BLAS gives the same as NumPy. BLAS gets a tile at a time: never more than
# _TILE elements of an operand or the result are in float32.

_TILE = 1 << 20
_SIDE = 1 << 10


def _matmul_16_bits(x1: np.ndarray, x2: np.ndarray) -> Any:
    if not x1.ndim or not x2.ndim:
        raise ValueError("a 0-d operand")
    a = x1 if x1.ndim > 1 else x1[None, :]
    b = x2 if x2.ndim > 1 else x2[:, None]
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    (m, k), n = a.shape[-2:], b.shape[-1]
    if prod(stack) * max(m * k, k * n, m * n) <= _TILE:
        return np.matmul(x1.astype(np.float32), x2.astype(np.float32)).astype(x1.dtype)
    if b.shape[-2] != k:
        raise ValueError(f"{k} columns and {b.shape[-2]} rows")
    out = np.empty((*stack, m, n), x1.dtype)
    _tiled(np.broadcast_to(a, (*stack, m, k)), np.broadcast_to(b, (*stack, k, n)), out)
    out = out if x1.ndim > 1 else out[..., 0, :]
    return out if x2.ndim > 1 else out[..., 0]


def _tiled(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Write the product into `out`; the stacks have one shape. Halve large operands, the stack first."""
    *stack, m, n = out.shape
    if max(a.size, b.size, out.size) <= _TILE:
        out[...] = np.matmul(a.astype(np.float32), b.astype(np.float32))
        return
    axis = max(range(len(stack)), key=stack.__getitem__, default=0)
    for half in _halves(stack[axis] if stack else 1):
        part = (*(slice(None),) * axis, half)
        _tiled(a[part], b[part], out[part])
    if stack and stack[axis] > 1:
        return
    if max(m, n) > _SIDE:
        for half in _halves(max(m, n)):
            if m >= n:
                _tiled(a[..., half, :], b, out[..., half, :])
            else:
                _tiled(a, b[..., half], out[..., half])
        return
    total = np.zeros(out.shape, np.float32)
    step = _TILE // max(m, n)
    for i in range(0, a.shape[-1], step):
        total += np.matmul(a[..., i : i + step].astype(np.float32), b[..., i : i + step, :].astype(np.float32))
    out[...] = total


def _halves(n: int) -> tuple[slice, ...]:
    return (slice(0, n // 2), slice(n // 2, n)) if n > 1 else ()


def _vecdot_bfloat16(x1: np.ndarray, x2: np.ndarray, *, axis: int = -1) -> Any:
    if axis >= 0 and x1.ndim != x2.ndim:
        raise ValueError(f"axis {axis} is ambiguous for shapes {x1.shape} and {x2.shape}. Count it from the end, as -1")
    x1, x2 = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)
    return _matmul_16_bits(x1[..., None, :], x2[..., None])[..., 0, 0]


EMULATED[("matmul", float16)] = EMULATED[("matmul", bfloat16)] = _matmul_16_bits
EMULATED[("vecdot", bfloat16)] = _vecdot_bfloat16

# --- einsums ------------------------------------------------------------------------------------------------------


def _einsum(operands: list[Any], *, subscripts: str) -> Any:
    """Sum in one loop over all indices: for few elements it takes less time than to plan matrix products."""
    return np.einsum(subscripts, *operands, optimize=sum([x.size for x in operands]) > 512)


def _of_wide_numbers(operands: list[Any], *, subscripts: str) -> bool:
    """Tell whether the operands have more than 16 bits, or are integers.

    np.einsum has no loop for bfloat16, and a slow one for float16."""
    return all(x.dtype.itemsize > 2 or x.dtype.kind in "iu" for x in operands)


_einsum.when = _of_wide_numbers  # type: ignore[attr-defined]
