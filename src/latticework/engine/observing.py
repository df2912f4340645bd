"""Who is told of each call, on the backends whose calls are watched: those of arrays without data, and of traced ones.

Kernels of other backends are left as they are, so that ordinary calls pay nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["Observer", "observed", "observer"]

#: Gets the plan of a call, its kernel, and the arguments of that; runs the kernel and returns its result.
Observer = Callable[["Plan", Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]

#: The observer in this context, None for nobody.
observer: ContextVar[Observer | None] = ContextVar("latticework observer", default=None)


def observed(kernel: Callable[..., Any], p: Plan) -> Callable[..., Any]:
    """The kernel, run by the observer of the context in which it is called."""

    def run(*args: Any, **kw: Any) -> Any:
        watch = observer.get()
        return kernel(*args, **kw) if watch is None else watch(p, kernel, args, kw)

    return run
