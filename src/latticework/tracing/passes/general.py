"""Simplifications: small functions that change a block of nodes, which computes the same bits afterwards.

None changes a dtype, a bit, or whether an error is raised. Each is on or off by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from math import copysign
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import nearest
from ..nodes import Block, Constant, Node, Value, mapped, values_in
from . import torch_calls
from .liveness import NEW_EACH_TIME, Facts, all_blocks, harmless, name_of, writes
from .numpy_programs import MERGED, axes, divides, divisors, memory, number, numbers, order

if TYPE_CHECKING:
    from ...backend import Backend

__all__ = ["PASSES", "Done", "check_passes", "simplified"]


class Done(NamedTuple):
    """The result of a simplification.

    Attributes
    ----------
    name: its name.
    changes: the number of nodes that it took away or changed.
    """

    name: str
    changes: int

    def __str__(self) -> str:
        return f"{self.name}: {self.changes}"


Pass = Callable[[Block, Facts, "Backend"], int]


def copies(block: Block, facts: Facts, backend: Backend) -> int:
    """Use a constant itself where its copy is never written into and never returned."""
    replaced: dict[int, Any] = {}
    for node in block.nodes:
        if node.name == "copy" and isinstance(node.args[0], Constant):
            (result,) = node.results
            if id(result) not in facts.shared and id(result) not in facts.leaving:
                replaced[id(result)] = node.args[0]
    return _replace(block, replaced)


def casts(block: Block, facts: Facts, backend: Backend) -> int:
    """Leave out a cast to a wider dtype and back: use the operand of the first cast."""
    made: dict[int, Node] = {}
    replaced: dict[int, Any] = {}
    returned = facts.leaving
    for node in block.nodes:
        if node.name != "cast" or not isinstance(node.result, Value) or not isinstance(node.args[0], Value):
            continue
        made[id(node.result)] = node
        before = made.get(id(node.args[0]))
        if before is None:
            continue
        source = before.args[0]
        safe = (
            id(source) not in facts.shared and id(node.result) not in facts.shared and id(node.result) not in returned
        )
        if safe and source.dtype is node.result.dtype and _holds(before.result.dtype, source.dtype):
            replaced[id(node.result)] = source
    return _replace(block, replaced)


def _holds(wide: Any, narrow: Any) -> bool:
    """Return whether a dtype has every value of another: of bools, between integers, or between complex dtypes."""
    if wide.storage or narrow.storage:
        return False
    if narrow.kind == "b":
        return True
    if narrow.kind in "iu" and wide.kind in "iu":
        return bool(wide.bits > narrow.bits and not (wide.kind == "u" and narrow.kind == "i"))
    return bool(wide.kind == narrow.kind == "c" and wide.bits >= narrow.bits)


def common(block: Block, facts: Facts, backend: Backend) -> int:
    """Make a call once that is made twice with the same operands."""
    found: dict[Any, Value] = {}
    replaced: dict[int, Any] = {}
    shared, returned = facts.shared, facts.leaving
    for node in block.nodes:
        result = node.result
        if not harmless(node) or not isinstance(result, Value) or id(result) in returned:
            continue
        if node.writes is not None or (shared and any(id(v) in shared for v in (*node.operands, result))):
            continue
        try:
            first = found.setdefault(_key(node, replaced), result)
        except TypeError:
            continue
        if first is not result:
            replaced[id(result)] = first
    return _replace(block, replaced)


def _key(node: Node, replaced: dict[int, Any]) -> tuple[Any, ...]:
    """Return the key that nodes have in common if they compute the same. It holds values by their identity."""
    parts: list[Any] = [node.function]
    if node.scope is not None:  # else functions of a source differ by it
        parts.append(id(node.scope))
    for x in node.args:
        kind = type(x)
        if kind is Value:
            parts += (Value, id(replaced.get(id(x), x)))
        elif kind is int:
            parts += (int, x)
        elif kind is float:
            parts += (float, x, copysign(1.0, x))
        else:
            parts.append(_frozen(mapped(x, Value, lambda v: _Same(replaced.get(id(v), v)))))
    if node.kwargs:
        parts += ("kwargs", _frozen(mapped(node.kwargs, Value, lambda v: _Same(replaced.get(id(v), v)))))
    return tuple(parts)


class _Same:
    """A value by its identity, as a part of a key."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def _frozen(tree: Any) -> Any:
    """Make a key of a tree: numbers with their types, floats by their bits."""
    if isinstance(tree, (tuple, list)):
        return type(tree), tuple([_frozen(x) for x in tree])
    if isinstance(tree, dict):
        return tuple([(k, _frozen(v)) for k, v in tree.items()])
    if isinstance(tree, slice):
        return slice, _frozen((tree.start, tree.stop, tree.step))
    if isinstance(tree, (float, complex)):
        return type(tree), repr(tree)
    hash(tree)
    return type(tree), tree


