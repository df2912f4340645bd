"""Values of arrays without data that are computed from constants alone, as shapes and keys are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from ...backend import get
from .data import Blank

if TYPE_CHECKING:
    from ...core.dtypes import Dtype

__all__ = ["cast", "computed", "indexed", "of_number", "written"]

#: The functions that shapes and keys are computed with.
_OF_NUMBERS = "add subtract multiply floor_divide remainder negative minimum maximum"
FUNCTIONS = frozenset(f"{_OF_NUMBERS} stack concat reshape prod sum max min".split())
#: A constant with more elements is no shape.
_MOST = 64
#: The constants that were written to, by identity: their views have no values any more.
_written: WeakValueDictionary[int, Any] = WeakValueDictionary()


def written(data: Blank) -> None:
    """Note that an array is written to."""
    if data.constant is not None:
        root = _root(data.constant)
        _written[id(root)] = root


def _root(values: Any) -> Any:
    return values if values.base is None else values.base


def _values(x: Any) -> Any:
    """Return the elements of a constant, also in lists and tuples. A ValueError for arrays that are no constants."""
    if not isinstance(x, Blank):
        return [_values(v) for v in x] if isinstance(x, (list, tuple)) else x
    if x.constant is None or x.constant.size > _MOST or id(_root(x.constant)) in _written:
        raise ValueError("no constant")
    return x.constant


def indexed(data: Blank, key: Any) -> Any:
    """Return the elements that a key selects, None where they are not known."""
    try:
        return None if data.constant is None else _as_array(_values(data)[key])
    except (IndexError, ValueError, TypeError):
        return None


def cast(data: Blank, dtype: Dtype) -> Any:
    """Return the elements in another dtype, None where they are not known."""
    try:
        return None if data.constant is None or dtype.kind not in "biu" else _values(data).astype(str(dtype))
    except (ValueError, TypeError):
        return None


def computed(name: str, dtype: Dtype, operands: Sequence[Any], args: Any, kw: dict[str, Any]) -> Any:
    """Return the elements of a result, None where they are not known.

    Parameters
    ----------
    name: a latticework function.
    dtype: the dtype of the result.
    operands: its operands: arrays without data and numbers.
    args, kw: its other arguments.
    """
    if dtype.kind not in "iu" or not any(isinstance(x, Blank) and x.constant is not None for x in operands):
        return None
    function: Callable[..., Any] | None = get("numpy").function(name, dtype)
    options = {key: value for key, value in kw.items() if value is not None}
    try:
        values = _values(operands)
        leading = [values] if name in ("stack", "concat") else values
        return None if function is None else _as_array(function(*leading, *args, **options)).astype(str(dtype))
    except Exception:  # NumPy's kernel takes other options, or refuses: then nothing is known
        return None


def of_number(value: Any) -> Any:
    """Return the element of an array of a Python number, None where it is no int."""
    return _as_array(value) if type(value) is int else None


def _as_array(x: Any) -> Any:
    import numpy as np

    return np.asarray(x)
