"""The dtype objects of `jax.numpy`: `float32` and its kin, which make arrays when they are called."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import ml_dtypes
import numpy as np

__all__ = ["SCALARS", "TRUNCATED", "ScalarMeta", "above", "extended", "native_dtype", "prng_key"]

#: Functions of higher modules: `asarray`, `cast`, `take`, `padded`, and those of keys. Each module puts its own here.
above: Any = SimpleNamespace()

_NAMES = "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 bfloat16 float16 float32 float64 complex64 complex128"

#: The dtype that replaces each 64-bit dtype while the 64-bit switch is off.
TRUNCATED = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


def native_dtype(name: str) -> np.dtype[Any]:
    """NumPy's dtype of a name, that of ml_dtypes included."""
    return np.dtype(getattr(ml_dtypes, name, name))


class ScalarMeta(type):
    """The class of JAX's dtype objects: they equal NumPy's dtype, and make an array of it when they are called."""

    dtype: np.dtype[Any]

    def __hash__(cls) -> int:
        return hash(cls.dtype)

    def __eq__(cls, other: object) -> bool:
        if isinstance(other, ScalarMeta):
            return cls.dtype == other.dtype
        return isinstance(other, (np.dtype, type)) and bool(cls.dtype == other)

    def __ne__(cls, other: object) -> bool:
        return not cls == other

    def __call__(cls, x: Any) -> Any:
        return above.asarray(x, dtype=cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.dtype.type)


def _scalar(name: str) -> ScalarMeta:
    dtype = native_dtype(name)
    made = ScalarMeta(name, (), {"dtype": dtype, "__doc__": f"The dtype {name}; called, it makes an array of it."})
    made.__module__ = "jax.numpy"
    return made


#: Dtypes of fewer bits, in which arrays are kept and cast, and not computed.
_NARROW = (
    "float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz"
    " float8_e8m0fnu float4_e2m1fn int2 int4 uint2 uint4"
)
#: The dtype objects by name.
SCALARS: dict[str, Any] = {name: _scalar(name) for name in f"{_NAMES} {_NARROW}".split()}


class _Aliases:
    """Other names of the dtype objects."""

    of: ClassVar[dict[str, str]] = {
        "bool_": "bool", "single": "float32", "double": "float64", "float_": "float64", "int_": "int64",
        "uint": "uint64", "csingle": "complex64", "cdouble": "complex128", "complex_": "complex128",
    }  # fmt: skip


SCALARS |= {name: SCALARS[other] for name, other in _Aliases.of.items()}


class extended(np.generic):  # type: ignore[misc]
    """The kind of dtypes that are not NumPy's, as those of keys."""


class prng_key(extended):
    """The kind of the dtypes of random keys."""
