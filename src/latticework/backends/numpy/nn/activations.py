"""Activations on NumPy, in few passes over the data, each into memory that is there."""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import Any

import numpy as np


def sigmoid(x: Any) -> Any:
    """exp may overflow where the result is less than the least normal number."""
    with np.errstate(over="ignore"):
        result = np.exp(np.negative(x))
    result += result.dtype.type(1)
    return np.reciprocal(result)


def silu(x: Any) -> Any:
    result = sigmoid(x)
    result *= x
    return result


def leaky_relu(x: Any, *, negative_slope: float = 0.01) -> Any:
    """Both parts added, each 0 where the other is not: to choose by a condition takes ten times as long."""
    result = np.minimum(x, x.dtype.type(0))
    result *= x.dtype.type(negative_slope)
    result += np.maximum(x, x.dtype.type(0))
    return result


def elu(x: Any, *, alpha: float = 1.0) -> Any:
    """As `leaky_relu`."""
    result = np.expm1(np.minimum(x, x.dtype.type(0)))
    result *= x.dtype.type(alpha)
    result += np.maximum(x, x.dtype.type(0))
    return result


def softplus(x: Any, *, beta: float | None = None, threshold: float | None = None) -> Any:
    """`numpy.logaddexp` goes element by element, and takes fifty times as long."""
    result = np.log1p(np.exp(np.negative(np.abs(x))))
    result += np.maximum(x, x.dtype.type(0))
    return result


def _is_plain(x: Any, *, beta: float | None = None, threshold: float | None = None) -> bool:
    """Tell whether neither beta nor threshold is given."""
    return beta is None and threshold is None


softplus.when = _is_plain  # type: ignore[attr-defined]


#: Of log(erfc(x) / t) + x**2 as a polynomial in t = 1 / (1 + x / 2), to 1.2e-7 for all x from 0 on: Press and others,
#: Numerical Recipes in C, 1992, section 6.2.
_ERFC = (
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
)  # fmt: skip
#: So many elements at once stay in the processor's cache.
_BLOCK = 1 << 14


def gelu(x: Any, *, approximate: bool | str = False) -> Any:
    """x times half of erfc(-x / sqrt(2)): of float32, for which SciPy's function takes ten times as long."""
    flat = np.ravel(x)
    result = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        _gelu_block(flat[start : start + _BLOCK], result[start : start + _BLOCK])
    return result.reshape(np.shape(x))


def _is_exact_single(x: Any, *, approximate: bool | str = False) -> bool:
    """Tell whether x is of float32, and the approximation is ``"none"``."""
    return approximate in (False, "none") and x.dtype == np.float32


gelu.when = _is_exact_single  # type: ignore[attr-defined]


def _gelu_block(x: Any, out: Any) -> None:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        size = np.abs(x)
        size *= np.float32(math.sqrt(0.5))
        t = np.multiply(size, np.float32(0.5))
        t += np.float32(1)
        np.reciprocal(t, out=t)
        half = np.multiply(t, np.float32(_ERFC[0]))
        for c in _ERFC[1:-1]:
            half += np.float32(c)
            half *= t
        half += np.float32(_ERFC[-1] - math.log(2))
        size *= size
        half -= size
        np.exp(half, out=half)
        half *= t  # erfc(|x| / sqrt(2)) / 2, which is 0 for 40
        half *= np.minimum(x, np.float32(40))
    # That is the result below 0; above, it is x less that.
    np.copysign(half, np.float32(-1), out=half)
    np.maximum(x, np.float32(0), out=out)
    out += half


if find_spec("scipy") is not None:

    def _erf(x: Any) -> Any:
        """SciPy's, which is imported when it is first called, and has no 16 bits."""
        from scipy.special import erf

        return erf(x.astype(np.float32)).astype(x.dtype) if x.dtype.itemsize == 2 else erf(x)
