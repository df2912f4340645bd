"""The bits of elements read as another dtype, on Dask."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ..numpy.bits import reinterpret as _of_block
from .blocks import call, whole


def reinterpret(x: da.Array, dtype: Any) -> da.Array:
    dtype = np.dtype(dtype)
    before, after = x.dtype.itemsize, dtype.itemsize
    axes, new = tuple(range(x.ndim)), {}
    if before < after:
        x = whole(x, (x.ndim - 1,))
    out = axes if before == after else axes[:-1] if before < after else (*axes, x.ndim)
    if before > after:
        new = {x.ndim: before // after}
    return call(partial(_of_block, dtype=dtype), out, x, axes, dtype=dtype, new_axes=new, concatenate=True)
