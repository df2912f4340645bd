"""Elementwise functions beyond the standard, on Dask: the NumPy backend's, on each block."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ..numpy.elementwise_extended import reinterpret as _of_block
from .blocks import by_block, call, complex_dtype, kernel, whole
from .elementwise import _of_elements, _same

exp2 = _same("exp2")
cbrt = _same("cbrt")
logaddexp2 = _same("logaddexp2")
fabs = _same("fabs")
rint = _same("rint")
fmod = _same("fmod")
gcd = _same("gcd")
lcm = _same("lcm")
fmax = _same("fmax")
fmin = _same("fmin")
heaviside = _same("heaviside")
deg2rad = _same("deg2rad")
rad2deg = _same("rad2deg")
bitwise_count = _of_elements("bitwise_count", lambda dtype: np.dtype(np.uint8))
polar = _of_elements("polar", complex_dtype)


def frexp(x: da.Array) -> tuple[da.Array, da.Array]:
    return _of_pair("frexp", x, 0, x.dtype), _of_pair("frexp", x, 1, np.dtype(np.int32))


def modf(x: da.Array) -> tuple[da.Array, da.Array]:
    return _of_pair("modf", x, 0, x.dtype), _of_pair("modf", x, 1, x.dtype)


def _of_pair(name: str, x: da.Array, place: int, dtype: Any) -> da.Array:
    """Return one of the two results of a function; a graph of both results computes the function twice."""
    return by_block(partial(_pick, function=kernel(name, x), place=place), dtype, x)


def _pick(block: Any, *, function: Any, place: int) -> Any:
    return function(block)[place]


# --- bits ---------------------------------------------------------------------------------------------------------


def reinterpret(x: da.Array, dtype: Any) -> da.Array:
    dtype = np.dtype(dtype)
    before, after = x.dtype.itemsize, dtype.itemsize
    axes, new = tuple(range(x.ndim)), {}
    if before < after:
        x = whole(x, (x.ndim - 1,))
    out = axes if before == after else axes[:-1] if before < after else (*axes, x.ndim)
    if before > after:
        new = {x.ndim: before // after}
    return call(partial(_of_block, dtype=dtype), out, x, axes, dtype=dtype, new_axes=new, concatenate=True)
