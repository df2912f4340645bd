"""`jax.dtypes`: what there is to ask of dtypes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .core import canonical, dialect
from .numpy import data_types
from .numpy.data_types import finfo, iinfo

__all__ = ["TypePromotionError", "bfloat16", "extended", "finfo", "float0", "iinfo", "prng_key"]

bfloat16 = ml_dtypes.bfloat16
float0 = np.dtype([("float0", np.void, 0)])


class TypePromotionError(ValueError):
    """Dtypes have no common one."""


class extended(np.generic):
    """The kind of dtypes that are not NumPy's, as those of keys."""


class prng_key(extended):
    """The kind of the dtypes of random keys."""


def canonicalize_dtype(dtype: Any, allow_extended_dtype: bool = False) -> np.dtype[Any]:
    return canonical(dtype)


def issubdtype(a: Any, b: Any) -> bool:
    if type(a).__name__ == "_KeyDtype":
        return b in (prng_key, extended, np.generic) or a == b
    if isinstance(b, type) and issubclass(b, extended):
        return isinstance(a, type) and issubclass(a, b)
    return data_types.issubdtype(a, b)


def result_type(*args: Any, return_weak_type_flag: bool = False) -> Any:
    found = data_types.result_type(*args)
    if not return_weak_type_flag:
        return found
    return found, all(getattr(x, "weak_type", type(x) in (int, float, complex)) for x in args)


dialect.finish(globals(), view="jax.dtypes")
