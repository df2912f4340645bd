"""PyTorch's dialect where a sample beside PyTorch says too little: random numbers, memory, pickles, traces, GPUs."""

from __future__ import annotations

import copy
import importlib
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.torch as torch
from latticework.frontends.torch import coverage


def test_random_numbers_are_of_their_distribution() -> None:
    torch.manual_seed(0)
    n = 20_000
    draws: list[tuple[Any, float, float]] = [
        (torch.rand(n), 0.5, 1 / 12),
        (torch.randn(n), 0.0, 1.0),
        (torch.empty(n).uniform_(-1, 3), 1.0, 16 / 12),
        (torch.empty(n).normal_(2.0, 3.0), 2.0, 9.0),
        (torch.empty(n).exponential_(2.0), 0.5, 0.25),
        (torch.empty(n).bernoulli_(0.25), 0.25, 0.1875),
        (torch.empty(n).geometric_(0.5), 2.0, 2.0),
        (torch.empty(n).log_normal_(0.0, 0.5), np.exp(0.125), (np.exp(0.25) - 1) * np.exp(0.25)),
        (torch.randint(-2, 3, (n,)).float(), 0.0, 2.0),
        (torch.poisson(torch.full((n,), 3.0)), 3.0, 3.0),
        (torch.binomial(torch.full((n,), 8.0), torch.full((n,), 0.5)), 4.0, 2.0),
        (torch.normal(torch.full((n,), 5.0), 0.5), 5.0, 0.25),
        (torch.randn(n, dtype=torch.complex64).abs() ** 2, 1.0, 1.0),
    ]
    for x, mean, variance in draws:
        values = np.asarray(x).astype(np.float64)
        error = 6 * (variance / n) ** 0.5
        assert abs(values.mean() - mean) < error, (values.mean(), mean)
        assert abs(values.var() - variance) < 0.15 * variance + 1e-3, (values.var(), variance)
    assert sorted(torch.randperm(9).tolist()) == list(range(9))
    assert set(torch.randint(3, (500,)).tolist()) == {0, 1, 2}


def test_multinomial_draws_by_weight() -> None:
    torch.manual_seed(1)
    weights = torch.tensor([[0.0, 1.0, 3.0], [2.0, 2.0, 0.0]])
    drawn = np.asarray(torch.multinomial(weights, 4000, replacement=True))
    assert 0 not in drawn[0]
    assert abs((drawn[0] == 2).mean() - 0.75) < 0.05
    assert 2 not in drawn[1]
    without = np.asarray(torch.multinomial(weights + 1, 3))
    assert [sorted(row) for row in without.tolist()] == [[0, 1, 2], [0, 1, 2]]


def test_a_seed_repeats_the_numbers_and_generators_are_apart() -> None:
    first, second = torch.Generator().manual_seed(3), torch.Generator().manual_seed(3)
    a, b = torch.rand(4, generator=first), torch.rand(4, generator=first)
    assert not torch.equal(a, b)
    assert torch.equal(torch.rand(4, generator=second), a)
    state = first.get_state()
    c = torch.randn(2, generator=first)
    first.set_state(state)
    assert torch.equal(torch.randn(2, generator=first), c)


def test_a_tensor_of_an_array_shares_its_memory() -> None:
    a = np.zeros(3)
    t = torch.from_numpy(a)
    t += 1
    t[0] = 5
    assert a.tolist() == [5, 1, 1]
    assert np.shares_memory(t.numpy(), a)


def test_a_detached_tensor_is_written_to_with_its_source(backend: str) -> None:
    x = torch.zeros(2)
    y = x.detach()
    y.add_(1)
    assert x.tolist() == [1, 1]


def test_tensors_and_dtypes_are_pickled_and_copied() -> None:
    x = torch.arange(4).view(2, 2)
    for y in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
        assert type(y) is torch.Tensor
        assert torch.equal(x, y)
    y.zero_()
    assert x.sum().item() == 6
    assert pickle.loads(pickle.dumps(torch.float32)) is torch.float32
    assert pickle.loads(pickle.dumps(torch.device("cuda:1"))) == torch.device("cuda", 1)


