"""Models of PyTorch itself, with their classes, as models of the dialect."""

from __future__ import annotations

import sys
from collections import OrderedDict
from contextlib import suppress
from importlib import import_module
from types import CellType, FunctionType, ModuleType
from typing import Any

from ....errors import TraceError
from ....tracing.recording.state import is_users
from ...naming import PREFIX, filled
from ...redirecting import redirected_value
from .. import dtypes
from ..nn import Module
from ..nn.modules.module import _TABLES
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer, own

__all__ = ["Copies", "copied", "copied_optimizer", "is_model", "is_optimizer"]

#: Classes of PyTorch's that other classes use, and the dialect's in their places.
_OTHER_NAMES = {"NonDynamicallyQuantizableLinear": "Linear"}
_PLAIN = (bool, int, float, complex, str, bytes, type(None), slice, range)


def is_model(x: Any) -> bool:
    """Return whether an object is a module, of the dialect or of PyTorch itself."""
    return isinstance(x, Module) or _is_real(x, "nn.Module")


def is_optimizer(x: Any) -> bool:
    return isinstance(x, Optimizer) or _is_real(x, "optim.Optimizer")


def _is_real(x: Any, path: str) -> bool:
    found: Any = sys.modules.get("torch")
    for name in path.split(".") if found is not None else ():
        found = getattr(found, name, None)
    return isinstance(found, type) and isinstance(x, found)


def copied(model: Any) -> Any:
    """Return a model of the dialect with the tensors of a model; one of the dialect itself.

    Raises
    ------
    TraceError: a module of it has hooks, or the dialect lacks its class.
    """
    return model if isinstance(model, Module) else Copies().module(model)


def copied_optimizer(optimizer: Any, parameters: dict[str, Any], names: dict[int, str]) -> Any:
    """Return an optimizer of the dialect with the options and the state of another, for other parameters.

    Parameters
    ----------
    parameters: the parameters of the new one, by their names.
    names: the names of the parameters of the old one, by their ids.

    Raises
    ------
    TraceError: it updates a parameter that is not the model's, or the dialect lacks its class.
    """
    found = import_module(f"{PREFIX}torch.optim")
    kind = type(optimizer) if isinstance(optimizer, Optimizer) else getattr(found, type(optimizer).__name__, None)
    if kind is None:
        raise TraceError(f"transpile: the dialect has no optimizer {type(optimizer).__name__}")
    made = object.__new__(kind)
    state = optimizer.__getstate__()
    groups = []
    for group in optimizer.param_groups:
        strangers = [p for p in group["params"] if id(p) not in names]
        if strangers:
            raise TraceError("transpile: the optimizer updates a tensor that is no parameter of the model")
        options = {name: own(x) for name, x in group.items() if name not in ("params", "param_names")}
        groups.append(options | {"params": [parameters[names[id(p)]] for p in group["params"]]})
    made.__setstate__({"defaults": dict(state["defaults"]), "state": {}, "param_groups": groups})
    made.state = type(optimizer.state)(dict)
    for p, entries in optimizer.state.items():
        made.state[parameters[names[id(p)]]] = {name: own(x) for name, x in entries.items()}
    return made


