"""`jax.custom_batching`: functions that bring along how they are mapped."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

__all__ = ["custom_vmap", "sequential_vmap"]


class custom_vmap:
    """A function with a rule for `vmap`: ``f.def_vmap(rule)``.

    The rule is kept and not asked for: what is mapped runs the function itself, example by example or on arrays that
    stand for all examples.
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
        return self.fun(*args, **kw)


def sequential_vmap(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function itself: what is mapped gives the same."""
    return f
