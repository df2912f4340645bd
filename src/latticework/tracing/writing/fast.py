"""Stretches of elementwise calls on NumPy as loops that numba compiles, for `fast=True`. They may change bits.

A stretch is one loop over the elements. Transcendental functions are slower in such a loop than NumPy's, which compute
several elements at once. So they stay NumPy calls, between loops, block by block. For few elements the call costs more
than the function, and the whole stretch is one loop.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...errors import install
from ..nodes import Block, Node, Value, values_in
from .numba_text import PERIODIC, is_compiled, is_native, product, wide

__all__ = ["Fused", "Memory", "Step", "check_numba", "fused", "steps_of"]

#: The least number of calls for which a loop pays, and the most in one stretch: compilation takes time.
_FEWEST, _MOST = 2, 200


def check_numba() -> None:
    """Load numba.

    Raises
    ------
    ModuleNotFoundError: it is not installed.
    """
    try:
        import numba  # noqa: F401 - the source names it
    except ModuleNotFoundError as error:
        message = f"fast=True on NumPy needs numba: {install('fast')}, or leave out fast=True"
        raise ModuleNotFoundError(message, name="numba") from error


def fused(block: Block, *, functions: bool = False) -> Block:
    """Return a block with each stretch of elementwise nodes as one node, and a reduction of its result with it.

    The order changes: a node between the nodes of a stretch that reads none of its results comes before the stretch. No
    open stretch reads a result of another one.

    Parameters
    ----------
    functions: whether loops have the functions of `numba_parts`.
    """
    from .reducing import with_reductions

    used = {id(v) for v in values_in(block.outputs)} | {id(v) for node in block.nodes for v in node.uses()}
    order: list[Node] = []
    opened: dict[tuple[int, ...], list[Node]] = {}
    made: dict[int, tuple[int, ...]] = {}  # the id of a result in an open stretch -> the shape
    worth: list[tuple[int, int]] = []

    def close(shape: tuple[int, ...]) -> None:
        stretch = opened.pop(shape)
        alone = functions and any(wide(n) for n in stretch)  # one of these pays
        if alone or sum(map(is_compiled, stretch)) >= _FEWEST:
            worth.append((len(order), len(order) + len(stretch)))
        order.extend(stretch)
        for node in stretch:
            del made[id(node.result)]

    for node in block.nodes:
        fits = (is_compiled(node) or is_native(node)) and id(node.result) in used  # an unused call may be an error
        own = node.result.shape if fits else None
        apart = node.writes is not None or node.blocks
        for shape in [*opened] if apart else {made[id(v)] for v in node.operands if id(v) in made} - {own}:
            close(shape)
        if own is None:
            order.append(node)
        else:
            opened.setdefault(own, []).append(node)
            made[id(node.result)] = own
            if len(opened[own]) == _MOST:
                close(own)
    for shape in [*opened]:
        close(shape)
    if not worth:
        return with_reductions(block, functions=functions)
    nodes: list[Node] = []
    at = 0
    for start, stop in worth:
        nodes += [*order[at:start], _as_one(order[start:stop], order, block.outputs, functions)]
        at = stop
    made_one = Block(block.inputs, _with_memory([*nodes, *order[at:]]), block.outputs)
    return with_reductions(made_one, functions=functions)


def _with_memory(nodes: list[Node]) -> list[Node]:
    """Return the nodes, without `out` where a later node in this order uses the operand whose memory it is."""
    after: set[int] = set()
    found = []
    for node in reversed(nodes):
        taken = node.out is not None and id(node.out) in after
        found.append(node.replaced(out=None) if taken else node)
        after.update([id(v) for v in node.uses()])
    return found[::-1]


def _as_one(nodes: list[Node], among: list[Node], returned: list[Any], functions: bool) -> Node:
    """Make one node that computes the results of several nodes.

    Parameters
    ----------
    among: the nodes of the block, with these nodes.
    returned: the outputs of the block.
    functions: whether loops have the functions of `numba_parts`.
    """
    inside = {id(node) for node in nodes}
    results = {id(node.result): node.result for node in nodes}
    used = {id(v) for v in values_in(returned)}
    for node in among:
        if id(node) not in inside:
            used |= {id(v) for v in node.uses()}
    outer = {id(v): v for node in nodes for v in node.operands if id(v) not in results}
    outputs = tuple([v for key, v in results.items() if key in used])
    return Node(Fused(nodes, outputs, functions), "fused", tuple(outer.values()), {}, outputs)


class Fused:
    """The function of a node that stands for a stretch.

    Attributes
    ----------
    nodes: the nodes of the stretch.
    outputs: the results that are used outside of it.
    functions: the names of the functions of `numba_parts` that its loops call. The periodic ones may find an argument
        that they are not made for: they need one loop for the whole stretch, whose results are not kept then.
    """

    def __init__(self, nodes: list[Node], outputs: tuple[Value, ...], functions: bool) -> None:
        self.nodes, self.outputs = nodes, outputs
        found = {wide(n) for n in nodes} - {""} if functions else set()
        whole = all(is_compiled(n, found) for n in nodes)
        self.functions = frozenset(found if whole else found - PERIODIC)

    def __call__(self, *_: Any) -> Any:
        raise TypeError("a stretch has no function outside of its source")


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
            pays = len(loop) > 1 or not is_native(loop[0]) or product(loop[0]) > 0
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
