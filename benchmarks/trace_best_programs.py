"""Whole programs for `trace_best.py`, with reductions, products of matrices, loops and slices.

The text is one for latticework, NumPy and JAX where people write the same in each; `instead` has what they write in
NumPy. A loop by hand is a function of whole arrays, for numba.
"""

# ruff: noqa: ANN001, ANN202 - the functions are of arrays of any framework

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

import latticework as lw

__all__ = ["PROGRAMS"]

#: The name of a program -> latticework's function, NumPy's, JAX's, the loop by hand, and what makes its arguments.
PROGRAMS: dict[str, tuple[Any, Any, Any, Any, Callable[[np.random.Generator, int], list[np.ndarray]]]] = {}
xp: Any = lw


def _program(
    loop: Any, operands: Callable[[np.random.Generator, int], list[np.ndarray]], numpy: Any = None
) -> Callable[[Any], Any]:
    """List a program. `loop` is for numba, None for none; `numpy` is NumPy by hand, where that differs."""

    def listed(f: Any) -> Any:
        import jax.numpy
        import numba

        def bind(module: Any) -> Any:
            return FunctionType(f.__code__, {**f.__globals__, "xp": module}, f.__name__)

        compiled = None if loop is None else numba.njit(loop)
        PROGRAMS[f.__name__] = f, numpy or bind(np), bind(jax.numpy), compiled, operands
        return f

    return listed


def _kmeans_loop(x, centers):
    m, d = x.shape
    k = centers.shape[0]
    sums, counts = np.zeros((k, d), x.dtype), np.zeros(k, x.dtype)
    for i in range(m):
        nearest, least = 0, np.inf
        for j in range(k):
            distance = 0.0
            for c in range(d):
                distance += (x[i, c] - centers[j, c]) ** 2
            if distance < least:
                nearest, least = j, distance
        counts[nearest] += 1
        for c in range(d):
            sums[nearest, c] += x[i, c]
    for j in range(k):
        for c in range(d):
            sums[j, c] /= max(counts[j], 1)
    return sums


