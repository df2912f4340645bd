"""`jax.api_util`: helpers of transformations that packages use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .core import as_array
from .extend.linear_util import transformation_with_aux2
from .tracers import ShapedArray

__all__ = ["debug_info", "flatten_axes", "flatten_fun", "flatten_fun_nokwargs", "safe_map", "shaped_abstractify"]


def safe_map(f: Callable[..., Any], *xs: Any) -> list[Any]:
    """Return the list of what a function gives of the elements of lists of the same length."""
    lists = [[*x] for x in xs]
    if len({len(x) for x in lists}) > 1:
        raise AssertionError(f"length mismatch: {[len(x) for x in lists]}")
    return [f(*row) for row in zip(*lists, strict=True)]


def shaped_abstractify(x: Any) -> ShapedArray:
    """Return the shape and dtype of a value, or of an object with these."""
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        return ShapedArray(x.shape, x.dtype, weak_type=bool(getattr(x, "weak_type", False)))
    x = as_array(x)
    return ShapedArray(x.shape, x.dtype, weak_type=x.weak_type)


def debug_info(name: Any, fun: Any, args: Any = (), kwargs: Any = None, **options: Any) -> Any:
    """Return what names a function in messages."""
    return getattr(fun, "__name__", str(fun))


@transformation_with_aux2
def flatten_fun(f: Any, store: Any, in_tree: Any, *args_flat: Any) -> Any:
    """A function of a tree of arguments as one of its leaves."""
    from . import tree_util

    args, kwargs = in_tree.unflatten(args_flat)
    leaves, tree = tree_util.tree_flatten(f(*args, **kwargs))
    store.store(tree)
    return leaves


@transformation_with_aux2
def flatten_fun_nokwargs(f: Any, store: Any, in_tree: Any, *args_flat: Any) -> Any:
    """A function of a tree of arguments by position as one of its leaves."""
    from . import tree_util

    leaves, tree = tree_util.tree_flatten(f(*in_tree.unflatten(args_flat)))
    store.store(tree)
    return leaves


def flatten_axes(name: str, treedef: Any, axis_tree: Any) -> tuple[Any, ...]:
    """Return the axis of each leaf of a tree, from a tree of axes that may be given for whole parts."""
    from .axes import spread

    return tuple(spread(axis_tree, treedef.unflatten([0] * treedef.num_leaves)))
