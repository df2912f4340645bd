"""Write a graph as a model of ONNX, for the functions that ONNX has operators for.

Each function is written by its name and by the dtypes of its results, so that graphs of all frameworks give the same
model. Where an operator computes otherwise than the function, such as the division of ints, the function is written as
several operators; a function without an operator is written as latticework defines it by others. Where that would
lose precision, as for ``expm1``, it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...errors import GraphFileError, install
from . import (  # noqa: F401  # they fill the table of writers
    onnx_complex,
    onnx_elementwise,
    onnx_flow,
    onnx_layers,
    onnx_picking,
    onnx_reductions,
    onnx_shapes,
)  # fmt: skip
from .onnx_extents import Extents, merged
from .onnx_layers import LAYERS
from .onnx_names import initializer_names
from .onnx_writer import Operator, Program, Subgraph, Writer

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from ..graph import Graph
    from ..nodes import Node

__all__ = ["OPSET", "as_model", "to_onnx"]

#: The version of the operators, where none is asked for, and the first one that can be.
OPSET = 20
_FIRST = 18


def to_onnx(
    graph: Graph, path: str | os.PathLike[str], dynamic: Mapping[str, Any] | None, opset: int,
    inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None,
) -> Path:  # fmt: skip
    """Write a graph as a model."""
    from pathlib import Path

    model = as_model(graph, dynamic, opset, inputs, outputs)
    path = Path(path)
    path.write_bytes(model.SerializeToString())
    return path


def as_model(
    graph: Graph, dynamic: Mapping[str, Any] | None, opset: int, inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> Any:  # fmt: skip
    """Return a graph as a ModelProto. The arguments are those of `Graph.to_onnx`."""
    try:
        import onnx
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"to_onnx needs onnx: {install('onnx')}", name="onnx") from error
    newest = onnx.defs.onnx_opset_version()
    if isinstance(opset, bool) or not isinstance(opset, int) or not _FIRST <= opset <= newest:
        raise ValueError(f"to_onnx: opset is an int from {_FIRST} to {newest}, the newest of this onnx; got {opset!r}")
    held = graph.held_inputs
    named = _names("inputs", inputs, graph.parameters[len(held) :])
    if dynamic is not None:
        old = {new: name for name, new in named.items()}
        dynamic = {old.get(name, name): axes for name, axes in dynamic.items()}
    taken = {*graph.parameters, *named.values(), *(outputs or ()), *(name for name, _ in held)}
    extents = Extents(graph, dynamic, len(held))
    if extents.symbols:
        programs = [Writer(g, opset, held, initializer_names(g, taken), True).program() for g in extents.graphs()]
        program, shapes = merged(programs, extents)
    else:
        graph = _with_layers(graph, extents)
        program = Writer(graph, opset, held, initializer_names(graph, taken)).program()
        shapes = {name: shape for name, _, shape in (*program.inputs, *program.outputs)}
    used = {*_used(program.operators)}
    for name in program.initializers.keys() - used:
        del program.initializers[name]
    model = _model(program, shapes, graph.name, opset)
    named |= _names("outputs", outputs, [name for name, *_ in program.outputs])
    if named:
        _rename(model.graph, named)
    try:
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:  # its text names the node
        raise GraphFileError(f"to_onnx: ONNX does not take this program: {str(error).strip()}") from None
    return model


def _with_layers(graph: Graph, extents: Extents) -> Graph:
    """Trace the function of a graph again, where a layer that ONNX has was recorded as the calls of its definition."""
    if graph.traced is not None and any(_is_of_layer(node) for node in graph.block.all_nodes()):
        with suppress(GraphFileError):  # it cannot be traced with other elements
            return next(extents.graphs())
    return graph


def _is_of_layer(node: Node) -> bool:
    """Return whether a call belongs to the definition of a layer."""
    found = node.operation
    while found is not None and found.plan.op not in LAYERS:
        found = found.parent
    return found is not None and node.name not in (found.plan.op, "cast", "narrow")


def _names(what: str, given: Sequence[str] | None, names: Sequence[str]) -> dict[str, str]:
    """Return the new names of inputs or outputs, by the old ones."""
    if given is None:
        return {}
    if isinstance(given, str) or len(given) > len(names) or len({*given}) < len(given):
        raise ValueError(f"to_onnx: {what} are up to {len(names)} names, each once; got {given!r}")
    return {name: new for name, new in zip(names, given, strict=False) if name != new}


def _rename(graph: Any, names: Mapping[str, str]) -> None:
    """Give inputs and outputs of a model other names, in the graphs inside of it too.

    Raises
    ------
    ValueError: the model has another array of a new name.
    """
    parts = [*_graphs(graph)]
    taken = {n for part in parts for node in part.node for n in (*node.input, *node.output)}
    taken |= {x.name for part in parts for x in (*part.initializer, *part.input)}
    clash = next((new for new in names.values() if new in taken - names.keys()), None)
    if clash is not None:
        raise ValueError(f"to_onnx: the model has another array named {clash!r}; choose another name")
    for part in parts:
        for node in part.node:
            node.input[:] = [names.get(n, n) for n in node.input]
            node.output[:] = [names.get(n, n) for n in node.output]
        for x in (*part.input, *part.output):
            x.name = names.get(x.name, x.name)


def _graphs(graph: Any) -> Iterator[Any]:
    """Yield a graph and those inside of it."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _graphs(attribute.g)


def _used(operators: list[Operator]) -> Iterator[str]:
    """Yield the names of the arrays that operators use."""
    for operator in operators:
        yield from operator.inputs
        for x in operator.attributes.values():
            if isinstance(x, Subgraph):
                yield from _used(x.operators)


def _model(program: Program, shapes: dict[str, Any], name: str, opset: int) -> Any:
    """Make the model of a program."""
    from onnx import helper, numpy_helper

    from .encoding import own_version

    inputs, outputs = [
        [helper.make_tensor_value_info(n, code, shapes[n]) for n, code, _ in group]
        for group in (program.inputs, program.outputs)
    ]
    arrays = [numpy_helper.from_array(x, n) for n, x in program.initializers.items()]
    body = helper.make_graph([_node(o) for o in program.operators], name, inputs, outputs, arrays)
    versions = [helper.make_opsetid("", opset)]
    return helper.make_model(
        body, producer_name="latticework", producer_version=own_version(), opset_imports=versions,
        ir_version=helper.find_min_ir_version_for(versions),
    )  # fmt: skip


def _node(operator: Operator) -> Any:
    from onnx import helper

    attributes = {key: _part(x, operator) if isinstance(x, Subgraph) else x for key, x in operator.attributes.items()}
    return helper.make_node(operator.op_type, operator.inputs, operator.outputs, operator.at, **attributes)


def _part(part: Subgraph, operator: Operator) -> Any:
    """Make the graph of a branch or a body."""
    from onnx import helper

    inputs = [
        helper.make_tensor_value_info(n, code, () if i < part.scalars else None)
        for i, (n, code) in enumerate(part.inputs)
    ]
    outputs = [helper.make_tensor_value_info(n, code, None) for n, code in part.outputs]
    return helper.make_graph([_node(o) for o in part.operators], f"of {operator.at}", inputs, outputs)
