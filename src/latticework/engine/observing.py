"""Who is told of each call, on the backends whose calls are watched: those of arrays without data, and of traced ones.

Kernels of other backends are left as they are, so that ordinary calls pay nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .call import Call
    from .plan import Plan

__all__ = ["Observer", "Rescuer", "observed", "observer", "refuse", "rescuer", "tolerates"]

#: Gets the plan of a call, its kernel, and the arguments of that; runs the kernel and returns its result.
Observer = Callable[["Plan", Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]

#: The observer in this context, None for nobody.
observer: ContextVar[Observer | None] = ContextVar("latticework observer", default=None)

#: Gets a call that is refused, and the error; returns the plan to go on with, or raises the error.
Rescuer = Callable[["Call", Exception], "Plan"]

#: Who is asked about refused calls in this context, None for nobody. What it answers is not kept.
rescuer: ContextVar[Rescuer | None] = ContextVar("latticework rescuer", default=None)

#: Told of an assignment that is refused; returns whether to go on as if it were not. None: nobody is told.
tolerates: ContextVar[Callable[[Exception], bool] | None] = ContextVar("latticework tolerance", default=None)


def refuse(error: Exception) -> None:
    """Raise the error of an assignment, unless an audit goes on."""
    go_on = tolerates.get()
    if go_on is None or not go_on(error):
        raise error


def observed(kernel: Callable[..., Any], p: Plan) -> Callable[..., Any]:
    """The kernel, run by the observer of the context in which it is called."""

    def run(*args: Any, **kw: Any) -> Any:
        watch = observer.get()
        return kernel(*args, **kw) if watch is None else watch(p, kernel, args, kw)

    return run