def identities(block: Block, facts: Facts, backend: Backend) -> int:
    """Leave out calls that change nothing: multiply or divide by 1, subtract 0."""
    replaced: dict[int, Any] = {}
    for node in block.nodes:
        if node.name not in _WITH_IDENTITIES:
            continue
        result = node.result
        if not isinstance(result, Value) or id(result) in facts.leaving:
            continue
        kept = _unchanged(node)
        if (
            kept is None
            or kept.dtype is not result.dtype
            or kept.shape != result.shape
            or kept.element != result.element
        ):
            continue
        if id(kept) not in facts.shared and id(result) not in facts.shared:
            replaced[id(result)] = kept
    return _replace(block, replaced)


#: Names of nodes that may give an operand back as it is.
_WITH_IDENTITIES = frozenset(("multiply", "divide", "subtract"))


def _unchanged(node: Node) -> Value | None:
    """Return the operand that a node gives back as it is, None for any other node."""
    if node.kwargs or len(node.args) != 2:
        return None
    first, second = node.args
    number = type(second) in (int, float) and not isinstance(second, bool)
    if isinstance(first, Value) and number:
        if (node.name, second) in (("multiply", 1), ("divide", 1)) and first.dtype.kind in "iuf":
            return first
        if node.name == "subtract" and second == 0 and str(second)[0] != "-" and first.dtype.kind in "iuf":
            return first
    if isinstance(second, Value) and node.name == "multiply" and type(first) in (int, float) and first == 1:
        return second if second.dtype.kind in "iuf" else None
    return None


def scalars(block: Block, facts: Facts, backend: Backend) -> int:
    """On NumPy and PyTorch, make 0-d arrays of the Python numbers beside arrays, in the dtype of the computation.

    A call takes twice as long for a Python number as for an array.
    """
    if backend.name not in ("numpy", "torch"):
        return 0
    kept: dict[tuple[Any, ...], Constant] = {}
    known = _numbers_in(block, backend)
    change, native_of = (torch_calls.numbers, torch_calls.native_of) if backend.name == "torch" else (numbers, number)

    def constant(x: Any, dtype: Any) -> Constant | None:
        key = dtype, type(x), x, copysign(1.0, x) if type(x) is float else repr(x)
        if key not in kept:
            native = native_of(x, dtype, backend)
            if native is None:
                return None
            kept[key] = known.get(_of_number(native, dtype, backend)) or Constant(
                native, dtype, (), name_of(x), held=False
            )
            kept[key].number = True
        return kept[key]

    return sum(change(one, constant, backend) for one in all_blocks(block))


def squares(block: Block, facts: Facts, backend: Backend) -> int:
    """On PyTorch, call `torch.square` for a power of 2."""
    return sum(map(torch_calls.squares, all_blocks(block))) if backend.name == "torch" else 0


#: Names of nodes that make arrays from no arrays.
_CREATION = frozenset("_count arange eye full linspace ones scalar tri zeros".split())
#: The most bytes of an array that is kept in place of being computed by each call.
_KEPT = 1 << 16
#: The most characters of a number that stands in the name of its constant.
_LONGEST_NUMBER = 8


