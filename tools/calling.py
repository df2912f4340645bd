"""The texts of the dispatchers: what a call does between its arguments and its kernel, for three kinds of arrays.

Functions are called with `lw.Array`, with a framework's own arrays, and with those of a dialect. A call does the same
for each: it reads the operands, looks up a kernel by what stands for them (``kernels[policy][key]…``), runs it on the
native arrays, and makes the result. The classes say how each kind of arrays is read and made. The functions below them
are the texts.

Nothing here is run. `write_calling.py` puts the bodies of macros in the place of their calls, so that a call of a
dispatcher enters one frame, and writes the result to `latticework/engine/calls/dispatchers.py`, with a function for
each kind and form. `dispatch.with_names` copies these, with the names that they read as globals.
"""

# ruff: noqa
# mypy: ignore-errors

from __future__ import annotations

# --- the kinds of arrays ----------------------------------------------------------------------------------------------
# held: what has the key and the native array of an array. key: what stands for an array where kernels are looked up.
# data: the native array. tried: what is done where there is no kernel, or where one raises. found: looks the kernel up.
# made: returns an array of what a native call gives. view: as made, of a view where there are views. ran: runs a kernel
# with options. finish: returns what it gave, which is the result itself where `sig` is None.


class LwArray:
    """`lw.Array`. A missing kernel is made, and an error of a framework is translated."""

    held = lambda x: x
    key = lambda x: x._sig
    data = lambda x: x._data
    tried = None

    def found(look, missed):
        try:
            kernel, sig = look
        except KeyError:
            kernel, sig = missed

    def found_or_turn(look, missed, turn):
        try:
            kernel, sig = look
        except KeyError:
            if turn:
                return NotImplemented
            kernel, sig = missed

    def found_of_dtype(look, missed):
        try:
            kernel, sig = look
        except (KeyError, TypeError):  # or a dtype that is none and has no hash
            kernel, sig = missed

    def only(x, h, s, d):
        if type(x) is not array:
            x = as_array(name, x)
        s = x._sig
        d = x._data

    def made(native, sig, *told):
        r = array()
        try:
            r._data = native
        except Exception as error:
            raise translated(name, error, *told) from error
        r._sig = sig
        return r

    def view(native, sig, x):
        r = array()
        try:
            r._data = native
        except Exception as error:
            raise translated(name, error, (x,)) from error
        r._sig = sig
        if sig.immutable:
            link(r, x, name)
        return r

    def ran(native, told):
        try:
            d = native
        except Exception as error:
            d = again(name, error, kernel, told, args, kw)

    def finish():
        if sig is None:
            return d
        r = array()
        r._data = d
        r._sig = sig
        return r

    def finish_view(x):
        if sig is None:
            r = d
        else:
            r = array()
            r._data = d
            r._sig = sig
        if x._sig.immutable and not kw.get("copy"):
            link(r, x, name, args, kw)
        return r


class NativeArray:
    """A framework's own arrays. Where there is no kernel, and where one raises, `fallback` makes the call."""

    held = lambda x: x
    key = lambda x: x.dtype
    data = lambda x: x
    tried = Exception

    def found(look, missed):
        kernel, sig = look

    def found_of_dtype(look, missed):
        kernel, sig = look

    def only(x, h, s, d):
        s = x.dtype if type(x) is array else type(x)
        d = x

    def made(native, sig, *told):
        return native

    def ran(native, told):
        d = native

    def finish():
        return d if sig is not None else given(d)


class DialectArray:
    """The arrays of a dialect. Where there is no kernel, and where one raises, `fallback` makes the call."""

    held = lambda x: x._held if x._sig is HELD else x
    key = lambda x: x._sig
    data = lambda x: x._data
    tried = Exception

    def found(look, missed):
        kernel, sig = look

    def found_or_turn(look, missed, turn):
        kernel, sig = look

    def found_of_dtype(look, missed):
        kernel, sig = look

    def only(x, h, s, d):
        if type(x) is not array:
            raise LookupError
        h = x._held if x._sig is HELD else x
        s = h._sig
        d = h._data

    def made(native, sig, *told):
        t = new(array)
        t._data = native
        t._sig = sig
        t._held = None
        return t

    def view(native, sig, x):
        t = new(array)
        t._data = native
        t._sig = sig
        t._held = None
        if sig.immutable:
            link(t._array, x._array, name)
        return t

    def ran(native, told):
        d = native

    def finish():
        if sig is None:
            return wrapped(array, d) if type(d) is Array else given(d)
        t = new(array)
        t._data = d
        t._sig = sig
        t._held = None
        return t

    def finish_view(x):
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


