"""Describe a graph in plain data, which JSON can hold, and arrays beside it. `decoding` reads it.

The format, version 1
---------------------
A value that is no list, number, text, bool or null is a dict with one key, which names its kind::

    {"tuple": [...]}  {"dict": [[key, value], ...]}  {"slice": [start, stop, step]}  {"ellipsis": null}
    {"float": "nan"}  ("inf", "-inf")  {"complex": [real, imaginary]}
    {"dtype": "float32"}           a dtype of latticework
    {"native dtype": "float32"}    the framework's dtype of that name
    {"scalar": ["int64", 3]}       a scalar of NumPy's
    {"device": "cuda:0"}           the framework's device of that name
    {"type": "float"}              the class of a Python scalar, among the operands of a plan
    {"value": 5}                   the sixth of "values"
    {"native": 0}                  the framework's array that is the first of "arrays"
    {"array": [0, "float32", weak]}  an lw.Array of it

A function is a list of texts that the backend finds it by, such as ``["function", "add", "float32"]`` or
``["cast", "float32"]``; see `tracing.recording.registry`. Nothing else is ever looked up.
"""

from __future__ import annotations

import keyword
import math
import platform
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...core.dtypes import Dtype
from ...core.trees import Structure
from ...engine.arrays.array import Array
from ...errors import GraphFileError, TraceError
from ...promotion import RULES
from ..nodes import Block, Constant, Location, Node, Operation, Value

if TYPE_CHECKING:
    from ...engine.plans.plan import Plan
    from ...policy import Policy
    from ...promotion import Rules
    from ..graph import Graph

__all__ = ["CONTROL", "LONGEST", "POLICY_DTYPES", "RESULTS", "VERSION", "Encoder", "printable"]

#: The version of the format. Files of a higher one are refused.
VERSION = 1
#: The named tuples that functions of latticework return -> the module of each. Others are saved as plain tuples.
RESULTS = {
    "TopKResult": "sorting", "LstsqResult": "linalg.solvers", "LUResult": "linalg.solvers",
    "LUFactors": "linalg.solvers", "PolarResult": "linalg.matrix_functions", "SchurResult": "linalg.matrix_functions",
    "EigResult": "linalg.extension", "EighResult": "linalg.extension", "QRResult": "linalg.extension",
    "SlogdetResult": "linalg.extension", "SVDResult": "linalg.extension", "UniqueAllResult": "sets",
    "UniqueCountsResult": "sets", "UniqueInverseResult": "sets", "HistogramResult": "histograms",
    "Histogram2dResult": "histograms", "HistogramddResult": "histograms",
}  # fmt: skip
#: The most characters of a text in a file.
LONGEST = 1 << 12
#: The nodes of control flow and of transformations, which are written by their names.
CONTROL = (
    "switch", "while_loop", "scan", "vjp", "gradient", "jvp", "vmap", "custom_gradient", "custom_rules", "checkpoint",
    "pullback", "function",
)  # fmt: skip
#: The fields of a policy that are dtypes, and whether each may be None.
POLICY_DTYPES = {
    "default_float": False, "default_int": False, "set_uint": True, "set_complex": True, "set_dtype": True,
}  # fmt: skip
_AS_THEY_ARE = frozenset((type(None), bool, int, str))
_SCALAR_TYPES = {bool: "bool", int: "int", float: "float", complex: "complex", type(None): "None"}


def printable(text: str) -> str:
    """A text on one line, of characters that can be printed."""
    return "".join(c if c.isprintable() else " " for c in text)


