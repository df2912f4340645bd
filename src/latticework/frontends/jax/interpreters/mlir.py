"""`jax.interpreters.mlir`: lowerings of primitives, which are kept and not asked for: nothing is lowered here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["lower_fun", "register_lowering"]

_LOWERINGS: dict[Any, Any] = {}


def lower_fun(fun: Callable[..., Any], multiple_results: bool = True) -> Callable[..., Any]:
    """Return a lowering that computes a function."""
    return fun


def register_lowering(prim: Any, rule: Any, platform: str | None = None, **options: Any) -> Any:
    """Set the lowering of a primitive."""
    _LOWERINGS[prim, platform] = rule
    return rule
