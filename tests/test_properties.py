"""Chapters beyond the standard over shapes and options that hypothesis draws, against the framework that has each.

Each day on NumPy and PyTorch; on the other backends, where each shape is a kernel or a graph, in the sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import BroadcastableShapes, mutually_broadcastable_shapes
from support import check, imported, values

import latticework as lw
from latticework import nn

torch, functional = imported("torch"), imported("torch.nn.functional")

#: A backend and how many examples it gets.
ON = [
    ("numpy", 40),
    pytest.param("torch", 20, marks=pytest.mark.needs("torch")),
    *[pytest.param(name, 25, marks=pytest.mark.sweep, id=name) for name in ("jax", "tensorflow", "dask")],
]
F64 = lw.float64


def property_of(*strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test of what is drawn on each backend."""

    def decorate(f: Callable[..., None]) -> Callable[..., None]:
        @pytest.mark.parametrize(("on", "examples"), ON)
        def run(on: str, examples: int) -> None:
            @settings(max_examples=examples, deadline=None)
            @given(st.tuples(*strategies))
            def drawn(arguments: tuple[Any, ...]) -> None:
                with lw.using(backend=on), np.errstate(all="ignore"):
                    f(*arguments)

            drawn()

        run.__name__, run.__doc__ = f.__name__, f.__doc__
        return run

    return decorate


PAIRS = mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)
SMALL = st.integers(1, 4)


@property_of(PAIRS, st.sampled_from(["fmod", "fmax", "heaviside", "logaddexp2", "ldexp", "float_power", "gcd", "lcm"]))
def test_elementwise(pair: BroadcastableShapes, name: str) -> None:
    whole = name in ("gcd", "lcm")
    dtype = lw.int64 if whole else F64
    x = values(dtype, pair.input_shapes[0], low=0 if name == "float_power" else -6, high=6)
    y = values(lw.int64 if name == "ldexp" else dtype, pair.input_shapes[1], low=1, high=6, seed=1)
    check(getattr(lw, name)(lw.asarray(x), lw.asarray(y)), getattr(np, name)(x, y), dtype, ulps=16)


@property_of(PAIRS, st.sampled_from(["xlogy", "xlog1py", "rel_entr", "kl_div", "betaln", "gammainc", "gammaincc"]))
def test_special_functions(pair: BroadcastableShapes, name: str) -> None:
    x, y = (values(F64, shape, low=0.25, high=9, seed=seed) for seed, shape in enumerate(pair.input_shapes))
    expected = getattr(scipy.special, name)(x, y)
    check(getattr(lw.special, name)(lw.asarray(x), lw.asarray(y)), expected, F64, ulps=256, scale=4)


@property_of(
    st.lists(SMALL, min_size=1, max_size=3), st.data(), st.booleans(),
    st.sampled_from([None, 0, 1, 2, 3.5, np.inf, -np.inf, "fro", "nuc", -1, -2]),
)  # fmt: skip
def test_norms(shape: list[int], data: Any, keepdims: bool, order: Any) -> None:
    axes: list[Any] = [*range(-len(shape), len(shape))]
    axes += [(a, b) for a in range(len(shape)) for b in range(len(shape)) if a != b] + [None]
    axis = data.draw(st.sampled_from(axes))
    of_matrix = isinstance(axis, tuple) or (axis is None and len(shape) == 2)
    x = values(F64, tuple(shape))
    try:
        expected = np.linalg.norm(x, order, axis, keepdims)
    except ValueError:  # an order of matrices for vectors, or the other way round
        with pytest.raises((ValueError, TypeError), match="linalg.norm"):
            lw.linalg.norm(lw.asarray(x), order, axis, keepdims)
        return
    check(lw.linalg.norm(lw.asarray(x), order, axis, keepdims), expected, F64, ulps=64, scale=16 if of_matrix else 0)


@property_of(st.integers(1, 4), st.integers(1, 3), st.booleans(), st.booleans(), st.booleans())
def test_triangular_systems(n: int, columns: int, upper: bool, transpose: bool, unit: bool) -> None:
    a, b = values(F64, (n, n)) + 9 * np.eye(n), values(F64, (n, columns), seed=1)
    expected = scipy.linalg.solve_triangular(a, b, trans=int(transpose), lower=not upper, unit_diagonal=unit)
    options = {"upper": upper, "transpose": transpose, "unit_diagonal": unit}
    found = lw.linalg.solve_triangular(lw.asarray(a), lw.asarray(b), **options)
    check(found, expected, F64, ulps=256, scale=float(np.abs(expected).max()))


@property_of(
    st.integers(4, 9), st.integers(1, 9), st.data(), st.booleans(), st.booleans(), st.booleans(),
    st.sampled_from(["reflect", "constant"]),
)  # fmt: skip
def test_short_time_transforms(
    n: int, hop: int, data: Any, center: bool, normalized: bool, onesided: bool, mode: Any
) -> None:
    length = data.draw(st.integers(1, n))
    x, window = values(F64, (2, data.draw(st.integers(n, 30)))), values(F64, (length,), low=0.5, high=1, seed=1)
    options: dict[str, Any] = {"center": center, "normalized": normalized, "onesided": onesided, "pad_mode": mode}
    expected = torch.stft(
        torch.asarray(x), n, hop, length, torch.asarray(window), return_complex=True, **options
    ).numpy()
    found = lw.signal.stft(lw.asarray(x), n, hop, length, lw.asarray(window), **options)
    check(found, expected, lw.complex128, ulps=64, scale=32)


