"""Optimizers in PyTorch's dialect: they update as PyTorch's own do, on the same gradients, on every backend."""

from __future__ import annotations

import copy
import importlib
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import latticework.frontends.torch as ours

theirs = pytest.importorskip("torch")

Program = Callable[[Any], Any]

#: An optimizer, and options of it.
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.2, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}),
    ("Adam", {"lr": 0.1}),
    ("Adam", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-4, "weight_decay": 0.1, "amsgrad": True, "maximize": True}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.2}),
    ("Adamax", {"lr": 0.1, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "momentum_decay": 0.01}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.1, "betas": (0.9, 0.99), "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.1}),
    ("Adadelta", {"lr": 0.5, "rho": 0.8, "weight_decay": 0.1, "maximize": True}),
    ("RMSprop", {"lr": 0.1, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.1, "momentum": 0.9, "centered": True}),
    ("Rprop", {"lr": 0.1, "etas": (0.4, 1.3), "step_sizes": (0.02, 0.3)}),
    ("ASGD", {"lr": 0.1, "t0": 2.0, "weight_decay": 0.1}),
    ("Adafactor", {"lr": 0.1, "weight_decay": 0.1, "d": 1.5}),
    ("Muon", {"lr": 0.01, "weight_decay": 0.1}),
]


def numbers(found: Any) -> Any:
    """The results of a program with NumPy's arrays in the place of tensors."""
    if isinstance(found, dict):
        return {k: numbers(x) for k, x in found.items()}
    if isinstance(found, (list, tuple)):
        return [numbers(x) for x in found]
    return found.detach().numpy() if hasattr(found, "detach") else found


def compare(expected: Any, found: Any, tolerance: float) -> None:
    if isinstance(expected, dict):
        assert expected.keys() == found.keys()
        for name, x in expected.items():
            compare(x, found[name], tolerance)
    elif isinstance(expected, list):
        assert len(expected) == len(found)
        for x, y in zip(expected, found, strict=True):
            compare(x, y, tolerance)
    elif isinstance(expected, (np.ndarray, float)):
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    else:
        assert expected == found, (expected, found)


def same(program: Program, tolerance: float = 2e-5) -> None:
    """Check that a program gives the same on both."""
    compare(numbers(program(theirs)), numbers(program(ours)), tolerance)


def parameters(torch: Any, dtype: str = "float32") -> list[Any]:
    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal((3, 2)), rng.standard_normal((2, 4))]
    if dtype == "complex64":
        arrays = [x + 1j * rng.standard_normal(x.shape) for x in arrays]
    return [torch.tensor(x.astype(dtype)).requires_grad_() for x in arrays]


def train(torch: Any, optimizer: Any, params: list[Any], steps: int = 3) -> None:
    """Take steps with gradients that are the same numbers each time."""
    rng = np.random.default_rng(2)
    for _ in range(steps):
        for p in params:
            g = rng.standard_normal(tuple(p.shape))
            p.grad = torch.tensor(g.astype("float32")).to(p.dtype)
        optimizer.step()


def steps_of(name: str, options: dict[str, Any], dtype: str = "float32", steps: int = 3) -> Program:
    def program(torch: Any) -> Any:
        params = parameters(torch, dtype)
        optimizer = getattr(torch.optim, name)(params, **options)
        train(torch, optimizer, params, steps)
        state = optimizer.state_dict()
        return [params, state["state"], repr(optimizer)] if dtype == "float32" else params

    return program


# --- on every backend -------------------------------------------------------------------------------------------------


@pytest.mark.backend
@pytest.mark.parametrize(("name", "options"), [OPTIONS[i] for i in (1, 3, 5, 13, 15)])
def test_optimizers_update_as_pytorch_s_on_every_backend(name: str, options: dict[str, Any], backend: str) -> None:
    same(steps_of(name, options, steps=2))


