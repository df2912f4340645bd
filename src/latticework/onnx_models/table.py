"""The table of ONNX's operators: each has a function that reads its attributes and calls latticework's functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

import latticework as lw

from ..core.dtypes import Dtype
from ..errors import GraphFileError

__all__ = ["OPERATORS", "Call", "Reader", "dtype_of", "reads"]


class Reader(NamedTuple):
    """How an operator is read.

    Attributes
    ----------
    function: from the call and its inputs to a result, or a tuple of as many as the operator has outputs.
    host: the positions of the inputs whose values have to be known, as the shape of a Reshape. They are NumPy's arrays.
    raw: whether the function takes inputs as they are: arrays, NumPy's arrays where values are known, lists.
    domain: the name of the set of operators, "" for ONNX's own.
    """

    function: Callable[..., Any]
    host: tuple[int, ...]
    raw: bool
    domain: str


#: The name of an operator -> how it is read. The modules beside this one fill it.
OPERATORS: dict[str, Reader] = {}


def reads(
    *names: str, host: Iterable[int] = (), raw: bool = False, domain: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the function that reads some operators."""

    def declare(f: Callable[..., Any]) -> Callable[..., Any]:
        OPERATORS.update(dict.fromkeys(names, Reader(f, tuple(host), raw, domain)))
        return f

    return declare


class Call:
    """One operator in a model.

    Attributes
    ----------
    kind: its name.
    name: the name of the node, or of its first output.
    opset: the version of the operators.
    attributes: by name; a graph is a `Program`.
    wanted: for each output, whether the model uses it.
    backend, device: where new arrays are made. Set by each run.
    """

    __slots__ = ("attributes", "backend", "device", "kind", "name", "opset", "wanted")

    def __init__(self, kind: str, name: str, opset: int, attributes: dict[str, Any], wanted: tuple[bool, ...]) -> None:
        self.kind, self.name, self.opset = kind, name, opset
        self.attributes, self.wanted = attributes, wanted
        self.backend: str = "numpy"
        self.device: Any = None

    def on(self, backend: str, device: Any) -> Call:
        """Return the call with a place for new arrays."""
        call = Call(self.kind, self.name, self.opset, self.attributes, self.wanted)
        call.backend, call.device = backend, device
        return call

    def get(self, name: str, default: Any = None) -> Any:
        """Return an attribute."""
        return self.attributes.get(name, default)

    def array(self, x: Any, dtype: Dtype | None = None) -> Any:
        """Make an array of latticework of one of NumPy's or of numbers."""
        return lw.asarray(np.asarray(x), dtype=dtype, backend=self.backend, device=self.device)

    def refuse(self, why: str) -> GraphFileError:
        """Make the error for what is not read."""
        return GraphFileError(f"from_onnx: {self.kind} (node {self.name!r}, opset {self.opset}): {why}")


def dtype_of(code: int, where: str) -> Dtype:
    """Return the dtype of a number of ONNX.

    Raises
    ------
    GraphFileError: latticework has no such dtype, as for strings and ints of four bits.
    """
    from onnx import TensorProto

    words = {"FLOAT": "float32", "DOUBLE": "float64", "FLOAT8E4M3FN": "float8_e4m3fn", "FLOAT8E5M2": "float8_e5m2"}
    try:
        word = TensorProto.DataType.Name(code)
    except ValueError:
        word = str(code)
    found = getattr(lw, words.get(word, word.lower()), None)
    if not isinstance(found, Dtype):
        raise GraphFileError(f"from_onnx: {where} is of {word}, which latticework has no dtype for")
    return found