# --- parts of several texts -------------------------------------------------------------------------------------------


@part
def read(x, h, s, d):
    """Read an operand that is an array or a Python scalar: what stands for it, and what a kernel gets."""
    if type(x) is array:
        h = held(x)
        s = key(h)
        d = data(h)
    else:
        s = type(x)
        d = x


@part
def one_array(x):
    """Compare with the first kernel that was kept, or look another one up."""
    if key(x) is first and get() is policy:
        return made(run(data(x)), result, (x,))
    h = held(x)
    found(kernels[get()][key(h)], missed(name, x))
    return made(kernel(data(h)), sig, (x,))


@part
def two_arrays(x1, x2, found, *turn):
    """As `one_array`. They are by far the most calls: no more variables than it takes."""
    if key(x1) is first and key(x2) is second and get() is policy:
        return made(run(data(x1), data(x2)), result, (x1, x2))
    h1 = held(x1)
    h2 = held(x2)
    found(kernels[get()][key(h1)][key(h2)], missed(name, x1, x2), *turn)
    return made(kernel(data(h1), data(h2)), sig, (x1, x2))


@part
def two_operands(x1, x2):
    """Of which one may be a Python scalar."""
    if type(x1) is array and type(x2) is array:
        two_arrays(x1, x2, found)
    read(x1, h1, s1, d1)
    read(x2, h2, s2, d2)
    found(kernels[get()][s1][s2], missed(name, x1, x2))
    return made(kernel(d1, d2), sig, (x1, x2))


# --- functions of one or two operands without options -----------------------------------------------------------------


@form(LwArray)
def unary(x, /, out=None):
    if out is not None:
        return written(name, call(x), out)
    if type(x) is not array:
        x = as_array(name, x)
    one_array(x)


@form(LwArray)
def rounding(x, /, decimals=None, out=None):
    if decimals is not None:
        return functions.around(x, decimals=decimals, out=out)
    if out is not None:
        return written(name, call(x), out)
    if type(x) is not array:
        x = as_array(name, x)
    one_array(x)


@form(LwArray)
def unary_view(x, /, out=None):
    if out is not None:
        return written(name, call(x), out)
    if type(x) is not array:
        x = as_array(name, x)
    found(kernels[get()][x._sig], missed(name, x))
    return view(kernel(x._data), sig, x)


@form(LwArray)
def binary(x1, x2, /, out=None):
    if out is not None:
        return written(name, call(x1, x2), out)
    two_operands(x1, x2)


@part
def one_operand(x):
    """Which may be a Python scalar."""
    if type(x) is array:
        one_array(x)
    found(kernels[get()][type(x)], missed)
    return made(kernel(x), sig)


@form(NativeArray)
def unary(x, /, out=None):
    if out is None:
        with tried:
            one_operand(x)
    return fallback((x,), {"out": out})


@form(NativeArray)
def rounding(x, /, decimals=None, out=None):
    if decimals is None and out is None:
        with tried:
            one_operand(x)
    return fallback((x,), {"decimals": decimals, "out": out})


@form(NativeArray)
def binary(x1, x2, /, out=None):
    if out is None:
        with tried:
            two_operands(x1, x2)
    return fallback((x1, x2), {"out": out})


@form(DialectArray)
def unary(x=MISSING, /, *more, **kw):
    if type(x) is array and not kw and not more:
        with tried:
            one_array(x)
    return fallback(*present(x, *more), **kw)


@form(DialectArray)
def unary_view(x=MISSING, /, *args, **kw):
    if type(x) is array and not args and not kw:
        with tried:
            h = held(x)
            found(kernels[get()][key(h)], missed)
            return view(kernel(data(h)), sig, x)
    return fallback(present(x, *args), kw, (len(args), *kw) if args or kw else None)


@form(DialectArray)
def binary(x1=MISSING, x2=MISSING, /, *more, **kw):
    if not kw and not more and (type(x1) is array or type(x2) is array):
        with tried:
            two_operands(x1, x2)
    return fallback(*present(x1, x2, *more), **kw)


