"""The dispatchers: what runs on every call, between its arguments and its kernel. Written by `make pages`.

The texts are those of `tools/calling.py`, for three kinds of arrays: `lw.Array`, a framework's own arrays, and the
arrays of a dialect. Nothing calls these functions as they are: `dispatch.with_names` copies them, and gives each copy
the names below that it reads.
"""

# mypy: disable-error-code="no-untyped-def, no-any-return, unreachable"

from __future__ import annotations

from typing import Any

from ...core.registry import MISSING, functions
from ...errors import is_signal
from ...policy import NOWHERE, active

get = active.get
policy: Any = NOWHERE
Array: Any = None
HELD: Any = None
again: Any = None
array: Any = None
as_array: Any = None
bind: Any = None
call: Any = None
check: Any = None
check_in_place: Any = None
count: Any = None
data_of: Any = None
dtype_of: Any = None
fallback: Any = None
first: Any = None
foreign: Any = None
getrefcount: Any = None
given: Any = None
kernels: Any = None
leading: Any = None
link: Any = None
missed: Any = None
name: Any = None
named: Any = None
new: Any = None
note: Any = None
operand: Any = None
optional: Any = None
positional: Any = None
present: Any = None
result: Any = None
run: Any = None
scalars_change: Any = None
second: Any = None
sequence_of: Any = None
sig_of: Any = None
spread: Any = None
translated: Any = None
without: Any = None
wrapped: Any = None
write: Any = None
written: Any = None


def lw_unary(x: Any, /, out: Any = None) -> Any:
    if out is not None:
        return written(name, call(x), out)
    if type(x) is not array:
        x = as_array(name, x)
    if x._sig is first and get() is policy:
        r = array()
        try:
            r._data = run(x._data)
        except Exception as error:
            raise translated(name, error, (x,)) from error
        r._sig = result
        return r
    try:
        kernel, sig = kernels[get()][x._sig]
    except KeyError:
        kernel, sig = missed(name, x)
    r = array()
    try:
        r._data = kernel(x._data)
    except Exception as error:
        raise translated(name, error, (x,)) from error
    r._sig = sig
    return r


def lw_rounding(x: Any, /, decimals: Any = None, out: Any = None) -> Any:
    if decimals is not None:
        return functions.around(x, decimals=decimals, out=out)
    if out is not None:
        return written(name, call(x), out)
    if type(x) is not array:
        x = as_array(name, x)
    if x._sig is first and get() is policy:
        r = array()
        try:
            r._data = run(x._data)
        except Exception as error:
            raise translated(name, error, (x,)) from error
        r._sig = result
        return r
    try:
        kernel, sig = kernels[get()][x._sig]
    except KeyError:
        kernel, sig = missed(name, x)
    r = array()
    try:
        r._data = kernel(x._data)
    except Exception as error:
        raise translated(name, error, (x,)) from error
    r._sig = sig
    return r


def lw_unary_view(x: Any, /, out: Any = None) -> Any:
    if out is not None:
        return written(name, call(x), out)
    if type(x) is not array:
        x = as_array(name, x)
    try:
        kernel, sig = kernels[get()][x._sig]
    except KeyError:
        kernel, sig = missed(name, x)
    r = array()
    try:
        r._data = kernel(x._data)
    except Exception as error:
        raise translated(name, error, (x,)) from error
    r._sig = sig
    if sig.immutable:
        link(r, x, name)
    return r


