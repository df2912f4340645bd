"""Make a graph from its description (see `encoding`), which may be anything: it is neither trusted nor executed.

Functions are looked up by name among the backend's functions. Names that get into source are checked to be names.
Each value has to be computed before it is used.
"""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from ...backend import get
from ...backend.facts import all_facts
from ...core.dtypes import Dtype, all_dtypes, extended_dtypes
from ...core.registry import declared
from ...core.trees import LEAF, Structure
from ...engine.arrays.array import wrapped
from ...engine.plans.casting import MODES
from ...errors import GraphFileError
from ...policy import GRADIENTS, Policy, current
from ...promotion import RULES, rule_names
from ..graph import Argument, Graph, Output
from ..nodes import Block, Constant, Location, Node, Operation, Value, values_in
from ..passes.general import Done
from .checking import CHECKS
from .encoding import CONTROL, LONGEST, POLICY_DTYPES, RESULTS

if TYPE_CHECKING:
    from ...backend import Backend
    from ...core.signature import Sig
    from ...engine.plans.plan import Plan

__all__ = ["SavedLocation", "decoded", "described_arrays"]

_DTYPES = {str(dtype): dtype for dtype in (*all_dtypes, *extended_dtypes)}
_SCALAR_TYPES = {"bool": bool, "int": int, "float": float, "complex": complex, "None": type(None)}
_WIDEST = 1 << 12  # bits of an int
_DEEPEST = 60  # containers in each other, and blocks
_LARGEST = 1 << 62  # an extent
#: Names in plans that are no functions.
_BESIDES = ("getitem", "setitem", "astype", "asarray", "from_dlpack", "")


class SavedLocation(Location):
    """A line of a program whose file may not be here: its text was saved."""

    kept: str = ""

    @property
    def text(self) -> str:
        return self.kept


def wrong(why: str) -> NoReturn:
    raise GraphFileError(f"the file is damaged, or no graph: {why}")


# --- plain data ------------------------------------------------------------------------------------------------------


