"""The programs of scale.py: each as a function of latticework, and by hand for dask.array and jax.numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import latticework as lw

F32 = np.dtype(np.float32)


class Made:
    """An array whose parts are made when they are read, as a file's are: nothing holds it whole."""

    def __init__(self, shape: tuple[int, ...], seed: int) -> None:
        self.shape, self.seed, self.dtype, self.ndim = shape, seed, F32, len(shape)

    def __getitem__(self, key: Any) -> np.ndarray:
        places = [k.indices(n) for k, n in zip(key, self.shape, strict=True)]
        draw = np.random.default_rng([self.seed, *(start for start, _, _ in places)])
        return draw.random([stop - start for start, stop, _ in places], F32)


class Held:
    """An array in memory whose parts are views: what is timed is the program, and not the reading."""

    def __init__(self, shape: tuple[int, ...], seed: int) -> None:
        self.data = Made(shape, seed)[tuple([slice(None)] * len(shape))]
        self.shape, self.dtype, self.ndim = shape, F32, len(shape)

    def __getitem__(self, key: Any) -> np.ndarray:
        part: np.ndarray = self.data[key]
        return part


class Program(NamedTuple):
    """A program: ours, by hand, and the shapes and chunks of its arrays."""

    ours: Callable[..., Any]
    by_hand: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    chunks: tuple[tuple[int, ...], ...]
    large: bool = False  # whether the arrays are made block by block, in a process whose memory is limited

    @property
    def nbytes(self) -> int:
        """The size of the first array."""
        return int(np.prod(self.shapes[0], dtype=np.int64)) * F32.itemsize


# --- ours --------------------------------------------------------------------------------------------------------


def z_scores(x: Any) -> Any:
    return (x - lw.mean(x, axis=0)) / lw.std(x, axis=0)


def softmax(x: Any) -> Any:
    return lw.nn.softmax(x, axis=-1)


def matmul(x: Any, y: Any) -> Any:
    return x @ y


def histogram(x: Any) -> Any:
    return lw.histogram(x, bins=100, range=(0.0, 1.0)).histogram


def stencil(x: Any) -> Any:
    return (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * 0.25


def covariance(x: Any) -> Any:
    m = lw.mean(x, axis=0)
    return x.T @ x / x.shape[0] - m[:, None] * m


def skewness(x: Any) -> Any:
    return lw.mean(z_scores(x) ** 3, axis=0)


def top_k(x: Any) -> Any:
    return lw.top_k(x, 10, axis=0).values


def einsum(x: Any, y: Any, w: Any) -> Any:
    return lw.einsum("ij,jk,k->ik", x, y, w)


def loss(w: Any, x: Any, y: Any) -> Any:
    return lw.mean(lw.log1p(lw.exp(-y * (x @ w))))


def gradient(w: Any, x: Any, y: Any) -> Any:
    return lw.grad(loss)(w, x, y)


# --- by hand, of the functions of dask.array or jax.numpy ------------------------------------------------------------


def _z_scores(xp: Any, x: Any) -> Any:
    return (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)


def _softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def _histogram(xp: Any, x: Any) -> Any:
    return xp.histogram(x, bins=100, range=(0.0, 1.0))[0]


def _covariance(xp: Any, x: Any) -> Any:
    m = xp.mean(x, axis=0)
    return x.T @ x / x.shape[0] - m[:, None] * m


def _skewness(xp: Any, x: Any) -> Any:
    return xp.mean(_z_scores(xp, x) ** 3, axis=0)


def _top_k(xp: Any, x: Any) -> Any:
    return xp.topk(x, 10, axis=0) if hasattr(xp, "topk") else xp.flip(xp.sort(x, axis=0)[-10:], axis=0)


def _einsum(xp: Any, x: Any, y: Any, w: Any) -> Any:
    return xp.einsum("ij,jk,k->ik", x, y, w, optimize=True)


def _gradient(xp: Any, w: Any, x: Any, y: Any) -> Any:
    margin = y * (x @ w)
    return x.T @ (-y / (1 + xp.exp(margin)) / x.shape[0])


PROGRAMS: dict[str, Program] = {
    "z-scores": Program(z_scores, _z_scores, ((16000, 500),), ((1000, 500),)),
    "softmax": Program(softmax, _softmax, ((3200, 2400),), ((800, 600),)),
    "matmul": Program(matmul, lambda _, x, y: x @ y, ((1600, 1600),) * 2, ((400, 400),) * 2),
    "histogram": Program(histogram, _histogram, ((3200, 2400),), ((800, 600),)),
    "stencil": Program(stencil, lambda _, x: stencil(x), ((3200, 2400),), ((800, 600),)),
    "covariance": Program(covariance, _covariance, ((64000, 120),), ((4000, 120),)),
    "top 10": Program(top_k, _top_k, ((64000, 120),), ((4000, 120),)),
    "einsum": Program(einsum, _einsum, ((1600, 1600), (1600, 800), (800,)), ((400, 400), (400, 400), (400,))),
    "gradient": Program(gradient, _gradient, ((120,), (64000, 120), (64000,)), ((120,), (4000, 120), (4000,))),
    "skewness of 512 MiB": Program(skewness, _skewness, ((2**21, 64),), ((2**16, 64),), large=True),
    "covariance of 4 GiB": Program(covariance, _covariance, ((2**24, 64),), ((2**17, 64),), large=True),
}