class Encoder:
    """Describes one graph.

    Attributes
    ----------
    data: the description.
    arrays: the arrays that it refers to by number, of NumPy.
    """

    def __init__(self, graph: Graph) -> None:
        from ...backend import get

        if graph._changed or graph.binds or graph._once is not None:
            raise TraceError(
                "a graph that writes into arrays that the program holds, or into one that is given twice, is of this "
                "process alone. Give such arrays to the function, each once, and return what they become"
            )
        self.graph = graph
        self.backend = graph._backend
        recorder: Any = get(f"traced:{self.backend.name}")
        self.registry = recorder.registry
        self.arrays: list[Any] = []
        self._array_facts: list[dict[str, Any]] = []
        self._array_numbers: dict[int, int] = {}
        self._values: list[Any] = []
        self._value_numbers: dict[int, int] = {}
        self._operations: list[Any] = []
        self._operation_numbers: dict[int, int] = {}
        self._kept: list[Any] = []  # whose ids are keys
        self.data = self._graph()

    def _graph(self) -> dict[str, Any]:
        graph = self.graph
        if graph.numbers:
            raise GraphFileError(
                "save: a graph that has Python numbers as inputs cannot be saved. Trace the function with lw.trace, "
                "where numbers are constants, or give them as arrays"
            )
        block = self.block(graph.block)
        static = [[i, self.named(f"the argument {x!r:.60}", x)] for i, x in graph.static.items()]
        outputs = [self.output(out) for out in graph.outputs]
        return {
            "format": "latticework graph", "version": VERSION, "made by": _versions(self.backend.name),
            "backend": self.backend.name, "name": graph.name,
            "parameters": [_identifier(p) for p in graph.parameters],
            "policy": self.policy(graph.policy), "values": self._values, "operations": self._operations,
            "arrays": self._array_facts, "block": block,
            "arguments": [[a.leaf, str(a.sig.dtype), a.sig.weak, [*a.shape], a.looked] for a in graph.arguments],
            "structure": self.structure(graph.structure), "static": static, "outputs": outputs,
            "built": self.structure(graph.built), "written": graph.written,
            "passes": [[*done] for done in graph.passes],
        }  # fmt: skip

    def output(self, out: Any) -> Any:
        if out.argument is not None:
            return {"argument": out.argument}
        if out.sig is not None:
            return {"result": [str(out.sig.dtype), out.sig.weak]}
        return {"static": self.named(f"the result {out.static!r:.60}", out.static)}

    # --- nodes --------------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> dict[str, Any]:
        inputs = [self.value(v) for v in block.inputs]
        nodes = [self.node(node) for node in block.nodes]
        return {"inputs": inputs, "nodes": nodes, "outputs": self.tree(block.outputs)}

    def node(self, node: Node) -> dict[str, Any]:
        from ..recording.registry import LOCAL

        entry = self.registry.entry(LOCAL.get(node.name, node.function))
        what = f"the call of {_name(node)}"
        if entry is None or not entry.key:
            raise GraphFileError(
                f"save: {what} cannot be saved: it calls {getattr(node.function, '__name__', node.function)!s}, which "
                f"is no function that the {self.backend.name} backend has by name"
            )
        found = {
            "function": [*entry.key], "args": self.named(what, node.args), "kwargs": self.named(what, node.kwargs),
            "result": self.named(what, node.result),
        }  # fmt: skip
        if node.name != entry.name:
            found["name"] = node.name
        if node.operation is not None:
            found["operation"] = self.operation(node.operation)
        for field, value in (("writes", node.writes), ("out", node.out)):
            if value is not None:
                found[field] = self.value(value)
        if node.blocks:
            found["blocks"] = [self.block(block) for block in node.blocks]
        return found

    def value(self, value: Value) -> int:
        """The number of a value."""
        found = self._value_numbers.get(id(value))
        if found is None:
            self._kept.append(value)
            found = self._value_numbers[id(value)] = len(self._values)
            if isinstance(value, Constant):
                self._values.append({"native": self.array(value.native), "name": value.name, "held": value.held})
            else:
                self._values.append([str(value.dtype), [*value.shape], value.inputs, value.element])
        return found

    def array(self, native: Any) -> int:
        """The number of a framework's array among the arrays that are saved."""
        found = self._array_numbers.get(id(native))
        if found is None:
            backend = self.backend
            plain = backend.native(native)
            data = backend.to_numpy(plain, None, None)
            dtype = backend.dtypes[backend.dtype_of(native)]
            by_columns = data.flags.f_contiguous and not data.flags.c_contiguous
            self._kept.append(native)
            found = self._array_numbers[id(native)] = len(self.arrays)
            self.arrays.append(data)
            self._array_facts.append({
                "dtype": str(dtype), "shape": [*data.shape],
                "order": "F" if by_columns and not self.backend.facts.immutable else "C",
                "device": str(backend.device_of(plain)), "weak": bool(getattr(native, "weak_type", False)),
                "element": plain is not native,
            })  # fmt: skip
        return found

    # --- operations ---------------------------------------------------------------------------------------------------

    def operation(self, operation: Operation) -> int:
        """The number of an operation."""
        found = self._operation_numbers.get(id(operation))
        if found is None:
            parent = None if operation.parent is None else self.operation(operation.parent)
            self._kept.append(operation)
            found = self._operation_numbers[id(operation)] = len(self._operations)
            self._operations.append(
                {"plan": self.plan(operation.plan), "location": _location(operation.location), "parent": parent}
            )
        return found

    def plan(self, plan: Plan) -> dict[str, Any]:
        """Describe a plan by its facts. Its kernel is found again by them."""
        fields = plan._replace(backend=None, rules=None, call=None, device=None)._asdict()  # type: ignore[arg-type]
        found = {name: self.named(f"the plan of {plan.op}", x) for name, x in fields.items()}
        named: dict[str, Any] = {
            "rules": _rules(plan.rules), "call": printable(str(getattr(plan.call, "__name__", ""))),
            "device": None if plan.device is None else printable(str(plan.device)),
        }  # fmt: skip
        del found["backend"]
        return found | named

    def policy(self, policy: Policy) -> dict[str, Any]:
        dtypes = {name: getattr(policy, name) for name in POLICY_DTYPES}
        return {
            "rules": _rules(policy.rules), "backend": policy.backend, "chosen": policy.chosen,
            "device": policy.device, "casting": [*policy.casting],
            "gradients": policy.gradients,
            **{name: None if dtype is None else str(dtype) for name, dtype in dtypes.items()},
        }  # fmt: skip

    # --- trees --------------------------------------------------------------------------------------------------------

    def structure(self, s: Structure) -> Any:
        """Describe the structure of arguments or results."""
        children = [self.structure(child) for child in s.children]
        if s.kind is None:
            return "leaf"
        if s.kind is type(None):
            return None
        if s.kind is list or s.kind is tuple:
            return {s.kind.__name__: children}
        if hasattr(s.kind, "_fields"):
            name = s.kind.__name__
            ours = s.kind.__module__ == f"latticework.api.{RESULTS.get(name)}"
            return {"result": [name, children]} if ours else {"tuple": children}
        if s.kind is dict and all(type(key) in (str, int) for key in s.keys):
            found = dict(zip(s.keys, children, strict=True))
            return {"dict": [[key, found[key]] for key in s.order or s.keys]}
        raise GraphFileError(
            f"save: a container of {s.kind.__name__} with the keys {[*s.keys]} cannot be saved. Lists, tuples, and "
            f"dicts with names or ints as keys can"
        )

    def named(self, what: str, x: Any) -> Any:
        """Describe a tree; the error names its owner."""
        try:
            return self.tree(x)
        except _UnknownError as unknown:
            raise GraphFileError(f"save: {what} cannot be saved: it has {unknown}") from None

    def tree(self, x: Any) -> Any:
        """Describe a tree of values and plain data."""
        kind = type(x)
        if isinstance(x, Value):
            return {"value": self.value(x)}
        if kind in _AS_THEY_ARE or (kind is float and math.isfinite(x)):
            return x
        if isinstance(x, tuple):
            return {"tuple": [self.tree(y) for y in x]}
        if kind is list:
            return [self.tree(y) for y in x]
        if kind is dict:
            return {"dict": [[self.tree(k), self.tree(v)] for k, v in x.items()]}
        return self._leaf(x)

    def _leaf(self, x: Any) -> dict[str, Any]:
        kind, backend = type(x), self.backend
        if kind is slice:
            return {"slice": [self.tree(y) for y in (x.start, x.stop, x.step)]}
        if kind is float:
            return {"float": str(x)}
        if kind is complex:
            return {"complex": [self.tree(x.real), self.tree(x.imag)]}
        if x is Ellipsis:
            return {"ellipsis": None}
        if isinstance(x, Dtype):
            return {"dtype": str(x)}
        if isinstance(x, type) and x in _SCALAR_TYPES:
            return {"type": _SCALAR_TYPES[x]}
        if isinstance(x, Array) and x._sig.backend is self.backend:
            return {"array": [self.array(x._data), str(x._sig.dtype), x._sig.weak]}
        if isinstance(x, backend.dtype_class) and x in backend.dtypes:
            return {"native dtype": str(self.backend.dtypes[x])}
        if isinstance(x, backend.arrays):
            return {"native": self.array(x)}
        scalar = _numpy_scalar(x)
        if scalar is not None:
            return {"scalar": [scalar, self.tree(x.item())]}
        for name in backend.devices():
            native = backend.native_device(name)
            if type(native) is kind and native == x:
                return {"device": name}
        raise _UnknownError(f"{x!r:.60} of the class {kind.__module__}.{kind.__qualname__}, for which there is no text")


