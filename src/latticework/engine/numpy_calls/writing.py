"""NumPy's functions that write into their first argument and give None, on `Array`s.

Each gets the array that NumPy asked and the values that are given, by NumPy's names. Calls that NumPy takes and these
functions do not, as a cast that loses a kind, are left to NumPy: it writes into a copy, which the array takes over.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ...backend import get
from ...core.dtypes import SCALARS
from ...core.registry import functions as lw
from .operands import LeftToNumPy, operand

__all__ = ["WRITING"]


def _target(array: Any, x: Any) -> Any:
    """Return the array that is written to. If it is NumPy's own, and `Array`s are among the values, NumPy writes."""
    if type(x) is not type(array) or None in x.shape:
        raise LeftToNumPy
    return x


def _values(x: Any, values: Any, casting: str = "same_kind") -> Any:
    """Convert values to an array of the dtype of x, if NumPy's rule casts them."""
    import numpy as np

    values = operand(x, values, mixed=False)
    native = get("numpy").native_dtypes
    if type(values) is not type(x):
        plain = type(values) in SCALARS
        source = np.result_type(values, native[x.dtype]) if plain else np.asarray(values).dtype
        if not np.can_cast(source, native[x.dtype], casting):
            raise LeftToNumPy
        return lw.asarray(values, dtype=x.dtype, device=x.device)
    if values.backend != x.backend or None in values.shape:
        raise LeftToNumPy
    if not np.can_cast(native[values.dtype], native[x.dtype], casting) or values.dtype.kind == "c" != x.dtype.kind:
        raise LeftToNumPy
    return lw.astype(values, x.dtype, copy=False)


def _mask(x: Any, mask: Any) -> Any:
    mask = operand(x, mask, mixed=False)
    mask = lw.asarray(mask, device=x.device) if type(mask) is not type(x) else mask
    if mask.dtype.kind != "b" or mask.backend != x.backend or None in mask.shape:
        raise LeftToNumPy
    return mask


def _repeated(values: Any, shape: tuple[int, ...]) -> Any:
    """Repeat the elements of values, one after the other and from the first again, to an array of a shape."""
    flat, count = lw.reshape(values, (-1,)), prod(shape)
    if not flat.shape[0]:
        raise LeftToNumPy
    places = lw.arange(count, dtype=flat._sig.backend.index_dtype, device=flat.device) % flat.shape[0]
    return lw.reshape(lw.take(flat, places), shape)


def _copyto(array: Any, dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    x = _target(array, dst)
    values = _values(x, src, casting)
    if where is not True:
        values = lw.where(_mask(x, where), values, x)
    x[...] = values


def _put(array: Any, a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    x = _target(array, a)
    if mode != "raise":
        raise LeftToNumPy
    indices, values = operand(x, ind, mixed=False), _values(x, v)
    indices = lw.reshape(lw.asarray(indices, device=x.device) if type(indices) is not type(x) else indices, (-1,))
    if indices.dtype.kind not in "iu" or not indices.shape[0]:
        raise LeftToNumPy
    lw.put_along_axis(x, indices, _repeated(values, indices.shape), axis=None)


def _putmask(array: Any, a: Any, mask: Any, values: Any) -> None:
    x = _target(array, a)
    mask, values = _mask(x, mask), _values(x, values)
    if mask.shape != x.shape:
        raise LeftToNumPy
    x[...] = lw.where(mask, _repeated(values, x.shape), x)


def _place(array: Any, arr: Any, mask: Any, vals: Any) -> None:
    x = _target(array, arr)
    mask, values = _mask(x, mask), lw.reshape(_values(x, vals, "safe"), (-1,))
    if mask.shape != x.shape or not values.shape[0]:
        raise LeftToNumPy
    counted = lw.cumulative_sum(lw.astype(lw.reshape(mask, (-1,)), x._sig.backend.index_dtype))
    chosen = lw.take(values, (counted - 1) % values.shape[0])
    x[...] = lw.where(mask, lw.reshape(chosen, x.shape), x)


def _put_along_axis(array: Any, arr: Any, indices: Any, values: Any, axis: Any) -> None:
    x = _target(array, arr)
    lw.put_along_axis(x, operand(x, indices, mixed=False), _values(x, values), axis)


def _fill_diagonal(array: Any, a: Any, val: Any, wrap: bool = False) -> None:
    x = _target(array, a)
    lw.fill_diagonal(x, _values(x, val), wrap)


#: NumPy's name -> the function that answers it.
WRITING: dict[str, Callable[..., None]] = {
    "copyto": _copyto,
    "fill_diagonal": _fill_diagonal,
    "place": _place,
    "put": _put,
    "put_along_axis": _put_along_axis,
    "putmask": _putmask,
}