@pytest.mark.backend
def test_a_model_is_trained_on_every_backend(backend: str) -> None:
    x = ours.tensor([[1.0, 2.0], [3.0, 4.0]])
    w = ours.zeros(2, 1).requires_grad_()
    optimizer = ours.optim.AdamW([w], lr=0.1)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((x @ w - 1) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    assert losses == sorted(losses, reverse=True) and w.is_leaf and w.requires_grad


# --- each optimizer ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_optimizers_update_as_pytorch_s(name: str, options: dict[str, Any]) -> None:
    same(steps_of(name, options, steps=8), 2e-2 if name == "Muon" else 2e-5)


@pytest.mark.parametrize("name", ["Adam", "RMSprop", "Rprop", "ASGD", "Adagrad", "SGD"])
def test_complex_parameters_are_two_numbers_each(name: str) -> None:
    same(steps_of(name, {"lr": 0.1}, "complex64"))


@pytest.mark.parametrize("name", ["SGD", "Adam", "NAdam", "RAdam", "Adagrad", "Rprop", "ASGD"])
def test_a_learning_rate_may_be_a_tensor(name: str) -> None:
    def program(torch: Any) -> Any:
        params = parameters(torch)
        optimizer = getattr(torch.optim, name)(params, lr=torch.tensor([0.1]))
        train(torch, optimizer, params)
        return params

    same(program)


@pytest.mark.parametrize("options", [{}, {"line_search_fn": "strong_wolfe"}, {"history_size": 2, "max_iter": 4}])
def test_lbfgs_goes_as_pytorch_s(options: dict[str, Any]) -> None:
    def program(torch: Any) -> Any:
        x = torch.tensor([-1.0, 1.5], dtype=torch.float64).requires_grad_()
        optimizer = torch.optim.LBFGS([x], lr=0.2 if not options else 1.0, **options)

        def closure() -> Any:
            optimizer.zero_grad()
            loss = (1 - x[0]) ** 2 + 5 * (x[1] - x[0] ** 2) ** 2
            loss.backward()
            return loss

        losses = [optimizer.step(closure) for _ in range(3)]
        state = optimizer.state_dict()["state"][0]
        return [x, losses, state["n_iter"], state["func_evals"]]

    same(program, 1e-6)


def test_lbfgs_ends_where_the_loss_becomes_no_lower() -> None:
    """In float32 the slope is less than the rounding of the loss at last."""

    def evaluations(torch: Any) -> int:
        count = 0
        for seed in (0, 2, 4, 6):
            rng = np.random.default_rng(seed)
            x, y = (torch.tensor(rng.normal(size=s).astype("f4")).requires_grad_() for s in ((3, 2), (2, 4)))
            optimizer = torch.optim.LBFGS([x, y], line_search_fn="strong_wolfe")

            def closure(x: Any = x, y: Any = y, optimizer: Any = optimizer) -> Any:
                nonlocal count
                count += 1
                optimizer.zero_grad()
                loss = ((x @ y - 1) ** 2).mean() + 0.1 * ((x * x).sum() + (y * y).sum())
                loss.backward()
                return loss

            for _ in range(10):
                optimizer.step(closure)
        return count

    assert evaluations(ours) < 1.9 * evaluations(theirs)  # and not four times as many


def test_sparse_adam_refuses_dense_gradients() -> None:
    def program(torch: Any) -> Any:
        x = torch.ones(2).requires_grad_()
        optimizer = torch.optim.SparseAdam([x])
        x.grad = torch.ones(2)
        with pytest.raises(RuntimeError, match="does not support dense gradients"):
            optimizer.step()
        return x

    same(program)


def test_a_step_may_be_recorded() -> None:
    def program(torch: Any) -> Any:
        lr = torch.tensor(0.5).requires_grad_()
        x = torch.tensor([1.0, 2.0]).requires_grad_()
        p = x.clone()
        optimizer = torch.optim.SGD([p], lr=lr, differentiable=True)
        p.grad = torch.tensor([3.0, 4.0])
        optimizer.step()
        (p * p).sum().backward()
        return [p, x.grad, lr.grad]

    same(program)


# --- what all have ----------------------------------------------------------------------------------------------------


def test_states_go_to_pytorch_and_back() -> None:
    params, native = parameters(ours), parameters(theirs)
    mine, real = ours.optim.Adam(params, lr=0.1, amsgrad=True), theirs.optim.Adam(native, lr=0.3)
    train(ours, mine, params)
    state = mine.state_dict()
    state["state"] = {k: {n: theirs.tensor(x.numpy()) for n, x in s.items()} for k, s in state["state"].items()}
    real.load_state_dict(copy.deepcopy(state))
    with theirs.no_grad():
        for a, b in zip(native, params, strict=True):
            a.copy_(theirs.tensor(b.detach().numpy()))
    train(theirs, real, native)
    again = parameters(ours)
    with ours.no_grad():
        for p, q in zip(again, params, strict=True):
            p.copy_(q)
    other = ours.optim.Adam(again, lr=0.7)
    other.load_state_dict(state)
    assert other.param_groups[0]["lr"] == 0.1 and other.param_groups[0]["amsgrad"]
    train(ours, other, again)
    compare(numbers(native), numbers(again), 2e-5)
    fresh = ours.optim.Adam(again)
    fresh.load_state_dict(real.state_dict())
    compare(numbers(real.state_dict()), numbers(fresh.state_dict()), 2e-5)


def test_groups_have_options_of_their_own() -> None:
    def program(torch: Any) -> Any:
        a, b = parameters(torch)
        optimizer = torch.optim.SGD([{"params": [("a", a)], "lr": 0.5}], lr=0.1, momentum=0.9)
        optimizer.add_param_group({"params": [("b", b)]})
        train(torch, optimizer, [a, b])
        return [a, b, optimizer.state_dict(), repr(optimizer)]

    same(program)


def test_wrong_arguments_are_refused() -> None:
    def program(torch: Any) -> Any:
        x, optim = torch.ones(2).requires_grad_(), torch.optim
        calls: list[Callable[[], Any]] = [
            lambda: optim.SGD(x),
            lambda: optim.SGD([]),
            lambda: optim.SGD([x * 2]),
            lambda: optim.SGD(["x"]),
            lambda: optim.SGD([x], lr=-1.0),
            lambda: optim.SGD([x], nesterov=True),
            lambda: optim.SGD([{"params": [x]}, {"params": [x]}]),
            lambda: optim.SGD([{"params": {x}}]),
            lambda: optim.Adam([x], betas=(1.0, 0.9)),
            lambda: optim.Adam([x], eps=-1.0),
            lambda: optim.Adam([x], lr=torch.tensor(0.1), foreach=True),
            lambda: optim.Adam([x], betas=(0.9, torch.tensor(0.9))),
            lambda: optim.Adam([x], fused=True, foreach=True),
            lambda: optim.RMSprop([x], lr=torch.tensor([0.1, 0.2])),
            lambda: optim.Rprop([x], etas=(1.2, 0.5)),
            lambda: optim.Muon([x]),
            lambda: optim.LBFGS([{"params": [x]}, {"params": [torch.ones(1)]}]),
            lambda: optim.SGD([x]).load_state_dict({"state": {}, "param_groups": []}),
            lambda: optim.Optimizer([x], {}).step(),
        ]
        found = []
        for call in calls:
            try:
                call()
                found.append("no error")
            except Exception as error:
                found.append(type(error).__name__)
        return found

    same(program)


def test_hooks_are_called_around_steps_and_states() -> None:
    def program(torch: Any) -> Any:
        x = torch.ones(1).requires_grad_()
        optimizer = torch.optim.SGD([x], lr=0.5)
        seen: list[Any] = []
        handles = [
            optimizer.register_step_pre_hook(lambda o, args, kw: seen.append(("before", len(args), kw))),
            optimizer.register_step_post_hook(lambda o, args, kw: seen.append(("after", len(args), kw))),
            importlib.import_module(f"{torch.__name__}.optim.optimizer").register_optimizer_step_pre_hook(
                lambda o, args, kw: seen.append("before all")
            ),
            optimizer.register_state_dict_pre_hook(lambda o: seen.append("state")),
            optimizer.register_state_dict_post_hook(lambda o, s: {**s, "more": 1}),
            optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded")),
        ]
        x.grad = torch.ones(1)
        optimizer.step()
        state = optimizer.state_dict()
        optimizer.load_state_dict(state)
        for handle in handles:
            handle.remove()
        optimizer.step()
        return [seen, sorted(state), x]

    same(program)


def test_an_optimizer_of_one_s_own_is_a_class() -> None:
    def program(torch: Any) -> Any:
        class Descent(torch.optim.Optimizer):
            def __init__(self, params: Any, lr: float) -> None:
                super().__init__(params, {"lr": lr})

            @torch.no_grad()
            def step(self, closure: Any = None) -> None:
                for group in self.param_groups:
                    for p in group["params"]:
                        self.state[p]["count"] = self.state[p].get("count", 0) + 1
                        p.add_(p.grad, alpha=-group["lr"])

        class Counted(torch.optim.Adam):
            def step(self, closure: Any = None) -> Any:
                self.calls = getattr(self, "calls", 0) + 1
                return super().step(closure)

        params = parameters(torch)
        optimizer, counted = Descent(params, 0.5), Counted(params)
        counted.register_step_pre_hook(lambda o, args, kw: None)
        train(torch, optimizer, params)
        train(torch, counted, params)
        return [params, optimizer.state_dict(), counted.calls]

    same(program)


def test_a_step_that_ends_with_an_error_has_changed_nothing() -> None:
    a, b = ours.ones(2).requires_grad_(), ours.ones(2, 2).requires_grad_()
    optimizer = ours.optim.Adam([a, b])
    for p in (a, b):
        p.grad = ours.ones_like(p)
    optimizer.step()
    before = copy.deepcopy(optimizer.state_dict())
    values = numbers([a, b])
    optimizer.state[b]["exp_avg"] = ours.ones(3)
    with pytest.raises(RuntimeError):
        optimizer.step()
    before["state"][1]["exp_avg"] = ours.ones(3)
    compare(numbers(before), numbers(optimizer.state_dict()), 0.0)
    compare(values, numbers([a, b]), 0.0)


def test_lbfgs_puts_the_parameters_back_after_an_error() -> None:
    x = ours.tensor([3.0]).requires_grad_()
    optimizer = ours.optim.LBFGS([x], line_search_fn="strong_wolfe")
    calls = []

    def closure() -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise ValueError("enough")
        optimizer.zero_grad()
        loss = (x**4).sum()
        loss.backward()
        return loss

    with pytest.raises(ValueError, match="enough"):
        optimizer.step(closure)
    assert x.tolist() == [3.0] and not optimizer.state_dict()["state"]


def test_optimizers_are_copied_and_pickled() -> None:
    params = parameters(ours)
    optimizer = ours.optim.Adam(params, lr=0.1)
    train(ours, optimizer, params)
    for made in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        compare(numbers(optimizer.state_dict()), numbers(made.state_dict()), 0.0)
        train(ours, made, made.param_groups[0]["params"])
        assert repr(made) == repr(optimizer)


def test_zero_grad_removes_or_clears_gradients() -> None:
    def program(torch: Any) -> Any:
        x = torch.ones(2).requires_grad_()
        optimizer = torch.optim.SGD([x], lr=1.0)
        (x * 3).sum().backward()
        optimizer.zero_grad(set_to_none=False)
        cleared = x.grad.clone()
        optimizer.zero_grad()
        return [cleared, x.grad]

    same(program)


def test_the_gradient_is_not_kept_as_momentum() -> None:
    def program(torch: Any) -> Any:
        x = torch.ones(2).requires_grad_()
        optimizer = torch.optim.SGD([x], lr=1.0, momentum=0.5)
        for _ in range(2):
            optimizer.zero_grad(set_to_none=False)
            (x * 3).sum().backward()
            optimizer.step()
        return x

    same(program)


# --- learning rates ---------------------------------------------------------------------------------------------------


def _chained(torch: Any, o: Any) -> Any:
    s = torch.optim.lr_scheduler
    return s.ChainedScheduler([s.ConstantLR(o, 0.5, 3), s.ExponentialLR(o, 0.9)])


def _sequence(torch: Any, o: Any) -> Any:
    s = torch.optim.lr_scheduler
    return s.SequentialLR(o, [s.ConstantLR(o, 0.1, 2), s.StepLR(o, 2, 0.5), s.ExponentialLR(o, 0.9)], [3, 6])


SCHEDULERS: dict[str, Callable[[Any, Any], Any]] = {
    "LambdaLR": lambda t, o: t.optim.lr_scheduler.LambdaLR(o, [lambda n: 0.9**n, lambda n: 1 / (n + 1)]),
    "MultiplicativeLR": lambda t, o: t.optim.lr_scheduler.MultiplicativeLR(o, lambda n: 0.8),
    "StepLR": lambda t, o: t.optim.lr_scheduler.StepLR(o, 3),
    "MultiStepLR": lambda t, o: t.optim.lr_scheduler.MultiStepLR(o, [2, 5, 5], gamma=0.5),
    "ConstantLR": lambda t, o: t.optim.lr_scheduler.ConstantLR(o, total_iters=4),
    "LinearLR": lambda t, o: t.optim.lr_scheduler.LinearLR(o, total_iters=6),
    "ExponentialLR": lambda t, o: t.optim.lr_scheduler.ExponentialLR(o, 0.9),
    "PolynomialLR": lambda t, o: t.optim.lr_scheduler.PolynomialLR(o, 7, power=2.0),
    "CosineAnnealingLR": lambda t, o: t.optim.lr_scheduler.CosineAnnealingLR(o, 4, eta_min=0.01),
    "CosineAnnealingWarmRestarts": lambda t, o: t.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
    "CyclicLR": lambda t, o: t.optim.lr_scheduler.CyclicLR(o, 0.1, [0.5, 0.7], 2, 3, "triangular2"),
    "CyclicLR by epochs": lambda t, o: t.optim.lr_scheduler.CyclicLR(o, 0.1, 0.5, 2, mode="exp_range", gamma=0.9),
    "OneCycleLR": lambda t, o: t.optim.lr_scheduler.OneCycleLR(o, 0.5, total_steps=12),
    "OneCycleLR in three": lambda t, o: t.optim.lr_scheduler.OneCycleLR(
        o, 0.5, epochs=4, steps_per_epoch=3, three_phase=True, anneal_strategy="linear"
    ),
    "ChainedScheduler": _chained,
    "SequentialLR": _sequence,
    "SWALR": lambda t, o: t.optim.swa_utils.SWALR(o, 0.05, anneal_epochs=4),
    "SWALR at once": lambda t, o: t.optim.swa_utils.SWALR(o, [0.05, 0.2], 0, "linear"),
}


def groups(torch: Any, name: str = "SGD", lr: Any = 0.4) -> Any:
    a, b = torch.ones(1).requires_grad_(), torch.ones(1).requires_grad_()
    options = {"momentum": 0.9} if name == "SGD" else {}
    return getattr(torch.optim, name)([{"params": [a], "lr": 0.2}, {"params": [b]}], lr=lr, **options)


def plain(state: Any) -> Any:
    """A state without what is an object of each one's own."""
    if isinstance(state, dict):
        return {str(k): plain(x) for k, x in state.items() if k != "anneal_func"}
    return [plain(x) for x in state] if isinstance(state, (list, tuple)) else state


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_set_pytorch_s_learning_rates(name: str) -> None:
    def program(torch: Any) -> Any:
        found = []
        for optimizer in (groups(torch), groups(torch, "Adam")):
            scheduler = SCHEDULERS[name](torch, optimizer)
            for i in range(11):
                optimizer.step()
                scheduler.step()
                found.append([[g["lr"], g.get("momentum"), g.get("betas")] for g in optimizer.param_groups])
                if i == 5:
                    state = scheduler.state_dict()
                    scheduler = SCHEDULERS[name](torch, groups(torch)) if name == "StepLR" else scheduler
                    scheduler.optimizer = optimizer
                    scheduler.load_state_dict(copy.deepcopy(state))
            found.append([scheduler.get_last_lr(), plain(scheduler.state_dict())])
        return found

    same(program, 1e-9)


@pytest.mark.parametrize("name", ["StepLR", "MultiStepLR", "LinearLR", "ExponentialLR", "PolynomialLR", "ConstantLR"])
def test_schedulers_go_to_an_epoch_by_their_closed_forms(name: str) -> None:
    def program(torch: Any) -> Any:
        optimizer, found = groups(torch), []
        scheduler = SCHEDULERS[name](torch, optimizer)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for epoch in (0, 3, 5, 9, 2):
                scheduler.step(epoch)
                found.append(scheduler.get_last_lr())
        return found

    same(program, 1e-9)


def test_a_scheduler_writes_into_a_learning_rate_that_is_a_tensor() -> None:
    def program(torch: Any) -> Any:
        optimizer = torch.optim.SGD([torch.ones(1).requires_grad_()], lr=torch.tensor(0.5))
        lr = optimizer.param_groups[0]["lr"]
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        optimizer.step()
        scheduler.step()
        return [lr, optimizer.param_groups[0]["lr"] is lr, scheduler.base_lrs]

    same(program)


def test_learning_rates_become_smaller_on_a_plateau() -> None:
    def program(torch: Any) -> Any:
        found = []
        for options in ({"patience": 1}, {"mode": "max", "patience": 0, "threshold_mode": "abs", "cooldown": 1}):
            optimizer = groups(torch)
            scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, min_lr=[0.0, 0.1], **options)
            for metric in (1.0, 0.9, 0.95, 0.92, torch.tensor(0.91), 0.2, 0.3, 0.4):
                scheduler.step(metric)
                found.append(scheduler.get_last_lr())
            found.append(plain(scheduler.state_dict()))
        return found

    same(program, 1e-9)


