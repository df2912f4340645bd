"""`torch.compile` in PyTorch's dialect: the numbers and the gradients of the calls themselves, as two programs."""

from __future__ import annotations

import copy
import sys
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


@pytest.mark.needs("jax")
def test_a_function_that_is_disabled_is_called_in_each_call() -> None:
    seen: list[bool] = []
    disabled = torch.compiler.disable(lambda x: seen.append(torch.compiler.is_compiling()) or x + 1, reason="it counts")

    def f(x: Any) -> Any:
        return disabled(x) * 2

    with lw.using(backend="jax"):
        compiled, x = torch.compile(f), torch.ones(2)
        assert [compiled(x).tolist() for _ in range(2)] == [[4.0, 4.0]] * 2
        assert seen == [False, False]
        with pytest.raises(TraceError, match="not compiled: it counts"):
            torch.compile(f, fullgraph=True)(x)
        traced = torch.compile(lambda x: x + torch.compiler.is_compiling())
        assert [traced(x).tolist(), torch.compiler.reset(), traced(x).tolist()] == [[2.0, 2.0], None, [2.0, 2.0]]


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


# --- whole steps ------------------------------------------------------------------------------------------------------

F = nn.functional

#: The network, the class of the optimizer and its options, and whether gradients are clipped.
STEPS = {
    "SGD": ("plain", "SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, False),
    "AdamW": ("plain", "AdamW", {}, True),
    "Adamax": ("plain", "Adamax", {}, False),
    "NAdam": ("plain", "NAdam", {"weight_decay": 0.1}, False),
    "RAdam": ("plain", "RAdam", {"betas": (0.9, 0.99)}, False),
    "dropout and batch norm": ("layers", "Adam", {"amsgrad": True}, True),
}


def network_for(kind: str) -> Any:
    if kind == "plain":
        return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    return nn.Sequential(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4), nn.Tanh(), nn.Dropout(0.3), nn.Linear(4, 2))


def batch(i: int) -> tuple[Any, Any]:
    dice = np.random.default_rng(i)
    return torch.tensor(dice.normal(size=(6, 3)).astype("f4")), torch.tensor(dice.normal(size=(6, 2)).astype("f4"))


class Training:
    """A model with its optimizer, a step, and what is there after some calls of it.

    Parameters
    ----------
    change: is called before each step with the training and the number of the step.
    """

    def __init__(
        self, kind: str, optimizer: str, options: dict[str, Any], clip: bool = False, change: Any = None
    ) -> None:
        torch.manual_seed(1)
        self.model, self.change = network_for(kind), change
        self.optimizer = getattr(torch.optim, optimizer)(self.model.parameters(), lr=0.05, **options)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, 0.7)
        self.clip = clip

    def step(self, x: Any, y: Any) -> Any:
        loss = F.mse_loss(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        if self.clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), 0.1)
        self.optimizer.step()
        return loss

    def after(self, count: int, call: Any = None) -> dict[str, Any]:
        call = call or self.step
        torch.manual_seed(2)
        losses = []
        for i in range(count):
            if self.change is not None:
                self.change(self, i)
            losses.append(call(*batch(i)).tolist())
            self.scheduler.step()
        found = {"losses": losses, "draw": torch.rand(1).tolist(), **self.model.state_dict()}
        found |= {f"{n}.grad": p.grad for n, p in self.model.named_parameters()}
        state = [s for entries in self.optimizer.state.values() for s in entries.values()]
        return found | {f"state {i}": s for i, s in enumerate(state)}


