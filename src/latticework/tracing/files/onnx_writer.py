"""The writer of models of ONNX: the names of values, the operators in order, and the initializers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ...backend import get
from ...core.dtypes import Dtype
from ...core.registry import OPS
from ...errors import GraphFileError
from ...policy import in_force
from ..nodes import Block, Constant, Node, Value, mapped, values_in
from .onnx_settled import Settled
from .onnx_writes import Views

if TYPE_CHECKING:
    import numpy as np

    from ..graph import Graph

__all__ = ["PASSES", "WRITERS", "Operator", "Pair", "Program", "Subgraph", "Writer"]

#: The name of a function -> what writes a call of it: from the writer, the node and its arguments to the names of the
#: results. The modules beside this one fill it.
WRITERS: dict[str, Callable[..., Any]] = {}
#: The passes for graphs that are traced to be written: those that keep what depends on extents as calls.
PASSES = ("copies", "casts", "identities", "common", "dead")
#: The most bytes of the result of a call without arrays, which is written as a constant.
_KEPT = 1 << 24


class Pair(NamedTuple):
    """The names of the real and the imaginary part of an array; the second is None where it is zero."""

    real: str
    imag: str | None


class Operator(NamedTuple):
    """An operator of a model, with the names of its inputs and outputs, and the call that it belongs to."""

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    at: str
    attributes: dict[str, Any]


class Subgraph(NamedTuple):
    """A branch or the body of a loop: an attribute of an operator. Inputs and outputs are names with dtypes.

    Attributes
    ----------
    scalars: how many of the first inputs are known to be 0-d.
    """

    operators: list[Operator]
    inputs: list[tuple[str, int]]
    outputs: list[tuple[str, int]]
    scalars: int


class Program(NamedTuple):
    """What a model is made of. Inputs and outputs are names with dtypes and extents."""

    operators: list[Operator]
    initializers: dict[str, np.ndarray[Any, Any]]
    inputs: list[tuple[str, int, tuple[int, ...]]]
    outputs: list[tuple[str, int, tuple[int, ...]]]


class Writer:
    """Writes one graph as operators.

    Parameters
    ----------
    opset: the version of the operators.
    held: names and arrays for the first inputs of the graph, which are initializers.
    wanted: names for constants of the graph, by their ids.
    open_extents: whether the operators have to be the same for other extents of the inputs.

    Attributes
    ----------
    node: the call that is being written.
    """

    #: What writes the calls of each function.
    writers = WRITERS
    #: What writes complex numbers: the module `onnx_complex` puts itself here.
    complexes: Any = None

    def __init__(
        self, graph: Graph, opset: int, held: Sequence[tuple[str, Any]] = (), wanted: Mapping[int, str] | None = None,
        open_extents: bool = False,
    ) -> None:  # fmt: skip
        self.graph, self.backend, self.opset, self.open_extents = graph, graph._backend, opset, open_extents
        self.held, self.wanted = held, wanted or {}
        self.names: dict[int, str] = {}
        self.pairs: dict[int, Pair] = {}  # of complex values
        self.operators: list[Operator] = []
        self.initializers: dict[str, np.ndarray[Any, Any]] = {}
        self.count = 0
        self.node: Node | None = None
        self.outer: list[Node] = []  # the calls whose bodies are being written
        self.kept: list[Any] = []  # whose ids are keys
        self.views = Views(self)
        self.settled = Settled(self)

    def program(self) -> Program:
        """Write the graph: its inputs are the arrays among the arguments, its outputs the arrays among the results."""
        graph = self.graph
        if graph.written:
            raise GraphFileError("to_onnx: the program writes into its arguments, which a model cannot")
        if graph.numbers:
            raise GraphFileError(
                "to_onnx: the graph has Python numbers as inputs, which a model cannot have. Trace the function with "
                "lw.trace, where numbers are constants, or give them as arrays"
            )
        if graph.changes:
            raise GraphFileError("to_onnx: the program writes into or binds what it holds, which a model cannot")
        block = graph.with_held_results()
        if not block.outputs:
            raise GraphFileError("to_onnx: the program returns no array, and a model has at least one output")
        inputs = []
        for i, (name, value) in enumerate(zip(graph.parameters, graph.block.inputs, strict=True)):
            if i < len(self.held):
                name, native = self.held[i]
                self.initializers[name] = self.settled.known[id(value)] = self.numpy(native)
            self.names[id(value)] = name
            if value.dtype.kind == "c":
                self.pairs[id(value)] = self.complexes.taken(self, name, i < len(self.held))
            if i >= len(self.held):
                inputs.append((name, *self.complexes.declared(self, value)))
        self.block(block)
        self.node = None
        outputs = []
        for i, value in enumerate(block.outputs):
            name = f"result_{i}"
            found = self.complexes.given(self, value) if value.dtype.kind == "c" else self.of(value)
            self.operators.append(Operator("Identity", (found,), (name,), f"{graph.name} {name}", {}))
            outputs.append((name, *self.complexes.declared(self, value)))
        return Program(self.operators, self.initializers, inputs, outputs)

    def block(self, block: Block) -> None:
        """Write the calls of a block."""
        outer = self.node
        for node in block.nodes:
            self.node = node
            self.write(node)
        self.node = outer

    def subgraph(
        self, inputs: Sequence[tuple[str, int]], write: Callable[[], Sequence[tuple[str, int]]], scalars: int = 0
    ) -> Subgraph:
        """Write a branch or a body: a function writes it, and returns the names and dtypes of its results."""
        around, self.operators = self.operators, []
        with self.views.inside():
            found = write()
        outputs = [(self.op("Identity", name), code) for name, code in found]
        part = Subgraph(self.operators, [*inputs], outputs, scalars)
        self.operators = around
        return part

    # --- values -------------------------------------------------------------------------------------------------------

    def refuse(self, why: str) -> NoReturn:
        """Raise the error for the call that is being written."""
        node = self._place()
        operation = node.operation if node is not None else None
        line = f" {operation.location.text}:" if operation is not None and operation.location is not None else ""
        whole = node.name if node is not None and self.outer else ""
        if operation is not None and operation.parent is not None:
            whole = operation.outermost.plan.op
        name = self.node.name if self.node is not None else ""
        calls = f" ({whole} calls it)" if whole and whole != name else ""
        raise GraphFileError(f"to_onnx: {self.at()}:{line} {why}{calls}")

    def _place(self) -> Node | None:
        """Return the call of the program that is being written."""
        return self.outer[0] if self.outer else self.node

    def at(self) -> str:
        """Name the call that is being written, with its line."""
        node = self._place()
        at = node.operation.location if node is not None and node.operation is not None else None
        name = self.node.name if self.node is not None else self.graph.name
        return f"{name} ({at})" if at is not None else name

    def code(self, dtype: Dtype) -> int:
        """Return the number of a dtype in ONNX."""
        from onnx import TensorProto

        word = {"float32": "FLOAT", "float64": "DOUBLE"}.get(str(dtype), str(dtype).upper())
        code: int | None = getattr(TensorProto, word, None)
        if code is None or dtype.kind == "c":
            self.refuse(f"is of {dtype}, for which ONNX has no operators")
        return code

    def numpy(self, native: Any) -> Any:
        """Return a native array as NumPy's."""
        return self.backend.to_numpy(self.backend.native(native), None, None)

    def of(self, value: Value) -> str:
        """Return the name of a value."""
        found = self.names.get(id(value))
        if found is None and isinstance(value, Constant):
            found = self.names[id(value)] = self.initializer(self.numpy(value.native), self.wanted.get(id(value), ""))
            self.kept.append(value)
        if found is None:
            self.refuse("uses what ONNX has no array for")
        return found

    def initializer(self, data: Any, name: str = "") -> str:
        """Add a NumPy array to the model, and return its name."""
        import numpy as np

        self.count += 1
        name = name or f"constant_{self.count}"
        self.initializers[name] = np.ascontiguousarray(data).reshape(np.shape(data))
        return name

    def fresh(self, code: int) -> tuple[str, int]:
        """Make a name for an input of a subgraph, with its dtype."""
        self.count += 1
        return f"t_{self.count}", code

    def complex_array(self, data: Any, name: str = "") -> Pair:
        """Add a NumPy array of complex numbers to the model, as two."""
        real, imag = (name and f"{name}.{part}" for part in ("real", "imag"))
        return Pair(self.initializer(data.real, real), self.initializer(data.imag, imag))

    def held_array(self, data: Any) -> str | Pair:
        """Add a NumPy array to the model; a complex one as two."""
        return self.complex_array(data) if data.dtype.kind == "c" else self.initializer(data)

    def ints(self, *values: int) -> str:
        import numpy as np

        return self.initializer(np.asarray(values, dtype=np.int64))

    def operand(self, x: Any, dtype: Dtype) -> str:
        """Write an operand in a dtype: cast where it has another, a number as a 0-d array."""
        if isinstance(x, Value):
            return self.of(x) if x.dtype is dtype else self.op("Cast", self.of(x), to=self.code(dtype))
        if isinstance(x, (tuple, list, dict, str, slice, type(None))):
            self.refuse(f"has an argument that ONNX has no operator for: {x!r:.40}")
        import numpy as np

        self.code(dtype)
        return self.initializer(np.asarray(x, dtype=get("numpy").native_dtypes[dtype]))

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Write an operator, and return the name of its result. An input named "" is left out."""
        (name,) = self.several(kind, 1, *inputs, **attributes)
        return name

    def several(self, kind: str, results: int, *inputs: str, **attributes: Any) -> tuple[str, ...]:
        """Write an operator with several results, and return their names."""
        names = []
        for _ in range(results):
            self.count += 1
            names.append(f"t_{self.count}")
        self.operators.append(Operator(kind, inputs, tuple(names), f"{self.at()} {self.count}", attributes))
        return tuple(names)

    def dtype(self, node: Node) -> Dtype:
        """Return the dtype of the first result."""
        return node.results[0].dtype

    # --- calls --------------------------------------------------------------------------------------------------------

    def write(self, node: Node) -> None:
        """Write one call."""
        is_complex = any(v.dtype.kind == "c" for v in (*node.operands, *node.results))
        if node.writes is not None:
            if is_complex:
                self.refuse("writes complex numbers into an array, which is not written to ONNX")
            self.views.write(node)
            return
        self.settled.made(node)
        if not node.operands and not node.blocks:
            self.fold(node)
            return
        if is_complex:
            self.give(node, self.complexes.write(self, node))
            return
        for value in node.results:
            self.code(value.dtype)
        writer = WRITERS.get(node.name)
        names = self.body(node) if writer is None else writer(self, node, *node.args, **node.kwargs)
        if names is NotImplemented:
            names = self.body(node)
        self.give(node, names)
        self.views.made(node)

    def give(self, node: Node, names: Any) -> None:
        """Name the results of a call: by a name each, or by a pair of a complex one."""
        names = [names] if isinstance(names, (str, Pair)) else [*names]
        for value, name in zip(node.results, names, strict=True):
            if isinstance(name, Pair):
                self.pairs[id(value)] = name
            else:
                self.names[id(value)] = name
            self.kept.append(value)

    def fold(self, node: Node) -> None:
        """Write the results of a call without arrays as arrays that the model holds."""
        if any(value.nbytes > _KEPT for value in node.results):
            self.refuse(f"makes an array of more than {_KEPT:,} bytes")
        native = node.function(*node.args, **node.kwargs)
        arrays: list[Any] = []
        mapped(native, self.backend.arrays, arrays.append)
        self.give(node, [self.held_array(self.numpy(array)) for array in arrays])
        self.views.made(node)

    def body(self, node: Node, why: str = "has no operator in ONNX") -> list[Any]:
        """Write a call as the calls that latticework's own definition of the function makes.

        Parameters
        ----------
        why: what the error says.

        Raises
        ------
        GraphFileError: the function has no definition by others.
        """
        if node.blocks:
            self.refuse("has a function in it, for which ONNX has no operator")
        block = None
        if not any(n.name == node.name for n in self.outer):
            with suppress(TypeError, ValueError, KeyError):
                block = self._defined(node)
        if block is None:
            found = self.settled.results(node)
            return self.refuse(why) if found is None else [self.held_array(x) for x in found]
        self.outer.append(node)
        for value, operand in zip(block.inputs, _once(node.operands), strict=True):
            self.settled.stands_for(value, operand)
            if operand.dtype.kind == "c":
                self.pairs[id(value)] = self.complexes.parts(self, operand)
            else:
                self.names[id(value)] = self.of(operand)
        backend, self.backend = self.backend, get("numpy")
        try:
            self.block(block)
        finally:
            self.outer.pop()
            self.backend = backend
        outputs = values_in(block.outputs)
        return [
            self.complexes.parts(self, v, r.dtype) if r.dtype.kind == "c" else self.operand(v, r.dtype)
            for v, r in zip(outputs, node.results, strict=True)
        ]

    def _defined(self, node: Node) -> Block | None:
        """Trace the definition of a function by others, for arrays like the operands; None where it has none."""
        import numpy as np

        from ...engine.arrays.array import Array, wrapped
        from ..recording.tracer import trace

        function = OPS.get(node.name)
        body = function.body if function is not None else None
        if body is None:
            return None
        target = get("numpy")
        made: list[Any] = []
        operands = _once(node.operands)
        for value in operands:
            data = np.zeros(value.shape, target.native_dtypes[value.dtype])
            made.append(wrapped(data, target.sig(value.dtype)))

        def run(*arrays: Array) -> Any:
            given = dict(zip(map(id, operands), arrays, strict=True))
            args, kw = mapped((node.args, node.kwargs), Value, lambda v: given[id(v)])
            return body(*args, **kw)

        with in_force(self.graph.policy._with(backend="numpy")), np.errstate(all="ignore"):
            graph = trace(run, tuple(made), {}, PASSES)
        self.kept.append(graph)
        return graph.block


def _once(values: Sequence[Value]) -> list[Value]:
    """List values, each once."""
    return [*{id(v): v for v in values}.values()]
