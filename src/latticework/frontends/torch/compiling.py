"""The calls of a module or a function as programs of the backend, traced by latticework: what `torch.compile` makes.

A program computes the results from the parameters, the buffers, the arguments and the state of the generator. Where a
call is recorded, the tape gets one call with one rule: a second program, which computes the results again and goes
back through them by autograd. So forward and backward are two programs, and the numbers are those of the calls
themselves. A function that does both is one, with the optimizer's step: see `steps`.
What cannot be traced runs as it is, as does everything on PyTorch, which records for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from weakref import WeakSet

from ...api.tracing import compile as traced
from ...policy import current
from ...tracing.recording.recorder import recorder as tracer
from ..naming import named_in
from . import sampling
from .amp import casting
from .autograd import grad
from .autograd.function import Function
from .autograd.modes import enable_grad, no_grad
from .autograd.recording import is_enabled, is_native, recorder
from .calling import Draws, built, drawn_before, has_compiler, taken_apart, tensors_of
from .nn.calling import _put, swapped
from .nn.modules.hooks import hooks_of_all_modules
from .steps import Steps, trains

__all__ = ["Compiled", "forget"]


# --- programs --------------------------------------------------------------------------------------------------------


class _Program:
    """What one kind of call computes.

    Attributes
    ----------
    forward: the compiled call, with the tensors of parameters and arguments, the buffers, and the generator's state. It
        gives the results, the buffers after it, and how many keys it took.
    """

    def __init__(self, f: Callable[..., Any], owners: Any, form: Any, wrt: tuple[int, ...], native: bool) -> None:
        self.f, self.owners, self.form, self.wrt, self.native = f, owners, form, wrt, native
        self.names = [(m, n) for m in owners for n, _ in m.named_parameters()]
        self.held = [(m, n) for m in owners for n, _ in m.named_buffers()]
        self.autocast = casting.active.get()
        self.forward = traced(self.run, native=native)
        self._back: dict[tuple[int, ...], Callable[..., Any]] = {}

    def run(self, tensors: list[Any], buffers: list[Any], key: Any, before: Any) -> Any:
        """Call the function with these tensors in the place of what the modules hold."""
        given: dict[Any, dict[str, Any]] = {m: {} for m in self.owners}
        for (m, name), x in zip(self.names, tensors, strict=False):
            given[m][name] = x
        for (m, name), x in zip(self.held, buffers, strict=True):
            given[m][name] = x.clone()
        args, kw = built(self.form, iter(tensors[len(self.names) :]))
        draws = Draws(key, before)
        with ExitStack() as stack:
            for m in self.owners:
                stack.enter_context(swapped(m, given[m], True, False))
            stack.callback(sampling.of_thread.reset, sampling.of_thread.set(draws))
            stack.enter_context(_casting(self.autocast))
            found = self.f(*args, **kw)
        return found, [given[m][name] for m, name in self.held], draws.drawn

    def backward(self, wanted: tuple[int, ...]) -> Callable[..., Any]:
        """Return the compiled derivatives of some of the results, weighted, by the tensors at `wrt`."""

        def back(tensors: list[Any], buffers: list[Any], key: Any, before: Any, gs: list[Any]) -> Any:
            with enable_grad():
                own = [x.detach().requires_grad_() if i in self.wrt else x for i, x in enumerate(tensors)]
                results = tensors_of(self.run(own, buffers, key, before)[0])
                chosen = [(results[i], g) for i, g in zip(wanted, gs, strict=True) if results[i].requires_grad]
                if not chosen:
                    return [None] * len(self.wrt)
                outs, weights = zip(*chosen, strict=True)
                return [*grad(outs, [own[i] for i in self.wrt], weights, allow_unused=True)]

        if wanted not in self._back:
            self._back[wanted] = traced(back, native=self.native)
        return self._back[wanted]


@contextmanager
def _casting(dtypes: dict[str, Any]) -> Iterator[None]:
    """Cast as in blocks of autocast, and go on with what was before."""
    before = casting.active.get()
    if before is dtypes:
        yield
        return
    casting.activate(dtypes)
    try:
        yield
    finally:
        casting.activate(before)


class _Call(Function):
    """The recorded call of a program: its results are there already."""

    @staticmethod
    def forward(ctx: Any, program: _Program, given: tuple[Any, ...], results: list[Any], *wrt: Any) -> Any:
        ctx.program, ctx.given = program, given
        ctx.save_for_backward(*wrt)
        ctx.set_materialize_grads(False)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *gs: Any) -> Any:
        if is_enabled():
            raise RuntimeError("torch.compile: a compiled call has no second derivative. Call the module itself")
        wanted = tuple([i for i, g in enumerate(gs) if g is not None])
        found = ctx.program.backward(wanted)(*ctx.given, [gs[i] for i in wanted])
        return (None, None, None, *found)


_made: WeakSet[Compiled] = WeakSet()


def forget() -> None:
    """Forget all programs of compiled calls."""
    for compiled in [*_made]:
        compiled.programs, compiled.steps = {}, None


class Compiled:
    """The compiled calls of a module or a function."""

    def __init__(self, f: Callable[..., Any], fullgraph: bool) -> None:
        self.f, self.fullgraph = f, fullgraph
        #: By kind of call: the program; None where the call runs as it is.
        self.programs: dict[Any, _Program | None] = {}
        #: The programs of whole steps, where the function is one; None before the first call.
        self.steps: Steps | bool | None = None
        _made.add(self)

    def call(self, *args: Any, **kw: Any) -> Any:
        """Run the program of a call, or the call as it is."""
        if tracer.get() is not None:  # it is a part of another program
            return self.f(*args, **kw)
        if self.steps is None:
            self.steps = not _is_module(self.f) and trains(self.f) and Steps(self.f, self.fullgraph)
        if self.steps:
            stepped = self.steps.call(args, kw)  # type: ignore[union-attr]
            if stepped is not NotImplemented:
                return stepped
        owners = _owners(self.f)
        tensors = [p for m in owners for p in m.parameters()]
        count = len(tensors)
        form = taken_apart((args, kw), tensors)
        if not tensors or is_native(tensors[0]._array):
            return self.f(*args, **kw)
        wrt = tuple([i for i, x in enumerate(tensors) if x.requires_grad]) if is_enabled() else ()
        key = form, wrt, owners, count, _state_of(owners)
        try:
            known = key in self.programs
        except TypeError:  # an argument that has no hash
            return self.f(*args, **kw)
        if not known:
            native = has_compiler(recorder(tensors[0]._array._sig.backend).below)
            self.programs[key] = _Program(self.f, owners, form, wrt, native)
        program = self.programs[key]
        if program is None:
            return self.f(*args, **kw)
        generator = sampling.default_generator
        given = ([x.detach() for x in tensors], [b for m in owners for b in m.buffers()], *drawn_before(generator))
        try:
            with no_grad():
                found, buffers, drawn = program.forward(*given)
        except Exception:
            if self.fullgraph or known:
                raise
            found = self.f(*args, **kw)  # an error of the function itself is raised here
            self.programs[key] = None
            return found
        generator._count += drawn
        for (m, name), old, new in zip(program.held, given[1], buffers, strict=True):
            _keep(m, name, old, new)
        if not wrt:
            return found
        results: list[Any] = []
        form = taken_apart(found, results)
        if not results:
            return found
        return built(form, iter(_Call.apply(program, given, results, *[tensors[i] for i in wrt])))


def _owners(f: Callable[..., Any]) -> tuple[Any, ...]:
    """Return the modules whose tensors a call computes with: the module, or those that the function names."""
    own = f if _is_module(f) else getattr(f, "__self__", None)
    if _is_module(own):
        return (own,)
    return tuple({id(m): m for m in named_in(f) if _is_module(m)}.values())


def _is_module(x: Any) -> bool:
    return hasattr(type(x), "named_parameters")  # its class's methods are compiled too, so that it is not imported


def _state_of(owners: tuple[Any, ...]) -> Any:
    """Return what a program depends on beside its arguments and what its modules hold: the policy, autocast, the hooks
    of all modules, and which tensors there are."""
    names = tuple([n for m in owners for named in (m.named_parameters, m.named_buffers) for n, _ in named()])
    return current(), tuple(casting.active.get().items()), hooks_of_all_modules(), names


def _keep(m: Any, name: str, old: Any, new: Any) -> None:
    """Give a buffer what a call has left in it."""
    if old.shape == new.shape and old.dtype == new.dtype:
        with no_grad():
            old.copy_(new)
    else:
        _put(m, name, new)
