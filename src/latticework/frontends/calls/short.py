"""A short way before a dialect's own function: for the arguments that published programs give it most."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from ...engine.array import Array
from ...engine.dispatch import MISSING
from .keeping import present, wrapped

if TYPE_CHECKING:
    from ..dialect import Dialect

__all__ = ["short"]


def short(dialect: Dialect, fast: Callable[..., Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    """The dialect's function `slow`, which asks `fast` first.

    Parameters
    ----------
    fast: it is called with an array of ours in the place of the first argument, and with the others as they are. It
        calls functions of ours whose result has the same dtype under all rules, and gives what these give; None, or an
        error, where the arguments mean something else. A weak array is not handed to it: under rules that know no
        weak arrays its result would not be weak.
    slow: the function in Python, whose signature and docstring the result has.
    """
    array, given = dialect.array, dialect.given

    def call(x: Any = MISSING, /, *args: Any, **kw: Any) -> Any:
        if type(x) is array:
            a = x._held
            if a is None:
                a = x._array
            if not a._sig.weak:
                try:
                    r = fast(a, *args, **kw) if kw else fast(a, *args)
                except Exception:
                    pass
                else:
                    if type(r) is Array:
                        return wrapped(array, r)
                    if type(r) is tuple or type(r) is list:
                        return type(r)([given(x) for x in r])
                    if r is not None:
                        return given(r)
        return slow(*present(x, *args), **kw)

    return update_wrapper(call, slow)
