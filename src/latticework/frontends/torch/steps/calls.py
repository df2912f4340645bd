"""The compiled steps of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....errors import TraceError, is_signal
from ....policy import current
from ..amp import casting
from ..autograd.recording import is_enabled
from ..calling import taken_apart
from ..nn.modules.hooks import any_hooks_of_all_modules, hooks_of_all_modules
from .program import KeptError, Step, UncompiledError

__all__ = ["Steps"]

#: The most programs of calls with arguments of one kind, and the most kinds.
_MOST, _KINDS = 8, 64


class Steps:
    """The compiled steps of a function.

    Attributes
    ----------
    kinds: by kind of arguments: the programs, the last used first; and how many calls there were before.
    refused: why the calls of a kind run as they are.
    """

    def __init__(self, f: Callable[..., Any], fullgraph: bool) -> None:
        self.f, self.fullgraph = f, fullgraph
        self.kinds: dict[Any, list[Step]] = {}
        self.refused: dict[Any, Exception] = {}
        self.changing: set[Any] = set()
        #: How many programs were made one after the other.
        self.missed = 0
        #: Of the last call, if its arguments were tensors by position: how many, what else is in its key, its program.
        self._last: tuple[Any, ...] = (-1, None, None, None, None)

    def call(self, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Run the program of a step, or the step as it is; return `NotImplemented` for a function that is no step."""
        count, policy, enabled, cast, last = self._last
        alike = len(args) == count and not kw and current() is policy and is_enabled() is enabled
        if alike and casting.active.get() is cast and not any_hooks_of_all_modules():
            natives = last.gather(args)
            if natives is not None:
                self.missed = 0
                return last.call(natives, args)
        given: list[Any] = []
        form = taken_apart((args, kw), given)
        key = form, current(), is_enabled(), tuple(casting.active.get().items()), hooks_of_all_modules()
        try:
            programs = self.kinds.get(key)
        except TypeError:  # an argument that has no hash
            return self.f(*args, **kw)
        if programs:
            for program in programs:
                natives = program.gather(given)
                if natives is not None:
                    self.missed = 0
                    if not kw and len(args) == len(given) and not any_hooks_of_all_modules():
                        self._last = len(args), current(), is_enabled(), casting.active.get(), program
                    return program.call(natives, given)
            for program in programs:
                if program.fits(given):
                    self.missed = 0
                    programs.remove(program)
                    programs.insert(0, program)
                    return program.call(program.natives, given)
        refused = self.refused.get(key)
        if refused is not None:
            return NotImplemented if isinstance(refused, KeptError) else self.f(*args, **kw)
        if programs is None:
            if len(self.kinds) >= _KINDS:
                return self.f(*args, **kw)
            programs = self.kinds[key] = []
            if not self.fullgraph:
                return self.f(*args, **kw)
        try:
            if self.missed >= _MOST:
                raise TraceError(f"torch.compile: the step has other attributes in each of the last {_MOST} calls")
            self._note_changing(programs)
            program = Step(self.f, form, given, self.changing)
        except Exception as error:
            if is_signal(error):
                raise
            if self.fullgraph and not isinstance(error, (KeptError, UncompiledError)):
                raise
            found: Any = NotImplemented
            if not isinstance(error, KeptError):
                found = self.f(*args, **kw)  # its own error is raised here
            self.refused[key] = error
            return found
        self.missed += 1
        programs.insert(0, program)
        del programs[_MOST:]
        return program.call(program.natives, given)

    def _note_changing(self, programs: list[Step]) -> None:
        """Have options that have changed be inputs of the next program."""
        for program in programs:
            groups = [(k, n, g) for k, o in enumerate(program.held.optimizers) for n, g in enumerate(o.param_groups)]
            for (k, n, group), before in zip(groups, program.options, strict=False):
                for name, x in group.items():
                    y: Any = before.get(name)
                    fits = type(x) is type(y) and (type(x) is float or (type(x) is tuple and len(x) == len(y)))
                    if fits and x != y and name not in program.held.state.names:
                        self.changing.add((k, n, name))
