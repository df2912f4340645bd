"""What the benchmark of tracing times: functions as people write them, in latticework and by hand in each framework.

A function is written once where its text is the same in latticework and in a framework: ``xp`` stands for either, and
`bound` puts the module in its place, so that a call looks nothing up that hand-written code does not. Where a good
programmer of a framework writes something else, `by_hand` has that.

`elementwise` functions have one number for each number of their arguments; `others` sum, multiply matrices or slice.
"""

# ruff: noqa: ANN001, ANN201, ANN202 - the functions are of arrays of any framework

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from functools import cache
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import latticework as lw

Numbers = Callable[[np.random.Generator, int], np.ndarray]


class Function(NamedTuple):
    """A function of latticework, and the same by hand.

    Attributes
    ----------
    ours: in latticework.
    instead: by framework, what differs from the text of `ours` by more than the module.
    operands: makes the numbers of each argument, of a generator and a number of elements.
    elementwise: whether it computes each element of its results of one of each of its arguments.
    """

    ours: Callable[..., Any]
    instead: dict[str, Callable[..., Any]]
    operands: tuple[Numbers, ...]
    elementwise: bool


FUNCTIONS: dict[str, Function] = {}


def _listed(operands: tuple[Numbers, ...], elementwise: bool) -> Callable[[Any], Any]:
    def listed(f: Any) -> Any:
        FUNCTIONS[f.__name__] = Function(f, {}, operands, elementwise)
        return f

    return listed


def elementwise(*operands: Numbers) -> Callable[[Any], Any]:
    """List a function of these arguments that computes element by element."""
    return _listed(operands, True)


def others(*operands: Numbers) -> Callable[[Any], Any]:
    """List any other function of these arguments."""
    return _listed(operands, False)


def by_hand(f: Any, *frameworks: str) -> Callable[[Any], Any]:
    """Say what f is in some frameworks."""

    def said(written: Any) -> Any:
        FUNCTIONS[f.__name__].instead.update(dict.fromkeys(frameworks, written))
        return written

    return said


# --- the modules ------------------------------------------------------------------------------------------------------


@cache
def module(framework: str) -> Any:
    """What stands in the place of ``xp``. TensorFlow's functions have other names."""
    if framework == "tensorflow":
        import tensorflow as tf

        return SimpleNamespace(
            exp=tf.exp, log=tf.math.log, log1p=tf.math.log1p, expm1=tf.math.expm1, sqrt=tf.sqrt, sin=tf.sin, cos=tf.cos,
            tanh=tf.tanh, abs=tf.abs, where=tf.where, maximum=tf.maximum, minimum=tf.minimum, sum=tf.reduce_sum,
            mean=tf.reduce_mean, max=tf.reduce_max, arctan2=tf.atan2, arcsin=tf.asin, arccosh=tf.acosh,
            clip=tf.clip_by_value, pi=math.pi,
        )  # fmt: skip
    return importlib.import_module({"jax": "jax.numpy"}.get(framework, framework))


@cache
def bound(name: str, framework: str) -> Callable[..., Any]:
    """A function by hand, in a framework."""
    row = FUNCTIONS[name]
    f: Any = row.instead.get(framework, row.ours)
    names = {**f.__globals__, "xp": module(framework)}
    if framework in ("torch", "tensorflow"):
        names[{"tensorflow": "tf"}.get(framework, framework)] = importlib.import_module(framework)
    return FunctionType(f.__code__, names, f.__name__, f.__defaults__)


xp: Any = lw
torch: Any = None  # these two by `bound` alone
tf: Any = None

# --- operands ---------------------------------------------------------------------------------------------------------


def normal(rng, n):
    """Standard normal numbers."""
    return rng.standard_normal(n, dtype=np.float32)


def between(low, high):
    """Make numbers in an interval."""
    return lambda rng, n: rng.uniform(low, high, n).astype(np.float32)


share = between(0.05, 0.95)
positive = between(0.5, 2)
turn = between(-3, 3)


