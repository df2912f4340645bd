"""Updates as programs: the framework's calls that an update makes, written into the arrays that it is for.

An update is Python over tensors. When it has run some dozens of times it is traced, and its program runs from then on.
The numbers of an update, such as the rate, change from step to step. To the program they are arrays without axes, in
the dtype that the framework computes with numbers in: the results are the same to the last bit.

A program writes the new parameter and the new state over the old ones. It takes memory for two or three arrays of the
size of the parameter, and of large ones for some blocks. It has all memory before it writes: then no call of it fails.
Where NumPy is told to raise errors for infinities and nan (`np.errstate`), updates run as they are: they compute all
first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....api.tracing import trace
from ....core.registry import functions as lw
from ....engine.arrays.array import Array, wrapped
from ....errors import is_signal
from ....tracing.nodes import Node, Value
from ..core import dialect
from ..tensor import Tensor

__all__ = ["Program", "Run", "program_of"]

#: How often an update runs before it is traced.
_BEFORE = 48
#: The dtypes in which a number as an array without axes gives the same bits as the number.
_DTYPES = frozenset(("float32", "float64"))
#: The functions that a program may call: they compute each element alone, and take ``out``.
_FUNCTIONS = frozenset("add divide maximum minimum multiply sqrt square subtract".split())
#: The elements of a block, and of the smallest array that is updated block by block.
BLOCK, LARGE = 131_072, 524_288

#: What NumPy does about infinities and nan where a program may run.
_QUIET = frozenset(("ignore", "warn"))

_programs: dict[Any, Program] = {}


def program_of(optimizer: Any, group: dict[str, Any], numbers: tuple[Any, ...]) -> Program | None:
    """Return the program of an optimizer's update with the options of a group; None where a number is a tensor."""
    if Tensor in map(type, numbers) or not _QUIET.issuperset(np.geterr().values()):
        return None
    kind = type(optimizer)
    key = kind.update, len(numbers), *[_kind(group[name]) for name in kind.choices]
    found = _programs.get(key)
    if found is None:
        options = {name: group[name] for name in kind.choices}
        found = _programs[key] = Program(kind.update, options, kind.scalars)
    return found


def _kind(x: Any) -> Any:
    """Return what an update looks at of an option: of a number, whether it is zero."""
    return x == 0 if type(x) is float or type(x) is int else Tensor if type(x) is Tensor else x


class Program:
    """The program of one update, which computes each element alone.

    Attributes
    ----------
    update: the method `update` of a class of optimizers.
    options: the options of the group that the method looks at.
    scalars: the names of the tensors of the state that it does not look at.
    calls: how many calls came before it is traced.
    runs: what runs, by the policy, the signature and the names of the state; None where the update cannot be traced.
    """

    def __init__(self, update: Callable[..., Any], options: dict[str, Any], scalars: tuple[str, ...]) -> None:
        self.update, self.options, self.scalars = update, options, scalars
        self.calls = 0
        self.runs: dict[Any, Run | None] = {}
        self.made: dict[Any, tuple[Any, list[Any]]] = {}

    def run_of(self, x: Array, g: Array, state: dict[str, Any], numbers: tuple[float, ...], policy: Any) -> Run | None:
        """Return what updates a parameter; None where no program can do that, or not yet.

        Parameters
        ----------
        x, g: the parameter as a constant, and its gradient.
        state: the state of the parameter.
        numbers: the numbers of this step.
        policy: the policy in force.
        """
        sig, data = x._sig, x._data
        backend = sig.backend
        if not sig.in_place or g._sig is not sig or backend.watched or type(data) is sig.scalar:
            return None
        shape, scalars = data.shape, self.scalars
        if g._data.shape != shape or sig.dtype.name not in _DTYPES or backend.device_of(data) != "cpu":
            return None
        for name, s in state.items():
            if name not in scalars:
                a = s._array
                if a._sig is not sig or a._data.shape != shape:
                    return None
        if self.calls < _BEFORE:
            self.calls += 1
            return None
        key = policy, sig, *state
        try:
            return self.runs[key]
        except KeyError:
            pass
        found = None
        try:
            found = self._traced(sig, tuple([name for name in state if name not in scalars]), len(numbers))
        except Exception as error:  # it looks at values, or puts other tensors into the state
            if is_signal(error):
                raise
        self.runs[key] = found
        return found

    def _traced(self, sig: Any, names: tuple[str, ...], count: int) -> Run | None:
        update, options = self.update, self.options

        def program(x: Array, g: Array, *given: Array) -> Any:
            tensors = [dialect.wrapped(s) for s in given]
            state = dict(zip(names, tensors, strict=False))
            less = update(None, options, dialect.wrapped(x), dialect.wrapped(g), state, tensors[len(names) :])
            if [*state] != [*names]:
                raise TypeError("the update has put another tensor into the state")
            return lw.subtract(x, less._array), *[s._array for s in state.values()]

        arrays = [lw.asarray([1.0] * 3, dtype=sig.dtype, backend=sig.backend.name) for _ in range(2 + len(names))]
        numbers = [wrapped(n, sig) for n in self._natives(sig, (0.5,) * count)]
        graph = trace(program, *arrays, *numbers)
        block = graph.block
        if len(block.inputs) != len(arrays) + count or any(a._sig is not sig for a in arrays):
            return None
        text = _Text(block.inputs, len(arrays), block.outputs)
        for i, node in enumerate(block.nodes):
            if not text.add(node, [v for later in block.nodes[i + 1 :] for v in later.operands]):
                return None
        if not text.is_in_order():
            return None
        return Run(text.function(sig.backend.overwrite), names, len(block.nodes), text.count, sig)

    def natives(self, sig: Any, numbers: tuple[float, ...]) -> list[Any]:
        """Return the numbers as native arrays without axes: those of the step before where they are the same."""
        before = self.made.get(sig)
        return before[1] if before is not None and before[0] == numbers else self._natives(sig, numbers)

    def _natives(self, sig: Any, numbers: tuple[float, ...]) -> list[Any]:
        old = self.made.get(sig) or ((None,) * len(numbers), [])
        make = sig.backend.zero_dim(sig.backend.native_dtypes[sig.dtype])
        natives = [old[1][i] if n == old[0][i] else make(n) for i, n in enumerate(numbers)]
        self.made[sig] = numbers, natives
        return natives


