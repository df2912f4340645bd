"""The twins of functions that no rules have a say in: they are called at once with arrays of ours, under any policy.

They move elements, make arrays like another one, or cast to a dtype that is given. A weak array goes the long way:
under rules that know no weak arrays its result would not be weak.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype
from ...engine.array import Array
from .keeping import wrapped

if TYPE_CHECKING:
    from ..dialect import Dialect

__all__ = ["DIRECT", "MADE", "direct", "made"]

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
