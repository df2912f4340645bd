"""Dtypes: which there are, what they promote to, and what may be asked of them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import latticework as lw

from ....core.dtypes import SCALARS as PYTHON_SCALARS
from ..core import as_array, canonical, dialect, our_dtype, requested
from ..scalars import ScalarMeta, above, extended, native_dtype, prng_key
from ..trees import run


def result_type(*args: Any) -> Any:
    if not args:
        raise ValueError("at least one array or dtype is required")
    if all(above.are_keys(x) for x in args):
        return args[0].dtype
    return dialect.dtypes[run(lw.result_type, tuple(_typed(x) for x in args), {}, "result_type")]


def _typed(x: Any) -> Any:
    """Return the form of x that takes part in promotion: an `lw.Array`, a Python scalar or a dtype."""
    if type(x) is dialect.array:
        return x._array
    if isinstance(x, PYTHON_SCALARS) and not isinstance(x, np.generic):
        return x
    if x is float or x is int or x is complex:
        return {float: 0.0, int: 0, complex: 0j}[x]
    if isinstance(x, (str, type, np.dtype, ScalarMeta)):
        return our_dtype(x)
    if isinstance(x, (np.ndarray, np.generic)) or hasattr(x, "dtype"):
        return our_dtype(x.dtype)
    return as_array(x, "result_type")._array


def float_of(*xs: Any) -> Any:
    """The dtype that arrays promote to, made floating."""
    found = result_type(*xs, *([0.0] if all(getattr(x, "weak_type", True) for x in xs) else []))
    if found.kind in "fcV":
        return found
    return canonical("float64" if found.itemsize == 8 else "float32")


def promote_types(a: Any, b: Any) -> Any:
    return dialect.dtypes[run(lw.promote_types, (_type_of(a), _type_of(b)), {}, "promote_types")]


def _type_of(x: Any) -> Any:
    x = getattr(x, "dtype", x) if isinstance(x, dialect.array) else x
    return (
        x
        if x in (float, int, complex) and isinstance(x, type) and not isinstance(x, ScalarMeta)
        else lw.as_dtype(requested(x).name)
    )


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    from_ = getattr(from_, "dtype", from_) if isinstance(from_, dialect.array) else from_
    return bool(np.can_cast(requested(from_), requested(to), casting=casting))


def _finfo(dtype: np.dtype[Any]) -> Any:
    return ml_dtypes.finfo(dtype)


def finfo(dtype: Any) -> Any:
    if isinstance(dtype, (np.dtype, type)) or not hasattr(dtype, "shape"):
        return _finfo(requested(dtype))
    return _finfo(dtype.dtype)


def iinfo(int_type: Any) -> Any:
    plain = isinstance(int_type, np.dtype) or not hasattr(int_type, "shape")
    return ml_dtypes.iinfo(requested(int_type) if plain else int_type.dtype)


def _is_floating(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "f" or dtype.type is ml_dtypes.bfloat16


_ABSTRACT = (np.generic, np.number, np.integer, np.floating, np.inexact, np.signedinteger, np.complexfloating)


def issubdtype(arg1: Any, arg2: Any) -> bool:
    if type(arg1).__name__ == "_KeyDtype":
        return arg2 in (prng_key, extended, np.generic) or arg1 == arg2
    if isinstance(arg2, type) and issubclass(arg2, extended):
        return isinstance(arg1, type) and issubclass(arg1, arg2)
    abstract = isinstance(arg2, type) and not isinstance(arg2, ScalarMeta) and issubclass(arg2, np.generic)
    if arg1 in _ABSTRACT:
        return abstract and issubclass(arg1, arg2)
    is_dtype = isinstance(arg1, (np.dtype, type)) or not hasattr(arg1, "shape")
    found = requested(arg1 if is_dtype else arg1.dtype)
    if abstract and found.type is ml_dtypes.bfloat16:
        return arg2 in (np.floating, np.inexact, np.number, np.generic, ml_dtypes.bfloat16)
    if abstract and arg2 not in np.sctypeDict.values():
        return issubclass(found.type, arg2)
    if abstract:
        return bool(found == np.dtype(arg2)) if arg2 is not np.generic else True
    return bool(np.issubdtype(found, requested(arg2)))


_KINDS = {
    "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
    "complex floating": "c", "numeric": "iufc",
}  # fmt: skip


def _requested(x: Any) -> Any:
    """The dtype that is meant, also by an array."""
    return requested(getattr(x, "dtype", x) if isinstance(x, dialect.array) else x)


def isdtype(dtype: Any, kind: Any) -> bool:
    found = _requested(dtype)
    letter = "f" if _is_floating(found) else found.kind
    for k in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(k, str) and k not in _KINDS and k not in dialect.dtypes:
            raise ValueError(f"Unrecognized {k=} expected one of {[*_KINDS]}, or a compatible input for jnp.dtype()")
        if isinstance(k, str) and k in _KINDS:
            if letter in _KINDS[k]:
                return True
        elif _requested(k) == found:
            return True
    return False


def iscomplexobj(x: Any) -> bool:
    if x is None:
        return False
    dtype = getattr(x, "dtype", None)
    return np.iscomplexobj(x) if dtype is None else native_dtype(str(np.dtype(dtype))).kind == "c"


def isrealobj(x: Any) -> bool:
    return not iscomplexobj(x)


def isscalar(element: Any) -> bool:
    return bool(np.isscalar(element)) or (isinstance(element, (dialect.array, np.ndarray)) and element.ndim == 0)


def iterable(y: Any) -> bool:
    try:
        iter(y)
    except TypeError:
        return False
    return True


dialect.finish(globals(), view="jax.numpy", helpers="float_of")
