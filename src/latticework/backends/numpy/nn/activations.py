"""Activations on NumPy: passes over blocks that stay in the cache, each into memory that is there."""

from __future__ import annotations

import math
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from ....core.dtypes import bfloat16, float16
from ..core import COMPOSED
from .blocks import constant, elementwise, number


def relu(x: Any) -> Any:
    zeros = constant(x, 0)
    return elementwise(x, lambda part, out: np.maximum(part, zeros[: part.size], out=out))


def sigmoid(x: Any) -> Any:
    """exp may overflow where the result is less than the least normal number."""
    return elementwise(x, _sigmoid_block, overflows=True)


def _sigmoid_block(x: Any, out: Any) -> None:
    one = number(out.dtype, 1)
    np.negative(x, out)
    np.exp(out, out)
    np.add(out, one, out)
    np.divide(one, out, out)


def silu(x: Any) -> Any:
    """x / (1 + exp(-x)), a pass less than the product with the sigmoid."""
    return elementwise(x, _silu_block, overflows=True)


def _silu_block(x: Any, out: Any) -> None:
    np.negative(x, out)
    np.exp(out, out)
    np.add(out, number(out.dtype, 1), out)
    np.divide(x, out, out)


def leaky_relu(x: Any, *, negative_slope: float = 0.01) -> Any:
    """The greater one of x and the product, for a slope from 0 to 1. Otherwise both parts added, each 0 where the other
    is not: to choose by a condition takes ten times as long."""
    slope = x.dtype.type(negative_slope)
    if 0 < slope <= 1:

        def greater(part: Any, out: Any) -> None:
            np.multiply(part, slope, out=out)
            np.maximum(part, out, out=out)

        return elementwise(x, greater)
    zeros = constant(x, 0)

    def added(part: Any, out: Any, above: Any) -> None:
        np.minimum(part, zeros[: part.size], out=out)
        out *= slope
        out += np.maximum(part, zeros[: part.size], out=above)

    return elementwise(x, added, 1)


def elu(x: Any, *, alpha: float = 1.0) -> Any:
    """As `leaky_relu`: for alpha from 0 to 1, x is nowhere above the exponential part that is 0 at most."""
    zeros = constant(x, 0)

    def plain(part: Any, out: Any) -> None:
        np.minimum(part, zeros[: part.size], out=out)
        np.expm1(out, out)
        if alpha != 1:
            np.multiply(out, number(x.dtype, alpha), out)
        np.maximum(part, out, out=out)

    def added(part: Any, out: Any, above: Any) -> None:
        np.minimum(part, zeros[: part.size], out=out)
        np.expm1(out, out)
        np.multiply(out, number(x.dtype, alpha), out)
        np.add(out, np.maximum(part, zeros[: part.size], out=above), out)

    if 0 <= alpha <= 1:
        return elementwise(x, plain)
    return elementwise(x, added, 1, overflows=True)


#: So many elements take less time in one slow pass than in five quick ones.
_FEW = 64


def softplus(x: Any, *, beta: float | None = None, threshold: float | None = None) -> Any:
    """`numpy.logaddexp` goes element by element: of few it takes a fourth of the time, of many fifty times as long."""
    if x.size <= _FEW:
        return np.logaddexp(x, number(x.dtype, 0))
    zeros = constant(x, 0)

    def block(part: Any, out: Any, above: Any) -> None:
        np.abs(part, out=out)
        np.negative(out, out=out)
        np.exp(out, out=out)
        np.log1p(out, out=out)
        out += np.maximum(part, zeros[: part.size], out=above)

    return elementwise(x, block, 1)


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


def gelu(x: Any, *, approximate: bool | str = False) -> Any:
    """x times half of erfc(-x / sqrt(2)): of float32, for which SciPy's function takes ten times as long."""
    if approximate in (False, "none"):
        return elementwise(x, partial(_gelu_block, constant(x, 0), constant(x, 40)), 3, overflows=True)
    return elementwise(x, _gelu_sigmoid_block if approximate == "sigmoid" else _gelu_tanh_block, overflows=True)


def _is_short(x: Any, *, approximate: bool | str = False) -> bool:
    """Tell whether x is of float32, or an approximation is requested."""
    return approximate in (True, "tanh", "sigmoid") or (x.dtype == np.float32 and approximate in (False, "none"))


gelu.when = _is_short  # type: ignore[attr-defined]


def _gelu_tanh_block(x: Any, out: Any) -> None:
    """tanh(y) is 2 * sigmoid(2 * y) - 1, so that the product is x / (1 + exp(-2 * y))."""
    factor = -2 * math.sqrt(2 / math.pi)
    np.square(x, out)
    np.multiply(out, number(out.dtype, 0.044715 * factor), out)
    np.add(out, number(out.dtype, factor), out)
    np.multiply(out, x, out)
    np.exp(out, out)
    np.add(out, number(out.dtype, 1), out)
    np.divide(x, out, out)


def _gelu_sigmoid_block(x: Any, out: Any) -> None:
    np.multiply(x, out.dtype.type(-1.702), out=out)
    np.exp(out, out=out)
    out += out.dtype.type(1)
    np.divide(x, out, out=out)


def _gelu_block(zeros: Any, bound: Any, x: Any, out: Any, t: Any, half: Any, square: Any) -> None:
    number, n = np.float32, x.size
    np.abs(x, out=out)
    out *= number(math.sqrt(0.5))
    np.multiply(out, number(0.5), out=t)
    t += number(1)
    np.divide(number(1), t, out=t)
    np.multiply(t, number(_ERFC[0]), out=half)
    for c in _ERFC[1:-1]:
        half += number(c)
        half *= t
    half += number(_ERFC[-1] - math.log(2))
    half -= np.square(out, out=square)
    np.exp(half, out=half)
    half *= t  # erfc(|x| / sqrt(2)) / 2, which is 0 from 40 on
    half *= np.minimum(x, bound[:n], out=square)
    # That is the result below 0; above, it is x less that.
    np.abs(half, out=half)
    np.maximum(x, zeros[:n], out=out)
    out -= half


def mish(x: Any) -> Any:
    """tanh(log(1 + e)) is n / (n + 2) with n = e * (e + 2), and 1 from an x of 20 on."""
    if x.size <= _FEW:
        return np.multiply(x, np.tanh(np.logaddexp(x, number(x.dtype, 0))))
    bound = constant(x, 20)

    def block(part: Any, out: Any, rest: Any) -> None:
        two = number(out.dtype, 2)
        np.minimum(part, bound[: part.size], out=out)
        np.exp(out, out)
        np.multiply(out, np.add(out, two, rest), out)
        np.add(out, two, rest)
        np.divide(out, rest, out)
        np.multiply(out, part, out)

    return elementwise(x, block, 1)


def hard_silu(x: Any) -> Any:
    return elementwise(x, _hard_silu_block)


def _hard_silu_block(x: Any, out: Any) -> None:
    np.add(x, number(out.dtype, 3), out)
    np.clip(out, number(out.dtype, 0), number(out.dtype, 6), out=out)
    np.divide(out, number(out.dtype, 6), out)
    np.multiply(out, x, out)


COMPOSED.update((f"nn.{name}", dtype) for name in ("gelu", "mish", "hard_silu") for dtype in (bfloat16, float16))


if find_spec("scipy") is not None:

    def _erf(x: Any) -> Any:
        """SciPy's, which is imported when it is first called, and has no 16 bits."""
        from scipy.special import erf

        return erf(x.astype(np.float32)).astype(x.dtype) if x.dtype.itemsize == 2 else erf(x)
