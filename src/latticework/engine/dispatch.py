"""The way from a call to its kernel: the only code that runs on every call, so it is short and repeats itself.

A dispatcher looks up what to run by the signatures of the operands, `Sig` objects that stand for a backend and
a dtype, or the type where the operand is a Python scalar: ``table[policy][signature]…``. What it finds was put
there by `specialise.specialise`, the first time these signatures were met. For functions of one or two arrays and no
options, that is a native callable and the result's signature, and the dispatcher makes the result itself: one
Python frame in all. For the others it is a kernel that does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast

from ..core.registry import ALIASES, answer_calls, functions
from ..core.signature import Sig
from ..policy import NOWHERE, active, changing, current, keep_first, kernels_of, table

if TYPE_CHECKING:
    from .array import Array


P = ParamSpec("P")
R = TypeVar("R")

#: What runs a call, and the signature of its result; None where it gives results of ours.
Kernel = tuple[Callable[..., Any], Sig | None]

#: In place of an array that is not given: no kernel has its type, so it is noticed where calls are explained.
MISSING: Any = type("missing", (), {})()


#: What an array of ours holds, read without a Python function for each of many.
_sig, _data = attrgetter("_sig"), attrgetter("_data")


class SlowPath(Protocol):
    """What a dispatcher calls where it finds no kernel, or where a kernel raises. `specialise` has it."""

    def specialise(self, name: str, operands: tuple[Any, ...]) -> tuple[Callable[..., Any], Sig]:
        """Make the kernel of a function of one or two operands without options."""

    def specialise_operator(self, name: str, operands: tuple[Any, ...]) -> tuple[Callable[..., Any], Sig]:
        """Make the kernel of an operator with an array of ours on the left."""

    def specialise_options(
        self, name: str, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any], dtype: Any
    ) -> Kernel:
        """Make the kernel of a function with options, or of a sequence of arrays."""

    def specialise_named(self, name: str, operands: tuple[Any, ...], kw: dict[str, Any], dtype: Any) -> Kernel:
        """Make the kernel of a function that is given operands besides the leading ones."""

    def specialise_in_place(self, name: str, x1: Any, x2: Any) -> Callable[[Any, Any], Any]:
        """Make the kernel of `x1 += x2`."""

    def without_data(self, x: Any, key: Any) -> Any:
        """Take an array without its data, where an index array has none."""

    def specialise_assignment(self, x: Any) -> Callable[[Any, Any, Any], Any]:
        """Make the kernel of ``x[key] = value``."""

    def link(self, result: Any, source: Any) -> None:
        """Remember that the result would be a view of `source` where there are views."""

    def as_operand(self, name: str, x: Any) -> Any:
        """Make an `Array` of one operand, or raise the error that says what the function takes."""

    def adapted(self, name: str, x: Any, value: Any) -> Any:
        """Make an operand beside an array of ours from a framework's own array or scalar."""

    def write(self, name: str, result: Any, out: Any) -> Any:
        """Write a result into the array that is given for it, and return that array."""

    def foreign(self, x: Any, left: Any = None, name: str = "", right: Any = None) -> bool:
        """Whether an operator leaves its other operand the turn; `left` or `right` is the array on that side of it."""

    def by_whom(self, name: str, error: Exception) -> Exception:
        """The error with the name of the composition that was called, where this function is a part of one."""

    def plain_axes(
        self, name: str, args: tuple[Any, ...], kw: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """The options with axes as ints and tuples of them; None where they are already, or are no axes."""

    def translate(
        self, name: str, error: Exception, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]
    ) -> Exception:
        """The error to raise from a framework's own."""

    def translate_in_place(self, name: str, error: Exception, x1: Any, x2: Any) -> Exception:
        """The error to raise from a framework's own, of `x1 += x2`."""


class _Waiting:
    """In place of the slow path until it is loaded, which the first call that needs it does.

    A chapter of functions loads it, but none need be there: an array that was pickled is made without one.
    """

    def __getattr__(self, name: str) -> Any:
        answer_calls()
        return getattr(slow_path, name)


