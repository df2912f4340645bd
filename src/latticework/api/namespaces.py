"""The namespaces over frameworks' own arrays, and those with parts of a policy of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from functools import cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ..backend import Backend, get, of, unknown_backend
from ..contents import CHAPTERS, NAMESPACES
from ..core.dtypes import SCALARS, Dtype, all_dtypes, extended_dtypes
from ..core.registry import ALIASES, OPS
from ..engine.arrays.array import Array
from ..engine.calls.bound import over_ours
from ..engine.calls.native_dispatch import over_native
from ..engine.exchange.binding import Binding, binding_of
from ..engine.exchange.native import Exchange, backends_in
from ..engine.exchange.within import Within
from ..errors import BackendError
from ..policy import call_under, current

if TYPE_CHECKING:
    from typing import Unpack

    from ..engine.exchange.binding import Parts

__all__ = ["array_namespace"]

_ABOUT_NO_ARRAYS = ("api.plans", "api.inference", "api.rules", "api.native", "api.namespaces")

#: The chapters whose functions are about no arrays: policies, plans, rules. A native namespace has them as they are.
_AS_THEY_ARE = {
    name
    for module, names in CHAPTERS.items()
    if not module.startswith("api.") or module in _ABOUT_NO_ARRAYS
    for name in names.split()
}


#: Those among them that read the policy in force.
_READING = {"casting_modes", "as_dtype"} | {
    name for module in ("api.plans", "api.inference", "api.rules", "support.query") for name in CHAPTERS[module].split()
}


@cache
def exchange_of(backend: Backend, binding: Binding | None = None) -> Exchange:
    """Return the exchange of a backend's arrays."""
    return Exchange(backend, binding)


@cache
def within(binding: Binding) -> Within:
    """Return what makes calls on latticework's arrays under a binding."""
    return Within(binding)


# --- namespaces ---------------------------------------------------------------------------------------------------


class _Namespace(ModuleType):
    """A namespace of functions: a module that finds its names when they are asked for, and that can be pickled."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _found_again, self.__dict__["__found_by__"]


#: The class of an argument of `array_namespace` -> its namespace; None for a class that is passed over.
_OF_CLASS: dict[type, ModuleType | None] = dict.fromkeys((*SCALARS, type(None)))


def array_namespace(*arrays: Any, **policy: Unpack[Parts]) -> Any:
    """Find the namespace whose functions take some arrays and give the same kind: all of latticework over a framework's
    own arrays.

    Parameters
    ----------
    arrays: a framework's arrays, all of one; Python scalars and None among them are passed over. Or one backend's name.
    policy: parts of a policy that the namespace has of its own: `rules`, `default_float`, `default_int`,
        `default_uint`, `default_complex`, `default_dtype`, `casting` and `gradients`, as `lw.using` takes them.
        None leaves a part as it is in force where a function is called.

    Returns
    -------
    One object per backend and policy, with the functions, dtypes, constants and submodules of latticework. Its
    functions take and give the framework's arrays, its dtypes are the framework's own, and what it makes anew is the
    framework's. They follow the policy in force (`lw.using`), but for the parts that are given. For arrays of
    latticework it is latticework itself, with parts of a policy a namespace of the same functions. Where nothing is an
    array, it is that of the backend in force.

    Raises
    ------
    BackendError: there are arrays of two frameworks.
    TypeError: for what is no array; for what is no part of a policy, and a dtype of another kind.
    ValueError: for a name that is no backend; for a value that a part of a policy does not have.

    Notes
    -----
    Operators between native arrays are the framework's: ``x + y`` promotes as the framework does, ``xp.add(x, y)`` as
    latticework. An array that JAX calls weak has the dtype that it says, as any other, unless the rules in force have
    weak arrays; what `jax.jit` traces for a Python number gives way as the number does. NumPy's results without
    dimensions are NumPy scalars, as its own functions give them. Functions that write to an argument, and ``out=``,
    work on frameworks whose arrays can be written to, and are refused on others.

    With parts of a policy, the functions of the namespace follow these whoever calls them, in any thread, at the time
    of a call without them. A function that one is given, as by ``xp.vmap(f)``, runs under the policy of the caller.
    Operators and methods of latticework's arrays follow the policy in force; `lw.native` puts one in force for a
    function. A namespace can be pickled, and is the same object again.

    Examples
    --------
    >>> import numpy as np
    >>> import latticework as lw
    >>> x = np.asarray([1, 2], dtype=np.int32)
    >>> xp = lw.array_namespace(x, None, 1.5)
    >>> xp.add(x, 1.5), xp.float32, xp is lw.array_namespace("numpy")
    (array([2.5, 3.5], dtype=float32), dtype('float32'), True)
    >>> double = lw.array_namespace(x, default_float="float64")
    >>> double.add(x, 1.5).dtype, double.zeros(2).dtype, xp.zeros(2).dtype
    (dtype('float64'), dtype('float64'), dtype('float32'))
    """
    found: ModuleType | None = None
    for x in arrays:
        try:
            namespace = _OF_CLASS[type(x)]
        except KeyError:
            namespace = _namespace_for(x, len(arrays))
        if namespace is not found and namespace is not None:
            if found is not None:
                found = _of_several(arrays)
                break
            found = namespace
    if found is None:
        found = _namespace(current().backend)
    return _bound(found, binding_of("array_namespace", policy)) if policy else found


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
    backend = one_of("array_namespace", backends_in(arrays, {}))
    ours = any(type(x) is Array for x in arrays)
    return sys.modules["latticework"] if ours else _namespace((backend or get(current().backend)).name)


def one_of(name: str, backends: Collection[Backend]) -> Backend | None:
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
    return _module(backend, "", None)


@cache
def _bound(namespace: ModuleType, binding: Binding | None) -> ModuleType:
    """Return a namespace with parts of a policy of its own."""
    if binding is None:
        return namespace
    name = vars(namespace).get("__found_by__", ("",))[0]
    return _module(get(name) if name else None, "", binding)


def _found_again(name: str, chapter: str, words: dict[str, Any]) -> Any:
    """Return a namespace that was pickled, or a submodule of one. No name is that of latticework's own arrays."""
    found = _namespace(name) if name else sys.modules["latticework"]
    if words:
        found = _bound(found, binding_of("array_namespace", words))
    return getattr(found, chapter) if chapter else found


