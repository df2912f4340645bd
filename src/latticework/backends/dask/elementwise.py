"""Elementwise functions on Dask: the NumPy backend's, on each block. Chunks stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from ...backend.unsupported import COMPLEX_HYPOT
from ...core.dtypes import category
from ..numpy.core import scalar as _scalar
from .blocks import BOOL, at_hand, by_block, common, kernel, real_dtype
from .core import REFUSED, TAKE_SCALARS


def _of_elements(name: str, result: Callable[[np.dtype], np.dtype]) -> Callable[..., da.Array]:
    def function(*operands: Any) -> da.Array:
        dtype = common(*operands)
        arrays = [x if isinstance(x, da.Array) else _scalar(dtype)(x) for x in operands]
        return by_block(kernel(name, *operands), result(dtype), *arrays)

    function.__name__ = function.__qualname__ = name
    TAKE_SCALARS.add(name)
    return function


def _same(name: str) -> Callable[..., da.Array]:
    """Make a function whose result has the dtype of its operands."""
    return _of_elements(name, lambda dtype: dtype)


def _truth(name: str) -> Callable[..., da.Array]:
    """Make a function whose result is bool."""
    return _of_elements(name, lambda dtype: BOOL)


def _component(name: str) -> Callable[..., da.Array]:
    """Make a function whose result is real."""
    return _of_elements(name, real_dtype)


# --- arithmetic --------------------------------------------------------------------------------------------------

add = _same("add")
subtract = _same("subtract")
multiply = _same("multiply")
divide = _same("divide")
floor_divide = _same("floor_divide")
remainder = _same("remainder")
_pow = _same("pow")
square = _same("square")
reciprocal = _same("reciprocal")
negative = _same("negative")
positive = _same("positive")
abs = _component("abs")
sign = _same("sign")
copysign = _same("copysign")
nextafter = _same("nextafter")
hypot = _same("hypot")
REFUSED.update({("hypot", d): COMPLEX_HYPOT for d in category("complex floating")})  # before it is computed


def pow(x1: Any, x2: Any) -> da.Array:
    """Refuse negative exponents of integers before anything is computed if they are known, else when they are."""
    few = at_hand(x2) if isinstance(x2, da.Array) else np.asarray(x2)
    if common(x1, x2).kind == "i" and few is not None and 0 not in np.shape(x1) and (few < 0).any():
        raise ValueError("integers have no negative powers. Cast one to a floating dtype: lw.astype(x, lw.float32)")
    return _pow(x1, x2)


# --- exponentials, logarithms, trigonometry ----------------------------------------------------------------------

exp = _same("exp")
expm1 = _same("expm1")
log = _same("log")
log1p = _same("log1p")
log2 = _same("log2")
log10 = _same("log10")
logaddexp = _same("logaddexp")
sqrt = _same("sqrt")
sin = _same("sin")
cos = _same("cos")
tan = _same("tan")
asin = _same("asin")
acos = _same("acos")
atan = _same("atan")
atan2 = _same("atan2")
sinh = _same("sinh")
cosh = _same("cosh")
tanh = _same("tanh")
asinh = _same("asinh")
acosh = _same("acosh")
atanh = _same("atanh")

# --- rounding and bounds -----------------------------------------------------------------------------------------

ceil = _same("ceil")
floor = _same("floor")
trunc = _same("trunc")
round = _same("round")
maximum = _same("maximum")
minimum = _same("minimum")
_clip = _same("_clip")

# --- comparisons, predicates, logic, bits ------------------------------------------------------------------------

equal = _truth("equal")
not_equal = _truth("not_equal")
less = _truth("less")
less_equal = _truth("less_equal")
greater = _truth("greater")
greater_equal = _truth("greater_equal")
isfinite = _truth("isfinite")
isinf = _truth("isinf")
isnan = _truth("isnan")
signbit = _truth("signbit")
logical_and = _truth("logical_and")
logical_or = _truth("logical_or")
logical_xor = _truth("logical_xor")
logical_not = _truth("logical_not")
bitwise_and = _same("bitwise_and")
bitwise_or = _same("bitwise_or")
bitwise_xor = _same("bitwise_xor")
bitwise_invert = _same("bitwise_invert")
bitwise_left_shift = _same("bitwise_left_shift")
bitwise_right_shift = _same("bitwise_right_shift")

# --- complex numbers ---------------------------------------------------------------------------------------------

conj = _same("conj")
real = _component("real")
imag = _component("imag")
