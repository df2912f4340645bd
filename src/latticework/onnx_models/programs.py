"""Graphs of ONNX as programs: the operators in order, what is known of their inputs, and how they run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import Context
from typing import Any, NamedTuple

import numpy as np

import latticework as lw

from ..engine.arrays.array import Array
from ..errors import GraphFileError
from ..tracing.recording.definitions import kept_as_calls
from .table import Call

__all__ = ["Place", "Program", "Step", "apart", "as_array", "known"]


class Place(NamedTuple):
    """Where a program runs: the backend and the device of its arrays."""

    backend: str
    device: Any


class Step(NamedTuple):
    """One operator of a program.

    Attributes
    ----------
    call: its name, attributes and opset.
    function, host, raw: how it is read, as in the table.
    inputs, outputs: names; "" for one that is left out.
    spent: the names that no later step uses.
    settles: whether a result may have to be known, because another step takes it as a setting.
    """

    call: Call
    function: Callable[..., Any]
    host: tuple[int, ...]
    raw: bool
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    spent: tuple[str, ...] = ()
    settles: bool = True


class Program:
    """A graph: the model's, a branch, the body of a loop, or that of a function.

    Attributes
    ----------
    inputs, outputs: names.
    steps: the operators in order.
    constants: what is known when the file is read, by name.
    uses: the names of what is around the graph, of which it uses something.
    """

    __slots__ = ("constants", "inputs", "outputs", "steps", "uses")

    def __init__(
        self, inputs: Sequence[str], outputs: Sequence[str], steps: Iterable[Step], constants: dict[str, Any]
    ) -> None:
        self.inputs, self.outputs, self.constants = tuple(inputs), tuple(outputs), constants
        self.steps: tuple[Step, ...] = tuple(steps)
        self.uses = self._used()

    def _used(self) -> frozenset[str]:
        made = {*self.inputs, *self.constants, *(name for s in self.steps for name in s.outputs)}
        used = {name for s in self.steps for name in reads_of(s)} | {*self.outputs}
        return frozenset(used - made - {""})

    def programs(self) -> list[Program]:
        """List the program with the branches and bodies in it, the innermost first."""
        parts = [x for s in self.steps for x in s.call.attributes.values() if isinstance(x, Program)]
        return [*(p for part in parts for p in part.programs()), self]

    def fold(self, params: frozenset[str]) -> None:
        """Run the steps whose inputs are known, and note after which step a value is needed no more.

        Parameters
        ----------
        params: the names of parameters, which are no constants any more: they come from around the program.
        """
        self.constants = {name: x for name, x in self.constants.items() if name not in params}
        steps = []
        for s in self.steps:
            if not s.raw and all(not n or n in self.constants for n in reads_of(s)):
                found = apart(s, [self.constants.get(n) for n in s.inputs])
                if all(known(x) for x in found):
                    self.constants.update({n: x for n, x in zip(s.outputs, found, strict=False) if n})
                    continue
            steps.append(s)
        last = {name: i for i, s in enumerate(steps) for name in (*reads_of(s), *s.outputs)}
        spent: dict[int, list[str]] = {}
        for name, i in last.items():
            if name and name not in self.outputs:
                spent.setdefault(i, []).append(name)
        self.steps = tuple([s._replace(spent=tuple(spent.get(i, ()))) for i, s in enumerate(steps)])
        needed = {name for s in self.steps for name in reads_of(s)} | {*self.outputs}
        self.constants = {name: x for name, x in self.constants.items() if name in needed}
        self.uses = self._used()

    def run(self, place: Place, around: Mapping[str, Any], given: Sequence[Any]) -> list[Any]:
        """Run the program.

        Parameters
        ----------
        around: the values of names outside of it.
        given: the values of its inputs.
        """
        values = {name: around[name] for name in self.uses if name in around}
        values.update(self.constants)
        values.update(zip(self.inputs, given, strict=True))
        for s in self.steps:
            try:
                args = [values[name] if name else None for name in s.inputs]
                found = done(s, args, place, values)
            except Exception as error:
                error.add_note(f"in the model's {s.call.kind} (node {s.call.name!r})")
                raise
            values.update(zip(s.outputs, found, strict=False))
            for name in s.spent:
                values.pop(name, None)
        missing = next((name for name in self.outputs if name not in values), None)
        if missing is not None:
            raise GraphFileError(f"from_onnx: no operator makes the output {missing!r}")
        return [values[name] for name in self.outputs]


def reads_of(s: Step) -> Iterable[str]:
    """Yield the names that a step reads, those of its branches and bodies too."""
    yield from s.inputs
    for x in s.call.attributes.values():
        if isinstance(x, Program):
            yield from x.uses


def known(x: Any) -> bool:
    """Tell whether a value is known without a look at an array: it is NumPy's, or left out."""
    return x is None or isinstance(x, (np.ndarray, np.generic))


def as_array(x: Any, place: Place) -> Any:
    """Make an array of a value that is known."""
    if isinstance(x, (np.ndarray, np.generic)):
        return lw.asarray(np.asarray(x), backend=place.backend, device=place.device)
    return x


def listed(found: Any) -> list[Any]:
    return [*found] if isinstance(found, tuple) else [found]


def apart(s: Step, args: Sequence[Any]) -> list[Any]:
    """Run a step on values that are known, with NumPy, apart from a trace around it."""

    def run() -> list[Any]:
        with lw.using(backend="numpy", rules="unified"), np.errstate(all="ignore"):
            numpy = Place("numpy", None)
            arrays = [x if i in s.host else as_array(x, numpy) for i, x in enumerate(args)]
            found = listed(s.function(s.call.on("numpy", None), *arrays))
            return [x._data if isinstance(x, Array) else x for x in found]

    return [np.asarray(x) if isinstance(x, np.generic) else x for x in Context().run(run)]


def done(s: Step, args: Sequence[Any], place: Place, around: Mapping[str, Any]) -> list[Any]:
    """Run a step. What is known is computed with NumPy, but for what a model that is written anew has operators for."""
    if s.raw:
        call = s.call.on(place.backend, place.device)
        return listed(s.function(call, *args, place=place, around=around))
    if all(map(known, args)) and s.inputs and (s.settles or not kept_as_calls.get()):
        return apart(s, args)
    given = [of_host(x, i, s) if i in s.host else as_array(x, place) for i, x in enumerate(args)]
    return listed(s.function(s.call.on(place.backend, place.device), *given))


def of_host(x: Any, i: int, s: Step) -> Any:
    """Return an input whose value has to be known."""
    if isinstance(x, Array):
        try:
            return np.asarray(x)
        except Exception as error:
            error.add_note(
                f"{s.call.kind} takes the value of input {i}, {s.inputs[i]!r}, as a shape or a setting. In a program "
                "that is traced it has to follow from extents and constants of the model"
            )
            raise
    return x
