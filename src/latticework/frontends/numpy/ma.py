"""`numpy.ma`: NumPy's own masked arrays, which no framework has. Arrays of the dialect are read into NumPy.

Outside of this module too a function or an operator that meets a masked array is NumPy's, see `staying`.
"""

from __future__ import annotations

from typing import Any

import numpy.ma as _ma

from .base import on_values

__all__ = list(_ma.__all__)

_METHODS = ("reduce", "accumulate", "outer", "reduceat")


def _of(real: Any) -> Any:
    if isinstance(real, type) or not callable(real):
        return real
    found = on_values(real)
    for method in _METHODS:
        if hasattr(real, method):
            setattr(found, method, on_values(getattr(real, method)))
    return found


for _name in __all__:
    globals()[_name] = _of(getattr(_ma, _name))


def __getattr__(name: str) -> Any:
    return getattr(_ma, name)