def check_alike(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert [*found] == [*expected]
    for name, x in expected.items():
        if x is None:
            assert found[name] is None, name
            continue
        own, other = [np.asarray(a.detach().numpy() if type(a) is torch.Tensor else a) for a in (found[name], x)]
        np.testing.assert_allclose(own, other, rtol=1e-3, atol=1e-5, err_msg=name)


def plain(found: dict[str, Any]) -> dict[str, Any]:
    return {n: x.detach().numpy() if type(x) is torch.Tensor else x for n, x in found.items()}


def programs_of(call: Any) -> list[int]:
    """Return how many programs there are for each kind of arguments."""
    return [len(programs) for programs in call.func.__self__.steps.kinds.values()]


@pytest.mark.parametrize("name", STEPS)
def test_a_whole_step_is_one_program_and_leaves_what_the_step_leaves(name: str, backend: str) -> None:
    if backend == "dask":
        pytest.skip("a step runs as it is there")
    compiled = Training(*STEPS[name])
    call = torch.compile(compiled.step)
    found, expected = compiled.after(7, call), Training(*STEPS[name]).after(7)
    check_alike(found, expected)
    if backend == "numpy":  # to the last bit
        assert all(x is None or np.array_equal(x, plain(expected)[n]) for n, x in plain(found).items())
    if backend != "torch":
        assert programs_of(call) == [1]


def swapped(t: Any, i: int) -> None:
    if i == 3:
        t.model[1] = nn.ReLU()


def hooked_later(t: Any, i: int) -> None:
    if i == 3:
        t.model[0].register_forward_hook(lambda module, args, out: out * 2)


def evaluated(t: Any, i: int) -> None:
    t.model.train(i % 4 < 2)


def frozen(t: Any, i: int) -> None:
    t.model[0].weight.requires_grad_(i < 2 or i > 4)


def with_group(t: Any, i: int) -> None:
    if i == 3:
        t.model.register_parameter("more", nn.Parameter(torch.ones(2)))
        t.optimizer.add_param_group({"params": [t.model.more], "lr": 0.2})


def decayed(t: Any, i: int) -> None:
    if i == 3:
        t.optimizer.param_groups[0]["weight_decay"] = 0.5


def loaded(t: Any, i: int) -> None:
    if i == 3:
        t.optimizer.load_state_dict(copy.deepcopy(t.optimizer.state_dict()))
        t.model.load_state_dict({name: x * 0.5 for name, x in t.model.state_dict().items()})


def replaced(t: Any, i: int) -> None:
    if i == 3:
        t.model[2].weight = nn.Parameter(torch.ones(2, 4))


def hooked_optimizer(t: Any, i: int) -> None:
    def without_bias(*args: Any) -> None:
        t.model[0].bias.grad.zero_()

    if i == 3:
        t.optimizer.register_step_pre_hook(without_bias)


def hooked_tensor(t: Any, i: int) -> None:
    if i == 3:
        t.model[0].weight.register_hook(lambda g: g * 0.5)


@pytest.mark.parametrize(
    "change",
    [swapped, hooked_later, evaluated, frozen, with_group, decayed, loaded, replaced, hooked_optimizer, hooked_tensor],
)
def test_what_changes_between_two_steps_counts(change: Any) -> None:
    with lw.using(backend="numpy"):
        kind = "layers" if change is evaluated else "plain"
        compiled, own = [Training(kind, "AdamW", {}, change=change) for _ in range(2)]
        call = torch.compile(compiled.step)
        check_alike(compiled.after(7, call), own.after(7))
        assert 1 <= programs_of(call)[0] <= (5 if change is frozen else 3)


def test_options_that_schedulers_move_are_inputs() -> None:
    with lw.using(backend="numpy"):
        found = []
        for by in (torch.compile, lambda f: f):
            t = Training("plain", "Adam", {})
            t.scheduler = torch.optim.lr_scheduler.OneCycleLR(t.optimizer, 0.1, total_steps=20)
            call = by(t.step)
            found.append(t.after(8, call))
        check_alike(*found)
        t = Training("plain", "Adam", {})
        call = torch.compile(t.step)
        t.scheduler = torch.optim.lr_scheduler.OneCycleLR(t.optimizer, 0.1, total_steps=20)
        t.after(8, call)
        assert programs_of(call) == [2]  # the second has the moments as inputs, too


def in_parts(t: Any, by: Any) -> Any:
    """Accumulated gradients: the optimizer comes in each second call."""

    def step(x: Any, y: Any, last: bool) -> Any:
        loss = F.mse_loss(t.model(x), y) / 2
        loss.backward()
        if last:
            t.optimizer.step()
            t.optimizer.zero_grad()
        return loss

    run, calls = by(step), iter(range(100))
    return lambda x, y: run(x, y, next(calls) % 2 == 0)


def optimizer_alone(t: Any, by: Any) -> Any:
    run = by(t.optimizer.step)

    def step(x: Any, y: Any) -> Any:
        t.optimizer.zero_grad()
        loss = F.mse_loss(t.model(x), y)
        loss.backward()
        run()
        return loss

    return step


def with_closure(t: Any, by: Any) -> Any:
    def step(x: Any, y: Any) -> Any:
        def closure() -> Any:
            t.optimizer.zero_grad()
            loss = F.mse_loss(t.model(x), y)
            loss.backward()
            return loss

        return t.optimizer.step(closure)

    return by(step)


def with_scheduler(t: Any, by: Any) -> Any:
    scheduler = torch.optim.lr_scheduler.StepLR(t.optimizer, 2, 0.1)

    def step(x: Any, y: Any) -> Any:
        loss = t.step(x, y)
        scheduler.step()
        return loss

    return by(step)


def with_attribute(t: Any, by: Any) -> Any:
    """An attribute that each call binds to another tensor."""
    t.mean = torch.zeros(())

    def step(x: Any, y: Any) -> Any:
        loss = t.step(x, y)
        t.mean = t.mean * 0.9 + loss.detach() * 0.1
        return t.mean

    return by(step)


def with_views(t: Any, by: Any) -> Any:
    """A view of a parameter, which has its new elements after each step."""
    view, step = t.model[0].weight.detach()[0], by(t.step)

    def call(x: Any, y: Any) -> Any:
        step(x, y)
        return view.clone()

    return call


def with_zeros(t: Any, by: Any) -> Any:
    """Gradients that are set to zeros, clipped by their elements, and gone at the end."""

    def step(x: Any, y: Any) -> Any:
        t.optimizer.zero_grad(set_to_none=False)
        loss = F.mse_loss(t.model(x), y)
        loss.backward()
        nn.utils.clip_grad_value_(t.model.parameters(), 0.01)
        t.optimizer.step()
        return loss

    return by(step)


class Own(torch.optim.Optimizer):
    """An optimizer of a program's own, which writes into its state."""

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["mean"] = torch.zeros_like(p)
                state["mean"].mul_(0.9).add_(p.grad)
                p -= group["lr"] * state["mean"]


def with_own_optimizer(t: Any, by: Any) -> Any:
    t.optimizer = Own(t.model.parameters(), {"lr": 0.05})
    t.scheduler = torch.optim.lr_scheduler.ExponentialLR(t.optimizer, 0.7)
    return by(t.step)


@pytest.mark.parametrize(
    "made",
    [
        in_parts, optimizer_alone, with_closure, with_scheduler, with_attribute, with_views, with_zeros,
        with_own_optimizer,
    ],
)  # fmt: skip
@pytest.mark.parametrize("on", ["numpy", "jax"])
def test_steps_as_people_write_them(made: Any, on: str) -> None:
    pytest.importorskip(on)
    with lw.using(backend=on):
        compiled: list[Any] = []

        def by(f: Any) -> Any:
            compiled.append(torch.compile(f))
            return compiled[-1]

        trainings = [Training("plain", "AdamW", {}) for _ in range(2)]
        check_alike(
            trainings[0].after(6, made(trainings[0], by)), trainings[1].after(6, made(trainings[1], lambda f: f))
        )
        assert sum(programs_of(compiled[0])) >= 1
        assert not compiled[0].func.__self__.steps.refused


def test_what_a_step_gives() -> None:
    with lw.using(backend="numpy"):
        t = Training("plain", "SGD", {})

        @torch.compile
        def step(x: Any, y: Any) -> Any:
            found = t.model(x)
            loss = F.mse_loss(found, y)
            t.optimizer.zero_grad()
            loss.backward()
            t.optimizer.step()
            return {"loss": loss, "all": (found, x, t.model[0].weight), "lr": t.optimizer.param_groups[0]["lr"]}

        for i in range(4):
            x, y = batch(i)
            t.optimizer.param_groups[0]["lr"] = rate = 0.1 / (i + 1)
            gradient = t.model[0].weight.grad
            before = None if gradient is None else gradient.clone()
            given = step(x, y)
            assert given["lr"] == rate and type(given["lr"]) is float
            assert given["loss"].requires_grad and not given["loss"].is_leaf and given["all"][0].requires_grad
            assert given["all"][1] is x and given["all"][2] is t.model[0].weight
            with pytest.raises(RuntimeError, match="second time"):
                given["loss"].backward()
            if before is not None:  # a step makes gradients anew
                assert torch.equal(gradient, before) and t.model[0].weight.grad is not gradient
        assert programs_of(step) == [1]


def test_a_step_that_ends_with_an_error_has_changed_nothing() -> None:
    with lw.using(backend="numpy"):
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

        @torch.compile
        def step(x: Any, y: Any) -> Any:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return loss

        x, y = torch.rand(5, 3), torch.tensor([0, 1, 2, 3, 0])
        for _ in range(3):
            step(x, y)
        before = {name: v.clone() for name, v in model.state_dict().items()}
        gradients = [p.grad for p in model.parameters()]
        with pytest.raises((IndexError, RuntimeError)):
            step(x, y + 3)
        assert all(torch.equal(v, before[name]) for name, v in model.state_dict().items())
        assert all(p.grad is g for p, g in zip(model.parameters(), gradients, strict=True))
        assert programs_of(step) == [1]


def asks(t: Any, loss: Any) -> Any:
    return loss.item()


def branches(t: Any, loss: Any) -> Any:
    return loss if loss > 0.5 else loss * 2


def prints(t: Any, loss: Any) -> Any:
    sys.stdout.write(str(loss))


def counts(t: Any, loss: Any) -> Any:
    t.count = getattr(t, "count", 0) + 1
    return t.count


def appends(t: Any, loss: Any) -> Any:
    t.seen.append(loss)
    return len(t.seen)


@pytest.mark.parametrize("part", [asks, branches, prints, counts, appends])
def test_steps_that_cannot_be_recorded_run_as_they_are(part: Any) -> None:
    with lw.using(backend="numpy"):
        found = []
        for by in (torch.compile, lambda f: f, lambda f: torch.compile(f, fullgraph=True)):
            t: Any = Training("plain", "SGD", {"momentum": 0.9})
            t.seen = []
            step = by(lambda x, y, t=t: part(t, t.step(x, y)))
            if len(found) == 2:
                with pytest.raises(TraceError, match="asks for its value|changes"):
                    step(*batch(0))
                continue
            results = [step(*batch(i)) for i in range(4)]
            found.append({**t.model.state_dict(), "results": [0 if r is None else float(r) for r in results]})
        check_alike(*found)


def test_steps_of_other_shapes_and_of_tied_weights() -> None:
    with lw.using(backend="numpy"):
        found = []
        for by in (torch.compile, lambda f: f):
            torch.manual_seed(1)
            model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 2))
            model[1].weight = model[0].weight
            optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

            def step(x: Any, y: Any, model: Any = model, optimizer: Any = optimizer) -> Any:
                optimizer.zero_grad()
                loss = F.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
                return loss

            call, losses = by(step), []
            for i in range(8):
                if i == 5:  # the other name of the weight
                    model[1].weight = nn.Parameter(torch.ones(3, 3))
                losses.append(call(*[x[: 3 + i % 2] for x in batch(i)]).tolist())
            found.append({"losses": losses, **model.state_dict()})
        check_alike(*found)