def test_contexts_are_decorators_too() -> None:
    @torch.no_grad()
    def f(x: Any) -> Any:
        return x + 1

    @torch.inference_mode
    def g(x: Any) -> Any:
        return x + 2

    with torch.no_grad(), torch.set_grad_enabled(False), torch.enable_grad():
        assert f(torch.zeros(1)).item() == 1
    assert g(torch.zeros(1)).item() == 2


def test_a_refused_call_stays_refused_after_others_of_the_same_kernel() -> None:
    x = torch.ones(2)
    torch.clamp(x, 0, 1)
    for _ in range(2):
        with pytest.raises(TypeError, match="must be Tensor"):
            torch.maximum(x, 1)
    for _ in range(2):
        with pytest.raises(NotImplementedError, match="no kernel"):
            torch.ceil(torch.ones(2, dtype=torch.bool))


def test_a_function_of_the_dialect_is_traced() -> None:
    def f(x: Any, i: Any) -> Any:
        y = torch.softmax(x.view(2, 3).transpose(0, 1) * 2, dim=-1)
        y[0] = 0
        return y.gather(0, i).clamp(max=0.5).sum(dim=1, keepdim=True)

    x, i = torch.arange(6).float(), torch.tensor([[0, 2], [1, 1]])
    graph = lw.trace(f, x, i)
    found = lw.compile(f)(x, i)
    assert "latticework" not in graph.source
    assert type(found) is torch.Tensor
    assert torch.allclose(found, f(x, i))


def test_what_is_absent_is_not_there() -> None:
    assert coverage.ABSENT
    for names in coverage.ABSENT:
        for name in names.split(", "):
            owner: Any = torch
            for part in name.removeprefix("torch.").split("."):
                owner = getattr(owner, part, None)
            assert owner is None, name
    assert all(coverage.DIFFERENCES.values())
    for name, why in (
        ("sparse_csr_tensor", "Arrays are dense"), ("onnx.register_custom_op_symbolic", "Parts of PyTorch's own"),
    ):  # fmt: skip
        module, _, last = f"latticework.frontends.torch.{name}".rpartition(".")
        with pytest.raises(AttributeError, match=rf"torch\.{name}: .* has no such name\. {why}"):
            getattr(importlib.import_module(module), last)


@pytest.mark.filterwarnings("ignore:__array_wrap__")  # of the real PyTorch
def test_numpy_s_functions_take_tensors(backend: str) -> None:
    real = pytest.importorskip("torch")
    for f in (np.sin, np.isnan, np.square, lambda x: np.add(x, np.ones(2)), lambda x: np.float32(2) * x):
        theirs = f(real.tensor([1.0, 2.0]))
        with lw.using(backend=backend):
            mine = f(torch.tensor([1.0, 2.0]))
        assert type(mine) is torch.Tensor
        assert str(mine.dtype) == str(theirs.dtype)
        np.testing.assert_allclose(np.asarray(mine), theirs.numpy(), rtol=1e-6)


_OPERATORS = "add sub mul truediv floordiv mod pow eq lt ge and_ lshift".split()


@pytest.mark.filterwarnings("ignore")  # of the real PyTorch, and of NumPy about complex numbers
@pytest.mark.parametrize("dtype", ["bool", "int32", "float32"])
def test_operators_take_numpy_s_scalars_and_arrays(backend: str, dtype: str) -> None:
    """A scalar is a number, of an array NumPy's operator makes the tensor: the same dtypes, values and refusals."""
    real = pytest.importorskip("torch")

    def outcome(f: Callable[[Any, Any], Any], *operands: Any) -> Any:
        try:
            found = f(*operands)
        except Exception as error:  # PyTorch raises now the one and now the other for a dtype
            return "refused" if isinstance(error, (TypeError, RuntimeError, ValueError)) else type(error).__name__
        return str(getattr(found, "dtype", type(found))), np.asarray(found).tolist()

    if backend not in ("numpy", "torch"):
        return  # what a scalar is, is told before the backend is met
    differ = []
    with lw.using(backend=backend):
        for shape in ((2,), ()):
            theirs = real.ones(shape, dtype=getattr(real, dtype))
            mine = torch.ones(shape, dtype=getattr(torch, dtype))
            for other in "bool int8 float32 float64 complex128".split():
                one = np.dtype(other).type(2)
                for y in (one, np.asarray(one), np.full((1, 2), one)):
                    for name in _OPERATORS:
                        f = getattr(operator, name)
                        for expected, found in (
                            (outcome(f, theirs, y), outcome(f, mine, y)), (outcome(f, y, theirs), outcome(f, y, mine)),
                        ):  # fmt: skip
                            if found != expected and expected != "refused":
                                differ.append((name, other, y.shape, shape, expected, found))
    assert differ[:5] == []


