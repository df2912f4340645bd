"""Updates as programs: the framework's calls that an update makes, and nothing around them.

An update is Python over tensors. When it has run some dozens of times it is traced, and its program runs from then on.
The numbers of an update, such as the rate, change from step to step. To the program they are arrays without axes, in
the dtype that the framework computes with numbers in: the results are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....api.tracing import trace
from ....engine.arrays.array import Array, wrapped
from ....errors import is_signal
from ....policy import current
from ..core import dialect
from ..tensor import Tensor

__all__ = ["Program", "program_of"]

#: How often an update runs before it is traced.
_BEFORE = 48
#: The dtypes in which a number as an array without axes gives the same bits as the number.
_DTYPES = frozenset(("float32", "float64"))

_programs: dict[Any, Program] = {}


def program_of(optimizer: Any, group: dict[str, Any], numbers: tuple[Any, ...]) -> Program | None:
    """Return the program of an optimizer's update with the options of a group; None where a number is a tensor."""
    if any(type(n) is Tensor for n in numbers):
        return None
    kind = type(optimizer)
    key = kind.update, *[_kind(group[name]) for name in kind.choices]
    found = _programs.get(key)
    if found is None:
        options = {name: group[name] for name in kind.choices}
        found = _programs[key] = Program(kind.update, options)
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
    calls: how many calls came before it is traced; -1 where it cannot be traced.
    runs: the functions of native arrays, by the policy, the signature, the rank and the names of the state.
    """

    def __init__(self, update: Callable[..., Any], options: dict[str, Any]) -> None:
        self.update, self.options = update, options
        self.calls = 0
        self.runs: dict[Any, Callable[..., Any]] = {}
        self.made: dict[Any, tuple[Any, list[Any]]] = {}

    def of(self, x: Any, g: Any, state: dict[str, Any], numbers: tuple[float, ...]) -> Callable[..., Any] | None:
        """Return the update of a parameter as a function, which returns what to subtract, and puts new tensors into
        the state; None where no program can do that.

        Parameters
        ----------
        x, g: the parameter as a constant, and its gradient.
        state: the state of the parameter.
        numbers: the numbers of this step.
        """
        a, b = x._array, g._array
        sig, shape = a._sig, a._data.shape
        if self.calls < 0 or not sig.in_place or b._sig is not sig or sig.dtype.name not in _DTYPES:
            return None
        backend = sig.backend
        if backend.watched or type(a._data) is sig.scalar or backend.device_of(a._data) != "cpu":
            return None
        arrays = [s._array for name, s in state.items() if name != "step"]
        if any(s._sig is not sig or s._data.shape != shape for s in (b, *arrays)):
            return None
        if self.calls < _BEFORE:
            self.calls += 1
            return None
        key = current(), sig, len(shape), 0 in shape or 1 in shape, *state
        run = self.runs.get(key)
        if run is None:
            try:
                run = self._traced(a, [b, *arrays], [name for name in state if name != "step"], len(numbers))
            except Exception as error:
                if is_signal(error):
                    raise
                self.calls = -1  # it looks at values: it runs as it is from now on
                return None
            self.runs[key] = run
        data, given = [x._data for x in (a, b, *arrays)], self._natives(sig, numbers)

        def updated(state: dict[str, Any]) -> Any:
            less, *new = run(*data, *given)
            for name, s in zip([name for name in state if name != "step"], new, strict=True):
                state[name] = dialect.wrapped(wrapped(s, sig))
            return dialect.wrapped(wrapped(less, sig))

        return updated

    def _traced(self, x: Array, others: list[Array], names: list[str], count: int) -> Callable[..., Any]:
        update, options = self.update, self.options

        def program(x: Array, g: Array, *given: Array) -> Any:
            tensors = [dialect.wrapped(s) for s in given]
            state = dict(zip(names, tensors, strict=False))
            less = update(None, options, dialect.wrapped(x), dialect.wrapped(g), state, tensors[len(names) :])
            if [*state] != names:
                raise TypeError("the update has put another tensor into the state")
            return less._array, *[s._array for s in state.values()]

        numbers = [wrapped(n, x._sig) for n in self._natives(x._sig, (0.5,) * count)]
        run = trace(program, x, *others, *numbers).function
        return run if names else lambda *arguments: (run(*arguments),)

    def _natives(self, sig: Any, numbers: tuple[float, ...]) -> list[Any]:
        """Return the numbers as native arrays without axes: those of the step before where they are the same."""
        before = self.made.get(sig)
        if before is not None and before[0] == numbers:
            return before[1]
        make = sig.backend.zero_dim(sig.backend.native_dtypes[sig.dtype])
        old = before or ((None,) * len(numbers), [])
        natives = [old[1][i] if n == old[0][i] else make(n) for i, n in enumerate(numbers)]
        self.made[sig] = numbers, natives
        return natives
