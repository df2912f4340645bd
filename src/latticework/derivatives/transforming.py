"""Transformations of functions of flat lists of native arrays, by tapes: what a framework's own transformations are to
JAX, PyTorch and TensorFlow, for any backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .rules import custom
from .tape import Node, Tape, Taped, innermost, pull, without

if TYPE_CHECKING:
    from ..backend import Backend

__all__ = ["Transformations"]

Natives = list[Any]
Run = Callable[[Natives], tuple[Natives, Natives]]


class Transformations:
    """The derivatives of a backend's functions, by the rules of latticework.

    Parameters
    ----------
    below: the backend that computes.
    inside: the backend of `Taped` values, which a function is run on.
    """

    def __init__(self, below: Backend, inside: Backend) -> None:
        self.below, self.inside = below, inside

    def vjp(self, run: Run, primals: Natives) -> tuple[Natives, Any, Natives]:
        tape = Tape(self.below, self.inside)
        leaves = [Taped(x, tape, Node(None, (), {}, None)) for x in primals]
        outs, aux = run([*leaves])
        tape.open = False

        def back(cotangents: Natives) -> Natives:
            return pull(tape, outs, cotangents, leaves)

        return without(tape, outs), back, without(tape, aux)

    def jvp(self, run: Run, primals: Natives, tangents: Natives) -> tuple[Natives, Natives, Natives]:
        tape = Tape(self.below, self.inside, forward=True)
        outs, aux = run([Taped(x, tape, t) for x, t in zip(primals, tangents, strict=True)])
        tape.open = False
        moved = [x.node if type(x) is Taped and x.tape is tape else self._zero(tape, x) for x in outs]
        return without(tape, outs), moved, without(tape, aux)

    @staticmethod
    def _zero(tape: Tape, x: Any) -> Any:
        from ..core.registry import functions as lw

        return lw.zeros_like(tape.array(x))._data

    def vmap(self, run: Run, natives: Natives, axes: list[int], size: int) -> tuple[Natives, Natives]:
        """Run the function for one example after the other, and stack the results."""
        index = self.inside.index
        rows = [
            run([index(x, (*[slice(None)] * axis, i)) for x, axis in zip(natives, axes, strict=True)])
            for i in range(size)
        ]
        return [self._stacked([outs[k] for outs, _ in rows]) for k in range(len(rows[0][0]))], rows[0][1]

    def _stacked(self, natives: Natives) -> Any:
        dtype = self.inside.dtypes[self.inside.dtype_of(natives[0])]
        stack = self.inside.function("stack", dtype)
        assert stack is not None
        return stack(natives, axis=0)

    def stop_gradient(self, x: Any) -> Any:
        tape = innermost((x,), {})
        return x if tape is None else self.stop_gradient(without(tape, x))

    def custom_gradient(self, run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
        tape = innermost((natives,), {})
        if tape is None:
            return run(natives)[0]
        outs = self.custom_gradient(run, without(tape, natives))
        return custom(tape, natives, outs, lambda primals, cotangents: run(primals)[1](cotangents))

    def checkpoint(self, run: Callable[[Natives], Natives], natives: Natives) -> Natives:
        tape = innermost((natives,), {})
        if tape is None:
            return run(natives)
        outs = self.checkpoint(run, without(tape, natives))

        def back(primals: Natives, cotangents: Natives) -> Natives:
            found: Natives = self.vjp(lambda natives: (run(natives), []), primals)[1](cotangents)
            return found

        return custom(tape, natives, outs, back)
