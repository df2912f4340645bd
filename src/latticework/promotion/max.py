"""MAX (Modular), as its graph behaves today: all casts are exact, and only tensors decide.

Two tensors go to the higher of their categories, bool < unsigned < signed < floating, at the larger of their widths,
and only where both cast to that exactly. In the diagram: a dtype with one above it. Floats of fewer than 16 bits count
as 8; with one another and with 8-bit integers they become float16. The documentation says that the result is always
one of the operands' dtypes; the exceptions say otherwise.

Python and NumPy values are weak: they become the tensor's dtype. Integers have to lie in the range that it holds
without a gap, floats need a floating dtype, bool arrays go anywhere. Two weak operands are an error.

Source: the module `max.graph.dtype_promotion` of the modular package, https://github.com/modular/modular.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ..core.dtypes import Dtype, bool_, int_limits
from .rules import Default, Operand, Result, Rules, dtype_of, is_strong, kind_of

_SMALL = (
    "float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e8m0fnu float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz"
)

DIAGRAM = f"""
    bool     -> uint8 int8 {_SMALL}
    uint8    -> uint16 int16 float16 bfloat16
    uint16   -> uint32 int32 float32
    uint32   -> uint64 int64 float64
    int8     -> int16 float16 bfloat16
    int16    -> int32 float32
    int32    -> int64 float64
    float16  -> float32
    bfloat16 -> float32
    float32  -> float64
""" + "\n".join(f"    {small} -> float16 bfloat16" for small in _SMALL.split())

#: The ints that become a floating dtype lie between these, both included.
_RANGES: dict[str, tuple[float, float]] = {
    "bool": (0, 1),
    "float4_e2m1fn": (-6, 6),
    "float6_e2m3fn": (-7.5, 7.5),
    "float6_e3m2fn": (-28, 28),
    "float8_e8m0fnu": (2.0**-127, 2.0**127),
    "float8_e5m2": (-72089.6, 72089.6),
    "float8_e5m2fnuz": (-57344, 57344),
    "float8_e4m3fn": (-448, 448),
    "float8_e4m3fnuz": (-240, 240),
    "bfloat16": (-(2**8), 2**8),
    "float16": (-(2**11), 2**11),
    "float32": (-(2**24), 2**24),
    "float64": (-(2**53), 2**53),
}


class Max(Rules):
    """Exact casts of tensors; the values of weak operands are scanned."""

    needs: ClassVar[frozenset[str]] = frozenset({"weak", "value"})
    numpy_operands: ClassVar[str] = "numbers"
    families: ClassVar[str] = "max_graph"

    def _resolve(self, operands: tuple[Any, ...], default: Default) -> Result:
        strong: list[Dtype] = [x if type(x) is Dtype else x.dtype for x in operands if not _is_weak(x)]
        if not strong:
            raise self.refused(operands, "at least one operand must be a tensor of MAX")
        node, rule = self._join_all(strong[:1], operands)
        for other in strong[1:]:
            node, rule = self._join(node, other, operands)
        result = dtype_of(node)
        for x in filter(_is_weak, operands):
            if why := _unfit(x, result):
                raise self.refused(operands, why)
        return Result(result, False, rule if len(strong) == len(operands) else "value")


def _is_weak(x: Any) -> bool:
    return not is_strong(x) or (isinstance(x, Operand) and x.weak)


def _unfit(x: Any, dtype: Dtype) -> str:
    """Say why a weak value does not become a dtype; empty where it does."""
    kind, array = kind_of(x), isinstance(x, Operand)
    value = x.value if array else None if isinstance(x, type) else x
    if kind == "c" or (kind == "f" and dtype.kind != "f" and not (array and dtype is bool_)):
        return f"{'a Python ' * (not array)}{ {'c': 'complex', 'f': 'float'}[kind] } does not become {dtype}"
    if not array and dtype.bits < 8:
        return f"MAX makes no {dtype} of a Python value"
    if (kind in "iu" or (kind == "b" and not array)) and value is not None:
        limits = int_limits(dtype) if dtype.kind in "iu" else None
        low, high = (limits.min, limits.max) if limits else _RANGES[dtype.name]
        for v in value if isinstance(value, Iterable) else (value,):
            if not low <= v <= high:
                return f"{v} is not exact as {dtype}"
    return ""


rules = Max(
    "max",
    DIAGRAM,
    exceptions=f"uint8,int8,{_SMALL.replace(' ', ',')} {_SMALL.replace(' ', ',')} -> float16",
    upwards=True,
    reason="one does not cast to the other exactly",
    source="https://github.com/modular/modular/blob/main/max/python/max/graph/dtype_promotion.py",
    version="modular 26.7.0",
)