def constants(block: Block, facts: Facts, backend: Backend) -> int:
    """Make the calls once that depend on no argument, and keep their results, if they are small."""
    if backend.facts.lazy:
        return 0
    changes = 0
    replaced: dict[int, Any] = {}
    known = _numbers_in(block, backend)
    for node in block.nodes:
        result = node.result
        if not all(id(v) in replaced or (type(v) is Constant and not v.held) for v in node.operands):
            continue
        if not isinstance(result, Value) or result.nbytes > _KEPT or node.writes is not None or node.blocks:
            continue
        if not harmless(node) and node.name not in _CREATION:
            continue
        args, kw = mapped((node.args, node.kwargs), Value, lambda v: replaced.get(id(v), v))
        if id(result) in facts.shared or id(result) in facts.leaving:
            continue
        of_nothing = backend.name == "torch" and not values_in((args, kw))
        with torch_calls.lasting() if of_nothing else nullcontext():
            native = node.function(*mapped(args, Constant, _native), **mapped(kw, Constant, _native))
        made = replaced[id(result)] = Constant(native, result.dtype, result.shape, held=False)
        if not result.shape and result.dtype.kind in "biuf":  # equal numbers are one constant
            key = _of_number(native, result.dtype, backend)
            made.name, made.number = _number_name(key[-1]), True
            replaced[id(result)] = known.setdefault(key, made)
        changes += 1
    _replace(block, replaced)
    return changes


def _numbers_in(block: Block, backend: Backend) -> dict[tuple[Any, ...], Constant]:
    """Return the constants of a program that are numbers, by what `_of_number` returns."""
    operands = (v for one in all_blocks(block) for node in one.nodes for v in node.operands)
    return {_of_number(v.native, v.dtype, backend): v for v in operands if isinstance(v, Constant) and v.number}


def _of_number(native: Any, dtype: Any, backend: Backend) -> tuple[Any, ...]:
    """Return what 0-d arrays of the same number have in common; the number, as text, is the last."""
    number = backend.to_numpy(native, None, None).item()
    return dtype, str(getattr(native, "device", "")), repr(number)


def _number_name(number: str) -> str:
    """Make a name for a number that was computed, where a short one says which number it is."""
    return name_of(number.removesuffix(".0")) if len(number) <= _LONGEST_NUMBER else "constant"


def _native(x: Constant) -> Any:
    return x.native


def dead(block: Block, facts: Facts, backend: Backend) -> int:
    """Leave out calls whose results nobody uses, if they cannot raise an error."""
    used = {*facts.returned}
    kept = []
    for node in reversed(block.nodes):
        result = node.result
        ended = id(result) not in used if type(result) is Value else used.isdisjoint(map(id, node.results))
        if ended and node.writes is None and _isharmless(node):
            continue
        kept.append(node)
        used.update(map(id, node.uses() if node.blocks else node.operands))
    if len(kept) == len(block.nodes):
        return 0
    changes = len(block.nodes) - len(kept)
    block.nodes[:] = reversed(kept)
    return changes


#: Reductions that take any extents, 0 as well.
_OF_ANY_EXTENTS = frozenset("all any count_nonzero mean prod std sum var".split())


def _isharmless(node: Node) -> bool:
    """Return whether a node cannot raise an error for any arguments for which the graph is valid.

    Fixed extents may not fit the extents of another call's arguments, which is an error.
    """
    if not harmless(node) and node.name not in NEW_EACH_TIME and node.name not in _OF_ANY_EXTENTS:
        return False
    return len({v.inputs == 0 for v in node.operands if v.shape}) < 2


#: The simplifications, in the order in which they run.
PASSES: dict[str, Pass] = {
    "copies": copies, "constants": constants, "casts": casts, "identities": identities, "common": common,
    "axes": axes, "squares": squares, "dead": dead, "scalars": scalars, "divisors": divisors, "order": order,
    "memory": memory,
}  # fmt: skip


def check_passes(names: Iterable[str]) -> tuple[str, ...]:
    """Check names of simplifications, and return them.

    Raises
    ------
    ValueError: a name is no simplification.
    """
    checked = tuple(names) if not isinstance(names, str) else (names,)
    for name in checked:
        if name not in PASSES:
            raise ValueError(
                f"there is no simplification {name!r}{nearest(name, PASSES) or '.'} There are {', '.join(PASSES)}"
            )
    return checked


def simplified(block: Block, backend: Backend, names: Iterable[str] | None = None) -> list[Done]:
    """Simplify a block in place, and say what was done.

    Parameters
    ----------
    names: the simplifications to make, all by default.
    """
    wanted = PASSES if names is None else [*names]
    done = []
    written = writes(block)
    may_apply: set[str] | None = None
    facts: Facts | None = None
    for name, change in PASSES.items():
        if name not in wanted:
            continue
        if may_apply is None:
            may_apply = _may_apply(Traits(block, backend), backend.name)
        if name not in may_apply:
            done.append(_NOTHING_DONE[name])
            continue
        if facts is None:
            facts = Facts(block, written)
        changes = change(block, facts, backend)
        done.append(Done(name, changes))
        if changes:
            facts = may_apply = None
    return done


