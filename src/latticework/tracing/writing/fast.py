"""Stretches of elementwise calls on NumPy as loops that numba compiles, for `fast=True`. They may change bits.

A stretch is one loop over the elements. Transcendental functions are slower in such a loop than NumPy's, which compute
several elements at once. So they stay NumPy calls, between loops, block by block. For few elements the call costs more
than the function, and the whole stretch is one loop.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...errors import install
from ..nodes import Block, Node, Value, values_in
from ..passes.liveness import has_own_memory
from .fusion import LOOPS, Fused, steps_of
from .numba_text import PERIODIC, is_compiled, is_native, wide
from .reducing import with_reductions
from .rows import view_axes, with_rows
from .slices import with_slices

__all__ = ["check_numba", "fused", "of_numbers"]

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
    if functions:
        found = with_rows(block)
        block = block if found is block else Block(block.inputs, _with_memory(found.nodes), block.outputs)
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
        return _as_loops(with_reductions(block, functions=functions), functions=functions)
    nodes: list[Node] = []
    at = 0
    for start, stop in worth:
        nodes += [*order[at:start], _as_one(order[start:stop], order, block.outputs, functions)]
        at = stop
    made_one = Block(block.inputs, _with_memory([*nodes, *order[at:]]), block.outputs)
    made_one = _as_loops(with_reductions(made_one, functions=functions), functions=functions)
    in_place = with_slices(made_one)
    made_one = made_one if in_place is made_one else Block(block.inputs, _with_memory(in_place.nodes), block.outputs)
    if not all(_is_of_loops(node, functions=functions) for node in made_one.nodes):
        _write_over(made_one)
    return made_one


def _is_of_loops(node: Node, *, functions: bool) -> bool:
    """Return whether a node may stand in a function of loops: a loop, a view, or a call of numbers."""
    return node.name in LOOPS or view_axes(node) is not None or of_numbers(node, functions=functions) is not None


def _write_over(block: Block) -> None:
    """Let loops write over an operand of the same dtype and shape that nobody else uses, and that a call of the block
    made. That is for loops among other calls: where all are loops, one function makes the arrays between them.
    """
    if any(node.writes is not None or node.blocks for node in block.nodes):
        return
    uses = Counter(id(v) for node in block.nodes for v in node.uses())
    uses.update(id(v) for v in values_in(block.outputs))
    made = {id(v) for node in block.nodes if node.name in LOOPS or has_own_memory(node) for v in node.results}
    for node in block.nodes:
        loop: Any = node.function
        if type(loop) is not Fused or loop.slices or PERIODIC & loop.functions:
            continue
        if all(step.loop for step in steps_of(loop)):
            free = [x for x in node.args if id(x) in made and uses[id(x)] == 1]
            found = ((v, x) for v in loop.outputs for x in free if x.dtype is v.dtype and x.shape == v.shape)
            loop.over = next(found, None)


def _as_loops(block: Block, *, functions: bool) -> Block:
    """Return a block whose elementwise calls that stand alone are loops, where nothing but loops is left then; the same
    block where something is.

    Parameters
    ----------
    functions: whether loops have the functions of `numba_parts`.
    """
    nodes = []
    for node in block.nodes:
        if node.name in LOOPS:
            if type(node.function) is Fused and not all(step.loop for step in steps_of(node.function)):
                return block
            nodes.append(node)
        elif _is_alone(node, functions=functions):
            outer = {id(v): v for v in node.operands}
            one = Fused([node.replaced(out=None)], (node.result,), functions)
            one.among_loops = True
            nodes.append(Node(one, "fused", tuple(outer.values()), {}, (node.result,)))
        elif view_axes(node) is None and of_numbers(node, functions=functions) is None and node.name != "index":
            return block
        else:
            nodes.append(node)
    return Block(block.inputs, nodes, block.outputs) if sum(n.name in LOOPS for n in nodes) > 1 else block


def _is_alone(node: Node, *, functions: bool) -> bool:
    """Return whether a call is elementwise, and a loop computes it."""
    found = wide(node)
    return is_compiled(node) or (functions and found != "" and found not in PERIODIC)


def of_numbers(node: Node, *, functions: bool) -> Node | None:
    """Return a call of 0-d arrays as one of arrays of one element, of which text is known; None for any other call."""
    result = node.result
    if type(result) is not Value or result.shape or any(v.shape for v in node.operands) or node.blocks:
        return None
    one = node.replaced(result=Value(result.dtype, (1,), result.inputs), out=None)
    return one if _is_alone(one, functions=functions) else None


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
