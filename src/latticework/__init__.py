"""latticework: array code written once, with the same dtypes and numbers on every framework.

This module is the Array API namespace itself (version 2025.12). ``import latticework as lw``.
"""

# ruff: noqa: F403, PLE0604 - the namespace is the union of its chapters, and the standard reuses builtins' names
from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from . import errors as errors
from .contents import CHAPTERS, MODULE_OF, NAMESPACES, SUBMODULES
from .core.device import Device as Device
from .core.dtypes import Dtype as Dtype
from .core.dtypes import FInfo as FInfo
from .core.dtypes import IInfo as IInfo
from .core.dtypes import all_complex_dtypes as all_complex_dtypes
from .core.dtypes import all_dtypes as all_dtypes
from .core.dtypes import all_float_dtypes as all_float_dtypes
from .core.dtypes import all_int_dtypes as all_int_dtypes
from .core.dtypes import all_numeric_dtypes as all_numeric_dtypes
from .core.dtypes import all_uint_dtypes as all_uint_dtypes
from .core.dtypes import bfloat16 as bfloat16
from .core.dtypes import bool_ as _bool
from .core.dtypes import complex64 as complex64
from .core.dtypes import complex128 as complex128
from .core.dtypes import extended_dtypes as extended_dtypes
from .core.dtypes import float16 as float16
from .core.dtypes import float32 as float32
from .core.dtypes import float64 as float64
from .core.dtypes import int8 as int8
from .core.dtypes import int16 as int16
from .core.dtypes import int32 as int32
from .core.dtypes import int64 as int64
from .core.dtypes import uint8 as uint8
from .core.dtypes import uint16 as uint16
from .core.dtypes import uint32 as uint32
from .core.dtypes import uint64 as uint64
from .core.registry import register as _register
from .engine.arrays.array import Array as Array
from .engine.arrays.einops import join as _join_einops
from .policy import as_dtype as as_dtype
from .promotion import Operand as Operand
from .promotion import Rules as Rules
from .promotion import rule_names as rule_names

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

bool = _bool  # noqa: A001 - the standard's name; a name that an import changes is private to type checkers

globals().update({str(dtype): dtype for dtype in extended_dtypes})

if TYPE_CHECKING:  # what type checkers and editors see; a program loads a chapter when it asks for one of its names
    from typing import Any

    from . import fft as fft
    from . import frontends as frontends
    from . import linalg as linalg
    from . import nn as nn
    from . import random as random
    from . import signal as signal
    from . import special as special
    from . import tree as tree
    from .api.averages import *
    from .api.bits import *
    from .api.building import *
    from .api.constants import *
    from .api.control_flow import *
    from .api.conversion import *
    from .api.creation import *
    from .api.data_types import *
    from .api.distinct import *
    from .api.einsum import *
    from .api.elementwise import *
    from .api.elementwise_extended import *
    from .api.histograms import *
    from .api.indexing import *
    from .api.inference import *
    from .api.info import *
    from .api.info import __array_namespace_info__ as __array_namespace_info__
    from .api.linear_algebra import *
    from .api.manipulation import *
    from .api.namespaces import *
    from .api.nan_functions import *
    from .api.native import *
    from .api.nn.activations import relu as relu
    from .api.nn.activations import sigmoid as sigmoid
    from .api.nn.categories import one_hot as one_hot
    from .api.nn.categories import softmax as softmax
    from .api.numerical import *
    from .api.numpy_names import *
    from .api.order_statistics import *
    from .api.picking import *
    from .api.plans import *
    from .api.polynomials import *
    from .api.python_functions import *
    from .api.rearranging import *
    from .api.rules import *
    from .api.running import *
    from .api.scattering import *
    from .api.searching import *
    from .api.sets import *
    from .api.sorting import *
    from .api.special_names import *
    from .api.statistical import *
    from .api.tracing import Graph as Graph
    from .api.tracing import compile as compile  # noqa: A004 - as a decorator it is lw.compile
    from .api.tracing import explain_retraces as explain_retraces
    from .api.tracing import load as load
    from .api.tracing import trace as trace
    from .api.transformations import *
    from .api.utility import *
    from .auditing.report import Audit as Audit
    from .auditing.run import audit as audit
    from .auditing.widening.report import Widenings as Widenings
    from .backend import backends as backends
    from .engine.plans.casting import Cast as Cast
    from .engine.plans.casting import casts as casts
    from .engine.plans.casting import clear_casts as clear_casts
    from .engine.plans.casting import recording_casts as recording_casts
    from .frontends.imports import redirected as redirected
    from .frontends.transpiling import transpile as transpile
    from .namespace import NativeDtype as NativeDtype
    from .onnx_models.model import from_onnx as from_onnx
    from .promotion.explain import Explanation as Explanation
    from .promotion.explain import RuleDifferences as RuleDifferences
    from .promotion.laws import Laws as Laws
    from .settings import *
    from .support.decorators import *
    from .support.query import *

    # The storage dtypes, which the package has from their rows.
    float8_e4m3fn: Dtype
    float8_e5m2: Dtype

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
    native_float8_e4m3fn: Any
    native_float8_e5m2: Any

#: The public names: the dtypes, and the names of the chapters.
__all__ = [*sorted({
    *("Array", "Device", "Dtype", "FInfo", "IInfo"),
    *(name for name in globals() if name.startswith("all_")),
    *(str(dtype) for dtype in (*all_dtypes, *extended_dtypes)),
    "extended_dtypes",
    *MODULE_OF,
    "backends",
    *SUBMODULES,
})]  # fmt: skip


def _load(module: str) -> None:
    """Load a chapter, and put its names among the package's globals."""
    loaded = import_module(f"{__name__}.{module}")
    globals().update({name: getattr(loaded, name) for name in CHAPTERS[module].split()})


def _load_chapters() -> list[str]:
    """Load every chapter that declares functions, and name them."""
    chapters = [module for module in CHAPTERS if module.startswith("api.")]
    for module in chapters:
        _load(module)
    for name in SUBMODULES:
        import_module(f"{__name__}.{name}")
    return [f"{__name__}.{module}" for module in (*chapters, *(f"api.{name}" for name in NAMESPACES))]


if not TYPE_CHECKING:  # to a type checker, it would make any name exist

    def __getattr__(name: str) -> object:
        if name in MODULE_OF:
            _load(MODULE_OF[name])
            return globals()[name]
        if name in SUBMODULES or name in ("backends", "testing"):  # a package that can be called; the kit of backends
            return import_module(f"{__name__}.{name}")
        from .namespace import attribute

        return attribute(name)


def _answer_calls() -> None:
    """Load the module that makes kernels. A process may get its first array pickled, without any chapter loaded."""
    import_module(f"{__name__}.engine.calls.misses")


def __dir__() -> list[str]:
    from .namespace import listed

    return [*dict.fromkeys([*listed(), *[name for name in globals() if name.startswith("__")]])]


_register(sys.modules[__name__], _load_chapters, _answer_calls)
_join_einops()
