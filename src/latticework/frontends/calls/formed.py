"""The dispatchers of a dialect's functions whose arguments are not ours, but say the same: ``tf.transpose(x, [1, 0])``.

A form is a function that gives our arguments of theirs. The kernel of ours that they ask for is kept where its result
has the dtype and the shape of what the dialect's own function has made of the same (`Calls.prepare`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from ...engine.dispatch import MISSING
from ...engine.views import link
from ...policy import active
from .keeping import HELD, Calls, new, present

__all__ = ["formed"]

_VIEWS = ("unary_view", "view_with_options")
_ALONE = ("unary", "rounding", "unary_view", "binary")


def formed(calls: Calls, form: Callable[..., Any], slow: Callable[..., Any], fixed: dict[str, Any]) -> Any:
    """The dispatcher of a function or method of one array of the dialect, or of two.

    Parameters
    ----------
    form: it is called with the first array, of which it may read `_data` and `_sig`, and with the other arguments as
        they are. It gives our arguments after the first one, as a tuple: the second operand if there is one, and the
        options by position. None, or an error, says that the arguments mean something else.
    slow: the function in Python, whose signature and docstring the result has.
    fixed: options of ours with the same value in every call.
    """
    make = _of_two if len(calls.op.operands) == 2 else _of_one
    return update_wrapper(make(calls, form, slow, fixed), slow)


def _of_one(calls: Calls, form: Callable[..., Any], slow: Callable[..., Any], fixed: dict[str, Any]) -> Any:
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    views, alone = calls.op.dispatched in _VIEWS and "copy" not in fixed, calls.op.dispatched in _ALONE

    def call(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
        if type(x) is array:
            try:
                a = x._held if x._sig is HELD else x
                options = form(a, *args, **kw)
                found = kernels[get()][a._sig]
                if alone:
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
                    if views and a._sig.immutable:
                        link(d, x._array)
                    return given(d)
                t = new(array)
                t._data = d
                t._sig = sig
                t._held = None
                if views and sig.immutable:
                    link(t._array, x._array)
                return t
        made = slow(*present(x, *args), **kw)
        if type(x) is array:
            _prepare(calls, form, fixed, alone, x, args, kw, made)
        return made

    return call


def _of_two(calls: Calls, form: Callable[..., Any], slow: Callable[..., Any], fixed: dict[str, Any]) -> Any:
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    alone = calls.op.dispatched in _ALONE

    def call(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
        if type(x) is array:
            try:
                a = x._held if x._sig is HELD else x
                second, *options = form(a, *args, **kw)
                if type(second) is array:
                    b = second._held if second._sig is HELD else second
                    found = kernels[get()][a._sig][b._sig]
                    second = b._data
                else:
                    found = kernels[get()][a._sig][type(second)]
                if alone:
                    run, sig = found
                    d = run(a._data, second)
                elif fixed:
                    run, sig = found[(len(options), *fixed)]
                    d = run(a._data, second, *options, **fixed)
                else:
                    run, sig = found[len(options)]
                    d = run(a._data, second, *options)
            except Exception:
                pass
            else:
                if sig is None:
                    return given(d)
                t = new(array)
                t._data = d
                t._sig = sig
                t._held = None
                return t
        made = slow(*present(x, *args), **kw)
        if type(x) is array:
            _prepare(calls, form, fixed, alone, x, args, kw, made)
        return made

    return call


def _prepare(
    calls: Calls, form: Any, fixed: dict[str, Any], alone: bool, x: Any, args: Any, kw: dict[str, Any], made: Any
) -> None:
    """Keep the kernel of ours for a call that the dialect's own function has made."""
    try:
        ours = form(x._array, *args, **kw)
    except Exception:
        return
    if ours is None:
        return
    count = len(calls.op.operands)
    operands, options = (x, *ours[: count - 1]), ours[count - 1 :]
    kinds = [y._array._sig if type(y) is calls.dialect.array else type(y) for y in operands]
    if calls.first_of(x, (*kinds, len(options))):
        last = None if alone else (len(options), *fixed) if fixed else len(options)
        calls.prepare(operands, fixed, last, made, options)
