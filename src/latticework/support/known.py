"""What a call gives of what is known by name: Python's own functions, and ours that are no functions of arrays."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import math
import operator
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import latticework as lw

from .. import policy as policies
from ..contents import CHAPTERS
from ..core import dtypes
from ..core.dtypes import SCALARS, Dtype
from ..core.registry import OPS
from ..engine.array import Array
from ..engine.declare import _from_scalars
from ..engine.foreign import as_operand
from . import calls, operations
from .operations import RefusedError
from .values import (
    NOTHING,
    UNKNOWN,
    Arr,
    Items,
    Known,
    Many,
    Named,
    Obj,
    Partial,
    Scalar,
    Value,
    element,
    items,
    join,
    join_all,
    truth,
    wrap,
)

if TYPE_CHECKING:
    from .expressions import Frame, Walking

__all__ = ["OF_DTYPES", "PURE", "computed", "policy", "special"]

Keywords = dict[str, Value]

#: The name, in what stands for a `using` block, that no field of a policy has.
_USING = " using"

#: Functions of dtypes alone, computed as they are with an array's dtype in its place.
OF_DTYPES = {
    getattr(lw, n)
    for n in CHAPTERS["api.data_types"].split()
    if n not in ("astype", "promote_types_of_inputs", "type_promote_arrays", "check_float")
    and not n.startswith(("set_", "unset_"))
}  # fmt: skip
OF_DTYPES |= {
    lw.as_dtype,
    dtypes.complex_of,
    dtypes.real_of,
    dtypes.category,
    policies.current,
    dtypes.float_limits,
    dtypes.int_limits,
}

#: Python's own functions, computed where all arguments are known.
PURE: set[Any] = {getattr(math, n) for n in dir(math) if callable(getattr(math, n)) and n[0] != "_"} | {
    operator.index, len, min, max, sum, abs, round, divmod, pow, all, any, sorted, repr, ord, chr, format, callable,
    ascii, bin, hex,
}  # fmt: skip

_OPERATORS: dict[Any, str] = {
    compute: name
    for table in (operations.BINARY, operations.UNARY, operations.COMPARED)
    for name, compute in table.values()
} | {operator.abs: "abs", abs: "abs", pow: "pow", round: "round"}


def special(
    walk: Walking, f: Any, args: list[Value], keywords: Keywords, frame: Frame, node: ast.AST | None
) -> Value | None:
    """A call of what is known by name; None for everything else."""
    first: Value = args[0] if args else UNKNOWN
    if f is lw.asarray or f is lw.from_dlpack:
        return operations.as_array(walk, calls.named(f, args, keywords))
    if f is lw.astype:
        bound = calls.named(f, args, keywords)
        return operations.cast(walk, bound.get("x", UNKNOWN), bound.get("dtype", UNKNOWN))
    if f is _from_scalars:
        return _of_scalars(walk, args)
    if f is as_operand:
        return args[1] if len(args) > 1 and isinstance(args[1], Arr) else Arr(frozenset([walk.given]))
    if f in (calls.unchanged, _identity):
        return first
    if f is calls.number_of:
        return (
            Scalar({"b": bool, "f": float, "c": complex}.get(first.dtype.kind, int))
            if isinstance(first, Arr) and first.dtype
            else UNKNOWN
        )
    if f is calls.namespace or getattr(f, "__name__", "") == "array_namespace":
        return Known(lw)
    if _hashable(f) and f in OF_DTYPES:
        return _of_dtypes(walk, f, args, keywords)
    if f is lw.using:
        fields: Keywords = {k: v for k, v in keywords.items() if k not in ("backend", "device", "x64")}
        fields = {k: v for k, v in fields.items() if isinstance(v, Known)}
        return Named({**fields, _USING: Known(True)})
    if f is functools.wraps or (f in (functools.lru_cache, functools.cache) and keywords):
        return Known(_identity)
    if f in (functools.lru_cache, functools.cache):
        return first
    if f is importlib.import_module:
        return calls.module(first.value) if isinstance(first, Known) and len(args) == 1 else UNKNOWN
    if f is functools.partial:
        return Partial(first, tuple(args[1:]), keywords)
    if f is functools.reduce:
        return _reduce(walk, args, frame, node)
    if _hashable(f) and f in _OPERATORS and (any(isinstance(a, Arr) for a in args)):
        o = OPS[_OPERATORS[f]]
        return operations.apply(walk, o, dict(zip(o.operands, args, strict=False)))
    if _hashable(f) and f in _BUILTINS:
        return _BUILTINS[f](walk, args, keywords, frame, node)
    return None


def _hashable(f: Any) -> bool:
    return type(f).__hash__ is not None


def _identity(f: Any) -> Any:
    return f


def policy(context: Value) -> AbstractContextManager[Any] | None:
    """The `using` block that a value stands for, if it does for one."""
    if isinstance(context, Named) and _USING in context.items:
        return lw.using(**{k: v.value for k, v in context.items.items() if k != _USING})  # type: ignore[attr-defined]
    return None


def _of_dtypes(walk: Walking, f: Any, args: list[Value], keywords: Keywords) -> Value:
    """A function of dtypes: its own answer, if that is the same for all dtypes that there may be."""
    found: Value = NOTHING
    single = any(isinstance(a, Arr) and len(a.dtypes) > 1 for a in args)
    for d in next(a for a in args if isinstance(a, Arr) and len(a.dtypes) > 1).dtypes if single else (walk.given,):
        plain = [_plain(a, d) for a in args]
        options = {k: _plain(v, d) for k, v in keywords.items()}
        if UNKNOWN in plain or any(v is UNKNOWN for v in options.values()):
            return UNKNOWN
        try:
            found = join(found, wrap(f(*plain, **options)))
        except TypeError as error:
            raise RefusedError(str(error)) from None
        except ValueError:
            return UNKNOWN
    return found


def _of_scalars(walk: Walking, args: list[Value]) -> Value:
    """The dtype that is decided from scalars."""
    given = [x for v in items(args[1]) or () for x in operations.dtypes_of(v, walk.given)]
    try:
        return Known(policies.current().promote(*given, *([float] if args[0].value.floating else ())))  # type: ignore[attr-defined]
    except TypeError as error:
        raise RefusedError(str(error)) from None


def _plain(x: Value, among: Dtype) -> Any:
    """A value as it is given to a function of dtypes: an array is its dtype."""
    if isinstance(x, Arr):
        return x.dtype or among
    if isinstance(x, Known):
        return x.value
    if isinstance(x, Scalar) and x.type in SCALARS:
        return x.type(1)
    if isinstance(x, Items) and x.type is tuple:
        inside = [_plain(v, among) for v in x.items]
        return UNKNOWN if any(v is UNKNOWN for v in inside) else tuple(inside)
    return UNKNOWN


def computed(f: Any, args: list[Value], keywords: Keywords, frame: Frame, node: ast.AST | None) -> Value:
    """A function of Python's own, run where all that it gets is plain and known."""
    given = [_concrete(a) for a in args]
    options = {k: _concrete(v) for k, v in keywords.items()}
    plain = UNKNOWN not in given and all(v is not UNKNOWN for v in options.values())
    harmless = f in PURE or f in calls.PLAIN or _of_plain(f)
    if plain and harmless:
        try:
            return wrap(f(*given, **options))
        except Exception:
            return UNKNOWN
    if getattr(f, "__module__", None) == "math":
        _of_numbers(f, args)
    if f in _HARMLESS or f in PURE or f in calls.PLAIN or _of_plain(f):
        return UNKNOWN
    if isinstance(f, type) and issubclass(f, BaseException):
        return Known(f)
    return calls.unseen(f, args, keywords, frame, node)


