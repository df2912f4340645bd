"""Whose slopes a function has where it has no one slope: latticework's own, or the framework's.

NumPy and Dask have the rules of `derivatives/`. The other frameworks differentiate themselves, and at a kink, such as
`abs` at 0, each takes a slope of its own. A backend's function with latticework's slope there has the framework's as an
attribute. Which of the two a kernel calls is decided once, when the kernel is made: kernels belong to a policy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ..policy import Policy

__all__ = ["own_of", "own_slopes", "slopes_of"]

F = TypeVar("F", bound=Callable[..., Any])


def own_slopes(own: F, native: Callable[..., Any] | None) -> F:
    """Attach to a function with latticework's slopes the function with the framework's.

    Parameters
    ----------
    own: the function of a backend.
    native: a function of the same arguments with the same values. None for the composition of `api/`.

    Returns
    -------
    `own`.

    Examples
    --------
    >>> from latticework.backend.slopes import own_slopes, slopes_of
    >>> from latticework.policy import current
    >>> import latticework as lw
    >>> mine = own_slopes(lambda x: x, abs)
    >>> slopes_of(mine, current()) is mine
    True
    >>> with lw.using(gradients="native"):
    ...     slopes_of(mine, current())
    <built-in function abs>
    """
    own.native_slopes = native  # type: ignore[attr-defined]
    if native is not None:
        _owns[id(getattr(native, "as_it_is", native))] = own  # a graph has a function that is not compiled
    return own


#: The id of a function with the framework's slopes -> the function with latticework's, which keeps it alive.
_owns: dict[int, Callable[..., Any]] = {}


def own_of(native: Any) -> Callable[..., Any] | None:
    """Return the function with latticework's slopes for one with the framework's, None where there is none."""
    return _owns.get(id(native))


def slopes_of(function: Any, policy: Policy) -> Any:
    """Return the function with the slopes that the policy asks for."""
    return getattr(function, "native_slopes", function) if policy.gradients == "native" else function