def lw_binary(x1: Any, x2: Any, /, out: Any = None) -> Any:
    if out is not None:
        return written(name, call(x1, x2), out)
    if type(x1) is array and type(x2) is array:
        if x1._sig is first and x2._sig is second and (get() is policy):
            r = array()
            try:
                r._data = run(x1._data, x2._data)
            except Exception as error:
                raise translated(name, error, (x1, x2)) from error
            r._sig = result
            return r
        try:
            kernel, sig = kernels[get()][x1._sig][x2._sig]
        except KeyError:
            kernel, sig = missed(name, x1, x2)
        r = array()
        try:
            r._data = kernel(x1._data, x2._data)
        except Exception as error:
            raise translated(name, error, (x1, x2)) from error
        r._sig = sig
        return r
    if type(x1) is array:
        s1 = x1._sig
        d1 = x1._data
    else:
        s1 = type(x1)
        d1 = x1
    if type(x2) is array:
        s2 = x2._sig
        d2 = x2._data
    else:
        s2 = type(x2)
        d2 = x2
    try:
        kernel, sig = kernels[get()][s1][s2]
    except KeyError:
        kernel, sig = missed(name, x1, x2)
    r = array()
    try:
        r._data = kernel(d1, d2)
    except Exception as error:
        raise translated(name, error, (x1, x2)) from error
    r._sig = sig
    return r


def lw_unary_operator(x: Any, /) -> Any:
    if x._sig is first and get() is policy:
        r = array()
        try:
            r._data = run(x._data)
        except Exception as error:
            raise translated(name, error, (x,)) from error
        r._sig = result
        return r
    try:
        kernel, sig = kernels[get()][x._sig]
    except KeyError:
        kernel, sig = missed(name, x)
    r = array()
    try:
        r._data = kernel(x._data)
    except Exception as error:
        raise translated(name, error, (x,)) from error
    r._sig = sig
    return r


def lw_operator(x1: Any, x2: Any, /) -> Any:
    if type(x2) is array:
        if x1._sig is first and x2._sig is second and (get() is policy):
            r = array()
            try:
                r._data = run(x1._data, x2._data)
            except Exception as error:
                raise translated(name, error, (x1, x2)) from error
            r._sig = result
            return r
        try:
            kernel, sig = kernels[get()][x1._sig][x2._sig]
        except KeyError:
            if foreign(x2, x1, name):
                return NotImplemented
            kernel, sig = missed(name, x1, x2)
        r = array()
        try:
            r._data = kernel(x1._data, x2._data)
        except Exception as error:
            raise translated(name, error, (x1, x2)) from error
        r._sig = sig
        return r
    try:
        kernel, sig = kernels[get()][x1._sig][type(x2)]
    except KeyError:
        if foreign(x2, x1, name):
            return NotImplemented
        kernel, sig = missed(name, x1, x2)
    r = array()
    try:
        r._data = kernel(x1._data, x2)
    except Exception as error:
        raise translated(name, error, (x1, x2)) from error
    r._sig = sig
    return r


def lw_reflected(x1: Any, x2: Any, /) -> Any:
    try:
        kernel, sig = kernels[get()][type(x2)][x1._sig]
    except KeyError:
        if foreign(x2, None, name, x1):
            return NotImplemented
        kernel, sig = missed(name, x2, x1)
    r = array()
    try:
        r._data = kernel(x2, x1._data)
    except Exception as error:
        raise translated(name, error, (x2, x1)) from error
    r._sig = sig
    return r


def lw_in_place(x1: Any, x2: Any, /) -> Any:
    if type(x2) is array:
        s2 = x2._sig
        d2 = x2._data
    else:
        s2 = type(x2)
        d2 = x2
    try:
        kernel = kernels[get()][x1._sig][s2]
    except KeyError:
        if foreign(x2, x1, name):
            return NotImplemented
        kernel = missed(name, x1, x2)
    if x1._sig.immutable:
        check_in_place(getrefcount(x1), x1, name)
    try:
        x1._data = kernel(x1._data, d2)
    except Exception as error:
        raise translated(name, error, x1, x2) from error
    return x1


