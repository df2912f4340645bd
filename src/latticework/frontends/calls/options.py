"""The dispatchers of functions with options, of views, and of sequences of arrays.

Each serves two callers. As a twin of ours, a function takes our options, and a call without a kernel is `Calls.call`.
As the dialect's own function, which `slow` is, it takes arrays alone, and the options that `Forms` knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.dtypes import SCALAR_KINDS
from ...engine.array import Array
from ...engine.dispatch import MISSING
from ...engine.views import link
from ...policy import active
from .forms import NO_FORMS, Forms
from .keeping import HELD, Calls, new, present, wrapped

__all__ = ["of_one", "of_sequence", "of_several", "with_dtype", "with_named"]

Slow = Callable[..., Any] | None

#: The dispatchers that keep the kernel of a call without options under the signature alone.
_ALONE = ("unary_view",)
_VIEWS = ("unary_view", "view_with_options")


def of_one(calls: Calls, slow: Slow = None, forms: Forms = NO_FORMS) -> Callable[..., Any]:
    """The dispatcher of a function of one array."""
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    views, alone, ours = calls.op.dispatched in _VIEWS, calls.op.dispatched in _ALONE, slow is None
    bare, words, first = forms.bare, forms.words, forms.first

    def call(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
        if type(x) is array:
            try:
                a = x._held if x._sig is HELD else x
                found = kernels[get()][a._sig]
                if not (args or kw):
                    run, sig = found if alone else found[bare]
                    d = run(a._data)
                elif ours:
                    run, sig = found[(len(args), *kw) if kw else len(args)]
                    d = run(a._data, *args, **kw)
                elif len(args) + len(kw) == 1:
                    for word in kw or first:
                        last, name, kind = words[word]
                    value = kw[word] if kw else args[0]
                    if type(value) is not kind:
                        raise LookupError
                    run, sig = found[last]
                    d = run(a._data, **{name: value})
                else:
                    last, options = forms.options(args, kw)
                    run, sig = found[last]
                    d = run(a._data, **options)
            except Exception:
                pass
            else:
                if sig is None:
                    if views and x._array._sig.immutable:
                        link(d, x._array)
                    return wrapped(array, d) if type(d) is Array else given(d)
                t = new(array)
                t._data = d
                t._sig = sig
                t._held = None
                if views and sig.immutable:
                    link(t._array, x._array)
                return t
        if slow is not None:
            made = slow(*present(x, *args), **kw)
            if type(x) is array and calls.first_of(x, (x._array._sig, len(args), *kw)):
                _prepare(calls, forms, (x,), args, kw, made)
            return made
        under = None if alone and not (args or kw) else (len(args), *kw) if kw else len(args)
        return calls.call(1, present(x, *args), kw, under)

    return call


def _prepare(
    calls: Calls, forms: Forms, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any], made: Any
) -> None:
    """Keep the kernel of a call that the dialect's own function has made, where it is a call of ours."""
    try:
        last, options = forms.options(args, kw) if args or kw else (forms.bare, {})
    except LookupError:
        return
    if last is not None:
        calls.prepare(operands, options, None if calls.op.dispatched in _ALONE and not options else last, made)


def with_dtype(calls: Calls) -> Callable[..., Any]:
    """The twin of a function of one array that has the option `dtype`, which decides the result's dtype."""
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    dtype_of = calls.dialect.dtype_of

    def call(x: Any = MISSING, /, *args: Any, dtype: Any = None, **kw: Any) -> Any:
        if dtype is not None:
            dtype = dtype_of(dtype)
        last = (dtype, len(args), *kw) if args or kw or dtype is not None else 0
        if type(x) is array:
            try:
                a = x._held if x._sig is HELD else x
                run, sig = kernels[get()][a._sig][last]
                d = run(a._data, *args, **kw)
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
        options = kw if dtype is None else {**kw, "dtype": dtype}
        return calls.call(1, present(x, *args), options, last)

    return call


