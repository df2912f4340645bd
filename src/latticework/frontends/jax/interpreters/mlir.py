"""`jax.interpreters.mlir`: lowerings of primitives. One that is made of a function is what a primitive computes.

Nothing is written in XLA's language here. A lowering that writes it is kept, and a primitive that has no other says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["lower_fun", "register_lowering"]

_LOWERINGS: dict[Any, Any] = {}


class _OfFunction:
    """A lowering that computes a function."""

    def __init__(self, fun: Callable[..., Any]) -> None:
        self.fun = fun

    def __call__(self, ctx: Any, *args: Any, **params: Any) -> Any:
        return self.fun(*args, **params)


def lower_fun(fun: Callable[..., Any], multiple_results: bool = True) -> Callable[..., Any]:
    """Return a lowering that computes a function."""
    return _OfFunction(fun)


def register_lowering(prim: Any, rule: Any, platform: str | None = None, **options: Any) -> Any:
    """Set the lowering of a primitive. Where it has no `def_impl`, a lowering that `lower_fun` made is what it runs."""
    _LOWERINGS[prim, platform] = rule
    if platform is None:
        prim.lowered_from = rule.fun if isinstance(rule, _OfFunction) else None
    return rule