def lw_options_of_1(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    if type(x) is not array:
        x = as_array(name, x)
    s = x._sig
    d = x._data
    try:
        kernel, sig = kernels[get()][s][last]
    except KeyError:
        kernel, sig = missed(name, (x,), args, kw)
    try:
        d = kernel(d, *args, **kw) if kw else kernel(d, *args) if args else kernel(d)
    except Exception as error:
        d = again(name, error, kernel, (x,), args, kw)
    if sig is None:
        return d
    r = array()
    r._data = d
    r._sig = sig
    return r


def lw_view_with_options(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    if type(x) is not array:
        x = as_array(name, x)
    s = x._sig
    d = x._data
    try:
        kernel, sig = kernels[get()][s][last]
    except KeyError:
        kernel, sig = missed(name, (x,), args, kw)
    try:
        d = kernel(d, *args, **kw) if kw else kernel(d, *args) if args else kernel(d)
    except Exception as error:
        d = again(name, error, kernel, (x,), args, kw)
    if sig is None:
        r = d
    else:
        r = array()
        r._data = d
        r._sig = sig
    if x._sig.immutable and (not kw.get("copy")):
        link(r, x, name, args, kw)
    return r


def lw_with_dtype(x: Any = MISSING, /, *args: Any, dtype: Any = None, **kw: Any) -> Any:
    last = (dtype, len(args), *kw) if args or kw or dtype is not None else 0
    if type(x) is not array:
        x = as_array(name, x)
    s = x._sig
    d = x._data
    try:
        kernel, sig = kernels[get()][s][last]
    except (KeyError, TypeError):
        kernel, sig = missed(name, (x,), args, kw, dtype)
    try:
        d = kernel(d, *args, **kw) if kw else kernel(d, *args) if args else kernel(d)
    except Exception as error:
        d = again(name, error, kernel, (x,), args, kw)
    if sig is None:
        return d
    r = array()
    r._data = d
    r._sig = sig
    return r


def lw_options_of_2(x1: Any = MISSING, x2: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    if type(x1) is array:
        s1 = x1._sig
        d1 = x1._data
    else:
        s1 = type(x1)
        d1 = x1
    if type(x2) is array:
        s2 = x2._sig
        d2 = x2._data
    else:
        s2 = type(x2)
        d2 = x2
    try:
        kernel, sig = kernels[get()][s1][s2][last]
    except KeyError:
        kernel, sig = missed(name, (x1, x2), args, kw)
    try:
        d = kernel(d1, d2, *args, **kw)
    except Exception as error:
        d = again(name, error, kernel, (x1, x2), args, kw)
    if sig is None:
        return d
    r = array()
    r._data = d
    r._sig = sig
    return r


def lw_options_of_3(x1: Any = MISSING, x2: Any = MISSING, x3: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    if type(x1) is array:
        s1 = x1._sig
        d1 = x1._data
    else:
        s1 = type(x1)
        d1 = x1
    if type(x2) is array:
        s2 = x2._sig
        d2 = x2._data
    else:
        s2 = type(x2)
        d2 = x2
    if type(x3) is array:
        s3 = x3._sig
        d3 = x3._data
    else:
        s3 = type(x3)
        d3 = x3
    try:
        kernel, sig = kernels[get()][s1][s2][s3][last]
    except KeyError:
        kernel, sig = missed(name, (x1, x2, x3), args, kw)
    try:
        d = kernel(d1, d2, d3, *args, **kw)
    except Exception as error:
        d = again(name, error, kernel, (x1, x2, x3), args, kw)
    if sig is None:
        return d
    r = array()
    r._data = d
    r._sig = sig
    return r


def lw_options_of_many(*args: Any, **kw: Any) -> Any:
    xs, args = (args[:count], args[count:])
    last = (len(args), *kw) if kw else len(args)
    sigs = []
    ds = []
    for x in xs:
        if type(x) is array:
            s = x._sig
            d = x._data
        else:
            s = type(x)
            d = x
        sigs.append(s)
        ds.append(d)
    try:
        kernel, sig = kernels[get()][tuple(sigs)][last]
    except KeyError:
        kernel, sig = missed(name, xs, args, kw)
    try:
        d = kernel(*ds, *args, **kw)
    except Exception as error:
        d = again(name, error, kernel, xs, args, kw)
    if sig is None:
        return d
    r = array()
    r._data = d
    r._sig = sig
    return r


def lw_with_named(*args: Any, **kw: Any) -> Any:
    if len(args) <= leading and optional.isdisjoint(kw):
        return without(*args, **kw)
    if len(args) > len(positional) or not kw.keys().isdisjoint(positional[leading : len(args)]):
        return without(*args, **kw)
    kw = {**dict(zip(positional[leading:], args[leading:], strict=False)), **kw}
    dtype = kw.pop("dtype", None)
    xs = (*args[:leading], *[kw.pop(n, None) for n in named])
    sigs = []
    ds = []
    for x in xs:
        if type(x) is array:
            s = x._sig
            d = x._data
        else:
            s = type(x)
            d = x
        sigs.append(s)
        ds.append(d)
    try:
        kernel, sig = kernels[get()][tuple(sigs)][dtype, *kw]
    except (KeyError, TypeError):
        kernel, sig = missed(name, xs, kw, dtype)
    more = {n: d for n, d in zip(named, ds[-len(named) :], strict=True) if d is not None}
    try:
        d = kernel(*ds[:leading], **more, **kw)
    except Exception as error:
        told = {n: x for n, x in zip(named, xs[-len(named) :], strict=True) if x is not None}
        raise translated(name, error, xs[:leading], (), {**told, **kw}) from error
    if sig is None:
        return d
    r = array()
    r._data = d
    r._sig = sig
    return r


def lw_sequence(*args: Any, **kw: Any) -> Any:
    if not spread and args and isinstance(args[0], (list, tuple)):
        xs, args = (args[0], args[1:])
    else:
        xs, args = sequence_of(name, args, spread)
    try:
        sigs, ds = ([*map(sig_of, xs)], [*map(data_of, xs)])
    except AttributeError:
        sigs = []
        ds = []
        for x in xs:
            if type(x) is array:
                s = x._sig
                d = x._data
            else:
                s = type(x)
                d = x
            sigs.append(s)
            ds.append(d)
    last = (len(args), *kw) if kw else len(args)
    try:
        kernel, sig = kernels[get()][tuple(sigs)][last]
    except KeyError:
        kernel, sig = missed(name, tuple(xs), args, kw)
    try:
        d = kernel(ds, *args, **kw) if args or kw else kernel(ds)
    except Exception as error:
        d = again(name, error, kernel, tuple(xs), args, kw)
    if sig is None:
        return d
    r = array()
    r._data = d
    r._sig = sig
    return r


def lw_of_shape(shape: Any = MISSING, *more: Any, dtype: Any = None, device: Any = None, **unknown: Any) -> Any:
    key = dtype if device is None else (dtype, (device, getattr(device, "backend", None)))
    try:
        kernel, native, location, sig = kernels[get()][unknown or more or key]
    except (KeyError, TypeError):
        kernel, native, location, sig = missed(name, present(shape, *more), unknown, dtype, device, key)
    r = array()
    try:
        r._data = kernel(shape, dtype=native, device=location)
    except Exception as error:
        raise translated(name, error, (), (shape,)) from error
    r._sig = sig
    return r


def native_unary(x: Any, /, out: Any = None) -> Any:
    if out is None:
        try:
            if type(x) is array:
                if x.dtype is first and get() is policy:
                    return run(x)
                kernel, sig = kernels[get()][x.dtype]
                return kernel(x)
            kernel, sig = kernels[get()][type(x)]
            return kernel(x)
        except Exception as error:
            if is_signal(error):
                raise
    return fallback((x,), {"out": out})


def native_rounding(x: Any, /, decimals: Any = None, out: Any = None) -> Any:
    if decimals is None and out is None:
        try:
            if type(x) is array:
                if x.dtype is first and get() is policy:
                    return run(x)
                kernel, sig = kernels[get()][x.dtype]
                return kernel(x)
            kernel, sig = kernels[get()][type(x)]
            return kernel(x)
        except Exception as error:
            if is_signal(error):
                raise
    return fallback((x,), {"decimals": decimals, "out": out})


def native_binary(x1: Any, x2: Any, /, out: Any = None) -> Any:
    if out is None:
        try:
            if type(x1) is array and type(x2) is array:
                if x1.dtype is first and x2.dtype is second and (get() is policy):
                    return run(x1, x2)
                kernel, sig = kernels[get()][x1.dtype][x2.dtype]
                return kernel(x1, x2)
            if type(x1) is array:
                s1 = x1.dtype
                d1 = x1
            else:
                s1 = type(x1)
                d1 = x1
            if type(x2) is array:
                s2 = x2.dtype
                d2 = x2
            else:
                s2 = type(x2)
                d2 = x2
            kernel, sig = kernels[get()][s1][s2]
            return kernel(d1, d2)
        except Exception as error:
            if is_signal(error):
                raise
    return fallback((x1, x2), {"out": out})


def native_options_of_1(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    try:
        s = x.dtype if type(x) is array else type(x)
        d = x
        kernel, sig = kernels[get()][s][last]
        d = kernel(d, *args, **kw) if kw else kernel(d, *args) if args else kernel(d)
        return d if sig is not None else given(d)
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(present(x, *args), kw, last)


def native_with_dtype(x: Any = MISSING, /, *args: Any, dtype: Any = None, **kw: Any) -> Any:
    last = (dtype, len(args), *kw) if args or kw or dtype is not None else 0
    try:
        s = x.dtype if type(x) is array else type(x)
        d = x
        kernel, sig = kernels[get()][s][last]
        d = kernel(d, *args, **kw) if kw else kernel(d, *args) if args else kernel(d)
        return d if sig is not None else given(d)
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(present(x, *args), kw if dtype is None else {**kw, "dtype": dtype}, last)


def native_options_of_2(x1: Any = MISSING, x2: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    try:
        if type(x1) is array:
            s1 = x1.dtype
            d1 = x1
        else:
            s1 = type(x1)
            d1 = x1
        if type(x2) is array:
            s2 = x2.dtype
            d2 = x2
        else:
            s2 = type(x2)
            d2 = x2
        kernel, sig = kernels[get()][s1][s2][last]
        d = kernel(d1, d2, *args, **kw)
        return d if sig is not None else given(d)
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(present(x1, x2, *args), kw, last)


def native_options_of_3(x1: Any = MISSING, x2: Any = MISSING, x3: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    try:
        if type(x1) is array:
            s1 = x1.dtype
            d1 = x1
        else:
            s1 = type(x1)
            d1 = x1
        if type(x2) is array:
            s2 = x2.dtype
            d2 = x2
        else:
            s2 = type(x2)
            d2 = x2
        if type(x3) is array:
            s3 = x3.dtype
            d3 = x3
        else:
            s3 = type(x3)
            d3 = x3
        kernel, sig = kernels[get()][s1][s2][s3][last]
        d = kernel(d1, d2, d3, *args, **kw)
        return d if sig is not None else given(d)
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(present(x1, x2, x3, *args), kw, last)


def native_options_of_many(*args: Any, **kw: Any) -> Any:
    xs, args = (args[:count], args[count:])
    last = (len(args), *kw) if kw else len(args)
    try:
        sigs = []
        ds = []
        for x in xs:
            if type(x) is array:
                s = x.dtype
                d = x
            else:
                s = type(x)
                d = x
            sigs.append(s)
            ds.append(d)
        kernel, sig = kernels[get()][tuple(sigs)][last]
        d = kernel(*ds, *args, **kw)
        return d if sig is not None else given(d)
    except Exception as error:
        if is_signal(error):
            raise
    return fallback((*xs, *args), kw, last)


def native_sequence(*args: Any, **kw: Any) -> Any:
    last = None
    try:
        xs, rest = (args, ()) if spread else (args[0], args[1:])
        last = (len(rest), *kw) if kw else len(rest)
        if type(xs) is tuple or type(xs) is list:
            sigs = []
            ds = []
            for x in xs:
                if type(x) is array:
                    s = x.dtype
                    d = x
                else:
                    s = type(x)
                    d = x
                sigs.append(s)
                ds.append(d)
            kernel, sig = kernels[get()][tuple(sigs)][last]
            d = kernel(ds, *rest, **kw)
            return d if sig is not None else given(d)
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(args, kw, last)


def native_of_shape(*shape: Any, dtype: Any = None, device: Any = None, **unknown: Any) -> Any:
    key = dtype if device is None else (dtype, (device, getattr(device, "backend", None)))
    try:
        kernel, native, location, sig = kernels[get()][unknown or shape[1:] or key]
        return kernel(shape[0], dtype=native, device=location)
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(shape, {"dtype": dtype, "device": device, **unknown}, key)


def dialect_unary(x: Any = MISSING, /, *more: Any, **kw: Any) -> Any:
    if type(x) is array and (not kw) and (not more):
        try:
            if x._sig is first and get() is policy:
                t = new(array)
                t._data = run(x._data)
                t._sig = result
                t._held = None
                return t
            h = x._held if x._sig is HELD else x
            kernel, sig = kernels[get()][h._sig]
            t = new(array)
            t._data = kernel(h._data)
            t._sig = sig
            t._held = None
            return t
        except Exception as error:
            if is_signal(error):
                raise
    return fallback(*present(x, *more), **kw)


def dialect_unary_view(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    if type(x) is array and (not args) and (not kw):
        try:
            h = x._held if x._sig is HELD else x
            kernel, sig = kernels[get()][h._sig]
            t = new(array)
            t._data = kernel(h._data)
            t._sig = sig
            t._held = None
            if sig.immutable:
                link(t._array, x._array, name)
            return t
        except Exception as error:
            if is_signal(error):
                raise
    return fallback(present(x, *args), kw, (len(args), *kw) if args or kw else None)


def dialect_binary(x1: Any = MISSING, x2: Any = MISSING, /, *more: Any, **kw: Any) -> Any:
    if not kw and (not more) and (type(x1) is array or type(x2) is array):
        try:
            if type(x1) is array and type(x2) is array:
                if x1._sig is first and x2._sig is second and (get() is policy):
                    t = new(array)
                    t._data = run(x1._data, x2._data)
                    t._sig = result
                    t._held = None
                    return t
                h1 = x1._held if x1._sig is HELD else x1
                h2 = x2._held if x2._sig is HELD else x2
                kernel, sig = kernels[get()][h1._sig][h2._sig]
                t = new(array)
                t._data = kernel(h1._data, h2._data)
                t._sig = sig
                t._held = None
                return t
            if type(x1) is array:
                h1 = x1._held if x1._sig is HELD else x1
                s1 = h1._sig
                d1 = h1._data
            else:
                s1 = type(x1)
                d1 = x1
            if type(x2) is array:
                h2 = x2._held if x2._sig is HELD else x2
                s2 = h2._sig
                d2 = h2._data
            else:
                s2 = type(x2)
                d2 = x2
            kernel, sig = kernels[get()][s1][s2]
            t = new(array)
            t._data = kernel(d1, d2)
            t._sig = sig
            t._held = None
            return t
        except Exception as error:
            if is_signal(error):
                raise
    return fallback(*present(x1, x2, *more), **kw)


def dialect_unary_operator(x: Any, /) -> Any:
    try:
        if x._sig is first and get() is policy:
            t = new(array)
            t._data = run(x._data)
            t._sig = result
            t._held = None
            return t
        h = x._held if x._sig is HELD else x
        kernel, sig = kernels[get()][h._sig]
        t = new(array)
        t._data = kernel(h._data)
        t._sig = sig
        t._held = None
        return t
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(x)


def dialect_operator(x1: Any, x2: Any, /) -> Any:
    try:
        if type(x2) is array:
            if x1._sig is first and x2._sig is second and (get() is policy):
                t = new(array)
                t._data = run(x1._data, x2._data)
                t._sig = result
                t._held = None
                return t
            h1 = x1._held if x1._sig is HELD else x1
            h2 = x2._held if x2._sig is HELD else x2
            kernel, sig = kernels[get()][h1._sig][h2._sig]
            t = new(array)
            t._data = kernel(h1._data, h2._data)
            t._sig = sig
            t._held = None
            return t
        h1 = x1._held if x1._sig is HELD else x1
        kernel, sig = kernels[get()][h1._sig][type(x2)]
        t = new(array)
        t._data = kernel(h1._data, x2)
        t._sig = sig
        t._held = None
        return t
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(x1, x2)


def dialect_reflected(x1: Any, x2: Any, /) -> Any:
    try:
        h1 = x1._held if x1._sig is HELD else x1
        kernel, sig = kernels[get()][type(x2)][h1._sig]
        t = new(array)
        t._data = kernel(x2, h1._data)
        t._sig = sig
        t._held = None
        return t
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(x1, x2)


def dialect_in_place(x1: Any, x2: Any, /) -> Any:
    h1 = x1 if x1._sig is not HELD and x1._sig.in_place else x1._array
    if not scalars_change and (not len(h1._data.shape)):
        return NotImplemented
    try:
        if type(x2) is array:
            h2 = x2._held if x2._sig is HELD else x2
            s2 = h2._sig
            d2 = h2._data
        else:
            s2 = type(x2)
            d2 = x2
        kernel = kernels[get()][h1._sig][s2]
    except (KeyError, TypeError):
        x2 = operand(x2, x1)
        if x2 is NotImplemented:
            return x2
        kernel = None
    if h1._sig.immutable:
        check(getrefcount(x1), x1, h1)
    if note is not None:
        note(h1)
    try:
        d = kernel(h1._data, d2)
    except Exception as error:
        if is_signal(error):
            raise
        write(x1, x2)
    else:
        if d is not h1._data:
            bind(x1, d)
    return x1


def dialect_options_of_1(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    try:
        if type(x) is not array:
            raise LookupError
        h = x._held if x._sig is HELD else x
        s = h._sig
        d = h._data
        kernel, sig = kernels[get()][s][last]
        d = kernel(d, *args, **kw) if kw else kernel(d, *args) if args else kernel(d)
        if sig is None:
            return wrapped(array, d) if type(d) is Array else given(d)
        t = new(array)
        t._data = d
        t._sig = sig
        t._held = None
        return t
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(present(x, *args), kw, last)


def dialect_view_with_options(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    try:
        if type(x) is not array:
            raise LookupError
        h = x._held if x._sig is HELD else x
        s = h._sig
        d = h._data
        kernel, sig = kernels[get()][s][last]
        d = kernel(d, *args, **kw) if kw else kernel(d, *args) if args else kernel(d)
        if sig is None:
            if x._array._sig.immutable:
                link(d, x._array, name, args, kw)
            return wrapped(array, d) if type(d) is Array else given(d)
        t = new(array)
        t._data = d
        t._sig = sig
        t._held = None
        if sig.immutable:
            link(t._array, x._array, name, args, kw)
        return t
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(present(x, *args), kw, last)


def dialect_with_dtype(x: Any = MISSING, /, *args: Any, dtype: Any = None, **kw: Any) -> Any:
    last = (dtype, len(args), *kw) if args or kw or dtype is not None else 0
    try:
        if type(x) is not array:
            raise LookupError
        h = x._held if x._sig is HELD else x
        s = h._sig
        d = h._data
        kernel, sig = kernels[get()][s][last]
        d = kernel(d, *args, **kw) if kw else kernel(d, *args) if args else kernel(d)
        if sig is None:
            return wrapped(array, d) if type(d) is Array else given(d)
        t = new(array)
        t._data = d
        t._sig = sig
        t._held = None
        return t
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(present(x, *args), kw if dtype is None else {**kw, "dtype": dtype}, last)


def dialect_options_of_2(x1: Any = MISSING, x2: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    try:
        if type(x1) is array:
            h1 = x1._held if x1._sig is HELD else x1
            s1 = h1._sig
            d1 = h1._data
        else:
            s1 = type(x1)
            d1 = x1
        if type(x2) is array:
            h2 = x2._held if x2._sig is HELD else x2
            s2 = h2._sig
            d2 = h2._data
        else:
            s2 = type(x2)
            d2 = x2
        kernel, sig = kernels[get()][s1][s2][last]
        d = kernel(d1, d2, *args, **kw)
        if sig is None:
            return wrapped(array, d) if type(d) is Array else given(d)
        t = new(array)
        t._data = d
        t._sig = sig
        t._held = None
        return t
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(present(x1, x2, *args), kw, last)


def dialect_options_of_3(x1: Any = MISSING, x2: Any = MISSING, x3: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
    last = (len(args), *kw) if kw else len(args)
    try:
        if type(x1) is array:
            h1 = x1._held if x1._sig is HELD else x1
            s1 = h1._sig
            d1 = h1._data
        else:
            s1 = type(x1)
            d1 = x1
        if type(x2) is array:
            h2 = x2._held if x2._sig is HELD else x2
            s2 = h2._sig
            d2 = h2._data
        else:
            s2 = type(x2)
            d2 = x2
        if type(x3) is array:
            h3 = x3._held if x3._sig is HELD else x3
            s3 = h3._sig
            d3 = h3._data
        else:
            s3 = type(x3)
            d3 = x3
        kernel, sig = kernels[get()][s1][s2][s3][last]
        d = kernel(d1, d2, d3, *args, **kw)
        if sig is None:
            return wrapped(array, d) if type(d) is Array else given(d)
        t = new(array)
        t._data = d
        t._sig = sig
        t._held = None
        return t
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(present(x1, x2, x3, *args), kw, last)


def dialect_options_of_many(*args: Any, **kw: Any) -> Any:
    xs, args = (args[:count], args[count:])
    last = (len(args), *kw) if kw else len(args)
    try:
        sigs = []
        ds = []
        for x in xs:
            if type(x) is array:
                h = x._held if x._sig is HELD else x
                s = h._sig
                d = h._data
            else:
                s = type(x)
                d = x
            sigs.append(s)
            ds.append(d)
        kernel, sig = kernels[get()][tuple(sigs)][last]
        d = kernel(*ds, *args, **kw)
        if sig is None:
            return wrapped(array, d) if type(d) is Array else given(d)
        t = new(array)
        t._data = d
        t._sig = sig
        t._held = None
        return t
    except Exception as error:
        if is_signal(error):
            raise
    return fallback((*xs, *args), kw, last)


def dialect_sequence(*args: Any, **kw: Any) -> Any:
    last = None
    try:
        xs, rest = (args, ()) if spread else (args[0], args[1:])
        last = (len(rest), *kw) if kw else len(rest)
        if type(xs) is tuple or type(xs) is list:
            sigs = []
            ds = []
            for x in xs:
                if type(x) is array:
                    h = x._held if x._sig is HELD else x
                    s = h._sig
                    d = h._data
                else:
                    s = type(x)
                    d = x
                sigs.append(s)
                ds.append(d)
            kernel, sig = kernels[get()][tuple(sigs)][last]
            d = kernel(ds, *rest, **kw)
            if sig is None:
                return wrapped(array, d) if type(d) is Array else given(d)
            t = new(array)
            t._data = d
            t._sig = sig
            t._held = None
            return t
    except Exception as error:
        if is_signal(error):
            raise
    return fallback(args, kw, last)


def dialect_of_shape(shape: Any, dtype: Any = None, device: Any = None) -> Any:
    if dtype is not None:
        dtype = dtype_of(dtype)
    if device is None:
        try:
            kernel, native, location, sig = kernels[get()][dtype]
            t = new(array)
            t._data = kernel(shape, dtype=native, device=location)
            t._sig = sig
            t._held = None
            return t
        except Exception as error:
            if is_signal(error):
                raise
    return fallback(shape, dtype, device)
