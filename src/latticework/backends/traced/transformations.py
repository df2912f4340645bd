"""Transformations of functions of traced arrays: the computation of a function becomes a block, which the framework
transforms when the source runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...tracing.nodes import Block, Constant, Node, NumberValue, Value
from ...tracing.recording.recorder import Recorder, Traced
from ...tracing.recording.registry import current_recorder, recording
from .control_flow import new_results, parameter

if TYPE_CHECKING:
    from ...backend import Backend

Natives = list[Any]


def _values(natives: Natives) -> list[Value]:
    return [x.value for x in natives]


def _may_have_gradient(v: Value) -> bool:
    """Return whether a derivative may be taken by an array of the program."""
    if isinstance(v, NumberValue) or (isinstance(v, Constant) and not v.held):
        return False
    return v.dtype.kind in "fc"


class Transformations:
    """The transformations of a framework, recorded.

    Parameters
    ----------
    target: the framework's backend, which has transformations.
    """

    def __init__(self, target: Backend) -> None:
        hooks = target.transformations
        self.hooks, self.target = hooks, target
        if hasattr(hooks, "HESSIAN_IN_REVERSE"):
            self.HESSIAN_IN_REVERSE = hooks.HESSIAN_IN_REVERSE
        #: Differentiates a function of one number: `_gradient`, where the framework has one.
        self.gradient = self._gradient if hasattr(hooks, "gradient") else None
        if hasattr(hooks, "stop_gradient"):
            self.stop_gradient = recording("stop_gradient", hooks.stop_gradient)

    def vjp(self, run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives) -> tuple[Natives, Any, Natives]:
        by = current_recorder()
        block, outs, aux = _recorded(by, run, [parameter(x) for x in primals], differentiated=True)
        outs, aux = new_results(outs), new_results(aux)
        pull = Value(primals[0].value.dtype, ()) if primals else None
        by.add(Node(
            self.hooks.vjp, "vjp", (_values(primals),), {}, (_values(outs), pull, _values(aux)), by.operation,
            blocks=(block,),
        ))  # fmt: skip

        def back(cotangents: Natives) -> Natives:
            by = current_recorder()
            found = new_results(primals, imagined=True)
            by.add(Node(back, "pullback", (pull, _values(cotangents)), {}, _values(found), by.operation))
            return found

        return outs, back, aux

    def _gradient(
        self, run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives
    ) -> tuple[Natives, Natives, Natives]:
        by = current_recorder()
        block, outs, aux = _recorded(by, run, [parameter(x) for x in primals], differentiated=True)
        outs, found, aux = new_results(outs), new_results(primals, imagined=True), new_results(aux)
        beside = [v for v in block.from_around() if _may_have_gradient(v)]
        results = _values(outs), _values(found), _values(aux)
        by.add(
            Node(
                self.hooks.gradient, "gradient", (_values(primals), beside), {}, results, by.operation, blocks=(block,)
            )
        )
        return outs, found, aux

    def jvp(
        self, run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives, tangents: Natives
    ) -> tuple[Natives, Natives, Natives]:
        by = current_recorder()
        block, outs, aux = _recorded(by, run, [parameter(x) for x in primals], differentiated=True)
        outs, moved, aux = new_results(outs), new_results(outs, imagined=True), new_results(aux)
        by.add(Node(
            self.hooks.jvp, "jvp", (_values(primals), _values(tangents)), {},
            (_values(outs), _values(moved), _values(aux)), by.operation, blocks=(block,),
        ))  # fmt: skip
        return outs, moved, aux

    def vmap(
        self, run: Callable[[Natives], tuple[Natives, Natives]], natives: Natives, axes: list[int | None], size: int
    ) -> tuple[Natives, Natives]:
        by = current_recorder()
        index = self.target.index
        rows = []
        for x, axis in zip(natives, axes, strict=True):
            if axis is None:
                rows.append(parameter(x))
                continue
            shape = list(x.value.shape)
            axis %= len(shape)
            del shape[axis]
            row = index(x.native, (*[slice(None)] * axis, 0))
            rows.append(Traced(row, Value(x.value.dtype, tuple(shape), x.value.inputs), by, imagined=x.imagined))
        block, outs, aux = _recorded(by, run, rows)
        mapped = [_stacked(by, x, size) for x in outs]
        aux = new_results(aux)
        by.add(Node(
            self.hooks.vmap, "vmap", (_values(natives), [*axes], size), {}, (_values(mapped), _values(aux)),
            by.operation, blocks=(block,),
        ))  # fmt: skip
        return mapped, aux

    def custom_gradient(self, run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
        block, outs = self._with_backward(run, natives)
        return self._of_rules("custom_gradient", (_values(natives),), outs, block)

    @staticmethod
    def _with_backward(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> tuple[Block, Natives]:
        """Record a function with its rule in reverse. Return its block and the results inside of it."""
        by = current_recorder()
        inside = [parameter(x) for x in natives]
        with by.block(_values(inside)) as block:
            outs, back = run(inside)
            cotangents = [parameter(x) for x in new_results(outs, imagined=True)]
            with by.block(_values(cotangents)) as backward:
                backward.outputs = _values(back(cotangents))
            name = Value(outs[0].value.dtype, ())
            by.add(Node(back, "function", (), {}, name, by.operation, blocks=(backward,)))
            block.outputs = [_values(outs), name]
        return block, outs

    def _of_rules(self, hook: str, args: tuple[Any, ...], outs: Natives, block: Block) -> Natives:
        """Record the call of a function with rules of its own."""
        by = current_recorder()
        results = new_results(outs)
        by.add(Node(getattr(self.hooks, hook), hook, args, {}, _values(results), by.operation, blocks=(block,)))
        return results

    def custom_rules(self, run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
        by = current_recorder()
        block, outs = self._with_backward(run, natives)
        inside, tangents = [new_results(natives, imagined=True) for _ in range(2)]
        with by.block(_values([*inside, *tangents])) as forward:
            forward.outputs = _values(push(inside, tangents))
        name = Value(outs[0].value.dtype, ())
        lists = {"lists": [len(inside), len(tangents)]}
        by.add(Node(push, "function", (), lists, name, by.operation, blocks=(forward,)))
        return self._of_rules("custom_rules", (_values(natives), name), outs, block)

    def checkpoint(self, run: Callable[[Natives], Natives], natives: Natives) -> Natives:
        by = current_recorder()
        inside = [parameter(x) for x in natives]
        with by.block(_values(inside)) as block:
            outs = run(inside)
            block.outputs = _values(outs)
        results = new_results(outs)
        by.add(Node(
            self.hooks.checkpoint, "checkpoint", (_values(natives),), {}, _values(results), by.operation,
            blocks=(block,),
        ))  # fmt: skip
        return results


def _recorded(
    by: Recorder, run: Callable[..., Any], inside: Natives, *, differentiated: bool = False
) -> tuple[Block, Natives, Natives]:
    """Run a function of a list of arrays, which gives two lists, into a block of its own."""
    with by.block(_values(inside), differentiated=differentiated) as block:
        outs, aux = run(inside)
        block.outputs = [_values(outs), _values(aux)]
    return block, outs, aux


def _stacked(by: Recorder, x: Traced, size: int) -> Traced:
    """Make an array of `size` examples, each like this one."""
    stack = by.backend.function("stack", x.value.dtype)
    assert stack is not None
    native = stack([x.native] * max(size, 1), axis=0)
    value = Value(x.value.dtype, (size, *x.value.shape), x.value.inputs)
    return Traced(native, value, by, imagined=size > 1 or x.imagined)
