"""Framework calls that stand for calls of backends' functions, for the source of traced programs.

A backend's function looks at its arguments before it calls the framework's function. Once they are known, one call of
the framework's is left: `comes_to` attaches to a function another one that tells which.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

__all__ = ["NativeCall", "comes_to", "is_basic", "of_diagonal", "standing_alone"]

#: From here on, numbers of diagonals are too large for some frameworks.
_LARGE = 2**31

#: True while a trace becomes source that runs without latticework. There the framework computes all; elsewhere NumPy
#: computes some functions in its place, in less time.
standing_alone: ContextVar[bool] = ContextVar("latticework standing alone", default=False)

#: A function of the framework's, its arguments by position and its arguments by name.
NativeCall = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def comes_to(
    f: Callable[..., Any], plain: Callable[..., NativeCall | None], instead: Callable[..., Any] | None = None
) -> None:
    """Attach to a function `f` a function that tells which framework call stands for a call of `f`.

    Parameters
    ----------
    f: the function of a backend.
    plain: a function of the same arguments, which returns the call that has the same result, and None where there is
        none. It may look at dtypes, at the number of axes and at whether extents are 0, 1 or more, for a traced program
        is run on all arrays that are alike in these.
    instead: a function that calls come to and that stands for no function of the backend. A saved graph has to know it.

    Examples
    --------
    >>> import numpy as np
    >>> from latticework.backend.plain import comes_to
    >>> def squeeze(x, axis):
    ...     if not x.ndim:
    ...         raise IndexError("the array has no axes")
    ...     return x.squeeze(axis)
    >>> comes_to(squeeze, lambda x, axis: (np.squeeze, (x, axis), {}) if x.ndim else None)
    >>> squeeze.comes_to(np.ones((1, 2)), 0)[0].__name__
    'squeeze'
    """
    f.comes_to = plain  # type: ignore[attr-defined]
    f.instead = instead  # type: ignore[attr-defined]


def is_basic(key: Any, ndim: int) -> bool:
    """Return whether a key has only ints, forward slices, None and one ellipsis at most, and leaves an axis.

    Examples
    --------
    >>> from latticework.backend.plain import is_basic
    >>> is_basic((slice(1, -1), None), 1), is_basic(slice(None, None, -1), 1), is_basic((0, 0), 2)
    (True, False, False)
    """
    keys = key if type(key) is tuple else (key,)
    if sum(k is Ellipsis for k in keys) > 1 or sum(type(k) is int for k in keys) >= ndim:
        return False
    return all(k is None or k is Ellipsis or type(k) is int or (type(k) is slice and _goes_forward(k)) for k in keys)


def _goes_forward(k: slice) -> bool:
    bounds = all(at is None or type(at) is int for at in (k.start, k.stop, k.step))
    return bounds and (k.step is None or 0 < k.step < 1 << 31)


def of_diagonal(function: Callable[..., Any]) -> Callable[..., NativeCall | None]:
    """Return what tells for a call of `tril` or `triu` that it is one of the framework's `function`, for `comes_to`."""

    def plain(x: Any, *, k: int = 0) -> NativeCall | None:
        fits = len(x.shape) > 1 and type(k) is int and abs(k) < _LARGE
        return (function, (x, k) if k else (x,), {}) if fits else None

    return plain
