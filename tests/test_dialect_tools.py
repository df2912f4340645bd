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


#: Calls that draw from a state, of an array x.
DRAWS_OF_TORCH = """
    torch.rand(3); torch.randn(3); torch.rand_like(x); torch.randn_like(x); torch.randint(5, (3,))
    torch.randperm(4); torch.randint_like(x, 5); torch.bernoulli(x); torch.binomial(x, x); torch.poisson(x)
    torch.normal(x, 1.0); torch.multinomial(x, 1); x.normal_(); x.uniform_(); x.exponential_(); x.cauchy_()
    x.log_normal_(); x.random_(); x.geometric_(0.5); x.bernoulli_(); x.bernoulli(); x.multinomial(1)
    F.dropout(x); F.dropout1d(x); F.dropout2d(x[None, None]); F.dropout3d(x[None, None])
    F.alpha_dropout(x, training=True); F.feature_alpha_dropout(x, training=True); F.rrelu(x, training=True)
    F.gumbel_softmax(x); F.scaled_dot_product_attention(x, x, x, dropout_p=0.5); torch.rand(3, generator=held)
"""
DRAWS_OF_TENSORFLOW = """
    tf.random.uniform([3]); tf.random.normal([3], seed=1); tf.random.truncated_normal([3]); tf.random.gamma([3], 1.0)
    tf.random.poisson([3], 1.0); tf.random.categorical(x, 2); tf.random.shuffle(x); tf.nn.dropout(x, 0.5)
"""


def _calls(text: str) -> list[str]:
    return [call.strip() for line in text.splitlines() for call in line.split(";") if call.strip()]


def test_numbers_of_a_state_are_no_constants_of_a_graph() -> None:
    """Two calls of the graph would give the same numbers."""
    x = _arrays("torch", X)[0]
    names = {"torch": torch, "F": torch.nn.functional, "held": torch.Generator().manual_seed(1), "tf": tf}
    random, rng, state = numpy_dialect.random, numpy_dialect.random.default_rng(0), numpy_dialect.random.RandomState(0)
    for call in _calls(DRAWS_OF_TORCH):
        with pytest.raises(TraceError, match="draws from a generator of PyTorch's dialect.*Draw the numbers first"):
            lw.trace(lambda x, call=call: eval(call, {**names, "x": x}), x)
    for call in _calls(DRAWS_OF_TENSORFLOW):
        with pytest.raises(TraceError, match=r"draws from the generator of tf.random.*tf\.random\.stateless_normal"):
            lw.trace(lambda x, call=call: eval(call, {**names, "x": x}), *_arrays("tensorflow", X))
    made = tf.random.Generator.from_seed(1)
    with pytest.raises(TraceError, match=r"draws from a tf.random.Generator.*tf\.random\.stateless_normal"):
        lw.trace(lambda x: x + made.normal([3]), *_arrays("tensorflow", X))
    for name in {*random.__all__} & {*dir(np.random)} - {"seed", "get_state", "set_state"}:
        f = getattr(random, name)
        if isinstance(f, type) or name == "default_rng":
            continue
        with pytest.raises(TraceError, match=r"draws from a generator of NumPy's.*np\.random\.default_rng\(seed\)"):
            lw.trace(f, *_arrays("numpy", X))
    for draw in (
        rng.normal,
        rng.shuffle,
        state.rand,
        random.default_rng().random,
        lambda x: random.default_rng().random(),
    ):
        with pytest.raises(TraceError, match="draws from a generator of NumPy's"):
            lw.compile(draw)(*_arrays("numpy", X))
    with pytest.raises(TraceError, match="draws from"):
        lw.transpile(torch.nn.functional.dropout, x, to="numpy")
    listed = " ".join(_calls(DRAWS_OF_TORCH + DRAWS_OF_TENSORFLOW))
    states = {
        "Generator",
        "default_generator",
        "get_rng_state",
        "set_rng_state",
        "initial_seed",
        "manual_seed",
        "seed",
        "set_seed",
        *"Algorithm create_rng_state fold_in get_global_generator set_global_generator split".split(),
    }
    for name in {*torch.sampling.__all__, *torch.nn.functional.dropping.__all__, *tf.random.__all__} - states:
        assert f".{name}(" in listed or name.startswith("stateless_"), name


def test_numbers_of_keys_and_of_seeds_in_the_program_are_traced() -> None:
    def of_a_key(x: Any, key: Any) -> Any:
        first, second = jax_dialect.random.split(key)
        return x + jax_dialect.random.normal(first, x.shape) * jax_dialect.random.bernoulli(second, 0.5, x.shape)

    compiled, (x,) = lw.compile(of_a_key), _arrays("jax", X)
    for seed in (0, 1):
        key = jax_dialect.random.PRNGKey(seed)
        np.testing.assert_allclose(_value(compiled(x, key)), _value(of_a_key(x, key)), rtol=1e-6)
    assert len(compiled.compiled.graphs) == 1

    def of_torch(x: Any) -> Any:
        return x + torch.randn(3, generator=torch.Generator().manual_seed(2))

    def of_numpy(x: Any) -> Any:
        return x + numpy_dialect.random.default_rng(2).normal(size=3) + numpy_dialect.random.RandomState(3).rand()

    def of_tensorflow(x: Any) -> Any:
        made = tf.random.Generator.from_seed(3)
        return x + tf.random.stateless_normal([3], seed=[1, 2]) + made.normal([3]) * made.uniform([3])

    for name, f in {"torch": of_torch, "numpy": of_numpy, "tensorflow": of_tensorflow}.items():
        (x,) = _arrays(name, X)
        compiled = lw.compile(f)
        for _ in range(2):
            np.testing.assert_allclose(_value(compiled(x)), _value(f(x)), rtol=1e-6)


def test_a_tensor_that_a_tape_watches_is_a_result_of_a_trace(backend: str) -> None:
    if backend in ("numpy", "dask"):
        pytest.skip("it has no derivatives")

    def program(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(x * x)
        return loss, tape.gradient(loss, x)

    (x,) = _arrays("tensorflow", X)
    loss, gradient = lw.trace(program, x)(_arrays("tensorflow", X + 1)[0])
    np.testing.assert_allclose(_value(loss), ((X + 1) ** 2).sum(), rtol=1e-5)
    np.testing.assert_allclose(_value(gradient), 2 * (X + 1), rtol=1e-5)