def test_legacy_constructors_take_numpy_s_arrays() -> None:
    assert torch.FloatTensor(np.ones(2)).dtype == torch.float32
    assert torch.Tensor(np.arange(3)).dtype == torch.float32
    assert torch.LongTensor(np.array([1.5, 2.0])).tolist() == [1, 2]


def test_a_view_that_leaves_the_shape_is_another_tensor(backend: str) -> None:
    for data, view, change in (
        ([[1.0, 2.0], [3.0, 4.0]], torch.squeeze, lambda x: x.unsqueeze_(0)),
        ([1.0, 2.0], torch.t, lambda x: x.unsqueeze_(1)),
        (1.0, lambda x: x.transpose(0, 0), lambda x: x.unsqueeze_(0)),
    ):
        for _ in range(2):  # the second call may find a kernel
            x = torch.tensor(data)
            y = view(x)
            y += 1
            change(y)
            assert (x - 1).tolist() == torch.tensor(data).tolist()
            assert y.ndim == x.ndim + 1


#: What writes to elements of x, a tensor of three.
WRITES = (
    "x[0].zero_()", "x[0, ...].zero_()", "x[-1].add_(1)", "x.select(0, 1).zero_()", "x.unbind()[0].zero_()",
    "list(x)[0].fill_(3)", "x.view(3)[1].zero_()", "x[None][0, 1].zero_()", "x[0:1][0].zero_()",
    "x.data[1].zero_()", "x.reshape(3, 1)[0, 0].zero_()", "x.split(1)[0].zero_()", "x.squeeze()[2].zero_()",
    "x.unfold(0, 1, 1)[0].zero_()",
)  # fmt: skip


def test_a_write_to_an_element_is_seen_by_the_tensor_or_refused(backend: str) -> None:
    native = pytest.importorskip("torch")
    for write in WRITES:
        for _ in range(2):  # the second call may find a kernel
            x, real = torch.arange(1.0, 4.0), native.arange(1.0, 4.0)
            exec(write, {"x": real})
            refused = backend == "numpy" and "unfold" in write
            try:
                exec(write, {"x": x})
            except RuntimeError:
                assert refused, write
                assert x.tolist() == [1.0, 2.0, 3.0]
            else:
                assert not refused, write
                assert x.tolist() == real.tolist()


def test_an_element_that_was_read_changes_with_its_tensor(backend: str) -> None:
    x = torch.ones(3)
    element = x[0]
    x[0] = 7.0
    assert float(element) == 7.0
    total = x[0] + x[1]
    total += 1.0  # of its own memory
    assert (float(total), x.tolist()) == (9.0, [7.0, 1.0, 1.0])


def test_the_data_of_a_tensor_can_be_that_of_another(backend: str) -> None:
    for _ in range(2):
        x, y = torch.ones(2), torch.arange(3.0)
        alias = x.detach()
        x.data = y
        y[0] = 9.0
        assert (x.tolist(), alias.tolist()) == ([9.0, 1.0, 2.0], [1.0, 1.0])
        x.data -= 1.0  # as an optimizer of one's own does
        assert x.tolist() == y.tolist() == [8.0, 0.0, 1.0]
        x.data = x.data * 0.5
        assert (x.tolist(), y.tolist()) == ([4.0, 0.0, 0.5], [8.0, 0.0, 1.0])
        with pytest.raises(TypeError, match="got float"):
            x.data = 3.0


def test_a_detached_tensor_is_a_constant_of_derivatives(backend: str) -> None:
    x = torch.tensor([1.0, 2.0])
    for f in (lambda x: x.detach() * x, lambda x: torch.detach(x) * x, lambda x: x.data * x):
        assert torch.func.grad(lambda x, f=f: f(x).sum())(x).tolist() == [1.0, 2.0]
    assert torch.func.grad(lambda x: (x[0].squeeze() * x[1].transpose(0, 0)).sum())(x).tolist() == [2.0, 1.0]
    x.detach().mul_(3)
    assert x.tolist() == [3.0, 6.0]