def of_several(calls: Calls, slow: Slow = None) -> Callable[..., Any]:
    """The dispatcher of a function of two arrays or more; of Python scalars alone the dialect's own decides."""
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    count, ours = len(calls.op.operands), slow is None
    nested = count <= 3

    def call(*args: Any, **kw: Any) -> Any:
        if len(args) == 3 == count and not kw:
            x1, x2, x3 = args
            if type(x1) is array and type(x2) is array and type(x3) is array:
                try:
                    a = x1._held if x1._sig is HELD else x1
                    b = x2._held if x2._sig is HELD else x2
                    c = x3._held if x3._sig is HELD else x3
                    run, sig = kernels[get()][a._sig][b._sig][c._sig][0]
                    if sig is not None:
                        t = new(array)
                        t._data = run(a._data, b._data, c._data)
                        t._sig = sig
                        t._held = None
                        return t
                except Exception:
                    pass
        more = args[count:]
        operands = args[:count] if more else args
        if ours or not (kw or more or len(args) != count or type(args[-1]) in SCALAR_KINDS):
            try:
                found: Any = kernels[get()]
                data: list[Any] = []
                if nested:
                    for x in operands:
                        if type(x) is array:
                            a = x._held if x._sig is HELD else x
                            found = found[a._sig]
                            data.append(a._data)
                        else:
                            found = found[type(x)]
                            data.append(x)
                else:
                    held = [x._array if type(x) is array else x for x in operands]
                    found = found[tuple([x._sig if type(x) is Array else type(x) for x in held])]
                    data = [x._data if type(x) is Array else x for x in held]
                run, sig = found[(len(more), *kw) if kw else len(more)]
                d = run(*data, *more, **kw) if more or kw else run(*data)
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
        if slow is not None:
            made = slow(*args, **kw)
            if not (kw or more) and len(args) == count and type(args[-1]) not in SCALAR_KINDS:
                kinds = tuple([x._array._sig if type(x) is array else type(x) for x in args])
                held = [x for x in args if type(x) is array]
                if held and calls.first_of(held[0], kinds):
                    calls.prepare(args, {}, 0, made)
            return made
        return calls.call(count, args, kw, (len(more), *kw) if kw else len(more))

    return call


def of_sequence(calls: Calls, slow: Slow = None, forms: Forms = NO_FORMS) -> Callable[..., Any]:
    """The dispatcher of a function of a sequence of arrays, given as one argument or spread over many."""
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    spread, ours = calls.op.spread, slow is None
    bare, words, first = forms.bare, forms.words, forms.first

    def call(*args: Any, **kw: Any) -> Any:
        try:
            arrays, rest = (args, ()) if spread else (args[0], args[1:])
            if type(arrays) is not tuple and type(arrays) is not list:
                raise LookupError  # an array: its rows are no sequence of arrays to every framework
            sigs, data = [], []
            for x in arrays:
                if type(x) is not array:
                    raise LookupError
                a = x._held if x._sig is HELD else x
                sigs.append(a._sig)
                data.append(a._data)
            found = kernels[get()][tuple(sigs)]
            if not (rest or kw):
                run, sig = found[bare]
                d = run(data)
            elif ours:
                run, sig = found[(len(rest), *kw) if kw else len(rest)]
                d = run(data, *rest, **kw)
            elif len(rest) + len(kw) == 1:
                for word in kw or first:
                    last, name, kind = words[word]
                value = kw[word] if kw else rest[0]
                if type(value) is not kind:
                    raise LookupError
                run, sig = found[last]
                d = run(data, **{name: value})
            else:
                last, options = forms.options(rest, kw)
                run, sig = found[last]
                d = run(data, **options)
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
        if slow is not None:
            made = slow(*args, **kw)
            arrays = args[0] if args else ()
            if type(arrays) not in (list, tuple) or not arrays or not all(type(x) is array for x in arrays):
                return made
            if calls.first_of(arrays[0], (*[x._array._sig for x in arrays], len(args), *kw)):
                _prepare(calls, forms, args[:1], args[1:], kw, made)
            return made
        more = 0 if spread else max(len(args) - 1, 0)
        return calls.call(len(args) if spread else 1, args, kw, (more, *kw) if kw else more)

    return call


def with_named(calls: Calls, without: Callable[..., Any], whole: Callable[..., Any]) -> Callable[..., Any]:
    """The twin of a function with operands besides the leading ones, or with options that may be arrays.

    Parameters
    ----------
    without: the twin of the function without these, which is called where none of them is given.
    whole: the function that exchanges all arguments, which is called otherwise.
    """
    o = calls.op
    names, leading, positional = frozenset((*o.optional, *o.array_options)), len(o.operands), o.by_position

    def call(*args: Any, **kw: Any) -> Any:
        if len(args) > leading:  # as `engine.dispatch.with_named`, which takes these by name
            more = dict(zip(positional, args[leading:], strict=False))
            if len(more) != len(args) - leading or not kw.keys().isdisjoint(more):
                return whole(*args, **kw)  # which says what is wrong
            args, kw = args[:leading], more | kw
        if names.isdisjoint(kw):
            return without(*args, **kw)
        return whole(*args, **kw)

    return call