def _module(backend: Backend | None, chapter: str, binding: Binding | None) -> ModuleType:
    """The namespace over a backend's arrays, or latticework's own, or one of its submodules."""
    ours: Any = sys.modules["latticework"]
    if chapter:
        ours = getattr(ours, chapter)
    path = "latticework" if backend is None else f"latticework.native.{backend.name}"
    module = _Namespace(f"{path}{f'({binding!r})' if binding else ''}.{chapter}".rstrip("."))
    arrays = "latticework" if backend is None else backend.title
    module.__doc__ = (
        f"The functions of `{ours.__name__}` over the arrays of {arrays}{f', {binding!r}' * bool(binding)}."
    )
    names = vars(module)
    names["__found_by__"] = (backend.name if backend else "", chapter, binding.words() if binding else {})
    comes_and_goes = {"__all__", *map(str, () if backend is None else backend.conditional_dtypes)}

    def look_up(name: str) -> Any:
        if name in NAMESPACES and not chapter:
            value: Any = _module(backend, name, binding)
        elif backend is None:
            assert binding is not None
            value = _over_ours(binding, chapter, name, ours)
        else:
            value = _over(backend, binding, chapter, name, ours)
        if name not in comes_and_goes and not name.startswith(_OF_BACKEND) and name not in unkept:
            names[name] = value
        return value

    unkept = {*map(str, (*all_dtypes, *extended_dtypes))} if backend is None else set[str]()
    names["__getattr__"] = look_up
    names["__dir__"] = lambda: sorted({*dir(ours), *names} - {"__found_by__"})
    return module


#: Prefixes of names that are not kept: their value changes when a backend's dtypes come and go.
_OF_BACKEND = ("valid_", "invalid_", "native_", "NativeDtype")

#: Names with underscores that a namespace has; Python and libraries ask a module for others.
_SPECIAL = ("__all__", "__array_api_version__", "__array_namespace_info__", "__version__")


def _over(backend: Backend, binding: Binding | None, chapter: str, name: str, ours: Any) -> Any:
    """A name of latticework over a backend's arrays."""
    where = f"latticework.native.{backend.name}{chapter and '.'}{chapter}"
    if name.startswith("__") and name not in _SPECIAL:
        raise AttributeError(f"module {where!r} has no attribute {name!r}", name=name)
    if not chapter and name in ("Array", "Dtype"):
        return backend.arrays if name == "Array" else backend.dtype_class
    policy = current() if binding is None else binding.of(current())
    policy = policy.on(backend.name)._with(chosen=True)
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
        return value if isinstance(value, (type, ModuleType)) else exchange_of(backend, binding).wrap(value)
    if not chapter and name in _AS_THEY_ARE:
        return value if binding is None or name not in _READING else binding.quietly(value)
    known = f"{chapter}.{name}" if chapter else ALIASES.get(name, name)
    return over_native(OPS.get(known), value, exchange_of(backend, binding))


def _over_ours(binding: Binding, chapter: str, name: str, ours: Any) -> Any:
    """A name of latticework with parts of a policy of its own."""
    if name.startswith("__") and name not in _SPECIAL:
        raise AttributeError(f"module {ours.__name__!r} has no attribute {name!r}", name=name)
    value = call_under(binding.of(current()), getattr, (ours, name), {})
    if not isinstance(value, FunctionType):
        return value
    if not chapter and name in _AS_THEY_ARE:
        return value if name not in _READING else binding.quietly(value)
    o = OPS.get(f"{chapter}.{name}" if chapter else ALIASES.get(name, name))
    if o is not None and o.dispatched and "missed" in value.__globals__:
        return over_ours(o, value, binding)
    taken = getattr(o.function, "__annotations__", {}) if o is not None and o.wrap is Array else {"f": "Callable"}
    alone = not any("Callable" in str(a) for a in taken.values())  # it takes and gives no function
    return binding.quietly(value) if alone else within(binding).function(value)