#: Set by `specialise`, which stands above: an import from here would close a circle.
slow_path: SlowPath = cast("SlowPath", _Waiting())


def _missed(name: str, *operands: Any) -> tuple[Callable[..., Any], Sig]:
    return slow_path.specialise(name, operands)


def _missed_pair(name: str, x1: Any, x2: Any) -> tuple[Callable[..., Any], Sig]:
    found = slow_path.specialise(name, (x1, x2))
    _compare_with(name, x1, x2)
    return found


def _missed_operator(name: str, x1: Any, x2: Any) -> tuple[Callable[..., Any], Sig]:
    found = slow_path.specialise_operator(name, (x1, x2))
    _compare_with(name, x1, x2)
    return found


def _written(name: str, result: Any, out: Any) -> Any:
    return slow_path.write(name, result, out)


def translated(
    name: str,
    error: Exception,
    operands: tuple[Any, ...],
    args: tuple[Any, ...] = (),
    kw: dict[str, Any] | None = None,
) -> Exception:
    """The error to raise from a framework's own, with the function and what it got."""
    return slow_path.translate(name, error, operands, args, kw or {})


def unary(name: str, Array: Any) -> Callable[..., Any]:
    """The dispatcher of a function of one array."""
    kernels, get = table(ALIASES.get(name, name)), active.get

    def call(x: Any, /, out: Any = None) -> Any:
        if out is not None:
            return slow_path.write(name, call(x), out)
        if type(x) is not Array:
            x = _as_array(name, x)
        try:
            run, sig = kernels[get()][x._sig]
        except KeyError:
            run, sig = _missed(name, x)
        r = Array()
        try:
            r._data = run(x._data)
        except Exception as error:
            raise translated(name, error, (x,)) from error
        r._sig = sig
        return r

    return call


def rounding(name: str, Array: Any) -> Callable[..., Any]:
    """As `unary`, of `round`: with decimals it is `around`, under NumPy's and PyTorch's name for that."""
    kernels, get = table(name), active.get

    def call(x: Any, /, decimals: Any = None, out: Any = None) -> Any:
        if decimals is not None:
            return functions.around(x, decimals=decimals, out=out)
        if out is not None:
            return slow_path.write(name, call(x), out)
        if type(x) is not Array:
            x = _as_array(name, x)
        try:
            run, sig = kernels[get()][x._sig]
        except KeyError:
            run, sig = _missed(name, x)
        r = Array()
        try:
            r._data = run(x._data)
        except Exception as error:
            raise translated(name, error, (x,)) from error
        r._sig = sig
        return r

    return call


def unary_view(name: str, Array: Any) -> Callable[..., Any]:
    """As `unary`, of a function whose result is a view where there are views."""
    kernels, get = table(name), active.get

    def call(x: Any, /, out: Any = None) -> Any:
        if out is not None:
            return slow_path.write(name, call(x), out)
        if type(x) is not Array:
            x = _as_array(name, x)
        try:
            run, sig = kernels[get()][x._sig]
        except KeyError:
            run, sig = _missed(name, x)
        r = Array()
        try:
            r._data = run(x._data)
        except Exception as error:
            raise translated(name, error, (x,)) from error
        r._sig = sig
        if sig.immutable:
            slow_path.link(r, x)
        return r

    return call


def unary_operator(name: str) -> Callable[[Array], Array]:
    """``-x`` where x is an `Array`."""
    kernels, get = table(name), active.get

    def call(x: Any, /) -> Any:
        try:
            run, out = kernels[get()][x._sig]
        except KeyError:
            run, out = _missed(name, x)
        r = type(x)()
        try:
            r._data = run(x._data)
        except Exception as error:
            raise translated(name, error, (x,)) from error
        r._sig = out
        return r

    call.__name__ = call.__qualname__ = name
    return call


# --- two operands: dispatchers with globals of their own ----------------------------------------------------------

#: The names that `_binary` and `_operator` read, which each copy of them has as globals of its own. The last are of the
#: first call on two arrays that kept a kernel: they are set once, the policy last, so that a call in another thread
#: never finds one of them without the others.
get = active.get
array: Any = None
call: Any = None
kernels: Any = None
name: Any = None
first: Any = None
second: Any = None
run: Any = None
result: Any = None
policy: Any = NOWHERE
missed: Any = None
written: Any = None
foreign: Any = None

