"""What a call, an attribute or an element stands for, by what it is called on or taken from."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import latticework as lw

from ..core.dtypes import SCALARS, Dtype
from ..engine.array import Array
from . import known, operations
from .decorators import undecorated
from .operations import RefusedError
from .syntax import CannotSeeError, name_of
from .values import (
    UNKNOWN,
    Arr,
    Either,
    Func,
    Items,
    Known,
    Many,
    Method,
    Named,
    Obj,
    Partial,
    Scalar,
    Value,
    element,
    join_all,
    wrap,
)

if TYPE_CHECKING:
    from .expressions import Frame, Walking

__all__ = ["attribute", "bind", "call", "item", "module", "own_operator"]

Keywords = dict[str, Value]
_ABSENT: Any = object()
PLAIN: Any = (str, bytes, tuple, list, dict, set, frozenset, range, slice, type(None), Dtype, *SCALARS)


def bind(
    given: ast.arguments, args: list[Value], keywords: Keywords, defaults: list[Value], by_name: Keywords
) -> Keywords:
    """The parameters of a call by name. One that is not given and has no default may be anything."""
    positional = [a.arg for a in (*given.posonlyargs, *given.args)]
    found = dict(zip(reversed(positional), reversed(defaults), strict=False)) | by_name
    spread = next((i for i, a in enumerate(args) if isinstance(a, Many) and i >= len(args) - 1), None)
    plain = args if spread is None or len(args) > len(positional) else args[:spread]
    found |= dict(zip(positional, plain, strict=False))
    if spread is not None and plain is not args and not (given.vararg and len(positional) <= spread):
        rest = [p for p in positional[len(plain) :] if p not in keywords]
        found |= dict.fromkeys(rest[:1], element(args[spread])) | {
            p: element(args[spread]) for p in rest[1:] if p not in found
        }
    names = {*positional, *(a.arg for a in given.kwonlyargs)}
    found |= {k: v for k, v in keywords.items() if k in names}
    for name in names - {*found}:
        found[name] = UNKNOWN
    if given.vararg is not None:
        found[given.vararg.arg] = _spread(args[len(positional) :])
    if given.kwarg is not None:
        found[given.kwarg.arg] = Named({k: v for k, v in keywords.items() if k not in names})
    return found


def _spread(more: list[Value]) -> Value:
    """What ``*args`` stands for."""
    if not any(isinstance(a, Many) for a in more):
        return Items(tuple(more))
    return Many(join_all(element(a) if isinstance(a, Many) else a for a in more))


# --- attributes and elements ----------------------------------------------------------------------------------------


def module(name: str) -> Value:
    """A module that is loaded, or one of latticework's; no other is loaded for this."""
    if name not in sys.modules and name.partition(".")[0] == "latticework":
        import importlib

        try:
            importlib.import_module(name)
        except ImportError:
            return UNKNOWN
    found = sys.modules.get(name)
    return Known(found) if found is not None else UNKNOWN


def attribute(walk: Walking, owner: Value, name: str, frame: Frame) -> Value:
    """``owner.name``."""
    if isinstance(owner, Arr):
        return _of_array(walk, owner, name, frame)
    if isinstance(owner, Known):
        return _of_object(walk, owner, name, frame)
    if isinstance(owner, Items) and name in owner.names:
        return owner.items[owner.names.index(name)]
    if isinstance(owner, Obj):
        if name in owner.attributes:
            return owner.attributes[name]
        return _of_class(walk, owner.cls, owner, name, frame)
    if isinstance(owner, Either):
        return join_all(attribute(walk, o, name, frame) for o in owner.options)
    if isinstance(owner, Named) and name in ("values", "items", "keys", "get", "pop"):
        return Method(Known(getattr(dict, name)), owner)
    if owner is UNKNOWN and name == "__array_namespace__":
        return Known(namespace)
    return UNKNOWN


def namespace(*_: object) -> ModuleType:
    return lw


