"""`torch.compile` in PyTorch's dialect: the numbers and the gradients of the calls themselves, as two programs."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.torch as torch
from latticework.errors import TraceError
from latticework.frontends.torch import nn


class Doubled(torch.autograd.Function):
    """A function whose derivative is not that of its value."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


class Network(nn.Module):
    """Buffers, random numbers, a constant, a tied weight and a function with a derivative of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1d(3), nn.Dropout(0.5)
        self.first, self.last = nn.Linear(3, 3), nn.Linear(3, 3, bias=False)
        self.last.weight = self.first.weight

    def forward(self, x: Any, target: Any = None) -> Any:
        with torch.no_grad():
            scale = self.first.weight.abs().max()
        y = Doubled.apply(self.last(self.drop(self.first(self.norm(x)).tanh()))) * scale
        return {"y": y}, None if target is None else ((y - target) ** 2).mean()


def trained(compiled: bool) -> Any:
    """Three steps, and what they leave."""
    torch.manual_seed(1)
    model = Network()
    call = torch.compile(model, fullgraph=True) if compiled else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, target = torch.rand(4, 3), torch.rand(4, 3)
    losses = []
    for _ in range(3):
        found, loss = call(x, target=target)
        assert found["y"].requires_grad
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    call.eval()
    with torch.no_grad():
        after = call(x)[0]["y"]
    state = {name: x.detach().numpy() for name, x in model.state_dict().items()}
    return losses, after.numpy(), state, torch.rand(2).numpy()


def test_compiled_modules_train_as_they_do_by_themselves(backend: str) -> None:
    if backend == "dask":
        pytest.skip("nothing is compiled there, and each step computes its graph anew")
    own, found = trained(False), trained(True)
    np.testing.assert_allclose(found[0], own[0], rtol=2e-4)
    np.testing.assert_allclose(found[1], own[1], rtol=2e-4, atol=1e-6)
    for name, x in own[2].items():
        np.testing.assert_allclose(found[2][name], x, rtol=2e-4, atol=1e-6, err_msg=name)
    assert np.array_equal(found[3], own[3])  # the generator is where it was


def test_functions_are_compiled_with_the_modules_that_they_name() -> None:
    model, x = nn.Linear(2, 1), torch.tensor([[1.0, 2.0]], requires_grad=True)

    @torch.compile(fullgraph=True)
    def loss(x: Any, power: int = 2) -> Any:
        """Square."""
        return (model(x) ** power).sum()

    assert loss.__doc__ == "Square."
    loss(x).backward()
    grads = [x.grad.clone(), model.weight.grad.clone()]
    x.grad = model.weight.grad = None
    (model(x) ** 2).sum().backward()
    assert all(torch.allclose(a, b) for a, b in zip(grads, [x.grad, model.weight.grad], strict=True))
    assert torch.allclose(loss(x, power=3), model(x).sum() ** 3)
    with pytest.raises(RuntimeError, match="has no second derivative"):
        torch.autograd.grad(loss(x), x, create_graph=True)


def test_what_cannot_be_traced_runs_as_it_is() -> None:
    calls: list[int] = []

    def counted(x: Any) -> Any:
        calls.append(1)
        return x + 1

    def by_value(x: Any) -> Any:
        return x + 1 if x.sum() > 0 else x - 1

    x = torch.tensor([1.0, 2.0])
    compiled, branches = torch.compile(counted), torch.compile(by_value)
    for n in (1, 2, 3):
        assert torch.equal(compiled(x), x + 1)
        assert len(calls) >= n
        assert torch.equal(branches(x), x + 1) and torch.equal(branches(-x), -x - 1)
    before = len(calls)
    compiled(x)
    assert len(calls) == before + 1
    with pytest.raises(TraceError, match="asks for its value"):
        torch.compile(by_value, fullgraph=True)(x)
    with pytest.raises(RuntimeError, match="weight must have as many columns"):
        torch.compile(nn.Linear(2, 2))(torch.ones(1, 3))
    assert torch.compile(by_value, backend="eager") is by_value and torch.compile(by_value, disable=True) is by_value


def test_arguments_that_are_written_to_and_branches_by_numbers() -> None:
    @torch.compile
    def written(x: Any, by: float, *, twice: bool) -> Any:
        x.add_(by)
        return [x * 2, None] if twice else (x,)

    x = torch.zeros(2)
    assert str(written(x, 1.0, twice=True)) == "[tensor([2., 2.]), None]" and torch.equal(x, torch.ones(2))
    assert str(written(x, 2.0, twice=False)) == "(tensor([3., 3.]),)"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # in PyTorch itself
def test_a_compiled_module_is_a_module() -> None:
    theirs = pytest.importorskip("torch")
    found = []
    for t in (torch, theirs):
        model = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.Dropout())
        compiled = t.compile(model)
        compiled.eval()
        compiled.extra = 3
        found.append([
            [*compiled.state_dict()], model.training, compiled.training, model.extra, repr(compiled),
            isinstance(compiled, t.nn.Module), type(compiled).__name__, compiled._orig_mod is model,
        ])  # fmt: skip
    assert found[0] == found[1]
    again = copy.deepcopy(torch.compile(nn.Linear(2, 2)))
    assert again(torch.ones(1, 2)).shape == (1, 2)


def test_programs_of_autocast_are_others() -> None:
    model = torch.compile(nn.Linear(2, 2))
    x = torch.ones(1, 2)
    assert model(x).dtype is torch.float32
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = model(x)
    assert y.dtype is torch.bfloat16
    y.sum().backward()
    assert model.weight.grad.dtype is torch.float32


def test_draws_do_not_depend_on_what_was_called_before() -> None:
    with lw.using(backend="numpy"):
        drawn = []
        for _ in range(4):
            torch.manual_seed(0)
            nn.functional.dropout(torch.ones(5))
            drawn.append(torch.rand(1).item())
    assert len({*drawn}) == 1


class Tripled(nn.Module):
    def forward(self, x: Any) -> Any:
        return 3 * x


def parametrized(m: Any) -> None:
    nn.utils.parametrize.register_parametrization(m[0], "weight", Tripled())


def pruned(m: Any) -> None:
    nn.utils.prune.l1_unstructured(m[0], "weight", amount=0.5)


def with_forward(m: Any) -> None:
    m[2].forward = lambda x: x[:, :1] + 1


def hooked(m: Any) -> None:
    m[0].register_forward_hook(lambda module, args, out: out * 2)


#: What a program may do to a module between two calls.
CHANGES = [
    parametrized, pruned, with_forward, hooked,
    lambda m: setattr(m[1], "eps", 10.0),
    lambda m: m.__setitem__(3, nn.Tanh()),
    lambda m: m.append(nn.Sigmoid()),
    lambda m: setattr(m[2], "weight", nn.Parameter(torch.ones(4, 4))),
    lambda m: setattr(m[2], "bias", None),
    lambda m: m[1].running_mean.fill_(5.0),
    lambda m: m.double().float().train(),
]  # fmt: skip


@pytest.mark.parametrize("by", [torch.compile, lw.compile], ids=["torch.compile", "lw.compile"])
@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_in_a_module_counts_in_the_next_call(change: Any, by: Any) -> None:
    with lw.using(backend="numpy"):
        torch.manual_seed(0)
        m = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 4), nn.ReLU()).eval()
        if by is lw.compile:  # which records no tensors
            m.requires_grad_(False)
        x = torch.rand(5, 3)
        called = by(m)
        for _ in range(2):
            np.testing.assert_allclose(called(x).detach().numpy(), m(x).detach().numpy(), 1e-5, 1e-6)
        change(m)
        if by is lw.compile:
            m.requires_grad_(False)
        state = {name: value.clone() for name, value in m.state_dict().items()}  # which a call may move
        expected = m(x).detach().numpy()
        m.load_state_dict(state)
        if by is lw.compile and change is pruned:  # whose weight is computed, and kept, before each call
            with pytest.raises(TraceError, match="keeps an array that it computes"):
                called(x)
            return
        np.testing.assert_allclose(called(x).detach().numpy(), expected, 1e-5, 1e-6)
