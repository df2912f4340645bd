"""Programs that were written for a framework, followed without a change of their imports: by the framework's dialect.

During the audit the dialect takes the framework's place among the global names of the program, and its arguments are
arrays of the dialect. So what the dialect knows, the audit knows. The rules in force decide in place of the
framework's (`Dialect.under`). PyTorch's models become models of the dialect.

A NumPy program gets lw.Arrays, and NumPy's functions dispatch to them. Functions that make arrays of Python values, as
``np.zeros``, do not dispatch: a stand-in for the module has the dialect's.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from inspect import unwrap
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from ..backend import get, of
from ..core.registry import functions as lw
from ..core.trees import flatten
from ..engine.arrays.array import Array
from ..engine.functions.without_data import stand_in
from ..engine.numpy_calls.functions import is_ours
from ..frontends import dialect_named
from ..frontends.naming import PREFIX, filled
from ..frontends.redirecting import redirected_value
from ..policy import Policy, block, current
from ..promotion import rules_named
from .places import is_program

__all__ = ["Followed", "NotFollowedError", "followed", "framework_of"]


class NotFollowedError(NotImplementedError):
    """A framework's function without a counterpart in latticework, or without one for this call."""


# --- which framework --------------------------------------------------------------------------------------------------

#: The frameworks whose programs are followed, and ours. The first that a program names is the one it is written for.
_FRAMEWORKS = ("latticework", "torch", "jax", "tensorflow", "numpy")


def framework_of(function: Any, arrays: Iterable[str] = (), *, dialects: bool = False) -> str:
    """Return the framework that a program is written for: ``"latticework"`` where it names any module of ours, or none.

    The names that the function itself uses decide; then `arrays`, the frameworks of the arrays that it is called with;
    then the names of its whole module. With `dialects`, a program in a dialect is one of its framework.
    """
    if any(base.__module__.startswith("torch.") for base in type(function).__mro__):
        return "torch"  # a module
    names, code = _global_names(function), getattr(_plain(function), "__code__", None)
    used = code.co_names if code else ()
    imported = {n for n in used if n in _FRAMEWORKS and n not in names}  # in the function itself
    own = imported | _roots((names.get(n) for n in used), dialects)
    for roots in (own, {*arrays}, _roots(names.values(), dialects)):
        for framework in _FRAMEWORKS:
            if framework in roots:
                return framework
    return "latticework"


def _roots(values: Iterable[Any], dialects: bool) -> set[str]:
    """Return the packages of the modules among values."""
    names = [v.__name__ for v in values if isinstance(v, ModuleType)]
    return {(n.removeprefix(PREFIX) if dialects else n).partition(".")[0] for n in names}


def _unwrapped(function: Any) -> Any:
    """Return a function as it was written, if JAX, TensorFlow or PyTorch compiles it."""
    inner = getattr(function, "__wrapped__", None)
    compiled = type(function).__module__.partition(".")[0] in ("jaxlib", "jax", "tensorflow")
    return inner if compiled and inner is not None else getattr(function, "_torchdynamo_orig_callable", function)


def _plain(function: Any) -> Any:
    """Return the Python function of a method, a partial, decorated or compiled function, or a callable object; or None.

    A function of a framework around one of the program, as `torch.no_grad()` makes it, is left out.
    """
    while not isinstance(function, FunctionType) or _wraps(function):
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


def _wraps(function: FunctionType) -> bool:
    """Return whether a function of a library wraps one of a program."""
    inner = unwrap(function)
    code = getattr(inner, "__code__", None)
    return (
        inner is not function
        and code is not None
        and is_program(code.co_filename, inner.__module__)
        and not is_program(function.__code__.co_filename, "")
    )


def _global_names(function: Any) -> dict[str, Any]:
    """Return the global names of a program."""
    found: dict[str, Any] = getattr(_plain(function), "__globals__", {})
    return found


# --- what stands in the place of what ---------------------------------------------------------------------------------