def _of_array(walk: Walking, x: Arr, name: str, frame: Frame) -> Value:
    if name == "dtype":
        return Known(x.dtype) if x.dtype is not None else Either(tuple(Known(d) for d in sorted(x.dtypes)))
    if name == "__array_namespace__":
        return Known(namespace)
    if name in ("copy", "to_device", "compute", "persist"):
        return Method(Known(unchanged), x)
    if name in ("ndim", "size", "itemsize", "nbytes"):
        return Scalar(int)
    if name == "shape":
        return Many(Scalar(int))
    if name == "backend":
        return Known(walk.backend.name)
    if name in ("item", "tolist"):
        return Method(Known(number_of), x)
    return _of_class(walk, Array, x, name, frame)


def unchanged(x: Any) -> Any:
    return x


def number_of(x: Any) -> Any:
    return x


def _of_class(walk: Walking, cls: type, owner: Value, name: str, frame: Frame) -> Value:
    """An attribute found on the class of `owner`: a method is bound to it, a property is walked through."""
    found = inspect.getattr_static(cls, name, None)
    if isinstance(found, property) and isinstance(found.fget, FunctionType):
        return call(walk, Known(found.fget), [owner], {}, frame, None)
    if isinstance(found, functools.cached_property):
        return call(walk, Known(found.func), [owner], {}, frame, None)
    if isinstance(found, staticmethod):
        return wrap(found.__func__)
    if isinstance(found, classmethod):
        return Method(wrap(found.__func__), Known(cls))
    if callable(found) and hasattr(found, "__get__"):
        return Method(wrap(found), owner)
    if found is None or hasattr(type(found), "__get__"):
        return UNKNOWN
    return wrap(found)


def _own(x: Any, name: str) -> Value:
    found = getattr(x, name, _ABSENT)
    return UNKNOWN if found is _ABSENT else wrap(found)


def _of_object(walk: Walking, owner: Known, name: str, frame: Frame) -> Value:
    """An attribute of an object that is there. Its own code is read, never run."""
    x = owner.value
    if isinstance(x, (ModuleType, type)):
        try:
            return wrap(getattr(x, name))
        except AttributeError:
            return UNKNOWN
    plain: Any = (*PLAIN, FunctionType, BuiltinFunctionType, functools.partial)
    if isinstance(x, plain) and not hasattr(x, "_fields"):
        return _own(x, name)
    own = inspect.getattr_static(x, name, _ABSENT)
    if own is _ABSENT:
        return UNKNOWN
    on_class = inspect.getattr_static(type(x), name, _ABSENT)
    if own is not on_class:  # in its __dict__
        return wrap(own)
    if inspect.ismemberdescriptor(own) or type(own).__name__ == "_tuplegetter":
        return wrap(getattr(x, name, None))
    return _of_class(walk, type(x), owner, name, frame)


def item(walk: Walking, owner: Value, key: Value, frame: Frame, node: ast.AST) -> Value:
    """``owner[key]``."""
    if isinstance(owner, Arr):
        operations.check_index(key)
        return Arr(owner.dtypes)
    if isinstance(owner, Named):
        if isinstance(key, Known):
            return owner.items.get(str(key.value), UNKNOWN)
        return join_all(owner.items.values())
    if isinstance(owner, Known) and isinstance(owner.value, PLAIN):
        if isinstance(key, Known):
            try:
                return wrap(owner.value[key.value])
            except Exception:
                return UNKNOWN
        values = [*owner.value.values()] if isinstance(owner.value, dict) else owner.value
        return join_all(wrap(v) for v in values) if isinstance(values, (list, tuple)) else UNKNOWN
    if isinstance(owner, Items) and isinstance(key, Known) and isinstance(key.value, (int, slice)):
        try:
            found = owner.items[key.value]
        except IndexError:
            return UNKNOWN
        return Items(found, owner.type) if isinstance(found, tuple) else found
    if isinstance(owner, (Items, Many)):
        sliced = isinstance(getattr(node, "slice", None), ast.Slice)
        return Many(element(owner)) if sliced else element(owner)
    if isinstance(owner, Either):
        return join_all(item(walk, o, key, frame, node) for o in owner.options)
    method = own_operator(walk, owner, "__getitem__", frame)
    return call(walk, method, [key], {}, frame, node) if method is not None else UNKNOWN


