"""`jax.numpy` on any backend."""

from __future__ import annotations

import typing as _typing
from typing import Any as _Any

import numpy as _np

from ...names import export as _export
from ..array import Array as ndarray  # noqa: N813
from ..array import give_methods as _give_methods
from ..scalars import SCALARS as _SCALARS
from . import (
    creation,
    data_types,
    elementwise,
    fft,
    functional,
    linalg,
    numerical,
    ordering,
    picking,
    products,
    reductions,
    shaping,
)
from . import padding as _padding  # noqa: F401 - `pad` finds it
from .ufuncs import give_ufunc_methods as _give_ufunc_methods

e, euler_gamma, inf, nan, newaxis, pi = _np.e, _np.euler_gamma, _np.inf, _np.nan, None, _np.pi
dtype = _np.dtype
generic, number, integer, inexact, floating = _np.generic, _np.number, _np.integer, _np.inexact, _np.floating
signedinteger, unsignedinteger, complexfloating = _np.signedinteger, _np.unsignedinteger, _np.complexfloating
flexible, character, object_ = _np.flexible, _np.character, _np.object_
save, savez = _np.save, _np.savez
get_printoptions, set_printoptions = _np.get_printoptions, _np.set_printoptions

__all__ = [
    "character", "complexfloating", "dtype", "e", "euler_gamma", "fft", "flexible", "floating", "generic",
    "get_printoptions", "inexact", "inf", "integer", "linalg", "nan", "ndarray", "newaxis", "number", "object_", "pi",
    "save", "savez", "set_printoptions", "signedinteger", "unsignedinteger",
]  # fmt: skip

_export(
    globals(), elementwise, reductions, creation, data_types, shaping, picking, ordering, products, numerical,
    functional,
)  # fmt: skip
globals().update(_SCALARS)
__all__ += [*_SCALARS]  # noqa: PLE0604
__all__.sort()

_REDUCTIONS: dict[str, tuple[_Any, _Any]] = {
    "add": (reductions.sum, 0), "multiply": (reductions.prod, 1), "maximum": (reductions.max, None),
    "minimum": (reductions.min, None), "logical_and": (reductions.all, True), "logical_or": (reductions.any, False),
    "subtract": (None, None), "bitwise_and": (None, -1), "bitwise_or": (None, 0), "bitwise_xor": (None, 0),
    "logical_xor": (None, False), "logaddexp": (None, None), "logaddexp2": (None, None),
}  # fmt: skip
for _name, (_reduction, _identity) in _REDUCTIONS.items():
    _give_ufunc_methods(_name, globals()[_name], _reduction, _identity)

from types import SimpleNamespace as _SimpleNamespace  # noqa: E402

_give_methods(_SimpleNamespace(**{_name: globals()[_name] for _name in __all__}))

if _typing.TYPE_CHECKING:  # the names come from tables

    def __getattr__(name: str) -> _typing.Any: ...
