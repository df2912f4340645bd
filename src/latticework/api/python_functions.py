"""NumPy's helpers around Python functions: map one over many examples, and choose what floating-point errors do."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from ..core.registry import OPS
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import composed
from ..engine.exchange.foreign import as_operand, as_operands
from ..engine.shapes.extents import broadcast_shapes, one_axis
from .linear_algebra import extents
from .manipulation import broadcast_to, moveaxis, reshape


@composed
def errstate(
    *,
    all: str | None = None,
    divide: str | None = None,
    over: str | None = None,
    under: str | None = None,
    invalid: str | None = None,
    call: Any = None,
) -> AbstractContextManager[Any]:
    """Set how NumPy treats floating-point errors, in a ``with`` block or a decorated function.

    Parameters
    ----------
    all: what all four kinds of errors do: ``"ignore"``, ``"warn"``, ``"raise"``, ``"call"``, ``"print"`` or ``"log"``.
    divide, over, under, invalid: what divisions by zero, overflows, underflows and invalid operations do.
    call: the function that ``"call"`` calls, or the object with a method `write` for ``"log"``.

    Returns
    -------
    A context manager, which decorates functions too.

    Raises
    ------
    TypeError: another kind of error.
    ValueError: another word for what to do.

    Notes
    -----
    This is `numpy.errstate`. It is about what NumPy computes in this thread: arrays of the NumPy backend. PyTorch, JAX
    and TensorFlow report no such errors, and Dask computes in threads of its own: there it changes nothing.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.errstate(divide="ignore"):
    ...     lw.divide(lw.asarray([1.0]), 0.0)
    Array([inf], dtype=float32)
    """
    import numpy as np

    kinds = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid, "call": call}
    found: AbstractContextManager[Any] = np.errstate(**{name: x for name, x in kinds.items() if x is not None})
    return found


@composed
def apply_along_axis(f: Callable[..., Any], axis: int, x: Array, /, *args: Any, **kw: Any) -> Array:
    """Apply a function to each part of an array along one axis.

    Parameters
    ----------
    f: a function of an array of one axis that returns an array of any shape, the same for each.
    axis: the axis along which it gets its arrays.
    x: at least one axis, any dtype, without an extent of 0 along the others.
    args, kw: what `f` gets besides.

    Returns
    -------
    The dtype of the results; the shape of x, with the shape of a result in place of the axis.

    Raises
    ------
    AxisError: an axis that x does not have.
    ValueError: there is no part to apply the function to.

    Notes
    -----
    This is `vmap` over all parts: on JAX, PyTorch and TensorFlow `f` runs once, on an array that stands for all of
    them. `f` gets arrays of latticework.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.apply_along_axis(lw.sort, 0, lw.asarray([[3, 1], [2, 4]]))
    Array([[2, 1],
           [3, 4]], dtype=int32)
    """
    x = as_operand(OPS["apply_along_axis"], x)
    a = one_axis(axis, x.shape)
    shape = extents("apply_along_axis", x)
    others = (*shape[:a], *shape[a + 1 :])
    if 0 in others:
        raise ValueError(f"apply_along_axis: there is no part to apply the function to; got shape {shape}, axis {a}")
    rows = reshape(moveaxis(x, a, -1), (math.prod(others), shape[a]))
    result = lw.vmap(lambda row: f(row, *args, **kw))(rows)
    inner = result.ndim - 1
    found = reshape(result, (*others, *result.shape[1:]))
    return moveaxis(found, tuple(range(len(others), len(others) + inner)), tuple(range(a, a + inner)))


_NAMES = r"\s*(?:\w+(?:\s*,\s*\w+)*)?\s*"
_ARGUMENT = rf"\({_NAMES}\)"
_SIGNATURE = re.compile(rf"^\s*(?:{_ARGUMENT}(?:\s*,\s*{_ARGUMENT})*)?\s*->\s*{_ARGUMENT}(?:\s*,\s*{_ARGUMENT})*\s*$")


def _axes_of(text: str) -> list[tuple[str, ...]]:
    return [tuple(re.findall(r"\w+", part)) for part in re.findall(r"\(([^)]*)\)", text)]


@composed
def vectorize(f: Callable[..., Any], /, *, signature: str | None = None) -> Callable[..., Any]:
    """Make a function of arrays from a function of single elements, or of arrays of few axes.

    Parameters
    ----------
    f: a function that returns an array or a tuple of arrays, always of the same shapes. It gets arrays of latticework.
    signature: the axes that `f` itself needs, as ``"(m,n),(n)->(m)"``: all axes before these are mapped over. Without,
        `f` gets arrays without axes.

    Returns
    -------
    A function whose arguments by position broadcast together along the axes that are mapped over. What it is given by
    name goes to `f` as it is.

    Raises
    ------
    ValueError: a signature that cannot be read; when it is called: another number of arguments, or too few axes; axes
        of one name that differ.

    Notes
    -----
    This is `vmap` over all elements: on JAX, PyTorch and TensorFlow `f` runs once, on arrays that stand for all of
    them, and may not ask for their values, as in ``if x > 0``. On NumPy and Dask it runs for each, as NumPy's does.
    NumPy's `otypes` and `cache` are not there: dtypes are those of the results.

    Examples
    --------
    >>> import latticework as lw
    >>> dot = lw.vectorize(lambda x, y: lw.sum(x * y), signature="(n),(n)->()")
    >>> dot(lw.asarray([[1, 2], [3, 4]]), lw.asarray([10, 1]))
    Array([12, 34], dtype=int32)
    """
    if not callable(f):
        raise TypeError(f"vectorize: takes a function; got {type(f).__name__}")
    if signature is not None and not _SIGNATURE.match(signature):
        raise ValueError(f"vectorize: a signature is written as '(m,n),(n)->(m)'; got {signature!r}")
    inner = None if signature is None else _axes_of(signature.partition("->")[0])

    def call(*args: Any, **kw: Any) -> Any:
        arrays = as_operands(OPS["vectorize"], args)
        names: list[tuple[str, ...]] = [()] * len(arrays) if inner is None else inner
        if len(names) != len(arrays) or not arrays:
            raise ValueError(
                f"vectorize: {signature or 'the function'} takes {len(names) or 'some'} arrays; got {len(args)}"
            )
        _check_extents(arrays, names)
        fronts = [extents("vectorize", x)[: x.ndim - len(n)] for x, n in zip(arrays, names, strict=True)]
        front: tuple[Any, ...] = broadcast_shapes(*fronts)
        if 0 in front:
            raise ValueError(f"vectorize: there are no elements to apply the function to; got shape {front}")
        count = math.prod(front)
        rows = [
            reshape(broadcast_to(x, (*front, *x.shape[len(mine) :])), (count, *x.shape[len(mine) :]))
            for x, mine in zip(arrays, fronts, strict=True)
        ]
        result = lw.vmap(lambda *parts: f(*parts, **kw))(*rows)
        if isinstance(result, Array):
            return reshape(result, (*front, *result.shape[1:]))
        return tuple([reshape(part, (*front, *part.shape[1:])) for part in result])

    return call


def _check_extents(arrays: list[Array], names: list[tuple[str, ...]]) -> None:
    """Refuse arrays with fewer axes than the function needs, and axes of one name that differ."""
    known: dict[str, Any] = {}
    for x, mine in zip(arrays, names, strict=True):
        if x.ndim < len(mine):
            raise ValueError(f"vectorize: needs axes ({', '.join(mine)}); got shape {x.shape}")
        for name, n in zip(mine, x.shape[x.ndim - len(mine) :], strict=True):
            wanted = int(name) if name.isdigit() else known.setdefault(name, n)
            if n != wanted:
                raise ValueError(f"vectorize: the axes {name!r} have different extents: {wanted} and {n}")
