"""JAX: one lattice, with the weak dtypes of Python scalars in it.

Equal dtypes give that dtype, weak only if all are. Where all operands are weak, the result is the join of
their dtypes, and weak. Otherwise it is the join of the nodes, where a weak array counts as ``int*``, ``float*`` or
``complex*``; a join that ends on one of those is a weak result of the default width. Python scalars and arrays made
of them without a dtype are weak; an explicit dtype makes a value strong. A bool is never weak.

``jax`` has 64-bit types enabled, ``jax-x32`` has not: there 64-bit operands are truncated first, and uint32 with a
signed integer is int32. ``promote_types``, which takes dtypes as such, truncates nothing. ``jax-strict`` and
``jax-x32-strict`` are the strict mode of ``jax_numpy_dtype_promotion``: only weak operands promote.

Source: https://docs.jax.dev/en/latest/type_promotion.html; jax/_src/dtypes.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ..core.dtypes import SCALAR_KINDS, Dtype, bool_
from .rules import KIND_OF, WEAK, Default, Node, Operand, Result, Rules, fits, kind_of

X64 = """
    bool      -> int*
    int*      -> int1 int2 int4 int8 uint1 uint2 uint4 uint8
    uint8     -> uint16 int16
    uint16    -> uint32 int32
    uint32    -> uint64 int64
    uint64    -> float*
    int8      -> int16
    int16     -> int32
    int32     -> int64
    int64     -> float*
    float*    -> bfloat16 float16 complex*
    bfloat16  -> float32
    float16   -> float32
    float32   -> float64 complex64
    float64   -> complex128
    complex*  -> complex64
    complex64 -> complex128
    float*    -> float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e8m0fnu
    float*    -> float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz
"""

X32 = X64.replace("uint32    -> uint64 int64", "uint32    -> uint64 int32")

#: Only weak operands promote; the dtypes stand side by side.
STRICT = """
    int*      -> float* int1 int2 int4 int8 int16 int32 int64 uint1 uint2 uint4 uint8 uint16 uint32 uint64
    float*    -> complex* bfloat16 float16 float32 float64
    complex*  -> complex64 complex128
    float*    -> float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e8m0fnu
    float*    -> float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz
"""

_TRUNCATED = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}
_WIDE = {"b": "bool", "i": "int64", "u": "uint64", "f": "float64", "c": "complex128"}


class Jax(Rules):
    """The lattice with weak flags, with or without 64-bit types."""

    families: ClassVar[str] = "jax"
    needs: ClassVar[frozenset[str]] = frozenset({"weak"})
    weak_arrays: ClassVar[str] = "scalar"

    def __init__(self, name: str, diagram: str, *, x64: bool, strict: bool = False) -> None:
        self.x64, self.strict = x64, strict
        super().__init__(
            name,
            diagram,
            defaults=_WIDE if x64 else {k: _TRUNCATED.get(d, d) for k, d in _WIDE.items()},
            dtypes="bool" if strict else "",
            reason="in strict mode only weak operands promote"
            if strict
            else "nothing is above float8 and dtypes of fewer than 8 bits",
            source="https://docs.jax.dev/en/latest/type_promotion.html",
            version="jax 0.10.2",
        )

    def _resolve(self, operands: tuple[Any, ...], default: Default) -> Result:
        read = [self._read_operand(x, default) for x in operands]
        dtypes = {d for d, _ in read}
        weak = [w for _, w in read]
        if len(dtypes) == 1 and not (all(weak) and len(read) > 1):
            only = dtypes.pop()
            return Result(only, len(read) == 1 and weak[0] and only is not bool_, "same")
        if all(weak) and not self.strict:
            node, rule = self._join_all([d for d, _ in read], operands)
            return Result(self._settle(node, default), node is not bool_, rule, str(node))
        nodes = [_weak_node(d) if w else d for d, w in read]
        node, rule = self._join_all(nodes, operands)
        if type(node) is not Dtype:
            return Result(self._settle(node, default), True, "default", str(node))
        return Result(node, False, "weak" if any(weak) and node in dtypes else rule)

    def _read_operand(self, x: Any, default: Default) -> tuple[Dtype, bool]:
        """Return the dtype, truncated without 64-bit types, and whether it is weak."""
        if type(x) is Dtype:
            dtype, weak = x, False
        elif isinstance(x, Operand):
            dtype, weak = x.dtype, x.weak
        else:
            dtype, weak = default(kind_of(x)), kind_of(x) != "b"
        return (dtype if self.x64 else _truncated(dtype)), weak

    def node(self, operand: Any) -> Node:
        """Return the node of an operand: a weak node where it is weak."""
        dtype, weak = self._read_operand(operand, self.defaults.__getitem__)
        return _weak_node(dtype) if weak else dtype

    def takes(self, value: int, array_dtype: Dtype) -> bool:
        """Return whether an int fits the default int. Narrower arrays wrap it around."""
        return fits(value, self.defaults["i"])

    def result_type(self, operands: Iterable[Any], default: Default | None = None) -> Dtype:
        """Return the answer of `jax.numpy.result_type`: a weak result has the default width."""
        found = self.result(operands, default)
        return self.defaults["i" if found.dtype.kind == "u" else found.dtype.kind] if found.weak else found.dtype

    def promote_types(self, a: Dtype | type, b: Dtype | type, default: Default | None = None) -> Dtype:
        """Return the answer of `jax.numpy.promote_types`: dtypes are never truncated; a weak join has 64 bits."""
        node, _ = self._join_all([WEAK[SCALAR_KINDS[x]] if isinstance(x, type) else x for x in (a, b)], (a, b))
        return node if type(node) is Dtype else Dtype(_WIDE[KIND_OF[str(node)]])

    def scalar_type(self, scalar: type, default: Default) -> Dtype | type:
        """Return the type itself: ``float`` is weak."""
        return scalar


def _truncated(dtype: Dtype) -> Dtype:
    return Dtype(_TRUNCATED.get(dtype.name, dtype))


def _weak_node(dtype: Dtype) -> Node:
    return dtype if dtype.kind == "b" else WEAK["i" if dtype.kind == "u" else dtype.kind]


rules = Jax("jax", X64, x64=True)
x32 = Jax("jax-x32", X32, x64=False)
strict = Jax("jax-strict", STRICT, x64=True, strict=True)
x32_strict = Jax("jax-x32-strict", STRICT, x64=False, strict=True)
