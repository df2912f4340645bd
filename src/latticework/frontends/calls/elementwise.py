"""The dispatchers of functions of one or two operands without options, and of operators.

Each is a copy with globals of its own, as those of `engine.dispatch` are, which costs less than a closure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.dispatch import MISSING, with_names
from ...engine.views import check_in_place
from ...policy import NOWHERE, active
from .keeping import HELD, Calls, new, present

__all__ = ["binary", "in_place", "operator", "reflected", "unary", "unary_operator"]


def _with_names(calls: Calls, f: Any, slow: Callable[..., Any]) -> Any:
    """A copy of a dispatcher with globals of its own."""
    copy, names = with_names(
        f, kernels=calls.kernels, array=calls.dialect.array, absent=None, HELD=HELD, new=new, slow=slow,
        present=present, first=None, second=None, result=None,
    )  # fmt: skip
    calls.names.append(names)
    return copy


# What the dispatchers read, which each copy of them has as globals of its own.
get = active.get
array: Any = None
absent: Any = None
kernels: Any = None
slow: Any = None
first: Any = None
second: Any = None
policy: Any = NOWHERE
run: Any = None
result: Any = None


def _unary(x: Any = MISSING, /, *more: Any, **kw: Any) -> Any:
    if type(x) is array and not kw and not more:
        t = new(array)
        try:
            if x._sig is first and get() is policy:
                t._data = run(x._data)
                t._sig = result
            else:
                a = x._held if x._sig is HELD else x
                kernel, sig = kernels[get()][a._sig]
                t._data = kernel(a._data)
                t._sig = sig
            t._held = None
            return t
        except Exception:
            pass
    return slow(*present(x, *more), **kw)


def _unary_operator(x: Any, /) -> Any:
    t = new(array)
    try:
        if x._sig is first and get() is policy:
            t._data = run(x._data)
            t._sig = result
        else:
            a = x._held if x._sig is HELD else x
            kernel, sig = kernels[get()][a._sig]
            t._data = kernel(a._data)
            t._sig = sig
        t._held = None
        return t
    except Exception:
        pass
    return slow(x)


def _binary(x1: Any = MISSING, x2: Any = MISSING, /, *more: Any, **kw: Any) -> Any:
    if not kw and not more:
        t = new(array)
        try:
            if type(x1) is array:
                if type(x2) is array:
                    if x1._sig is first and x2._sig is second and get() is policy:
                        t._data = run(x1._data, x2._data)
                        t._sig = result
                    else:
                        a = x1._held if x1._sig is HELD else x1
                        b = x2._held if x2._sig is HELD else x2
                        kernel, sig = kernels[get()][a._sig][b._sig]
                        t._data = kernel(a._data, b._data)
                        t._sig = sig
                else:
                    a = x1._held if x1._sig is HELD else x1
                    kernel, sig = kernels[get()][a._sig][type(x2)]
                    t._data = kernel(a._data, x2)
                    t._sig = sig
            else:
                b = x2 if type(x2) is array else absent  # of another class it goes the long way
                b = b._held if b._sig is HELD else b
                kernel, sig = kernels[get()][type(x1)][b._sig]
                t._data = kernel(x1, b._data)
                t._sig = sig
            t._held = None
            return t
        except Exception:
            pass
    return slow(*present(x1, x2, *more), **kw)


def _operator(x1: Any, x2: Any, /) -> Any:
    t = new(array)
    try:
        if type(x2) is array:
            if x1._sig is first and x2._sig is second and get() is policy:
                t._data = run(x1._data, x2._data)
                t._sig = result
            else:
                a = x1._held if x1._sig is HELD else x1
                b = x2._held if x2._sig is HELD else x2
                kernel, sig = kernels[get()][a._sig][b._sig]
                t._data = kernel(a._data, b._data)
                t._sig = sig
        else:
            a = x1._held if x1._sig is HELD else x1
            kernel, sig = kernels[get()][a._sig][type(x2)]
            t._data = kernel(a._data, x2)
            t._sig = sig
        t._held = None
        return t
    except Exception:
        pass
    return slow(x1, x2)


def unary(calls: Calls, slow: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The dispatcher of a function of one array. `slow` is called with anything else than one array."""
    return _with_names(calls, _unary, slow or (lambda *args, **kw: calls.call(1, args, kw)))  # type: ignore[no-any-return]


