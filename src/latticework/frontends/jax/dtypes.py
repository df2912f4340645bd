"""`jax.dtypes`: what there is to ask of dtypes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .core import canonical, dialect
from .numpy.data_types import finfo, iinfo, issubdtype, result_type

__all__ = ["bfloat16", "canonicalize_dtype", "finfo", "float0", "iinfo", "issubdtype", "result_type"]

bfloat16 = ml_dtypes.bfloat16
float0 = np.dtype([("float0", np.void, 0)])


def canonicalize_dtype(dtype: Any, allow_extended_dtype: bool = False) -> np.dtype[Any]:
    return canonical(dtype)


dialect.finish(globals(), view="jax.dtypes")
