"""Special functions on Dask: the NumPy backend's, on each block. Without SciPy there is none, and they are composed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...backend import get
from .elementwise import _same


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("_") or get("numpy").function(f"special.{name}") is None:
        raise AttributeError(name)
    globals()[name] = function = _same(f"special.{name}")
    return function