class Copies:
    """The copies of a model's modules, classes and functions: each is made once."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.globals: dict[int, dict[str, Any]] = {}

    def _known(self, x: Any, made: Any) -> Any:
        self.kept.append(x)
        self.made[id(x)] = made
        return made

    # --- objects ----------------------------------------------------------------------------------------------------

    def module(self, x: Any) -> Any:
        """Return the module of the dialect for one of PyTorch's."""
        if id(x) in self.made:
            return self.made[id(x)]
        made = self._known(x, object.__new__(self.kind(type(x))))
        inside = made.__dict__
        inside.update({name: make() for name, make in _TABLES.items()})
        for name, value in x.__dict__.items():
            if name in ("_parameters", "_buffers", "_modules"):
                inside[name] = {n: self.value(y) for n, y in value.items()}
            elif name == "_non_persistent_buffers_set":
                inside[name] = set(value)
            elif name in _TABLES:
                if value and "state_dict" not in name:
                    raise TraceError(f"transpile: a {type(x).__name__} of the model has hooks. Remove them first")
            elif name not in ("_is_full_backward_hook", "_compiled_call_impl", "_flat_weights", "_flat_weight_refs"):
                with suppress(AttributeError):  # a property, which the dialect's class computes
                    object.__setattr__(made, name, self.value(value))
        return made

    def value(self, x: Any) -> Any:
        """Return what stands for a value that a module holds, or that a function names."""
        if isinstance(x, (_PLAIN, Module)):
            return x
        if id(x) in self.made:
            return self.made[id(x)]
        if is_model(x):
            return self.module(x)
        torch: Any = sys.modules["torch"]
        if isinstance(x, torch.Tensor):
            return self._known(x, self.tensor(x))
        if isinstance(x, torch.dtype):
            return getattr(dtypes, str(x).rpartition(".")[2])
        if isinstance(x, torch.device):
            return "cpu"
        if isinstance(x, torch.Size):
            return tuple(x)
        if type(x) in (list, tuple, set):
            return type(x)([self.value(y) for y in x])
        if type(x) in (dict, OrderedDict):
            return type(x)({key: self.value(y) for key, y in x.items()})
        if isinstance(x, FunctionType) and is_users(x.__module__):
            return self.function(x)
        if isinstance(x, type) and is_users(x.__module__):
            return self.kind(x) if issubclass(x, torch.nn.Module) else x
        return redirected_value(x, ("torch",))

    def array(self, x: Any) -> Any:
        """Return a tensor of the dialect with the elements of one of PyTorch's."""
        with sys.modules["torch"].no_grad():
            return own(x.detach().clone())

    def tensor(self, x: Any) -> Any:
        torch: Any = sys.modules["torch"]
        made = self.array(x)
        return Parameter(made, requires_grad=x.requires_grad) if isinstance(x, torch.nn.Parameter) else made

    # --- classes and functions --------------------------------------------------------------------------------------

    def kind(self, cls: type) -> Any:
        """Return the dialect's class for one of PyTorch's, or a copy of a user's class with the dialect's bases."""
        if id(cls) in self.made:
            return self.made[id(cls)]
        if not is_users(cls.__module__):
            found = redirected_value(cls, ("torch",))
            if found is cls:
                nn = import_module(f"{PREFIX}torch.nn")
                found = getattr(nn, _OTHER_NAMES.get(cls.__name__, cls.__name__), None)
            if found is None and cls.__module__.partition(".")[0] == "torch":
                raise TraceError(f"transpile: the dialect has no class {cls.__module__}.{cls.__qualname__}")
            return found or cls
        bases = tuple([self.kind(base) for base in cls.__bases__])
        made = self._known(
            cls, type(cls.__name__, bases, {"__module__": cls.__module__, "__qualname__": cls.__qualname__})
        )
        for name, x in vars(cls).items():
            if name not in ("__dict__", "__weakref__", "__module__", "__qualname__", "__doc__"):
                setattr(made, name, self.member(x))
        return made

    def member(self, x: Any) -> Any:
        if isinstance(x, (staticmethod, classmethod)):
            return type(x)(self.value(x.__func__))
        if isinstance(x, property):
            return property(*[None if f is None else self.value(f) for f in (x.fget, x.fset, x.fdel)])
        return self.value(x)

    def function(self, f: FunctionType) -> Any:
        """Return a user's function with the dialect in the place of PyTorch, in its module and around it."""
        if id(f) in self.made:
            return self.made[id(f)]
        cells = tuple([CellType() for _ in f.__closure__ or ()])
        names = self.names(f.__globals__)
        made = FunctionType(f.__code__, names, f.__name__, f.__defaults__, cells or None)
        self._known(f, made)
        for cell, before in zip(cells, f.__closure__ or (), strict=True):
            if filled(before):
                cell.cell_contents = self.value(before.cell_contents)
        if f.__defaults__:
            made.__defaults__ = tuple([self.value(x) for x in f.__defaults__])
        if f.__kwdefaults__:
            made.__kwdefaults__ = {name: self.value(x) for name, x in f.__kwdefaults__.items()}
        made.__qualname__, made.__module__, made.__doc__ = f.__qualname__, f.__module__, f.__doc__
        return made

    def names(self, module: dict[str, Any]) -> dict[str, Any]:
        """Return the globals of a module, whose values are redirected when a function asks for them."""
        if id(module) not in self.globals:
            self.kept.append(module)
            made = self.globals[id(module)] = dict(module)
            for name, x in module.items():
                if not name.startswith("__") and (callable(x) or isinstance(x, ModuleType)):
                    with suppress(ModuleNotFoundError):  # a function that uses it says what is missing
                        made[name] = self.value(x)
        return self.globals[id(module)]
