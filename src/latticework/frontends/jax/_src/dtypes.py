"""`jax.dtypes`, and the base classes of dtypes that packages define."""

from __future__ import annotations

from typing import Any

from ..dtypes import (
    TypePromotionError,
    bfloat16,
    canonicalize_dtype,
    extended,
    finfo,
    float0,
    iinfo,
    result_type,
)
from ..lax.tables import dtype
from ..numpy.data_types import issubdtype

__all__ = [
    "DType", "ExtendedDType", "TypePromotionError", "bfloat16", "canonicalize_dtype", "dtype", "extended", "finfo",
    "float0", "iinfo", "issubdtype", "result_type",
]  # fmt: skip

DType = Any


class ExtendedDType:
    """The base class of dtypes that packages define."""
