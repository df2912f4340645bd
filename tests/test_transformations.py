"""One function, written with latticework alone, differentiated, mapped and compiled by each framework's own means.

The reference is the same function and its derivatives, written out in NumPy.
"""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from cases import EXHAUSTIVE
from support import NUMPY

import latticework as lw

RNG = np.random.default_rng(3)
W = RNG.normal(size=4)
X = RNG.normal(size=(12, 4)) * 2
Y = (RNG.normal(size=12) > 0).astype(float)
ORDER = [2, 0, 3, 1]
PENALTY = 0.5

FLOATS = [lw.float32, lw.float64]


def loss(w: lw.Array, x: lw.Array, y: lw.Array) -> lw.Array:
    """The logistic loss of labels 0 and 1, which overflows for no score, and a penalty on all weights but the first."""
    scores = lw.take(x, lw.asarray(ORDER, dtype=lw.int64, device=x.device), axis=-1) @ w
    wrong = lw.where(y > 0, -scores, scores)
    losses = lw.maximum(wrong, 0) + lw.log1p(lw.exp(-lw.abs(wrong)))
    return lw.mean(losses) + PENALTY / 2 * lw.sum(w[1:] ** 2)


def expected(w: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """The loss by hand, its gradient by w and its second derivatives."""
    x = x[:, ORDER]
    signs = np.where(y > 0, -1.0, 1.0)
    wrong = signs * (x @ w)
    p = 1 / (1 + np.exp(-wrong))
    rest = np.array([0.0, 1.0, 1.0, 1.0])
    value = np.logaddexp(0, wrong).mean() + PENALTY / 2 * np.sum(w[1:] ** 2)
    gradient = x.T @ (signs * p) / len(y) + PENALTY * w * rest
    second = (x * (p * (1 - p))[:, None]).T @ x / len(y) + PENALTY * np.diag(rest)
    return value, gradient, second


VALUE, GRADIENT, SECOND = expected(W, X, Y)
VALUES = np.array([expected(W, X[i : i + 1], Y[i : i + 1])[0] for i in range(len(Y))])


def ours(backend: str, dtype: lw.Dtype) -> list[lw.Array]:
    return [lw.asarray(a, dtype=dtype, backend=backend) for a in (W, X, Y)]


def check(got: Any, want: Any, dtype: lw.Dtype) -> None:
    """An array of ours or of the framework's own has this dtype and these numbers."""
    array = got if isinstance(got, lw.Array) else lw.asarray(got)
    assert array.dtype is dtype
    computed = np.asarray(array)
    assert computed.dtype == NUMPY[dtype]
    assert computed.shape == np.shape(want)
    eps = lw.finfo(dtype).eps
    np.testing.assert_allclose(computed.astype(np.float64), want, rtol=60 * eps, atol=60 * eps)


def native(*arrays: Any) -> Any:
    """`loss` of a framework's own arrays, to its own: what asks for a scalar, as gradients do, wants that."""
    return loss(*map(lw.asarray, arrays)).data


def of_ours(*arrays: lw.Array) -> Any:
    """`loss` of our arrays, to the framework's own."""
    return loss(*arrays).data


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_value(backend: str, dtype: lw.Dtype) -> None:
    check(loss(*ours(backend, dtype)), VALUE, dtype)


def about(name: str) -> Callable[[Any], Any]:
    """Marks a test of one framework. Where that is not among those tested there is no such test."""
    missing = name not in {b.name for b in lw.backends() if b.installed}
    chosen = os.environ.get("LATTICEWORK_TEST_BACKENDS") or name

    def mark(test: Any) -> Any:
        if missing or name not in chosen.split(","):
            return None
        return pytest.mark.backend(pytest.mark.parametrize("dtype", FLOATS)(test))

    return mark


# --- JAX ----------------------------------------------------------------------------------------------------------


@about("jax")
def test_jax_grad_jit_and_vmap(dtype: lw.Dtype) -> None:
    import jax

    with lw.using(backend="jax"):
        # outside jax.jit each primitive is a kernel: one dtype goes that way, and all inside
        ways = (jax.jit, lambda f: f) if EXHAUSTIVE or dtype is lw.float32 else (jax.jit,)
        arrays = ours("jax", dtype)
        natives = [x.data for x in arrays]
        check(jax.jit(loss)(*arrays), VALUE, dtype)
        check(jax.jit(native)(*natives), VALUE, dtype)
        for way in ways:
            for f, given in ((native, natives), (of_ours, arrays)):
                check(way(jax.grad(f))(*given), GRADIENT, dtype)
                check(way(jax.grad(jax.jit(f)))(*given), GRADIENT, dtype)
            for f, (w, x, y) in ((native, natives), (loss, arrays)):
                check(way(jax.vmap(f, (None, 0, 0)))(w, x[:, None], y[:, None]), VALUES, dtype)
                check(way(jax.jacfwd(f))(w, x, y), GRADIENT, dtype)
                check(way(jax.hessian(f))(w, x, y), SECOND, dtype)


@about("jax")
def test_jax_derivatives_by_our_arrays_have_the_structure_of_jax_arrays(dtype: lw.Dtype) -> None:
    import jax

    with lw.using(backend="jax"):
        a, b = lw.asarray([1.0, 2.0], dtype=dtype), lw.asarray([0.5, 1.5], dtype=dtype)
        hessian = jax.hessian(lambda a: lw.sum(a**3))(a)
        assert type(hessian) is lw.Array
        assert isinstance(hessian.data, jax.Array)
        check(hessian, [[6, 0], [0, 12]], dtype)
        for of, jacobian in ((jax.jacfwd, "jacfwd"), (jax.jacrev, "jacrev")):
            found = of(lambda a: a**3)(a)
            assert type(found.data) is type(a.data), jacobian
            check(found, [[3, 0], [0, 12]], dtype)
        second = jax.hessian(lambda p: lw.sum(p["a"] ** 2) * lw.sum(p["b"]))({"a": a, "b": b})
        want = {
            "a": {"a": [[4, 0], [0, 4]], "b": [[2, 2], [4, 4]]},
            "b": {"a": [[2, 4], [2, 4]], "b": np.zeros((2, 2))},
        }
        for i, row in want.items():
            assert type(second[i]) is dict
            for j, numbers in row.items():
                check(second[i][j], numbers, dtype)


@about("jax")
def test_jax_grad_wants_an_array_of_its_own(dtype: lw.Dtype) -> None:
    """Where this fails JAX takes a scalar of ours, and README need not say `.data` any more."""
    import jax

    w = lw.asarray([1.0, 2.0], dtype=dtype, backend="jax")
    with pytest.raises(TypeError, match="Gradient only defined for scalar-output functions"):
        jax.grad(lw.sum)(w)


# --- PyTorch ------------------------------------------------------------------------------------------------------


@about("torch")
def test_torch_backward(dtype: lw.Dtype) -> None:
    with lw.using(backend="torch"):
        w, x, y = ours("torch", dtype)
        w.data.requires_grad_()
        loss(w, x, y).data.backward()
        check(w.data.grad, GRADIENT, dtype)


@about("torch")
@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # forward mode imports what uses it
def test_torch_func(dtype: lw.Dtype) -> None:
    import torch

    with lw.using(backend="torch"):
        arrays = ours("torch", dtype)
        natives = [x.data for x in arrays]
        for f, given in ((native, natives), (of_ours, arrays)):
            check(torch.func.grad(f)(*given), GRADIENT, dtype)
        for f, (w, x, y) in ((native, natives), (loss, arrays)):
            check(torch.func.vmap(f, (None, 0, 0))(w, x[:, None], y[:, None]), VALUES, dtype)
            check(torch.func.jacrev(f)(w, x, y), GRADIENT, dtype)
            check(torch.func.hessian(f)(w, x, y), SECOND, dtype)


@about("torch")
def test_torch_vmap_of_writing_what_overlaps(dtype: lw.Dtype) -> None:
    import torch

    def f(x: lw.Array) -> lw.Array:
        x = x + 1
        x += x[:1]
        x[1:] += x[:-1]
        x[:-1] = x[1:]
        return x

    with lw.using(backend="torch"):
        x = lw.asarray([[1, 2, 3], [4, 5, 6]], dtype=dtype)
        check(torch.func.vmap(f)(x), [[9, 11, 11], [21, 23, 23]], dtype)


@about("torch")
def test_torch_grad_wants_a_tensor(dtype: lw.Dtype) -> None:
    """Where this fails PyTorch takes a scalar of ours, and README need not say `.data` any more."""
    import torch

    w = lw.asarray([1.0, 2.0], dtype=dtype, backend="torch")
    with pytest.raises(RuntimeError, match="Expected .* to return a [Tt]ensor"):
        torch.func.grad(lw.sum)(w)


def compiled(f: Callable[..., Any], compiler: str) -> Callable[..., Any]:
    """`f` compiled without a break. Of a function of ours the compiler records the calls, and does not read the code:
    it knows neither context variables nor ``@`` on objects.

    Each has code of its own, for functions that differ in what they close over are one to the compiler, as
    https://github.com/pytorch/pytorch/issues/197811 has it.
    """
    import torch

    recorded = torch._dynamo.nonstrict_trace(f)

    def call(*arrays: Any) -> Any:
        return recorded(*arrays)

    call.__code__ = call.__code__.replace(co_name=f"{compiler}_{f.__name__}")
    return torch.compile(call, backend=compiler, fullgraph=True)


def check_compiled(compiler: str, dtype: lw.Dtype) -> None:
    import torch

    torch._dynamo.reset()
    with lw.using(backend="torch"):
        arrays = ours("torch", dtype)
        natives = [x.data for x in arrays]
        check(compiled(loss, compiler)(*arrays), VALUE, dtype)
        whole = compiled(native, compiler)
        check(whole(*natives), VALUE, dtype)
        check(compiled(torch.func.grad(native), compiler)(*natives), GRADIENT, dtype)
        w = natives[0].clone().requires_grad_()
        whole(w, *natives[1:]).backward()
        check(w.grad, GRADIENT, dtype)


@about("torch")
@pytest.mark.parametrize("compiler", ["eager", "aot_eager"])
def test_torch_compile_of_the_whole_graph(compiler: str, dtype: lw.Dtype) -> None:
    check_compiled(compiler, dtype)


def square(w: Any, x: Any) -> Any:
    return lw.mean((x @ w) ** 2)


@about("torch")
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # forward derivatives' own, of PyTorch
@pytest.mark.parametrize("of", ["grad", "value_and_grad", "vjp", "jvp", "hessian"])
def test_torch_compiles_derivatives(of: str, dtype: lw.Dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    aside = partial(torch.compile, fullgraph=True, backend="aot_eager")
    monkeypatch.setattr("latticework.tracing.graph.compiler_of", lambda _: aside)
    f: Any = {
        "vjp": lambda w, x: lw.vjp(lambda w: square(w, x), w)[1](lw.ones((), dtype=dtype)),
        "jvp": lambda w, x: lw.jvp(lambda w: square(w, x), (w,), (w,)),
    }.get(of) or getattr(lw, of)(square)
    torch._dynamo.reset()
    with lw.using(backend="torch"):
        w, x = lw.asarray([1.0, 2.0], dtype=dtype), lw.asarray([[1.0, 3.0], [0.0, 1.0]], dtype=dtype)
        found, expected = lw.compile(f, native=True)(w, x), f(w, x)
        for one, other in zip(lw.tree.leaves(found), lw.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-5)


@about("torch")
def test_torch_exports_derivatives(dtype: lw.Dtype) -> None:
    import torch

    class Slope(torch.nn.Module):  # type: ignore[misc]  # PyTorch tells no type
        def forward(self, w: Any, x: Any) -> Any:
            return lw.native(lw.grad(square))(w, x)

    native = getattr(torch, str(dtype))
    x = torch.tensor([[1.0, 3.0], [0.0, 1.0]], dtype=native)
    exported = torch.export.export(Slope(), (torch.ones(2, dtype=native), x), strict=False).module()
    w = torch.tensor([1.0, 2.0], dtype=native)
    torch.testing.assert_close(exported(w, x), Slope()(w, x))


@about("torch")
@pytest.mark.sweep  # half a minute, most of it a C++ compiler's
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # inductor's own, of PyTorch
def test_torch_inductor(dtype: lw.Dtype) -> None:
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        pytest.skip("inductor needs a C++ compiler")
    check_compiled("inductor", dtype)


@about("torch")
def test_torch_compile_with_breaks_needs_nothing(dtype: lw.Dtype) -> None:
    """What the compiler cannot read it leaves to Python."""
    import torch

    torch._dynamo.reset()
    with lw.using(backend="torch"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the compiler's own, of the caches that it looks behind
        check(torch.compile(loss, backend="eager")(*ours("torch", dtype)), VALUE, dtype)


# --- TensorFlow ---------------------------------------------------------------------------------------------------


@about("tensorflow")
def test_tensorflow_tapes_and_functions(dtype: lw.Dtype) -> None:
    import tensorflow as tf

    def gradient(f: Callable[..., Any]) -> Callable[..., Any]:
        def by_w(w: Any, x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(w)
                value = f(w, x, y)
            return tape.gradient(value, w)

        return by_w

    def second(f: Callable[..., Any]) -> Callable[..., Any]:
        def by_w(w: Any, x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(w)
                found = gradient(f)(w, x, y)
            return tape.jacobian(found, w)

        return by_w

    with lw.using(backend="tensorflow"):
        arrays = ours("tensorflow", dtype)
        natives = [x.data for x in arrays]
        for f, given in ((native, natives), (loss, arrays)):
            check(tf.function(f)(*given), VALUE, dtype)
            check(tf.function(f, jit_compile=True)(*given), VALUE, dtype)
            check(gradient(f)(*given), GRADIENT, dtype)
            check(gradient(tf.function(f))(*given), GRADIENT, dtype)
            check(tf.function(gradient(f))(*given), GRADIENT, dtype)
        for f, (w, x, y) in ((native, natives), (of_ours, arrays)):  # it asks for the len() of what is no tensor
            each = tf.vectorized_map(lambda row: f(w, row[0], row[1]), (x[:, None], y[:, None]))  # noqa: B023
            check(each, VALUES, dtype)
        check(second(native)(*natives), SECOND, dtype)
        check(tf.function(second(native))(*natives), SECOND, dtype)


# --- Dask ---------------------------------------------------------------------------------------------------------


@about("dask")
def test_dask_computes_nothing_before_it_is_asked(dtype: lw.Dtype) -> None:
    import dask

    def unwanted(*_: Any, **__: Any) -> None:
        raise AssertionError("something was computed")

    with lw.using(backend="dask"):
        arrays = ours("dask", dtype)
        with dask.config.set(scheduler=unwanted):
            value = loss(*arrays)
        with dask.config.set(scheduler="synchronous"):
            check(value, VALUE, dtype)
            (computed,) = dask.compute(value)
    check(computed, VALUE, dtype)
