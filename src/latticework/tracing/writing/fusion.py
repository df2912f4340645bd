"""Stretches of elementwise nodes: the loops and NumPy's calls that they come to, and the memory between these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..nodes import Node, Value
from .numba_text import PERIODIC, is_compiled, is_native, product, wide

if TYPE_CHECKING:
    from .slices import Slice

__all__ = ["LOOPS", "Call", "Fused", "Loop", "Memory", "Step", "steps_of"]

#: The names of nodes that are loops.
LOOPS = ("fused", "reduced", "rows")


class Fused:
    """The function of a node that stands for a stretch.

    Attributes
    ----------
    nodes: the nodes of the stretch.
    outputs: the results that are used outside of it.
    functions: the names of the functions of `numba_parts` that its loops call. The periodic ones may find an argument
        that they are not made for: they need one loop for the whole stretch, whose results are not kept then.
    slices: the slices that its loops read in place, by their ids.
    read: what it reads, with the slices.
    cuts: the nodes that make the slices.
    among_loops: whether it stands among loops alone, so that a call of NumPy is a loop too.
    over: a result and the operand in whose memory its loop writes it; None for new memory.
    """

    slices: Mapping[int, Slice] = MappingProxyType({})
    read: Sequence[Value] = ()
    cuts: Sequence[Node] = ()
    among_loops = False
    over: tuple[Value, Value] | None = None

    def __init__(self, nodes: list[Node], outputs: tuple[Value, ...], functions: bool) -> None:
        self.nodes, self.outputs = nodes, outputs
        found = {wide(n) for n in nodes} - {""} if functions else set()
        whole = all(is_compiled(n, found) for n in nodes)
        self.functions = frozenset(found if whole else found - PERIODIC)

    def __call__(self, *_: Any) -> Any:
        raise TypeError("a stretch has no function outside of its source")


# --- calls of loops ---------------------------------------------------------------------------------------------------


class Loop(NamedTuple):
    """Functions of a source that take the operands and then the arrays to write into. They return whether they have
    written these: False for operands that broadcast otherwise.

    Attributes
    ----------
    few: the name of the function that numba compiles for few elements; "" where there is none.
    many: the name of the function for more. It may be of several loops and calls of NumPy.
    operands: what they read, in order.
    results: what they write, in order.
    names: the variables of the operands.
    extents: the shapes of the results, as expressions of these.
    """

    few: str
    many: str
    operands: list[Value]
    results: list[Value]
    names: list[str]
    extents: list[str]


class Call(NamedTuple):
    """The call of a loop in a function.

    Attributes
    ----------
    loop: what is called.
    variables: the variables of the results.
    compiled: whether numba compiles it for any number of elements, and its results are new arrays.
    """

    loop: Loop
    variables: list[str]
    compiled: bool


# --- the order, and memory --------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """A loop over some nodes, or one NumPy call."""

    nodes: list[Node]
    loop: bool


def steps_of(fused: Fused) -> list[Step]:
    """Return the loops of a stretch and the NumPy calls between them, with as few loops as possible."""
    made = {id(node.result): node for node in fused.nodes}
    in_loop = {id(node): is_compiled(node, fused.functions) for node in fused.nodes}
    level: dict[int, int] = {}
    for node in fused.nodes:
        before = [made[id(v)] for v in node.operands if id(v) in made]
        level[id(node)] = max([level[id(n)] + (not in_loop[id(n)]) for n in before], default=0)
    last = max(level.values())
    latest: dict[int, int] = {}
    for node in reversed(fused.nodes):  # a loop computes what it needs itself, as late as it can
        own = latest.get(id(node), last) if in_loop[id(node)] else level[id(node)]
        latest[id(node)] = own
        for v in node.operands:
            if id(v) in made:
                n = made[id(v)]
                latest[id(n)] = min(latest.get(id(n), last), own)
    loops: list[list[Node]] = [[] for _ in range(last + 1)]
    calls: list[list[Node]] = [[] for _ in range(last + 1)]
    for node in fused.nodes:
        (loops if in_loop[id(node)] else calls)[latest[id(node)]].append(node)
    steps: list[Step] = []
    for loop, after in zip(loops, calls, strict=True):
        if loop:
            pays = fused.among_loops or len(loop) > 1 or not is_native(loop[0]) or product(loop[0]) > 0
            steps.append(Step(loop, pays or wide(loop[0]) in fused.functions))
        steps += [Step([n], False) for n in after]
    return steps


class Memory:
    """The variables that carry results from one step to a later one: outputs, or buffers that are used again.

    Attributes
    ----------
    of: the id of a result -> its variable.
    buffers: variable -> dtype, for the variables that are no output.
    """

    def __init__(self, w: Any, steps: list[Step], outputs: dict[int, str]) -> None:
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        values: dict[int, Value] = {}
        for i, step in enumerate(steps):
            for node in step.nodes:
                values[id(node.result)] = node.result
                first[id(node.result)] = last[id(node.result)] = i
                for v in node.operands:
                    last[id(v)] = max(i, last.get(id(v), i))
        self.of: dict[int, str] = {}
        self.buffers: dict[str, Any] = {}
        taken: dict[str, list[tuple[int, int]]] = {}
        dtypes: dict[str, Any] = {}
        for key, output in outputs.items():
            self.of[key], dtypes[output] = output, values[key].dtype
            taken[output] = [(first[key], len(steps))]
        for key, v in values.items():
            if key in outputs or first[key] == last[key]:
                continue
            span = first[key], last[key]
            free = (n for n, spans in taken.items() if dtypes[n] is v.dtype and _is_free(span, spans))
            name: str = next(free, "")
            if not name:
                name = w.spelling.fresh("buffer")
                self.buffers[name] = dtypes[name] = v.dtype
                taken[name] = []
            taken[name].append(span)
            self.of[key] = name


def _is_free(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    """Return whether memory is free from one step to another. A step reads all operands before it writes a result."""
    return all(span[1] <= a or span[0] >= b for a, b in taken)
