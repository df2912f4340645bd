"""What tracing does on PyTorch alone: numbers as tensors, operators, and blocks, with the same bits and derivatives."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.tracing.tracer import trace

torch = pytest.importorskip("torch")

NUMBERS = [2, 3, -1, 100, 0.5, 0.1, -0.0, 1e-8, 1e-40, 3e38, float("inf"), float("nan"), 10**9, 2**40]
OPERATIONS: list[Callable[[Any, Any], Any]] = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.le, operator.gt, operator.ge,
    operator.eq, operator.ne, lambda x, s: s - x, lambda x, s: s * x, lambda x, s: s + x, lambda x, s: s > x,
    lambda x, s: x**2 + s, lambda x, s: -x * s - -x, lambda x, s: (x - s) / (x + s),
]  # fmt: skip
VALUES = [0.0, -0.0, 1.0, -2.5, 1e-40, 3e38, 7.0, float("inf"), -float("inf"), float("nan"), 0.1]


@pytest.fixture(autouse=True)
def on_torch() -> Iterator[None]:
    with lw.using(backend="torch"):
        yield


def bits(x: Any) -> tuple[Any, tuple[int, ...], bytes]:
    x = x.data if isinstance(x, lw.Array) else x
    x = x.detach().contiguous()
    return x.dtype, tuple(x.shape), x.reshape(-1).view(torch.uint8).numpy().tobytes()


def values(dtype: lw.Dtype, n: int) -> lw.Array:
    dice = np.random.default_rng(n)
    found = dice.choice(VALUES, n) if dtype.kind == "f" else dice.integers(0, 100, n)
    return lw.astype(lw.asarray(found, dtype="float64"), dtype)


@pytest.mark.parametrize("name", "float32 float64 bfloat16 int32 uint8 bool".split())
def test_numbers_become_tensors_without_changing_a_bit_or_a_dtype(name: str) -> None:
    changed = 0
    for operation in OPERATIONS:
        for s in NUMBERS:
            for shape in ((), (67,)):
                x = lw.reshape(values(getattr(lw, name), int(np.prod(shape))), shape)
                try:
                    expected = operation(x, s)
                except Exception as error:
                    with pytest.raises(type(error)):
                        lw.trace(lambda x, f=operation, s=s: f(x, s), x)
                    continue
                graph = lw.trace(lambda x, f=operation, s=s: f(x, s), x)
                changed += dict(graph.passes)["scalars"]
                assert bits(graph(x)) == bits(expected), (operation, s, graph.source)
    assert (changed > 0) == (name != "bfloat16")


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")  # of PyTorch's own, in torch.func.jvp
def test_derivatives_are_the_same_with_numbers_as_tensors() -> None:
    for operation in OPERATIONS[:4] + OPERATIONS[10:13] + OPERATIONS[14:]:
        for s in (0.1, -3, 1e-8):

            def program(x: Any, f: Any = operation, s: Any = s) -> Any:
                return lw.exp(f(x, s)) * s

            x = values(lw.float32, 67)
            plain, simplified = (trace(program, (x,), {}, passes).function for passes in ((), ("squares", "scalars")))
            found = []
            for f in (plain, simplified):
                y = x.data.clone().requires_grad_()
                (first,) = torch.autograd.grad(f(y).sum(), y, create_graph=True)
                second = torch.autograd.grad(first.sum(), y)[0] if first.requires_grad else first
                forward = torch.func.jvp(f, (x.data,), (torch.ones(67),))[1]
                found.append([bits(z) for z in (first, second, forward, torch.vmap(f)(x.data))])
            assert found[0] == found[1], (operation, s)


def test_what_is_traced_inside_of_inference_and_of_a_derivative_can_be_derived_later() -> None:
    def program(x: Any) -> Any:
        return 1 / x + x * 0.3

    x = torch.tensor([1.0, 2.0, 4.0])
    expected = bits(-1 / x**2 + 0.3)
    compiled = lw.compile(program)
    with torch.inference_mode():
        compiled(lw.asarray(x))
    y = x.clone().requires_grad_()
    assert bits(torch.autograd.grad(compiled(lw.asarray(y)).data.sum(), y)[0]) == expected
    compiled = lw.compile(program)
    for _ in range(2):
        assert bits(torch.func.grad(lambda x: compiled(lw.asarray(x)).data.sum())(x)) == expected
    held = [c for c in compiled.compiled.graphs[0].body.spelling.namespace.values() if isinstance(c, torch.Tensor)]
    assert held
    assert not any(torch._C._functorch.is_functorch_wrapped_tensor(c) for c in held)


def test_the_source_has_operators() -> None:
    def program(x: Any, w: Any) -> Any:
        return lw.exp(-(x**2) * 0.5) @ w > 1 - x

    source = lw.trace(program, lw.ones((2, 2)), lw.ones((2, 2))).source
    assert "    t = torch.exp((-torch.square(x)) * c_0_5) @ w\n    t_2 = t > (c_1_0 - x)\n" in source