class _Instead:
    """The values that take the place of a program's own.

    Parameters
    ----------
    framework: the framework of the program.
    """

    def __init__(self, framework: str) -> None:
        self.framework = framework
        self.dialect = dialect_named(framework)
        self.models = _models(self.array) if framework == "torch" and "torch" in sys.modules else None

    def value(self, x: Any) -> Any:
        """Return what stands for a value: a module, a function or class of the framework, an array, a model."""
        if isinstance(x, FunctionType) and (_wraps(x) or is_program(x.__code__.co_filename, x.__module__)):
            return x  # its global names have what stands for theirs
        if isinstance(x, Array):
            return self.dialect.wrapped(x)
        with suppress(ImportError, AttributeError):  # the dialect lacks it
            if self.models is not None:
                return self.models.value(x)
            owner = of(x) if hasattr(x, "dtype") and hasattr(x, "shape") else None
            if owner is not None and owner.name == self.framework:
                return self.array(x)
            found = redirected_value(x, (self.framework,))
            return _unwrapped(x) if found is x else found
        return _unwrapped(x)

    def array(self, x: Any) -> Any:
        """Return the array without data of the dialect for one of the framework."""
        return self.dialect.wrapped(stand_in(lw.asarray(x), get(current().backend), "cpu"))

    def program(self, f: Any) -> Any:
        """Return what is called in the place of a program: of a method and a partial function, that of its parts."""
        if isinstance(f, functools.partial):
            return functools.partial(
                self.program(f.func), *map(self.value, f.args), **{n: self.value(x) for n, x in f.keywords.items()}
            )
        if isinstance(f, MethodType) and self.value(f.__self__) is not f.__self__:
            return getattr(self.value(f.__self__), f.__name__)
        return self.value(f)

    def given(self, x: Any) -> Any:
        """Return an argument as the program gets it."""
        if type(x) in (list, tuple):
            return type(x)([self.given(y) for y in x])
        if type(x) is dict:
            return {key: self.given(y) for key, y in x.items()}
        return self.dialect.wrap(x) if isinstance(x, tuple) else self.value(x)

    def result(self, x: Any) -> Any:
        """Return the result of a program with lw.Arrays."""
        return self.dialect.unwrap(x, {})

    def torch_function(self, kind: type, function: Any, types: Any, args: Any = (), kw: Any = None) -> Any:
        """Call the dialect's function in the place of PyTorch's own, as a package calls it: `__torch_function__`."""
        from torch.overrides import resolve_name

        name = resolve_name(function)
        if name is None:
            raise NotFollowedError(f"{function} is no public function of PyTorch: it is not followed")
        ours = functools.reduce(getattr, name.split(".")[1:], redirected_value(sys.modules["torch"], ("torch",)))
        return ours(*map(self.given, args), **{n: self.given(x) for n, x in (kw or {}).items()})


def _models(array: Callable[[Any], Any]) -> Any:
    """Return the copies of PyTorch's modules as modules of the dialect, with arrays without data."""
    from ..frontends.torch.models.copying import Copies

    class WithoutData(Copies):
        def array(self, x: Any) -> Any:
            return array(x)

    return WithoutData()


# --- the run ----------------------------------------------------------------------------------------------------------


class Followed:
    """A program as a run calls it.

    Attributes
    ----------
    program: the function to call.
    given: makes its arguments of lw.Arrays and other values.
    result: makes lw.Arrays of its result.
    """

    def __init__(self, program: Any, given: Callable[[Any], Any], result: Callable[[Any], Any]) -> None:
        self.program, self.given, self.result = program, given, result


