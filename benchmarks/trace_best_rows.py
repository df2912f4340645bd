"""The rows of `trace_best.py`: those of `trace_functions.py`, and functions that a loop by hand computes well.

A row has a function of latticework and the same by hand. `scalar` is the body of a plain loop over elements, `numba` a
compiled function of whole arrays for what is no such loop. To add a row, append to `ROWS`.
"""

# ruff: noqa: ANN001, ANN201, ANN202 - the functions are of arrays of any framework

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from trace_best_programs import PROGRAMS
from trace_functions import FUNCTIONS, Function, Numbers, between, bound, normal, share

import latticework as lw


class Row(NamedTuple):
    """A function of latticework, and the same by hand.

    Attributes
    ----------
    name: what is printed.
    ours: of arrays of ours.
    numpy, jax: of arrays of NumPy and JAX.
    scalar: of numbers, the body of a loop that numba compiles; None for a function that is no such loop.
    numba: compiled by numba, of arrays; None for none.
    operands: makes the arrays, of a generator and a number of elements.
    """

    name: str
    ours: Callable[..., Any]
    numpy: Callable[..., Any]
    jax: Callable[..., Any] | None
    scalar: Callable[..., Any] | None
    numba: Callable[..., Any] | None
    operands: Callable[[np.random.Generator, int], list[np.ndarray]]


ROWS: list[Row] = []
xp: Any = lw


def _each(operands: tuple[Numbers, ...]) -> Callable[[np.random.Generator, int], list[np.ndarray]]:
    return lambda rng, n: [make(rng, n) for make in operands]


def _bodies() -> dict[str, Callable[..., Any]]:
    """Bodies of loops where a programmer of loops writes something else than the text for arrays."""

    def heat_index(t, h):
        if t < 27:
            return t
        tt, hh = t * t, h * h
        low = -8.78469 + 1.61139 * t + 2.33855 * h - 0.14612 * t * h - 0.01231 * tt - 0.01642 * hh
        return low + 0.00221 * tt * h + 0.00073 * t * hh - 0.00000358 * tt * hh

    def huber(prediction, target):
        r = abs(prediction - target)
        return 0.5 * r * r if r <= 1 else r - 0.5

    def softplus(x):
        return max(x, 0.0) + np.log1p(np.exp(-abs(x)))

    def tone_curve(x):
        x = min(max((x - 0.1) / 0.8, 0.0), 1.0)
        s = x * x * (3 - 2 * x)
        return s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4

    return {f.__name__: f for f in (heat_index, huber, softplus, tone_curve)}


BODIES = _bodies()


def _listed(name: str, f: Function) -> Row:
    scalar = BODIES.get(name, bound(name, "numpy")) if f.elementwise else None
    return Row(name, f.ours, bound(name, "numpy"), bound(name, "jax"), scalar, None, _each(f.operands))


def by_loop(scalar: Callable[..., Any] | None, *operands: Numbers) -> Callable[[Any], Any]:
    """List a function of latticework, NumPy and JAX, with the body of a loop by hand (None: the same text)."""

    def listed(f: Any) -> Any:
        import jax.numpy

        def bind(module: Any) -> Any:
            return FunctionType(f.__code__, {**f.__globals__, "xp": module}, f.__name__)

        ROWS.append(Row(f.__name__, f, bind(np), bind(jax.numpy), scalar or bind(np), None, _each(operands)))
        return f

    return listed


ROWS += [_listed(name, f) for name, f in FUNCTIONS.items()]
ROWS += [
    Row(name, ours, numpy, in_jax, None, loop, make) for name, (ours, numpy, in_jax, loop, make) in PROGRAMS.items()
]


def _mandelbrot(cx, cy):
    x, y, inside = cx, cy, 0.0
    for _ in range(8):
        x, y = min(max(x * x - y * y + cx, -4.0), 4.0), min(max(2 * x * y + cy, -4.0), 4.0)
        if x * x + y * y <= 4:
            inside += 1.0
    return inside


@by_loop(_mandelbrot, between(-2, 0.5), between(-1, 1))
def mandelbrot(cx, cy):
    x, y, inside = cx, cy, 0 * cx
    for _ in range(8):
        x, y = xp.clip(x * x - y * y + cx, -4, 4), xp.clip(2 * x * y + cy, -4, 4)
        inside = inside + xp.where(x * x + y * y <= 4, 1.0, 0.0)
    return inside


def _hue(r, g, b):
    most, least = max(r, g, b), min(r, g, b)
    d = most - least + 1e-9
    if most == r:
        return ((g - b) / d + 6) / 6
    if most == g:
        return ((b - r) / d + 2) / 6
    return ((r - g) / d + 4) / 6


@by_loop(_hue, share, share, share)
def hue(r, g, b):
    most = xp.maximum(xp.maximum(r, g), b)
    d = most - xp.minimum(xp.minimum(r, g), b) + 1e-9
    return xp.where(most == r, (g - b) / d + 6, xp.where(most == g, (b - r) / d + 2, (r - g) / d + 4)) / 6


def _hard_swish(x):
    return x * min(max(x + 3, 0.0), 6.0) / 6


@by_loop(_hard_swish, normal)
def hard_swish(x):
    return x * xp.clip(x + 3, 0, 6) / 6


@by_loop(None, between(0.5, 4))
def morse(r):
    e = 1 - xp.exp(-1.3 * (r - 1.2))
    return 4.5 * e * e


def _selu(x):
    return 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * np.expm1(x))


@by_loop(_selu, normal)
def selu(x):
    return 1.0507009873554805 * xp.where(x > 0, x, 1.6732632423543772 * xp.expm1(xp.minimum(x, 0)))


@by_loop(None, normal, normal, normal)
def lorenz(x, y, z):
    return 10 * (y - x), x * (28 - z) - y, x * y - 2.6666667 * z
