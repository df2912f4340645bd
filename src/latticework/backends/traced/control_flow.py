"""Control flow of traced arrays: branches and bodies become blocks of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.dtypes import Dtype
from ...tracing.nodes import Node, Value
from ...tracing.recording.recorder import Recorder, Traced, recorder

Natives = list[Any]


def staged() -> bool:
    return True


def _recorder() -> Recorder:
    found = recorder.get()
    assert found is not None
    return found


def parameter(x: Traced) -> Traced:
    """Make a new value inside a block, for an array that goes into it."""
    value = Value(x.value.dtype, x.value.shape, x.value.inputs)
    return Traced(x.native, value, x.recorder, imagined=x.imagined)


def new_results(natives: Natives, *, imagined: bool = False) -> Natives:
    """Make new values outside of a block, for arrays that come out of it.

    Parameters
    ----------
    imagined: whether the program computes other elements.
    """
    return [
        Traced(
            x.native, Value(x.value.dtype, x.value.shape, x.value.inputs), x.recorder, imagined=imagined or x.imagined
        )
        for x in natives
    ]


def _value(x: Traced) -> int | None:
    """Return the value of a condition or a branch number, None where it is not the program's own."""
    try:
        return None if x.imagined else int(x.recorder.backend.item(x.native))
    except Exception:  # the framework traces as well
        return None


def switch(index: Traced, branches: Sequence[Callable[[], Natives]]) -> Natives:
    by = _recorder()
    blocks, found = [], []
    taken = _value(index)
    for k, branch in enumerate(branches):
        with by.block([], reached=k == taken) as block:
            natives = branch()
            block.outputs = [x.value for x in natives]
        blocks.append(block)
        found.append(natives)
    results = new_results(found[taken or 0], imagined=taken is None)
    for natives in found:
        for result, x in zip(results, natives, strict=True):
            result.value.inputs |= x.value.inputs
    by.add(Node(switch, "switch", (index.value,), {}, [x.value for x in results], by.operation, blocks=tuple(blocks)))
    return results


def while_loop(condition: Callable[[Natives], Any], body: Callable[[Natives], Natives], init: Natives) -> Natives:
    by = _recorder()
    blocks = []
    found: list[Natives] = []
    goes_on: int | None = 1
    for function in (lambda carry: [condition(carry)], body):
        carry = [parameter(x) for x in init]
        with by.block([x.value for x in carry], reached=bool(goes_on)) as block:
            found.append(function(carry))
            block.outputs = [x.value for x in found[-1]]
        blocks.append(block)
        goes_on = _value(found[0][0])
    results = new_results(found[1], imagined=goes_on != 0)
    for result, x in zip(results, init, strict=True) if goes_on == 0 else ():
        result.native, result.imagined = x.native, x.imagined
    by.add(Node(
        while_loop, "while_loop", tuple(x.value for x in init), {}, [x.value for x in results], by.operation,
        blocks=tuple(blocks),
    ))  # fmt: skip
    return results


def scan(
    body: Callable[[Natives, Natives], tuple[Natives, Natives]], init: Natives, xs: Natives, length: int, reverse: bool
) -> tuple[Natives, Natives]:
    by = _recorder()
    backend = by.backend
    carry = [parameter(x) for x in init]
    slices = []
    for x in xs:
        shape, dtype = x.value.shape[1:], x.value.dtype
        first = backend.index(x.native, 0) if length else _zeros(by, shape, dtype, backend.device_of(x.native))
        slices.append(Traced(first, Value(dtype, shape, x.value.inputs), by, imagined=x.imagined))
    with by.block([x.value for x in (*carry, *slices)], reached=length > 0) as block:
        after, ys = body(carry, slices)
        block.outputs = [[x.value for x in after], [y.value for y in ys]]
    after = new_results(after, imagined=length > 1)
    for result, x in zip(after, init, strict=True) if not length else ():
        result.native, result.imagined = x.native, x.imagined
    stacked = []
    for y in ys:
        stack = by.backend.function("stack", y.value.dtype)
        assert stack is not None
        native = stack([y.native] * length, axis=0) if length else stack([y.native], axis=0)[:0]
        value = Value(y.value.dtype, (length, *y.value.shape), y.value.inputs)
        stacked.append(Traced(native, value, by, imagined=length > 1 or y.imagined))
    by.add(Node(
        scan, "scan", ([x.value for x in init], [x.value for x in xs]), {"length": length, "reverse": reverse},
        ([x.value for x in after], [y.value for y in stacked]), by.operation, blocks=(block,),
    ))  # fmt: skip
    return after, stacked


def _zeros(by: Recorder, shape: tuple[int, ...], dtype: Dtype, device: str) -> Any:
    """Make a native array that a loop without steps would go along."""
    zeros = by.backend.function("zeros", dtype)
    assert zeros is not None
    return zeros(shape, dtype=by.backend.native_dtypes[dtype], device=by.backend.native_device(device))
