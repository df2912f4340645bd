"""Steps of training in PyTorch's dialect: how much a step calls that was made before, and what its programs give."""

from __future__ import annotations

import math
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.torch as torch
from latticework.frontends.torch.autograd import programs as derivatives
from latticework.frontends.torch.optim import programs as updates
from latticework.frontends.torch.optim import together

nn = torch.nn

#: The most Python functions that a step of a small network enters once it was made before.
MOST = {"SGD": 560, "AdamW": 600}


def network() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))


def step_of(optimizer: str) -> Callable[[], Any]:
    module = network()
    x, y = torch.randn(5, 8), torch.randn(5, 4)
    updating = getattr(torch.optim, optimizer)(module.parameters(), lr=0.01)

    def step() -> Any:
        updating.zero_grad()
        loss = ((module(x) - y) ** 2).mean()
        loss.backward()
        updating.step()
        return loss

    return step


def frames_of(f: Callable[[], Any]) -> Counter[str]:
    """Count the Python functions of latticework that a call enters, by name."""
    found: Counter[str] = Counter()

    def see(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            file = frame.f_code.co_filename
            if "latticework" in file or file.startswith("<"):
                found[frame.f_code.co_name] += 1

    sys.setprofile(see)
    try:
        f()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("optimizer", MOST)
def test_a_warm_step_enters_few_functions_and_makes_no_plan(optimizer: str) -> None:
    step = step_of(optimizer)
    for _ in range(30):
        step()
    found = frames_of(step)
    assert not found["_resolve"] + found["specialise"] + found["specialise_named"] + found["specialise_in_place"]
    assert found.total() <= MOST[optimizer]


def test_a_module_that_is_called_again_makes_no_plan(backend: str) -> None:
    module, x = network(), torch.ones(3, 8)
    with torch.no_grad():
        for _ in range(4):
            module(x)
        assert not frames_of(lambda: module(x))["_resolve"]


def write_in_place(p: Any, g: Any) -> None:
    p.mul_(0.5)
    p.sub_(g)
    p.add_(g, alpha=-0.25)
    p.addcmul_(g, g, value=0.5)
    p.clamp_(-1, 1)


def test_writes_into_leaves_are_few_functions_and_do_what_they_do_without_a_graph() -> None:
    g, start = torch.tensor([1.0, -2.0]), [3.0, 4.0]
    p, plain = torch.tensor(start).requires_grad_(), torch.tensor(start)
    view = p.detach()
    with torch.no_grad():
        for _ in range(70):
            p.copy_(torch.tensor(start))
            write_in_place(p, g)
    write_in_place(plain, g)
    assert p.tolist() == plain.tolist() == view.tolist()
    assert p.is_leaf
    assert p.requires_grad
    with torch.no_grad():
        assert frames_of(lambda: p.sub_(g)).total() <= 40
        assert frames_of(lambda: p.mul_(0.5)).total() <= 45


# --- programs of updates ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("optimizer", "options"),
    [
        ("SGD", {"momentum": 0.9, "dampening": 0.1, "weight_decay": 0.1}),
        ("SGD", {"momentum": 0.9, "nesterov": True, "maximize": True}),
        ("Adam", {"weight_decay": 0.1, "amsgrad": True}),
        ("AdamW", {}),
        ("AdamW", {"weight_decay": 0}),
        ("NAdam", {"weight_decay": 0.1}),
        ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
        ("RAdam", {"weight_decay": 0.1, "betas": (0.9, 0.99)}),
        ("RAdam", {"decoupled_weight_decay": True, "weight_decay": 0.1}),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_program_of_an_update_gives_the_bits_of_the_update(
    optimizer: str, options: dict[str, Any], dtype: str, monkeypatch: Any
) -> None:
    def trained(before: int) -> list[Any]:
        monkeypatch.setattr(updates, "_BEFORE", before)
        monkeypatch.setattr(updates, "_programs", {})
        values = np.random.default_rng(0).normal(size=(4, 3)).astype(dtype)
        parameters = [torch.tensor(values).requires_grad_(), torch.tensor(values[:1]).requires_grad_()]
        updating = getattr(torch.optim, optimizer)(parameters, lr=0.01, **options)
        slower = torch.optim.lr_scheduler.ExponentialLR(updating, 0.9)
        for _ in range(9):
            updating.zero_grad()
            sum((torch.sin(p) * p).sum() for p in parameters).backward()
            updating.step()
            slower.step()
        ran = [run for program in updates._programs.values() for run in program.runs.values() if run]
        assert bool(ran) is (before == 0)
        state = [s.tolist() for p in parameters for s in updating.state[p].values()]
        return [[p.tolist() for p in parameters], state]

    assert trained(0) == trained(1000)


def test_a_parameter_whose_update_is_no_program_is_updated_as_before(monkeypatch: Any) -> None:
    monkeypatch.setattr(updates, "_BEFORE", 0)
    monkeypatch.setattr(updates, "_programs", {})
    x = torch.ones(2, dtype=torch.float16).requires_grad_()
    updating = torch.optim.AdamW([x], lr=torch.tensor(0.5))
    for _ in range(3):
        updating.zero_grad()
        (x * x).sum().backward()
        updating.step()
    assert not any(program.runs for program in updates._programs.values())
    assert x.dtype is torch.float16


def trained(before: int, monkeypatch: Any, step: Callable[..., None], optimizer: str = "AdamW") -> list[Any]:
    """The parameters and states after some steps, where updates are programs after so many calls."""
    monkeypatch.setattr(updates, "_BEFORE", before)
    monkeypatch.setattr(updates, "_programs", {})
    values = np.random.default_rng(0).normal(size=(6, 5)).astype("float32")
    parameters = [
        torch.tensor(v).requires_grad_() for v in (values, values[0], values[:, 1], values[1:3], values[0, 0])
    ]
    updating = getattr(torch.optim, optimizer)(parameters, lr=0.01)
    for i in range(8):
        updating.zero_grad()
        sum((torch.sin(p) * p).sum() for p in parameters).backward()
        step(i, updating, parameters)
        updating.step()
    state = [s.tolist() for p in parameters for _, s in sorted(updating.state[p].items())]
    return [[p.tolist() for p in parameters], state]


def without_a_gradient(i: int, updating: Any, parameters: Any) -> None:
    if i in (4, 6):
        parameters[i - 4].grad = None


def with_another_state(i: int, updating: Any, parameters: Any) -> None:
    if i == 4:
        updating.state[parameters[1]]["exp_avg"] = torch.ones(5)
        updating.state[parameters[2]]["exp_avg_sq"].mul_(2)
        updating.load_state_dict(updating.state_dict())
    if i == 6:
        updating.param_groups[0]["weight_decay"] = 0
        parameters[0].data = parameters[0].detach() * 2


@pytest.mark.parametrize("step", [lambda *_: None, without_a_gradient, with_another_state])
@pytest.mark.parametrize("in_blocks", [False, True])
@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_parameters_that_are_updated_together_are_as_alone(
    step: Any, in_blocks: bool, name: str, monkeypatch: Any
) -> None:
    pytest.importorskip(name)
    with lw.using(backend=name):
        alone = trained(1000, monkeypatch, step)
        if in_blocks:
            monkeypatch.setattr(together, "_SMALL", 0)
            monkeypatch.setattr(together, "LARGE", 8)
            monkeypatch.setattr(updates, "BLOCK", 8)
        assert trained(0, monkeypatch, step) == alone


def test_small_parameters_are_one_update_and_states_are_the_optimizers_own(monkeypatch: Any) -> None:
    monkeypatch.setattr(updates, "_BEFORE", 0)
    monkeypatch.setattr(updates, "_programs", {})
    parameters = [torch.ones(n + 1).requires_grad_() for n in range(9)] + [torch.ones(2000).requires_grad_()]
    first, second = (torch.optim.AdamW(parameters) for _ in range(2))

    def step(updating: Any) -> None:
        updating.zero_grad()
        sum((p * p).sum() for p in parameters).backward()
        updating.step()

    for _ in range(4):
        step(first)
    assert frames_of(first.step)["write_over"] == 2
    second.load_state_dict(first.state_dict())
    step(second)
    before = [second.state[p]["exp_avg"].tolist() for p in parameters]
    step(first)
    assert [second.state[p]["exp_avg"].tolist() for p in parameters] == before


def test_an_update_that_fails_half_way_has_changed_nothing(monkeypatch: Any) -> None:
    monkeypatch.setattr(updates, "_BEFORE", 0)
    monkeypatch.setattr(updates, "_programs", {})
    monkeypatch.setattr(together, "_ALL", 500)
    parameters = [torch.ones(n).requires_grad_() for n in (100, 400, 300, 200, 900)]  # two and two are joined
    updating = torch.optim.AdamW(parameters)

    def there() -> list[Any]:
        state = [s.tolist() for p in parameters for s in updating.state[p].values()]
        return [[p.tolist() for p in parameters], state]

    def step(size: float = 1.0) -> None:
        for p in parameters:
            p.grad = torch.full_like(p, size)
        updating.step()

    for _ in range(3):
        step()
    before = there()
    with np.errstate(over="raise"), pytest.raises((FloatingPointError, RuntimeError)):
        step(1e30)
    assert there() == before
    with monkeypatch.context() as patch, pytest.raises(MemoryError):  # of the second joined array
        concat = Mock(side_effect=[lw.ones(500), lw.ones(500), MemoryError])
        patch.setattr(together, "lw", Mock(concat=concat))
        step()
    assert concat.call_count == 3
    assert there() == before
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step(1e30)  # its square is an infinity, which is no error
    assert math.isinf(updating.state[parameters[0]]["exp_avg_sq"].max().item())
    before = there()
    parameters[1]._array._data.value.flags.writeable = False
    with pytest.raises(RuntimeError, match="must not change"):
        step()
    assert there() == before
    parameters[1]._array._data.value.flags.writeable = True
    held = next(iter(updating._held.values()))
    losses = [(p * p).sum() for p in parameters]
    held.run.function = Mock(side_effect=KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        step()
    for loss in losses:  # what may have changed is told to derivatives
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


# --- batch norm -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("options", [{}, {"momentum": None}, {"affine": False, "track_running_stats": False}])
def test_batch_norm_is_pytorch_s_beside_parameters_of_32_bits(dtype: str, options: dict[str, Any], name: str) -> None:
    theirs = pytest.importorskip("torch")

    def found(torch: Any) -> list[Any]:
        module = torch.nn.BatchNorm1d(3, **options)
        x = torch.arange(24.0).reshape(4, 3, 2).sin().to(getattr(torch, dtype)).requires_grad_()
        results = [module(x), module.eval()(x)]
        (results[0].float() ** 3).sum().backward()
        results += [x.grad, *module.state_dict().values()]
        return [(str(r.dtype), r.detach().float().tolist()) for r in results]

    wide = dtype == "float32"
    with lw.using(backend=name):
        ours = found(torch)
    for (kind, mine), (wanted, values) in zip(ours, found(theirs), strict=True):
        assert kind == wanted
        np.testing.assert_allclose(mine, values, rtol=1e-5 if wide else 0.05, atol=2e-6 if wide else 0.1)


def test_batch_norm_in_training_is_one_call_on_pytorch() -> None:
    pytest.importorskip("torch")
    with lw.using(backend="torch"):
        x = torch.arange(12.0).reshape(4, 3).requires_grad_()
        y = nn.BatchNorm1d(3, affine=False)(x)
        assert y.grad_fn.name() == "NativeBatchNormBackward0"
        y, _, _ = lw.nn.batch_norm(x._array, None, None, training=True)
        assert y.data.grad_fn.name() == "NativeBatchNormBackward0"


# --- programs of derivatives ------------------------------------------------------------------------------------------


def repeated(loss: Callable[..., Any], *values: Any, times: int = 6) -> list[list[Any]]:
    """The gradients of a loss by leaves, of each of some backward passes over new graphs of one form."""
    found = []
    for _ in range(times):
        leaves = [torch.tensor(v).requires_grad_() for v in values]
        loss(*leaves).backward()
        found.append([None if x.grad is None else x.grad.tolist() for x in leaves])
    return found


LOSSES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "a network": (
        lambda x, w: (torch.tanh(x @ w) ** 2).mean(),
        ([[1.0, 2.0]], [[0.5, -0.5], [0.25, 1.0]]),
    ),
    "one leaf": (lambda x: (x * x).sum(), ([1.0, 2.0],)),
    "a leaf alone": (lambda x: x, (3.0,)),
    "parts and lists": (
        lambda x, y: (torch.cat([x[1:], y]) * torch.stack([y[0], x[0], x[1]])).sum(), ([1.0, 2.0], [3.0, 4.0])
    ),
    "several results": (lambda x: (x.sort().values * x.max(dim=0).values).sum(), ([3.0, 1.0, 2.0],)),
    "a norm": (lambda x: nn.functional.layer_norm(x, (3,)).pow(3).sum(), ([[1.0, 2.0, 4.0]],)),
    "what is written to": (lambda x: (x * 2).mul_(3).sum(), ([1.0, 2.0],)),
    "a mask": (lambda x: x[x > 1].sum(), ([1.0, 2.0, 3.0],)),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_the_program_of_a_derivative_gives_the_bits_of_the_rules(name: str, backend: str) -> None:
    loss, values = LOSSES[name]
    found = repeated(loss, *values, times=derivatives._BEFORE + 3)
    assert all(each == found[0] for each in found)


def test_a_graph_that_comes_again_runs_as_a_program_with_its_own_constants(monkeypatch: Any) -> None:
    monkeypatch.setattr(derivatives, "_forms", {})
    found = repeated(lambda x: (torch.sin(x) * 2.0).sum(), [0.5, 1.0])
    (program,) = derivatives._forms.values()
    assert callable(program)
    assert found[0] == found[-1]
    for factor in (3.0, 0.0, -0.0):
        found = repeated(lambda x, factor=factor: (x * factor).sum(), [0.5], times=5)
        assert math.copysign(1, found[-1][0][0]) == math.copysign(1, found[0][0][0])
        assert found[-1] == [[factor]]


def test_hooks_are_called_and_errors_raised_where_a_graph_has_a_program() -> None:
    def loss(x: Any, hook: Any = None) -> Any:
        y = torch.exp(x)
        if hook is not None:
            y.register_hook(hook)
        return (y * y).sum()

    repeated(loss, [0.0, 1.0])
    assert repeated(lambda x: loss(x, lambda g: g * 0), [0.0, 1.0], times=1) == [[[0.0, 0.0]]]
    x = torch.tensor([0.0, 1.0]).requires_grad_()
    y = torch.exp(x)
    z = (y * y).sum()
    with torch.no_grad():
        y.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()
    total = loss(x)
    total.backward(retain_graph=True)
    total.backward()
    with pytest.raises(RuntimeError, match="second time"):
        total.backward()
    assert x.grad.tolist() == pytest.approx([4.0, 4 * math.exp(2)])


@pytest.mark.parametrize("before", [0, 100])
def test_a_loss_from_before_an_update_has_no_derivative_after_it(
    backend: str, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By programs of updates and without them."""
    monkeypatch.setattr(updates, "_BEFORE", before)
    monkeypatch.setattr(updates, "_programs", {})
    parameters = [torch.nn.Parameter(torch.ones(*shape)) for shape in ((2, 2), (3,), ())]
    optimizer = torch.optim.AdamW(parameters)
    for _ in range(4):
        optimizer.zero_grad()
        sum((p * p).sum() for p in parameters).backward()
        optimizer.step()
    for p in parameters:
        loss = (p * p).sum()
        optimizer.step()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


def test_a_program_keeps_no_array_of_the_step_that_it_was_traced_in(monkeypatch: Any) -> None:
    from weakref import ref

    monkeypatch.setattr(derivatives, "_forms", {})
    kept: list[Any] = []

    def loss(x: Any) -> Any:
        y = torch.exp(x)
        kept.append(ref(y.detach()._array._data))
        return (y * y).sum()

    repeated(loss, [0.0, 1.0])
    assert all(each() is None for each in kept)


def test_pieces_have_one_derivative_on_pytorch() -> None:
    pytest.importorskip("torch")
    with lw.using(backend="torch"):
        x = torch.arange(12.0).reshape(2, 6).requires_grad_()
        pieces = x.chunk(3, dim=1)
        (pieces[0] * pieces[1] + pieces[2]).sum().backward()
        assert len({p.grad_fn for p in pieces}) == 1
        assert x.grad.tolist() == [[2.0, 3.0, 0.0, 1.0, 1.0, 1.0], [8.0, 9.0, 6.0, 7.0, 1.0, 1.0]]


def test_graphs_of_batch_norm_have_derivatives_by_computed_statistics() -> None:
    pytest.importorskip("torch")
    with lw.using(backend="torch"):
        x = lw.reshape(lw.sin(lw.arange(24, dtype="float64")), (4, 3, 2))

        def loss(x: Any) -> Any:
            mean, var = lw.mean(x, axis=(0, 2)), lw.var(x, axis=(0, 2))
            return lw.sum(lw.nn.batch_norm(x, mean, var, var, mean) ** 3)

        wanted = np.asarray(lw.grad(loss)(x))
        for found in (lw.grad(lw.trace(loss, x))(x), lw.compile(lw.grad(loss))(x)):
            np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-12, atol=1e-12)
