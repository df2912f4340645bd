"""Transformations of functions of flat lists of native arrays, by tapes: what a framework's own transformations are to
JAX, PyTorch and TensorFlow, for any backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..backend.transposed import forward_of
from ..core.registry import functions as lw
from ..engine.arrays.array import wrapped
from .rules import custom, has_rule, state
from .tape import Node, Tape, Taped, Writes, innermost, own_constants, pull, without

if TYPE_CHECKING:
    from ..backend import Backend

__all__ = ["Transformations"]

Natives = list[Any]
Run = Callable[[Natives], tuple[Natives, Natives]]


def _memory(x: Any) -> Any:
    """Return what has the memory of an array: of a view of NumPy's the array that was made first."""
    found = getattr(x, "native", x)  # of a traced array, the one that its trace computes
    while (base := getattr(found, "base", None)) is not None:
        found = base
    return found


def _is_writable(x: Any) -> bool:
    flags = getattr(getattr(x, "native", x), "flags", None)
    return flags is None or flags.writeable or getattr(flags, "owndata", False)


class Transformations:
    """The derivatives of a backend's functions, by the rules of latticework.

    Parameters
    ----------
    below: the backend that computes.
    inside: the backend of `Taped` values, which a function is run on.
    """

    def __init__(self, below: Backend, inside: Backend) -> None:
        self.below, self.inside = below, inside

    def vjp(self, run: Run, primals: Natives, *, lasting: bool = False) -> tuple[Natives, Any, Natives]:
        """Run a function, and make the function that brings cotangents of its results back.

        Parameters
        ----------
        lasting: whether the cotangents come later. What is written until then shall change no derivative, so that the
            tape gets arrays that nothing else writes to.
        """
        lasting = lasting and not self.below.facts.immutable
        tape = Tape(self.below, self.inside)
        leaves = [Taped(self._copied(x) if lasting else x, tape, Node(None, (), {}, None)) for x in primals]
        with Writes(tape) as writes:
            outs, aux = run([*leaves])
        tape.open = False
        writes.undo(outs, () if lasting else primals)
        if lasting:
            own_constants(tape, outs, self._copied)

        def back(cotangents: Natives) -> Natives:
            found = pull(tape, outs, cotangents, leaves)
            if self.below.in_blocks_of is not None:
                found = [self._in_blocks(g, x) for g, x in zip(found, primals, strict=True)]
            return self.of_their_own(found, (*primals, *cotangents))

        found, beside = without(tape, outs), without(tape, aux)
        if lasting:
            found, beside = [*map(self._copied, found)], [*map(self._copied, beside)]
        return found, back, beside

    def jvp(self, run: Run, primals: Natives, tangents: Natives) -> tuple[Natives, Natives, Natives]:
        tape = Tape(self.below, self.inside, forward=True)
        outs, aux = run([Taped(x, tape, t) for x, t in zip(primals, tangents, strict=True)])
        tape.open = False
        moved = [x.node if type(x) is Taped and x.tape is tape else self._zero(tape, x) for x in outs]
        return without(tape, outs), self.of_their_own(moved, (*primals, *tangents)), without(tape, aux)

    @staticmethod
    def _zero(tape: Tape, x: Any) -> Any:
        return lw.zeros_like(tape.array(x))._data

    def _in_blocks(self, g: Any, x: Any) -> Any:
        """Bring a cotangent into the blocks of its argument: what learns by steps would be cut ever smaller."""
        in_blocks = self.below.in_blocks_of
        known = type(g) is not Taped and type(x) is not Taped and None not in self.below.shape_of(x)
        return in_blocks(g, x) if known and in_blocks is not None else g

    def _copied(self, x: Any) -> Any:
        return x if type(x) is Taped else self.below.duplicate(x)

    def of_their_own(self, found: Natives, given: Sequence[Any]) -> Natives:
        """Copy the derivatives that share memory with what was given or with each other, or cannot be written to."""
        if self.below.facts.immutable or any(type(x) is Taped for x in (*found, *given)):
            return found
        taken = {id(_memory(x)) for x in given}
        result = []
        for x in found:
            memory = _memory(x)
            result.append(self._copied(x) if id(memory) in taken or not _is_writable(x) else x)
            taken.add(id(memory))
        return result

    def vmap(self, run: Run, natives: Natives, axes: list[int], size: int) -> tuple[Natives, Natives]:
        """Run the function for one example after the other, and stack the results."""
        parts = [self._parts(x, axis, size) for x, axis in zip(natives, axes, strict=True)]
        rows = [run([x[i] for x in parts]) for i in range(size)]
        return [self._stacked([outs[k] for outs, _ in rows]) for k in range(len(rows[0][0]))], rows[0][1]

    def _parts(self, x: Any, axis: int, size: int) -> Sequence[Any]:
        if type(x) is not Taped:
            return [self.inside.index(x, (*[slice(None)] * axis, i)) for i in range(size)]
        unstack = self.inside.function("unstack", self.inside.dtypes[self.inside.dtype_of(x)])
        assert unstack is not None
        parts: Sequence[Any] = unstack(x, axis=axis)
        return parts

    def _stacked(self, natives: Natives) -> Any:
        dtype = self.inside.dtypes[self.inside.dtype_of(natives[0])]
        stack = self.inside.function("stack", dtype)
        assert stack is not None
        return stack(natives, axis=0)

    def stop_gradient(self, x: Any) -> Any:
        tape = innermost((x,), {})
        return x if tape is None else self.stop_gradient(without(tape, x))

    def custom_gradient(self, run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
        """Give a function a rule in reverse. Forward derivatives are its transpose."""
        return self.custom_rules(run, natives, forward_of(run, self.vjp, self._zeros_like))

    def _zeros_like(self, x: Any) -> Any:
        return lw.zeros_like(wrapped(x, self.inside.sig_of(x)))._data

    def custom_rules(self, run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
        tape = innermost((natives,), {})
        if tape is None:
            return run(natives)[0]
        below = without(tape, natives)
        outs = without(tape, self.custom_rules(run, below, push))  # what it uses besides is constant
        return custom(tape, natives, outs, lambda primals, cotangents: run(primals)[1](cotangents), push)

    @staticmethod
    def has_rule(name: str) -> bool:
        """Return whether a function of the backend has a rule."""
        return has_rule(name)

    @staticmethod
    def state_rule(name: str, rule: Callable[..., Any] | None, forward: Callable[..., Any] | None) -> None:
        """State the rule of a function, for all tapes."""
        state(name, rule, forward)

    def checkpoint(self, run: Callable[[Natives], Natives], natives: Natives) -> Natives:
        tape = innermost((natives,), {})
        if tape is None:
            return run(natives)
        outs = without(tape, self.checkpoint(run, without(tape, natives)))

        def back(primals: Natives, cotangents: Natives) -> Natives:
            found: Natives = self.vjp(lambda natives: (run(natives), []), primals)[1](cotangents)
            return found

        def push(primals: Natives, tangents: Natives) -> Natives:
            return self.jvp(lambda natives: (run(natives), []), primals, tangents)[1]

        return custom(tape, natives, outs, back, push)
