"""Distributions of the generator object that are drawn by rejection, on backends that have no generator of their own.

A round draws candidates for all elements, and each element keeps its first accepted one. The rounds end when every
element has one, so the values must be known: a traced function cannot draw from these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...core.dtypes import float_limits
from ...core.registry import functions as lw
from ...engine.arrays.array import Array

__all__ = ["hypergeometric", "until_accepted", "von_mises", "zipf"]

#: Draws uniform numbers in [0, 1), or numbers of the exponential distribution, for all elements.
Draw = Callable[[], Array]


def until_accepted(attempt: Callable[[], tuple[Array, Array]]) -> Array:
    """Repeat an attempt, which gives candidates and whether each is accepted, until every element has one."""
    found, done = attempt()
    while not lw.all(done):
        candidates, accepted = attempt()
        found, done = lw.where(done, found, candidates), lw.logical_or(done, accepted)
    return found


def von_mises(unit: Draw, exponential: Draw, kappa: Array) -> Array:
    """Draw angles of a von Mises distribution around 0, by a wrapped Cauchy distribution (Best and Fisher 1979).

    It computes with the parameter rho of the wrapped Cauchy distribution, so that no difference loses digits: neither
    for small kappa, where both distributions are uniform, nor for large kappa, where rho is almost 1. If kappa is so
    large that its powers are infinite, all angles are 0.
    """
    kappa = lw.minimum(kappa, float_limits(kappa.dtype).max ** 0.6)
    h = lw.hypot(2 * kappa, 1.0)
    root = lw.sqrt(1 + h)
    rho = 2 * kappa * root / ((1 + h) * (root + math.sqrt(2)))
    large = lw.maximum(kappa, 1.0)
    rest = (math.sqrt(2) * root - 1 - 1 / (2 * large + h)) / (2 * large)
    rest = lw.where(kappa < 1, 1 - rho, rest)  # 1 - rho
    factor = (1 + h) * (root + math.sqrt(2)) / (4 * root)  # kappa / (2 * rho)

    def attempt() -> tuple[Array, Array]:
        half = math.pi * (unit() - 0.5)
        c = factor * lw.square(rest * (1 + rho)) / (lw.square(rest) + 4 * rho * lw.square(lw.cos(half)))
        # a nan kappa gives a nan angle, which is accepted
        return 2 * lw.atan2(rest * lw.sin(half), (1 + rho) * lw.cos(half)), ~(lw.log(c) + 1 - c + exponential() < 0)

    return until_accepted(attempt)


def zipf(unit: Draw, a: Array, most: float) -> Array:
    """Numbers of a Zipf distribution, as floats (Devroye 1986, page 551); `most` is the greatest that is accepted."""
    less = a - 1
    b = lw.pow(2.0, less)

    def attempt() -> tuple[Array, Array]:
        x = lw.floor(lw.exp(-lw.log1p(-unit()) / less))
        t = lw.exp(less * lw.log1p(1 / x))
        accepted = unit() * x * lw.expm1(less * lw.log1p(1 / x)) * b <= t * (b - 1)
        return x, lw.logical_and(accepted, x <= most)

    return until_accepted(attempt)


def hypergeometric(unit: Draw, good: Array, bad: Array, sample: Array) -> Array:
    """Draw how many of a sample are good, as floats, by ratios of uniform numbers (Stadlober 1990).

    It draws for the smaller of the two kinds and for the smaller of the sample and the rest; the others follow.
    """
    few, many = lw.minimum(good, bad), lw.maximum(good, bad)
    total = good + bad
    taken = lw.minimum(sample, total - sample)
    share = few / lw.maximum(total, 1.0)
    middle = taken * share + 0.5
    spread = lw.sqrt((total - taken) * taken * share * (1 - share) / lw.maximum(total - 1, 1.0) + 0.5)
    width = 2 * math.sqrt(2 / math.e) * spread + (3 - 2 * math.sqrt(3 / math.e))
    mode = lw.floor((taken + 1) * (few + 1) / (total + 2))
    highest = _log_chance(few, many, taken, mode)
    most = lw.minimum(few, taken)

    def attempt() -> tuple[Array, Array]:
        u = 1 - unit()
        x = middle + width * (unit() - 0.5) / u
        within = lw.logical_and(x >= 0, x < most + 1)
        k = lw.floor(lw.where(within, x, mode))
        accepted = 2 * lw.log(u) <= _log_chance(few, many, taken, k) - highest
        return k, lw.logical_and(within, accepted)

    k = until_accepted(attempt)
    k = lw.where(good > bad, taken - k, k)
    return lw.where(taken < sample, good - k, k)


def _log_chance(few: Array, many: Array, taken: Array, k: Array) -> Array:
    """The logarithm of the chance of k, up to a number that is the same for all k."""
    factorials: Any = (k, few - k, taken - k, many - taken + k)
    return -sum(lw.special.gammaln(n + 1) for n in factorials[1:]) - lw.special.gammaln(k + 1)