def test_schedulers_refuse_wrong_arguments_and_warn() -> None:
    def program(torch: Any) -> Any:
        s, o = torch.optim.lr_scheduler, groups(torch)
        calls: list[Callable[[], Any]] = [
            lambda: s.StepLR("x", 2),
            lambda: s.StepLR(groups(torch), 2, last_epoch=3),
            lambda: s.ConstantLR(o, 2.0),
            lambda: s.LinearLR(o, 0.0),
            lambda: s.LambdaLR(o, [lambda n: 1.0]),
            lambda: s.MultiplicativeLR(o, 1.0),
            lambda: s.CosineAnnealingWarmRestarts(o, 0),
            lambda: s.CyclicLR(groups(torch, "Adagrad"), 0.1, 0.2),
            lambda: s.OneCycleLR(o, 0.1),
            lambda: s.ReduceLROnPlateau(o, factor=2.0),
            lambda: s.SequentialLR(o, [s.StepLR(o, 2)], [1]),
            lambda: s.ChainedScheduler([s.ReduceLROnPlateau(o)]),
            lambda: s.ChainedScheduler([s.StepLR(o, 2), s.StepLR(groups(torch), 2)]),
        ]
        found: list[Any] = []
        for call in calls:
            try:
                call()
                found.append("no error")
            except Exception as error:
                found.append(type(error).__name__)
        scheduler = s.StepLR(groups(torch), 2)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scheduler.step()
            scheduler.get_lr()
        return [found, [w.category.__name__ for w in caught]]

    same(program)


