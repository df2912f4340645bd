"""Control flow of traced arrays: branches and bodies become blocks of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...tracing.nodes import Node, Value
from ...tracing.recorder import Recorder, Traced, recorder

Natives = list[Any]


def staged() -> bool:
    return True


def _recorder() -> Recorder:
    found = recorder.get()
    assert found is not None
    return found


def parameter(x: Traced) -> Traced:
    """A value of its own inside a block, for what goes into that."""
    value = Value(x.value.dtype, x.value.shape, x.value.inputs)
    return Traced(x.native, value, x.recorder)


def new_results(natives: Natives, inputs: int = 0) -> Natives:
    """Values outside of a block, for what comes out of that."""
    return [Traced(x.native, Value(x.value.dtype, x.value.shape, inputs | x.value.inputs), x.recorder) for x in natives]


def switch(index: Traced, branches: Sequence[Callable[[], Natives]]) -> Natives:
    by = _recorder()
    blocks, found = [], []
    for branch in branches:
        with by.block([]) as block:
            natives = branch()
            block.outputs = [x.value for x in natives]
        blocks.append(block)
        found.append(natives)
    results = new_results(found[0])
    for natives in found[1:]:
        for result, x in zip(results, natives, strict=True):
            result.value.inputs |= x.value.inputs
    by.add(Node(switch, "switch", (index.value,), {}, [x.value for x in results], by.operation, blocks=tuple(blocks)))
    return results


def while_loop(condition: Callable[[Natives], Any], body: Callable[[Natives], Natives], init: Natives) -> Natives:
    by = _recorder()
    blocks = []
    found: Natives = init
    for function in (lambda carry: [condition(carry)], body):
        carry = [parameter(x) for x in init]
        with by.block([x.value for x in carry]) as block:
            found = function(carry)
            block.outputs = [x.value for x in found]
        blocks.append(block)
    results = new_results(found)
    by.add(Node(
        while_loop, "while_loop", tuple(x.value for x in init), {}, [x.value for x in results], by.operation,
        blocks=tuple(blocks),
    ))  # fmt: skip
    return results


def scan(
    body: Callable[[Natives, Natives], tuple[Natives, Natives]], init: Natives, xs: Natives, length: int, reverse: bool
) -> tuple[Natives, Natives]:
    by = _recorder()
    module = by.backend.module
    carry = [parameter(x) for x in init]
    slices = []
    for x in xs:
        first = module.index(x.native, 0) if length else module.index(x.native, slice(0, 0)).sum(0)
        slices.append(Traced(first, Value(x.value.dtype, x.value.shape[1:], x.value.inputs), by))
    with by.block([x.value for x in (*carry, *slices)]) as block:
        after, ys = body(carry, slices)
        block.outputs = [[x.value for x in after], [y.value for y in ys]]
    after = new_results(after)
    stacked = []
    for y in ys:
        stack = by.backend.function("stack", y.value.dtype)
        assert stack is not None
        native = stack([y.native] * length, axis=0) if length else stack([y.native], axis=0)[:0]
        stacked.append(Traced(native, Value(y.value.dtype, (length, *y.value.shape), y.value.inputs), by))
    by.add(Node(
        scan, "scan", ([x.value for x in init], [x.value for x in xs]), {"length": length, "reverse": reverse},
        ([x.value for x in after], [y.value for y in stacked]), by.operation, blocks=(block,),
    ))  # fmt: skip
    return after, stacked
