"""The twins of functions that no rules have a say in: they are called at once with arrays of ours, under any policy.

They move elements, make arrays like another one, or cast to a dtype that is given. A weak array goes the long way:
under rules that know no weak arrays its result would not be weak.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype
from ...engine.array import Array
from ...engine.dispatch import MISSING
from ...policy import TABLES, active, current, kernels_of
from .keeping import HELD, Calls, new, present, wrapped

if TYPE_CHECKING:
    from ...core.signature import Sig
    from ..dialect import Dialect

__all__ = ["DIRECT", "MADE", "casting", "direct", "made"]

#: Names of functions of one array that only move elements, or that make an array like it.
_MOVES = "copy flip fliplr flipud moveaxis ravel rot90 swapaxes transpose"
_LIKE = "zeros_like ones_like empty_like"
DIRECT = frozenset([*_MOVES.split(), *_LIKE.split(), "astype"])

#: Names of functions that make an array of numbers, in a dtype that is given.
MADE = frozenset(["eye", "full"])

#: The types of options that mean the same in all dialects.
_PLAIN = frozenset((int, bool, type(None), tuple, Dtype))


def direct(f: Callable[..., Any], dialect: Dialect, whole: Callable[..., Any]) -> Callable[..., Any]:
    """The twin of such a function. `whole` exchanges all arguments, and is called where that is needed."""
    array, dtype_of = dialect.array, dialect.dtype_of
    casts = f.__name__ == "astype"

    def call(*args: Any, **kw: Any) -> Any:
        if args and type(args[0]) is array:
            a = args[0]._array
            try:
                more = args[1:]
                if casts and more:
                    more = (dtype_of(more[0]), *more[1:])
                if kw.get("dtype") is not None:
                    kw["dtype"] = dtype_of(kw["dtype"])
                for x in (*more, *kw.values()) if kw else more:
                    if type(x) not in _PLAIN:
                        break
                else:
                    if not a._sig.weak:
                        r = f(a, *more, **kw)
                        if r is a:
                            return args[0]
                        if type(r) is Array:
                            return wrapped(array, r)
            except Exception:
                pass
        return whole(*args, **kw)

    return call


def made(f: Callable[..., Any], dialect: Dialect, whole: Callable[..., Any]) -> Callable[..., Any]:
    """The twin of a function that makes an array: at once where a dtype is given, and Python numbers alone."""

    def call(*args: Any, **kw: Any) -> Any:
        if kw.get("dtype") is not None:
            try:
                kw["dtype"] = dialect.dtype_of(kw["dtype"])
                for x in (*args, *kw.values()):
                    if type(x) not in _PLAIN and type(x) is not float:
                        break
                else:
                    return dialect.wrapped(f(*args, **kw))
            except Exception:
                pass
        return whole(*args, **kw)

    return call


def casting(calls: Calls, slow: Callable[..., Any], dtype: Any = None) -> Callable[..., Any]:
    """The dialect's function or method that casts an array to a dtype, which `slow` is.

    What casts is kept by the framework's own dtype object, where `slow` has made an array of that dtype.

    Parameters
    ----------
    dtype: the dtype, of a method that has it in its name. Otherwise it is the argument after the array.
    """
    kernels, get, array = calls.kernels, active.get, calls.dialect.array

    def call(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
        to = dtype
        if type(x) is array and not kw and len(args) == (to is None):
            if to is None:
                (to,) = args
            try:
                a = x._held if x._sig is HELD else x
                run, sig = kernels[get()][a._sig][to]
                if run is None:
                    return x
                t = new(array)
                t._data = run(a._data)
                t._sig = sig
                t._held = None
                return t
            except Exception:
                pass
            result = slow(x, *args)
            if type(result) is array and type(to) is not array:
                _keep_cast(calls, x._array._sig, to, result._array._sig, result is x)
            return result
        return slow(*present(x, *args), **kw)

    return update_wrapper(call, slow)


def _keep_cast(calls: Calls, sig: Sig, dtype: Any, result: Sig, itself: bool) -> None:
    """Keep what casts arrays of a signature to a dtype of the framework's, if the result has that dtype.

    `itself` says that the result is the array that was given, which has the dtype.
    """
    with suppress(Exception):  # it is no dtype, or nothing of this kind was cast
        if sig.weak or sig.backend is not result.backend or calls.dialect.dtype_of(dtype) is not result.dtype:
            return
        if sig.dtype.kind == "c" and result.dtype.kind != "c":
            return  # imaginary parts are dropped, where lw.astype refuses
        run, out = (None, result) if itself else TABLES["astype"][current()][sig][result.dtype]
        if out is result:
            run = run or (None if itself else sig.backend.module.duplicate)
            kernels_of(calls.name, current()).setdefault(sig, {})[dtype] = run, out
