"""Linear algebra beyond the standard's extension, on Dask: a matrix is in one block, and SciPy computes the blocks
where it is installed. All else is composed of the extension's functions."""

from __future__ import annotations

import dask.array as da

from ...numpy import core as numpy_core
from ...numpy import linalg as blocks
from ..core import REFUSED
from .extension import _one, _same, _several

if hasattr(blocks, "expm"):  # where there is SciPy

    def expm(x: da.Array) -> da.Array:
        return _one("expm", _same, 0, x)

    def sqrtm(x: da.Array) -> da.Array:
        return _one("sqrtm", _same, 0, x)

    def schur(x: da.Array) -> tuple[da.Array, ...]:
        return _several("schur", x, (x.dtype, 2), (x.dtype, 2))


REFUSED.update(
    {(name, d): why for (name, d), why in numpy_core.REFUSED.items() if name == "linalg.schur" and d.bits > 16}
)
