"""Native in, native out: functions and namespaces over the frameworks' own arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from functools import cache, update_wrapper
from types import FunctionType, ModuleType
from typing import Any, ParamSpec, TypeVar, overload

from ..backend import Backend, get, of, unknown_backend
from ..backend.facts import all_facts
from ..contents import CHAPTERS, NAMESPACES
from ..core.dtypes import SCALARS, Dtype, all_dtypes, extended_dtypes
from ..core.registry import ALIASES, OPS
from ..engine.arrays.array import Array
from ..engine.calls.native_dispatch import over_native
from ..engine.exchange.native import Exchange, backends_in, scalars
from ..errors import BackendError, nearest
from ..policy import call_under, current

__all__ = ["array_namespace", "native"]

P = ParamSpec("P")
R = TypeVar("R")

#: The chapters whose functions are about no arrays: policies, plans, rules. A native namespace has them as they are.
_AS_THEY_ARE = {
    name
    for module, names in CHAPTERS.items()
    if not module.startswith("api.") or module in ("api.plans", "api.inference", "api.rules", "api.native")
    for name in names.split()
}


@cache
def _exchange(backend: Backend) -> Exchange:
    return Exchange(backend)


# --- namespaces ---------------------------------------------------------------------------------------------------

#: The class of an argument of `array_namespace` -> its namespace; None for a class that is passed over.
_OF_CLASS: dict[type, ModuleType | None] = dict.fromkeys((*SCALARS, type(None)))


def array_namespace(*arrays: Any) -> Any:
    """Find the namespace whose functions take some arrays and give the same kind: all of latticework over a framework's
    own arrays.

    Parameters
    ----------
    arrays: a framework's arrays, all of one; Python scalars and None among them are passed over. Or one backend's name.

    Returns
    -------
    One object per backend, with the functions, dtypes, constants and submodules of latticework. Its functions take and
    give the framework's arrays, its dtypes are the framework's own, and what it makes anew is the framework's. They
    follow the policy in force (`lw.using`). For arrays of latticework it is latticework itself. Where nothing is an
    array, it is that of the backend in force.

    Raises
    ------
    BackendError: there are arrays of two frameworks.
    TypeError: for what is no array.
    ValueError: for a name that is no backend.

    Notes
    -----
    Operators between native arrays are the framework's: ``x + y`` promotes as the framework does, ``xp.add(x, y)`` as
    latticework. An array that JAX calls weak has the dtype that it says, as any other, unless the rules in force have
    weak arrays; what `jax.jit` traces for a Python number gives way as the number does. NumPy's results without
    dimensions are NumPy scalars, as its own functions give them. Functions that write to an argument, and ``out=``,
    work on frameworks whose arrays can be written to, and are refused on others.

    Examples
    --------
    >>> import numpy as np
    >>> import latticework as lw
    >>> x = np.asarray([1, 2], dtype=np.int32)
    >>> xp = lw.array_namespace(x, None, 1.5)
    >>> xp.add(x, 1.5), xp.float32, xp is lw.array_namespace("numpy")
    (array([2.5, 3.5], dtype=float32), dtype('float32'), True)
    """
    found: ModuleType | None = None
    for x in arrays:
        try:
            namespace = _OF_CLASS[type(x)]
        except KeyError:
            namespace = _namespace_for(x, len(arrays))
        if namespace is not found and namespace is not None:
            if found is not None:
                return _of_several(arrays)
            found = namespace
    return found if found is not None else _namespace(current().backend)


def _namespace_for(x: Any, count: int) -> ModuleType:
    """The namespace of an argument of a class that was not met before."""
    if isinstance(x, str):
        if count > 1:
            raise TypeError(f"array_namespace: a backend's name is given alone; got {x!r} beside {count - 1} more")
        return _namespace(x)
    if type(x) is Array:
        found = sys.modules["latticework"]
    else:
        owner = of(x)
        if owner is None:
            way_out = ". Make an array of it first" if isinstance(x, (list, tuple)) else ""
            raise TypeError(
                f"array_namespace: takes arrays, Python scalars and None, or a backend's name; "
                f"got {type(x).__name__}{way_out}"
            )
        found = _namespace(owner.name)
    _OF_CLASS[type(x)] = found
    return found


def _of_several(arrays: tuple[Any, ...]) -> Any:
    """Return the namespace of arguments that have several: NumPy scalars go with any array, and a framework's arrays
    with lw.Arrays."""
    backend = _one("array_namespace", backends_in(arrays, {}))
    ours = any(type(x) is Array for x in arrays)
    return sys.modules["latticework"] if ours else _namespace((backend or get(current().backend)).name)


def _one(name: str, backends: Collection[Backend]) -> Backend | None:
    """The one backend of some arrays."""
    found = [*backends]
    if len(found) > 1:
        a, b = found[:2]
        raise BackendError(
            f"{name}: arrays of two backends, {a.title} and {b.title}, in one call. "
            f"Convert one: lw.asarray(x, backend={a.name!r}).data"
        )
    return found[0] if found else None


@cache
def _namespace(name: str) -> ModuleType:
    backend = get(name)
    if not backend.facts.framework:
        raise unknown_backend(name)
    return _module(backend, "")


def _module(backend: Backend, chapter: str) -> ModuleType:
    """The namespace over a backend's arrays, or one of its submodules: a module that finds its names when asked."""
    ours: Any = sys.modules["latticework"]
    if chapter:
        ours = getattr(ours, chapter)
    module = ModuleType(f"latticework.native.{backend.name}.{chapter}".rstrip("."))
    module.__doc__ = f"The functions of `{ours.__name__}` over the arrays of {backend.title}."
    names = vars(module)
    comes_and_goes = {"__all__", *map(str, backend.conditional_dtypes)}

    def look_up(name: str) -> Any:
        if name in NAMESPACES and not chapter:
            value: Any = _module(backend, name)
        else:
            value = _over(backend, chapter, name, ours)
        if name not in comes_and_goes and not name.startswith(_OF_BACKEND):
            names[name] = value
        return value

    names["__getattr__"] = look_up
    names["__dir__"] = lambda: sorted({*dir(ours), *names})
    return module