# --- averages of models -----------------------------------------------------------------------------------------------


def model_of(torch: Any) -> Any:
    class Scaled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
            self.register_buffer("seen", torch.tensor([0.5]))

        def forward(self, x: Any) -> Any:
            return x * self.w + self.seen

    return Scaled()


@pytest.mark.parametrize("options", ["mean", "ema", "multi ema", "buffers", "own"])
def test_models_are_averaged_as_pytorch_s(options: str) -> None:
    def program(torch: Any) -> Any:
        swa = torch.optim.swa_utils
        kw = {
            "mean": {},
            "ema": {"avg_fn": swa.get_ema_avg_fn(0.75)},
            "multi ema": {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.9), "use_buffers": True},
            "buffers": {"use_buffers": True, "multi_avg_fn": swa.get_swa_multi_avg_fn()},
            "own": {"avg_fn": lambda mean, new, n: mean * 0.5 + new * 0.5 + n},
        }[options]
        model = model_of(torch)
        averaged = swa.AveragedModel(model, **kw)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.tensor([1.0, 3.0])).sum().backward()
            optimizer.step()
            model.seen.add_(1.0)
            averaged.update_parameters(model)
        found = averaged(torch.ones(2))
        return [dict(averaged.state_dict()), found, [p.requires_grad for p in averaged.parameters()]]

    same(program)


