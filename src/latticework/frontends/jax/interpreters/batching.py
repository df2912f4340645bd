"""`jax.interpreters.batching`: rules of primitives for `vmap`, which are kept and not asked for.

What is mapped runs the primitive for each example, which is what a rule has to compute. One that joins the examples has
no effect here; `jax.custom_batching.custom_vmap` has rules that are asked for.
"""

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


def register_vmappable(data_type: type, *args: Any, **kw: Any) -> None:
    """Refused: objects are mapped as trees of arrays."""
    raise NotImplementedError(
        f"register_vmappable: {data_type.__name__} is mapped here as a tree of arrays; use "
        "jax.tree_util.register_pytree_node"
    )
