"""`jax.interpreters.batching`: rules of primitives for `vmap`, which are kept and not asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "axis_primitive_batchers", "defbroadcasting", "defvectorized", "fancy_primitive_batchers", "not_mapped",
    "primitive_batchers", "register_vmappable",
]  # fmt: skip

primitive_batchers: dict[Any, Callable[..., Any]] = {}
axis_primitive_batchers: dict[Any, Callable[..., Any]] = {}
fancy_primitive_batchers: dict[Any, Callable[..., Any]] = {}
not_mapped = None


def defvectorized(prim: Any) -> None:
    """Say that a primitive computes element by element."""


def defbroadcasting(prim: Any) -> None:
    """Say that a primitive computes element by element, of operands that broadcast."""


def register_vmappable(*args: Any, **kw: Any) -> None:
    """Say how objects are mapped."""