#: Functions of `math` that take whole numbers only, as an index is one.
_WHOLE = {math.comb, math.factorial, math.gcd, math.isqrt, math.lcm, math.perm}


def _of_numbers(f: Any, args: list[Value]) -> None:
    """Refuse arrays that `math` cannot make a number of."""
    kinds = "iu" if f in _WHOLE else "biuf"
    for x in args:
        if isinstance(x, Arr) and not x.maybe and not any(d.kind in kinds for d in x.dtypes):
            raise RefusedError(f"math.{f.__name__}: takes no {x.dtype}")


def _of_plain(f: Any) -> bool:
    """Whether it is a method of a string, tuple, list, dict or number."""
    owner = getattr(f, "__self__", None)
    return owner is not None and isinstance(owner, calls.PLAIN)


def _concrete(x: Value) -> Any:
    if isinstance(x, Known):
        return x.value if isinstance(x.value, (*calls.PLAIN, type)) else UNKNOWN
    if isinstance(x, Items):
        inside = [_concrete(v) for v in x.items]
        return UNKNOWN if any(v is UNKNOWN for v in inside) else x.type(inside)
    return UNKNOWN


#: Python's own functions that may be given arrays without doing anything to them.
_HARMLESS = {
    print,
    repr,
    str,
    id,
    hash,
    callable,
    format,
    vars,
    dir,
    help,
    input,
    open,
    issubclass,
    delattr,
    object,
    super,
}


