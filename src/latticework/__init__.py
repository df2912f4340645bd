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
from .op import kernel_count as kernel_count
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
    from typing import Any

    from .casting import Cast as Cast
    from .casting import cast_data_types as cast_data_types
    from .casting import casting_modes as casting_modes
    from .casting import casts as casts
    from .casting import clear_casts as clear_casts
    from .casting import crosscast_data_types as crosscast_data_types
    from .casting import downcast_data_types as downcast_data_types
    from .casting import recording_casts as recording_casts
    from .casting import upcast_data_types as upcast_data_types
    from .namespace import NativeDtype as NativeDtype
    from .promotion.explain import Explanation as Explanation
    from .promotion.explain import RuleDifferences as RuleDifferences
    from .promotion.explain import diff_rules as diff_rules
    from .promotion.explain import explain as explain
    from .promotion.families import operation_result as operation_result
    from .promotion.laws import Laws as Laws
    from .promotion.laws import check_laws as check_laws
    from .support.ask import function_supported_devices as function_supported_devices
    from .support.ask import function_supported_dtypes as function_supported_dtypes
    from .support.ask import function_unsupported_devices as function_unsupported_devices
    from .support.ask import function_unsupported_dtypes as function_unsupported_dtypes
    from .support.decorators import with_supported_device_and_dtypes as with_supported_device_and_dtypes
    from .support.decorators import with_supported_devices as with_supported_devices
    from .support.decorators import with_supported_dtypes as with_supported_dtypes
    from .support.decorators import with_unsupported_device_and_dtypes as with_unsupported_device_and_dtypes
    from .support.decorators import with_unsupported_devices as with_unsupported_devices
    from .support.decorators import with_unsupported_dtypes as with_unsupported_dtypes

    # These follow the backend in force: see namespace.py.
    valid_dtypes: tuple[Dtype, ...]
    valid_numeric_dtypes: tuple[Dtype, ...]
    valid_int_dtypes: tuple[Dtype, ...]
    valid_uint_dtypes: tuple[Dtype, ...]
    valid_float_dtypes: tuple[Dtype, ...]
    valid_complex_dtypes: tuple[Dtype, ...]
    invalid_dtypes: tuple[Dtype, ...]
    invalid_numeric_dtypes: tuple[Dtype, ...]
    invalid_int_dtypes: tuple[Dtype, ...]
    invalid_uint_dtypes: tuple[Dtype, ...]
    invalid_float_dtypes: tuple[Dtype, ...]
    invalid_complex_dtypes: tuple[Dtype, ...]
    native_bool: Any
    native_int8: Any
    native_int16: Any
    native_int32: Any
    native_int64: Any
    native_uint8: Any
    native_uint16: Any
    native_uint32: Any
    native_uint64: Any
    native_bfloat16: Any
    native_float16: Any
    native_float32: Any
    native_float64: Any
    native_complex64: Any
    native_complex128: Any

#: Names that are imported when they are first asked for: nobody computes with them.
_LAZY = {
    "Explanation": "promotion.explain", "RuleDifferences": "promotion.explain", "diff_rules": "promotion.explain",
    "explain": "promotion.explain", "operation_result": "promotion.families",
    "Laws": "promotion.laws", "check_laws": "promotion.laws", "Cast": "casting",
    "cast_data_types": "casting", "casting_modes": "casting", "casts": "casting", "clear_casts": "casting",
    "crosscast_data_types": "casting", "downcast_data_types": "casting", "recording_casts": "casting",
    "upcast_data_types": "casting",
    "function_supported_devices": "support.ask", "function_supported_dtypes": "support.ask",
    "function_unsupported_devices": "support.ask", "function_unsupported_dtypes": "support.ask",
    "with_supported_device_and_dtypes": "support.decorators", "with_supported_devices": "support.decorators",
    "with_supported_dtypes": "support.decorators", "with_unsupported_device_and_dtypes": "support.decorators",
    "with_unsupported_devices": "support.decorators", "with_unsupported_dtypes": "support.decorators",
}  # fmt: skip

if not TYPE_CHECKING:  # to a type checker, it would make any name one that there is

    def __getattr__(name: str) -> object:
        if name in _LAZY:
            from importlib import import_module

            value = globals()[name] = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
            return value
        from .namespace import attribute

        return attribute(name)


#: What there is to call, without the modules behind it, which their import leaves here too.
__all__ = [
    name
    for name, value in sorted({**globals(), **_LAZY}.items())
    if name[0] != "_" and name not in ("annotations", "TYPE_CHECKING")
    if type(value) is not type(errors) or value in (errors, fft, linalg)
]


def __dir__() -> list[str]:
    from .namespace import listed

    return [*listed(), *[name for name in globals() if name.startswith("__")]]