# --- operators --------------------------------------------------------------------------------------------------------


@form(LwArray, DialectArray)
def unary_operator(x, /):
    with tried:
        one_array(x)
    return fallback(x)


@form(LwArray, DialectArray)
def operator(x1, x2, /):
    with tried:
        if type(x2) is array:
            two_arrays(x1, x2, found_or_turn, foreign(x2, x1, name))
        h1 = held(x1)
        found_or_turn(kernels[get()][key(h1)][type(x2)], missed(name, x1, x2), foreign(x2, x1, name))
        return made(kernel(data(h1), x2), sig, (x1, x2))
    return fallback(x1, x2)


@form(LwArray, DialectArray)
def reflected(x1, x2, /):
    with tried:
        h1 = held(x1)
        found_or_turn(kernels[get()][type(x2)][key(h1)], missed(name, x2, x1), foreign(x2, None, name, x1))
        return made(kernel(x2, data(h1)), sig, (x2, x1))
    return fallback(x1, x2)


@form(LwArray)
def in_place(x1, x2, /):
    read(x2, h2, s2, d2)
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


@form(DialectArray)
def in_place(x1, x2, /):
    h1 = x1 if x1._sig is not HELD and x1._sig.in_place else x1._array
    if not scalars_change and not len(h1._data.shape):
        return NotImplemented
    try:
        read(x2, h2, s2, d2)
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
    except Exception as error:  # as where there is no kernel
        if is_signal(error):
            raise
        write(x1, x2)
    else:
        if d is not h1._data:
            bind(x1, d)
    return x1


# --- functions with options -------------------------------------------------------------------------------------------
# The names of the options are part of the key, so that an unknown one is found out before a kernel is made. Where all
# are given by position, their number is the key: a tuple is hashed each time, in twice the time.


@part
def ran_one():
    """Each way is written out, which takes half the time."""
    ran(kernel(d, *args, **kw) if kw else kernel(d, *args) if args else kernel(d), (x,))


@form(LwArray, NativeArray, DialectArray)
def options_of_1(x=MISSING, /, *args, **kw):
    last = (len(args), *kw) if kw else len(args)
    with tried:
        only(x, h, s, d)
        found(kernels[get()][s][last], missed(name, (x,), args, kw))
        ran_one()
        finish()
    return fallback(present(x, *args), kw, last)


@form(LwArray, DialectArray)
def view_with_options(x=MISSING, /, *args, **kw):
    last = (len(args), *kw) if kw else len(args)
    with tried:
        only(x, h, s, d)
        found(kernels[get()][s][last], missed(name, (x,), args, kw))
        ran_one()
        finish_view(x)
    return fallback(present(x, *args), kw, last)


@form(LwArray, NativeArray, DialectArray)
def with_dtype(x=MISSING, /, *args, dtype=None, **kw):
    last = (dtype, len(args), *kw) if args or kw or dtype is not None else 0
    with tried:
        only(x, h, s, d)
        found_of_dtype(kernels[get()][s][last], missed(name, (x,), args, kw, dtype))
        ran_one()
        finish()
    return fallback(present(x, *args), kw if dtype is None else {**kw, "dtype": dtype}, last)


@form(LwArray, NativeArray, DialectArray)
def options_of_2(x1=MISSING, x2=MISSING, /, *args, **kw):
    last = (len(args), *kw) if kw else len(args)
    with tried:
        read(x1, h1, s1, d1)
        read(x2, h2, s2, d2)
        found(kernels[get()][s1][s2][last], missed(name, (x1, x2), args, kw))
        ran(kernel(d1, d2, *args, **kw), (x1, x2))
        finish()
    return fallback(present(x1, x2, *args), kw, last)


@form(LwArray, NativeArray, DialectArray)
def options_of_3(x1=MISSING, x2=MISSING, x3=MISSING, /, *args, **kw):
    last = (len(args), *kw) if kw else len(args)
    with tried:
        read(x1, h1, s1, d1)
        read(x2, h2, s2, d2)
        read(x3, h3, s3, d3)
        found(kernels[get()][s1][s2][s3][last], missed(name, (x1, x2, x3), args, kw))
        ran(kernel(d1, d2, d3, *args, **kw), (x1, x2, x3))
        finish()
    return fallback(present(x1, x2, x3, *args), kw, last)


