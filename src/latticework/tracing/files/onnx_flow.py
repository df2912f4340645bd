"""Branches and loops in models of ONNX: `switch` as If, `while_loop` as Loop, `scan` as Scan."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ...core.dtypes import bool_, int32, int64
from ..nodes import Block, Node, Value
from .onnx_writer import WRITERS, Writer

__all__: list[str] = []


def _switch(w: Writer, node: Node, index: Any, *_: Any) -> Any:
    """Write branches: by a bool two, the first for False; by an int any number, one inside of another."""
    results = node.results
    if not results:
        return []

    def branch(i: int) -> list[tuple[str, int]]:
        w.block(node.blocks[i])
        return _given(w, node.blocks[i].outputs, results)

    def choice(i: int) -> tuple[str, ...]:
        """Write the choice among the branches from one on."""
        if index.dtype is bool_:
            asked, first, second = w.of(index), partial(branch, 1), partial(branch, 0)
        else:
            asked = w.op("Equal", w.operand(index, int32), w.operand(i, int32))
            last = i + 2 == len(node.blocks)
            first = partial(branch, i)
            second = partial(branch, i + 1) if last else partial(others, i + 1)
        parts = {"then_branch": w.subgraph([], first), "else_branch": w.subgraph([], second)}
        return w.several("If", len(results), asked, **parts)

    def others(i: int) -> list[tuple[str, int]]:
        return [(name, w.code(v.dtype)) for name, v in zip(choice(i), results, strict=True)]

    if len(node.blocks) == 1:
        return [name for name, _ in branch(0)]
    return choice(0)


def _given(w: Writer, outputs: Any, results: Sequence[Value]) -> list[tuple[str, int]]:
    """Return the names and dtypes of what a block gives, in the dtypes of the results."""
    leaves = _leaves(outputs)
    return [(w.operand(x, r.dtype), w.code(r.dtype)) for x, r in zip(leaves, results, strict=True)]


def _leaves(tree: Any) -> list[Any]:
    """List the arrays and numbers of a tree."""
    if isinstance(tree, (tuple, list)):
        return [x for part in tree for x in _leaves(part)]
    return [tree]


def _take(w: Writer, block: Block, names: Sequence[str]) -> None:
    """Name the inputs of a block."""
    for value, name in zip(block.inputs, names, strict=True):
        w.names[id(value)] = name


def _new(w: Writer, values: Sequence[Value]) -> list[tuple[str, int]]:
    """Make names for the inputs of a body, with their dtypes."""
    return [w.fresh(w.code(value.dtype)) for value in values]


def _while_loop(w: Writer, node: Node, *carried: Any) -> tuple[str, ...]:
    asks, body = node.blocks

    def again(names: Sequence[str]) -> str:
        _take(w, asks, names)
        w.block(asks)
        return w.operand(_leaves(asks.outputs)[0], bool_)

    first = [w.operand(x, v.dtype) for x, v in zip(_leaves(carried), node.results, strict=True)]
    inputs = _new(w, body.inputs)

    def write() -> list[tuple[str, int]]:
        _take(w, body, [name for name, _ in inputs])
        w.block(body)
        found = _given(w, body.outputs, node.results)
        return [(again([name for name, _ in found]), w.code(bool_)), *found]

    start = again(first)
    head = [w.fresh(w.code(int64)), w.fresh(w.code(bool_))]
    return w.several("Loop", len(node.results), "", start, *first, body=w.subgraph([*head, *inputs], write, 2))


def _scan(w: Writer, node: Node, carried: Any, arrays: Any, *, length: Any = None, reverse: bool = False) -> Any:
    """Write a loop over the first axis of arrays; where there are none, over as many numbers as there are steps."""
    (body,) = node.blocks
    given = _leaves([carried, arrays])
    count = len(_leaves(carried))
    first = [w.operand(x, v.dtype) for x, v in zip(given, body.inputs, strict=True)]
    inputs = _new(w, body.inputs)
    if len(inputs) == count:
        zeros = w.op("Expand", w.operand(0, int64), w.ints(length))
        first.append(zeros)
        steps = [w.fresh(w.code(int64))]
    else:
        steps = []

    def write() -> list[tuple[str, int]]:
        _take(w, body, [name for name, _ in inputs])
        w.block(body)
        return _given(w, body.outputs, node.results)

    over, given_back = len(first) - count, len(node.results) - count
    options: dict[str, Any] = {"num_scan_inputs": over, "scan_input_directions": [int(reverse)] * over}
    if given_back:
        options["scan_output_directions"] = [int(reverse)] * given_back
    return w.several("Scan", len(node.results), *first, body=w.subgraph([*inputs, *steps], write), **options)


WRITERS.update({"switch": _switch, "while_loop": _while_loop, "scan": _scan})