@_program(_kmeans_loop, lambda rng, n: [rng.normal(size=(n // 8, 8)), rng.normal(size=(8, 8))])
def kmeans_step(x, centers):
    """The centres of clusters after one step."""
    distances = xp.sum((x[:, None, :] - centers) ** 2, axis=2)
    nearest = xp.argmin(distances, axis=1)
    of_cluster = 1.0 * (nearest[:, None] == xp.arange(8))
    return (of_cluster.T @ x) / xp.maximum(xp.sum(of_cluster, axis=0), 1)[:, None]


@_program(None, lambda rng, n: [rng.normal(size=(n // 16, 16)), rng.normal(size=16)])
def pca_by_power(x, v):
    """The first component, by ten steps of power iteration."""
    x = x - xp.mean(x, axis=0)
    for _ in range(10):
        v = x.T @ (x @ v)
        v = v / xp.sqrt(xp.sum(v * v))
    return v


def _logistic_loop(x, y, w, rate):
    m, d = x.shape
    gradient, loss = np.zeros(d, x.dtype), 0.0
    for i in range(m):
        z = 0.0
        for c in range(d):
            z += x[i, c] * w[c]
        p = 1 / (1 + math.exp(-z))
        loss -= y[i] * math.log(p + 1e-12) + (1 - y[i]) * math.log(1 - p + 1e-12)
        for c in range(d):
            gradient[c] += x[i, c] * (p - y[i])
    return w - rate[0] * (gradient / m + 0.01 * w), np.full((), loss / m)


@_program(
    _logistic_loop,
    lambda rng, n: [
        rng.normal(size=(n // 16, 16)),
        1.0 * (rng.random(n // 16) < 0.5),
        rng.normal(size=16) / 4,
        np.ones(1),
    ],
)
def logistic_step(x, y, w, rate):
    """Weights after one step of descent, and the loss."""
    p = 1 / (1 + xp.exp(-(x @ w)))
    loss = -xp.mean(y * xp.log(p + 1e-12) + (1 - y) * xp.log(1 - p + 1e-12))
    return w - rate * (x.T @ (p - y) / x.shape[0] + 0.01 * w), loss


def _heads(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    return [rng.normal(size=(max(n // 1024, 1), 32, 32)) for _ in range(3)]


@_program(None, _heads)
def softmax_attention(q, k, v):
    """Attention of heads of 32 positions."""
    scores = q @ xp.swapaxes(k, 1, 2) / 5.656854249492381
    weights = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return (weights / xp.sum(weights, axis=-1, keepdims=True)) @ v


def _mlp(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    return [
        rng.normal(size=(max(n // 64, 1), 64)), np.ones(64), np.zeros(64), rng.normal(size=(64, 64)) / 8,
        rng.normal(size=(64, 64)) / 8,
    ]  # fmt: skip


@_program(None, _mlp)
def norm_and_mlp(x, scale, shift, w1, w2):
    """A layer norm and two layers, with the sum around them."""
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    normed = centred / xp.sqrt(xp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5) * scale + shift
    h = normed @ w1
    h = 0.5 * h * (1 + xp.tanh(0.7978845608028654 * (h + 0.044715 * h * h * h)))
    return x + h @ w2


def _neighbours_loop(x, points, values):
    m, d = x.shape
    found = np.empty(m, x.dtype)
    for i in range(m):
        nearest, least = 0, np.inf
        for j in range(points.shape[0]):
            distance = 0.0
            for c in range(d):
                distance += (x[i, c] - points[j, c]) ** 2
            if distance < least:
                nearest, least = j, distance
        found[i] = values[nearest]
    return found


@_program(
    _neighbours_loop, lambda rng, n: [rng.normal(size=(n // 8, 8)), rng.normal(size=(64, 8)), rng.normal(size=64)]
)
def nearest_value(x, points, values):
    """The value of the nearest of 64 points, by pairwise distances."""
    squares = xp.sum(x * x, axis=1)[:, None] + xp.sum(points * points, axis=1)
    return values[xp.argmin(squares - 2 * (x @ points.T), axis=1)]


def _normal_loop(z):
    return 0.5 * (1 + math.tanh(0.7978845608028654 * (z + 0.044715 * z * z * z)))


def _surface(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    rows = max(int(n**0.5) // 8, 1)
    return [np.linspace(80, 120, n // rows), np.linspace(0.1, 2, rows)]


def _surface_loop():
    import numba

    normal = numba.njit(_normal_loop)

    def loop(strikes, times):
        prices = np.empty((len(times), len(strikes)), strikes.dtype)
        for i in range(len(times)):
            t = times[i]
            spread, discount = 0.2 * math.sqrt(t), math.exp(-0.03 * t)
            for j in range(len(strikes)):
                k = strikes[j]
                d = (math.log(100 / k) + 0.05 * t) / spread
                prices[i, j] = 100 * normal(d) - k * discount * normal(d - spread)
        return prices

    return loop


@_program(_surface_loop(), _surface)
def black_scholes_surface(strikes, times):
    """The prices of calls for all strikes and times."""
    t = times[:, None]
    spread = 0.2 * xp.sqrt(t)
    d = (xp.log(100 / strikes) + 0.05 * t) / spread
    first = 0.5 * (1 + xp.tanh(0.7978845608028654 * (d + 0.044715 * d * d * d)))
    d = d - spread
    second = 0.5 * (1 + xp.tanh(0.7978845608028654 * (d + 0.044715 * d * d * d)))
    return 100 * first - strikes * xp.exp(-0.03 * t) * second


def _kalman_loop(observed):
    steps, m = observed.shape
    means, widths = np.empty(m, observed.dtype), np.empty(m, observed.dtype)
    for i in range(m):
        mean, slope, p, q, r = 0.0, 0.0, 1.0, 0.0, 1.0
        for k in range(steps):
            mean, p, q, r = mean + slope, p + 2 * q + r + 0.01, q + r, r + 0.01
            s = p + 0.5
            gain, other = p / s, q / s
            rest = observed[k, i] - mean
            mean, slope = mean + gain * rest, slope + other * rest
            p, q, r = p * (1 - gain), q * (1 - gain), r - other * q
        means[i], widths[i] = mean, p
    return means, widths


@_program(_kalman_loop, lambda rng, n: [rng.normal(size=(8, n // 8))])
def kalman_filter(observed):
    """Levels with slopes, filtered from eight observations of each."""
    mean, slope, p, q, r = [0 * observed[0] + start for start in (0.0, 0.0, 1.0, 0.0, 1.0)]
    for k in range(8):
        mean, p, q, r = mean + slope, p + 2 * q + r + 0.01, q + r, r + 0.01
        s = p + 0.5
        gain, other = p / s, q / s
        rest = observed[k] - mean
        mean, slope = mean + gain * rest, slope + other * rest
        p, q, r = p * (1 - gain), q * (1 - gain), r - other * q
    return mean, p


def _sir_loop(s, i, beta):
    n = len(s)
    after_s, after_i = np.empty(n, s.dtype), np.empty(n, s.dtype)
    for j in range(n):
        a, b, c = s[j], i[j], beta[j]
        for _ in range(4):
            s1, i1 = -c * a * b, c * a * b - 0.1 * b
            x, y = a + 0.05 * s1, b + 0.05 * i1
            s2, i2 = -c * x * y, c * x * y - 0.1 * y
            x, y = a + 0.05 * s2, b + 0.05 * i2
            s3, i3 = -c * x * y, c * x * y - 0.1 * y
            x, y = a + 0.1 * s3, b + 0.1 * i3
            s4, i4 = -c * x * y, c * x * y - 0.1 * y
            a, b = a + 0.1 / 6 * (s1 + 2 * s2 + 2 * s3 + s4), b + 0.1 / 6 * (i1 + 2 * i2 + 2 * i3 + i4)
        after_s[j], after_i[j] = a, b
    return after_s, after_i


@_program(_sir_loop, lambda rng, n: [0.9 + 0.1 * rng.random(n), 0.1 * rng.random(n), rng.random(n)])
def epidemic(s, i, beta):
    """Four steps of Runge and Kutta for an epidemic."""

    def change(s, i):
        new = beta * s * i
        return -new, new - 0.1 * i

    for _ in range(4):
        s1, i1 = change(s, i)
        s2, i2 = change(s + 0.05 * s1, i + 0.05 * i1)
        s3, i3 = change(s + 0.05 * s2, i + 0.05 * i2)
        s4, i4 = change(s + 0.1 * s3, i + 0.1 * i3)
        s = s + 0.1 / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
        i = i + 0.1 / 6 * (i1 + 2 * i2 + 2 * i3 + i4)
    return s, i


def _blur_loop(image):
    rows, columns = image.shape
    across = np.empty((rows, columns - 4), image.dtype)
    for r in range(rows):
        for c in range(columns - 4):
            across[r, c] = (
                0.0625 * image[r, c] + 0.25 * image[r, c + 1] + 0.375 * image[r, c + 2] + 0.25 * image[r, c + 3]
                + 0.0625 * image[r, c + 4]
            )  # fmt: skip
    blurred = np.empty((rows - 4, columns - 4), image.dtype)
    for r in range(rows - 4):
        for c in range(columns - 4):
            blurred[r, c] = (
                0.0625 * across[r, c] + 0.25 * across[r + 1, c] + 0.375 * across[r + 2, c] + 0.25 * across[r + 3, c]
                + 0.0625 * across[r + 4, c]
            )  # fmt: skip
    return blurred


@_program(_blur_loop, lambda rng, n: [rng.random((max(int(n**0.5) // 2, 8), n // max(int(n**0.5) // 2, 8)))])
def gaussian_blur(image):
    """A blur of five points along both axes, by slices."""
    x = image
    x = 0.0625 * x[:, :-4] + 0.25 * x[:, 1:-3] + 0.375 * x[:, 2:-2] + 0.25 * x[:, 3:-1] + 0.0625 * x[:, 4:]
    return 0.0625 * x[:-4] + 0.25 * x[1:-3] + 0.375 * x[2:-2] + 0.25 * x[3:-1] + 0.0625 * x[4:]