@part
def read_all(xs, sigs, ds):
    """Read operands in a loop."""
    sigs = []
    ds = []
    for x in xs:
        read(x, h, s, d)
        sigs.append(s)
        ds.append(d)


@form(LwArray, NativeArray, DialectArray)
def options_of_many(*args, **kw):
    xs, args = args[:count], args[count:]
    last = (len(args), *kw) if kw else len(args)
    with tried:
        read_all(xs, sigs, ds)
        found(kernels[get()][tuple(sigs)][last], missed(name, xs, args, kw))
        ran(kernel(*ds, *args, **kw), xs)
        finish()
    return fallback((*xs, *args), kw, last)


@form(LwArray)
def with_named(*args, **kw):
    if len(args) <= leading and optional.isdisjoint(kw):
        return without(*args, **kw)
    if len(args) > len(positional) or not kw.keys().isdisjoint(positional[leading : len(args)]):
        return without(*args, **kw)  # which says what is wrong
    kw = {**dict(zip(positional[leading:], args[leading:], strict=False)), **kw}
    dtype = kw.pop("dtype", None)
    xs = *args[:leading], *[kw.pop(n, None) for n in named]
    read_all(xs, sigs, ds)
    found_of_dtype(kernels[get()][tuple(sigs)][dtype, *kw], missed(name, xs, kw, dtype))
    more = {n: d for n, d in zip(named, ds[-len(named) :], strict=True) if d is not None}
    try:
        d = kernel(*ds[:leading], **more, **kw)
    except Exception as error:
        told = {n: x for n, x in zip(named, xs[-len(named) :], strict=True) if x is not None}
        raise translated(name, error, xs[:leading], (), {**told, **kw}) from error
    finish()


# --- sequences of arrays, given as one argument or spread over many ---------------------------------------------------


@form(LwArray)
def sequence(*args, **kw):
    if not spread and args and isinstance(args[0], (list, tuple)):
        xs, args = args[0], args[1:]
    else:
        xs, args = sequence_of(name, args, spread)
    try:
        sigs, ds = [*map(sig_of, xs)], [*map(data_of, xs)]
    except AttributeError:  # of what is no array
        read_all(xs, sigs, ds)
    last = (len(args), *kw) if kw else len(args)
    found(kernels[get()][tuple(sigs)][last], missed(name, tuple(xs), args, kw))
    ran(kernel(ds, *args, **kw) if args or kw else kernel(ds), tuple(xs))
    finish()


@form(NativeArray, DialectArray)
def sequence(*args, **kw):
    last = None
    with tried:
        xs, rest = (args, ()) if spread else (args[0], args[1:])
        last = (len(rest), *kw) if kw else len(rest)
        if type(xs) is tuple or type(xs) is list:  # of an array, the rows are no sequence to every framework
            read_all(xs, sigs, ds)
            found(kernels[get()][tuple(sigs)][last], missed)
            ran(kernel(ds, *rest, **kw), xs)
            finish()
    return fallback(args, kw, last)


# --- arrays of a shape, dtype and device: in three quarters of the time that it takes to gather any arguments ---------


@form(LwArray)
def of_shape(shape=MISSING, *more, dtype=None, device=None, **unknown):
    key = dtype if device is None else (dtype, (device, getattr(device, "backend", None)))
    try:
        kernel, native, location, sig = kernels[get()][unknown or more or key]
    except (KeyError, TypeError):  # or a dtype or device that is none and has no hash
        kernel, native, location, sig = missed(name, present(shape, *more), unknown, dtype, device, key)
    return made(kernel(shape, dtype=native, device=location), sig, (), (shape,))


@form(NativeArray)
def of_shape(*shape, dtype=None, device=None, **unknown):
    key = dtype if device is None else (dtype, (device, getattr(device, "backend", None)))
    with tried:
        kernel, native, location, sig = kernels[get()][unknown or shape[1:] or key]
        return made(kernel(shape[0], dtype=native, device=location), sig)
    return fallback(shape, {"dtype": dtype, "device": device, **unknown}, key)


@form(DialectArray)
def of_shape(shape, dtype=None, device=None):
    if dtype is not None:
        dtype = dtype_of(dtype)
    if device is None:
        with tried:
            kernel, native, location, sig = kernels[get()][dtype]
            return made(kernel(shape, dtype=native, device=location), sig)
    return fallback(shape, dtype, device)
