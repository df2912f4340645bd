"""Functions that are written for a framework, with its dialect in its place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType
from typing import Any

from . import dialect_names
from .imports import loaded, root_of
from .naming import PREFIX, filled, named_in

__all__ = ["frameworks_of", "named_itself", "redirected_value", "speaks_ours", "with_dialects"]


def frameworks_of(f: Callable[..., Any]) -> tuple[str, ...]:
    """Return the frameworks, or their dialects, that a function is written for: the frameworks that it names.

    NumPy counts only if it is the only framework: beside another framework, programs compute constants with NumPy.
    """
    found: dict[str, None] = {}
    ours = False
    for value in named_in(f):
        name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
        ours = ours or (isinstance(value, ModuleType) and name == "latticework")
        root = root_of(str(name).removeprefix(PREFIX))
        if root in dialect_names() and (str(name).startswith(PREFIX) or root in sys.modules):
            found[root] = None
    if len(found) > 1 or ours:
        found.pop("numpy", None)
    return tuple(found)


def speaks_ours(f: Callable[..., Any]) -> bool:
    """Return whether a function names something of latticework outside the dialects."""
    for value in (f, *named_in(f)):
        name = str(value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "")
        if name.partition(".")[0] == "latticework" and not f"{name}.".startswith(PREFIX):
            return True
    return False


def named_itself(f: Callable[..., Any], framework: str) -> bool:
    """Return whether a function names something of the framework itself, not of its dialect."""
    for value in named_in(f):
        name = str(value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "")
        if not name.startswith(PREFIX) and root_of(name) == framework:
            return True
    return False


def with_dialects(f: Any, frameworks: Sequence[str]) -> Any:
    """Return a function with the dialects in the place of some frameworks; itself where it is no function in Python.

    Functions that it calls in its own module are redirected too, and so are functions around it. The module stays as
    it is.
    """
    if not isinstance(f, FunctionType) or not frameworks:
        return f
    return _Redirected(f, frameworks).function(f)


class _Redirected:
    """A copy of one function's module, with the dialects in the place of frameworks."""

    def __init__(self, f: FunctionType, frameworks: Sequence[str]) -> None:
        self.module, self.frameworks, self.made = f.__globals__, frameworks, dict[int, Any]()
        self.globals: dict[str, Any] = {}
        self.globals.update({name: self.value(x) for name, x in self.module.items()})

    def function(self, f: FunctionType) -> Any:
        """Return the function with the redirected module and closure."""
        known = self.made.get(id(f))
        if known is not None:
            return known
        cells = tuple([CellType(self.value(c.cell_contents)) if filled(c) else c for c in f.__closure__ or ()])
        made = FunctionType(f.__code__, self.globals, f.__name__, f.__defaults__, cells or None)
        self.made[id(f)] = made
        made.__kwdefaults__ = f.__kwdefaults__
        made.__dict__.update(f.__dict__)
        made.__qualname__, made.__module__, made.__doc__ = f.__qualname__, f.__module__, f.__doc__
        return made

    def value(self, x: Any) -> Any:
        """Return the redirected form of a value."""
        if isinstance(x, FunctionType) and x.__globals__ is self.module:
            return self.function(x)
        return redirected_value(x, self.frameworks)


def redirected_value(x: Any, frameworks: Sequence[str]) -> Any:
    """Return what dialects have in the place of a module, function or class of frameworks; any other value itself."""
    if isinstance(x, ModuleType):
        inside = x.__name__.partition(".")[0] in frameworks
        return loaded(f"{PREFIX}{x.__name__}", x.__name__) if inside else x
    if isinstance(x, (FunctionType, BuiltinFunctionType, type)) or type(x).__name__ in _FUNCTIONS:
        return _same_name(x, frameworks)
    return x


#: The names of classes whose objects are functions of a framework.
_FUNCTIONS = ("ufunc", "PjitFunction", "custom_jvp", "custom_vjp")


def _same_name(x: Any, frameworks: Sequence[str]) -> Any:
    """A framework's function or class, imported by name, as the dialect has it."""
    module, name = getattr(x, "__module__", None), getattr(x, "__name__", None)
    root = root_of(str(module or ""))
    if root not in frameworks or not name:
        return x
    package = import_module(f"{PREFIX}{root}")
    for inner in ("", *getattr(package, "SUBMODULES", ())):
        real = sys.modules.get(f"{root}.{inner}".rstrip("."))
        if real is not None and getattr(real, name, None) is x:
            return getattr(import_module(f"{PREFIX}{root}.{inner}".rstrip(".")), name)
    return x
