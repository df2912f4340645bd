"""Programs that were written for a framework, followed without a change of their imports.

A NumPy program gets lw.Arrays, and NumPy's functions dispatch to them. Functions that make arrays of Python values, as
``np.zeros``, do not dispatch: during the audit, a stand-in takes the place of the module among the global names of the
program. A stand-in for ``jax.numpy`` answers with NumPy's function of the same name, which dispatches in turn. A
function without a counterpart ends the run with a `NotFollowedError` at its line.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FunctionType, MethodType, ModuleType
from typing import Any

from ..core.registry import declared
from ..core.registry import functions as lw
from ..engine.numpy_calls.functions import is_ours
from . import following_torch

__all__ = ["NotFollowedError", "followed", "framework_of", "is_for_torch", "unwrapped"]

NotFollowedError = following_torch.NotFollowedError

#: Functions that make arrays of Python values -> their parameters by position. `dtype` is given by name here. Other
#: parameters are not listed.
_CREATION = {
    "arange": "start stop step dtype", "array": "object dtype", "asarray": "object dtype", "empty": "shape dtype",
    "eye": "N M k dtype", "full": "shape fill_value dtype", "identity": "n dtype",
    "linspace": "start stop num endpoint retstep dtype", "logspace": "start stop num endpoint base dtype",
    "ones": "shape dtype", "tri": "N M k dtype", "zeros": "shape dtype",
}  # fmt: skip


def _creation(name: str) -> Callable[..., Any]:
    """Make the latticework function that replaces one of NumPy's that makes an array."""
    names, ours = _CREATION[name].split(), getattr(lw, name)

    def make(*args: Any, **kw: Any) -> Any:
        given = dict(zip(names, args, strict=False)) | kw
        dtype = given.pop("dtype", None)
        for without_effect in ("order", "copy", "like", "device", "subok"):
            given.pop(without_effect, None)
        if given.pop("retstep", False):
            raise NotFollowedError(f"{name} with retstep is not followed")
        leading = [given.pop(n) for n in names if n in given and n not in ("dtype", "k", "endpoint", "base")]
        return ours(*leading, **given, **({} if dtype is None else {"dtype": dtype}))

    return functools.update_wrapper(make, ours)


class StandIn(ModuleType):
    """A stand-in for a module of NumPy or JAX: its names, with latticework's functions for those that make arrays.

    Parameters
    ----------
    real: the module.
    asking: the module whose functions answer: NumPy's, which dispatch to lw.Arrays, or lw.nn; None for none.
    """

    def __init__(self, real: ModuleType, asking: Any) -> None:
        super().__init__(real.__name__)
        self._real, self._asking = real, asking

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._real, name)
        full = f"{self._real.__name__}.{name}"
        if full in _OURS:
            return _OURS[full]()
        if name in _CREATION and self._real.__name__ in ("numpy", "jax.numpy"):
            return _creation(name)
        if isinstance(real, ModuleType):
            return _stand_in(real) or real
        if not callable(real) or isinstance(real, type):
            return real
        if self._left_to_numpy(name):
            return getattr(lw, name)
        found = getattr(self._asking, name, None)
        if found is None:
            return _not_followed(full)
        return found

    def _left_to_numpy(self, name: str) -> bool:
        """Return whether NumPy answers itself, with the data of lw.Arrays, although latticework has the function."""
        function = getattr(self._asking, name, None) if getattr(self._asking, "__name__", "") == "numpy" else None
        is_function = function is not None and not hasattr(function, "nin")  # else it is a ufunc
        return is_function and not is_ours(name) and declared(name) is not None


def _not_followed(name: str) -> Callable[..., Any]:
    def call(*args: Any, **kw: Any) -> Any:
        raise NotFollowedError(f"{name} has no latticework function that takes its call: it is not followed")

    return call


def _itself(function: Any = None, **_: Any) -> Any:
    """Return the function as it is, in place of ``jax.jit``."""
    return _itself if function is None else unwrapped(function)