def width(n, most):
    """How many columns a matrix of n elements has: a power of 2, about as many as rows, and no more than `most`."""
    return min(most, 2 ** (int(math.log2(n)) // 2))


def matrix(rng, n):
    """Rows of at most 512."""
    w = width(n, 512)
    return rng.standard_normal((n // w, w), dtype=np.float32)


def shares(rng, n):
    """Rows of positive numbers whose sum is 1."""
    x = np.exp(matrix(rng, n))
    return x / x.sum(-1, keepdims=True)


def one_hot(rng, n):
    """Rows with one 1."""
    w = width(n, 512)
    return np.eye(w, dtype=np.float32)[rng.integers(0, w, n // w)]


def tall(rng, n):
    """Rows of at most 32."""
    w = width(n, 32)
    return rng.standard_normal((n // w, w), dtype=np.float32)


def tall_column(rng, n):
    """A number for each row of `tall`."""
    return rng.standard_normal(n // width(n, 32), dtype=np.float32)


def labels(rng, n):
    """A 0 or 1 for each row of `tall`."""
    return (tall_column(rng, n) > 0).astype(np.float32)


def tall_row(rng, n):
    """A number for each column of `tall`."""
    return rng.standard_normal(width(n, 32), dtype=np.float32)


def row(rng, n):
    """A number for each column of `matrix`."""
    return rng.standard_normal(width(n, 512), dtype=np.float32)


def to(columns):
    """Make a matrix that has a row for each column of `matrix`."""

    def weights(rng, n):
        w = width(n, 512)
        return rng.standard_normal((w, columns), dtype=np.float32) / np.float32(math.sqrt(w))

    return weights


def numbers(count):
    """Make this many numbers."""
    return lambda rng, n: rng.standard_normal(count, dtype=np.float32)


def square(rng, n):
    """A square matrix for the columns of a hidden layer of 16."""
    return rng.standard_normal((16, 16), dtype=np.float32) / np.float32(4)


def sequences(rng, n):
    """Batches of at most 64 tokens with at most 64 features."""
    w = width(n, 64)
    return rng.standard_normal((max(1, n // w**2), w, w), dtype=np.float32)


def image(rng, n):
    """A square image with a border around n elements."""
    w = math.isqrt(n) + 2
    return rng.standard_normal((w, w), dtype=np.float32)


# --- activations ------------------------------------------------------------------------------------------------------


@elementwise(normal)
def mish(x):
    return x * xp.tanh(xp.log1p(xp.exp(x)))


@elementwise(normal)
def gelu_tanh(x):
    return 0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


@elementwise(normal)
def softplus(x):
    return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x)))


@by_hand(softplus, "torch")
def _(x):
    return x.clamp(min=0) + torch.log1p(torch.exp(-torch.abs(x)))


@elementwise(normal)
def sigmoid_chain(x):
    a = 1 / (1 + xp.exp(-x))
    b = 1 / (1 + xp.exp(1 - 2 * a))
    c = 1 / (1 + xp.exp(2 - 3 * b))
    return 1 / (1 + xp.exp(-4 * c))


# --- probability ------------------------------------------------------------------------------------------------------


@elementwise(normal, normal, positive)
def log_likelihood(x, mean, scale):
    z = (x - mean) / scale
    return -0.5 * z * z - xp.log(scale) - 0.9189385332


@elementwise(normal)
def mixture(x):
    a = 0.5 * xp.exp(-0.5 * (x + 1) ** 2)
    b = 0.3 / 0.5 * xp.exp(-0.5 * ((x - 1) / 0.5) ** 2)
    c = 0.2 / 2 * xp.exp(-0.5 * ((x - 3) / 2) ** 2)
    return xp.log((a + b + c) / 2.5066282746)


@elementwise(share, share)
def box_muller(u, v):
    r = xp.sqrt(-2 * xp.log(u))
    angle = 6.2831853072 * v
    return r * xp.cos(angle), r * xp.sin(angle)


@elementwise(share)
def binary_entropy(p):
    return -(p * xp.log(p) + (1 - p) * xp.log(1 - p))


@elementwise(between(80, 120), between(80, 120), between(0.2, 2))
def black_scholes(price, strike, years):
    root = 0.3 * xp.sqrt(years)
    d1 = (xp.log(price / strike) + (0.02 + 0.5 * 0.3 * 0.3) * years) / root
    d2 = d1 - root
    discounted = strike * xp.exp(-0.02 * years)
    k1 = 1 / (1 + 0.2316419 * xp.abs(d1))
    k2 = 1 / (1 + 0.2316419 * xp.abs(d2))
    tail1 = k1 * (0.31938153 + k1 * (-0.356563782 + k1 * (1.781477937 + k1 * (-1.821255978 + k1 * 1.330274429))))
    tail2 = k2 * (0.31938153 + k2 * (-0.356563782 + k2 * (1.781477937 + k2 * (-1.821255978 + k2 * 1.330274429))))
    below1 = 1 - 0.3989422804 * xp.exp(-0.5 * d1 * d1) * tail1
    below2 = 1 - 0.3989422804 * xp.exp(-0.5 * d2 * d2) * tail2
    call = price * xp.where(d1 < 0, 1 - below1, below1) - discounted * xp.where(d2 < 0, 1 - below2, below2)
    return call, call - price + discounted


# --- geometry ---------------------------------------------------------------------------------------------------------


@elementwise(turn, turn, turn, turn)
def haversine(lat1, lon1, lat2, lon2):
    a = xp.sin((lat2 - lat1) / 2) ** 2 + xp.cos(lat1) * xp.cos(lat2) * xp.sin((lon2 - lon1) / 2) ** 2
    return 12742 * xp.arcsin(xp.sqrt(xp.abs(a) * 0.999))


@elementwise(turn, turn, turn, turn)
def geodesic(lat1, lon1, lat2, lon2):
    s1, c1, s2, c2 = xp.sin(lat1), xp.cos(lat1), xp.sin(lat2), xp.cos(lat2)
    east, along = xp.sin(lon2 - lon1), xp.cos(lon2 - lon1)
    across = c1 * s2 - s1 * c2 * along
    bearing = xp.arctan2(east * c2, across)
    return bearing, xp.arctan2(xp.sqrt((c2 * east) ** 2 + across**2), s1 * s2 + c1 * c2 * along)


@elementwise(normal, normal, normal, normal, normal, normal)
def distance(x1, y1, z1, x2, y2, z2):
    return xp.sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2 + (z1 - z2) ** 2)


@elementwise(between(-0.6, 0.6), between(-0.6, 0.6), between(-0.6, 0.6), between(-0.6, 0.6))
def hyperbolic_distance(x1, y1, x2, y2):
    apart = (x1 - x2) ** 2 + (y1 - y2) ** 2
    return xp.arccosh(1 + 2 * apart / ((1 - x1 * x1 - y1 * y1) * (1 - x2 * x2 - y2 * y2)))


@elementwise(*[normal] * 8)
def quaternion_product(a, b, c, d, e, f, g, h):
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


# --- physics ----------------------------------------------------------------------------------------------------------


@elementwise(normal, normal, normal)
def lorenz_step(x, y, z):
    return x + 0.01 * (10 * (y - x)), y + 0.01 * (x * (28 - z) - y), z + 0.01 * (x * y - 2.6666667 * z)


@elementwise(between(0, 10))
def damped_oscillator(t):
    return xp.exp(-0.1 * t) * (1.5 * xp.cos(1.9 * t) + 0.4 * xp.sin(1.9 * t)) + 0.25 * xp.cos(3 * t)


@elementwise(positive, positive, positive)
def impedance(resistance, inductance, frequency):
    omega = 6.2831853072 * frequency
    reactance = omega * inductance - 1 / (omega * 0.05)
    return xp.sqrt(resistance**2 + reactance**2), xp.arctan2(reactance, resistance)


@elementwise(between(0.9, 2.5))
def lennard_jones(r):
    s = (1 / r) ** 2
    s6 = s * s * s
    return 4 * (s6 * s6 - s6), 24 * (2 * s6 * s6 - s6) / r


@elementwise(between(0.3, 3), between(0.5, 1.5))
def planck(wavelength, temperature):
    return 3.7418 / (wavelength * wavelength * wavelength * (xp.exp(1.4388 / (wavelength * temperature)) - 1))


@elementwise(normal, normal, normal, normal)
def mandelbrot_steps(x, y, cx, cy):
    x, y = 0.5 * (x * x - y * y + cx), 0.5 * (2 * x * y + cy)
    x, y = 0.5 * (x * x - y * y + cx), 0.5 * (2 * x * y + cy)
    return x, y, x * x + y * y > 4


@elementwise(between(20, 40), between(0, 100))
def heat_index(t, h):
    tt, hh = t * t, h * h
    low = -8.78469 + 1.61139 * t + 2.33855 * h - 0.14612 * t * h - 0.01231 * tt - 0.01642 * hh
    full = low + 0.00221 * tt * h + 0.00073 * t * hh - 0.00000358 * tt * hh
    return xp.where(t < 27, t, full)


# --- numerics and images ----------------------------------------------------------------------------------------------


@elementwise(between(-1, 1))
def polynomial(x):
    return ((((((0.2 * x - 0.3) * x + 0.5) * x + 0.7) * x - 1.1) * x + 1.3) * x - 1.7) * x + 1.9


@elementwise(normal, normal)
def rosenbrock(x, y):
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


@elementwise(between(1.5, 3))
def newton_steps(x):
    x = x - (x * x * x - 2 * x - 5) / (3 * x * x - 2)
    x = x - (x * x * x - 2 * x - 5) / (3 * x * x - 2)
    return x - (x * x * x - 2 * x - 5) / (3 * x * x - 2)


@elementwise(share, share, share)
def rgb_to_ycbcr(r, g, b):
    y = 0.299 * r + 0.587 * g + 0.114 * b
    return y, 0.564 * (b - y) + 0.5, 0.713 * (r - y) + 0.5


@elementwise(share)
def tone_curve(x):
    x = xp.clip((x - 0.1) / 0.8, 0, 1)
    s = x * x * (3 - 2 * x)
    return xp.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)


@elementwise(normal, normal, normal, normal, share, share)
def bilinear_sample(a, b, c, d, u, v):
    return (a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v


# --- learning ---------------------------------------------------------------------------------------------------------


@elementwise(normal, normal, normal, positive)
def adam_update(p, g, m, v):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return p - 0.001 * (m / 0.19) / (xp.sqrt(v / 0.002) + 1e-8), m, v


@elementwise(normal, normal)
def huber(prediction, target):
    r = xp.abs(prediction - target)
    return xp.where(r <= 1, 0.5 * r * r, r - 0.5)


@elementwise(normal, normal, positive, positive, positive)
def kalman_update(position, velocity, p, q, measured):
    position = position + 0.1 * velocity
    p, cross = p + 0.2 * q + 0.01, 0.1 * q
    gain, gain2 = p / (p + 0.5), cross / (p + 0.5)
    r = measured - position
    return position + gain * r, velocity + gain2 * r, (1 - gain) * p, q - gain2 * cross


# --- sums along rows --------------------------------------------------------------------------------------------------


@others(matrix)
def z_scores(x):
    return (x - xp.mean(x, axis=0)) / (xp.std(x, axis=0) + 1e-6)


@by_hand(z_scores, "torch")
def _(x):
    return (x - torch.mean(x, 0)) / (torch.std(x, 0, correction=0) + 1e-6)


@by_hand(z_scores, "tensorflow")
def _(x):
    return (x - tf.reduce_mean(x, 0)) / (tf.math.reduce_std(x, 0) + 1e-6)


@others(matrix, row, row)
def layer_norm(x, gain, shift):
    d = x - xp.mean(x, axis=-1, keepdims=True)
    return d / xp.sqrt(xp.mean(d * d, axis=-1, keepdims=True) + 1e-5) * gain + shift


@others(matrix, one_hot)
def cross_entropy(logits, target):
    z = logits - xp.max(logits, axis=-1, keepdims=True)
    return xp.mean(xp.log(xp.sum(xp.exp(z), axis=-1)) - xp.sum(z * target, axis=-1))


@by_hand(cross_entropy, "torch")
def _(logits, target):
    z = logits - torch.amax(logits, -1, keepdim=True)
    return torch.mean(torch.log(torch.sum(torch.exp(z), -1)) - torch.sum(z * target, -1))


@others(shares, shares)
def divergence(p, q):
    return xp.sum(p * (xp.log(p) - xp.log(q)), axis=-1)


@others(matrix, matrix)
def cosine_similarity(x, y):
    return xp.sum(x * y, axis=-1) / (xp.sqrt(xp.sum(x * x, axis=-1)) * xp.sqrt(xp.sum(y * y, axis=-1)) + 1e-8)


# --- slices -----------------------------------------------------------------------------------------------------------


@others(image)
def diffusion_step(u):
    inner = u[1:-1, 1:-1]
    return inner + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)


# --- products of matrices ---------------------------------------------------------------------------------------------


@others(tall, tall_row, labels)
def logistic_gradient(x, w, y):
    p = 1 / (1 + xp.exp(-(x @ w)))
    return (p - y) @ x / 100 + 0.01 * w


@by_hand(logistic_gradient, "tensorflow")
def _(x, w, y):
    p = 1 / (1 + tf.exp(-tf.linalg.matvec(x, w)))
    return tf.linalg.matvec(x, p - y, transpose_a=True) / 100 + 0.01 * w


@others(matrix, to(16), numbers(16), square, numbers(16))
def perceptron(x, w1, b1, w2, b2):
    h = xp.tanh(x @ w1 + b1)
    h = xp.tanh(h @ w2 + b2)
    return h * h - 1


@others(sequences, sequences, sequences)
def attention(q, k, v):
    scores = q @ xp.swapaxes(k, -1, -2) * 0.125
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True) @ v


@by_hand(attention, "torch")
def _(q, k, v):
    scores = q @ k.transpose(-1, -2) * 0.125
    e = torch.exp(scores - torch.amax(scores, -1, keepdim=True))
    return e / torch.sum(e, -1, keepdim=True) @ v


@by_hand(attention, "tensorflow")
def _(q, k, v):
    scores = tf.matmul(q, k, transpose_b=True) * 0.125
    e = tf.exp(scores - tf.reduce_max(scores, -1, keepdims=True))
    return e / tf.reduce_sum(e, -1, keepdims=True) @ v


@others(matrix, to(8))
def principal_components(x, components):
    d = x - xp.mean(x, axis=0)
    scores = d @ components
    return scores / (xp.sqrt(xp.mean(scores * scores, axis=0)) + 1e-6)
