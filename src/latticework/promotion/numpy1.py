"""NumPy 1: value-based casting. The diagram is NumPy 2's; only scalars and 0-d arrays take part in another way.

Where there is an array of at least one dimension, and no scalar is of a higher kind (bool, integers, floats and
complex together), each scalar counts as the least dtype that holds its value: an int8 array and 127 are int8, with
128 int16, with -129 int16. A positive integer that its signed dtype holds too is neither signed nor unsigned. Where
there are only scalars, or one of a higher kind, each counts as its own dtype: int64, float64 or complex128 for a
Python scalar.

A scalar whose value is not known counts as the least of its kind.

Source: https://numpy.org/doc/1.26/reference/generated/numpy.result_type.html;
numpy/core/src/multiarray/convert_datatype.c of version 1.26 (PyArray_ResultType, promote_types).
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.dtypes import Dtype, bool_, int_limits, uint64
from ..errors import PromotionError
from .numpy import CORE
from .rules import Default, Operand, Result, Rules, dtype_of, is_strong, kind_of

_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 2}
_LEAST = {"b": False, "u": 0, "i": 0, "f": 0.0, "c": 0j}

#: The dtypes that are tried for a floating value, and the values that are too large for each.
_LIMITS = {
    "f": (("float16", 65000.0), ("float32", 3.4e38), ("float64", 1.7e308)),
    "c": (("complex64", 3.4e38), ("complex128", 1.7e308)),
}


def _has_dimensions(x: Any) -> bool:
    return is_strong(x) and not (isinstance(x, Operand) and x.zero_dim)


class NumPy1(Rules):
    """Value-based casting."""

    families: ClassVar[str] = "numpy"
    needs = frozenset({"zero_dim", "value"})

    def takes(self, value: int, array_dtype: Dtype) -> bool:
        """Return whether there is a dtype for the value of an int."""
        try:
            self.promote((array_dtype, value))
        except PromotionError:
            return False
        return True

    def _resolve(self, operands: tuple[Any, ...], default: Default) -> Result:
        top = max((_CATEGORY[kind_of(x)] for x in operands if _has_dimensions(x)), default=-1)
        by_value = all(_CATEGORY[kind_of(x)] <= top for x in operands) and not all(map(_has_dimensions, operands))
        if not by_value:  # NumPy 2's fold, over dtypes alone
            return self._by_kind(tuple(self._declared(x, operands) for x in operands), default)
        node: Dtype | None = None
        either = False
        for x in operands:
            dtype, small = (self._declared(x, operands), False) if _has_dimensions(x) else self._least(x, operands)
            if node is None:
                node, either = dtype, small
                continue
            node = self._meet(node, either, dtype, small, operands)
            either = either and small
        assert node is not None
        return Result(node, False, "value")

    def _meet(self, a: Dtype, a_small: bool, b: Dtype, b_small: bool, operands: tuple[Any, ...]) -> Dtype:
        """Join two dtypes; an integer that its signed dtype holds becomes signed, but not beside bool or unsigned."""
        if a_small and not b_small and b.kind not in "bu":
            a = Dtype(a.name.removeprefix("u"))
        elif b_small and not a_small and a.kind not in "bu":
            b = Dtype(b.name.removeprefix("u"))
        return dtype_of(self._join(a, b, operands)[0])

    def _declared(self, x: Any, operands: tuple[Any, ...]) -> Dtype:
        if type(x) is Dtype:
            return x
        if isinstance(x, Operand):
            return x.dtype
        if type(x) is int and not -(2**63) <= x < 2**63:
            if 0 < x < 2**64:
                return uint64
            raise self.refused(operands, f"NumPy makes an object of {x}")
        kind = kind_of(x)
        return bool_ if kind == "b" else self.defaults[kind]

    def _least(self, x: Any, operands: tuple[Any, ...]) -> tuple[Dtype, bool]:
        """Return the least dtype that holds a value, and whether it is an integer that the signed dtype holds too."""
        kind = kind_of(x)
        value: Any = x.value if isinstance(x, Operand) else None if isinstance(x, type) else x
        if value is None:
            value = _LEAST[kind]
        if kind == "b":
            return bool_, False
        if kind in "ui":
            for bits in (8, 16, 32, 64):
                dtype = Dtype(f"int{bits}" if value < 0 else f"uint{bits}")
                limits = int_limits(dtype)
                if limits.min <= value <= limits.max:
                    return dtype, 0 <= value <= limits.max // 2
            raise self.refused(operands, f"NumPy makes an object of {value}")
        own = self._declared(x, operands)
        parts = (value.real, value.imag) if kind == "c" else (value,)
        for name, limit in _LIMITS[kind]:
            if name == own.name or all(abs(p) < limit or (kind == "f" and not math.isfinite(p)) for p in parts):
                return Dtype(name), False
        return own, False


rules = NumPy1(
    "numpy1",
    CORE,
    exceptions="""
    int8 uint8 -> int16
    int8 uint16 -> int32
    int16 uint16 -> int32
    """,
    defaults={"i": "int64", "u": "uint64", "f": "float64", "c": "complex128"},
    fold="kind",
    source="https://numpy.org/doc/1.26/reference/generated/numpy.result_type.html",
    version="numpy 1.26.4",
)