#: Prefixes of names that are not kept: their value changes when a backend's dtypes come and go.
_OF_BACKEND = ("valid_", "invalid_", "native_", "NativeDtype")

#: Names with underscores that a namespace has; Python and libraries ask a module for others.
_SPECIAL = ("__all__", "__array_api_version__", "__array_namespace_info__", "__version__")


def _over(backend: Backend, chapter: str, name: str, ours: Any) -> Any:
    """A name of latticework over a backend's arrays."""
    where = f"latticework.native.{backend.name}{chapter and '.'}{chapter}"
    if name.startswith("__") and name not in _SPECIAL:
        raise AttributeError(f"module {where!r} has no attribute {name!r}", name=name)
    if not chapter and name in ("Array", "Dtype"):
        return backend.arrays if name == "Array" else backend.dtype_class
    policy = current().on(backend.name)._with(chosen=True)
    try:
        value = call_under(policy, getattr, (ours, name), {})
    except AttributeError as error:
        raise AttributeError(str(error).replace(repr(ours.__name__), repr(where), 1), name=name) from None
    if name == "__all__":
        lacking = {str(d) for d in (*all_dtypes, *extended_dtypes) if d not in backend.native_dtypes}
        return [n for n in value if n not in lacking]
    if isinstance(value, Dtype) and value not in backend.native_dtypes:
        raise AttributeError(f"{where}.{name}: the {backend.title} backend has no {value}", name=name)
    if not isinstance(value, FunctionType):
        return value if isinstance(value, (type, ModuleType)) else _exchange(backend).wrap(value)
    if not chapter and name in _AS_THEY_ARE:
        return value
    known = f"{chapter}.{name}" if chapter else ALIASES.get(name, name)
    return over_native(OPS.get(known), value, _exchange(backend))


# --- functions ----------------------------------------------------------------------------------------------------


@overload
def native(f: Callable[P, R], /) -> Callable[P, R]: ...


