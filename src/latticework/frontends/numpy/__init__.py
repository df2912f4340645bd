"""NumPy's dialect: ``import latticework.frontends.numpy as np``, and the program runs on any backend."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as _numpy
from numpy import typing as typing

from ..names import export as _export
from . import (
    array,
    brackets,
    creation,
    exceptions,
    fft,
    iterating,
    kinds,
    lib,
    linalg,
    products,
    quantiles,
    random,
    reductions,
    selecting,
    shaping,
    statistics,
    text,
    ufuncs,
)
from .base import dialect
from .shaping import by_numpy as _by_numpy  # noqa: F401  methods of arrays read these three here
from .shaping import resized as _resized  # noqa: F401
from .shaping import view_bits as _view  # noqa: F401

#: The public submodules.
SUBMODULES = (
    "linalg", "fft", "random", "exceptions", "testing", "lib", "lib.array_utils", "lib.stride_tricks", "polynomial",
)  # fmt: skip

__version__ = _numpy.__version__


def _to_device(x: Any, device: Any) -> Any:
    return x if device == "cpu" and x.device == "cpu" else dialect.wrapped(x._array.to_device(device))


array.f = sys.modules[__name__]
__all__ = ["exceptions", "fft", "lib", "linalg", "random", "typing"]
_export(
    globals(), array, brackets, creation, iterating, kinds, products, quantiles, reductions, selecting, shaping,
    statistics, text, ufuncs,
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in ("testing", "polynomial", "ma"):  # they take long to load
        return import_module(f"{__name__}.{name}")
    from .coverage import ABSENT

    reason = next((why for names, why in ABSENT.items() if name in names.replace(",", " ").split()), "")
    why = f": {reason}" if reason else ""
    raise AttributeError(f"numpy.{name}: latticework's dialect of NumPy has no such name{why}", name=name)
