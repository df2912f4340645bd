"""The way from a dialect's function to its kernel: the twins of the dispatchers in `engine.dispatch`.

A dialect's array holds one of ours, and the kernels are those of the dialect's policy. They are kept under the policy
in force, so that a call looks them up as any call of ours does, and enters no `using` block. Nothing is decided here:
a call that finds no kernel, or whose kernel raises, is made with arrays of ours under the dialect's policy
(`Calls.call`). If that has left a kernel in the tables of `engine.dispatch`, it is kept for the dialect as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from ..core.dtypes import SCALAR_KINDS
from ..engine.array import Array
from ..engine.dispatch import MISSING, with_names
from ..engine.views import check_in_place, check_writable, link
from ..policy import NOWHERE, TABLES, Policy, active, call_under, current, keep_first, kernels_of, table

if TYPE_CHECKING:
    from ..engine.op import Op
    from .dialect import Dialect

__all__ = ["Calls", "in_place", "operator", "quick", "reflected", "shape_method", "twin", "unary_operator"]

#: What makes an object without its class's constructor, which has the framework's arguments.
new = object.__new__


class Calls:
    """What a dispatcher of a dialect has besides its text.

    Attributes
    ----------
    op: the declaration of our function.
    function: our function.
    kernels: what is kept of it for the dialect, by the policy in force.
    names: the globals of each dispatcher of this name that has some of its own, see `with_names`.
    """

    def __init__(self, o: Op, f: Callable[..., Any], dialect: Dialect, suffix: str = "") -> None:
        self.op, self.function, self.dialect, self.suffix = o, f, dialect, suffix
        self.name = f"{o.name}{suffix} of {dialect.name}'s dialect"
        self.kernels = table(self.name)
        self.names: list[dict[str, Any]] = dialect.names.setdefault(self.name, [])  # one for `x + y` and `np.add`
        dialect.kept.append(self)

    def call(self, count: int, args: tuple[Any, ...], kw: dict[str, Any], last: Any = None) -> Any:
        """Call our function on arrays of ours, and keep the kernel that this leaves.

        Parameters
        ----------
        count: how many of the arguments are operands; those of a sequence are in the first.
        last: what the kernel is kept under after these; None for a function of operands alone.
        """
        dialect = self.dialect
        made: dict[int, Any] = {}
        policy, inside = current(), dialect.policy()
        operands, named = dialect.operands(self.op, args, kw)
        taken = tuple([dialect.taken(x, made) for x in operands])
        options = {name: dialect.taken(x, made) for name, x in named.items()}
        try:
            if dialect.refuses is not None:
                call_under(inside, dialect.refuses, (self.op.name, taken), {})
            result = dialect.run(inside, self.function, taken, options)
        except Exception as error:
            raise dialect.error(error, self.op.name) from None
        if count:
            self.keep(policy, inside, self._keys(args[:count]), self._keys(taken[:count]), last)
        return dialect.given(result, made)

    def _keys(self, operands: tuple[Any, ...]) -> list[Any]:
        """What stands for each operand where dispatchers look."""
        if self.op.sequence and not self.op.spread:
            operands = tuple(operands[0]) if operands and isinstance(operands[0], (list, tuple)) else ()
        return [self._key(x) for x in operands]

    def _key(self, x: Any) -> Any:
        if type(x) is self.dialect.array:
            return x._array._sig
        return x._sig if type(x) is Array else type(x)

    def keep(self, policy: Policy, inside: Policy, keys: list[Any], signatures: list[Any], last: Any) -> None:
        """Keep the kernel of arrays of these signatures, if there is one."""
        if keys != signatures:
            return  # something was converted: its type does not tell its dtype
        if self.op.sequence or len(self.op.operands) > 3:
            signatures = [tuple(signatures)]
        ends = [] if last is None else [last]
        found: Any = TABLES.get(f"{self.op.name}{self.suffix}", {}).get(inside, {})
        for step in (*signatures, *ends):
            found = found.get(step)
            if found is None:
                return
        *path, end = *signatures, *ends
        kept = kernels_of(self.name, policy)
        for step in path:
            kept = kept.setdefault(step, {})
        kept[end] = found
        if type(found) is tuple and not any(isinstance(key, type) for key in keys):
            values = {"first": keys[0], "second": keys[-1], "run": found[0], "result": found[1]}
            for names in self.dialect.names_of(self.name):
                keep_first(names, policy, values)

    def forget(self) -> None:
        """Drop what is kept: the dialect's own defaults have changed."""
        self.kernels.clear()
        for names in self.names:
            names.update(policy=NOWHERE, run=None)