def binary(calls: Calls, slow: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The dispatcher of a function of two operands. `slow` is called with anything else."""
    return _with_names(calls, _binary, slow or (lambda *args, **kw: calls.call(2, args, kw)))  # type: ignore[no-any-return]


def operator(calls: Calls, slow: Callable[[Any, Any], Any] | None = None) -> Callable[[Any, Any], Any]:
    """``x1 + x2`` where x1 is an array of the dialect.

    `slow` is called where there is no kernel. By default it makes the call, or leaves a foreign x2 the turn.
    """

    def general(x1: Any, x2: Any) -> Any:
        x2 = calls.dialect.operand(x2, x1)
        return x2 if x2 is NotImplemented else calls.call(2, (x1, x2), {})

    return _with_names(calls, _operator, slow or general)  # type: ignore[no-any-return]


def reflected(calls: Calls, slow: Callable[[Any, Any], Any] | None = None) -> Callable[[Any, Any], Any]:
    """``x2 + x1`` where x1 is an array of the dialect and x2 could not do it. `slow` as in `operator`: slow(x1, x2)."""
    kernels, get, array = calls.kernels, active.get, calls.dialect.array

    def foreign(x1: Any, x2: Any) -> Any:
        x2 = calls.dialect.operand(x2, x1)
        return x2 if x2 is NotImplemented else calls.call(2, (x2, x1), {})

    general = slow or foreign

    def call(x1: Any, x2: Any, /) -> Any:
        t = new(array)
        try:
            a = x1._held if x1._sig is HELD else x1
            kernel, sig = kernels[get()][type(x2)][a._sig]
            t._data = kernel(x2, a._data)
            t._sig = sig
            t._held = None
            return t
        except Exception:
            pass
        return general(x1, x2)

    return call


def unary_operator(calls: Calls) -> Callable[[Any], Any]:
    """``-x`` where x is an array of the dialect."""
    return _with_names(calls, _unary_operator, lambda x: calls.call(1, (x,), {}))  # type: ignore[no-any-return]


def in_place(calls: Calls, scalars_change: bool = True) -> Callable[[Any, Any], Any]:
    """``x1 += x2``, which writes into the data of x1. `calls` is of the kernels that write.

    Python makes ``x1 = x1 + x2`` of it for an array without dimensions, unless `scalars_change`.
    """
    kernels, get, array, name = calls.kernels, active.get, calls.dialect.array, calls.op.name

    def call(x1: Any, x2: Any, /) -> Any:
        a = x1 if x1._sig is not HELD and x1._sig.in_place else x1._array
        if not scalars_change and not len(a._data.shape):
            return NotImplemented
        try:
            if type(x2) is array:
                b = x2._held if x2._sig is HELD else x2
                run = kernels[get()][a._sig][b._sig]
                d2 = b._data
            else:
                run = kernels[get()][a._sig][type(x2)]
                d2 = x2
        except (KeyError, TypeError):
            x2 = calls.dialect.operand(x2, x1)
            if x2 is NotImplemented:
                return x2
            if a._sig.immutable:
                _check(calls, x1, a, name)
            _write(calls, x1, x2)
            return x1
        if a._sig.immutable:
            _check(calls, x1, a, name)
        try:
            data = run(a._data, d2)
        except Exception:
            _write(calls, x1, x2)
        else:
            if data is not a._data:
                if x1._held is None:
                    x1._data = data
                else:
                    x1._held._data = data
                    x1._bind()
        return x1

    return call


def _write(calls: Calls, x1: Any, x2: Any) -> None:
    """Make the call in place on arrays of ours. Whether x1 may be written to was checked."""
    a = x1._array
    linked = getattr(a, "_link", ())
    a._link = ()
    try:
        calls.call(2, (x1, x2), {})
    finally:
        a._link = linked
    x1._bind()


def _check(calls: Calls, x1: Any, a: Any, name: str) -> None:
    try:
        check_in_place(x1, name, a, depth=1)
    except ValueError as error:
        raise calls.dialect.error(error, name) from None
