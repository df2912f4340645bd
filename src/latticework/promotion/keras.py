"""Keras: JAX's lattice without a weak complex, and then no more than 32 bits.

A Python int or float is weak; a Python complex is a strong complex64. A join that ends on a weak node has as many
bits as `floatx`, integers too: two Python ints are int16 where `floatx` is float16. After the join, however many
operands it has, 64-bit results become 32-bit ones; on the TensorFlow backend (``keras-tensorflow``) int64 and
float64 stay. float8 is refused, even alone.

`floatx` is the default float of the active policy. Keras's operations do not always follow its `result_type`.

Source: keras/src/backend/common/dtypes.py, https://github.com/keras-team/keras.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.dtypes import Dtype
from .rules import Default, Node, Result, Rules, is_strong, kind_of, node_of

DIAGRAM = """
    bool      -> int*
    int*      -> uint8 int8 complex64
    uint8     -> uint16 int16
    uint16    -> uint32 int32
    uint32    -> uint64 int64
    uint64    -> float*
    int8      -> int16
    int16     -> int32
    int32     -> int64
    int64     -> float*
    float*    -> bfloat16 float16
    bfloat16  -> float32
    float16   -> float32
    float32   -> float64 complex64
    float64   -> complex128
    complex64 -> complex128
"""

_SQUASHED = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


class Keras(Rules):
    """A join of all operands, then the squash."""

    families: ClassVar[str] = "keras"

    def __init__(self, name: str, *, tensorflow: bool = False) -> None:
        names = {"b": "bool", "i": "int64" if tensorflow else "int32", "f": "float32", "c": "complex64"}
        self.strong = {kind: Dtype(name) for kind, name in names.items()}
        self.squashed = {
            Dtype(d): Dtype(s) for d, s in _SQUASHED.items() if not (tensorflow and d in ("int64", "float64"))
        }
        super().__init__(
            name,
            DIAGRAM,
            exceptions="float8_e4m3fn float8_e4m3fn -> refused\nfloat8_e5m2 float8_e5m2 -> refused",
            dtypes="float8_e4m3fn float8_e5m2",
            reason="Keras converts float8 explicitly only",
            source="https://github.com/keras-team/keras/blob/master/keras/src/backend/common/dtypes.py",
            version="keras 3.15.1",
        )

    def _resolve(self, operands: tuple[Any, ...], default: Default) -> Result:
        nodes = [self.node(x) for x in operands]
        weak = [n for n in nodes if type(n) is not Dtype]
        if len(weak) == len(nodes):
            nodes = [self.strong[kind_of(x)] for x in operands]
        node, rule = self._join_all(nodes, operands)
        if len(weak) == len(operands) or type(node) is not Dtype:
            kind = "float" if "float" in str(node) else "int"
            return Result(self._squash(f"{kind}{default('f').bits}"), False, "default", f"{kind}*")
        rule = "weak" if weak and rule == "lattice" and node in nodes else rule
        return Result(self._squash(node), False, rule, node.name)

    def node(self, operand: Any) -> Node:
        """Return the node of an operand: weak for a Python int or float, not for a bool or a complex."""
        node = node_of(operand)
        return node if is_strong(operand) or kind_of(operand) in "if" else self.strong[kind_of(operand)]

    def _squash(self, dtype: Node) -> Dtype:
        found = Dtype(dtype)
        return self.squashed.get(found, found)

    def scalar_type(self, scalar: type, default: Default) -> Dtype | type:
        """Return the type itself: ``float`` is weak."""
        return scalar


class KerasTensorFlow(Keras):
    """Keras on TensorFlow's backend, whose kernels take fewer dtypes."""

    families: ClassVar[str] = "keras_tensorflow"


rules = Keras("keras")
tensorflow = KerasTensorFlow("keras-tensorflow", tensorflow=True)
