"""`jax.dtypes`: what there is to ask of dtypes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .core import TypePromotionError, canonical, dialect
from .numpy import data_types
from .numpy.data_types import finfo, iinfo, issubdtype  # noqa: F401
from .scalars import extended, prng_key

__all__ = ["TypePromotionError", "bfloat16", "extended", "finfo", "float0", "iinfo", "prng_key"]

bfloat16 = ml_dtypes.bfloat16
float0 = np.dtype([("float0", np.void, 0)])


def canonicalize_dtype(dtype: Any, allow_extended_dtype: bool = False) -> np.dtype[Any]:
    return canonical(dtype)


def result_type(*args: Any, return_weak_type_flag: bool = False) -> Any:
    found = data_types.result_type(*args)
    if not return_weak_type_flag:
        return found
    return found, all(getattr(x, "weak_type", type(x) in (int, float, complex)) for x in args)


dialect.finish(globals(), view="jax.dtypes")
