"""The check of `astype(..., check=True)`: refuse a cast that would change the value of an element.

It is written in latticework functions, so it works for arrays of every backend, on any device.
"""

from __future__ import annotations

from typing import Any

from ..core.dtypes import Dtype, float_limits, holding, int_limits, real_of
from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..errors import ValueLossError
from ..policy import unified_rules

__all__ = ["refuse_loss"]


def refuse_loss(x: Array, target: Dtype) -> Array:
    """Return x, or its real components for a real dtype, after a check that the cast loses nothing.

    Raises
    ------
    ValueLossError: with the first element that the cast would change.
    """
    with unified_rules():
        kept = _kept(x, target)
        if kept is not None and not lw.all(kept):
            raise _error(x, target, kept)
        return lw.real(x) if x.dtype.kind == "c" and target.kind in "iuf" else x


def _kept(x: Array, target: Dtype) -> Array | None:
    """Return which elements keep their value; None where the dtypes guarantee that all do."""
    if x.dtype is target or x.dtype.kind == "b":
        return None
    if x.dtype.storage:
        x = lw.astype(x, holding(x.dtype))
    source = x.dtype
    if target.storage:
        return _in_storage(x, target)
    if target.kind == "b":
        return (x == 0) | (x == 1)
    if source.kind == "c":
        kept = _kept(lw.real(x), real_of(target))
        imaginary = lw.imag(x)
        if target.kind != "c":
            return _both(kept, imaginary == 0)
        return _both(kept, _kept(imaginary, real_of(target)))
    target = real_of(target)
    if source.kind == "f":
        return _floats_to_integers(x, target) if target.kind in "iu" else _floats_to_floats(x, target)
    return _integers_to_integers(x, target) if target.kind in "iu" else _integers_to_floats(x, target)


def _in_storage(x: Array, target: Dtype) -> Array:
    """Return which elements a storage dtype keeps. Floats may be rounded, but a finite number must not become an
    infinity or nan, nor an infinity nan. With an integer dtype on either side, nothing may be rounded."""
    back = lw.astype(lw.astype(x, target), x.dtype)
    if x.dtype.kind in "iu" or target.kind in "iu":
        return back == x
    return lw.isnan(x) | lw.isfinite(back) | (back == x)


def _both(first: Array | None, second: Array | None) -> Array | None:
    return first & second if first is not None and second is not None else first if second is None else second


def _below(x: Array, bound: int) -> Array:
    """Return whether floats are below a power of two, which may be beyond the range of their dtype."""
    return lw.isfinite(x) if bound > float_limits(x.dtype).max else x < float(bound)


def _floats_to_integers(x: Array, target: Dtype) -> Array:
    limits = int_limits(target)
    whole = lw.trunc(x) == x  # nan is not
    within = _below(x, limits.max + 1)
    if limits.min >= -float_limits(x.dtype).max:
        within &= x >= float(limits.min)
    else:
        within &= lw.isfinite(x)
    return whole & within


def _floats_to_floats(x: Array, target: Dtype) -> Array | None:
    """Return which floats do not become infinite; they may be rounded. None where the target has no smaller range."""
    limits = float_limits(target)
    if limits.max >= float_limits(x.dtype).max:
        return None
    ulp = limits.max / (2 - limits.eps) * limits.eps
    return (lw.abs(x) < limits.max + ulp / 2) | ~lw.isfinite(x)  # from half an ulp beyond the largest on, it is inf


def _integers_to_integers(x: Array, target: Dtype) -> Array | None:
    have, need = int_limits(x.dtype), int_limits(target)
    kept = None
    if have.max > need.max:
        kept = x <= need.max
    if have.min < need.min:
        kept = _both(kept, x >= need.min)
    return kept


def _integers_to_floats(x: Array, target: Dtype) -> Array | None:
    """Return which integers a float dtype holds, by casts there and back; None where its fraction has room for all."""
    limits = int_limits(x.dtype)
    if limits.max.bit_length() <= target.fraction + 1 and limits.max <= float_limits(target).max:
        return None
    result = lw.astype(x, target)
    # The largest integers may be rounded up, out of the range of their own dtype.
    return _below(result, limits.max + 1) & (lw.astype(result, x.dtype) == x)


def _error(x: Array, target: Dtype, kept: Array) -> ValueLossError:
    import numpy as np

    marks = np.asarray(kept)
    at = tuple(int(i) for i in np.argwhere(~marks)[0])
    value = x[at] if at else x
    lost = int((~marks).sum())
    unchecked = "" if value.dtype.kind == "c" and target.kind in "iuf" else _becomes(value, target)
    return ValueLossError(
        f"astype: {lost} of {marks.size} elements would lose their value as {target}. "
        f"The first is {value.item()}, at index {at}{unchecked}"
    )


def _becomes(value: Array, target: Dtype) -> str:
    result: Any = lw.astype(value, target).item()
    return f": unchecked it becomes {result}"
