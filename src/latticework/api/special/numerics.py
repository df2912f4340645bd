"""Shared parts of the compositions of special functions: polynomials, and float32 for floats of 16 bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.dtypes import float32
from ...core.registry import functions as lw
from ...engine.arrays.array import Array

__all__ = ["in_float32", "polynomial", "quotient"]


def in_float32(f: Callable[..., Array], *operands: Any) -> Array:
    """Compute a function of arrays of one dtype, floats of 16 bits in float32. Python scalars become 0-d arrays."""
    first = next(x for x in operands if isinstance(x, Array))
    narrow = first.dtype.bits == 16
    dtype = float32 if narrow else first.dtype
    arrays = [
        lw.astype(x, dtype, copy=False) if isinstance(x, Array) else lw.asarray(x, dtype=dtype, device=first.device)
        for x in operands
    ]
    result = f(*arrays)
    return lw.astype(result, first.dtype) if narrow else result


def polynomial(x: Array, coefficients: Sequence[float]) -> Array:
    """Evaluate a polynomial by Horner's rule, the coefficient of the highest power first."""
    first, second, *others = coefficients
    result = (x if first == 1 else x * first) + second
    for c in others:
        result = result * x + c
    return result


def quotient(x: Array, numerator: Sequence[float], denominator: Sequence[float]) -> Array:
    """Evaluate a rational function."""
    return polynomial(x, numerator) / polynomial(x, denominator)
