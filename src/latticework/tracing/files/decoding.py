"""Make a graph from its description (see `encoding`), which may be anything: it is neither trusted nor executed.

Functions are looked up by name among the backend's functions. Names that get into source are checked to be names.
Each value has to be computed before it is used.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ...backend.facts import all_facts
from ...core.dtypes import Dtype
from ...core.registry import declared
from ...core.trees import Structure
from ...engine.plans.casting import MODES
from ...errors import GraphFileError
from ...policy import GRADIENTS, Policy, current
from ...promotion import RULES, rule_names
from ..graph import Argument, Graph
from ..nodes import Block, Constant, Location, Node, Operation, Value, values_in
from ..passes.general import Done
from ..results import Output
from .checking import CHECKS
from .decoded_values import Values
from .encoding import CONTROL, POLICY_DTYPES
from .plain_data import (
    DEEPEST,
    LARGEST,
    dtype_named,
    extents,
    fields,
    integer,
    listed,
    name,
    one_of,
    shown,
    text,
    truth,
    wrong,
)  # fmt: skip

if TYPE_CHECKING:
    from ...engine.plans.plan import Plan

__all__ = ["SavedLocation", "decoded", "described_arrays"]

#: Names in plans that are no functions.
_BESIDES = ("getitem", "setitem", "astype", "asarray", "from_dlpack", "")


class SavedLocation(Location):
    """A line of a program whose file may not be here: its text was saved."""

    kept: str = ""

    @property
    def text(self) -> str:
        return self.kept


def described_arrays(data: Any) -> list[tuple[Dtype, tuple[int, ...], str]]:
    """List the dtype, the shape and the order of each array that a description refers to."""
    found = []
    for x in listed(fields_of_graph(data)["arrays"], "the arrays"):
        facts = fields(x, "an array", ("dtype", "shape", "order", "device", "weak", "element"))
        shape = extents(facts["shape"], "the shape of an array")
        if None in shape:
            wrong("the shape of an array has an unknown extent")
        order = one_of(facts["order"], "the order of an array", ("C", "F"))
        found.append((dtype_named(facts["dtype"], "the dtype of an array"), shape, order))
    return found


def fields_of_graph(data: Any) -> dict[str, Any]:
    return fields(data, "the graph", (
        "format", "version", "made by", "backend", "name", "parameters", "policy", "values", "operations", "arrays",
        "block", "arguments", "structure", "static", "outputs", "built", "written",
        "passes",
    ))  # fmt: skip


# --- graphs ----------------------------------------------------------------------------------------------------------


def decoded(data: Any, arrays: list[Any]) -> Graph:
    """Make the graph of a description and of the NumPy arrays beside it.

    Raises
    ------
    GraphFileError: the description is not one of a graph.
    BackendNotInstalledError: the framework of the graph is not installed.
    """
    return _Decoder(fields_of_graph(data), arrays).graph()


class _Decoder(Values):
    """Reads one description."""

    def __init__(self, data: dict[str, Any], arrays: list[Any]) -> None:
        super().__init__(data, arrays)
        self.operations: list[Operation] = []
        for x in listed(data["operations"], "the operations"):
            self.operations.append(self.operation(x))

    def graph(self) -> Graph:
        data = self.data
        block = self.block(data["block"], 0)
        if not all(isinstance(v, Value) for v in block.outputs):
            wrong("the graph gives what is no array")
        structure, built = self.structure(data["structure"]), self.structure(data["built"])
        arguments = [self.argument(x, structure.size) for x in listed(data["arguments"], "the arguments")]
        static = {
            integer(i, "the place of an argument", 0, structure.size): self.tree(x)
            for i, x in (listed(pair, "an argument", 2) for pair in listed(data["static"], "the static arguments"))
        }
        if sorted([*static, *(a.leaf for a in arguments)]) != [*range(structure.size)]:
            wrong("the arguments are not those of its structure")
        parameters = [name(x, "a parameter") for x in listed(data["parameters"], "the parameters")]
        if not len(parameters) == len(arguments) == len(block.inputs):
            wrong(f"there are {len(parameters)} parameters, {len(arguments)} arguments and {len(block.inputs)} inputs")
        outputs = [self.output(x, len(arguments)) for x in listed(data["outputs"], "the results")]
        written = [integer(i, "a written argument", 0, len(arguments)) for i in listed(data["written"], "the written")]
        self.check_results(block, outputs, built, written)
        return Graph(
            name(data["name"], "the name of the function"), self.backend, block, arguments, lambda: parameters,
            structure, static, outputs, built, written, self.policy(data["policy"]), self.passes(data["passes"]),
        )  # fmt: skip

    def passes(self, x: Any) -> list[Done]:
        pairs = [listed(pair, "a simplification", 2) for pair in listed(x, "the simplifications")]
        return [
            Done(text(name, "a simplification"), integer(n, "a number of changes", 0, LARGEST)) for name, n in pairs
        ]

    def check_results(self, block: Block, outputs: list[Output], built: Structure, written: list[int]) -> None:
        """Check that there is a value for each result, of its dtype."""
        arrays = [out for out in outputs if out.sig is not None or out.argument is not None]
        if len(outputs) != built.size or len(block.outputs) != len(arrays) + len(written):
            wrong(f"there are {len(outputs)} results and {len(block.outputs)} values for them")
        for out, value in zip(arrays, block.outputs, strict=False):
            if out.sig is not None and value.dtype is not out.sig.dtype:
                wrong(f"a result of {out.sig.dtype} has a value of {value.dtype}")

    def argument(self, x: Any, n: int) -> Argument:
        leaf, dtype, weak, shape, looked = listed(x, "an argument", 5)
        return Argument(
            integer(leaf, "the place of an argument", 0, n), self.sig(dtype, weak),
            extents(shape, "the shape of an argument"), truth(looked, "an argument's extents"),
        )  # fmt: skip

    def output(self, x: Any, n: int) -> Output:
        kind, value = self.tagged(x)
        if kind == "argument":
            return Output(None, argument=integer(value, "the argument that is a result", 0, n))
        if kind == "result":
            return Output(self.sig(*listed(value, "a result", 2)))
        if kind == "static":
            return Output(None, self.tree(value))
        return wrong(f"a result is {shown(kind)}")

    def policy(self, x: Any) -> Policy:
        found = fields(
            x, "the policy", ("rules", "backend", "chosen", "device", "casting", *POLICY_DTYPES), ("gradients",)
        )  # which files of before do not have
        changes: dict[str, Any] = {
            field: None if optional and found[field] is None else dtype_named(found[field], f"the policy's {field}")
            for field, optional in POLICY_DTYPES.items()
        }
        casting = listed(found["casting"], "the casting modes")
        changes["casting"] = tuple([one_of(mode, "a casting mode", MODES) for mode in casting])
        changes["gradients"] = one_of(found.get("gradients", "unified"), "whose slopes", GRADIENTS)
        changes["rules"] = RULES[one_of(found["rules"], "the rule set", rule_names())]
        changes["backend"] = one_of(found["backend"], "the policy's backend", all_facts())
        changes["chosen"] = truth(found["chosen"], "the policy's choice")
        changes["device"] = None if found["device"] is None else text(found["device"], "the policy's device")
        return current()._with(**changes)

    # --- nodes --------------------------------------------------------------------------------------------------------

    def block(self, x: Any, depth: int) -> Block:
        if depth > DEEPEST:
            wrong("its blocks are nested too deep")
        found = fields(x, "a block", ("inputs", "nodes", "outputs"))
        inputs = [self.number(i) for i in listed(found["inputs"], "the inputs of a block")]
        for v in inputs:
            if id(v) in self.known:
                wrong("an input of a block is a value that was computed before")
            self.known.add(id(v))
        block = Block(inputs)
        for node in listed(found["nodes"], "the nodes of a block"):
            block.nodes.append(self.node(node, depth))
        block.outputs = self.tree(listed(found["outputs"], "what a block gives"))
        return block

    def node(self, x: Any, depth: int) -> Node:
        found = fields(
            x, "a call", ("function", "args", "kwargs", "result"), ("name", "operation", "writes", "out", "blocks")
        )
        key = tuple([text(part, "the name of a function") for part in listed(found["function"], "a function")])
        try:
            entry = self.traced.named(key)
        except (LookupError, TypeError) as error:
            raise GraphFileError(f"the graph calls a function that is not here: {error}") from None
        args, kwargs = self.tree(found["args"]), self.tree(found["kwargs"])
        if type(args) is not tuple or type(kwargs) is not dict:
            wrong("the arguments of a call are no tuple and dict")
        for parameter in kwargs:
            name(parameter, "the name of an argument")
        outer = {*self.known}
        blocks = [self.block(b, depth + 1) for b in listed(found.get("blocks", []), "blocks")]
        self.known = outer  # what a block computes is not known outside of it
        result = self.tree(found["result"], made=True)
        node = Node(
            entry.function, self.node_name(found, entry.name), args, kwargs, result,
            self.operation_number(found.get("operation")),
            self.known_value(found["writes"]) if "writes" in found else None, tuple(blocks),
            self.known_value(found["out"]) if "out" in found else None,
        )  # fmt: skip
        _check_call(node)
        self.known |= {id(v) for v in values_in(result)}
        if node.out is not None:
            self.check_memory(node, node.out)
        return node

    def check_memory(self, node: Node, out: Value) -> None:
        """Check that a result may take the memory of a value. The value cannot be used after that."""
        result = node.result
        like = isinstance(result, Value) and result.dtype is out.dtype and result.shape == out.shape
        if not like or isinstance(out, Constant) or not any(v is out for v in node.operands) or not _is_ufunc(node):
            wrong(f"the result of {node.name} cannot take the memory of that value")
        self.known.discard(id(out))

    def node_name(self, found: dict[str, Any], usual: str) -> str:
        if "name" not in found:
            return usual
        if usual in CONTROL:
            wrong(f"{usual} is called {shown(found['name'])}")
        name = text(found["name"], "what a call computes")
        own = name.removeprefix("reflected ")
        if declared(own) is None:
            one_of(own, "what a call computes", ("index",))
        return name

    # --- operations ---------------------------------------------------------------------------------------------------

    def operation_number(self, x: Any) -> Operation | None:
        return None if x is None else self.operations[integer(x, "an operation", 0, len(self.operations))]

    def operation(self, x: Any) -> Operation:
        found = fields(x, "an operation", ("plan", "location", "parent"))
        at = None
        if found["location"] is not None:
            file, line, kept = listed(found["location"], "a line", 3)
            at = SavedLocation(text(file, "a file"), integer(line, "the number of a line", 0, LARGEST))
            at.kept = text(kept, "a line")
        return Operation(self.plan(found["plan"]), at, self.operation_number(found["parent"]))

    def plan(self, x: Any) -> Plan:
        from ...engine.plans.plan import Plan, _unpickled

        names = [field for field in Plan._fields if field != "backend"]
        found = {field: self.tree(value) for field, value in fields(x, "a plan", names).items()}
        for field in ("op", "function"):
            if type(found[field]) is not str or declared(found[field]) is None:
                one_of(found[field], "the function of a plan", _BESIDES)
        one_of(found["how"], "how a plan computes", ("native", "emulated", "composed"))
        found["rules"] = RULES[one_of(found["rules"], "the rule set of a plan", rule_names())]
        for field in ("call", "device", "mode"):
            found[field] = None if found[field] is None else text(found[field], f"the {field} of a plan")
        _check_plan(found)
        plan = Plan(backend=self.traced.name, **found)
        try:
            return _unpickled(*plan)
        except (LookupError, AttributeError, TypeError, ValueError) as error:
            raise GraphFileError(
                f"the graph has a plan of {plan.op} that is not one of this version: {error}"
            ) from None


def _check_plan(found: dict[str, Any]) -> None:
    """Check that the facts of a plan are of the kinds that a plan has."""

    def dtypes(x: Any, optional: bool = False) -> bool:
        return type(x) is tuple and all(isinstance(d, Dtype) or (optional and d is None) for d in x)

    operands, shapes = found["operands"], found["shapes"]
    if not (
        dtypes(found["out"]) and dtypes(found["native_out"], True) and dtypes(found["casts"], True)
        and type(operands) is tuple and all(isinstance(x, (Dtype, type)) for x in operands)
        and len(operands) >= 0 and isinstance(found["computed"], Dtype)
        and isinstance(found["accumulate"], (Dtype, type(None)))
        and isinstance(found["refused"], (Dtype, type(None))) and type(found["weak"]) is bool
        and isinstance(found["array_dtype"], (Dtype, type(None)))
        and (shapes is None or (type(shapes) is tuple and all(type(s) is tuple for s in shapes)))
    ):  # fmt: skip
        wrong(f"the plan of {shown(found['op'])} is none")


def _is_ufunc(node: Node) -> bool:
    return hasattr(node.function, "nin") and hasattr(node.function, "reduceat")


def _check_call(node: Node) -> None:
    """Check that a function takes these arguments, and a branch or loop its blocks."""
    if node.name in CONTROL:
        if (node.kwargs and node.name not in ("scan", "function")) or not CHECKS[node.name](node):
            wrong(f"a {node.name} does not have the arguments, the blocks and the results of one")
        return
    if node.blocks:
        wrong(f"{node.name} has blocks")
    try:
        signature = inspect.signature(node.function)
    except (TypeError, ValueError):
        arity = getattr(node.function, "nin", None)  # NumPy's ufuncs
        if arity is not None and not arity <= len(node.args) <= arity + node.function.nout:  # type: ignore[attr-defined]
            wrong(f"{node.name} takes {arity} arguments, and has {len(node.args)}")
        return
    try:
        signature.bind(*node.args, **node.kwargs)
    except TypeError as error:
        wrong(f"the call of {node.name}: {error}")
