"""Conversion of Python and NumPy values to an `lw.Array`, by TensorFlow's rules."""

from __future__ import annotations

from typing import Any

from ...core.dtypes import Dtype
from ...engine.arrays.array import wrapped
from . import behaviour, dtypes
from .errors import ConversionError

__all__ = ["KINDS", "check_kinds", "of_array", "of_scalar", "of_sequence"]

KINDS = {bool: "b", int: "i", float: "f", complex: "c"}


def of_scalar(value: Any, dtype: Dtype | None) -> Any:
    from ... import asarray

    kind = KINDS[type(value)]
    check_kinds({kind}, value, dtype)
    if kind == "i":
        return _of_ints(value, dtype)
    return asarray(value, dtype=dtype or _default(kind))


def _default(kind: str) -> Dtype | None:
    """The dtype of Python's numbers of a kind; None where they make weak tensors, whose dtype the rules know."""
    return None if behaviour.weak() else Dtype({"b": "bool", "f": "float32", "c": "complex128"}[kind])


def check_kinds(kinds: set[str], value: Any, dtype: Dtype | None) -> None:
    """Refuse Python numbers that do not become a dtype, and those that do not go together."""
    if dtype is None:
        if "b" in kinds and len(kinds) > 1:
            raise ConversionError("Can't convert Python sequence with mixed types to Tensor.")
        return
    order = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
    if any(order[k] > order[dtype.kind] for k in kinds):
        raise TypeError(f"Cannot convert {value!r} to a tensor of dtype {dtype}")


def _of_ints(value: Any, dtype: Dtype | None) -> Any:
    """Ints become int32, or int64 where they are too large; those that a given dtype does not hold wrap around."""
    import numpy as np

    from ... import asarray

    try:
        wide = np.asarray(value, dtype=np.int64) if dtype != "uint64" else np.asarray(value, dtype=np.uint64)
    except OverflowError:
        raise ConversionError("Can't convert Python sequence with out-of-range integer to Tensor.") from None
    if dtype is None:
        narrow = wide.size == 0 or (wide.min() >= -(2**31) and wide.max() < 2**31)
        if narrow and behaviour.weak():
            return asarray(wide.tolist())
        dtype = Dtype("int32" if narrow else "int64")
    if dtype.kind in "iu":
        wide = wide.astype(str(dtype))
    return asarray(wide.tolist(), dtype=dtype)  # a trace takes an array for one that the program holds


def of_sequence(value: Any, dtype: Dtype | None) -> Any:
    import numpy as np

    from ... import asarray

    kinds: set[str] = set()
    plain = _kinds_of(value, kinds)
    if not plain:
        found = _rectangular(value)
        return asarray(found, dtype=dtype)
    check_kinds(kinds, value, dtype)
    found = _rectangular(value)
    if kinds == {"i"}:
        return _of_ints(found, dtype)
    if dtype is None:
        dtype = _default(max(kinds, key="bifc".index)) if kinds else Dtype("float32")
        if dtype is None:
            return asarray(value)
    found = found if found.dtype != np.object_ else found.astype(np.float64)
    return asarray(found.tolist(), dtype=dtype) if found.size else asarray(found, dtype=dtype)


def _rectangular(value: Any) -> Any:
    import numpy as np

    try:
        return np.asarray(value)
    except ValueError:
        raise ConversionError("Can't convert non-rectangular Python sequence to Tensor.") from None


def _kinds_of(value: Any, kinds: set[str]) -> bool:
    """Collect the kinds of the Python numbers in a nested sequence; False where there is something else."""
    for v in value:
        if isinstance(v, (list, tuple)):
            if not _kinds_of(v, kinds):
                return False
        elif type(v) in KINDS:
            kinds.add(KINDS[type(v)])
        elif v is None or isinstance(v, (str, bytes)):
            raise ConversionError(
                f"Attempt to convert a value ({v!r}) with an unsupported type ({type(v)}) to a Tensor."
            )
        else:
            return False
    return True


def of_array(value: Any, dtype: Dtype | None) -> Any:
    """Convert an array of NumPy, latticework or a framework, or a NumPy scalar. NumPy casts; memory is never shared."""
    import numpy as np

    from ... import asarray, astype

    if isinstance(value, np.generic):
        value = np.asarray(value)
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "OSU":
            raise ConversionError(
                f"Failed to convert a NumPy array to a Tensor (Unsupported object type {value.dtype})."
            )
        if dtype is not None:
            value = value.astype(dtypes.DTYPES[dtype].as_numpy_dtype)
        return asarray(value, copy=True)
    try:
        found = asarray(value)
    except TypeError:
        raise ConversionError(
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor."
        ) from None
    found = found.copy() if found._sig.in_place else wrapped(found._data, found._sig)
    return found if dtype is None else astype(found, dtype)
