"""Elementwise functions beyond the standard, on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtypes import bfloat16
from .core import COMPOSED

exp2 = np.exp2
cbrt = np.cbrt
logaddexp2 = np.logaddexp2
fabs = np.fabs
rint = np.rint
modf = np.modf
frexp = np.frexp
fmod = np.fmod
gcd = np.gcd
lcm = np.lcm
fmax = np.fmax
fmin = np.fmin
heaviside = np.heaviside
deg2rad = np.deg2rad
rad2deg = np.rad2deg
bitwise_count = np.bitwise_count


def ldexp(x1: Any, x2: Any) -> Any:
    """NumPy refuses a Python int beyond int32, which is far beyond the exponents of any dtype."""
    return np.ldexp(x1, max(-(2**20), min(2**20, x2)) if isinstance(x2, int) else x2)


COMPOSED.add(("ldexp", bfloat16))  # NumPy has a loop for exponents of int32 alone, and widens otherwise


def polar(abs: Any, angle: Any) -> Any:
    """Compute the components into the result; those of 16 bits have no complex dtype and are widened."""
    dtype = np.result_type(abs, angle)
    wide = dtype if dtype.itemsize > 2 else np.dtype(np.float32)
    result = np.empty(np.broadcast_shapes(np.shape(abs), np.shape(angle)), np.result_type(wide, np.complex64))
    np.multiply(abs, np.cos(angle, dtype=wide), out=result.real)
    np.multiply(abs, np.sin(angle, dtype=wide), out=result.imag)
    return result


# --- bits ---------------------------------------------------------------------------------------------------------


def reinterpret(x: Any, dtype: Any) -> Any:
    before, after = x.dtype.itemsize, np.dtype(dtype).itemsize
    if before == after:
        return x.view(dtype)
    if before > after:
        return np.ascontiguousarray(x[..., None]).view(dtype)
    return np.ascontiguousarray(x).view(dtype)[..., 0]
