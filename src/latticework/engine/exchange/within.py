"""Functions of `lw.Array` that run under parts of a policy of their own, and what they take and give."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType, MethodType
from typing import Any

from ...policy import current
from .binding import Binding
from .native import FUNCTIONS, Outside, is_container, mapped

__all__ = ["Within"]


class Within:
    """Calls under a binding, as an `Exchange` makes them for native arrays.

    Functions among the arguments run under the policy of the caller. A function among the results, and the methods of
    an object of latticework's, run under the binding.
    """

    def __init__(self, binding: Binding) -> None:
        self.binding = binding

    def call(self, f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Call a function under the binding."""
        inside = self.binding.of(current())
        kw = {name: self.unwrap(x) for name, x in kw.items()}
        return self.wrap(self.binding.run(inside, f, tuple([self.unwrap(x) for x in args]), kw))

    def function(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Turn a function into one that runs under the binding."""

        def call(*args: Any, **kw: Any) -> Any:
            return self.call(f, args, kw)

        return update_wrapper(call, f)

    def callback(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Turn a function of the caller into one that runs under the policy of the caller."""

        def call(*args: Any, **kw: Any) -> Any:
            return self.binding.under_callers(f, args, kw)

        return update_wrapper(call, f)

    def unwrap(self, x: Any) -> Any:
        """Return an argument with its functions made callbacks."""
        if isinstance(x, FUNCTIONS):
            return self.callback(x)
        if type(x) is Outside:
            return x._inside
        return mapped(self.unwrap, x) if is_container(x) else x

    def wrap(self, x: Any) -> Any:
        """Return a result with its functions and objects under the binding."""
        kind = type(x)
        if kind is FunctionType or kind is MethodType:
            return self.function(x)
        if is_container(x):
            return mapped(self.wrap, x)
        return Outside(self, x) if kind.__module__.startswith("latticework.api.") else x