@overload
def native(
    *, backend: str | None = None, static: str | int | Sequence[str | int] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def native(
    f: Callable[..., Any] | None = None, /, *, backend: str | None = None, static: str | int | Sequence[str | int] = ()
) -> Any:
    """Make of a function written in latticework one of frameworks' own arrays: native in, native out.

    The function is called with arrays of latticework in the place of the framework's. They share their memory, and what
    it makes anew is made on their backend and device. Arrays are found in lists, tuples, named tuples and dicts, by
    position and by name. The result has the framework's arrays in the same places. Where the arguments have arrays of
    latticework alone, the function is called as it is, and so are its results.

    Parameters
    ----------
    f: the function.
    backend: the only backend whose arrays it takes; by default any, one in each call.
    static: names or positions of arguments that are handed on as they are, also where they hold arrays or functions.

    Returns
    -------
    A function with the signature of `f`.

    Raises
    ------
    BackendError: when it is called: with arrays of two backends, or of another than `backend`; or where `f` writes to
        an argument whose framework's arrays never change.
    TypeError: when it is made: `static` names no parameter of `f`.

    Notes
    -----
    A call without arrays runs on the backend in force. A NumPy scalar is an array where there are no others, and is
    handed on as it is beside those. A function among the arguments is called with the framework's arrays, as its writer
    expects. It works inside `jax.jit`, `jax.vmap`, `jax.grad`, `torch.func`, `torch.compile` and `tf.function`.

    Examples
    --------
    >>> import numpy as np
    >>> import latticework as lw
    >>> @lw.native
    ... def standardise(x, *, axis=0):
    ...     return (x - lw.mean(x, axis=axis, keepdims=True)) / lw.std(x, axis=axis, keepdims=True)
    >>> standardise(np.asarray([1.0, 3.0], dtype=np.float32))
    array([-1.,  1.], dtype=float32)
    >>> standardise(lw.asarray([1.0, 3.0]))
    Array([-1.,  1.], dtype=float32)
    """
    if backend is not None and not (backend in all_facts() and all_facts()[backend].framework):
        raise unknown_backend(backend)
    if f is None:
        return lambda f: native(f, backend=backend, static=static)  # type: ignore[call-overload]
    if not callable(f):
        raise TypeError(f"native: takes a function; got {type(f).__name__}")
    name = getattr(f, "__name__", "native")
    kept = _Static(f, (static,) if isinstance(static, (str, int)) else static)

    def call(*args: Any, **kw: Any) -> Any:
        looked_at, options = kept.without(args, kw)
        found = backends_in(looked_at, {})
        if options:
            backends_in(options.values(), found)
        if found and not any(found.values()):
            return f(*args, **kw)
        only = None if backend is None else get(backend)
        lifting = len(found) > 1 and _lifting(found, [looked_at, options])
        owner = lifting or _one(name, found) or only or _without_arrays([looked_at, options])
        if only is not None and owner is not only:
            raise BackendError(
                f"{name}: takes arrays of {only.title}; got one of {owner.title}. "
                f"Convert it: lw.asarray(x, backend={only.name!r}).data"
            )
        exchange, made = _exchange(owner), list[Any]()
        taken = tuple([exchange.unwrap(x, made) for x in looked_at])
        named = {name: exchange.unwrap(x, made) for name, x in options.items()}
        if lifting:
            taken, named = exchange.lifted((taken, named), made)
        taken, named = kept.put_back(taken, named, args, kw)
        return exchange.wrap(exchange.under(exchange.policy(made), f, taken, named, made))

    return update_wrapper(call, f)


def _lifting(found: Collection[Backend], tree: Any) -> Backend | None:
    """Return the one of two backends whose framework traces and takes the other's arrays (see `Exchange.lifted`)."""
    lifting = [b for b in found if b.lifts is not None]
    if len(found) != 2 or len(lifting) != 1:
        return None
    exchange, made = _exchange(lifting[0]), list[Any]()
    taken = exchange.unwrap(tree, made)
    others = backends_in([exchange.lifted(taken, made)], {})
    return lifting[0] if [*others] == lifting else None


def _without_arrays(tree: Any) -> Backend:
    """The backend of a call without arrays: NumPy's where there is one of its scalars, else the one in force."""
    scalar = next(scalars(tree), None)
    return get(current().backend) if scalar is None else scalar


class _Static:
    """The arguments of a function that are handed on as they are."""

    def __init__(self, f: Callable[..., Any], static: Sequence[str | int]) -> None:
        self.names: set[str] = set()
        self.positions: set[int] = set()
        if not static:
            return
        from inspect import signature

        parameters = [*signature(f).parameters]
        for which in static:
            if isinstance(which, str) and which not in parameters:
                raise TypeError(f"native: static names {which!r}, which is no parameter{nearest(which, parameters)}")
            self.positions.add(parameters.index(which) if isinstance(which, str) else which)
        self.names = {parameters[i] for i in self.positions if i < len(parameters)}

    def without(self, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments with None in the places of those that are handed on as they are."""
        if not self.positions:
            return args, kw
        return (
            tuple([None if i in self.positions else x for i, x in enumerate(args)]),
            {name: None if name in self.names else x for name, x in kw.items()},
        )

    def put_back(
        self, taken: tuple[Any, ...], named: dict[str, Any], args: tuple[Any, ...], kw: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Put the arguments that are handed on as they are back into their places."""
        if not self.positions:
            return taken, named
        return (
            tuple([args[i] if i in self.positions else x for i, x in enumerate(taken)]),
            {name: kw[name] if name in self.names else x for name, x in named.items()},
        )
