"""A step of training as a function of parameters, of the state of an optimizer, of inputs and of targets."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ....errors import TraceError
from ....tracing.recording.recorder import recorder
from ..autograd.modes import no_grad
from ..comparing import equal
from ..core import ops
from ..dtypes import float32, float64
from ..nn.calling import functional_call
from ..optim.updating import Updating
from ..tensor import Tensor
from .copying import Copies, copied_optimizer, is_model
from .forward import Forward, keeping_attributes, scoped, traced

__all__ = ["Training"]


class Training(Forward):
    """A step of training, as `transpile` traces it.

    Parameters
    ----------
    model: a module, of the dialect or of PyTorch itself.
    loss: a function of what the model returns and of the targets.
    optimizer: an optimizer of the dialect or of PyTorch itself, for parameters of the model.

    Attributes
    ----------
    state: the state of the optimizer: entries by ``entry.parameter``, and ``step``.
    """

    def __init__(self, model: Any, loss: Callable[..., Any], optimizer: Any) -> None:
        super().__init__(model)
        self.loss = loss if self.model is model and not is_model(loss) else Copies().value(loss)
        names = {id(p): name for name, p in model.named_parameters()}
        self.optimizer = copied_optimizer(optimizer, self.trained, names)
        if not isinstance(self.optimizer, Updating):
            raise TraceError(f"transpile: {type(self.optimizer).__name__} is no optimizer whose step can be written")
        self.group_of = {names_of(self.trained)[id(p)]: g for g in self.optimizer.param_groups for p in g["params"]}
        self.state: dict[str, Any] = {}
        #: The dtype of what an update computes of the number of steps.
        self.counted_in: Any = float64
        self.__name__ = "step"

    def without_float64(self) -> None:
        """Have updates compute with float32 what depends on the number of steps."""
        self.counted_in = float32

    # --- what a step does ---------------------------------------------------------------------------------------------

    def run_once(self, args: tuple[Any, ...], kw: dict[str, Any], targets: tuple[Any, ...]) -> list[str]:
        """Run a step to see which parameters have gradients, and which buffers change; list these buffers."""
        given = {n: p.clone().requires_grad_(self._is_trained(n)) for n, p in self.trained.items()}
        buffers = {n: b.clone() for n, b in self.buffers.items()}
        both = given | buffers
        with keeping_attributes(self.model):
            self.loss(functional_call(self.model, both, args, kw), *targets).backward()
        grads = {n: p.grad for n, p in given.items() if p.grad is not None and n in self.group_of}
        self.group_of = {n: self.group_of[n] for n in grads}
        with no_grad():
            for n, g in grads.items():
                self._begin(n, g)
        return [n for n in buffers if not equal(both[n], self.buffers[n])]

    def _is_trained(self, name: str) -> bool:
        return bool(dict(self.model.named_parameters())[name].requires_grad)

    def _begin(self, name: str, g: Any) -> None:
        """Add the state of a parameter: that of the optimizer, or what it begins with."""
        p, group = self.trained[name], self.group_of[name]
        if p.is_complex():
            raise TraceError("transpile: steps of parameters of complex numbers are not written")
        state: dict[str, Any] = self.optimizer.state.get(p) or self.optimizer.begun(group, p)
        after = dict(state)
        count = int(state["step"]) + 1 if "step" in state else 0
        self.optimizer.update(group, p, g, after, self.optimizer._numbers(group, count))
        for entry, x in after.items():
            if entry not in state:  # a momentum, of which the first is the gradient itself
                if group.get("dampening"):
                    raise TraceError("transpile: the first step with dampening is another one. Train one step before")
                state[entry] = ops.zeros_like(x)
        for entry, x in state.items():
            if entry == "step":
                if int(self.state.setdefault("step", x)) != int(x):
                    raise TraceError("transpile: the parameters were updated in different numbers of steps")
            elif isinstance(x, Tensor):
                self.state[f"{entry}.{name}"] = x

    def function(self, changing: list[str], inputs: int = 0, count: int = 0) -> Any:
        """Return the function of the parameters, the state, the inputs and the targets.

        Parameters
        ----------
        inputs, count: the numbers of inputs by position, and of the targets after them.
        """

        def step(params, state, *args, **kw):
            given, targets = args[:inputs], args[inputs:]

            def loss_of(weights: Any) -> Any:
                tensors = {n: x.clone() if n in changing else x for n, x in params.items()} | weights
                with keeping_attributes(self.model), scoped(self.model):
                    found = self.loss(functional_call(self.model, tensors, given, kw), *targets)
                return found, {n: tensors[n] for n in changing}

            weights = {n: params[n] for n in self.group_of}
            (loss, buffers), grads = ops.value_and_grad(loss_of, has_aux=True)(weights)
            with no_grad():
                updated, after = self._updated(params, state, grads)
            return loss, buffers | updated, after, grads

        names = [*inspect.signature(self.model.forward).parameters.values()]
        own = [p for p in names if p.name not in ("params", "state") and p.kind is not p.VAR_KEYWORD]
        own = [p.replace(annotation=p.empty, default=p.empty, kind=p.POSITIONAL_OR_KEYWORD) for p in own]
        targets = ["target"] if count == 1 else [f"target_{i}" for i in range(count)]
        every = [*_parameters("params", "state"), *own[:inputs], *_parameters(*targets)]
        step.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        return step

    def _updated(self, params: Any, state: Any, grads: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Compute the new parameters and the new state."""
        by, optimizer = recorder.get(), self.optimizer
        assert by is not None
        updated: dict[str, Any] = {}
        after: dict[str, Any] = {}
        n: Any = 0
        if "step" in state:
            after["step"] = state["step"] + 1
            n = state["step"].to(self.counted_in) + 1
        numbers = {id(g): optimizer._numbers(g, n) for g in optimizer.param_groups}
        for name, g in grads.items():
            group = self.group_of[name]
            entries = {key[: -len(name) - 1]: x for key, x in state.items() if key.endswith(f".{name}")}
            given = {"p": params[name], "g": g, **entries}
            scope = by.enter(name, f"update {type(optimizer).__name__}", {k: traced(x) for k, x in given.items()})
            kept = dict(entries) | ({"step": after["step"]} if "step" in after else {})
            less = optimizer.update(group, params[name], -g if group.get("maximize") else g, kept, numbers[id(group)])
            updated[name] = params[name] - less
            by.leave(scope, [traced(updated[name]), *[traced(kept[entry]) for entry in entries]])
            after |= {f"{entry}.{name}": kept[entry] for entry in entries}
        return updated, after


def names_of(parameters: dict[str, Any]) -> dict[int, str]:
    return {id(p): name for name, p in parameters.items()}


def _parameters(*names: str) -> list[inspect.Parameter]:
    return [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
