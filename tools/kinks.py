"""The kinks of functions: where there is no one slope, latticework's slope there, and those of the frameworks.

`derivatives_page` writes docs/derivatives.md from it, and the tests hold every cell to what the backends compute.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import latticework as lw

nn = lw.nn


class Kink(NamedTuple):
    """A function and points at which it has no one slope.

    Attributes
    ----------
    name: the functions, as the page writes them.
    where: the points, in words.
    f: a function of an array.
    points: the array.
    ours: the gradient of the sum there, on every backend.
    torch, jax, tensorflow: the gradient under ``gradients="native"``. A composition has latticework's slopes.
    """

    name: str
    where: str
    f: Callable[[Any], Any]
    points: list[float]
    ours: list[float]
    torch: list[float]
    jax: list[float]
    tensorflow: list[float]


def _same(name: str, where: str, f: Callable[[Any], Any], points: list[float], ours: list[float]) -> Kink:
    return Kink(name, where, f, points, ours, ours, ours, ours)


def _beside(f: Callable[..., Any], other: float = 0.0) -> Callable[[Any], Any]:
    """Make a function of two arrays one of the first."""
    return lambda x: f(x, lw.full_like(x, other))


def _after(f: Callable[..., Any], other: float) -> Callable[[Any], Any]:
    """Make a function of two arrays one of the second."""
    return lambda x: f(lw.full_like(x, other), x)


SIXTH = 1 / 6
_INF, _NAN = math.inf, math.nan

#: The heading of each group -> why latticework's slopes there are what they are, and its kinks.
GROUPS: dict[str, tuple[str, list[Kink]]] = {
    "Sizes": (
        ("The left and the right slope are opposite, so 0 is taken. A distance or a norm of zeros has the slope 0 "
         "too, and never nan."),
        [
            Kink("`abs`", "0", lw.abs, [0.0], [0], [0], [1], [0]),
            Kink("`fabs`", "0", lw.fabs, [0.0], [0], [0], [1], [0]),
            Kink("`nn.l1_loss`", "equal arrays", lambda x: nn.l1_loss(x, lw.zeros_like(x)), [0.0], [0], [0], [1], [0]),
            Kink(
                "`linalg.vector_norm` of order 1", "0", lambda x: lw.linalg.vector_norm(x, ord=1), [0.0], [0], [0], [1],
                [0],
            ),
            Kink("`copysign`", "0", _beside(lw.copysign, 1.0), [0.0], [0], [0], [1], [1]),
            Kink("`hypot`", "0 and 0", _beside(lw.hypot), [0.0], [0], [0], [0.5], [0]),
            Kink("`hypot`", "1e-30 and 0", _beside(lw.hypot), [1e-30], [1], [1], [_NAN], [0]),
            _same("`linalg.vector_norm`", "zeros", lw.linalg.vector_norm, [0.0, 0.0], [0, 0]),
            _same("`std`", "equal elements", lw.std, [2.0, 2.0], [0, 0]),
        ],
    ),
    "The greatest and the least": (
        ("Equal elements share the slope: it does not matter which of them comes first, and all of them learn. "
         "Where one element is taken by its position, it has all of the slope. Beside nan it is not known which is the "
         "greatest: the elements of an array have the slope nan, and two numbers 1 each."),
        [
            Kink("`maximum`", "two equal numbers", _beside(lw.maximum), [0.0], [0.5], [0.5], [0.5], [1]),
            Kink("`minimum`", "two equal numbers", _beside(lw.minimum), [0.0], [0.5], [0.5], [0.5], [1]),
            Kink("`fmax`", "two equal numbers", _beside(lw.fmax), [0.0], [0.5], [1], [0], [1]),
            Kink("`fmin`", "two equal numbers", _beside(lw.fmin), [0.0], [0.5], [1], [0], [1]),
            _same("`max`, `min`", "two equal elements", lw.max, [1.0, 1.0], [0.5, 0.5]),
            _same("`nanmax`, `nanmin`", "two equal elements", lw.nanmax, [1.0, 1.0], [0.5, 0.5]),
            _same("`logaddexp`", "two equal numbers", _beside(lw.logaddexp), [0.0], [0.5]),
            Kink(
                "`logaddexp`", "two equal infinities", _beside(lw.logaddexp, -math.inf), [-math.inf], [0.5], [math.nan],
                [math.nan], [0.5],
            ),
            Kink(
                "`logaddexp2`", "two equal infinities", _beside(lw.logaddexp2, -_INF), [-_INF], [0.5], [0.5], [_NAN],
                [1],
            ),
            Kink("`maximum`, `minimum`", "1, beside nan", _beside(lw.maximum, _NAN), [1.0], [1], [1], [0], [0]),
            Kink("`max`, `min`", "1 and nan", lw.max, [1.0, _NAN], [_NAN] * 2, [0, 1], [_NAN] * 2, [_NAN] * 2),
            _same("`logsumexp`", "elements that are all -inf", lw.logsumexp, [-math.inf, -math.inf], [0, 0]),
            Kink(
                "`cummax`", "two equal elements", lambda x: lw.cummax(x)[1:], [1.0, 1.0], [0, 1], [0, 1], [0.5, 0.5],
                [0, 1],
            ),
            Kink(
                "`cummin`", "two equal elements", lambda x: lw.cummin(x)[1:], [1.0, 1.0], [0, 1], [0, 1], [0.5, 0.5],
                [0, 1],
            ),
            _same("`sort`", "two equal elements", lambda x: lw.sort(x)[1:], [1.0, 1.0], [0, 1]),
            _same("`top_k`", "two equal elements", lambda x: lw.top_k(x, 1)[0], [1.0, 1.0], [1, 0]),
            _same("`median`", "two equal elements of three", lw.median, [1.0, 1.0, 0.0], [1, 0, 0]),
            _same(
                "`nn.max_pool1d`", "two equal elements", lambda x: nn.max_pool1d(lw.reshape(x, (1, 1, 2)), 2),
                [1.0, 1.0], [1, 0],
            ),
            Kink(
                "`nn.max_pool1d` with a dilation", "two equal elements",
                lambda x: nn.max_pool1d(lw.reshape(x, (1, 1, 3)), 2, dilation=2), [1.0, 0.0, 1.0], [1, 0, 0], [1, 0, 0],
                [0.5, 0, 0.5], [0.5, 0, 0.5],
            ),
            Kink(
                "`nn.adaptive_max_pool2d`", "two equal elements",
                lambda x: nn.adaptive_max_pool2d(lw.reshape(x, (1, 1, 1, 2)), 1), [1.0, 1.0], [1, 0], [1, 0],
                [0.5, 0.5], [0.5, 0.5],
            ),
        ],
    ),
    "Bounds": (
        (
            "At a bound the slope is that between the bounds: a parameter that was clipped to it can leave it again. "
            "`clip` with one bound is `maximum` or `minimum`, whose slopes at a tie are 1/2 and 1/2."
        ),
        [
            Kink("`clip`", "a bound", lambda x: lw.clip(x, -1.0, 1.0), [-1.0, 1.0], [1, 1], [1, 1], [0.5, 0.5], [1, 1]),
            Kink("`nn.hard_tanh`", "-1 and 1", nn.hard_tanh, [-1.0, 1.0], [1, 1], [0, 0], [0.5, 0.5], [1, 1]),
            Kink(
                "`nn.hard_sigmoid`", "-3 and 3", nn.hard_sigmoid, [-3.0, 3.0], [SIXTH, SIXTH], [0, 0], [0, 0],
                [SIXTH, SIXTH],
            ),
        ],
    ),
    "Activations": (
        ("The slope is that of negative numbers, with which published networks were trained: what is off stays "
         "off. At their joints `relu6` and `hard_silu` have the slope of the outer piece."),
        [
            _same("`nn.relu`", "0", nn.relu, [0.0], [0]),
            _same("`nn.relu6`", "0 and 6", nn.relu6, [0.0, 6.0], [0, 0]),
            Kink(
                "`nn.leaky_relu` of slope 1/4", "0", lambda x: nn.leaky_relu(x, 0.25), [0.0], [0.25], [0.25], [1],
                [0.25],
            ),
            _same("`nn.prelu` of slope 1/4", "0", lambda x: nn.prelu(x, lw.asarray([0.25])), [0.0], [0.25]),
            _same("`nn.elu` of alpha 2", "0", lambda x: nn.elu(x, 2.0), [0.0], [2]),
            Kink(
                "`nn.selu`", "0", nn.selu, [0.0], [1.7580993], [1.7580993], [1.7580993], [1.0507010],
            ),
            _same("`nn.hard_silu`", "-3 and 3", nn.hard_silu, [-3.0, 3.0], [0, 1]),
            Kink(
                "`nn.soft_shrink`", "its threshold", lambda x: nn.soft_shrink(x, 0.5), [-0.5, 0.5], [0, 0], [0, 0],
                [0.5, 0.5], [0, 0],
            ),
            _same("`nn.hard_shrink`", "its threshold", lambda x: nn.hard_shrink(x, 0.5), [-0.5, 0.5], [0, 0]),
            _same("`nn.threshold`", "its threshold", lambda x: nn.threshold(x, 1.0, 5.0), [1.0], [0]),
        ],
    ),
    "Losses": (
        "Where the two pieces of a loss meet, both have the same slope.",
        [
            _same("`nn.huber_loss`", "delta", lambda x: nn.huber_loss(x, lw.zeros_like(x)), [1.0], [1]),
            _same("`nn.smooth_l1_loss`", "beta", lambda x: nn.smooth_l1_loss(x, lw.zeros_like(x)), [1.0], [1]),
        ],
    ),
    "Steps": (
        ("What is constant in steps has the slope 0 on the steps and between them. A remainder is the dividend less "
         "the divisor times such a quotient, which is infinite where the divisor is 0."),
        [
            _same("`floor`, `ceil`, `round`, `trunc`", "a whole number", lw.floor, [1.0], [0]),
            _same("`sign`", "0", lw.sign, [0.0], [0]),
            _same("`remainder` by the dividend", "a multiple", _beside(lw.remainder, 2.0), [4.0], [1]),
            _same("`fmod` by the dividend", "a multiple", _beside(lw.fmod, 2.0), [4.0], [1]),
            Kink("`remainder` by the divisor", "0, of 1", _after(lw.remainder, 1.0), [0.0], [-_INF], [-_INF], [-_INF],
                 [_NAN]),
            Kink("`fmod` by the divisor", "0, of 1", _after(lw.fmod, 1.0), [0.0], [-_INF], [-_INF], [-_INF], [_NAN]),
            Kink("`floor_divide`", "1, by 0", _beside(lw.floor_divide), [1.0], [0], [0], [0], [_INF]),
            _same("`nextafter` by the first", "1, to 2", _beside(lw.nextafter, 2.0), [1.0], [1]),
        ],
    ),
    "Agreements": (
        ("Where an agreement says what a function is, as `0 * log(0) = 0`, there is no slope, and 0 is taken: of the "
         "angle of no direction, of a power of a negative number by its exponent, of products with a logarithm. "
         "`special.entr` has one argument, and the limit of the slopes on its right."),
        [
            Kink("`atan2`", "0 and 0", _beside(lw.atan2), [0.0], [0], [0], [_NAN], [_NAN]),
            _same("`pow` by the exponent", "2, of -2", _after(lw.pow, -2.0), [2.0], [0]),
            _same("`special.xlogy`", "0 and 0", _beside(lw.special.xlogy), [0.0], [0]),
            _same("`special.rel_entr`, `special.kl_div`", "0, to 1", _beside(lw.special.rel_entr, 1.0), [0.0], [0]),
            _same("`nn.kl_div` by the target", "0", _after(nn.kl_div, -1.0), [0.0], [0]),
            _same("`special.entr`", "0", lw.special.entr, [0.0], [_INF]),
        ],
    ),
}  # fmt: skip

#: All of them.
KINKS = [kink for _, kinks in GROUPS.values() for kink in kinks]
