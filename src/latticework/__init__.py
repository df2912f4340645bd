"""latticework: array code written once, with the same dtypes and numbers on every framework.

This module is the Array API namespace itself (version 2025.12). ``import latticework as lw``.
"""

# ruff: noqa: F403, A004 - the namespace is the union of its chapters, and the standard reuses builtins' names
from __future__ import annotations

from typing import TYPE_CHECKING

from . import errors as errors
from .array import Array as Array
from .device import Device as Device
from .dtypes import Dtype as Dtype
from .dtypes import FInfo as FInfo
from .dtypes import IInfo as IInfo
from .dtypes import all_complex_dtypes as all_complex_dtypes
from .dtypes import all_dtypes as all_dtypes
from .dtypes import all_float_dtypes as all_float_dtypes
from .dtypes import all_int_dtypes as all_int_dtypes
from .dtypes import all_numeric_dtypes as all_numeric_dtypes
from .dtypes import all_uint_dtypes as all_uint_dtypes
from .dtypes import bfloat16 as bfloat16
from .dtypes import bool_ as bool  # noqa: F401 - the standard's name for it
from .dtypes import complex64 as complex64
from .dtypes import complex128 as complex128
from .dtypes import float16 as float16
from .dtypes import float32 as float32
from .dtypes import float64 as float64
from .dtypes import int8 as int8
from .dtypes import int16 as int16
from .dtypes import int32 as int32
from .dtypes import int64 as int64
from .dtypes import uint8 as uint8
from .dtypes import uint16 as uint16
from .dtypes import uint32 as uint32
from .dtypes import uint64 as uint64
from .op import plan as plan
from .policy import using as using
from .promotion import Operand as Operand
from .promotion import Rules as Rules
from .promotion import rule_names as rule_names

from .api.constants import *  # isort: skip
from .api.creation import *  # isort: skip
from .api.data_types import *  # isort: skip
from .api.elementwise import *  # isort: skip
from .api.indexing import *  # isort: skip
from .api.info import *  # isort: skip
from .api.linear_algebra import *  # isort: skip
from .api.manipulation import *  # isort: skip
from .api.searching import *  # isort: skip
from .api.sets import *  # isort: skip
from .api.sorting import *  # isort: skip
from .api.statistical import *  # isort: skip
from .api.utility import *  # isort: skip
from .api.everyday import *  # isort: skip
from . import fft as fft  # isort: skip
from . import linalg as linalg  # isort: skip

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

if TYPE_CHECKING:
    from .promotion.explain import Explanation as Explanation
    from .promotion.explain import RuleDifferences as RuleDifferences
    from .promotion.explain import diff_rules as diff_rules
    from .promotion.explain import explain as explain
    from .promotion.laws import Laws as Laws
    from .promotion.laws import check_laws as check_laws

#: Names that are imported when they are first asked for: nobody computes with them.
_LAZY = {
    "Explanation": "explain", "RuleDifferences": "explain", "diff_rules": "explain", "explain": "explain",
    "Laws": "laws", "check_laws": "laws",
}  # fmt: skip

if not TYPE_CHECKING:  # to a type checker, it would make any name one that there is

    def __getattr__(name: str) -> object:
        if name in _LAZY:
            from importlib import import_module

            value = globals()[name] = getattr(import_module(f"{__name__}.promotion.{_LAZY[name]}"), name)
            return value
        raise AttributeError(f"module 'latticework' has no attribute {name!r}{errors.nearest(name, __all__)}")


#: What there is to call, without the modules behind it, which their import leaves here too.
__all__ = [
    name
    for name, value in sorted({**globals(), **_LAZY}.items())
    if name[0] != "_" and name not in ("annotations", "TYPE_CHECKING")
    if type(value) is not type(errors) or value in (errors, fft, linalg)
]


def __dir__() -> list[str]:
    return [*__all__, *[name for name in globals() if name.startswith("__")]]
