"""The dispatchers of a dialect's functions whose arguments are not ours, but say the same: ``tf.transpose(x, [1, 0])``.

A form is a function that gives our arguments of theirs. The kernel of ours that they ask for is kept where its result
has the dtype and the shape of what the dialect's own function has made of the same (`Calls.prepare`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from ...engine.array import Array
from ...engine.dispatch import MISSING
from ...engine.views import link
from ...policy import active
from .elementwise import unary
from .keeping import HELD, Calls, new, present, wrapped

__all__ = ["alone", "formed", "of_rank", "of_ranks"]

_VIEWS = ("unary_view", "view_with_options")
_ALONE = ("unary", "rounding", "unary_view", "binary")


def formed(
    calls: Calls, form: Callable[..., Any], slow: Callable[..., Any], fixed: dict[str, Any], names: tuple[str, ...] = ()
) -> Any:
    """The dispatcher of a function or method of one array of the dialect, or of two.

    Parameters
    ----------
    form: it is called with the first array, of which it may read `_data` and `_sig`, and with the other arguments as
        they are. It gives our arguments after the first one, as a tuple: the second operand if there is one, and the
        options by position. None, or an error, says that the arguments mean something else.
    slow: the function in Python, whose signature and docstring the result has.
    fixed: options of ours with the same value in every call.
    names: what ours calls the options after two operands, where it takes them by name.
    """
    if len(calls.op.operands) == 2:
        return update_wrapper(_of_two(calls, form, slow, names), slow)
    return update_wrapper(_of_one(calls, form, slow, fixed), slow)


def _of_one(calls: Calls, form: Callable[..., Any], slow: Callable[..., Any], fixed: dict[str, Any]) -> Any:
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    views, bare = calls.op.dispatched in _VIEWS and "copy" not in fixed, calls.op.dispatched in _ALONE

    def call(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
        if type(x) is array:
            try:
                a = x._held if x._sig is HELD else x
                options = form(a, *args, **kw) if kw else form(a, *args)
                if options is None:
                    raise LookupError
                found = kernels[get()][a._sig]
                if bare:
                    run, sig = found
                    d = run(a._data)
                elif fixed:
                    run, sig = found[(len(options), *fixed)]
                    d = run(a._data, *options, **fixed)
                else:
                    run, sig = found[len(options)]
                    d = run(a._data, *options)
            except Exception:
                pass
            else:
                if sig is None:
                    if views and x._array._sig.immutable:
                        link(d, x._array)
                    if type(d) is tuple:
                        return tuple([wrapped(array, r) for r in d])
                    return wrapped(array, d) if type(d) is Array else given(d)
                t = new(array)
                t._data = d
                t._sig = sig
                t._held = None
                if views and sig.immutable:
                    link(t._array, x._array)
                return t
        made = slow(*present(x, *args), **kw)
        if type(x) is array:
            _prepare(calls, form, fixed, bare, x, args, kw, made)
        return made

    return call


def _of_two(calls: Calls, form: Callable[..., Any], slow: Callable[..., Any], names: tuple[str, ...]) -> Any:
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    bare = calls.op.dispatched in _ALONE
    named = (0, *names)

    def call(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
        if type(x) is array:
            try:
                a = x._held if x._sig is HELD else x
                ours = form(a, *args, **kw) if kw else form(a, *args)
                second = ours[0]
                if type(second) is array:
                    b = second._held if second._sig is HELD else second
                    found = kernels[get()][a._sig][b._sig]
                    second = b._data
                else:
                    found = kernels[get()][a._sig][type(second)]
                if bare:
                    run, sig = found
                    d = run(a._data, second)
                elif len(ours) == 1:
                    run, sig = found[0]
                    d = run(a._data, second)
                elif names:
                    run, sig = found[named]
                    d = run(a._data, second, **dict(zip(names, ours[1:], strict=True)))
                else:
                    run, sig = found[len(ours) - 1]
                    d = run(a._data, second, *ours[1:])
            except Exception:
                pass
            else:
                if sig is None:
                    return wrapped(array, d) if type(d) is Array else given(d)
                t = new(array)
                t._data = d
                t._sig = sig
                t._held = None
                return t
        made = slow(*present(x, *args), **kw)
        if type(x) is array:
            _prepare(calls, form, {}, bare, x, args, kw, made, names)
        return made

    return call


def alone(calls: Calls, slow: Callable[..., Any]) -> Any:
    """The dispatcher of a function of one array alone, which is one of ours where their results are alike."""

    def missed(*args: Any, **kw: Any) -> Any:
        made = slow(*args, **kw)
        if len(args) == 1 and not kw and type(args[0]) is calls.dialect.array:
            (x,) = args
            if calls.first_of(x, (x._array._sig,)):
                calls.prepare(args, {}, None, made)
        return made

    return update_wrapper(unary(calls, missed), slow)


def of_ranks(calls: Calls, slow: Callable[..., Any], least: int, most: int, batches: bool = False) -> Any:
    """The dispatcher of a function of two arrays, which is one of ours where both have so many axes.

    `batches` says that both have to have as many matrices, none of which is broadcast.
    """
    kernels, get, array = calls.kernels, active.get, calls.dialect.array

    def call(x1: Any = MISSING, x2: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
        quickly = type(x1) is array and type(x2) is array and not (args or kw)
        if quickly:
            t = new(array)
            try:
                a = x1._held if x1._sig is HELD else x1
                b = x2._held if x2._sig is HELD else x2
                d1, d2 = a._data, b._data
                quickly = least <= d1.ndim <= most and least <= d2.ndim <= most
                if batches and d1.shape[0] != d2.shape[0]:
                    quickly = False
                if quickly:
                    run, sig = kernels[get()][a._sig][b._sig]
                    t._data = run(d1, d2)
                    t._sig = sig
                    t._held = None
                    return t
            except Exception:
                pass
        made = slow(*present(x1, x2, *args), **kw)
        if quickly and calls.first_of(x1, (x1._array._sig, x2._array._sig)):
            calls.prepare((x1, x2), {}, None, made)
        return made

    return update_wrapper(call, slow)


def of_rank(calls: Calls, slow: Callable[..., Any], rank: int) -> Any:
    """The dispatcher of a view of one array, ``x.T``, which is one of ours where the array has so many axes."""
    kernels, get, array = calls.kernels, active.get, calls.dialect.array

    def call(x: Any, /) -> Any:
        if type(x) is array:
            t = new(array)
            try:
                a = x._held if x._sig is HELD else x
                data = a._data
                if data.ndim == rank:
                    run, sig = kernels[get()][a._sig]
                    t._data = run(data)
                    t._sig = sig
                    t._held = None
                    if sig.immutable:
                        link(t._array, x._array)
                    return t
            except Exception:
                pass
        made = slow(x)
        if type(x) is array and len(x._array._data.shape) == rank and calls.first_of(x, (x._array._sig,)):
            calls.prepare((x,), {}, None, made)
        return made

    return update_wrapper(call, slow)


def _prepare(
    calls: Calls, form: Any, fixed: dict[str, Any], bare: bool, x: Any, args: Any, kw: dict[str, Any], made: Any,
    names: tuple[str, ...] = (),
) -> None:  # fmt: skip
    """Keep the kernel of ours for a call that the dialect's own function has made."""
    try:
        ours = form(x._array, *args, **kw)
    except Exception:
        return
    if ours is None:
        return
    count = len(calls.op.operands)
    operands, options = (x, *ours[: count - 1]), ours[count - 1 :]
    if names and options:
        fixed, options = dict(zip(names, options, strict=True)), ()
    kinds = [y._array._sig if type(y) is calls.dialect.array else type(y) for y in operands]
    if calls.first_of(x, (*kinds, len(options), *fixed)):
        last = None if bare else (len(options), *fixed) if fixed else len(options)
        calls.prepare(operands, fixed, last, made, options)