@pytest.mark.backend
def test_a_model_is_averaged_on_every_backend(backend: str) -> None:
    model = model_of(ours)
    averaged = ours.optim.swa_utils.AveragedModel(model)
    for value in (1.0, 3.0):
        with ours.no_grad():
            model.w.fill_(value)
        averaged.update_parameters(model)
    assert averaged.module.w.tolist() == [2.0, 2.0] and int(averaged.n_averaged) == 2


def test_a_part_to_keep_is_between_0_and_1() -> None:
    for make in (ours.optim.swa_utils.get_ema_avg_fn, ours.optim.swa_utils.get_ema_multi_avg_fn):
        with pytest.raises(ValueError, match="Invalid decay value"):
            make(1.5)


def test_statistics_of_batches_are_computed_again() -> None:
    if not hasattr(ours.nn, "BatchNorm1d"):
        pytest.skip("there are no modules of batch normalisation")

    def program(torch: Any) -> Any:
        model = torch.nn.Sequential(torch.nn.BatchNorm1d(2, momentum=0.3)).eval()
        batches = [[torch.tensor([[1.0, 2.0], [3.0, 6.0]])], torch.tensor([[0.0, 1.0], [1.0, 0.0]])]
        torch.optim.swa_utils.update_bn(batches, model)
        return [dict(model.state_dict()), model.training, model[0].momentum]

    same(program)
