"""Read a model's graphs: nodes become steps, initialisers constants, and what is not known is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import GraphFileError
from . import (  # noqa: F401  # they fill the table of operators
    attention,
    control,
    elementwise,
    layers,
    losses,
    norms,
    picking,
    quantised,
    recurrent,
    reductions,
    resampling,
    sequences,
    shapes,
    signals,
    windows,
)  # fmt: skip
from .programs import Program, Step
from .table import OPERATORS, Call, Reader, dtype_of

__all__ = ["OLDEST", "Reading"]

#: The oldest version of the operators that is read: before, operators had other rules for shapes.
OLDEST = 7
#: Operators whose result does not depend on the values of their input.
_OF_SHAPES = frozenset(("Shape", "Size", "ConstantOfShape", "EyeLike"))


class Reading:
    """Reads the graphs of one model.

    Parameters
    ----------
    model: a ModelProto.
    more: the user's own functions for operators, by "Name" or "domain::Name".
    """

    def __init__(self, model: Any, more: Mapping[str, Callable[..., Any]]) -> None:
        self.more = more
        self.folder = ""
        self.versions = {o.domain or "": o.version for o in model.opset_import}
        self.versions.setdefault("", self.versions.get("ai.onnx", 1))
        self.functions = {(f.domain, f.name): f for f in model.functions}
        self.initialisers: dict[str, Any] = {}
        self.settings: set[str] = set()  # the names of values that have to be known
        self.asked: set[str] = set()  # these, and those that a branch or a loop is better told
        self.count = 0

    def opset(self, domain: str, versions: Mapping[str, int]) -> int:
        found = versions.get("" if domain == "ai.onnx" else domain)
        return versions.get("", 1) if found is None else found

    def graph(self, graph: Any, versions: Mapping[str, int] | None = None, inner: bool = False) -> Program:
        """Read a graph, with the graphs in it."""
        versions = self.versions if versions is None else versions
        constants = {x.name: self.tensor(x, f"initialiser {x.name!r}") for x in graph.initializer}
        for x in graph.sparse_initializer:
            constants[x.values.name] = self.sparse(x)
        self.initialisers.update(constants)
        names = [i.name for i in graph.input]
        inputs = names if inner else [n for n in names if n not in constants]
        steps = [self.step(node, versions, {}) for node in graph.node]
        self.mark(steps)
        if not inner:
            steps = [s._replace(settles=not self.asked.isdisjoint(s.outputs)) for s in steps]
        return Program(inputs, [o.name for o in graph.output], steps, constants)

    def mark(self, steps: list[Step]) -> None:
        """Note which values have to be known, and what they follow from."""
        for s in reversed(steps):
            self.settings.update(name for i, name in enumerate(s.inputs) if i in s.host)
            of_values = s.call.kind not in _OF_SHAPES
            if of_values and any(name in self.settings for name in s.outputs):
                self.settings.update(s.inputs)
            if of_values and (s.raw or not self.asked.isdisjoint(s.outputs)):
                self.asked.update(s.inputs)
            self.asked.update(name for i, name in enumerate(s.inputs) if i in s.host)

    def step(self, node: Any, versions: Mapping[str, int], given: Mapping[str, Any]) -> Step:
        """Read one node. In the body of a function, attributes may stand for those of its call."""
        self.count += 1
        domain = "" if node.domain == "ai.onnx" else node.domain
        label = node.name or next((name for name in node.output if name), f"number {self.count}")
        opset = self.opset(domain, versions)
        attributes: dict[str, Any] = {}
        for a in node.attribute:
            if a.ref_attr_name:
                if a.ref_attr_name in given:
                    attributes[a.name] = given[a.ref_attr_name]
                continue
            attributes[a.name] = self.attribute(a, f"attribute {a.name} of {node.op_type} (node {label!r})", versions)
        call = Call(node.op_type, label, opset, attributes, tuple([bool(name) for name in node.output]))
        reader = self.reader(node, domain, opset, call)
        return Step(call, reader.function, reader.host, reader.raw, tuple(node.input), tuple(node.output))

    def reader(self, node: Any, domain: str, opset: int, call: Call) -> Reader:
        """Find how an operator is read: by the user's function, the model's, the table, or ONNX's definition.

        Raises
        ------
        GraphFileError: by none of them.
        """
        kind = node.op_type
        name = f"{domain}::{kind}" if domain else kind
        if name in self.more:
            function = self.more[name]
            return Reader(lambda call, *args: function(*args, **call.attributes), (), False, domain)
        own = self.functions.get((node.domain, kind))
        if own is not None:
            return self.as_function(own, {o.domain: o.version for o in own.opset_import}, call)
        found = OPERATORS.get(kind)
        if found is not None and found.domain == domain:
            return found
        import onnx

        if domain == "" and onnx.defs.has(kind):
            schema: Any
            try:
                schema = onnx.defs.get_schema(kind, opset)
            except onnx.defs.SchemaError:
                schema = onnx.defs.get_schema(kind)
            if schema.has_function:
                body = schema.function_body
                defaults = {
                    a.name: self.attribute(a.default_value, a.name, {})
                    for a in schema.attributes.values() if a.default_value.type
                }  # fmt: skip
                call.attributes.update({key: x for key, x in defaults.items() if key not in call.attributes})
                versions = {o.domain: o.version for o in body.opset_import} or self.versions
                return self.as_function(body, versions, call)
        why = "does not read this operator" if domain == "" else f"does not read operators of {domain}"
        raise GraphFileError(
            f"from_onnx: {name} (node {call.name!r}, opset {opset}): latticework {why}. Give a function of its inputs "
            f"and attributes: lw.from_onnx(model, operators={{{name!r}: f}})"
        )

    def as_function(self, body: Any, versions: Mapping[str, int], call: Call) -> Reader:
        """Read the body of a function for one call."""
        attributes = {a.name: self.attribute(a, a.name, versions) for a in getattr(body, "attribute_proto", ())}
        steps = [self.step(node, versions, {**attributes, **call.attributes}) for node in body.node]
        self.mark(steps)
        program = Program(body.input, body.output, steps, {})
        program.fold(frozenset())
        host = tuple([i for i, name in enumerate(body.input) if name in self.settings])
        n = len(body.input)

        def run(call: Call, *args: Any, place: Any, around: Any) -> Any:
            return tuple(program.run(place, {}, [*args, *(None,) * (n - len(args))]))

        return Reader(run, host, True, "")

    # --- values -------------------------------------------------------------------------------------------------------

    def attribute(self, a: Any, where: str, versions: Mapping[str, int]) -> Any:
        """Read an attribute: numbers, strings, tensors as NumPy's arrays, graphs as programs."""
        from onnx import AttributeProto as A
        from onnx import helper

        if a.type == A.TENSOR:
            return self.tensor(a.t, where)
        if a.type == A.SPARSE_TENSOR:
            return self.sparse(a.sparse_tensor)
        if a.type == A.GRAPH:
            return self.graph(a.g, versions or None, inner=True)
        if a.type == A.GRAPHS:
            return [self.graph(g, versions or None, inner=True) for g in a.graphs]
        if a.type in (A.TYPE_PROTO, A.TYPE_PROTOS):
            return None
        x = helper.get_attribute_value(a)
        if isinstance(x, bytes):
            return x.decode("utf-8", "replace")
        if a.type == A.STRINGS:
            return [s.decode("utf-8", "replace") for s in x]
        return [*x] if a.type in (A.INTS, A.FLOATS, A.TENSORS) else x

    def tensor(self, x: Any, where: str) -> np.ndarray[Any, Any]:
        """Read a tensor as NumPy's array."""
        from onnx import checker, numpy_helper

        dtype_of(x.data_type, where)
        try:
            return np.asarray(numpy_helper.to_array(x, self.folder))
        except (ValueError, TypeError, OSError, checker.ValidationError) as error:
            raise GraphFileError(f"from_onnx: {where} is damaged, or its file is not there: {error}") from None

    def sparse(self, x: Any) -> np.ndarray[Any, Any]:
        """Read a sparse tensor as NumPy's array, with its zeros."""
        values, places = (self.tensor(t, f"sparse tensor {x.values.name!r}") for t in (x.values, x.indices))
        found = np.zeros(tuple(x.dims), values.dtype)
        if places.ndim == 1:
            found.reshape(-1)[places] = values
        else:
            found[tuple(places.T)] = values
        return found
