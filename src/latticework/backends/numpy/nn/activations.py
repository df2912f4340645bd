"""Activations on NumPy: passes over blocks that stay in the cache, each into existing memory."""

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
    """Compute x / (1 + exp(-x)), a pass less than the product with the sigmoid."""
    return elementwise(x, _silu_block, overflows=True)


def _silu_block(x: Any, out: Any) -> None:
    np.negative(x, out)
    np.exp(out, out)
    np.add(out, number(out.dtype, 1), out)
    np.divide(x, out, out)


def leaky_relu(x: Any, *, negative_slope: float = 0.01) -> Any:
    """Take the greater one of x and the product, for a slope from 0 to 1. Otherwise add both parts, each 0 where the
    other is not: a choice by a condition takes ten times as long."""
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
    """Like `leaky_relu`: for alpha from 0 to 1, x is nowhere above the exponential part, which is 0 at most."""
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


#: The most elements that take less time in one slow pass than in five quick ones.
_FEW = 64


def softplus(x: Any, *, beta: float | None = None, threshold: float | None = None) -> Any:
    """Use `numpy.logaddexp` for few elements: it takes a fourth of the time, but for many fifty times as long."""
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


#: Half of erfc(a / sqrt(2)) is exp(-a**2 / 2) times a quotient of two polynomials, to 6.3e-9 for a from 0 to 15, with
#: the least greatest relative error. Here are a times the numerator, and the denominator, by powers of a.
_HALF_ERFC = np.array(
    [
        [0, 0.5000000031497965, 0.4392829653721524, 0.18396879735293525, 0.04088101386352229, 0.004153213208696457],
        [1, 1.6764509377557424, 1.2055468562528902, 0.47140779826960133, 0.10247962192180274, 0.010410449990954286],
    ],
    np.float32,
)


def gelu(x: Any, *, approximate: bool | str = False) -> Any:
    """Compute x times half of erfc(-x / sqrt(2)) for float32: SciPy's function takes ten times as long."""
    if approximate in (False, "none"):
        zeros = constant(x, 0)
        powers = np.empty((6, min(x.size, zeros.size // 2)), x.dtype)
        powers[0] = 1
        return elementwise(x, partial(_gelu_blocks, zeros, powers, np.empty_like(powers[:2])), overflows=True)
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


def _gelu_blocks(zeros: Any, powers: Any, polynomials: Any, x: Any, out: Any) -> None:
    """Compute in shorter blocks, because each takes the memory of ten."""
    step = max(powers.shape[1], 1)
    for start in range(0, x.size, step):
        part = slice(start, start + step)
        n = x[part].size
        _gelu_block(zeros[:n], powers[:, :n], polynomials[:, :n], x[part], out[part])


#: From here on, exp(-a**2 / 2) is 0.
_FAR = 15


def _gelu_block(zeros: Any, powers: Any, polynomials: Any, x: Any, out: Any) -> None:
    """Compute -a * erfc(a / sqrt(2)) / 2 for a = abs(x), which is the result below 0. Above, add x. One product makes
    both polynomials of all powers, in a fourth of the time of a pass for each term."""
    _, a, square, third, fourth, fifth = powers
    np.abs(x, a)
    far = not a.max() <= _FAR  # or nan
    if far:
        np.minimum(a, number(a.dtype, _FAR), out=a)
    np.square(a, square)
    np.multiply(a, square, third)
    np.square(square, fourth)
    np.multiply(square, third, fifth)
    np.matmul(_HALF_ERFC, powers, out=polynomials)
    upper, lower = polynomials
    np.multiply(square, number(a.dtype, -0.5), square)
    np.exp(square, square)
    np.multiply(upper, square, square)
    np.divide(square, lower, square)
    np.maximum(x, zeros, out=out)
    np.subtract(out, square, out)
    if far:
        out[x == -np.inf] = np.nan  # -inf * 0, as everywhere


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
