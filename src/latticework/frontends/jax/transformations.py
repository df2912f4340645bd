"""JAX's transformations of functions, by ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import latticework as lw

from ...core.trees import flatten
from ...policy import call_under
from .core import as_array, dialect

__all__ = ["vmap"]


def arrays_in(tree: Any) -> Any:
    """A tree with arrays of the dialect for its numbers and NumPy's arrays."""
    leaves, structure = flatten(tree, lambda x: isinstance(x, dialect.array))
    return structure.build(iter([as_array(x) for x in leaves]))


def run(f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any], name: str) -> Any:
    """Call a transformation of ours under the dialect's policy. Arrays of the dialect are trees to it."""
    try:
        return call_under(dialect.policy(), f, args, kw)
    except Exception as error:
        raise dialect.error(error, name) from None


def vmap(
    fun: Any, in_axes: Any = 0, out_axes: Any = 0, axis_name: Any = None, axis_size: int | None = None,
    spmd_axis_name: Any = None, sum_match: bool = False,
) -> Any:  # fmt: skip
    mapped = lw.vmap(lambda *args, **kw: arrays_in(fun(*args, **kw)), in_axes, out_axes)

    @wraps(fun)
    def call(*args: Any, **kw: Any) -> Any:
        return run(mapped, arrays_in(args), kw, "vmap")

    return call
