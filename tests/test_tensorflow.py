"""What is TensorFlow's own: compiled and differentiated functions, structures, variables, shapes that are not known,
arrays that never change, and the emulations round the kernels that it lacks."""

from __future__ import annotations

import operator
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import product
from typing import Any

import numpy as np
import pytest
from support import NUMPY, check, dtypes, values

import latticework as lw
from latticework import linalg, nn, random
from latticework.backend import get
from latticework.errors import BackendError

tf = pytest.importorskip("tensorflow")
ops = tf.raw_ops
inf, nan = float("inf"), float("nan")


@pytest.fixture(autouse=True)
def on_tensorflow() -> Iterator[None]:
    with lw.using(backend="tensorflow"):
        yield


def sample() -> lw.Array:
    return lw.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def softmax(x: lw.Array) -> lw.Array:
    e = lw.exp(x - lw.max(x, axis=-1, keepdims=True))
    return e / lw.sum(e, axis=-1, keepdims=True)


# --- tf.function -----------------------------------------------------------------------------------------------------


def test_function() -> None:
    x = sample()
    compiled = tf.function(softmax)
    made = compiled(x)
    assert isinstance(made, lw.Array)
    check(made, np.asarray(softmax(x)), lw.float32)
    compiled(x + 1)
    assert compiled.experimental_get_tracing_count() == 1, "arrays of one dtype and shape are traced once"
    compiled(lw.astype(x, lw.float64))
    compiled(lw.zeros((1, 2)))
    assert compiled.experimental_get_tracing_count() == 3
    assert isinstance(tf.function(lambda data: softmax(lw.asarray(data)).data)(x.data), tf.Tensor)


def many(x: lw.Array, n: lw.Array) -> dict[str, Any]:
    y = x @ x.T + 1
    y[0] = 5.0
    y[1:, 0] = lw.asarray([7.0])
    y[y > 40] = 0.0
    y += lw.sum(x, axis=1)
    return {
        "written": y, "argmax": lw.argmax(x), "sorted": lw.sort(x, axis=0, descending=True),
        "taken": lw.take(x, n, axis=1), "where": lw.where(x > 2, x, 0), "int": n // 2 * 3 % 5,
        "solved": lw.linalg.solve(y + lw.eye(2), x), "arange": lw.arange(3) + n[0], "cast": lw.astype(x, lw.int8),
        "joined": lw.concat([x, x * 2]), "std": lw.std(x, axis=1, correction=1), "power": n**n,
        "spectrum": lw.abs(lw.fft.fft(x)), "reshaped": lw.reshape(x, (3, -1), order="F"),
        "found": lw.searchsorted(lw.sort(lw.reshape(x, (-1,))), x), "masked": lw.clip(x, 2, 4),
        "picked": x[:, n][..., None], "last": x[lw.asarray([-1, 0]), lw.asarray([0, 2])], "shift": n << 2,
        "floor": x // 2.5, "rest": x % 2.5, "log": lw.log10(x), "unsigned": lw.astype(n, lw.uint16) - 2,
        "qr": lw.abs(lw.linalg.qr(x).R), "factor": lw.linalg.cholesky(x @ x.T + lw.eye(2)),
    }  # fmt: skip


@pytest.mark.parametrize("jit_compile", [False, True])
def test_function_of_many_functions(jit_compile: bool) -> None:
    x, n = sample(), lw.asarray([0, 2, 1])
    expected, made = many(x, n), tf.function(many, jit_compile=jit_compile)(x, n)
    for name, array in expected.items():
        tolerance = {"solved": 64.0, "spectrum": 64.0, "qr": 64.0, "factor": 64.0}.get(name, 4.0)
        check(made[name], np.asarray(array), array.dtype, ulps=tolerance, scale=8)


@pytest.mark.parametrize("jit_compile", [False, True])
def test_results_whose_shape_depends_on_values(jit_compile: bool) -> None:
    def f(x: lw.Array) -> dict[str, lw.Array]:
        found = {"values": lw.unique_values(x), "nonzero": lw.nonzero(x)[0], "mask": x[x > 1]}
        return found | lw.unique_all(x)._asdict()

    for dtype in (lw.int32, lw.float32):
        x = lw.asarray([[1, 2, 3], [2, 2, 5], [0, 1, 1]], dtype=dtype)
        made = tf.function(f, jit_compile=jit_compile, autograph=False)(x)
        for name, expected in f(x).items():
            check(made[name], np.asarray(expected), expected.dtype)


def test_values_that_are_not_known_yet() -> None:
    x = sample()
    shown = []

    def f(x: lw.Array) -> lw.Array:
        shown.append(repr(x))
        assert x.device == "cpu"
        for ask in (bool, float, np.asarray, lw.Array.item, lw.Array.tolist):
            with pytest.raises(TypeError, match=r"inside tf\.function an array has no values yet"):
                ask(lw.sum(x))
        with pytest.raises(ValueError, match="add: shapes"):
            x + lw.zeros(7)
        return lw.where(x > 3, x, -x)

    check(tf.function(f)(x), np.where(np.asarray(x) > 3, np.asarray(x), -np.asarray(x)), lw.float32)
    assert shown == ["Array(<tensorflow>, shape=(2, 3), dtype=float32)"]
    with pytest.raises(Exception, match="the numpy backend"):
        tf.function(softmax)(lw.asarray([[1.0]], backend="numpy"))


