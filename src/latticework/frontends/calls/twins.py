"""Latticework's functions as functions of a dialect's arrays, under the dialect's rules.

A dialect's array has a native array and a signature, as an `Array` has, and the kernels are the kernels of the
dialect's policy. They are kept under the policy in force, so that a call looks them up as any latticework call does,
and enters no `using` block. Nothing is decided here: a call that finds no kernel, or whose kernel raises, is made with
`Array` under the dialect's policy (`DialectKernels.call`). If that call has left a kernel in the tables of
`engine.calls.dispatch`, the kernel is kept for the dialect as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from ...engine.calls import dispatchers as texts
from ...policy import TABLES, current, kernels_of
from .cache import DialectKernels
from .elementwise import binary, copied, unary

if TYPE_CHECKING:
    from ...engine.op import Op
    from ..dialect import Dialect

__all__ = ["twin"]

_OPTIONS = (texts.dialect_options_of_1, texts.dialect_options_of_2, texts.dialect_options_of_3)


def twin(o: Op | None, f: Callable[..., Any], dialect: Dialect) -> Callable[..., Any]:
    """Make a latticework function one of a dialect's arrays, under the dialect's rules.

    Parameters
    ----------
    o: its declaration, None for a function that has none.
    f: the function.
    """
    if o is None:
        return dialect.function(f)
    whole = dialect.function_of_operands(o, f)
    if not o.dispatched:
        return whole
    calls = DialectKernels(o, f, dialect)
    if o.dispatched in ("unary", "rounding"):
        call = unary(calls)
    elif o.dispatched == "binary":
        call = binary(calls)
    elif o.dispatched == "of_shape":
        call = copied(calls, texts.dialect_of_shape, _making(calls), dtype_of=dialect.dtype_of)
    else:
        call = copied(calls, *_with_options(calls))
    if o.optional or o.array_options:
        call = _with_named(calls, call, whole)
    return update_wrapper(call, f)


def _with_options(calls: DialectKernels) -> tuple[Any, Callable[..., Any]]:
    """Return the text of the twin of a function with options, and the slow path of a call."""
    o = calls.op
    count = len(o.operands)
    named: dict[str, Any] = {
        "unary_view": texts.dialect_unary_view,
        "view_with_options": texts.dialect_view_with_options,
        "with_dtype": texts.dialect_with_dtype,
        "sequence": texts.dialect_sequence,
    }
    several = _OPTIONS[count - 1] if 0 < count <= len(_OPTIONS) else texts.dialect_options_of_many

    def fallback(args: tuple[Any, ...], kw: dict[str, Any], last: Any) -> Any:
        return calls.call(len(args) if o.spread else 1 if o.sequence else count, args, kw, last)

    return named.get(o.dispatched, several), fallback


def _making(calls: DialectKernels) -> Callable[..., Any]:
    """Return the slow path of a function that makes an array of a shape; it also caches the kernel."""
    dialect = calls.dialect

    def fallback(shape: Any, dtype: Any, device: Any) -> Any:
        options = {"dtype": dtype, "device": device}
        made = calls.call(0, (shape,), {name: x for name, x in options.items() if x is not None})
        found = TABLES.get(calls.op.name, {}).get(dialect.policy(), {}).get(dtype)
        if found is not None and device is None:
            kernels_of(calls.name, current())[dtype] = found
        return made

    return fallback


def _with_named(calls: DialectKernels, without: Callable[..., Any], whole: Callable[..., Any]) -> Callable[..., Any]:
    """Return the twin of a function with operands besides the leading ones, or with options that may be arrays.

    Parameters
    ----------
    without: the twin of the function without such arguments, which is called where none of them is given.
    whole: the function that unwraps all arguments, which is called otherwise.
    """
    o = calls.op
    names, leading, positional = frozenset((*o.optional, *o.array_options)), len(o.operands), o.by_position

    def call(*args: Any, **kw: Any) -> Any:
        if len(args) > leading:  # as `with_named` of `engine.calls.dispatch`, which takes these by name
            more = dict(zip(positional, args[leading:], strict=False))
            if len(more) != len(args) - leading or not kw.keys().isdisjoint(more):
                return whole(*args, **kw)  # which says what is wrong
            args, kw = args[:leading], more | kw
        if names.isdisjoint(kw):
            return without(*args, **kw)
        return whole(*args, **kw)

    return call