class Traits:
    """What calls a program has, by which a simplification can be known to have nothing to do.

    Attributes
    ----------
    names, functions: the names of the calls and the ids of their functions, also of those in branches and loops.
    once: whether no two calls of the program itself have a name or a function in common.
    numbers: whether a call has an argument that is no array.
    constant: whether the first array of a call of the program itself is a constant, or it has none.
    unused: whether a call of the program itself gives a value that the program neither uses nor returns.
    alike: whether all calls are ufuncs whose results have one shape, as have all operands of more than one element.
    """

    __slots__ = ("alike", "constant", "functions", "names", "numbers", "once", "unused")

    def __init__(self, block: Block, backend: Backend) -> None:
        nodes = block.nodes
        self.names: set[str] = set()
        self.functions: set[int] = set()
        self.numbers = self.constant = self.unused = False
        made: list[int] = []
        used = set(map(id, block.outputs))
        shape = nodes[0].result.shape if nodes and type(nodes[0].result) is Value else ()
        alike = bool(shape) and backend.name == "numpy"
        blocks: list[Block] = []
        for node in nodes:
            operands, result = node.operands, node.result
            function: Any = node.function
            self.names.add(node.name)
            self.functions.add(id(function))
            used.update(map(id, operands))
            if type(result) is Value:
                made.append(id(result))
            else:
                self.unused = True  # it may be
            if not operands or type(operands[0]) is Constant:
                self.constant = True
            if operands is not node.args:
                self.numbers = True
            if node.blocks:
                blocks += node.blocks
            if alike:
                alike = (
                    type(result) is Value and result.shape == shape and not result.element and not node.kwargs
                    and node.writes is None and hasattr(function, "reduceat") and function.signature is None
                )  # fmt: skip
                for x in operands:
                    alike = alike and (x.shape == shape or not x.shape)
        if blocks or not used.issuperset(made):
            self.unused = True
        self.once = len(self.names) == len(nodes) == len(self.functions)
        self.alike = alike and not blocks
        for inner in blocks:
            other = Traits(inner, backend)
            self.names |= other.names
            self.functions |= other.functions
            self.numbers |= other.numbers


def _may_apply(traits: Traits, backend: str) -> set[str]:
    """Return the names of the simplifications that may find something to do."""
    found = set[str]()
    names = traits.names
    if traits.unused:
        found.add("dead")
    if "copy" in names:
        found.add("copies")
    if "cast" in names:
        found.add("casts")
    if traits.constant:
        found.add("constants")
    if not traits.once:
        found.add("common")
    if traits.numbers and not _WITH_IDENTITIES.isdisjoint(names):
        found.add("identities")
    if traits.numbers and backend in ("numpy", "torch"):
        found.add("scalars")
    if backend == "torch":
        found.add("squares")
    elif backend == "numpy":
        found.add("memory")
        if not MERGED.isdisjoint(names):
            found.add("axes")
        if divides(traits.functions):
            found.add("divisors")
        if not traits.alike:
            found.add("order")
    return found


_NOTHING_DONE = {name: Done(name, 0) for name in PASSES}


def _replace(block: Block, replaced: dict[int, Any]) -> int:
    """Put other values in the places of some values, and leave out the nodes that gave the replaced values."""
    if not replaced:
        return 0

    def final(v: Value) -> Any:
        while id(v) in replaced:
            v = replaced[id(v)]
        return v

    for one in all_blocks(block):
        nodes = []
        for node in one.nodes:
            if isinstance(node.result, Value) and id(node.result) in replaced and not node.blocks:
                continue
            if not replaced.keys().isdisjoint(map(id, node.operands)):
                node = node.with_arguments(mapped(node.args, Value, final), mapped(node.kwargs, Value, final))
            nodes.append(node)
        one.nodes[:] = nodes
        one.outputs[:] = mapped(one.outputs, Value, final)
    return len(replaced)