def _with_names(calls: Calls, f: Any, slow: Callable[..., Any]) -> Any:
    """A copy of a dispatcher with globals of its own."""
    copy, names = with_names(
        f, kernels=calls.kernels, array=calls.dialect.array, absent=None, ours=Array, new=new, slow=slow,
        present=present, first=None, second=None, result=None,
    )  # fmt: skip
    calls.names.append(names)
    return copy


# --- functions of one or two arrays: dispatchers with globals of their own ------------------------------------------

get = active.get
array: Any = None
absent: Any = None
ours: Any = Array
kernels: Any = None
slow: Any = None
first: Any = None
second: Any = None
policy: Any = NOWHERE
run: Any = None
result: Any = None


def present(*args: Any) -> tuple[Any, ...]:
    """The arguments that are there."""
    return tuple([x for x in args if x is not MISSING])


def _unary(x: Any = MISSING, /, *more: Any, **kw: Any) -> Any:
    if type(x) is array and not kw and not more:
        a = x._array
        r = ours()
        try:
            if a._sig is first and get() is policy:
                r._data = run(a._data)
                r._sig = result
            else:
                kernel, sig = kernels[get()][a._sig]
                r._data = kernel(a._data)
                r._sig = sig
            t = new(array)
            t._array = r
            return t
        except Exception:
            pass
    return slow(*present(x, *more), **kw)


def _unary_operator(x: Any, /) -> Any:
    a = x._array
    r = ours()
    try:
        if a._sig is first and get() is policy:
            r._data = run(a._data)
            r._sig = result
        else:
            kernel, sig = kernels[get()][a._sig]
            r._data = kernel(a._data)
            r._sig = sig
        t = new(array)
        t._array = r
        return t
    except Exception:
        pass
    return slow(x)


def _binary(x1: Any = MISSING, x2: Any = MISSING, /, *more: Any, **kw: Any) -> Any:
    if not kw and not more:
        r = ours()
        try:
            if type(x1) is array:
                a = x1._array
                if type(x2) is array:
                    b = x2._array
                    if a._sig is first and b._sig is second and get() is policy:
                        r._data = run(a._data, b._data)
                        r._sig = result
                    else:
                        kernel, sig = kernels[get()][a._sig][b._sig]
                        r._data = kernel(a._data, b._data)
                        r._sig = sig
                else:
                    kernel, sig = kernels[get()][a._sig][type(x2)]
                    r._data = kernel(a._data, x2)
                    r._sig = sig
            else:
                b = x2._array if type(x2) is array else absent  # of another class it goes the long way
                kernel, sig = kernels[get()][type(x1)][b._sig]
                r._data = kernel(x1, b._data)
                r._sig = sig
            t = new(array)
            t._array = r
            return t
        except Exception:
            pass
    return slow(*present(x1, x2, *more), **kw)


def _operator(x1: Any, x2: Any, /) -> Any:
    r = ours()
    a = x1._array
    try:
        if type(x2) is array:
            b = x2._array
            if a._sig is first and b._sig is second and get() is policy:
                r._data = run(a._data, b._data)
                r._sig = result
            else:
                kernel, sig = kernels[get()][a._sig][b._sig]
                r._data = kernel(a._data, b._data)
                r._sig = sig
        else:
            kernel, sig = kernels[get()][a._sig][type(x2)]
            r._data = kernel(a._data, x2)
            r._sig = sig
        t = new(array)
        t._array = r
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


def operator(calls: Calls) -> Callable[[Any, Any], Any]:
    """``x1 + x2`` where x1 is an array of the dialect: a turn for x2 if it is foreign."""

    def slow(x1: Any, x2: Any) -> Any:
        x2 = calls.dialect.operand(x2, x1)
        return x2 if x2 is NotImplemented else calls.call(2, (x1, x2), {})

    return _with_names(calls, _operator, slow)  # type: ignore[no-any-return]