@pytest.mark.parametrize("jit_compile", [None, False, True])
def test_integers_divided(jit_compile: bool | None) -> None:
    """By zero, and the least one by -1, at which processors stop."""
    for dtype in dtypes("integral"):
        least = lw.iinfo(dtype).min
        other = -1 if least else 3
        x, y = lw.asarray([7, least, least, 7], dtype=dtype), lw.asarray([0, 0, other, 2], dtype=dtype)
        for f, expected in ((lambda a, b: a // b, [0, 0, least, 3]), (lambda a, b: a % b, [0, 0, 0, 1])):
            g = f if jit_compile is None else tf.function(f, jit_compile=jit_compile, autograph=False)
            check(g(x, y), expected, dtype)


UNKNOWN: dict[str, Callable[[lw.Array], lw.Array]] = {
    "sum": lambda a: lw.sum(a, axis=0), "mean": lambda a: lw.mean(a, axis=0), "std": lambda a: lw.std(a, axis=0),
    "var of float16": lambda a: lw.var(lw.astype(a, lw.float16), axis=0), "max": lw.max,
    "sort": lambda a: lw.sort(a, axis=0), "argsort": lambda a: lw.argsort(a, axis=0, descending=True),
    "backwards": lambda a: a[::-1], "positions": lambda a: a[lw.asarray([0, -1])], "row": lambda a: a[0],
    "mask": lambda a: a[a > 0], "column mask": lambda a: a[:, lw.asarray([True, False])],
    "pairs": lambda a: a[lw.asarray([0, -1]), lw.asarray([1, 0])], "concat": lambda a: lw.concat([a, a]),
    "stack": lambda a: lw.stack([a, a], axis=1), "flat": lambda a: lw.reshape(a, (-1,)),
    "reshape": lambda a: lw.reshape(a, (a.shape[0], 2, 1)), "matmul": lambda a: a.mT @ a,
    "cumulative_sum": lambda a: lw.cumulative_sum(a, axis=0, include_initial=True), "argmax": lw.argmax,
    "unique": lw.unique_values, "counts": lambda a: lw.unique_counts(a).counts,
    "where": lambda a: lw.where(a > 0, a, 0), "tril": lambda a: lw.tril(a, k=-1), "triu": lw.triu,
    "repeat": lambda a: lw.repeat(a, 2, axis=0), "roll": lambda a: lw.roll(a, 1), "flip": lw.flip,
    "along": lambda a: lw.take_along_axis(a, lw.argsort(a, axis=0), axis=0), "any": lambda a: lw.any(a > 0),
    "count": lw.count_nonzero, "nonzero": lambda a: lw.nonzero(a)[0], "isin": lambda a: lw.isin(a, a[:1]),
    "searchsorted": lambda a: lw.searchsorted(lw.sort(a[:, 0]), a[:, 1]), "norm": lw.linalg.vector_norm,
    "squeeze": lambda a: lw.squeeze(a[:, :1], axis=1), "tile": lambda a: lw.tile(a, (2, 1)),
    "take": lambda a: lw.take(a, lw.asarray([-1]), axis=0), "moveaxis": lambda a: lw.moveaxis(a, 0, 1),
    "isfinite of ints": lambda a: lw.isfinite(lw.astype(a, lw.int32)), "rfft": lambda a: lw.real(lw.fft.rfft(a)),
    "zeros_like": lw.zeros_like, "ones_like": lambda a: lw.ones_like(a, dtype=lw.int8),
    "empty_like": lambda a: lw.empty_like(a) * 0, "full_like": lambda a: lw.full_like(a, 2.5),
    "full_like of an array": lambda a: lw.full_like(a, a[0]), "on a device": lambda a: lw.zeros_like(a, device="cpu"),
    "meshgrid": lambda a: lw.stack(lw.meshgrid(a[:, 0], a[0])),
    "meshgrid of two": lambda a: lw.stack(lw.meshgrid(a[:, 0], a[1:, 0], indexing="ij")),
    "broadcast_arrays": lambda a: lw.concat(lw.broadcast_arrays(a[:, :1], a)),
    "broadcast_arrays of two": lambda a: lw.concat(lw.broadcast_arrays(a[:1], a[::-1], a)),
    "split": lambda a: lw.split(a, [1])[0], "array_split": lambda a: lw.array_split(a, 2, axis=-1)[1],
    "tensordot": lambda a: lw.tensordot(a, lw.asarray([[1.0], [2.0]]), axes=1),
    "tensordot of none": lambda a: lw.tensordot(a, a, axes=0),
    "einsum of uint8": lambda a: lw.einsum("ij->ji", lw.astype(lw.abs(a), lw.uint8)),
    "greatest sum of a row": lambda a: lw.linalg.matrix_norm(a, ord=inf),
    "greatest sum of a column": lambda a: lw.linalg.matrix_norm(a.T, ord=1),
    "norm of 16 bits": lambda a: lw.linalg.vector_norm(lw.astype(a / a * 300, lw.float16)),
}  # fmt: skip


@pytest.mark.parametrize("name", UNKNOWN)
def test_shapes_that_are_not_known_yet(name: str) -> None:
    f = UNKNOWN[name]

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def compiled(data: Any) -> Any:
        x = lw.asarray(data)
        assert x.shape == (None, 2)
        assert x.size is None
        return f(x).data

    for rows in (3, 1, 4):
        x = lw.asarray(values(lw.float32, (rows, 2)))
        expected = f(x)
        check(lw.asarray(compiled(x.data)), np.asarray(expected), expected.dtype, scale=8)


WRITTEN: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "row": (lambda a: 0, 9.0), "rows backwards": (lambda a: slice(None, None, -1), [[1.0, 2.0]]),
    "column": (lambda a: (slice(None), 1), 5), "dots": (lambda a: (..., slice(1)), [[3.0]]),
    "mask": (lambda a: a > 0, 7.0), "mask of rows": (lambda a: a[:, 0] > 0, [1.0, 2.0]),
    "positions": (lambda a: lw.asarray([0, -1]), [8.0, 9.0]),
    "pairs": (lambda a: (lw.asarray([0, -1]), lw.asarray([1, 0])), [4.0, 3.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_writing_where_the_shape_is_not_known_yet(name: str) -> None:
    key, value = WRITTEN[name]

    def write(x: lw.Array) -> lw.Array:
        x[key(x)] = lw.asarray(value) if isinstance(value, list) else value
        x += 1
        return x

    compiled = tf.function(lambda data: write(lw.asarray(data)).data, autograph=False)
    compiled = compiled.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
    for rows in (2, 4):
        data = values(lw.float32, (rows, 2))
        check(lw.asarray(compiled(tf.constant(data))), np.asarray(write(lw.asarray(data))), lw.float32)


ANY_RANK: dict[str, Callable[[lw.Array], lw.Array]] = {
    "arithmetic": lambda a: (a * 2 - a / 3) % 1.5, "functions": lambda a: lw.exp(lw.sin(a)) + lw.log2(lw.abs(a) + 1),
    "where": lambda a: lw.where(a > 0, a, 0), "clip": lambda a: lw.clip(a, -1, 1), "flat": lambda a: lw.reshape(a, -1),
    "cast": lambda a: lw.astype(a, lw.int8) // 2, "isfinite": lambda a: lw.isfinite(lw.astype(a, lw.int32)),
    "hypot": lambda a: lw.hypot(a, a), "shift": lambda a: lw.astype(a, lw.int32) << 1,
    "unique": lw.unique_values, "isin": lambda a: lw.isin(a, lw.asarray([0.5, 1.0])),
}  # fmt: skip


@pytest.mark.parametrize("name", ANY_RANK)
def test_any_number_of_axes(name: str) -> None:
    f = ANY_RANK[name]
    compiled = tf.function(lambda data: f(lw.asarray(data)).data, autograph=False)
    compiled = compiled.get_concrete_function(tf.TensorSpec(None, tf.float32))
    for shape in ((), (3,), (2, 3)):
        x = lw.asarray(values(lw.float32, shape))
        expected = f(x)
        check(lw.asarray(compiled(x.data)), np.asarray(expected), expected.dtype, scale=8)


def test_the_number_of_axes_has_to_be_known() -> None:
    refused: list[Callable[[lw.Array], Any]] = [
        lw.sum, lw.sort, lw.argmax, lw.std, lw.matrix_transpose, lw.cumulative_sum, lw.flip, lw.linalg.inv, lw.fft.fft,
        lambda a: a[0], lambda a: a @ a, lambda a: lw.concat([a, a]), lambda a: lw.vecdot(a, a), lambda a: a[a > 0],
        lw.zeros_like, lambda a: a.shape, lambda a: lw.take(a, lw.asarray([0]), axis=0), lw.Array.item,
    ]  # fmt: skip

    def f(data: Any) -> Any:
        x = lw.asarray(data)
        assert "unknown" in repr(x)
        for call in refused:
            with pytest.raises(ValueError, match=r"the number of axes is not known inside tf\.function"):
                call(x)
        return data

    tf.function(f, autograph=False).get_concrete_function(tf.TensorSpec(None, tf.float32))


def test_vectorized() -> None:
    x = sample()
    made = tf.vectorized_map(lambda row: softmax(lw.asarray(row)).data, x.data)
    check(lw.asarray(made), np.asarray(softmax(x)), lw.float32)
    made = tf.map_fn(lambda row: softmax(lw.asarray(row)).data, x.data)
    check(lw.asarray(made), np.asarray(softmax(x)), lw.float32)


def test_shapes_that_have_to_be_known() -> None:
    def refused(f: Callable[[lw.Array], Any], words: str) -> None:
        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def compiled(data: Any) -> Any:
            with pytest.raises(ValueError, match=words):
                f(lw.asarray(data))
            return data

        compiled(tf.zeros((3, 2)))

    refused(lambda x: lw.zeros(x.shape), r"zeros: shape \(None, 2\) is not known inside tf.function")
    refused(lambda x: lw.broadcast_to(x[0], x.shape), "broadcast_to: shape .* is not known")
    refused(lw.unstack, "unstack: .* is not known")
    refused(lambda x: lw.fft.fft(x, axis=0), "fft.fft: .* is not known inside tf.function. Give n")
    compositions: dict[str, Callable[[lw.Array], Any]] = {
        "fft.fftshift": lw.fft.fftshift, "fft.ifftshift": lw.fft.ifftshift, "split": lambda x: lw.split(x, 2),
        "array_split": lambda x: lw.array_split(x, 2), "pad": lambda x: lw.pad(x, 1),
        "tensordot": lambda x: lw.tensordot(x, x, axes=2), "linalg.pinv": linalg.pinv,
        "linalg.matrix_rank": linalg.matrix_rank, "linalg.cross": lambda x: linalg.cross(x, x, axis=0),
        "einsum": lambda x: lw.einsum("ij,ik->jk", lw.astype(x, lw.uint8), lw.astype(x, lw.uint8)),
    }  # fmt: skip
    for name, call in compositions.items():
        refused(call, rf"^{name}: the extent of axis 0 is not known .* inside tf\.function give tf\.TensorSpec")


def test_structures() -> None:
    x = sample()
    made = tf.nest.map_structure(lambda t: t * 2, {"a": x, "b": [x, 1]})
    check(made["a"], np.asarray(x) * 2, lw.float32)
    check(made["b"][0], np.asarray(x) * 2, lw.float32)
    assert made["b"][1] == 2
    assert [type(leaf) for leaf in tf.nest.flatten([x, x])] == [type(x.data)] * 2
    out = tf.function(lambda d: {"sum": d["a"] + d["b"], "n": 1})({"a": x, "b": x})
    check(out["sum"], np.asarray(x) * 2, lw.float32)
    chosen = tf.function(lambda x: tf.cond(lw.any(x > 5).data, lambda: x * 2, lambda: x))(x)
    np.testing.assert_array_equal(np.asarray(chosen), np.asarray(x) * 2)


def test_what_is_traced_is_traced_for_each_policy() -> None:
    traced = []

    def halve(x: lw.Array) -> lw.Array:
        traced.append(1)
        return x / 2

    compiled, x = tf.function(halve), lw.asarray([1, 2], backend="tensorflow")
    for _ in range(2):
        for rules, want in (("unified", lw.float32), ("numpy", lw.float64)):
            with lw.using(rules=rules):
                assert compiled(x).dtype is want
    assert len(traced) == 2


def test_functions_are_left_to_themselves_by_autograph() -> None:
    """AutoGraph would rewrite and compile them all, which takes long and gains nothing."""

    def f(x: lw.Array) -> lw.Array:
        return softmax(x).sum(axis=0).std() + lw.linalg.vector_norm(x)

    before = {*sys.modules}
    tf.function(f)(sample())
    assert not [name for name in {*sys.modules} - before if "latticework" in name and "autograph" in name]
    assert hasattr(lw.sum, "autograph_info__") and hasattr(lw.Array.sum, "autograph_info__")
    assert hasattr(lw.linalg.inv, "autograph_info__") and hasattr(lw.fft.fft, "autograph_info__")


# --- gradients -------------------------------------------------------------------------------------------------------

MATRIX = np.array([[2.0, 0.5, 0.25], [0.5, 3.0, -0.75], [0.25, -0.75, 4.0]])
DIFFERENTIABLE: dict[str, Callable[[lw.Array], lw.Array]] = {
    "arithmetic": lambda x: (x * x - 2 / x + x**3) / (x + 1), "exponentials": lambda x: lw.exp(-x) + lw.expm1(x),
    "logarithms": lambda x: lw.log(x * x) + lw.log1p(x * x) + lw.log2(x * x + 1.5) + lw.log10(x * x + 1.7),
    "trigonometry": lambda x: lw.sin(x) * lw.cos(x) + lw.tan(x) + lw.atan(x) + lw.sinh(x) + lw.tanh(x),
    "hypot": lambda x: lw.hypot(x, x + 1), "logaddexp": lambda x: lw.logaddexp(x, 2 * x),
    "sqrt": lambda x: (x * x) ** 0.5,
    "atan2": lambda x: lw.atan2(x, x * x), "copysign": lambda x: lw.copysign(x * x, lw.asarray(-1.0, dtype=lw.float64)),
    "remainder": lambda x: x % 0.7, "maximum": lambda x: lw.maximum(x, x * x), "clip": lambda x: lw.clip(x, 0.2, 2.5),
    "abs": lw.abs, "where": lambda x: lw.where(x > 0, x * 2, x * x), "sum": lambda x: lw.sum(x * x, axis=0),
    "prod": lambda x: lw.prod(x, axis=1), "mean": lambda x: lw.mean(x * x, axis=1), "var": lambda x: lw.var(x, axis=0),
    "std": lambda x: lw.std(x, axis=1, correction=1), "max": lambda x: lw.max(x, axis=1), "min": lw.min,
    "cumulative_sum": lambda x: lw.cumulative_sum(x * x, axis=0),
    "cumulative_prod": lambda x: lw.cumulative_prod(x, axis=1),
    "sort": lambda x: lw.sort(x * x, axis=0) * lw.arange(1, 4, dtype=lw.float64), "matmul": lambda x: x @ x.T @ x,
    "take": lambda x: lw.take(x, lw.asarray([0, 0, -1]), axis=1) ** 2, "vecdot": lambda x: lw.vecdot(x, x[0]),
    "index": lambda x: x[1] * x[:, 0] + x[::-1, 2],
    "positions": lambda x: x[lw.asarray([0, 0, 2]), lw.asarray([1, 1, 0])], "mask": lambda x: x[x > 0] ** 2,
    "joined": lambda x: lw.concat([x, x * x]) * 2, "stack": lambda x: lw.stack([x, x * x]),
    "moved": lambda x: lw.roll(lw.flip(lw.reshape(x.T, (-1,))), 2) * lw.arange(9, dtype=lw.float64),
    "tiled": lambda x: lw.tile(x, (2, 1)) * lw.repeat(x, 2, axis=0),
    "tril": lambda x: lw.tril(x) ** 2 + lw.triu(x, k=1),
    "inv": lw.linalg.inv, "solve": lambda x: lw.linalg.solve(x, x[0]), "det": lw.linalg.det,
    "cholesky": lambda x: lw.linalg.cholesky(x @ x.T), "norm": lw.linalg.vector_norm,
    "diagonal": lambda x: x.diagonal() ** 2, "eigvalsh": lambda x: lw.linalg.eigvalsh(x + x.T),
    "svdvals": lw.linalg.svdvals, "qr": lambda x: lw.linalg.qr(x).R ** 2,
    "fft": lambda x: lw.abs(lw.fft.fft(x)), "rfft": lambda x: lw.real(lw.fft.rfft(x, n=5)),
    "complex": lambda x: lw.abs(lw.log(x + 2j)) + lw.real(lw.sqrt(x * 1j + 1)) + lw.imag(lw.conj(x * 1j)),
    "einsum": lambda x: lw.einsum("ij,jk->ki", x, x), "softmax": softmax,
}  # fmt: skip


def _written(x: lw.Array) -> lw.Array:
    y = x * 1
    y[0] = x[1] * 2
    y[:, lw.asarray([1])] = x[:, :1] ** 2
    y[x < 0] = 0.5
    y += x
    return y


DIFFERENTIABLE["written"] = _written


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients(name: str) -> None:
    """Against the quotient of differences, eagerly and in tf.function."""
    f = DIFFERENTIABLE[name]
    x = lw.asarray(MATRIX)
    weights = lw.asarray(np.cos(np.arange(np.asarray(f(x)).size)).reshape(f(x).shape))

    def loss(x: lw.Array) -> lw.Array:
        return lw.sum(f(x) * weights)

    def gradient(x: lw.Array) -> lw.Array:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tape.gradient(y, x)

    direction = np.sin(1 + np.arange(9)).reshape(3, 3)
    step = 1e-5
    quotient = (loss(x + step * lw.asarray(direction)) - loss(x - step * lw.asarray(direction))).item() / (2 * step)
    for made in (gradient(x), tf.function(gradient)(x)):
        assert isinstance(made, lw.Array)
        assert np.sum(np.asarray(made) * direction) == pytest.approx(quotient, rel=1e-6, abs=1e-7)


def test_gradients_written_out() -> None:
    """Of the cross entropy: the probabilities less those asked for; eagerly, compiled and compiled by XLA."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(5, 3)), rng.integers(0, 3, 5)
    w = rng.normal(size=(3, 3))

    def loss(w: lw.Array, x: lw.Array, y: lw.Array) -> lw.Array:
        z = x @ w
        log_sums = lw.max(z, axis=1) + lw.log(lw.sum(lw.exp(z - lw.max(z, axis=1, keepdims=True)), axis=1))
        return lw.mean(log_sums - lw.take_along_axis(z, y[:, None], axis=1)[:, 0])

    def gradient(w: lw.Array, x: lw.Array, y: lw.Array) -> tuple[lw.Array, lw.Array]:
        with tf.GradientTape() as tape:
            tape.watch(w)
            value = loss(w, x, y)
        return value, tape.gradient(value, w)

    e = np.exp(x @ w)
    probabilities = e / e.sum(axis=1, keepdims=True)
    expected = x.T @ (probabilities - np.eye(3)[y]) / 5
    given = [lw.asarray(a) for a in (w, x, y)]
    for f in (gradient, tf.function(gradient), tf.function(gradient, jit_compile=True)):
        value, made = f(*given)
        check(value, -np.log(probabilities[np.arange(5), y]).mean(), lw.float64, ulps=16, scale=4)
        check(made, expected, lw.float64, ulps=16, scale=4)


def test_gradients_where_functions_meet() -> None:
    """Where a function is made of others that have no derivative there, but it has one."""
    for dtype in dtypes("real floating"):
        x = lw.asarray([0.0, 2.0, -inf, inf], dtype=dtype)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = lw.logaddexp(x, x * 1)
        check(y, np.logaddexp(*[np.asarray(x).astype(float)] * 2), dtype)
        check(tape.gradient(y, x)[:2], [1, 1], dtype)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = lw.logaddexp(x, lw.asarray([0.0, 2.0, 0.0, 0.0], dtype=dtype))
        check(tape.gradient(y, x)[:2], [0.5, 0.5], dtype)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = lw.hypot(x, x * 0 + 1)
        check(tape.gradient(y, x)[:1], [0], dtype)


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_of_the_remainder(compiled: bool) -> None:
    """Where nothing is left too: x1 - x2 * floor(x1 / x2) has the gradient 1, and that of x2 is -floor(x1 / x2)."""

    def gradients(x1: lw.Array, x2: lw.Array) -> tuple[lw.Array, Any]:
        with tf.GradientTape() as tape:
            tape.watch((x1, x2))
            y = x1 % x2
        return y, tape.gradient(y, (x1, x2))

    f = tf.function(gradients, autograph=False) if compiled else gradients
    given = np.array([0.0, -0.0, 1.5, -1.5, 2.0, -2.0, 6.0, -6.0])
    for dtype in dtypes("real floating"):
        for divisor in (2.0, -2.0):
            y, (of_x1, of_x2) = f(lw.asarray(given, dtype=dtype), lw.full((8,), divisor, dtype=dtype))
            check(y, np.remainder(given, divisor), dtype)
            assert np.array_equal(lw.signbit(y), np.signbit(np.remainder(given, divisor)))
            check(of_x1, np.ones(8), dtype)
            check(of_x2, -np.floor(given / divisor), dtype)


def test_decompositions_of_what_is_not_finite() -> None:
    """TensorFlow itself has zeros for a complex matrix, which in tf.function become nan."""
    for dtype in (lw.complex64, lw.complex128):
        for value in (inf, complex(0, inf), nan, complex(0, nan)):
            x = lw.asarray(np.array([[[2, 0], [0, 3]], [[value, 1], [1, 1]]]), dtype=dtype)
            of_nan = value not in (inf, complex(0, inf))  # LAPACK makes nan of infinities
            for f in (linalg.svd, linalg.svdvals, linalg.pinv, linalg.matrix_rank, linalg.eig, linalg.eigvals):
                for matrices in (x, x[1]):
                    with pytest.raises(linalg.LinAlgError) if of_nan or "eig" in f.__name__ else nullcontext():
                        f(matrices)
            assert of_nan or np.isnan(np.asarray(linalg.svdvals(x))).any(axis=1).tolist() == [False, True]
            for f in (linalg.svd, linalg.svdvals, linalg.pinv):
                for made in tf.nest.flatten(tf.function(f, autograph=False)(x)):
                    found = lw.isnan(lw.asarray(made)).data.numpy().reshape(2, -1)
                    assert not found[0].any()
                    assert found[1].all()
            if value in (inf, complex(0, inf)):  # of nan the kernel itself makes an error
                for f in (linalg.eig, linalg.eigvals):
                    for made in tf.nest.flatten(tf.function(f, autograph=False)(x)):
                        found = lw.isnan(lw.asarray(made)).data.numpy().reshape(2, -1)
                        assert found.all(axis=1).tolist() == [False, True]


def test_variables() -> None:
    v = tf.Variable([1.0, 2.0])
    x = lw.asarray(v)
    assert isinstance(x.data, tf.Tensor)
    x[0] = 9.0
    check(lw.asarray(v), [1, 2], lw.float32)
    check(lw.add(v, v), [2, 4], lw.float32)
    check(lw.asarray([1.0, 1.0]) + v, [2, 3], lw.float32)
    with tf.GradientTape() as tape:
        y = lw.sum(lw.asarray(v) ** 2)
    np.testing.assert_array_equal(tape.gradient(y.data, v), [2, 4])
    before = lw.asarray(v)
    v.assign([5.0, 6.0])
    check(before, [1, 2], lw.float32)
    v.assign((lw.asarray(v) * 2).data)
    check(lw.asarray(v), [10, 12], lw.float32)
    with tf.GradientTape() as tape:
        tape.watch(before)
        y = lw.sum(before * 0)
    assert tape.gradient(y, lw.asarray([3.0])) is None


# --- arrays that never change ----------------------------------------------------------------------------------------


def test_arrays_do_not_change() -> None:
    x = sample()
    data, row = x.data, x[0]
    x[0, 0] = 50.0
    x += 1
    x[x > 40] = 0.0
    np.testing.assert_array_equal(data, [[1, 2, 3], [4, 5, 6]])
    check(row, [1, 2, 3], lw.float32)
    check(x, [[0, 3, 4], [5, 6, 7]], lw.float32)
    with pytest.raises(TypeError, match="setitem"):
        x[0] = 1j
    with pytest.raises(IndexError, match="setitem: index 5 is out of bounds"):
        x[lw.asarray([0, 5])] = 1.0
    with pytest.raises(ValueError, match="setitem"):
        x[0] = lw.zeros(4)
    check(x, [[0, 3, 4], [5, 6, 7]], lw.float32)


@pytest.mark.parametrize("key", [5, -6, (0, 3), (slice(None), 9)])
def test_out_of_range(key: Any) -> None:
    x = lw.zeros((5, 3))
    with pytest.raises(IndexError, match="getitem: index .* is out of bounds"):
        x[key]
    keys = key if isinstance(key, tuple) else (key,)
    arrays = tuple(k if isinstance(k, slice) else lw.asarray([0, k]) for k in keys)
    with pytest.raises(IndexError, match="getitem: index .* is out of bounds"):
        x[arrays]


def test_many_axes() -> None:
    """Kernels of TensorFlow take 5 to 8 axes."""
    data = np.arange(2**9).reshape((2,) * 9)
    x = lw.asarray(data)
    s, at = slice(None), np.array([1, 0])
    for key in [0, (0,) * 9, (..., 1), (s, 0, s, at), (None, 1, s, slice(None, None, -1)), (at, s, at), data > 500]:
        ours = tuple(lw.asarray(k) if isinstance(k, np.ndarray) else k for k in key) if isinstance(key, tuple) else key
        ours = lw.asarray(ours) if isinstance(ours, np.ndarray) else ours
        check(x[ours], data[key], lw.int64)
        y, expected = lw.asarray(x, copy=True), data.copy()
        y[ours] = -1
        expected[key] = -1
        check(y, expected, lw.int64)
    a, b = values(lw.float32, (2, 1, 3, 1, 2, 1, 2)), values(lw.float32, (1, 2, 1, 3, 1, 2, 1))
    check(lw.asarray(a) * lw.asarray(b), a * b, lw.float32)
    check(lw.where(lw.asarray(a) > 0, lw.asarray(b), lw.asarray(a)), np.where(a > 0, b, a), lw.float32)
    check(lw.remainder(lw.asarray(a), lw.asarray(b)), np.where(b == 0, np.nan, a % np.where(b == 0, 1, b)), lw.float32)
    check(lw.flip(x), np.flip(data), lw.int64)
    check(lw.argmax(x, axis=4), data.argmax(axis=4), lw.int64)
    check(lw.where(x > 500, x, 0), np.where(data > 500, data, 0), lw.int64)
    check(lw.var(lw.astype(x, lw.float32), axis=(1, 3, 5)), data.var(axis=(1, 3, 5)), lw.float32)
    for ours, theirs in zip(lw.nonzero(x > 500), np.nonzero(data > 500), strict=True):
        check(ours, theirs, lw.int64)
    alternating = np.arange(32).reshape((2, 1) * 5)
    check(lw.broadcast_to(lw.asarray(alternating), (2,) * 10), np.broadcast_to(alternating, (2,) * 10), lw.int64)


# --- exchange --------------------------------------------------------------------------------------------------------


def test_exchange_without_a_copy() -> None:
    for dtype in lw.all_dtypes:
        x = lw.asarray(values(dtype, (3, 4)))
        seen = np.asarray(x, copy=False)
        assert seen.dtype == NUMPY[dtype]
        assert not seen.flags.writeable
        assert np.shares_memory(seen, np.asarray(x, copy=False))
        assert np.asarray(x).flags.writeable
        memory = np.zeros(256, np.uint8)
        start = -memory.ctypes.data % 64
        aligned = memory[start : start + 4 * NUMPY[dtype].itemsize].view(NUMPY[dtype])
        aligned[...] = 1
        made = lw.asarray(aligned, copy=False)
        assert made.backend == "tensorflow"
        check(made, np.ones(4), dtype)
        assert np.asarray(made, copy=False).ctypes.data == aligned.ctypes.data
        check(made | made if dtype is lw.bool else made * made, np.ones(4), dtype)
        # TensorFlow ends the process where it computes with memory that is not aligned.
        apart = memory[start + 16 : start + 16 + 4 * NUMPY[dtype].itemsize].view(NUMPY[dtype])
        with pytest.raises(ValueError, match="copy=False, but TensorFlow shares only memory"):
            lw.asarray(apart, copy=False)
        if dtype is not lw.bfloat16:
            check(lw.from_dlpack(apart) | False if dtype is lw.bool else lw.from_dlpack(apart) + 0, apart, dtype)
            with pytest.raises(ValueError, match="copy=False, but TensorFlow shares only memory"):
                lw.from_dlpack(apart, copy=False)


def test_exchange_with_torch() -> None:
    torch = pytest.importorskip("torch")
    for dtype in lw.all_dtypes:
        x = lw.asarray(values(dtype, (3, 4)))
        there = lw.asarray(x, backend="torch")
        check(there, values(dtype, (3, 4)), dtype)
        check(lw.asarray(there, backend="tensorflow"), values(dtype, (3, 4)), dtype)
    t = torch.zeros(1024)
    made = lw.asarray(t, backend="tensorflow", copy=False)
    assert np.asarray(made, copy=False).ctypes.data == t.data_ptr()
    assert torch.from_dlpack(lw.asarray([1.0, 2.0])).tolist() == [1, 2]


def test_devices() -> None:
    assert lw.zeros(2).device == "cpu"
    assert lw.zeros(2, device="CPU:0").device == lw.zeros(2, device="/device:CPU:0").device == "cpu"
    with pytest.raises(ValueError, match="no device 'gpu:7'; it has 'cpu'|no device 'gpu:7'; it has cpu"):
        lw.zeros(2, device="gpu:7")
    with pytest.raises(ValueError, match="no streams"):
        lw.zeros(2).to_device("cpu", stream=1)


def test_in_a_process_of_its_own() -> None:
    """Several devices; and nothing changes for a user's own code of TensorFlow."""
    code = """
        import numpy as np, tensorflow as tf
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)

        def facts():
            x, found = tf.constant([1, 2]), [tf.keras.backend.floatx(), tf.executing_eagerly()]
            for f in (lambda: x + 1.5, lambda: x + tf.constant(1.5), lambda: x.T, lambda: x.reshape((2, 1)),
                      lambda: x[tf.constant([0])], lambda: tf.constant([1.0]).dtype, lambda: tf.range(3).dtype,
                      lambda: x == x, lambda: tf.config.list_logical_devices(), lambda: x // 0,
                      lambda: tf.config.experimental.get_synchronous_execution(), lambda: hash(tf.float32),
                      lambda: tf.config.threading.get_intra_op_parallelism_threads(), lambda: sorted(dir(x))):
                try:
                    found.append(repr(f()))
                except Exception as error:
                    found.append(f"{type(error).__name__}: {str(error)[:60]}")
            return found

        before = facts()
        import latticework as lw
        lw.set_backend("tensorflow")
        x = lw.ones(3, device="cpu:1")
        assert x.device == "cpu:1", x.device
        assert lw.zeros(3, device=x.device).device == "cpu:1"
        assert lw.asarray([1.0, 2.0], device="cpu:1").device == "cpu:1"
        assert x.to_device("cpu").device == "cpu" and x.to_device("cpu:1").data is x.data
        assert lw.zeros(3).device == "cpu"
        np.testing.assert_array_equal(np.asarray(x + x), [2, 2, 2])
        x[0] = 5
        tf.function(lw.exp)(lw.matmul(x, lw.sin(x)))
        after = facts()
        assert before == after, [p for p in zip(before, after) if p[0] != p[1]]
    """
    made = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr[-2000:]


# --- scalars ---------------------------------------------------------------------------------------------------------


def test_zeros_keep_their_signs() -> None:
    """TensorFlow gives the tensor of 0.0 for that of -0.0, or the other way round, whichever it made first."""
    for dtype in dtypes("real floating"):
        for first, second in ((-0.0, 0.0), (0.0, -0.0)):
            for zero in (first, second):
                x = lw.full((2,), zero, dtype=dtype)
                assert bool(lw.all(lw.signbit(x))) == (str(zero) == "-0.0")
                made = lw.asarray([-0.0], dtype=dtype) + zero
                assert bool(lw.all(lw.signbit(made))) == (str(zero) == "-0.0")
                assert str(lw.asarray(zero, dtype=dtype).item()) == str(zero)
    assert str(lw.full((), complex(1, -0.0)).item()) == str(complex(1, -0.0))
    assert str(lw.full((), complex(1, 0.0)).item()) == str(complex(1, 0.0))


# --- emulated ---------------------------------------------------------------------------------------------------------


def operand(dtype: lw.Dtype, shape: tuple[int, ...] = (2, 2)) -> Any:
    return tf.ones(shape, getattr(tf, str(dtype)))


def unary(kernel: str) -> Callable[[lw.Dtype], Any]:
    return lambda d: getattr(ops, kernel)(x=operand(d))


def binary(kernel: str) -> Callable[[lw.Dtype], Any]:
    return lambda d: getattr(ops, kernel)(x=operand(d), y=operand(d))


#: function -> the kernel that TensorFlow has not got for the dtypes of its emulations.
LACKING: dict[str, Callable[[lw.Dtype], Any]] = {
    "pow": binary("Pow"), "negative": unary("Neg"), "abs": unary("Abs"), "sign": unary("Sign"),
    "nextafter": lambda d: ops.NextAfter(x1=operand(d), x2=operand(d)),
    "hypot": lambda d: ops.Complex(real=operand(d), imag=operand(d)),
    "ceil": unary("Ceil"), "floor": unary("Floor"), "trunc": unary("Floor"),
    "isfinite": unary("IsFinite"), "isinf": unary("IsInf"), "isnan": unary("IsNan"),
    "less": binary("Less"), "less_equal": binary("LessEqual"), "greater": binary("Greater"),
    "greater_equal": binary("GreaterEqual"),
    "_clip": binary("Maximum"), "bitwise_and": binary("BitwiseAnd"), "bitwise_or": binary("BitwiseOr"),
    "bitwise_xor": binary("BitwiseXor"), "bitwise_invert": unary("Invert"),
    "real": lambda d: ops.Real(input=operand(d)), "imag": lambda d: ops.Imag(input=operand(d)),
    "conj": lambda d: ops.Conj(input=operand(d)),
    "max": lambda d: ops.Max(input=operand(d), axis=0), "min": lambda d: ops.Min(input=operand(d), axis=0),
    "matmul": lambda d: ops.MatMul(a=operand(d), b=operand(d)),
    "tile": lambda d: ops.Tile(input=operand(d), multiples=[1, 2]),
    "isin": lambda d: ops.LowerBound(sorted_inputs=operand(d), values=operand(d)),
}  # fmt: skip


def result(x: Any) -> Any:
    return np.asarray(x).astype(complex).tolist()


#: function -> where its kernel gives something else than is asked for, with what it gives.
DIFFERENT: dict[str, tuple[Callable[[lw.Dtype], Any], Callable[[Any], bool]]] = {
    "floor_divide": (lambda d: ops.FloorDiv(x=operand(d), y=tf.zeros_like(operand(d))), lambda _: False),
    "remainder": (lambda d: ops.FloorMod(x=operand(d), y=tf.zeros_like(operand(d))), lambda _: False),
    "round": (lambda d: ops.Round(x=operand(d) * 3), lambda r: r == [[3, 3], [3, 3]]),
    "expm1": (lambda d: ops.Expm1(x=operand(d) * 1e4 * (1 + 1e-4j)), lambda r: np.isinf(r[0][0].real)),
    "log": (lambda d: ops.Log(x=tf.fill([8], full(d, lw.finfo(d).max / 2))), lambda r: np.isfinite(r[0].real)),
    "log1p": (lambda d: ops.Log1p(x=tf.fill([8], full(d, complex(inf, 1)))), lambda r: r[0].real == inf),
    "bitwise_right_shift": (
        lambda d: ops.RightShift(x=full(d, lw.iinfo(d).max), y=full(d, d.bits)), lambda r: r == 0,
    ),
    "argmax": (lambda d: ops.ArgMax(input=tf.constant([1, nan], operand(d).dtype), dimension=0), lambda r: r == 1),
    "argmin": (lambda d: ops.ArgMin(input=tf.constant([1, nan], operand(d).dtype), dimension=0), lambda r: r == 1),
}  # fmt: skip


def full(dtype: lw.Dtype, value: Any) -> Any:
    return tf.constant(value, getattr(tf, str(dtype)))


#: Emulations that are there for another reason than a kernel of the dtype, which the tests of the function see.
OTHERS = {
    "log2 log10": "there is no kernel of the name",
    "signbit": "the sign bit of floats is looked at as an integer's",
    "mean": "the mean of 16 bits overflows; that of complex numbers is made part by part",
    "vecdot": "products of 16 bits are summed in float32",
    "stack": "optimised to a Tile, which lacks uint16",
}
_OTHERS = {name for names in OTHERS for name in names.split()}
#: The same, of some dtypes alone.
OTHERS_OF = {
    "sign": (("complex64", "complex128"), "the kernel has no derivative"),
    "matmul": (("bfloat16",), "on some processors the kernel rounds partial sums"),
}


def test_every_detour_is_needed() -> None:
    needless = []
    for name, dtype in get("tensorflow").emulated:
        assert name in {*LACKING, *DIFFERENT, *_OTHERS}, f"say in this test why {name} is emulated"
        if str(dtype) in OTHERS_OF.get(name, ((), ""))[0]:
            continue
        if name in DIFFERENT:
            kernel, right = DIFFERENT[name]
        elif name in LACKING:
            kernel, right = LACKING[name], lambda _: True
        else:
            continue
        try:
            made = result(kernel(dtype))
        except (tf.errors.OpError, TypeError, ValueError, KeyError):
            continue
        if right(made):
            needless.append((name, dtype))
    assert not needless, f"TensorFlow computes these itself now: {needless}"
    assert {name for name, _ in get("tensorflow").emulated} == {*LACKING, *DIFFERENT, *_OTHERS}


# --- beside tensors --------------------------------------------------------------------------------------------------

COMPARED = "lt le gt ge eq ne".split()
ARITHMETIC = "add sub mul truediv floordiv mod pow matmul".split()


@pytest.mark.parametrize("compiled", [False, True])
def test_a_tensor_on_the_left_leaves_the_turn_to_an_array(compiled: bool) -> None:
    x = lw.asarray([1.5, 2.5])
    bits = lw.asarray([3, 5])
    pairs = [(tf.constant([1, 2]), x, COMPARED + ARITHMETIC), (tf.constant([6, 7]), bits, ["and_", "or_", "xor"])]
    pairs += [(tf.constant([True, False]), x, ["mul"]), (tf.constant([1.0, 2.5]), x, ["eq", "add"])]
    for left, right, names in pairs:
        lefts = [left] if compiled else [left, tf.Variable(left)]
        for name in names:
            op = getattr(operator, name)
            run = tf.function(op) if compiled else op
            for t in lefts:
                got, want = run(t, right), op(lw.asarray(left), right)
                check(got, np.asarray(want), want.dtype)
    t = tf.constant([1, 2])
    t += x
    check(t, [2.5, 4.5], lw.float32)
    with pytest.raises(BackendError, match="add: .*tensorflow.*numpy|add: .*numpy.*tensorflow"):
        tf.constant([1, 2]) + lw.asarray([1.5], backend="numpy")


def test_functions_of_tensorflow_lose_nothing_of_an_array() -> None:
    x, whole = lw.asarray([1.5, 2.5]), tf.constant([1, 2])
    takers = (
        lambda: tf.add(whole, x), lambda: tf.less(whole, x), lambda: tf.maximum(whole, x),
        lambda: tf.where([True, False], whole, x), lambda: tf.Variable(whole).assign_add(x),
        lambda: tf.convert_to_tensor(lw.asarray([300]), tf.int8),
        lambda: tf.concat([whole, lw.asarray([1j, 2.0])], 0),
    )  # fmt: skip
    for taker in takers:
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match=r"Cast it: lw\.astype|expected to be"):
            taker()
    np.testing.assert_array_equal(tf.maximum(tf.constant([1.0, 3.0]), lw.asarray([2, 2])), [2, 3])
    assert tf.convert_to_tensor(x) is x.data
    assert tf.convert_to_tensor(lw.asarray([1.5], backend="numpy"), tf.float64).dtype == tf.float64
    np.testing.assert_array_equal(tf.function(lambda y: tf.reduce_sum(y * 2))(x), 8)


def test_a_dtype_of_tensorflow_is_not_taken_for_its_number() -> None:
    """TensorFlow's float32 equals 1, and has its hash."""
    x = lw.asarray([1], dtype=lw.int64, backend="tensorflow")
    assert lw.astype(x, tf.float32).dtype is lw.float32
    assert lw.astype(x, np.int64(1)).dtype is lw.int64


#: Shapes of stacks of matrices, with axes of extents 1 and 0 in each place.
STACKS = ((2, 3), (1, 2, 3), (4, 2, 3), (4, 1, 2, 3), (1, 4, 2, 3), (5, 4, 2, 3), (1, 1, 2, 3), (0, 2, 3), (5, 0, 2, 3))


@pytest.mark.parametrize("how", ["eager", "in a graph", "of unknown extents"])
def test_products_of_stacks(how: str) -> None:
    for shape, other in product(STACKS, STACKS):
        x, y = np.random.default_rng(0).normal(size=shape), np.random.default_rng(1).normal(size=(*other[:-2], 3, 2))
        try:
            expected = x @ y
        except ValueError:
            continue
        specs = [tf.TensorSpec([None] * a.ndim, tf.float64) for a in (x, y)]
        run = lw.matmul
        if how != "eager":
            unknown = how == "of unknown extents"
            run = tf.function(lambda x, y: lw.matmul(lw.asarray(x), lw.asarray(y)).data, specs if unknown else None)
        result = run(lw.asarray(x), lw.asarray(y)) if how == "eager" else run(tf.constant(x), tf.constant(y))
        np.testing.assert_allclose(np.asarray(result), expected, err_msg=f"{shape} {other}", strict=True)


def one_for_a_stack(graph: Any) -> list[Any]:
    """The products that TensorFlow's oneDNN kernel writes beyond memory for: see `linear_algebra._of_stacks`."""
    found = []
    for node in graph.get_operations():
        if "BatchMatMul" in node.type:
            first, second = (list(x.shape[:-2]) for x in node.inputs)
            second = [1] * (len(first) - len(second)) + second
            if len(first) > 1 and any(m == n == 1 for m, n in zip(first, second, strict=True)) and set(second) == {1}:
                found.append((node.name, *(x.shape for x in node.inputs)))
    return found


def transformer(x: lw.Array, heads: int, weights: list[lw.Array]) -> lw.Array:
    """A block of attention and a perceptron, each after a norm, with an axis of extent 1 before."""
    (n, d), (wq, wo, w1, w2) = x.shape, weights
    scale, shift = lw.ones(d), lw.zeros(d)
    y = lw.reshape(nn.layer_norm(x[None], (d,), scale, shift) @ wq, (1, n, 3, heads, d // heads))
    q, k, v = (lw.moveaxis(a, 1, 2) for a in lw.unstack(y, axis=2))
    y = x[None] + lw.reshape(lw.moveaxis(nn.scaled_dot_product_attention(q, k, v), 1, 2), (1, n, d)) @ wo
    return y + nn.gelu(nn.layer_norm(y, (d,), scale, shift) @ w1) @ w2


@pytest.mark.parametrize("heads", [1, 4])
def test_vmap_of_a_transformer_reaches_no_kernel_that_ends_the_process(heads: int) -> None:
    keys = iter(random.split(random.key(0), 5))
    weights = [random.normal(next(keys), s) * 0.1 for s in ((8, 24), (8, 8), (8, 32), (32, 8))]
    x = random.uniform(next(keys), (3, 5, 8))
    expected = [np.asarray(transformer(x[i], heads, weights)) for i in range(3)]
    graphs = []

    def run(data: Any) -> Any:
        graphs.append(tf.compat.v1.get_default_graph())
        return lw.vmap(lambda x: transformer(x, heads, weights))(lw.asarray(data)).data

    result = tf.function(run, autograph=False)(x.data)
    np.testing.assert_allclose(result, np.stack(expected), rtol=2e-4, atol=1e-5)
    assert not one_for_a_stack(graphs[0])
    assert any(node.type in ("MatMul", "BatchMatMulV2") for node in graphs[0].get_operations())


@pytest.mark.sweep
def test_processes_with_onednn_end_well() -> None:
    """Programs whose products have axes of extent 1, each many times in one process that checks its memory."""
    program = textwrap.dedent("""
        import numpy as np, latticework as lw
        from latticework import nn
        lw.set_backend("tensorflow")
        rng = np.random.default_rng(0)
        for i in range(40):
            b, n, m, k = (int(e) for e in rng.integers(1, 18, 4))
            x, w = lw.asarray(rng.normal(size=(b, 1, n, k))), lw.asarray(rng.normal(size=(k, m)))
            np.testing.assert_allclose(np.asarray(x @ w), np.asarray(x) @ np.asarray(w))
            np.testing.assert_allclose(np.asarray(lw.vmap(lambda a: a @ w)(x)), np.asarray(x) @ np.asarray(w))
            taken = lw.vmap(lambda a, i: lw.take(a, i, axis=1))(x, lw.asarray(rng.integers(0, n, (b, 3))))
            assert taken.shape == (b, 1, 3, k)
            image = lw.asarray(rng.normal(size=(b, 1, 2, n + 3, k + 3)))
            filters = lw.asarray(rng.normal(size=(m, 2, 3, 3)))
            assert lw.vmap(lambda a: nn.conv2d(a, filters))(image).shape[:3] == (b, 1, m)
    """)
    environment = os.environ | {"TF_ENABLE_ONEDNN_OPTS": "1", "MALLOC_CHECK_": "3"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_axes_and_positions_are_constants_of_a_traced_function() -> None:
    """A tensor that it captures is an argument in each call, even a small one, of which its graph has a constant."""

    def f(data: tf.Tensor) -> tf.Tensor:
        x = lw.asarray(data)
        parts = [lw.reshape(x[i], (2, 1)) * lw.sum(x, axis=1)[:2] + lw.zeros((2, 2)) for i in range(3)]
        return lw.sum(lw.stack(parts)).data

    for _ in range(2):  # the second time eager calls have kept what they use
        traced = tf.function(f, autograph=False).get_concrete_function(tf.TensorSpec([3, 2], tf.float32))
        assert traced.captured_inputs == []
        f(tf.ones((3, 2)))