def _reduce(walk: Walking, args: list[Value], frame: Frame, node: ast.AST | None) -> Value:
    """``functools.reduce(f, xs, first)``."""
    function, over, *start = args
    found = items(over)
    values = [*start, *(found if found is not None else [element(over)] * 2)]
    made = values[0] if values else UNKNOWN
    for x in values[1:]:
        made = (
            join(made, calls.call(walk, function, [made, x], {}, frame, node))
            if found is None
            else calls.call(walk, function, [made, x], {}, frame, node)
        )
    return made


Builtin = Callable[["Walking", list[Value], Keywords, "Frame", "ast.AST | None"], Value]


def _isinstance(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    x, kinds = args[0], args[1] if len(args) > 1 else UNKNOWN
    given = [k.value for k in items(kinds) or (kinds,) if isinstance(k, Known)]
    flat = [k for kind in given for k in (kind if isinstance(kind, tuple) else (kind,)) if isinstance(k, type)]
    if not flat:
        return Scalar(bool)
    kind = _type_of(x)
    if kind is None:
        return Scalar(bool)
    return Known(any(issubclass(kind, k) for k in flat))


def _type_of(x: Value) -> type | None:
    if isinstance(x, Arr):
        return None if x.maybe else Array
    if isinstance(x, Known):
        return type(x.value)
    if isinstance(x, (Scalar, Items)):
        return x.type
    return x.cls if isinstance(x, Obj) else dict if isinstance(x, Named) else None


def _type(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    kind = _type_of(args[0]) if len(args) == 1 else None
    return Known(kind) if kind is not None else UNKNOWN


def _getattr(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    owner, name, *default = args
    if not (isinstance(name, Known) and isinstance(name.value, str)):
        return UNKNOWN
    found = calls.attribute(walk, owner, name.value, frame)
    return join(found, default[0]) if default and found is UNKNOWN and default[0] is not UNKNOWN else found


def _hasattr(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    owner, name = args
    if isinstance(name, Known) and isinstance(owner, (Arr, Known)):
        return Known(hasattr(Array if isinstance(owner, Arr) else owner.value, str(name.value)))
    return Scalar(bool)


def _listed(kind: type) -> Builtin:
    def made(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
        if not args:
            return Items((), kind)
        found = items(args[0])
        if found is not None and (isinstance(args[0], Items) or not all(isinstance(v, Known) for v in found)):
            return Items(found, kind)
        if isinstance(args[0], Known) and isinstance(args[0].value, calls.PLAIN):
            return computed(kind, args, keywords, frame, node)
        return Many(element(args[0]))

    return made


def _zip(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    found = [items(a) for a in args]
    if found and all(f is not None for f in found):
        return Items(tuple(Items(row) for row in zip(*found, strict=False)), list)
    return Many(Items(tuple(element(a) for a in args)))


def _enumerate(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    found = items(args[0])
    if found is not None and len(args) == 1 and not keywords:
        return Items(tuple(Items((Known(i), x)) for i, x in enumerate(found)), list)
    return Many(Items((Scalar(int), element(args[0]))))


def _map(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    function, *over = args
    found = [items(a) for a in over]
    if found and all(f is not None for f in found):
        rows = [*zip(*found, strict=False)]
        return Items(tuple(calls.call(walk, function, [*row], {}, frame, node) for row in rows), list)
    return Many(calls.call(walk, function, [element(a) for a in over], {}, frame, node))


def _filter(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    return Many(element(args[1]))


def _same_elements(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    found = items(args[0])
    return Items(tuple(reversed(found)), list) if found is not None else Many(element(args[0]))


def _next(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    return join_all([element(args[0]), *args[1:]])


def _sum(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    start = args[1] if len(args) > 1 else keywords.get("start", Known(0))
    if not calls.arrays_in(args, keywords):
        return computed(sum, args, keywords, frame, node)
    found = items(args[0])
    return _reduce(walk, [Known(operator.add), Items(found) if found is not None else args[0], start], frame, node)


def _least(f: Any) -> Builtin:
    def made(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
        over = [*args] if len(args) > 1 else [*(items(args[0]) or [element(args[0])])]
        if not any(isinstance(x, Arr) for x in over):
            made = computed(f, args, keywords, frame, node)
            either = join_all(over)
            return either if made is UNKNOWN and isinstance(either, (Scalar, Known)) else made
        operations.apply(walk, OPS["less"], {"x1": over[0], "x2": over[-1]})
        return join_all(over)

    return made


def _converted(to: type, kinds: str) -> Builtin:
    def made(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
        x = args[0] if args else Known(to())
        if isinstance(x, Arr):
            if not x.maybe and not any(d.kind in kinds for d in x.dtypes):
                raise RefusedError(f"{to.__name__}: cannot be made from {x.dtype}")
            return Scalar(to)
        made = computed(to, args, keywords, frame, node)
        return Scalar(to) if made is UNKNOWN else made

    return made


def _len(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    found = items(args[0])
    return Known(len(found)) if found is not None else Scalar(int)


def _truth(f: Any) -> Builtin:
    def made(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
        found = items(args[0])
        decided = [truth(x) for x in found] if found is not None else [None]
        if None in decided:
            return Scalar(bool)
        return Known(f(decided))

    return made


def _dict(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
    made = dict(args[0].items) if args and isinstance(args[0], Named) else {}
    return Named(made | keywords) if not args or isinstance(args[0], Named) else UNKNOWN


def _of_dict(name: str) -> Builtin:
    def made(walk: Walking, args: list[Value], keywords: Keywords, frame: Frame, node: Any) -> Value:
        owner, *rest = args
        if not isinstance(owner, Named):
            return UNKNOWN
        if name in ("get", "pop"):
            found = calls.item(walk, owner, rest[0], frame, ast.Pass())
            return (rest[1] if len(rest) > 1 else Known(None)) if found is UNKNOWN else found
        pairs = [(Known(k), v) for k, v in owner.items.items()]
        return Items(tuple({"items": Items(p), "keys": p[0], "values": p[1]}[name] for p in pairs), list)

    return made


_BUILTINS: dict[Any, Builtin] = {
    isinstance: _isinstance, builtins.type: _type, getattr: _getattr, hasattr: _hasattr, tuple: _listed(tuple),
    list: _listed(list), zip: _zip, enumerate: _enumerate, map: _map, filter: _filter, reversed: _same_elements,
    sorted: _same_elements, iter: _same_elements, set: _listed(list), next: _next, sum: _sum, min: _least(min),
    max: _least(max), float: _converted(float, "biuf"), int: _converted(int, "biuf"), bool: _converted(bool, "biufc"),
    complex: _converted(complex, "biufc"), str: _converted(str, "biufc"), len: _len, all: _truth(all),
    any: _truth(any), dict: _dict, **{getattr(dict, n): _of_dict(n) for n in ("get", "pop", "items", "keys", "values")},
}  # fmt: skip
