"""Trees of JAX's dialect, in which its arrays are leaves, and calls of latticework's transformations on them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from ...core.trees import flatten
from ...policy import call_under
from .core import as_array, dialect

__all__ = ["DERIVATIVES", "arrays_in", "is_array", "mapped", "run"]

#: How many derivatives are being taken, one inside the other.
DERIVATIVES: ContextVar[int] = ContextVar("derivatives", default=0)


def is_array(x: Any) -> bool:
    """Return whether x is an array of the dialect, which is a leaf here."""
    return type(x) is dialect.array


def arrays_in(tree: Any) -> Any:
    """Convert the numbers and NumPy arrays of a tree to arrays of the dialect."""
    leaves, structure = flatten(tree, is_array)
    return structure.build(iter([as_array(x) for x in leaves]))


def mapped(f: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """Apply a function to the leaves of a tree; an array is a leaf."""
    leaves, structure = flatten(tree, is_array)
    others = [flatten(other, is_array)[0] for other in rest]
    return structure.build(iter([f(*xs) for xs in zip(leaves, *others, strict=True)]))


def run(f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any], name: str) -> Any:
    """Call a latticework transformation under the dialect's policy. To it, arrays of the dialect are trees."""
    try:
        return call_under(dialect.policy(), f, args, kw)
    except Exception as error:
        raise dialect.error(error, name) from None
