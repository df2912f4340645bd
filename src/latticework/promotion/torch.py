"""PyTorch: one table, and three tiers of operands.

Arrays of at least one dimension come first, 0-d arrays second, Python numbers last. Each tier is joined by the
table, in order; a lower tier counts only where its category (bool, integers, floats, complex) is a higher one,
and a float tier that meets a complex one keeps its width (`combine_categories`). A Python float counts as the
default dtype, a complex as its complex partner, an int as int64, or uint64 from 2**63 on.

uint16, uint32 and uint64, and the integers of odd widths, are half-supported: they join real floats alone. float8,
bits and quantised dtypes join nothing but themselves; in a lower tier they, too, give way in silence.

NumPy's scalars are Python numbers: int32 and ``numpy.float64(1.5)`` are float32. PyTorch reads ``numpy.bool_`` as a
float, and drops the imaginary part of ``numpy.complex64``; here that stays a complex number.

The default dtype is the default float of the active policy: ``lw.using(rules="torch", default_float="float64")`` is
``torch.set_default_dtype(torch.float64)``.

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc; c10/core/ScalarType.cpp
(promoteTypes); aten/src/ATen/native/TypeProperties.cpp (result_type).
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.dtypes import Dtype, uint64
from .rules import Default, Operand, Result, Rules, dtype_of, is_strong, kind_of

DIAGRAM = """
    bool       -> uint8 int8
    uint8      -> int16
    int8       -> int16
    int16      -> int32
    int32      -> int64
    int64      -> bfloat16 float16
    bfloat16   -> float32
    float16    -> float32 complex32
    float32    -> float64 complex64
    float64    -> complex128
    complex32  -> complex64
    complex64  -> complex128
"""

#: Integers that join floats, and neither one another nor bool nor complex dtypes.
HALF_SUPPORTED = tuple(f"uint{bits}" for bits in (1, 2, 3, 4, 5, 6, 7, 16, 32, 64))

ALONE = """int1 int2 int3 int4 int5 int6 int7 float4_e2m1fn_x2 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz
    float8_e8m0fnu bits1x8 bits2x4 bits4x2 bits8 bits16 qint8 qint32 quint8 quint4x2 quint2x4"""

_FLOATS = "bfloat16,float16,float32,float64"

_PARTNERS = {"float16": "complex32", "bfloat16": "complex64", "float32": "complex64", "float64": "complex128"}
_COMPLEX_OF = {Dtype(real): Dtype(partner) for real, partner in _PARTNERS.items()}


class Torch(Rules):
    """Three tiers of operands."""

    families: ClassVar[str] = "torch"
    needs: ClassVar[frozenset[str]] = frozenset({"zero_dim"})
    numpy_operands: ClassVar[str] = "numbers"

    def _resolve(self, operands: tuple[Any, ...], default: Default) -> Result:
        tiers: list[Dtype | None] = [None, None, None]
        rule = "same"
        for x in operands:
            tier = (1 if isinstance(x, Operand) and x.zero_dim else 0) if is_strong(x) else 2
            dtype = self._dtype_of(x, default, operands)
            so_far = tiers[tier]
            if so_far is not None:
                node, found = self._join(so_far, dtype, operands)
                dtype, rule = dtype_of(node), rule if found == "same" else found
            tiers[tier] = dtype
        dimensioned, zero_dim, wrapped = tiers
        low = self._combine(zero_dim, wrapped, operands)
        result = self._combine(dimensioned, low, operands)
        assert result is not None
        if sum(t is not None for t in tiers) > 1:
            of_array = result is dimensioned or result is zero_dim
            rule = "default" if not of_array else "zero-dim" if wrapped is None else "weak"
            if of_array and result is not (dimensioned or zero_dim):
                rule = "category"
        elif dimensioned is None and zero_dim is None:
            rule = "default"
        return Result(result, False, rule)

    def _combine(self, higher: Dtype | None, lower: Dtype | None, operands: tuple[Any, ...]) -> Dtype | None:
        """Combine two tiers, as PyTorch's `combine_categories` does."""
        if higher is None or lower is None:
            return higher or lower
        high, low = higher.kind, lower.kind
        if high == "c":
            return higher
        if high == "f":
            if low != "c":
                return higher
            if higher not in _COMPLEX_OF:
                raise self.refused(operands, f"{higher} has no complex partner")
            return _COMPLEX_OF[higher]
        if low == "c":
            return lower
        if high == "b" or low == "f":
            return dtype_of(self._join(higher, lower, operands)[0])
        return higher

    def _dtype_of(self, x: Any, default: Default, operands: tuple[Any, ...]) -> Dtype:
        if type(x) is Dtype:
            return x
        if isinstance(x, Operand):
            return x.dtype
        kind = kind_of(x)
        if kind == "i" and not isinstance(x, type) and not -(2**63) <= x < 2**63:
            if not 0 < x < 2**64:
                raise self.refused(operands, "the int does not fit 64 bits")
            return uint64
        if kind == "c":
            return _COMPLEX_OF[default("f")]
        return default(kind)

    def takes(self, value: int, array_dtype: Dtype) -> bool:
        """Return whether an int has 64 bits, signed or unsigned: it wraps around."""
        return -(2**63) <= value < 2**64

    def number(self, scalar: Any) -> Any:
        """Return the number; PyTorch reads a bool as a float."""
        return float(scalar) if isinstance(scalar, bool) else scalar

    def scalar_type(self, scalar: type, default: Default) -> Dtype | type:
        """Return the dtype that PyTorch reads for a Python type: ``float`` is float64, whatever the default dtype."""
        return {bool: Dtype("bool"), int: Dtype("int64"), float: Dtype("float64"), complex: Dtype("complex128")}[scalar]


rules = Torch(
    "torch",
    DIAGRAM,
    exceptions=f"""
    {",".join(HALF_SUPPORTED)} float16 -> float16
    {",".join(HALF_SUPPORTED)} bfloat16 -> bfloat16
    {",".join(HALF_SUPPORTED)} float32 -> float32
    {",".join(HALF_SUPPORTED)} float64 -> float64
    {",".join(HALF_SUPPORTED)} float4_e2m1fn_x2 -> float4_e2m1fn_x2
    """,
    defaults={"i": "int64"},
    dtypes=f"{' '.join(HALF_SUPPORTED)} {ALONE}",
    reason="PyTorch does not support it",
    source="https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc",
    version="torch 2.13.0",
)
