"""What calls of backends' functions come to, for the source of traced programs.

A backend's function looks at its arguments before it calls the framework's. Once they are known, one call of the
framework's is left: `comes_to` attaches to a function what tells which one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Call", "comes_to", "is_basic"]

#: A function of the framework's, its arguments by position and its arguments by name.
Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def comes_to(f: Callable[..., Any], plain: Callable[..., Call | None]) -> None:
    """Attach to a function what tells which call of the framework's a call of it comes to.

    Parameters
    ----------
    f: the function of a backend.
    plain: a function of the same arguments, which returns the call that has the same result, and None where there is
        none. It may look at dtypes, at the number of axes and at whether extents are 0, 1 or more, for a traced program
        is run on all arrays that are alike in these.

    Examples
    --------
    >>> import numpy as np
    >>> from latticework.backends.plain import comes_to
    >>> def squeeze(x, axis):
    ...     if not x.ndim:
    ...         raise IndexError("the array has no axes")
    ...     return x.squeeze(axis)
    >>> comes_to(squeeze, lambda x, axis: (np.squeeze, (x, axis), {}) if x.ndim else None)
    >>> squeeze.comes_to(np.ones((1, 2)), 0)[0].__name__
    'squeeze'
    """
    f.comes_to = plain  # type: ignore[attr-defined]


def is_basic(key: Any, ndim: int) -> bool:
    """Whether a key is of ints, slices that go forward, None and one ellipsis at most, and leaves an axis of an array.

    Examples
    --------
    >>> from latticework.backends.plain import is_basic
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