def reflected(calls: Calls) -> Callable[[Any, Any], Any]:
    """``x2 + x1`` where x1 is an array of the dialect and x2 could not do it."""
    kernels, get, array = calls.kernels, active.get, calls.dialect.array

    def call(x1: Any, x2: Any, /) -> Any:
        a = x1._array
        try:
            kernel, sig = kernels[get()][type(x2)][a._sig]
            r = Array()
            r._data = kernel(x2, a._data)
            r._sig = sig
            t = new(array)
            t._array = r
            return t
        except Exception:
            pass
        x2 = calls.dialect.operand(x2, x1)
        return x2 if x2 is NotImplemented else calls.call(2, (x2, x1), {})

    return call


def unary_operator(calls: Calls) -> Callable[[Any], Any]:
    """``-x`` where x is an array of the dialect."""
    return _with_names(calls, _unary_operator, lambda x: calls.call(1, (x,), {}))  # type: ignore[no-any-return]


def in_place(calls: Calls, scalars_change: bool = True) -> Callable[[Any, Any], Any]:
    """``x1 += x2``, which writes into the array of ours that x1 holds. `calls` is of the kernels that write.

    Python makes ``x1 = x1 + x2`` of it for an array without dimensions, unless `scalars_change`.
    """
    kernels, get, array, name = calls.kernels, active.get, calls.dialect.array, calls.op.name

    def call(x1: Any, x2: Any, /) -> Any:
        a = x1._array
        if not scalars_change and not a.ndim:
            return NotImplemented
        try:
            if type(x2) is array:
                b = x2._array
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
            a._data = run(a._data, d2)
        except Exception:
            _write(calls, x1, x2)
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


def _check(calls: Calls, x1: Any, a: Array, name: str) -> None:
    try:
        check_in_place(x1, name, a, depth=1)
    except ValueError as error:
        raise calls.dialect.error(error, name) from None


# --- the others -----------------------------------------------------------------------------------------------------