#: name of a function -> the names of its dispatchers that have no first kernel.
_WAITING: dict[str, list[dict[str, Any]]] = {}


def with_names(f: Any, **own: Any) -> tuple[Any, dict[str, Any]]:
    """A copy of a function with code and globals of its own, and these.

    The interpreter reads them faster than variables of an enclosing function, which it copies for each call, and
    remembers in the code what it met there. There is no `__name__` among them: `torch.compile` would look the others up
    in the module of that name.
    """
    names = {
        "__builtins__": __builtins__,
        "__package__": __package__,
        "get": get,
        "policy": NOWHERE,
        "run": None,
        **own,
    }
    copy = FunctionType(f.__code__.replace(), names, f.__name__, f.__defaults__)
    copy.__module__ = f.__module__
    return copy, names


def _of_two(f: Any, name: str, **more: Any) -> Callable[..., Any]:
    """A copy of `_binary` or `_operator` for a function."""
    function = ALIASES.get(name, name)
    copy, names = with_names(
        f, name=name, kernels=table(function), translated=translated, first=None, second=None, result=None, **more
    )
    names["call"] = copy
    _WAITING.setdefault(function, []).append(names)
    return copy  # type: ignore[no-any-return]


def _compare_with(name: str, x1: Any, x2: Any) -> None:
    """Let the dispatchers of a function compare with the kernel that was kept for two arrays, if it is their first."""
    name = ALIASES.get(name, name)
    waiting = _WAITING.get(name)
    if not waiting or not isinstance(getattr(x1, "_sig", None), Sig) or type(x1) is not type(x2):
        return
    here, s1, s2 = current(), x1._sig, x2._sig
    found = table(name).get(here, {}).get(s1, {}).get(s2)
    if found is not None:
        for names in waiting:
            keep_first(names, here, {"first": s1, "second": s2, "run": found[0], "result": found[1]})
        waiting[:] = [names for names in waiting if names["run"] is None]


def binary(name: str, Array: Any) -> Callable[..., Any]:
    """The dispatcher of a function of two operands, arrays or Python scalars."""
    return _of_two(_binary, name, array=Array, missed=_missed_pair, written=_written)


def _binary(x1: Any, x2: Any, /, out: Any = None) -> Any:
    if out is not None:
        return written(name, call(x1, x2), out)
    if type(x1) is array and type(x2) is array:  # by far the most calls: no more variables than it takes
        if x1._sig is first and x2._sig is second and get() is policy:
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


def operator(name: str) -> Callable[[Array, Any], Array]:
    """``x1 + x2`` where x1 is an `Array`: the same kernels as the function's, and a turn for x2 if it is foreign."""
    copy = _of_two(_operator, name, missed=_missed_operator, foreign=_foreign)
    copy.__name__ = copy.__qualname__ = name
    return copy


def _operator(x1: Any, x2: Any, /) -> Any:
    array = type(x1)
    if type(x2) is array:
        s2 = x2._sig
        if s2 is second and x1._sig is first and get() is policy:
            r = array()
            try:
                r._data = run(x1._data, x2._data)
            except Exception as error:
                raise translated(name, error, (x1, x2)) from error
            r._sig = result
            return r
        d2 = x2._data
    else:
        s2 = type(x2)
        d2 = x2
    try:
        kernel, sig = kernels[get()][x1._sig][s2]
    except KeyError:
        if foreign(x2, x1, name):
            return NotImplemented
        kernel, sig = missed(name, x1, x2)
    r = array()
    try:
        r._data = kernel(x1._data, d2)
    except Exception as error:
        raise translated(name, error, (x1, x2)) from error
    r._sig = sig
    return r


