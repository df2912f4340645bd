"""Paddle: floats promote among themselves, complex takes anything, and integers never mix.

Two arrays of at least one dimension have a common dtype only where both are real floating, or one is complex; two 0-d
arrays join by the whole diagram. An array with dimensions, a 0-d array and a Python scalar are three tiers. Where two
tiers meet and one is complex and the other is not, the diagram decides; else the higher tier decides, unless the
lower is of a higher category (bool, integers, floats). A Python int is an int64, a float a
float32 whatever the default dtype, a complex a complex64. float8 joins nothing. There are no uint16, uint32, uint64.

Operations refuse more: many have no kernel for some dtype, and some, as `where`, have no tier of 0-d arrays.

Source: paddle/phi/common/type_promotion.h, https://github.com/PaddlePaddle/Paddle.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.dtypes import Dtype, bool_
from .rules import Default, Operand, Result, Rules, dtype_of, is_strong, kind_of

_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


class Paddle(Rules):
    """Tiers of operands. Within the first tier, few pairs promote."""

    needs: ClassVar[frozenset[str]] = frozenset({"zero_dim"})
    families: ClassVar[str] = "paddle"

    def _resolve(self, operands: tuple[Any, ...], default: Default) -> Result:
        first, *others = operands
        dtype, tier, rule = self._dtype_of(first), _tier(first), "same"
        for x in others:
            other, lower = self._dtype_of(x), _tier(x)
            if tier == lower:
                if tier == 0 and dtype is not other and not self._mix(dtype, other):
                    raise self.refused(operands)
                node, found = self._join(dtype, other, operands)
                dtype, rule = dtype_of(node), rule if found == "same" else found
                continue
            high, low = (dtype, other) if tier < lower else (other, dtype)
            dtype, rule = self._meet(high, low, operands)
            tier = min(tier, lower)
        return Result(dtype, False, "default" if tier == 2 else rule)

    def _mix(self, a: Dtype, b: Dtype) -> bool:
        """Return whether two arrays with dimensions have a common dtype."""
        return {a.kind, b.kind} == {"f"} or "c" in (a.kind, b.kind)

    def _meet(self, high: Dtype, low: Dtype, operands: tuple[Any, ...]) -> tuple[Dtype, str]:
        """Return the common dtype of two tiers, and the rule."""
        a, b = high.kind, low.kind
        joined, rule = self._join(high, low, operands)  # refuses a dtype that is alone in the diagram
        if "c" in (a, b) and a != b:
            return dtype_of(joined), rule
        return (low, "category") if _CATEGORY[b] > _CATEGORY[a] else (high, "zero-dim")

    def takes(self, value: int, array_dtype: Dtype) -> bool:
        """Return True: any int wraps around."""
        return True

    def _dtype_of(self, x: Any) -> Dtype:
        if type(x) is Dtype:
            return x
        return x.dtype if isinstance(x, Operand) else bool_ if kind_of(x) == "b" else self.defaults[kind_of(x)]


def _tier(x: Any) -> int:
    return (1 if isinstance(x, Operand) and x.zero_dim else 0) if is_strong(x) else 2


rules = Paddle(
    "paddle",
    """
    bool       -> uint8 int8
    uint8      -> int16
    int8       -> int16
    int16      -> int32
    int32      -> int64
    int64      -> bfloat16 float16
    bfloat16   -> float32
    float16    -> float32
    float32    -> float64 complex64
    float64    -> complex128
    complex64  -> complex128
    """,
    defaults={"i": "int64", "f": "float32", "c": "complex64"},
    dtypes="float8_e4m3fn float8_e5m2",
    reason="Paddle promotes floats with floats, and anything with complex",
    source="https://www.paddlepaddle.org.cn/documentation/docs/en/guides/advanced/auto_type_promotion_en.html",
    version="paddlepaddle 3.3.1",
)