def own_operator(walk: Walking, owner: Value, name: str, frame: Frame) -> Value | None:
    """The method with which a user's own class defines an operator."""
    cls = owner.cls if isinstance(owner, Obj) else type(owner.value) if isinstance(owner, Known) else None
    if cls is None or not isinstance(inspect.getattr_static(cls, name, None), FunctionType):
        return None
    return _of_class(walk, cls, owner, name, frame)


# --- calls ----------------------------------------------------------------------------------------------------------


def call(
    walk: Walking, function: Value, args: list[Value], keywords: Keywords, frame: Frame, node: ast.AST | None
) -> Value:
    """What a call gives.

    Raises
    ------
    RefusedError: where a function that it meets does not take the dtypes.
    CannotSeeError: where it would meet a function of arrays that cannot be read.
    """
    if isinstance(function, Known):
        return _call_object(walk, function.value, args, keywords, frame, node)
    if isinstance(function, Func):
        return walk.local(function, args, keywords)
    if isinstance(function, Method):
        return call(walk, function.function, [function.owner, *args], keywords, frame, node)
    if isinstance(function, Partial):
        given = [*function.args, *args]
        return call(walk, function.function, given, {**function.keywords, **keywords}, frame, node)
    if isinstance(function, Either):
        return join_all(call(walk, f, args, keywords, frame, node) for f in function.options)
    if isinstance(function, Obj):
        return call(walk, _of_class(walk, function.cls, function, "__call__", frame), args, keywords, frame, node)
    return unseen(None, args, keywords, frame, node)


def _call_object(
    walk: Walking, f: Any, args: list[Value], keywords: Keywords, frame: Frame, node: ast.AST | None
) -> Value:
    declared = operations.declared(f)
    if declared is not None and declared.kind != "composition":
        options = named(declared.function, args, keywords)
        return (
            operations.create(walk, declared, options)
            if declared.kind == "creation"
            else operations.apply(walk, declared, options)
        )
    special = known.special(walk, f, args, keywords, frame, node)
    if special is not None:
        return special
    if (inside := wrapped(f)) is not None:
        inner, first, more = inside
        return call(walk, wrap(inner), [*first, *args], more | keywords, frame, node)
    if isinstance(f, type):
        return _construct(walk, f, args, keywords, frame, node)
    if isinstance(f, FunctionType):
        _check_declared(walk, f, args, keywords)
        if (inner := undecorated(f)) is not f and not isinstance(inner, FunctionType):
            return Arr(frozenset([walk.given]), maybe=True)
        try:
            return walk.function(inner, args, keywords)
        except CannotSeeError:
            if declares(f):
                return Arr(frozenset([walk.given]), maybe=True)  # what it declares has to do
            if declared is None:
                raise
            return _measured(walk, declared.name, args, keywords)
    return known.computed(f, args, keywords, frame, node)


def wrapped(f: Any) -> tuple[Any, list[Value], Keywords] | None:
    """The function that a partial, a method, a cache or an object with `__call__` calls, and the arguments that it has
    already; None for any other."""
    if isinstance(f, functools.partial):
        return f.func, [*map(wrap, f.args)], {k: wrap(v) for k, v in f.keywords.items()}
    if isinstance(f, MethodType):
        return f.__func__, [wrap(f.__self__)], {}
    if type(f).__name__ == "_lru_cache_wrapper":
        return f.__wrapped__, [], {}
    method = None if isinstance(f, type) else inspect.getattr_static(type(f), "__call__", None)
    return (method, [Known(f)], {}) if isinstance(method, FunctionType) else None


