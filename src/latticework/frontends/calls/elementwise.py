"""The dispatchers of functions of one or two operands without options, and of operators."""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

from ...engine.arrays.array import Array
from ...engine.arrays.views import check_in_place, link
from ...engine.calls import dispatchers as texts
from ...engine.calls.dispatch import with_names
from .cache import HELD, DialectKernels, new, present, wrapped

__all__ = ["binary", "copied", "in_place", "operator", "reflected", "unary", "unary_operator"]

#: The texts that compare with a first kernel.
_COMPARING = (texts.dialect_unary, texts.dialect_unary_operator, texts.dialect_binary, texts.dialect_operator)

Fallback = Callable[..., Any]


def copied(calls: DialectKernels, text: Any, fallback: Fallback, **own: Any) -> Any:
    """A dispatcher of the dialect, with what it reads. `fallback` makes a call that finds no kernel."""
    copy, names = with_names(
        text, kernels=calls.kernels, array=calls.dialect.array, HELD=HELD, new=new, fallback=fallback, present=present,
        link=link, wrapped=wrapped, given=calls.dialect.wrap, Array=Array, spread=calls.op.spread,
        count=len(calls.op.operands), name=calls.op.name, **own,
    )  # fmt: skip
    if text in _COMPARING:
        calls.names.append(names)
    return copy


def unary(calls: DialectKernels, fallback: Fallback | None = None) -> Callable[..., Any]:
    """The dispatcher of a function of one array. `fallback` is called with anything else than one array."""
    fallback = fallback or (lambda *args, **kw: calls.call(1, args, kw))
    return copied(calls, texts.dialect_unary, fallback)  # type: ignore[no-any-return]


def binary(calls: DialectKernels, fallback: Fallback | None = None) -> Callable[..., Any]:
    """The dispatcher of a function of two operands. `fallback` is called with anything else."""
    fallback = fallback or (lambda *args, **kw: calls.call(2, args, kw))
    return copied(calls, texts.dialect_binary, fallback)  # type: ignore[no-any-return]


def unary_operator(calls: DialectKernels) -> Callable[[Any], Any]:
    """``-x`` where x is an array of the dialect."""
    return copied(calls, texts.dialect_unary_operator, lambda x: calls.call(1, (x,), {}))  # type: ignore[no-any-return]


def operator(calls: DialectKernels, fallback: Fallback | None = None) -> Callable[[Any, Any], Any]:
    """``x1 + x2`` where x1 is an array of the dialect.

    `fallback` is called where there is no kernel. By default it makes the call, or defers to a foreign x2.
    """

    def general(x1: Any, x2: Any) -> Any:
        return calls.dialect.operated(calls, x1, x2)

    return copied(calls, texts.dialect_operator, fallback or general)  # type: ignore[no-any-return]


def reflected(calls: DialectKernels, fallback: Fallback | None = None) -> Callable[[Any, Any], Any]:
    """``x2 + x1`` where x1 is an array of the dialect and x2 could not do it.

    `fallback` is as in `operator`: it is called as ``fallback(x1, x2)``.
    """

    def general(x1: Any, x2: Any) -> Any:
        return calls.dialect.operated(calls, x1, x2, reflected=True)

    return copied(calls, texts.dialect_reflected, fallback or general)  # type: ignore[no-any-return]


def in_place(
    calls: DialectKernels, scalars_change: bool = True, note: Callable[[Any], None] | None = None
) -> Callable[[Any, Any], Any]:
    """``x1 += x2``, which writes into the data of x1. `calls` is of the kernels that write.

    For a 0-d array Python makes ``x1 = x1 + x2`` of it, unless `scalars_change`. `note` is given the array of x1 before
    the write.
    """
    name = calls.op.name

    def check(count: int, x1: Any, a: Any) -> None:
        try:
            check_in_place(count, x1, name, a, depth=1)
        except ValueError as error:
            raise calls.dialect.error(error, name) from None

    def write(x1: Any, x2: Any) -> None:
        """Make the call in place with `lw.Array`. Whether x1 may be written to was checked."""
        a = x1._array
        linked = getattr(a, "_link", ())
        a._link = ()
        try:
            calls.call(2, (x1, x2), {})
        finally:
            a._link = linked
        x1._bind()

    def bind(x1: Any, data: Any) -> None:
        """Have x1 hold a native array that is another one than before."""
        if x1._held is None:
            x1._data = data
        else:
            x1._held._data = data
            x1._bind()

    own = {
        "scalars_change": scalars_change,
        "operand": calls.dialect.operand,
        "check": check,
        "bind": bind,
        "getrefcount": getrefcount,
        "note": note,
    }
    return copied(calls, texts.dialect_in_place, write, write=write, **own)  # type: ignore[no-any-return]
