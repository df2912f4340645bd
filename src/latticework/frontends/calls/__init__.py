"""The way from a dialect's function to its kernel: the twins of the dispatchers in `engine.dispatch`.

A dialect's array has a native array and a signature, as one of ours has, and the kernels are those of the dialect's
policy. They are kept under the policy in force, so that a call looks them up as any call of ours does, and enters no
`using` block. Nothing is decided here: a call that finds no kernel, or whose kernel raises, is made with arrays of
ours under the dialect's policy (`Calls.call`). If that has left a kernel in the tables of `engine.dispatch`, it is
kept for the dialect as well.

The lines that read an operand and put a native result into an array of the dialect stand in every dispatcher: a
function for them would cost each call a frame.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from inspect import unwrap
from typing import TYPE_CHECKING, Any

from ...engine.dispatch import MISSING
from .creation import of_shape, quick_of_extents, quick_of_shape
from .direct import DIRECT, MADE, casting, direct, made
from .elementwise import binary, in_place, operator, reflected, unary, unary_operator
from .formed import alone, formed, of_rank, of_ranks
from .forms import NO_FORMS, Forms
from .keeping import HELD, Calls, alias, new, present, shared, wrapped
from .options import of_one, of_sequence, of_several, with_dtype, with_named
from .short import short

if TYPE_CHECKING:
    from ...engine.op import Op
    from ..dialect import Dialect

__all__ = [
    "HELD", "Calls", "alias", "alone", "binary", "casting", "formed", "in_place", "new", "of_dialect", "of_rank",
    "of_ranks", "operator", "quick", "reflected", "shape_function", "shape_method", "shared", "short", "twin", "unary",
    "unary_operator", "wrapped",
]  # fmt: skip


def _with_options(calls: Calls) -> Callable[..., Any]:
    return of_one(calls) if len(calls.op.operands) == 1 else of_several(calls)


_TWINS: dict[str, Callable[[Calls], Callable[..., Any]]] = {
    "unary": unary,
    "rounding": unary,
    "unary_view": of_one,
    "binary": binary,
    "with_options": _with_options,
    "view_with_options": of_one,
    "with_dtype": with_dtype,
    "sequence": of_sequence,
    "of_shape": of_shape,
}


def twin(o: Op | None, f: Callable[..., Any], dialect: Dialect) -> Callable[..., Any]:
    """A function of ours as one of a dialect's arrays, under the dialect's rules.

    Parameters
    ----------
    o: its declaration, None for a function that has none.
    f: the function.
    """
    if o is None:
        return dialect.function(f)
    make = _TWINS.get(o.dispatched)
    whole = dialect.function_of_operands(o, f)
    if make is None:
        exchanged = direct if o.name in DIRECT else made if o.name in MADE else None
        return whole if exchanged is None else update_wrapper(exchanged(f, dialect, whole), f)
    calls = Calls(o, f, dialect)
    call = make(calls)
    if o.optional or o.array_options:
        call = with_named(calls, call, whole)
    return update_wrapper(call, f)


def quick(
    o: Op, f: Callable[..., Any], dialect: Dialect, slow: Callable[..., Any], *, along: bool = False, bare: bool = True
) -> Any:
    """A dialect's function that runs our kernels where it is called with arrays alone, and `slow` otherwise.

    Parameters
    ----------
    slow: the function in Python, whose signature and docstring it has.
    along: whether the options `axis` and `keepdims`, or what the framework calls them, are ours too.
    bare: whether a call with arrays alone is one of ours with arrays alone.
    """
    shared = o.dispatched in ("unary", "rounding", "binary")  # with our function and the operator in the dialect
    calls = Calls(o, f, dialect) if shared else of_dialect(o, f, dialect, slow)
    if not o.dispatched:
        raise ValueError(f"{o.name} has no kernels: it is a composition. Leave it out")
    forms = NO_FORMS
    if along:
        code = unwrap(slow).__code__
        names = code.co_varnames[1 : code.co_argcount]
        forms = Forms(names, typed=o.dispatched == "with_dtype", bare=bare)
    if o.dispatched in ("unary", "rounding"):
        call = unary(calls, slow)
    elif o.dispatched == "binary":
        call = binary(calls, slow)
    elif o.dispatched == "sequence":
        call = of_sequence(calls, slow, forms)
    elif o.dispatched == "of_shape":
        call = (quick_of_shape if unwrap(slow).__code__.co_argcount else quick_of_extents)(calls, slow)
    elif len(o.operands) == 1:
        call = of_one(calls, slow, forms)
    else:
        call = of_several(calls, slow)
    return update_wrapper(call, slow)


def of_dialect(o: Op, f: Callable[..., Any], dialect: Dialect, slow: Callable[..., Any]) -> Calls:
    """What is kept of a function of ours for a function of the dialect's, by the arguments of that."""
    return Calls(o, f, dialect, by=f" as {slow.__module__}.{slow.__qualname__}")


def shape_function(dialect: Dialect, slow: Callable[..., Any]) -> Callable[..., Any]:
    """``reshape(x, (2, -1))``, as `shape_method`: a function of an array and a sequence of extents."""
    array = dialect.array

    def call(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
        if type(x) is array and len(args) == 1 and not kw:
            (shape,) = args
            try:
                for n in shape:
                    if type(n) is not int or n < -1:
                        break
                else:
                    a = x._held if x._sig is HELD else x
                    sig = a._sig
                    t = new(array)
                    t._data = sig.reshape(a._data, shape if type(shape) is tuple else tuple(shape))
                    t._sig = sig
                    t._held = None
                    return t
            except Exception:
                pass
        return slow(*present(x, *args), **kw)

    return update_wrapper(call, slow)


def shape_method(dialect: Dialect, slow: Callable[..., Any]) -> Callable[..., Any]:
    """``x.reshape(2, -1)`` of a dialect's array, as `engine.dispatch.shape_method` runs it for one of ours.

    No policy changes what the backend's own method does, so that there is no kernel to look up. `slow` is the method
    in Python: it makes the call where the backend has no such method, where that raises, and with other arguments.
    """
    array = dialect.array

    def call(x: Any, /, *shape: Any, **kw: Any) -> Any:
        if shape and not kw:
            extents = shape[0] if type(shape[0]) is tuple and len(shape) == 1 else shape
            try:
                for n in extents:
                    if type(n) is not int or n < -1:
                        break
                else:
                    a = x._held if x._sig is HELD else x
                    sig = a._sig
                    t = new(array)
                    t._data = sig.reshape(a._data, extents)
                    t._sig = sig
                    t._held = None
                    return t
            except Exception:
                pass
        return slow(x, *shape, **kw)

    return update_wrapper(call, slow)
