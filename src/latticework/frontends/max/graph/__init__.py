"""MAX's graphs: ``from latticework.frontends.max.graph import Graph, TensorType, ops``."""

from __future__ import annotations

from typing import Any

from ...dialect import Dialect
from . import ops as ops
from .value import DeviceRef as DeviceRef
from .value import Dim as Dim
from .value import Graph as Graph
from .value import Shape as Shape
from .value import TensorType as TensorType
from .value import TensorValue as TensorValue

__all__ = ["DeviceRef", "Dim", "Graph", "Shape", "TensorType", "TensorValue", "ops"]

#: The dialect by name, for what goes through all of them: graphs have their own rules.
dialect = Dialect("max", "max")


def _give_operators() -> None:
    """Give symbols their operators and methods, which are operations."""
    operators = {
        "add": ops.add, "sub": ops.sub, "mul": ops.mul, "truediv": ops.div, "floordiv": ops.floor_div, "mod": ops.mod,
        "pow": ops.pow, "matmul": ops.matmul, "and": ops.logical_and, "or": ops.logical_or, "xor": ops.logical_xor,
    }  # fmt: skip
    for word, f in operators.items():
        setattr(TensorValue, f"__{word}__", f)
        setattr(TensorValue, f"__r{word}__", lambda x, y, f=f: f(y, x))
    comparisons = {
        "eq": ops.equal, "ne": ops.not_equal, "gt": ops.greater, "ge": ops.greater_equal,
        "lt": lambda x, y: ops.greater(y, x), "le": lambda x, y: ops.greater_equal(y, x),
    }  # fmt: skip
    for word, compare in comparisons.items():
        setattr(TensorValue, f"__{word}__", compare)
    methods: dict[str, Any] = {
        "__hash__": object.__hash__, "__neg__": ops.negate, "__invert__": ops.logical_not, "__getitem__": _item,
        "argmax": ops.argmax,
        "broadcast_to": ops.broadcast_to, "cast": ops.cast, "flatten": ops.flatten, "max": _max, "mean": ops.mean,
        "min": _min, "permute": ops.permute, "rebind": ops.rebind, "reshape": ops.reshape, "stdev": _stdev,
        "to": lambda x, device: x, "transpose": ops.transpose, "T": property(_transposed),
    }  # fmt: skip
    for name, method in methods.items():
        setattr(TensorValue, name, method)


def _item(x: TensorValue, key: Any) -> Any:
    return ops.slice_tensor(x, key)


def _max(x: TensorValue, axis: int = -1) -> Any:
    return ops.max(x, axis=axis)


def _min(x: TensorValue, axis: int = -1) -> Any:
    return ops.min(x, axis=axis)


def _stdev(x: TensorValue, axis: int = -1) -> Any:
    deviation = ops.sub(x, ops.mean(x, axis))
    return ops.sqrt(ops.mean(ops.mul(deviation, deviation), axis))


def _transposed(x: TensorValue) -> Any:
    return ops.transpose(x, -1, -2)


_give_operators()
