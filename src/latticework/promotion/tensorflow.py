"""TensorFlow: no promotion by default, and the two modes of its "dtype conversion semantics".

``tensorflow`` promotes nothing. All tensors must have one dtype, and a Python scalar becomes that dtype where it is
in the list below; where there is no tensor, the first scalar decides. It takes any int that int64 holds, and bool
for some dtypes only, as `tf.convert_to_tensor` does.

``tensorflow-all`` has JAX's lattice on strong dtypes and weak dtypes of its own: a Python int is a weak int32, a
float a weak float32, a complex a weak complex128, and integers with a weak float32 are a weak float64.

``tensorflow-safe`` allows what ``tensorflow-all`` does only where nothing is lost: one of the two dtypes has to be
above the other in its diagram.

Operations may still refuse what these rules give, as ``+`` does for two bools.

Source: https://www.tensorflow.org/guide/tf_numpy_type_promotion; tensorflow/python/framework/flexible_dtypes.py;
tensorflow/python/framework/tensor_conversion_registry.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..core.dtypes import Dtype, uint64
from .rules import (
    WEAK,
    Default,
    Node,
    Operand,
    Result,
    Rules,
    canonical,
    dtype_of,
    fits,
    is_strong,
    kind_of,
    node_of,
)  # fmt: skip

PLAIN = """
    bool*    -> bool int32 int64 uint64 float16 float32 float64 complex128
    int*     -> int8 int16 int32 int64 uint8 uint16 uint32 uint64 float*
    float*   -> bfloat16 float16 float32 float64 complex*
    complex* -> complex64 complex128
"""

ALL = """
    bool        -> int32*
    int32*      -> int64*
    int64*      -> float32* int8 uint8
    uint8       -> uint16 int16
    uint16      -> uint32 int32
    uint32      -> uint64 int64
    uint64      -> float64*
    int8        -> int16
    int16       -> int32
    int32       -> int64
    int64       -> float64*
    float32*    -> float64*
    float64*    -> bfloat16 float16 complex128*
    bfloat16    -> float32
    float16     -> float32
    float32     -> float64 complex64
    float64     -> complex128
    complex128* -> complex64
    complex64   -> complex128
"""

SAFE = """
    bool        -> int32*
    int32*      -> int64*
    int64*      -> float32* int8 uint8
    uint8       -> uint16 int16 bfloat16 float16
    uint16      -> uint32 int32 float32
    uint32      -> uint64 int64 float64
    int8        -> int16 bfloat16 float16
    int16       -> int32 float32
    int32       -> int64 float64
    float32*    -> float64*
    float64*    -> bfloat16 float16 complex128*
    bfloat16    -> float32
    float16     -> float32
    float32     -> float64 complex64
    float64     -> complex128
    complex128* -> complex64
    complex64   -> complex128
"""

_FLOAT8 = "float8_e4m3fn float8_e5m2"
_WEAK = {
    "int32": "int32*",
    "int64": "int64*",
    "float32": "float32*",
    "float64": "float64*",
    "complex128": "complex128*",
}
_SCALARS = {"b": "bool", "i": "int32*", "f": "float32*", "c": "complex128*"}
_SOURCE = "https://www.tensorflow.org/guide/tf_numpy_type_promotion"
_VERSION = "tensorflow 2.21.0"


def _takes(dtype: Dtype, value: int) -> bool:
    """Return whether `tf.convert_to_tensor` takes an int. Narrow integers wrap it around, bfloat16 does not."""
    if dtype.name in ("float16", "float32", "float64", "complex128"):
        return True
    return 0 <= value < 2**64 if dtype is uint64 else -(2**63) <= value < 2**63


class TensorFlow(Rules):
    """No promotion: all tensors have one dtype, and Python scalars become it."""

    families: ClassVar[str] = "tensorflow"

    def _resolve(self, operands: tuple[Any, ...], default: Default) -> Result:
        first = next((x for x in operands if is_strong(x)), operands[0])
        dtype = dtype_of(node_of(first)) if is_strong(first) else default(kind_of(first))
        for x in operands:
            node = node_of(x)
            above = self.above.get(node, ())
            if dtype not in above:
                why = f"a Python {WEAK[kind_of(x)][:-1]} does not become {dtype}" if type(node) is not Dtype else ""
                raise self.refused(operands, why)
            if type(x) is int and not _takes(dtype, x):
                raise self.refused(operands, f"the int does not become {dtype}")
        return Result(dtype, False, "same" if all(map(is_strong, operands)) else "weak")

    def takes(self, value: int, array_dtype: Dtype) -> bool:
        """Return whether `tf.convert_to_tensor` takes the int."""
        return _takes(array_dtype, value)


class Flexible(Rules):
    """The modes with weak tensors: a fold from the left."""

    families: ClassVar[str] = "tensorflow"
    needs: ClassVar[frozenset[str]] = frozenset({"weak"})
    weak_arrays: ClassVar[str] = "sequence"

    def __init__(self, name: str, diagram: str, *, safe: bool = False, exceptions: str = "", reason: str) -> None:
        super().__init__(
            name,
            diagram,
            exceptions="\n".join([*(f"{f8} {f8} -> refused" for f8 in _FLOAT8.split()), exceptions]),
            becomes={weak: dtype for dtype, weak in _WEAK.items()},
            defaults={"i": "int32", "f": "float32", "c": "complex128"},
            fold="left",
            upwards=safe,
            dtypes=_FLOAT8,
            reason=reason,
            source=_SOURCE,
            version=_VERSION,
        )

    def _resolve(self, operands: tuple[Any, ...], default: Default) -> Result:
        nodes = [self.node(x) for x in operands]
        node, rule = self._fold(nodes, operands)
        if type(node) is not Dtype:
            return Result(self.becomes[node], True, "default", str(node))
        gave_way = rule == "lattice" and any(type(n) is not Dtype for n in nodes)
        return Result(node, False, "weak" if gave_way else rule)

    def node(self, operand: Any) -> Node:
        """Return the node: a weak node with a width for a Python number or a weak tensor."""
        x = operand
        if isinstance(x, Operand):
            return canonical(_WEAK.get(x.dtype.name, x.dtype)) if x.weak else x.dtype
        return x if type(x) is Dtype else canonical(_SCALARS[kind_of(x)])

    def takes(self, value: int, array_dtype: Dtype) -> bool:
        """Return whether an int fits int32, and is not negative beside uint64. Narrower tensors wrap it around."""
        return fits(value, Dtype("int32")) and not (array_dtype is uint64 and value < 0)

    def scalar_type(self, scalar: type, default: Default) -> Dtype | type:
        """Return the type itself: ``float`` is weak."""
        return scalar


_DEFAULTS: Mapping[str, str] = {"i": "int32", "f": "float32", "c": "complex128"}

rules = TensorFlow(
    "tensorflow",
    PLAIN,
    defaults=_DEFAULTS,
    dtypes=_FLOAT8,
    reason="TensorFlow promotes nothing by default",
    source="https://www.tensorflow.org/api_docs/python/tf/convert_to_tensor",
    version=_VERSION,
)
all_ = Flexible("tensorflow-all", ALL, reason="float8 is converted explicitly")
safe = Flexible(
    "tensorflow-safe",
    SAFE,
    safe=True,
    exceptions="""
    uint8,uint16,uint32,int8,int16,int32 float64* -> float64*
    uint8,uint16,uint32,int8,int16,int32 complex128* -> complex128*
    float64 complex128* -> complex128
    """,
    reason="it is not safe",
)