def fields(x: Any, what: str, needed: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
    """Check that x is a dict with these keys and no others."""
    if type(x) is not dict:
        wrong(f"{what} is {_shown(x)}")
    missing = [name for name in needed if name not in x]
    beyond = [name for name in x if name not in needed and name not in optional]
    if missing or beyond:
        wrong(f"{what} has no {', '.join(missing)}" if missing else f"{what} has {_shown(beyond[0])}")
    found: dict[str, Any] = x
    return found


def listed(x: Any, what: str, size: int | None = None) -> list[Any]:
    if type(x) is not list or (size is not None and len(x) != size):
        wrong(f"{what} is {_shown(x)}" + (f", which has no {size} parts" if size is not None else ""))
    found: list[Any] = x
    return found


def integer(x: Any, what: str, low: int, high: int) -> int:
    if type(x) is not int or not low <= x < high:
        wrong(f"{what} is {_shown(x)}; it is at least {low} and below {high}")
    return x


def truth(x: Any, what: str) -> bool:
    if type(x) is not bool:
        wrong(f"{what}: {_shown(x)}, neither true nor false")
    return x


def text(x: Any, what: str) -> str:
    """Check that x is a short text of characters that can be printed, on one line."""
    if type(x) is not str or len(x) > LONGEST or not x.isprintable():
        wrong(f"{what} is {_shown(x)}")
    return x


def name(x: Any, what: str) -> str:
    """Check that x is a name that may stand in source."""
    if not text(x, what).isidentifier() or keyword.iskeyword(x) or x in ("__builtins__", "__debug__"):
        wrong(f"{what} is {_shown(x)}, which is no name")
    found: str = x
    return found


def _wanted(x: Any) -> str:
    """Check the wanted name of a constant. The source replaces characters in it that cannot stand in a name."""
    found = text(x, "the name of a constant")
    if not "".join(c if c.isalnum() else "_" for c in f"_{found}").isidentifier():
        wrong(f"the name of a constant is {_shown(x)}")
    return found


def one_of(x: Any, what: str, allowed: Sequence[str] | frozenset[str] | dict[str, Any]) -> str:
    if type(x) is not str or x not in allowed:
        wrong(f"{what} is {_shown(x)}")
    return x


def dtype_named(x: Any, what: str) -> Dtype:
    return _DTYPES[one_of(x, what, _DTYPES)]


def extents(x: Any, what: str) -> tuple[Any, ...]:
    sizes = listed(x, what)
    if len(sizes) > 64:
        wrong(f"{what} has {len(sizes)} axes")
    return tuple([None if n is None else integer(n, what, 0, _LARGEST) for n in sizes])


def _shown(x: Any) -> str:
    return f"{x!r:.80}" if isinstance(x, (str, int, float, type(None))) else f"a {type(x).__name__}"


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


class _Decoder:
    """Reads one description."""

    def __init__(self, data: dict[str, Any], arrays: list[Any]) -> None:
        self.data = data
        frameworks = [key for key, facts in all_facts().items() if facts.framework]
        self.backend: Backend = get(one_of(data["backend"], "the backend", frameworks))
        self.devices: dict[str, Any] = {}
        self.traced: Any = get(f"traced:{self.backend.name}")
        self.arrays = [
            self.native(x, facts) for x, facts in zip(arrays, listed(data["arrays"], "the arrays"), strict=True)
        ]
        self.values = [self.value(x) for x in listed(data["values"], "the values")]
        self.known: set[int] = {id(v) for v in self.values if isinstance(v, Constant)}
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
            Done(text(name, "a simplification"), integer(n, "a number of changes", 0, _LARGEST)) for name, n in pairs
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

    def sig(self, dtype: Any, weak: Any) -> Sig:
        found = self.backend.sig(dtype_named(dtype, "the dtype of an array"))
        return found.weakly if truth(weak, "whether an array is weak") else found

    def output(self, x: Any, n: int) -> Output:
        kind, value = self.tagged(x)
        if kind == "argument":
            return Output(None, argument=integer(value, "the argument that is a result", 0, n))
        if kind == "result":
            return Output(self.sig(*listed(value, "a result", 2)))
        if kind == "static":
            return Output(None, self.tree(value))
        wrong(f"a result is {_shown(kind)}")

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

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, x: Any) -> Value:
        if type(x) is dict:
            found = fields(x, "a constant", ("native", "name", "held"))
            native = self.arrays[self.array_number(found["native"])]
            dtype = self.backend.dtypes[self.backend.dtype_of(native)]
            return Constant(
                native, dtype, tuple(self.backend.shape_of(native)), _wanted(found["name"]),
                truth(found["held"], "whether the program holds a constant"),
            )  # fmt: skip
        dtype, shape, inputs, element = listed(x, "a value", 4)
        bits = 1 << len(listed(self.data["arguments"], "the arguments"))
        return Value(
            dtype_named(dtype, "the dtype of a value"), extents(shape, "the shape of a value"),
            integer(inputs, "the inputs of a value", 0, bits), truth(element, "whether a value is an element"),
        )  # fmt: skip

    def array_number(self, x: Any) -> int:
        return integer(x, "the number of an array", 0, len(self.arrays))

    def native(self, data: Any, facts: dict[str, Any]) -> Any:
        """Make the framework's array with these elements."""
        backend = self.backend
        backend.sig(dtype_named(facts["dtype"], "the dtype of an array"))
        device = self.device(facts["device"])
        if facts["order"] == "F" and data.ndim > 1 and not backend.facts.immutable:
            permuted: Any = backend.function("permute_dims")
            found = permuted(backend.from_numpy(data.T, device, True), tuple(range(data.ndim))[::-1])
        else:
            found = backend.from_numpy(data, device, True)
        if truth(facts["element"], "whether an array is an element"):
            if data.shape != () or backend.name != "numpy":
                wrong(f"an array of the shape {data.shape} is said to be an element")
            found = found[()]
        if truth(facts["weak"], "whether an array is weak") and backend.weakened is not None:
            found = backend.weakened(found)
        return found

    def device(self, x: Any) -> Any:
        """Return the framework's device of a name: one object for each name."""
        try:
            if x not in self.devices:
                self.devices[x] = self.backend.native_device(str(self.backend.device(text(x, "a device"))))
            return self.devices[x]
        except (ValueError, TypeError) as error:
            raise GraphFileError(f"the graph uses a device that is not here: {error}") from None

    def number(self, x: Any) -> Value:
        """Return the value with a number."""
        return self.values[integer(x, "the number of a value", 0, len(self.values))]

    def known_value(self, x: Any) -> Value:
        """Return the value with a number, which must have been computed before."""
        found = self.number(x)
        if id(found) not in self.known:
            wrong(f"value {x} is used before it is computed")
        return found

    # --- nodes --------------------------------------------------------------------------------------------------------

    def block(self, x: Any, depth: int) -> Block:
        if depth > _DEEPEST:
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
            wrong(f"{usual} is called {_shown(found['name'])}")
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
            at = SavedLocation(text(file, "a file"), integer(line, "the number of a line", 0, _LARGEST))
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

    # --- trees --------------------------------------------------------------------------------------------------------

    def structure(self, x: Any, depth: int = 0) -> Structure:
        if depth > _DEEPEST:
            wrong("its arguments are nested too deep")
        if x == "leaf":
            return LEAF
        if x is None:
            return Structure(type(None))
        kind, parts = self.tagged(x)
        if kind == "dict":
            pairs = [listed(pair, "a pair of a dict", 2) for pair in listed(parts, "a dict")]
            keys = [_key(key) for key, _ in pairs]
            if len({*keys}) < len(keys):
                wrong("a dict has a key twice")
            found = {key: self.structure(child, depth + 1) for key, (_, child) in zip(keys, pairs, strict=True)}
            try:
                ordered = sorted(keys)
            except TypeError:
                wrong("a dict has names and ints as keys")
            order = None if ordered == keys else tuple(keys)
            return Structure(dict, tuple(ordered), tuple([found[key] for key in ordered]), order=order)
        if kind == "result":
            result, parts = listed(parts, "a result", 2)
            module = import_module(f"latticework.api.{RESULTS[one_of(result, 'a result', RESULTS)]}")
            named: Any = getattr(module, result)
            children = tuple([self.structure(y, depth + 1) for y in listed(parts, result, len(named._fields))])
            return Structure(named, named._fields, children)
        container = {"tuple": tuple, "list": list}[one_of(kind, "a container", ("tuple", "list"))]
        children = tuple([self.structure(y, depth + 1) for y in listed(parts, "a container")])
        return Structure(container, tuple(range(len(children))), children)

    def tagged(self, x: Any) -> tuple[str, Any]:
        """Return the key and the value of a dict with one key."""
        if type(x) is not dict or len(x) != 1:
            wrong(f"{_shown(x)} is no description")
        ((kind, value),) = x.items()
        return kind, value

    def tree(self, x: Any, made: bool = False, depth: int = 0) -> Any:
        """Make a tree of values and plain data.

        Parameters
        ----------
        made: whether its values are the results of a call, which are not known yet.
        """
        if depth > _DEEPEST:
            wrong("its data are nested too deep")
        if x is None or type(x) in (bool, float):
            return x
        if type(x) is int:
            return integer(x, "a number", -(1 << _WIDEST), 1 << _WIDEST)
        if type(x) is str:
            return x if len(x) <= LONGEST else wrong("a text is too long")
        if type(x) is list:
            return [self.tree(y, made, depth + 1) for y in x]
        kind, value = self.tagged(x)
        if kind == "value":
            return self.number(value) if made else self.known_value(value)
        if kind == "tuple":
            return tuple([self.tree(y, made, depth + 1) for y in listed(value, "a tuple")])
        if kind == "slice":
            return slice(*[self.tree(y, made, depth + 1) for y in listed(value, "a slice", 3)])
        if kind == "dict":
            pairs = [listed(pair, "a pair of a dict", 2) for pair in listed(value, "a dict")]
            return {_key(key): self.tree(y, made, depth + 1) for key, y in pairs}
        if kind not in _LEAVES:
            wrong(f"{_shown(kind)} is no kind of data")
        read: Callable[[Any], Any] = getattr(self, f"read_{kind.replace(' ', '_')}")
        return read(value)

    def read_ellipsis(self, x: Any) -> Any:
        return Ellipsis if x is None else wrong("an ellipsis has a value")

    def read_float(self, x: Any) -> float:
        return float(one_of(x, "a number", ("nan", "inf", "-inf")))

    def read_complex(self, x: Any) -> complex:
        real, imag = [self.tree(y) for y in listed(x, "a complex number", 2)]
        if type(real) is not float or type(imag) is not float:
            wrong("the parts of a complex number are no floats")
        return complex(real, imag)

    def read_dtype(self, x: Any) -> Dtype:
        return dtype_named(x, "a dtype")

    def read_native_dtype(self, x: Any) -> Any:
        dtype = dtype_named(x, "a dtype")
        self.backend.sig(dtype)
        return self.backend.native_dtypes[dtype]

    def read_type(self, x: Any) -> type:
        return _SCALAR_TYPES[one_of(x, "the class of a scalar", _SCALAR_TYPES)]

    def read_device(self, x: Any) -> Any:
        return self.device(x)

    def read_native(self, x: Any) -> Any:
        return self.arrays[self.array_number(x)]

    def read_array(self, x: Any) -> Any:
        number, dtype, weak = listed(x, "an array", 3)
        data, sig = self.arrays[self.array_number(number)], self.sig(dtype, weak)
        if self.backend.dtypes[self.backend.dtype_of(data)] is not sig.dtype:
            wrong(f"an array is said to be of {sig.dtype}")
        return wrapped(self.backend.native(data), sig)

    def read_scalar(self, x: Any) -> Any:
        """A scalar of NumPy's."""
        import numpy as np

        dtype, value = listed(x, "a scalar", 2)
        native = get("numpy").native_dtypes.get(dtype_named(dtype, "the dtype of a scalar"))
        value = self.tree(value)
        if native is None or type(value) not in (bool, int, float, complex):
            wrong(f"a scalar of {dtype} is {_shown(value)}")
        try:
            return np.asarray(value, dtype=native)[()]
        except (OverflowError, TypeError, ValueError) as error:
            wrong(f"a scalar of {dtype}: {error}")


_LEAVES = frozenset(
    ("ellipsis", "float", "complex", "dtype", "native dtype", "type", "device", "native", "array", "scalar")
)


def _key(x: Any) -> Any:
    """A key of a dict."""
    if type(x) not in (str, int) or (type(x) is str and not x.isprintable()):
        wrong(f"the key of a dict is {_shown(x)}")
    return x


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
        wrong(f"the plan of {_shown(found['op'])} is none")


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