class Run:
    """An update of native arrays.

    Attributes
    ----------
    function: the function of the parameter, its gradient, its state, the numbers, and arrays like the parameter for
        what it computes between: it writes into all but the gradient and the numbers, and takes no memory.
    names: the names of the state.
    calls: the number of calls that it makes.
    between: how many arrays for what it computes between.
    """

    def __init__(
        self, function: Callable[..., None], names: tuple[str, ...], calls: int, between: int, sig: Any
    ) -> None:
        self.function, self.names, self.calls, self.between, self._sig = function, names, calls, between, sig
        self.in_blocks = getattr(sig.backend.module, "_in_blocks", _are_contiguous)

    def memory(self, size: int) -> list[Any]:
        """Return native arrays of one axis for what is computed between."""
        sig = self._sig
        one = lw.asarray([0.0], dtype=sig.dtype, backend=sig.backend.name)
        return [lw.repeat(one, size)._data for _ in range(self.between)]


def _are_contiguous(*arrays: Any) -> bool:
    return all(a.flags.c_contiguous for a in arrays)


class _Text:
    """The text of a function that writes its results over its arguments.

    A call writes into an array that nothing uses any more: the one that the result is meant for, else the operand's, or
    one of a call before. Where there is none, the function is given one.

    Attributes
    ----------
    count: how many arrays it is given for that.
    """

    def __init__(self, inputs: list[Any], count: int, outputs: list[Any]) -> None:
        self.names = [f"x{i}" for i in range(len(inputs))]
        self.place = {id(v): name for v, name in zip(inputs, self.names, strict=True)}
        self.written = [name for i, name in enumerate(self.names[:count]) if i != 1]  # the gradient stays
        self.outputs, self.inputs = outputs, inputs
        self.like = inputs[0]
        self.free: list[str] = []
        self.lines: list[str] = []
        self.objects: dict[str, Any] = {}
        self.count = 0

    def add(self, node: Node, later: list[Value]) -> bool:
        """Write a call; return whether it can be written.

        Parameters
        ----------
        later: the values that calls after it use.
        """
        result, args = node.result, node.args
        plain = node.name in _FUNCTIONS and not node.kwargs and not node.blocks and node.writes is None
        if not plain or type(result) is not Value or not all(id(a) in self.place for a in args):
            return False
        if result.shape != self.like.shape or result.dtype is not self.like.dtype:
            return False
        alive = {id(v) for v in (*later, *self.outputs)}
        over = [self.place[id(a)] for a in args if id(a) not in alive and a.shape == result.shape]
        over = [name for name in dict.fromkeys(over) if name in self.written or name[0] == "t"]
        meant = [name for v, name in zip(self.outputs, self.written, strict=True) if v is result]
        usable = [*over, *self.free]
        spare = [name for name in usable if name[0] == "t"]
        wanted = [name for name in meant if name in usable] or spare
        if not meant:
            wanted = over or spare  # what a later result is meant for is taken by none but its operand
        chosen = wanted[0] if wanted else None
        self.free = [name for name in usable if name != chosen]
        function = f"f_{getattr(node.function, '__name__', len(self.objects))}"
        self.objects[function] = node.function
        operands = ", ".join([self.place[id(a)] for a in args])
        if chosen is None:
            chosen, self.count = f"t{self.count}", self.count + 1
        self.lines.append(f"{function}({operands}, out={chosen})")
        self.place[id(result)] = chosen
        return True

    def is_in_order(self) -> bool:
        """Return whether no result is an argument, or another result, that is written over before it is copied."""
        return all(
            self.place[id(v)] == name or self.place[id(v)] not in self.written
            for v, name in zip(self.outputs, self.written, strict=True)
        )

    def function(self, overwrite: Callable[[Any, Any], Any]) -> Callable[..., None]:
        """Return the function of the text."""
        self.objects["overwrite"] = overwrite
        for v, name in zip(self.outputs, self.written, strict=True):
            if self.place[id(v)] != name:
                self.lines.append(f"overwrite({name}, {self.place[id(v)]})")
        names = [*self.names, *[f"t{i}" for i in range(self.count)]]
        text = "\n    ".join([f"def write_over({', '.join(names)}):", *self.lines, ""])
        exec(text, self.objects)
        return self.objects["write_over"]
