"""Functions that use recorded tensors besides their arguments, as a module's parameters, under `torch.func`.

The backend's transformations do not know the tape of autograd. Where a function uses recorded tensors, its arguments
are put on the tape too: all calls are then recorded, and the results have derivatives by those tensors, as in PyTorch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import unwrap
from types import FunctionType, MethodType, ModuleType
from typing import Any

from ...backends.taped.core import TapedBackend
from ...tracing.recording.state import is_users
from ..naming import named_in
from .autograd.recording import is_enabled, is_native, is_transformed, leaf_of
from .core import dialect
from .nn.modules.members import Members

__all__ = ["beside_recorded", "plain"]


class _Nobody:
    """In the place of a tensor that would get a gradient."""

    __slots__ = ("__weakref__",)


def plain(func: Any) -> Callable[..., Any]:
    """Return a function that says that it is transformed. A module, and what else can be called, is called by one."""

    def call(*args: Any, **kw: Any) -> Any:
        before = is_transformed.set(True)
        try:
            return func(*args, **kw)
        finally:
            is_transformed.reset(before)

    if isinstance(func, (FunctionType, MethodType)):
        return functools.wraps(func)(call)
    call.__wrapped__ = func  # type: ignore[attr-defined]
    return call


def beside_recorded(func: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a transformed function, whose arguments are recorded where `func` uses recorded tensors.

    Parameters
    ----------
    func: the function as the program has it.
    call: the transformed function.
    """

    @functools.wraps(call)
    def on_the_tape(*args: Any, **kw: Any) -> Any:
        if is_enabled() and _uses_recorded(func):
            args, kw = _on_the_tape(args), _on_the_tape(kw)
        return call(*args, **kw)

    return on_the_tape


def _on_the_tape(x: Any) -> Any:
    if type(x) is dialect.array:
        return x if _is_recorded(x) or is_native(x._array) else dialect.wrapped(leaf_of(x._array, _Nobody()))
    if isinstance(x, dict):
        return {key: _on_the_tape(y) for key, y in x.items()}
    if type(x) in (tuple, list):
        return type(x)([_on_the_tape(y) for y in x])
    return x


def _is_recorded(x: Any) -> bool:
    return isinstance(x._array._sig.backend, TapedBackend)


def _uses_recorded(func: Any) -> bool:
    """Return whether a function leads to recorded tensors: by names in its code, its object, lists, and modules."""
    waiting, seen = [func], set[int]()
    while waiting:
        x = waiting.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if type(x) is dialect.array:
            if _is_recorded(x):
                return True
        elif isinstance(x, FunctionType):
            if not isinstance(f := unwrap(x), FunctionType):
                waiting.append(f)
            elif is_users(f.__module__ or ""):
                waiting.extend(named_in(f))
        elif isinstance(x, MethodType):
            waiting += [x.__self__, x.__func__]
        elif isinstance(x, functools.partial):
            waiting += [x.func, *x.args, *x.keywords.values()]
        elif isinstance(x, dict):
            waiting.extend(x.values())
        elif isinstance(x, (list, tuple)):
            waiting.extend(x)
        elif isinstance(x, Members) or (is_users(type(x).__module__) and not isinstance(x, (type, ModuleType))):
            waiting.extend(getattr(x, "__dict__", {}).values())
    return False
