"""What PyTorch's own autograd sees of latticework: programs of PyTorch differentiate and checkpoint what calls it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dialect_answers
import numpy as np
import pytest
from cases import EXHAUSTIVE, in_turn
from dialect_answers import FRAMEWORKS
from test_dialects import samples_of

import latticework as lw
import latticework.frontends.torch as dialect

torch = pytest.importorskip("torch")

#: Samples that record other derivatives when a kernel runs them: what has none, and calls that end with an error.
OTHERWISE = {
    "torch.allclose(x, z)", "torch.linalg.cholesky_ex(-h).info",
    "np.around(x, 1), np.round(x, -1), x.round(1), np.around([1.55, 2.5])",
    "np.real_if_close(x + 0j), np.real_if_close(x + 1j)",
    "jnp.linalg.cholesky(-m), jnp.linalg.cholesky(jnp.stack([m, jnp.eye(3)]) - 0.5)",
}  # fmt: skip


def of_ours(x: Any) -> Any:
    a = lw.asarray(x)
    return (lw.max(a) + lw.std(lw.nn.softmax(lw.sin(a) * lw.exp(a), axis=0)) + lw.linalg.vector_norm(a)).data


def test_what_a_rule_holds_is_a_constant_to_autograd() -> None:
    """Whether autograd records its arguments or not."""
    w, x = (torch.tensor(n, dtype=torch.float64, requires_grad=True) for n in (2.0, 3.0))
    held = [lw.asarray(w)]
    scaled = lw.custom_gradient(lambda x: (x * held[0], lambda c: c * held[0]))
    itself = lw.custom_gradient(lambda x: (held[0], lambda c: c))
    for f in (scaled, itself):
        assert not f(lw.asarray(x.detach())).data.requires_grad
        with torch.no_grad():
            assert not f(lw.asarray(x)).data.requires_grad
        (by,) = torch.autograd.grad(f(lw.asarray(x)).data, x, create_graph=True)
        assert by == (2.0 if f is scaled else 1.0)
        assert torch.autograd.grad(by * w, w)[0] == by
    assert w.requires_grad
    assert held[0].data is w


def of_native(x: Any) -> Any:
    xp = lw.array_namespace("torch")
    return xp.max(x) + xp.std(xp.sin(x) * xp.exp(x)) + xp.linalg.vector_norm(x)


def of_torch(x: Any) -> Any:
    t = dialect.asarray(lw.asarray(x))
    t = dialect.sin(t) * dialect.exp(t)
    t = (
        dialect.nn.functional.relu(t)
        + dialect.clamp(t, min=0.1)
        + dialect.nn.functional.softmax(t, 0)
        + dialect.std(t)
        + dialect.logsumexp(t, 0)
    )
    return lw.asarray(t.sum()).data


def of_jax(x: Any) -> Any:
    from latticework.frontends.jax import nn
    from latticework.frontends.jax import numpy as jnp

    v = jnp.asarray(lw.asarray(x))
    return lw.asarray(jnp.sum(jnp.exp(jnp.sin(v) * nn.silu(v)) + jnp.max(v))).data


def in_place(x: Any) -> Any:
    t = 1.0 * dialect.asarray(lw.asarray(x))
    t *= dialect.asarray(lw.asarray(x))
    return lw.asarray(t).data.sum()


def by_index(x: Any) -> Any:
    return (1.0 * lw.asarray(x))[lw.asarray(torch.tensor([0, 2, 1]))].data.sum()


@pytest.mark.parametrize("f", [of_ours, of_native, of_torch, of_jax, in_place, by_index])
def test_a_checkpoint_of_pytorch_ends_where_it_has_what_it_needs(f: Callable[[Any], Any]) -> None:
    """It ends the second run by an exception, which is neither a failure nor a reason to call once more."""
    from torch.utils.checkpoint import checkpoint

    x = torch.tensor([0.1, 0.5, 2.0], requires_grad=True)
    for _ in range(4):  # a function of a dialect keeps its kernels at the second call
        (found,) = torch.autograd.grad(checkpoint(f, x, use_reentrant=False), x)
        (expected,) = torch.autograd.grad(f(x), x)
        assert torch.allclose(found, expected)


@pytest.mark.shared
@pytest.mark.parametrize("dialect", FRAMEWORKS)
def test_each_call_records_the_same(dialect: str) -> None:
    """Autograd saves as much of the first calls, which keep the kernels, as of a later one."""
    from torch.autograd.graph import saved_tensors_hooks

    def saved(code: Any, names: dict[str, Any]) -> int:
        count = 0

        def note(t: Any) -> Any:
            nonlocal count
            count += 1
            return t

        with saved_tensors_hooks(note, lambda t: t):
            eval(code, names)
        return count

    recorded = 0
    with lw.using(backend="torch"), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = [s for s in samples_of(dialect).samples if "float32" in s.dtypes and not s.x64]
        for sample in in_turn(samples, 12, dialect):
            names = dialect_answers.names_of(dialect, sample, "float32", "float32")
            for x in names.values():
                data = getattr(getattr(x, "_array", None), "_data", None)
                if isinstance(data, torch.Tensor) and data.is_floating_point() and data.is_leaf:
                    data.requires_grad_()
            try:
                code = compile(sample.text, "<sample>", "eval")
                counts = [saved(code, names) for _ in range(4)]
            except Exception:
                continue  # a sample of several statements, or of what is refused
            recorded += counts[0] > 0
            assert sample.text in OTHERWISE or len({*counts}) == 1, sample.text
    assert recorded > (100 if EXHAUSTIVE else 10)


def a_custom_gradient(x: Any) -> Any:
    return lw.custom_gradient(lambda x: (x**2, lambda g: g * lw.full(2, 3, dtype=lw.float32)))(lw.asarray(x))


def a_checkpoint(x: Any) -> Any:
    return lw.checkpoint(lambda x: lw.exp(x) * lw.ones(2, dtype=lw.float32))(lw.asarray(x))


def a_hook(x: Any) -> Any:
    made = dialect.as_tensor(x) * 1
    made.register_hook(lambda g: g * dialect.ones(2))
    return made


def a_function_of_the_dialect(x: Any) -> Any:
    class Double(dialect.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * dialect.full((2,), 2.0)

    return Double.apply(dialect.as_tensor(x))


def a_checkpoint_of_the_dialect(x: Any) -> Any:
    from latticework.frontends.torch.utils.checkpoint import checkpoint

    return checkpoint(lambda x: dialect.exp(x) * dialect.ones(2), dialect.as_tensor(x), use_reentrant=False)


@pytest.mark.parametrize(
    "f", [a_custom_gradient, a_checkpoint, a_hook, a_function_of_the_dialect, a_checkpoint_of_the_dialect]
)
def test_a_derivative_that_pytorch_takes_in_another_thread_has_the_settings_of_its_function(f: Any) -> None:
    """PyTorch does so on GPUs."""
    gradients = []
    for run in (lambda task: task(), lambda task: ThreadPoolExecutor(1).submit(task).result()):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        with lw.using(backend="torch"):
            y = f(x)
        total = (y._array if isinstance(y, dialect.Tensor) else y)._data.sum()
        run(total.backward)
        gradients.append(x.grad.tolist())
    assert gradients[0] == gradients[1]


@pytest.mark.parametrize("made_inside", [False, True])
def test_gradients_in_the_inference_mode_are_those_outside_of_it(made_inside: bool) -> None:
    """Autograd records nothing there, and `torch.func` does."""
    ten = lw.custom_gradient(lambda x: (x**2, lambda c: 10 * c))
    functions = [
        lw.grad(lambda x: lw.sum(x**3)),
        lw.compile(lw.grad(lambda x: lw.sum(x**3))),
        lambda x: lw.vjp(lambda x: x**3, x)[1](x)[0],
        lw.jacrev(lambda x: x**3),
        lw.grad(lambda x: lw.sum(ten(x))),
        lw.grad(lambda x: lw.sum(lw.checkpoint(lambda x: lw.exp(x) * x)(x))),
    ]
    with lw.using(backend="torch"):
        outside = lw.asarray([1.0, 2.0])
        expected = [np.asarray(f(outside)) for f in functions]
        with torch.inference_mode():
            x = lw.asarray([1.0, 2.0]) if made_inside else outside
            for _ in range(3):  # the second call of a gradient runs by a plan
                for f, e in zip(functions, expected, strict=True):
                    np.testing.assert_allclose(np.asarray(f(x)), e)
