"""`jax.custom_derivatives`: functions that bring their derivatives along, and what their rules see."""

from __future__ import annotations

from typing import Any

from . import tree_util
from .core import as_array, ops
from .custom import CustomVJPPrimal, custom_gradient, custom_jvp, custom_vjp
from .extend.core.primitives import custom_jvp_call_p, custom_vjp_call_p
from .tracers import ShapedArray, is_tracer
from .trees import arrays_in, is_array

__all__ = [
    "CustomVJPPrimal", "SymbolicZero", "closure_convert", "custom_gradient", "custom_jvp", "custom_jvp_call_p",
    "custom_vjp", "custom_vjp_call_p", "linear_call", "zero_from_primal",
]  # fmt: skip


class SymbolicZero:
    """A derivative that is known to be 0, of a shape and dtype."""

    def __init__(self, aval: Any) -> None:
        self.aval = aval

    shape = property(lambda self: self.aval.shape)
    dtype = property(lambda self: self.aval.dtype)
    ndim = property(lambda self: len(self.aval.shape))
    size = property(lambda self: self.aval.size)

    def __repr__(self) -> str:
        return f"SymbolicZero({self.aval})"


def zero_from_primal(x: Any, symbolic_zeros: bool = False) -> Any:
    """Return the derivative 0 of an array: of the array's shape, and its dtype or float0."""
    import numpy as np

    from .dtypes import float0

    x = as_array(x)
    if x.dtype.kind not in "fcV":
        return np.zeros(x.shape, dtype=float0)
    return SymbolicZero(ShapedArray(x.shape, x.dtype)) if symbolic_zeros else ops.zeros_like(x)


def closure_convert(fun: Any, *example_args: Any) -> tuple[Any, list[Any]]:
    """Return a function without the arrays that it holds, and these: they are further arguments of it.

    They are found among what the function closes over. Only arrays of a transformation are taken out, as in JAX.
    """
    held: list[Any] = []
    seen: dict[int, int] = {}

    def note(x: Any) -> None:
        if is_array(x) and is_tracer(x) and id(x) not in seen:
            seen[id(x)] = len(held)
            held.append(x)

    cells = _cells(fun)
    for cell in cells:
        for leaf in tree_util.tree_leaves(cell.cell_contents):
            note(leaf)

    def converted(*args: Any) -> Any:
        count = len(args) - len(held)
        inside = args[count:]
        before = [cell.cell_contents for cell in cells]
        for cell, value in zip(cells, before, strict=True):
            cell.cell_contents = tree_util.tree_map(
                lambda x: inside[seen[id(x)]] if is_array(x) and id(x) in seen else x, value
            )
        try:
            return arrays_in(fun(*args[:count]))
        finally:
            for cell, value in zip(cells, before, strict=True):
                cell.cell_contents = value

    return converted, held


def _cells(fun: Any, found: list[Any] | None = None) -> list[Any]:
    """The cells of a function, and of the functions in them."""
    found = [] if found is None else found
    for cell in getattr(fun, "__closure__", None) or ():
        if any(cell is c for c in found):
            continue
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        found.append(cell)
        if callable(value):
            _cells(value, found)
    for part in ("func", "fun", "__wrapped__"):
        if callable(getattr(fun, part, None)):
            _cells(getattr(fun, part), found)
    return found


def linear_call(fun: Any, fun_transpose: Any, residual_args: Any, linear_args: Any) -> Any:
    """Call a linear function that brings its transpose along."""
    f = custom_vjp(fun)
    f.defvjp(
        lambda res, xs: (fun(res, xs), res),
        lambda res, ct: (tree_util.tree_map(ops.zeros_like, res), fun_transpose(res, ct)),
    )
    return f(residual_args, linear_args)