def named(f: Callable[..., Any], args: list[Value], keywords: Keywords) -> Keywords:
    """The arguments of a call of ours by name."""
    code = f.__code__
    positional = code.co_varnames[: code.co_argcount]
    found = dict(zip(positional, args, strict=False)) | keywords
    if code.co_flags & inspect.CO_VARARGS:
        found[code.co_varnames[code.co_argcount + code.co_kwonlyargcount]] = _spread(args[len(positional) :])
    return found


def _measured(walk: Walking, name: str, args: list[Value], keywords: Keywords) -> Value:
    """A function of ours that is too involved to read: by what the probe found of it."""
    arrays = [a for a in arrays_in(args, keywords) if isinstance(a, Arr)]
    for d in {d for a in arrays for d in a.dtypes}:
        operations.check_measured(walk, name, d)
    return Arr(frozenset(d for a in arrays for d in a.dtypes) or frozenset([walk.given]))


def arrays_in(args: list[Value], keywords: Keywords) -> list[Value]:
    found: list[Value] = []
    stack = [*args, *keywords.values()]
    while stack:
        x = stack.pop()
        if isinstance(x, Arr):
            found.append(x)
        elif isinstance(x, (Items, Many)):
            stack += [*x.items] if isinstance(x, Items) else [x.of]
    return found


def declares(f: Any) -> bool:
    """Whether a function says what it takes: `with_supported_dtypes` and its kin."""
    return hasattr(f, "__latticework_support__")


def _check_declared(walk: Walking, f: Any, args: list[Value], keywords: Keywords) -> None:
    """Refuse what a decorated function does not take."""
    for limit in getattr(f, "__latticework_support__", ()):
        for x in arrays_in(args, keywords):
            for d in getattr(x, "dtypes", ()):
                if (why := limit.refusal(d, walk.device)) is not None:
                    raise RefusedError(f"{name_of(f)}: {why}")


def _construct(
    walk: Walking, cls: type, args: list[Value], keywords: Keywords, frame: Frame, node: ast.AST | None
) -> Value:
    """An object of a class: its `__init__` is walked through; of a dataclass or named tuple, the fields are known."""
    if issubclass(cls, BaseException) or cls.__module__ == "builtins":
        return known.computed(cls, args, keywords, frame, node)
    fields = getattr(cls, "_fields", None)
    if fields is not None and issubclass(cls, tuple):
        bound = dict(zip(fields, args, strict=False)) | keywords
        defaults = {k: wrap(v) for k, v in getattr(cls, "_field_defaults", {}).items()}
        return Items(tuple((defaults | bound).get(n, UNKNOWN) for n in fields), tuple, tuple(fields))
    made = Obj(cls)
    init = inspect.getattr_static(cls, "__init__", None)
    if hasattr(cls, "__dataclass_fields__"):
        names = [n for n, field in cls.__dataclass_fields__.items() if field.init]
        made.attributes.update(
            {n: wrap(x.default) for n, x in cls.__dataclass_fields__.items() if x.default is not dataclasses.MISSING}
        )
        made.attributes.update(dict(zip(names, args, strict=False)) | keywords)
    elif isinstance(init, FunctionType):
        walk.function(init, [made, *args], keywords)
    return made


def unseen(f: Any, args: list[Value], keywords: Keywords, frame: Frame, node: ast.AST | None) -> Value:
    """A call of what cannot be read: harmless where no array goes into it, else there is no answer."""
    if frame.ours or not arrays_in(args, keywords):
        return UNKNOWN
    called = name_of(f) if f is not None else ast.unparse(node.func) if isinstance(node, ast.Call) else "a function"
    where = f"{frame.at.rpartition(':')[0]}:{getattr(node, 'lineno', '?')}"
    if f is None:
        raise CannotSeeError(
            f"{called} gets an array at {where} and is known only when it runs. Give it: functools.partial(function, "
            f"{called}=…), or declare what the function takes: @lw.with_supported_dtypes"
        )
    raise CannotSeeError(
        f"{called} gets an array at {where} and has no source in Python to read. Use the function of latticework, or "
        f"declare what the function takes: @lw.with_supported_dtypes"
    )