def with_options(calls: Calls) -> Callable[..., Any]:
    """The dispatcher of a function whose first arguments are arrays and which takes options after them."""
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    count, views = len(calls.op.operands), calls.op.dispatched in ("unary_view", "view_with_options")
    call: Callable[..., Any]

    if count == 1:

        def call(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
            last = (len(args), *kw) if kw else len(args)
            if type(x) is array:
                a = x._array
                try:
                    run, sig = kernels[get()][a._sig][last]
                    d = run(a._data, *args, **kw)
                except Exception:
                    pass
                else:
                    if sig is None:
                        if views and a._sig.immutable:
                            link(d, a)
                        return given(d)
                    r = Array()
                    r._data = d
                    r._sig = sig
                    if views and sig.immutable:
                        link(r, a)
                    t = new(array)
                    t._array = r
                    return t
            return calls.call(1, present(x, *args), kw, last)

    else:

        def call(*args: Any, **kw: Any) -> Any:
            last = (len(args) - count, *kw) if kw else len(args) - count
            try:
                found = kernels[get()]
                leading = [x._array if type(x) is array else x for x in args[:count]]
                keys = [x._sig if type(x) is Array else type(x) for x in leading]
                for key in keys if count <= 3 else (tuple(keys),):
                    found = found[key]
                run, sig = found[last]
                d = run(*[x._data if type(x) is Array else x for x in leading], *args[count:], **kw)
            except Exception:
                pass
            else:
                if sig is None:
                    return given(d)
                r = Array()
                r._data = d
                r._sig = sig
                t = new(array)
                t._array = r
                return t
            return calls.call(count, args, kw, last)

    return call


def unary_view(calls: Calls) -> Callable[..., Any]:
    """The dispatcher of a function of one array whose result is a view where there are views."""
    kernels, get, array = calls.kernels, active.get, calls.dialect.array

    def call(*args: Any, **kw: Any) -> Any:
        if len(args) == 1 and not kw and type(args[0]) is array:
            a = args[0]._array
            try:
                run, sig = kernels[get()][a._sig]
                r = Array()
                r._data = run(a._data)
                r._sig = sig
                if sig.immutable:
                    link(r, a)
                t = new(array)
                t._array = r
                return t
            except Exception:
                pass
        return calls.call(1, args, kw)

    return call


def with_dtype(calls: Calls) -> Callable[..., Any]:
    """As `with_options`, for a function of one array that has the option `dtype`: it decides the result's."""
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    dtype_of = calls.dialect.dtype_of

    def call(x: Any = MISSING, /, *args: Any, dtype: Any = None, **kw: Any) -> Any:
        if dtype is not None:
            dtype = dtype_of(dtype)
        last = (dtype, len(args), *kw) if args or kw or dtype is not None else 0
        if type(x) is array:
            a = x._array
            try:
                run, sig = kernels[get()][a._sig][last]
                d = run(a._data, *args, **kw)
            except Exception:
                pass
            else:
                if sig is None:
                    return given(d)
                r = Array()
                r._data = d
                r._sig = sig
                t = new(array)
                t._array = r
                return t
        options = kw if dtype is None else {**kw, "dtype": dtype}
        return calls.call(1, present(x, *args), options, last)

    return call


def sequence(calls: Calls) -> Callable[..., Any]:
    """The dispatcher of a function of a sequence of arrays, given as one argument or spread over many."""
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    spread = calls.op.spread

    def call(*args: Any, **kw: Any) -> Any:
        last: Any = None
        try:
            arrays, rest = (args, ()) if spread else (args[0], args[1:])
            last = (len(rest), *kw) if kw else len(rest)
            held = [x._array for x in arrays]
            run, sig = kernels[get()][tuple([a._sig for a in held])][last]
            d = run([a._data for a in held], *rest, **kw)
        except Exception:
            pass
        else:
            if sig is None:
                return given(d)
            r = Array()
            r._data = d
            r._sig = sig
            t = new(array)
            t._array = r
            return t
        return calls.call(len(args) if spread else 1, args, kw, last)

    return call


def of_shape(calls: Calls) -> Callable[..., Any]:
    """The dispatcher of a function that makes an array of a shape, dtype and device."""
    kernels, get, dialect = calls.kernels, active.get, calls.dialect
    array, dtype_of = dialect.array, dialect.dtype_of

    def call(shape: Any, dtype: Any = None, device: Any = None) -> Any:
        if dtype is not None:
            dtype = dtype_of(dtype)
        if device is None:
            try:
                make, native, location, sig = kernels[get()][dtype]
                r = Array()
                r._data = make(shape, dtype=native, device=location)
                r._sig = sig
                t = new(array)
                t._array = r
                return t
            except Exception:
                pass
        options = {"dtype": dtype, "device": device}
        made = calls.call(0, (shape,), {name: x for name, x in options.items() if x is not None})
        found = TABLES.get(calls.op.name, {}).get(dialect.policy(), {}).get(dtype)
        if found is not None and device is None:
            kernels_of(calls.name, current())[dtype] = found
        return made

    return call


_TWINS: dict[str, Callable[[Calls], Callable[..., Any]]] = {
    "unary": unary,
    "rounding": unary,
    "unary_view": unary_view,
    "binary": binary,
    "with_options": with_options,
    "view_with_options": with_options,
    "with_dtype": with_dtype,
    "sequence": sequence,
    "of_shape": of_shape,
}


def twin(o: Op | None, f: Callable[..., Any], dialect: Dialect) -> Callable[..., Any]:
    """A function of ours as one of a dialect's arrays, under the dialect's rules.

    Parameters
    ----------
    o: its declaration, None for a function that has none.
    f: the function.
    """
    make = None if o is None or o.optional or o.array_options else _TWINS.get(o.dispatched)
    if o is None:
        return dialect.function(f)
    if make is None:
        return dialect.function_of_operands(o, f)
    return update_wrapper(make(Calls(o, f, dialect)), f)


def quick(o: Op, f: Callable[..., Any], dialect: Dialect, slow: Callable[..., Any]) -> Callable[..., Any]:
    """A dialect's function that runs our kernels where it is called with arrays alone, and `slow` otherwise.

    `slow` is the function in Python, whose signature and docstring it has.
    """
    calls = Calls(o, f, dialect)
    if o.dispatched in ("unary", "rounding"):
        call = unary(calls, slow)
    elif o.dispatched == "binary":
        call = binary(calls, slow)
    elif o.dispatched == "sequence":
        call = _quick_sequence(calls, slow)
    elif len(o.operands) == 1:
        call = _quick_of_one(calls, slow)
    else:
        call = _quick_of_several(calls, slow, len(o.operands))
    return update_wrapper(call, slow)


def _quick_of_one(calls: Calls, slow: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one array, which is called with that alone."""
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given
    views = calls.op.dispatched in ("unary_view", "view_with_options")
    alone = calls.op.dispatched == "unary_view"  # its kernels are kept by the signature alone

    def call(x: Any = MISSING, /, *more: Any, **kw: Any) -> Any:
        if type(x) is array and not kw and not more:
            a = x._array
            try:
                found = kernels[get()][a._sig]
                run, sig = found if alone else found[0]
                d = run(a._data)
            except Exception:
                pass
            else:
                if sig is None:
                    if views and a._sig.immutable:
                        link(d, a)
                    return given(d)
                r = Array()
                r._data = d
                r._sig = sig
                if views and sig.immutable:
                    link(r, a)
                t = new(array)
                t._array = r
                return t
        return slow(*present(x, *more), **kw)

    return call


def _quick_of_several(calls: Calls, slow: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A function of two or three arrays, which is called with these alone."""
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given

    def call(*args: Any, **kw: Any) -> Any:
        if not kw and len(args) == count and type(args[-1]) not in SCALAR_KINDS:  # of scalars alone the dialect decides
            found = kernels.get(get())
            try:
                data = []
                for x in args:
                    if type(x) is array:
                        a = x._array
                        found = found[a._sig]  # type: ignore[index]
                        data.append(a._data)
                    else:
                        found = found[type(x)]  # type: ignore[index]
                        data.append(x)
                run, sig = found[0]  # type: ignore[index]
                d = run(*data)
            except Exception:
                pass
            else:
                if sig is None:
                    return given(d)
                r = Array()
                r._data = d
                r._sig = sig
                t = new(array)
                t._array = r
                return t
        return slow(*args, **kw)

    return call


def _quick_sequence(calls: Calls, slow: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a sequence of arrays, which is called with that alone."""
    kernels, get, array, given = calls.kernels, active.get, calls.dialect.array, calls.dialect.given

    def call(*args: Any, **kw: Any) -> Any:
        if not kw and len(args) == 1 and type(args[0]) in (list, tuple):
            try:
                held = [x._array for x in args[0]]
                run, sig = kernels[get()][tuple([a._sig for a in held])][0]
                d = run([a._data for a in held])
            except Exception:
                pass
            else:
                if sig is None:
                    return given(d)
                r = Array()
                r._data = d
                r._sig = sig
                t = new(array)
                t._array = r
                return t
        return slow(*args, **kw)

    return call


def shape_method(dialect: Dialect, slow: Callable[..., Any]) -> Callable[..., Any]:
    """``x.reshape(2, -1)`` of a dialect's array, as `engine.dispatch.shape_method` runs it for one of ours.

    No policy changes what the backend's own method does, so that there is no kernel to look up. `slow` is the method
    in Python: it makes the call where the backend has no such method, where that raises, and with other arguments.
    """
    array = dialect.array

    def call(x: Any, /, *shape: Any, **kw: Any) -> Any:
        if shape and not kw:
            extents = shape[0] if type(shape[0]) is tuple and len(shape) == 1 else shape
            a = x._array
            sig = a._sig
            try:
                for n in extents:
                    if type(n) is not int or n < -1:
                        break
                else:
                    r = Array()
                    r._data = sig.reshape(a._data, extents)
                    r._sig = sig
                    t = new(array)
                    t._array = r
                    return t
            except Exception:
                pass
        return slow(x, *shape, **kw)

    return update_wrapper(call, slow)


def written(x: Any, verb: str) -> None:
    """Refuse to write to what would be a view where there are views."""
    if x._array._sig.immutable:
        check_writable(x._array, verb)
