"""Latticework's own tools on functions that are written in a dialect: infer, trace, compile, vmap and grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.errors import TraceError
from latticework.frontends import dialect_named, torch
from latticework.frontends import jax as jax_dialect
from latticework.frontends import numpy as numpy_dialect
from latticework.frontends import tensorflow as tf

jnp = jax_dialect.numpy
X, W = np.arange(6, dtype="float32").reshape(2, 3) / 4, np.arange(12, dtype="float32").reshape(3, 4) / 8


def in_torch(x: Any, w: Any) -> Any:
    h = torch.nn.functional.relu(x @ w - 1).view(-1, 2).sum(dim=1, keepdim=True)
    return torch.where(h > 0.5, h, torch.zeros_like(h)).mean()


def in_numpy(x: Any, w: Any) -> Any:
    h = numpy_dialect.exp(x @ w - numpy_dialect.max(x @ w, axis=-1, keepdims=True))
    return (h / h.sum(axis=-1, keepdims=True))[:, 1].sum()


def in_jax(x: Any, w: Any) -> Any:
    total, rows = jax_dialect.lax.scan(lambda c, row: (c + row.sum(), row * 2), jnp.float32(0), x)
    return total + jnp.sum(rows.at[0].add(1.0) @ w)


def in_tensorflow(x: Any, w: Any) -> Any:
    shape = tf.shape(x)
    steps = tf.cast(tf.range(shape[1]), tf.float32)
    flat = tf.reshape(x * steps, tf.stack([shape[0] * shape[1]]))
    return tf.reduce_sum(flat) / tf.cast(shape[0], tf.float32) + tf.reduce_max(tf.matmul(x, w))


PROGRAMS = {"torch": in_torch, "numpy": in_numpy, "jax": in_jax, "tensorflow": in_tensorflow}


def _arrays(name: str, *arrays: np.ndarray) -> list[Any]:
    return [dialect_named(name).wrapped(lw.asarray(x)) for x in arrays]


def _value(x: Any) -> Any:
    return np.asarray(x._array.compute().to_numpy())


@pytest.mark.parametrize(("name", "f"), PROGRAMS.items())
def test_infer_takes_specs_and_arrays(name: str, f: Callable[..., Any]) -> None:
    expected = lw.spec((), "float32")
    assert lw.infer(f, *_arrays(name, X, W)) == expected
    assert lw.infer(f, lw.spec((2, 3), "float32"), lw.spec((3, 4), "float32")) == expected


def test_infer_takes_functions_of_a_dialect_and_methods_that_call_them() -> None:
    rows = lw.spec((None, 3), "float32")
    assert lw.infer(torch.softmax, rows, dim=-1) == rows
    assert lw.infer(lambda x: x.sum(dim=1).to(torch.float64), rows) == lw.spec((None,), "float64")

    class Layer:
        def __init__(self) -> None:
            self.weight = torch.ones(3, 5)

        def forward(self, x: Any) -> Any:
            return torch.relu(x @ self.weight).size(1)

    assert lw.infer(Layer().forward, rows) == 5


@pytest.mark.parametrize(("name", "f"), PROGRAMS.items())
def test_they_are_traced_compiled_and_mapped(backend: str, name: str, f: Callable[..., Any]) -> None:
    x, w = _arrays(name, X, W)
    expected = _value(f(x, w))
    compiled = lw.compile(f)(x, w)
    assert type(compiled) is type(x)
    np.testing.assert_allclose(_value(compiled), expected, rtol=1e-5)
    if (backend, name) == ("tensorflow", "tensorflow"):
        return  # it maps and derives in a graph, where what is computed of a shape has no values
    many = lw.vmap(f, (0, None))(*_arrays(name, np.stack([X, X + 1]), W))
    np.testing.assert_allclose(_value(many)[0], expected, rtol=1e-5)
    if backend not in ("numpy", "dask"):
        gradient = lw.grad(f)(x, w)
        assert type(gradient) is type(x)
        assert gradient._array.shape == (2, 3)


def test_a_trace_knows_what_is_computed_of_constants_alone(backend: str) -> None:
    if backend == "dask":
        pytest.skip("Dask's graphs are not traced")
    x, held = lw.asarray(X), lw.asarray([1, 2])

    def known(x: Any) -> Any:
        extents = lw.asarray([2, 3]) * 2
        return x * int(extents[1]) * lw.asarray([4, 5]).tolist()[0]

    assert np.array_equal(np.asarray(lw.compile(known)(x)), X * 24)
    with pytest.raises(TraceError):
        lw.trace(lambda x: x * int((held * 2)[1]), x)  # the program may write into it

    def written(x: Any) -> Any:
        counts = lw.zeros(3, dtype=lw.float32)
        counts[0] = x[0, 1]
        return x * float(counts[0])

    with pytest.raises(TraceError):
        lw.trace(written, x)


def test_infer_knows_no_elements_of_a_view_of_what_was_written_to() -> None:
    def program(x: Any) -> Any:
        counts = lw.asarray(np.array([1, 2]))
        view = counts[:1]
        counts[0] = 5
        return int(view[0])

    with pytest.raises(lw.errors.NoDataError):
        lw.infer(program, lw.spec((2,), "float32"))