class _UnknownError(Exception):
    """A leaf that has no description."""


def _numpy_scalar(x: Any) -> str | None:
    """The name of the dtype of a scalar of NumPy's, None for anything else."""
    import numpy as np

    from ...backend import get

    found = get("numpy").dtypes.get(x.dtype) if isinstance(x, np.generic) else None
    return str(found) if found is not None else None


def _identifier(name: str) -> str:
    """The name of an argument as it may stand in source."""
    plain = "".join(c if c.isalnum() else "_" for c in name)
    plain = plain if plain.isidentifier() else f"_{plain}"
    return f"{plain}_" if keyword.iskeyword(plain) else plain if plain.isidentifier() else "argument"


def _location(at: Location | None) -> list[Any] | None:
    return None if at is None else [printable(at.file)[-LONGEST:], at.line, printable(at.text)[:LONGEST]]


def _rules(rules: Rules) -> str:
    try:
        known = RULES[rules.name] is rules
    except ValueError:
        known = False
    if not known:
        raise GraphFileError(
            f"save: the rules {rules.name!r} are the program's own, and a file names rules only. Trace the function "
            f"under one of the named rule sets (lw.rule_names())"
        )
    return rules.name


def _name(node: Node) -> str:
    """A node's function in words, with its line."""
    at = node.operation.location if node.operation is not None else None
    return f"{node.name} ({at})" if at is not None else node.name


def own_version() -> str:
    """The version of latticework, which stands above this module."""
    version: str = sys.modules["latticework"].__version__
    return version


def _versions(backend: str) -> dict[str, str]:
    from ...backend import version_of

    versions: Iterable[tuple[str, str | None]] = (
        ("latticework", own_version()), (backend, version_of(backend)), ("python", platform.python_version()),
    )  # fmt: skip
    return {name: version or "" for name, version in versions}