#: JAX's functions that latticework has with the same meaning.
_OURS: dict[str, Callable[[], Any]] = {
    "jax.jit": lambda: _itself,
    "jax.grad": lambda: lw.grad,
    "jax.value_and_grad": lambda: lw.value_and_grad,
    "jax.vmap": lambda: lw.vmap,
}


def _stand_in(module: ModuleType) -> Any:
    """Return the stand-in for a module; None for a module that needs none, or is not followed."""
    name = module.__name__
    import numpy as np

    if name == "numpy":
        return StandIn(module, module)
    if name in ("jax", "jax.lax", "jax.scipy", "jax.random"):
        return StandIn(module, None)
    if name == "jax.nn":
        return StandIn(module, lw.nn)
    if name in ("jax.numpy", "jax.numpy.linalg", "jax.numpy.fft"):
        return StandIn(module, functools.reduce(getattr, name.split(".")[2:], np))
    if name == "torch":
        return following_torch.TorchStandIn(module)
    return None


def unwrapped(function: Any) -> Any:
    """Return a function as it was written, if JAX compiles it."""
    inner = getattr(function, "__wrapped__", None)
    compiled = type(function).__module__.partition(".")[0] in ("jaxlib", "jax")
    return inner if compiled and inner is not None else function


def _plain(function: Any) -> Any:
    """Return the Python function of a method, a partial or compiled function, or a callable object; or None."""
    while not isinstance(function, FunctionType):
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, MethodType):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            call = type(function).__dict__.get("__call__")
            return call if isinstance(call, FunctionType) else None
    return function


def _global_names(function: Any) -> dict[str, Any]:
    """Return the global names of a program."""
    found: dict[str, Any] = getattr(_plain(function), "__globals__", {})
    return found


def _instead(value: Any) -> Any:
    """Return the stand-in for a global name's value; for most values, the value itself."""
    if isinstance(value, ModuleType):
        return _stand_in(value) or value
    module = str(getattr(value, "__module__", "") or "")
    if callable(value) and module.partition(".")[0] == "jax":  # from jax.numpy import where
        name = getattr(value, "__name__", "")
        for public in ("jax.numpy", "jax.nn", "jax"):
            if public in sys.modules and getattr(sys.modules[public], name, None) is value:
                return getattr(_stand_in(sys.modules[public]), name)
    return unwrapped(value)


#: The frameworks whose programs are followed, and ours. The first that a program names is the one it is written for.
_FRAMEWORKS = ("latticework", "torch", "jax", "numpy")


def framework_of(function: Any, arrays: Iterable[str] = ()) -> str:
    """Return the framework that a program is written for: ``"latticework"`` where it names any module of ours, or none.

    The names that the function itself uses decide; then `arrays`, the frameworks of the arrays that it is called with;
    then the names of its whole module.
    """
    if any(base.__module__.startswith("torch.") for base in type(function).__mro__):
        return "torch"  # a module
    names, code = _global_names(function), getattr(_plain(function), "__code__", None)
    used = code.co_names if code else ()
    imported = {n for n in used if n in _FRAMEWORKS and n not in names}  # in the function itself
    own = imported | _roots(names.get(n) for n in used)
    for roots in (own, {*arrays}, _roots(names.values())):
        for framework in _FRAMEWORKS:
            if framework in roots:
                return framework
    return "latticework"


def _roots(values: Iterable[Any]) -> set[str]:
    """Return the packages of the modules among values."""
    return {v.__name__.partition(".")[0] for v in values if isinstance(v, ModuleType)}


def is_for_torch(function: Any) -> bool:
    """Return whether a program is written for PyTorch."""
    return framework_of(function) == "torch"


@contextmanager
def followed(function: Any) -> Iterator[None]:
    """Put stand-ins in place of frameworks' modules among the global names of a program, and restore the modules."""
    names = _global_names(function)
    if str(names.get("__name__", "")).partition(".")[0] == "latticework":
        yield
        return
    before = {name: value for name, value in [*names.items()] if not name.startswith("__")}
    changed = {name: new for name, value in before.items() if (new := _instead(value)) is not value}
    names.update(changed)
    try:
        yield
    finally:
        names.update({name: before[name] for name in changed})
