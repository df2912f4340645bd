"""MAX's dialect: graphs of its operations under its promotion rules, run on the backend in force.

`Graph`, `DType`, `TensorType` and `ops` are those of today's release, in the modules `graph`, `dtype` and `engine`.
``g.scalar[DType.int16](1)`` and ``Graph(rules="max-2024")`` are MAX 24's.
"""

from __future__ import annotations

from typing import Any

from ...errors import PromotionError
from ...promotion import rules_named
from . import dtype as dtype
from . import engine as engine
from . import graph as graph
from .dtype import DType as DType
from .engine import InferenceSession as InferenceSession
from .graph import DeviceRef as DeviceRef
from .graph import Dim as Dim
from .graph import Graph as Graph
from .graph import TensorType as TensorType
from .graph import TensorValue as TensorValue
from .graph import dialect as dialect
from .graph import ops as ops

__all__ = [
    "DType", "DeviceRef", "Dim", "Graph", "InferenceSession", "TensorType", "TensorValue", "implicit_cast",
    "implicit_cast_type", "ops", "promote_types_max", "promote_types_of_max_inputs",
]  # fmt: skip

SUBMODULES = ("graph", "dtype", "engine")


def promote_types_max(a: DType, b: DType) -> DType:
    """The dtype of an operation on two tensors of today's MAX.

    Raises
    ------
    ValueError: one does not cast to the other exactly.

    Examples
    --------
    >>> from latticework.frontends.max import DType, promote_types_max
    >>> promote_types_max(DType.int8, DType.float32)
    float32
    """
    return _promoted("max", a, b)


def promote_types_of_max_inputs(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands of a graph, cast to their common dtype; numbers and arrays become the tensor's dtype.

    Raises
    ------
    ValueError: the rules of their graph refuse them. TypeError: neither is a value of a graph.
    """
    symbol = next((x for x in (a, b) if isinstance(x, TensorValue)), None)
    if symbol is None:
        raise TypeError("promote_types_of_max_inputs: at least one operand must be a value of a graph")
    other = b if symbol is a else a
    if not isinstance(other, TensorValue):
        made = symbol.graph.constant(other, symbol.dtype)
        return (symbol, made) if symbol is a else (made, symbol)
    return implicit_cast(a, b)


def implicit_cast_type(lhs: DType, rhs: DType) -> DType:
    """The least dtype to which both dtypes promote, by the table of MAX 24.

    Raises
    ------
    ValueError: a dtype is not in the table.

    Examples
    --------
    >>> from latticework.frontends.max import DType, implicit_cast_type
    >>> implicit_cast_type(DType.bfloat16, DType.float16)
    bfloat16
    """
    return _promoted("max-2024", lhs, rhs)


def implicit_cast(lhs: TensorValue, rhs: TensorValue) -> tuple[TensorValue, TensorValue]:
    """Two values of a graph, cast to their common dtype by the rules of the graph."""
    dtype = _promoted(lhs.graph.rules.name, lhs.dtype, rhs.dtype)
    return tuple([x if x.dtype is dtype else ops.cast(x, dtype) for x in (lhs, rhs)])  # type: ignore[return-value]


def _promoted(rules: str, a: DType, b: DType) -> DType:
    try:
        return DType(rules_named(rules).promote((a.ours, b.ours)).name)
    except PromotionError as error:
        raise ValueError(f"{a!r} and {b!r}: {error}") from None


def __getattr__(name: str) -> Any:
    raise AttributeError(f"max.{name}: latticework's dialect of MAX has no such name")