@property_of(
    st.integers(1, 5), st.integers(1, 4), st.booleans(), st.sampled_from([0.0, 0.25]),
    st.sampled_from(["mean", "sum", "none"]), st.lists(st.integers(0, 2), max_size=2),
)  # fmt: skip
def test_cross_entropies(
    n: int, classes: int, weighted: bool, smoothing: float, reduction: Any, more: list[int]
) -> None:
    """With classes along axis 1, and any axes after it."""
    x = values(F64, (n, classes, *more))
    target = np.random.default_rng(n).integers(0, classes, (n, *more))
    weight = values(F64, (classes,), low=0.5, high=2, seed=1) if weighted else None
    expected = functional.cross_entropy(
        torch.asarray(x), torch.asarray(target), None if weight is None else torch.asarray(weight),
        label_smoothing=smoothing, reduction=reduction,
    ).numpy()  # fmt: skip
    found = nn.cross_entropy(
        lw.asarray(x), lw.asarray(target), weight=None if weight is None else lw.asarray(weight),
        label_smoothing=smoothing, reduction=reduction,
    )  # fmt: skip
    check(found, expected, F64, ulps=64, scale=8)


@property_of(st.integers(1, 3), SMALL, SMALL, SMALL, st.booleans(), st.sampled_from([None, 0.5]))
def test_attention(heads: int, queries: int, keys: int, size: int, causal: bool, scale: float | None) -> None:
    q, k, v = (values(F64, (heads, n, size), seed=seed) for seed, n in enumerate((queries, keys, keys)))
    expected = functional.scaled_dot_product_attention(
        *map(torch.asarray, (q, k, v)), is_causal=causal, scale=scale
    ).numpy()
    found = nn.scaled_dot_product_attention(*map(lw.asarray, (q, k, v)), is_causal=causal, scale=scale)
    check(found, expected, F64, ulps=64, scale=8)


@property_of(st.integers(0, 9), st.integers(1, 6), st.booleans())
def test_scans(length: int, width: int, reverse: bool) -> None:
    """A running sum by a step that carries it, and by pairs, is the sum of what comes before."""
    x = values(F64, (length, width))
    expected = np.flip(np.cumsum(np.flip(x, 0), 0), 0) if reverse else np.cumsum(x, 0)

    def step(total: lw.Array, row: lw.Array) -> tuple[lw.Array, lw.Array]:
        return total + row, total + row

    last, found = lw.scan(step, lw.zeros(width, dtype=F64), lw.asarray(x), reverse=reverse)
    check(found, expected, F64, scale=64)
    check(last, x.sum(0), F64, scale=64)
    if length:
        check(lw.associative_scan(lw.add, lw.asarray(x), reverse=reverse), expected, F64, scale=64)


@property_of(st.lists(SMALL, min_size=1, max_size=3), st.data())
def test_mapped_functions(shape: list[int], data: Any) -> None:
    """Along any axis, into any other."""
    axis, out = (data.draw(st.integers(-len(shape), len(shape) - 1)) for _ in range(2))
    x = values(F64, tuple(shape))
    found = lw.vmap(lambda part: part * 2 + lw.sum(part), in_axes=axis, out_axes=out)(lw.asarray(x))
    parts = np.moveaxis(x, axis, 0)
    check(found, np.stack([part * 2 + part.sum() for part in parts], out), F64, scale=64)


@property_of(st.integers(1, 5), st.integers(1, 5), st.integers(-4, 4), st.integers(0, 5))
def test_matrices(rows: int, columns: int, k: int, turns: int) -> None:
    x = values(F64, (rows, columns))
    a = lw.asarray(x)
    check(lw.diag(a, k) if -rows < k < columns else lw.zeros(0, dtype=F64), np.diag(x, k), F64)
    check(lw.diag(a[0], k), np.diag(x[0], k), F64)
    check(lw.trace(a, k), np.trace(x, k), F64, scale=32)
    check(lw.rot90(a, turns), np.rot90(x, turns), F64)
    check(lw.kron(a, a[:1]), np.kron(x, x[:1]), F64)
    at = k % rows
    check(lw.insert(a, at, 7.0, axis=0), np.insert(x, at, 7.0, axis=0), F64)
    check(lw.delete(a, at, axis=0), np.delete(x, at, axis=0), F64)


@property_of(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3))
def test_polynomials(m: int, n: int, times: int) -> None:
    p, q = values(F64, (m,), low=1), values(F64, (n,), seed=1, low=1)
    check(lw.polymul(lw.asarray(p), lw.asarray(q)), np.polymul(p, q), F64, scale=64)
    check(lw.polyadd(lw.asarray(p), lw.asarray(q)), np.polyadd(p, q), F64)
    check(lw.polyval(lw.asarray(p), lw.asarray(q)), np.polyval(p, q), F64, ulps=16, scale=4**m)
    if times < m:
        check(lw.polyder(lw.asarray(p), times), np.polyder(p, times), F64)


@pytest.mark.needs("jax")
@property_of(
    st.integers(0, 2**32 - 1), st.lists(st.integers(0, 5), max_size=3),
    st.sampled_from(["uniform", "normal", "gumbel", "laplace", "logistic"]),
    st.sampled_from(["float16", "bfloat16", "float32"]),
)  # fmt: skip
def test_draws_of_any_shape_are_those_of_jax_random(seed: int, shape: list[int], name: str, dtype: Any) -> None:
    import jax

    expected = getattr(jax.random, name)(jax.random.key(seed), shape, dtype)
    found = getattr(lw.random, name)(lw.random.key(seed), tuple(shape), dtype)
    check(found, np.asarray(expected), lw.Dtype(dtype), ulps=16, scale=1)