def reflected(name: str) -> Callable[[Array, Any], Array]:
    """``x2 + x1`` where x1 is an `Array` and x2 could not do it: a Python or NumPy scalar, or an ndarray."""
    kernels, get = table(name), active.get

    def call(x1: Any, x2: Any, /) -> Any:
        try:
            run, out = kernels[get()][type(x2)][x1._sig]
        except KeyError:
            if _foreign(x2, None, name, x1):
                return NotImplemented
            run, out = _missed(name, x2, x1)
        r = type(x1)()
        try:
            r._data = run(x2, x1._data)
        except Exception as error:
            raise translated(name, error, (x2, x1)) from error
        r._sig = out
        return r

    call.__name__ = call.__qualname__ = name
    return call


def with_options(name: str, Array: Any, operands: int) -> Callable[..., Any]:
    """The dispatcher of a function whose first arguments are arrays and which takes options after them.

    The names of the options are part of the key, so that an unknown one is found out before a kernel is made. Where all
    are given by position, their number is the key: a tuple is hashed each time, in twice the time. One to
    three arrays are written out, which takes half the time of a loop.
    """
    kernels, get = table(name), active.get
    call: Callable[..., Any]

    if operands == 1:

        def call(x: Any, /, *args: Any, **kw: Any) -> Any:
            if type(x) is not Array:
                x = _as_array(name, x)
            try:
                run, sig = kernels[get()][x._sig][(len(args), *kw) if kw else len(args)]
            except KeyError:
                run, sig = _missed_options(name, (x,), args, kw)
            try:
                d = run(x._data, *args, **kw) if kw else run(x._data, *args) if args else run(x._data)
            except Exception as error:
                d = _again(name, error, run, x, args, kw)
            if sig is None:
                return d
            r = Array()
            r._data = d
            r._sig = sig
            return r
    elif operands == 2:

        def call(x1: Any = MISSING, x2: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
            if type(x1) is Array:
                s1 = x1._sig
                d1 = x1._data
            else:
                s1 = type(x1)
                d1 = x1
            if type(x2) is Array:
                s2 = x2._sig
                d2 = x2._data
            else:
                s2 = type(x2)
                d2 = x2
            try:
                run, sig = kernels[get()][s1][s2][(len(args), *kw) if kw else len(args)]
            except KeyError:
                run, sig = _missed_options(name, (x1, x2), args, kw)
            try:
                d = run(d1, d2, *args, **kw)
            except Exception as error:
                raise translated(name, error, (x1, x2), args, kw) from error
            if sig is None:
                return d
            r = Array()
            r._data = d
            r._sig = sig
            return r
    elif operands == 3:

        def call(x1: Any = MISSING, x2: Any = MISSING, x3: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
            if type(x1) is Array:
                s1 = x1._sig
                d1 = x1._data
            else:
                s1 = type(x1)
                d1 = x1
            if type(x2) is Array:
                s2 = x2._sig
                d2 = x2._data
            else:
                s2 = type(x2)
                d2 = x2
            if type(x3) is Array:
                s3 = x3._sig
                d3 = x3._data
            else:
                s3 = type(x3)
                d3 = x3
            try:
                run, sig = kernels[get()][s1][s2][s3][(len(args), *kw) if kw else len(args)]
            except KeyError:
                run, sig = _missed_options(name, (x1, x2, x3), args, kw)
            try:
                d = run(d1, d2, d3, *args, **kw)
            except Exception as error:
                raise translated(name, error, (x1, x2, x3), args, kw) from error
            if sig is None:
                return d
            r = Array()
            r._data = d
            r._sig = sig
            return r

    else:

        def call(*args: Any, **kw: Any) -> Any:
            leading, args = args[:operands], args[operands:]
            key = tuple([x._sig if type(x) is Array else type(x) for x in leading])
            try:
                run, sig = kernels[get()][key][(len(args), *kw) if kw else len(args)]
            except KeyError:
                run, sig = _missed_options(name, leading, args, kw)
            try:
                d = run(*[x._data if type(x) is Array else x for x in leading], *args, **kw)
            except Exception as error:
                raise translated(name, error, leading, args, kw) from error
            if sig is None:
                return d
            r = Array()
            r._data = d
            r._sig = sig
            return r

    return call


def view_with_options(name: str, Array: Any) -> Callable[..., Any]:
    """As `with_options` of one array, of a function whose result is a view, or several, where there are views."""
    kernels, get = table(name), active.get

    def call(x: Any, /, *args: Any, **kw: Any) -> Any:
        if type(x) is not Array:
            x = _as_array(name, x)
        try:
            run, sig = kernels[get()][x._sig][(len(args), *kw) if kw else len(args)]
        except KeyError:
            run, sig = _missed_options(name, (x,), args, kw)
        try:
            d = run(x._data, *args, **kw) if kw else run(x._data, *args) if args else run(x._data)
        except Exception as error:
            d = _again(name, error, run, x, args, kw)
        if sig is None:
            r = d
        else:
            r = Array()
            r._data = d
            r._sig = sig
        if x._sig.immutable and not kw.get("copy"):
            slow_path.link(r, x)
        return r

    return call


def shape_method(f: Callable[P, R]) -> Callable[P, R]:
    """``x.reshape(2, -1)`` where x is an `Array`, given a shape as ints or as one tuple.

    The backend's own method runs it, where there is one (`Sig.reshape`) and the rules keep each dtype: those of JAX
    without 64 bits do not. Elsewhere the function does. `f` is the declaration of the method.
    """
    name = f.__name__
    attribute = attrgetter(name)
    kept, get = table(f"x.{name}"), active.get

    def keeps(x: Any, shape: Any) -> bool:
        """Whether the rules in force keep the dtype of x."""
        try:
            found: bool = kept[get()][x._sig]
        except KeyError:
            _, sig = slow_path.specialise_options(name, (x,), (shape,), {}, None)
            found = kernels_of(f"x.{name}", current())[x._sig] = sig is x._sig
        return found

    def call(x: Any, /, *shape: Any, **options: Any) -> Any:
        if len(shape) == 1 and type(shape[0]) is not int:
            shape = tuple(shape[0]) if isinstance(shape[0], (tuple, list)) else shape
        sig = x._sig
        run = sig.reshape
        if run is None or options or (changing and not keeps(x, shape)):
            return attribute(functions)(x, shape, **options)
        try:
            for n in shape:
                if n < -1:  # frameworks take some of these for -1
                    raise ValueError(f"negative extents in shape {shape}")
            d = run(x._data, shape)
        except Exception as error:
            if isinstance(error, TypeError) and not hasattr(x._data, "__setitem__"):  # one of NumPy's scalars
                return attribute(functions)(x, shape)
            raise translated(name, error, (x,), (shape,)) from error
        r = type(x)()
        r._data = d
        r._sig = sig
        return r

    method: Any = update_wrapper(call, f)
    return method  # type: ignore[no-any-return]


def with_dtype(name: str, Array: Any) -> Callable[..., Any]:
    """As `with_options`, for a function of one array that has the option `dtype`: it decides the result's."""
    kernels, get = table(name), active.get

    def call(x: Any, /, *args: Any, dtype: Any = None, **kw: Any) -> Any:
        if type(x) is not Array:
            x = _as_array(name, x)
        try:
            run, sig = kernels[get()][x._sig][(dtype, len(args), *kw) if args or kw or dtype is not None else 0]
        except (KeyError, TypeError):  # or a dtype that is none and has no hash
            run, sig = _missed_options(name, (x,), args, kw, dtype)
        try:
            d = run(x._data, *args, **kw) if kw else run(x._data, *args) if args else run(x._data)
        except Exception as error:
            d = _again(name, error, run, x, args, kw)
        if sig is None:
            return d
        r = Array()
        r._data = d
        r._sig = sig
        return r

    return call


def with_named(
    name: str, Array: Any, positional: tuple[str, ...], leading: int, optional: tuple[str, ...], without: Any
) -> Callable[..., Any]:
    """The dispatcher of a function with operands besides the leading ones: by name or position, or None.

    A call that gives none of them is `without`'s, and costs what it costs there.

    Parameters
    ----------
    positional: the parameters that may be given by position.
    leading: how many leading operands there are.
    optional: the names of the other operands.
    without: the dispatcher of the function without these.
    """
    kernels, get, names, last = table(name), active.get, frozenset(optional), -len(optional)

    def call(*args: Any, **kw: Any) -> Any:
        if len(args) <= leading and names.isdisjoint(kw):
            return without(*args, **kw)
        if len(args) > len(positional) or not kw.keys().isdisjoint(positional[leading : len(args)]):
            return without(*args, **kw)  # which says what is wrong
        kw = {**dict(zip(positional[leading:], args[leading:], strict=False)), **kw}
        dtype = kw.pop("dtype", None)
        operands = *args[:leading], *[kw.pop(n, None) for n in optional]
        key = tuple([x._sig if type(x) is Array else type(x) for x in operands])
        try:
            run, sig = kernels[get()][key][(dtype, *kw)]
        except (KeyError, TypeError):  # or a dtype that has no hash
            run, sig = slow_path.specialise_named(name, operands, kw, dtype)
        data = [x._data if type(x) is Array else x for x in operands]
        named = {n: d for n, d in zip(optional, data[last:], strict=True) if d is not None}
        try:
            d = run(*data[:leading], **named, **kw)
        except Exception as error:
            more = {n: x for n, x in zip(optional, operands[last:], strict=True) if x is not None}
            raise translated(name, error, operands[:leading], (), {**more, **kw}) from error
        if sig is None:
            return d
        r = Array()
        r._data = d
        r._sig = sig
        return r

    return call


def sequence(name: str, Array: Any, spread: bool) -> Callable[..., Any]:
    """The dispatcher of a function of a sequence of arrays, given as one argument or spread over many."""
    kernels, get = table(name), active.get

    def call(*args: Any, **kw: Any) -> Any:
        if not spread and args and isinstance(args[0], (list, tuple)):
            arrays, args = args[0], args[1:]
        else:
            arrays, args = _sequence_of(name, args, spread)
        data: Any
        try:
            key, data = tuple(map(_sig, arrays)), [*map(_data, arrays)]
        except AttributeError:  # of what is no array of ours
            key = tuple([x._sig if type(x) is Array else type(x) for x in arrays])
            data = [x._data if type(x) is Array else x for x in arrays]
        try:
            run, sig = kernels[get()][key][(len(args), *kw) if kw else len(args)]
        except KeyError:
            run, sig = _missed_options(name, tuple(arrays), args, kw)
        try:
            d = run(data, *args, **kw) if args or kw else run(data)
        except Exception as error:
            raise translated(name, error, tuple(arrays), args, kw) from error
        if sig is None:
            return d
        r = Array()
        r._data = d
        r._sig = sig
        return r

    return call


def _again(
    name: str, error: Exception, kernel: Callable[..., Any], x: Any, args: tuple[Any, ...], kw: dict[str, Any]
) -> Any:
    """Call a kernel again with axes of Python's own types, where the framework did not take those that it got.

    A list of axes and a NumPy integer are an axis as well as a tuple and an int, and some frameworks take them.
    """
    changed = slow_path.plain_axes(name, args, kw)
    if changed is None:
        raise translated(name, error, (x,), args, kw) from error
    try:
        return kernel(x._data, *changed[0], **changed[1])
    except Exception as second:
        raise translated(name, second, (x,), args, kw) from second


def _sequence_of(name: str, args: tuple[Any, ...], spread: bool) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    if spread:
        return args, ()
    if not args or not isinstance(args[0], (list, tuple)):
        got = f"; got {type(args[0]).__name__}" if args else ""
        error = TypeError(f"{name}: takes a list or tuple of arrays{got}")
        raise slow_path.by_whom(name, error)
    return tuple(args[0]), args[1:]


def _as_array(name: str, x: Any) -> Any:
    return slow_path.as_operand(name, x)


def _missed_options(
    name: str, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any], dtype: Any = None
) -> Any:
    operands = tuple([x for x in operands if x is not MISSING])
    return slow_path.specialise_options(name, operands, args, kw, dtype)


def _foreign(x: Any, left: Any = None, name: str = "", right: Any = None) -> bool:
    return slow_path.foreign(x, left, name, right)
