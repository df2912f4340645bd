"""The methods of NumPy's functions of two arrays: ``lw.add.reduce(x)``, ``lw.maximum.at(x, i, y)``.

A latticework function has the methods that latticework has as functions already: `reduce` is a reduction, `accumulate`
a running reduction, `at` a write. They are attributes of the function, and cost its calls nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.registry import functions as lw

__all__ = ["give_methods"]

#: function -> the reduction that applies it between all elements.
_REDUCED = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
    "logaddexp": "logsumexp", "fmax": "nanmax", "fmin": "nanmin",
}  # fmt: skip
#: function -> the function that gives each step of that reduction.
_ACCUMULATED = {
    "add": "cumulative_sum", "multiply": "cumulative_prod", "maximum": "cummax", "minimum": "cummin",
    "logaddexp": "logcumsumexp",
}  # fmt: skip
#: function -> the method of `lw.at` that applies it at positions.
_AT = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide", "pow": "power",
    "maximum": "max", "minimum": "min",
}  # fmt: skip


def give_methods(f: Callable[..., Any], name: str) -> None:
    """Give a function of two arrays those of NumPy's methods that are latticework functions."""
    own: Any = f
    own.outer = _outer(f, name)
    if name in _REDUCED:
        own.reduce = _reduce(_REDUCED[name], name)
    if name in _ACCUMULATED:
        own.accumulate = _accumulate(_ACCUMULATED[name], name)
    if name in _AT:
        own.at = _at(_AT[name], name)


def _outer(f: Callable[..., Any], name: str) -> Callable[..., Any]:
    def outer(x1: Any, x2: Any, /) -> Any:
        first, rank = lw.asarray(x1), len(getattr(x2, "shape", ()))
        return f(lw.reshape(first, (*first.shape, *(1,) * rank)), x2)

    return _named(outer, name, "Apply it to each element of x1 with each element of x2: shape x1.shape + x2.shape.")


def _reduce(reduction: str, name: str) -> Callable[..., Any]:
    def reduce(x: Any, /, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        given = {n: v for n, v in (("dtype", dtype), ("out", out)) if v is not None}
        return getattr(lw, reduction)(x, axis=axis, keepdims=keepdims, **given)

    return _named(reduce, name, f"See `lw.{reduction}`; along the first axis, where none is given, as in NumPy.")


def _accumulate(running: str, name: str) -> Callable[..., Any]:
    def accumulate(x: Any, /, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        given = {n: v for n, v in (("dtype", dtype), ("out", out)) if v is not None}
        return getattr(lw, running)(x, axis=axis, **given)

    return _named(accumulate, name, f"See `lw.{running}`; along the first axis, where none is given, as in NumPy.")


def _at(method: str, name: str) -> Callable[..., Any]:
    def at(x: Any, indices: Any, values: Any, /) -> None:
        x[...] = getattr(lw.at(x, indices), method)(values)

    return _named(at, name, f"Apply it in place at positions, as often as each comes. See `lw.at(x, i).{method}(y)`.")


def _named(method: Any, name: str, doc: str) -> Callable[..., Any]:
    method.__qualname__, method.__doc__ = f"{name}.{method.__name__}", doc
    return method  # type: ignore[no-any-return]
