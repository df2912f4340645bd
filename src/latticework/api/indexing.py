"""Indexing functions: elements at the positions that an array of integers has. Square brackets are `Array`'s own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..core.dtypes import SCALAR_KINDS, Dtype
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.calls.translate import CHECKS
from ..engine.declare import conversion, op
from ..engine.plans.conversion import key_plan, move_plan
from ..engine.plans.plan import Plan
from ..engine.shapes.extents import one_axis


def _plan_of_index(x: Array, key: Any, /) -> Plan:
    shape = lw.infer(Array.__getitem__, x, key).shape
    return key_plan("getitem", x)._replace(shapes=(shape,))


def _plan_of_assignment(x: Array, key: Any, value: Any, /) -> Plan:
    lw.infer(Array.__setitem__, x, key, value)  # finds what does not fit
    written = _dtype_written(x, value)
    cast = None if written is x.dtype else x.dtype
    return key_plan("setitem", x)._replace(operands=(x.dtype, written), casts=(None, cast), shapes=(x.shape,))


def _dtype_written(x: Array, value: Any) -> Dtype | type:
    """The dtype of a value of an assignment, or the type of a Python scalar. A list is read as x's dtype."""
    if type(value) in SCALAR_KINDS:
        return type(value)
    return x.dtype if isinstance(value, (list, tuple)) else lw.asarray(value).dtype


def _plan_of_move(x: Array, device: Any, /, *, stream: Any = None) -> Plan:
    backend = x._sig.backend
    return move_plan(x._sig, backend, None, backend.device(device))._replace(op="to_device", shapes=(x.shape,))


# Methods of the array, which have plans as functions do.
conversion(_plan_of_index, "getitem")(Array.__getitem__)
conversion(_plan_of_assignment, "setitem")(Array.__setitem__)
conversion(_plan_of_move, "to_device")(Array.to_device)


@op("all or storage", shape="take", indices="index")
def take(x: Array, /, indices: Array, axis: int | None = None, *, out: Array | None = None) -> Array:
    """The slices of an array at some positions along an axis.

    Parameters
    ----------
    x: at least one axis, any dtype.
    indices: integers, -n to n - 1 for n positions along `axis`: negative ones count from the end. One axis,
        by the standard; here it may have any shape, which takes the place of `axis`.
    axis: the axis to go along. It has to be given where x has several.

    Returns
    -------
    The dtype of x.

    Raises
    ------
    IndexError: an index out of bounds. (On a CUDA device PyTorch reports it later, and for good.)
    AxisError: an axis that x does not have.
    ValueError: no `axis`, and x has not one axis.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.take(lw.asarray([[1, 2, 3], [4, 5, 6]]), lw.asarray([0, -1]), axis=1)
    Array([[1, 3],
           [4, 6]], dtype=int32)
    """
    ...


@op("all or storage", shape="take_along_axis", indices="index")
def take_along_axis(x: Array, /, indices: Array, axis: int = -1, *, out: Array | None = None) -> Array:
    """The elements at some positions along an axis, which differ from slice to slice; as `argsort` gives them.

    Parameters
    ----------
    x: at least one axis, any dtype.
    indices: integers, as many axes as x. But for `axis`, its shape and that of x broadcast together. Negative
        ones count from the end.
    axis: the axis to go along.

    Returns
    -------
    The dtype of x. Its extent along `axis` is that of `indices`.

    Raises
    ------
    IndexError: an index out of bounds. (On a CUDA device PyTorch reports it later, and for good.)
    AxisError: an axis that x does not have.
    ValueError: shapes that do not fit.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[3, 1, 2], [4, 6, 5]])
    >>> lw.take_along_axis(x, lw.asarray([[1], [0]]), axis=1)
    Array([[1],
           [4]], dtype=int32)
    """
    ...


def _check_positions(name: str) -> None:
    """Register what a failed call is told of positions that lie outside of an axis."""

    def check(x: Array, indices: Array, /, *, axis: int | None = None, **_: Any) -> Exception | None:
        a = one_axis(0 if axis is None else axis, x.shape)
        n = x.shape[a]
        with suppress(Exception):  # values that cannot be read tell nothing
            for index in (int(lw.min(indices)), int(lw.max(indices))):
                if not -n <= index < n:
                    return IndexError(
                        f"{name}: index {index} is out of bounds for axis {a} of extent {n}. "
                        f"Got an array of shape {x.shape} and indices of shape {indices.shape}"
                    )
        return None

    CHECKS[name] = check


for _name in ("take", "take_along_axis"):
    _check_positions(_name)
