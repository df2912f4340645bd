"""Observers of calls, on the backends whose calls are watched: those of arrays without data, and of traced arrays.

Kernels of other backends are left as they are, so that ordinary calls pay nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..plans.plan import Plan
    from ..plans.request import Request

__all__ = ["Observer", "Rescuer", "observed", "observer", "refuse", "rescuer", "seeing", "tolerates"]

#: Gets the plan of a call, its kernel, and the kernel's arguments; runs the kernel and returns its result.
Observer = Callable[["Plan", Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]

#: The observer in this context, None for none.
observer: ContextVar[Observer | None] = ContextVar("latticework observer", default=None)

#: Gets a call that is refused, and the error; returns the plan to go on with, or raises the error.
Rescuer = Callable[["Request", Exception], "Plan"]

#: The function that is asked about refused calls in this context, None for none. Its answers are not kept.
rescuer: ContextVar[Rescuer | None] = ContextVar("latticework rescuer", default=None)

#: Gets the error of a refused assignment; returns whether to go on as if it were not refused. None: it is raised.
tolerates: ContextVar[Callable[[Exception], bool] | None] = ContextVar("latticework tolerance", default=None)

#: Gets the declaration of a call that found no kernel, what was made for it, and whether that would be kept for all
#: calls of these signatures; returns what to run in its place. It is not kept. None: it is kept, and runs itself.
seeing: ContextVar[Callable[[Any, Any, bool], Any] | None] = ContextVar(
    "latticework kernels of a function", default=None
)


def refuse(error: Exception) -> None:
    """Raise the error of an assignment, unless an audit goes on."""
    go_on = tolerates.get()
    if go_on is None or not go_on(error):
        raise error


def observed(kernel: Callable[..., Any], p: Plan) -> Callable[..., Any]:
    """Make a kernel run by the observer of the context in which it is called."""

    def run(*args: Any, **kw: Any) -> Any:
        watch = observer.get()
        return kernel(*args, **kw) if watch is None else watch(p, kernel, args, kw)

    return run