@contextmanager
def followed(function: Any, policy: Policy, *, own: bool = False) -> Iterator[Followed]:
    """Put a policy in force, and dialects in the place of the program's framework, and undo both in the end.

    Parameters
    ----------
    own: whether the rules of the dialect are in force, where the program has one, in place of the policy's.
    """
    framework = framework_of(function, dialects=True)
    with ExitStack() as stack:
        if framework == "latticework" or framework_of(function) == "numpy":
            stack.enter_context(block(policy))
            stack.enter_context(_names_changed(function, _numpy_instead))
            yield Followed(_unwrapped(function), lambda x: x, lambda x: x)
            return
        dialect = dialect_named(framework)
        stack.enter_context(dialect.under(policy._with(rules=rules_named(dialect.rules())) if own else policy))
        instead = _Instead(framework)
        stack.enter_context(_names_changed(function, instead.value))
        if framework == "torch":
            kind: Any = dialect.array
            kind.__torch_function__ = classmethod(instead.torch_function)
            stack.callback(delattr, kind, "__torch_function__")
        yield Followed(instead.program(function), instead.given, instead.result)


@contextmanager
def _names_changed(function: Any, instead: Callable[[Any], Any]) -> Iterator[None]:
    """Change the global names of a program, and of its modules that it names, and its closure; restore all."""
    before: list[tuple[Any, Any, Any]] = []
    try:
        for names in [*_modules(function)]:
            for name, value in [*names.items()]:
                if not name.startswith("__") and (new := instead(value)) is not value:
                    before.append((names, name, value))
        changes = [instead(value) for _, _, value in before]
        for (names, name, _), new in zip(before, changes, strict=True):
            names[name] = new
        for cell in getattr(_plain(function), "__closure__", None) or ():
            if filled(cell):
                before.append((cell, "", cell.cell_contents))
                cell.cell_contents = instead(cell.cell_contents)
        yield
    finally:
        for where, name, value in before:
            if isinstance(where, CellType):
                where.cell_contents = value
            else:
                where[name] = value


def _modules(function: Any) -> Iterator[dict[str, Any]]:
    """Yield the global names of a program, and of the modules of its own that it imports something of."""
    waiting, seen = [_global_names(function)], set[int]()
    while waiting:
        names = waiting.pop()
        if id(names) in seen or str(names.get("__name__", "")).partition(".")[0] == "latticework":
            continue
        seen.add(id(names))
        yield names
        for value in [*names.values()]:
            name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            module = sys.modules.get(str(name or ""))
            if module is not None and is_program(str(getattr(module, "__file__", None) or "<>"), module.__name__):
                waiting.append(vars(module))


# --- NumPy ------------------------------------------------------------------------------------------------------------


class StandIn(ModuleType):
    """A stand-in for NumPy, or a module of it: its names, with the dialect's functions for those that do not dispatch.

    These are the functions that make arrays of Python values, and those that would ask an lw.Array for its data.
    """

    def __init__(self, real: ModuleType) -> None:
        super().__init__(real.__name__)
        self._real = real

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._real, name)
        chapter = self._real.__name__.partition(".")[2]
        if isinstance(real, ModuleType):
            return StandIn(real) if real.__name__.startswith("numpy.") else real
        if not callable(real) or isinstance(real, type) or hasattr(real, "nin"):
            return real
        return real if is_ours(f"{chapter}.{name}".strip(".")) else _by_dialect(self._real, name)


def _by_dialect(module: ModuleType, name: str) -> Any:
    """Return the dialect's function in the place of one of NumPy's, for lw.Arrays; itself where it has none."""
    real = getattr(module, name)
    dialect = dialect_named("numpy")
    ours: Any = getattr(redirected_value(module, ("numpy",)), name, None)
    makes = getattr(ours, "__module__", "").endswith(".creation")

    def call(*args: Any, **kw: Any) -> Any:
        given = [*flatten((args, kw))[0]]
        if not makes and not any(isinstance(x, Array) for x in given):
            return real(*args, **kw)  # of values that are known
        with dialect.under(current()):
            return dialect.unwrap(ours(*dialect.wrap(args), **dialect.wrap(kw)), {})

    return real if ours is None else functools.update_wrapper(call, ours)


def _numpy_instead(value: Any) -> Any:
    return StandIn(value) if isinstance(value, ModuleType) and value.__name__ == "numpy" else _unwrapped(value)
