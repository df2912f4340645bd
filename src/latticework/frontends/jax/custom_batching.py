"""`jax.custom_batching`: functions that bring along how they are mapped."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from .axes import by_rule

__all__ = ["custom_vmap", "sequential_vmap"]


class custom_vmap:
    """A function with a rule for `vmap`: ``f.def_vmap(rule)``.

    The rule gets the extent, for each argument whether it is mapped along its first axis, and the arguments. An
    argument counts as mapped where the examples have objects of their own. A mapped function that calls this one runs
    for one example after the other, up to the call; see `axes`. In a derivative that is taken inside of the mapping the
    function itself runs.
    """

    def __init__(self, fun: Callable[..., Any]) -> None:
        update_wrapper(self, fun)
        self.fun = fun
        self.vmap_rule: Callable[..., Any] | None = None

    def def_vmap(self, vmap_rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the rule."""
        self.vmap_rule = vmap_rule
        return vmap_rule

    def __call__(self, *args: Any, **kw: Any) -> Any:
        if self.vmap_rule is None:
            name = getattr(self.fun, "__name__", "<unnamed function>")
            raise AttributeError(f"No batching rule defined for custom_vmap function {name} using def_vmap.")
        if kw:
            bound = inspect.signature(self.fun).bind(*args, **kw)
            bound.apply_defaults()
            args = (*bound.args, *bound.kwargs.values())
        return by_rule(self.fun, self.vmap_rule, args)


def sequential_vmap(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function itself: what is mapped gives the same."""
    return f
