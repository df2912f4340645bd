"""The forward pass of a model as a function of its parameters and inputs."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....derivatives.tape import Taped
from ....errors import TraceError
from ....tracing.recording.recorder import recorder
from ..autograd.modes import no_grad
from ..comparing import equal
from ..nn.calling import functional_call
from ..tensor import Tensor
from .copying import copied

__all__ = ["Forward", "keeping_attributes", "scoped", "traced"]


class Forward:
    """The forward pass of a model, as `transpile` traces it.

    Parameters
    ----------
    model: a module, of the dialect or of PyTorch itself.

    Attributes
    ----------
    model: the module of the dialect.
    parameters: its parameters and buffers by their paths, without gradients. One with several paths has the first.
    """

    def __init__(self, model: Any) -> None:
        self.model = copied(model)
        self.trained = {n: p.detach() for n, p in self.model.named_parameters()}
        self.buffers = {n: b.detach() for n, b in self.model.named_buffers()}
        self.parameters = self.trained | self.buffers
        self.__name__ = "forward"

    def changed_buffers(self, args: tuple[Any, ...], kw: dict[str, Any]) -> list[str]:
        """List the buffers that a forward pass changes, such as running averages."""
        if not self.buffers or not self.model.training:
            return []
        given = {n: x.clone() for n, x in self.buffers.items()}
        with no_grad(), keeping_attributes(self.model):
            functional_call(self.model, given, args, kw)
        return [n for n, x in given.items() if not equal(x, self.buffers[n])]

    def function(self, changing: list[str]) -> Any:
        """Return the function of the parameters and the inputs. It returns new values of some buffers as well."""

        def forward(params, *args, **kw):
            given = {n: x.clone() if n in changing else x for n, x in params.items()}
            with no_grad(), keeping_attributes(self.model), scoped(self.model):
                found = functional_call(self.model, given, args, kw)
            return (found, {n: given[n] for n in changing}) if changing else found

        names = list(inspect.signature(self.model.forward).parameters.values())
        first = inspect.Parameter("params", inspect.Parameter.POSITIONAL_ONLY)
        own = [p.replace(annotation=p.empty) for p in names if p.name != "params"]
        own = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) if p.kind is p.POSITIONAL_ONLY else p for p in own]
        forward.__signature__ = inspect.Signature([first, *own])  # type: ignore[attr-defined]
        return forward


@contextmanager
def keeping_attributes(model: Any) -> Iterator[None]:
    """Put the attributes of all modules back at the end of a block.

    Raises
    ------
    TraceError: a tensor or a number that a module held at the start was replaced: the next call would begin with it.
    """
    before = [(path, module, dict(module.__dict__)) for path, module in model.named_modules()]
    try:
        yield
        for path, module, held in before:
            for name, x in held.items():
                now = module.__dict__.get(name)
                if now is not x and (type(x) is Tensor or isinstance(x, (int, float, complex))):
                    where = f"{path}.{name}".lstrip(".")
                    raise TraceError(
                        f"transpile: the model replaces its attribute {where} in each call, and its source keeps "
                        "nothing. Make it a buffer, or an argument and a result"
                    )
    finally:
        for _, module, held in before:
            module.__dict__.clear()
            module.__dict__.update(held)


@contextmanager
def scoped(model: Any) -> Iterator[None]:
    """Have the recorder note in a block which calls belong to which submodule of a model."""
    put: list[Any] = []
    try:
        for path, module in model.named_modules():
            if path and "forward" not in module.__dict__:
                module.__dict__["forward"] = _noting(module, path, module.forward)
                put.append(module)
        yield
    finally:
        for module in put:
            del module.__dict__["forward"]


def _noting(module: Any, path: str, forward: Any) -> Any:
    try:
        signature = inspect.signature(forward)
    except (TypeError, ValueError):
        signature = None

    def call(*args: Any, **kw: Any) -> Any:
        by = recorder.get()
        if by is None:
            return forward(*args, **kw)
        given = dict(signature.bind(*args, **kw).arguments) if signature is not None else {}
        scope = by.enter(path, type(module).__name__, {name: traced(x) for name, x in given.items()})
        found: Any = None
        try:
            found = forward(*args, **kw)
        finally:
            by.leave(scope, [traced(x) for x in (found if isinstance(found, (tuple, list)) else (found,))])
        return found

    return call


def traced(x: Any) -> Any:
    """Return the tracer of a tensor, and None for anything else."""
    if type(x) is not Tensor:
        return None
    data = x._array._data
    return data.value if type(data) is Taped else data
