"""Whole steps of training as programs: forward, `backward`, and what an optimizer does, in one.

A step runs once as it is, so that its optimizers have their state. The second call of a kind is traced: all tensors that
the function leads to hold arrays of the trace meanwhile, and the function runs as always, on the tape and through the
optimizers. What it leaves in tensors, gradients, the state of optimizers and attributes are the results of the program.
A call computes them first and puts them in their places afterwards, so that one that ends with an error has changed
nothing. Learning rates are inputs.

What cannot be kept in that way, such as a branch by the loss or a number that is counted in Python, is refused by
`TraceError`, and the function runs as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from itertools import pairwise
from sys import getrefcount
from typing import Any, NamedTuple

import numpy as np

from ...api.tracing import trace
from ...backends.taped.core import TapedBackend
from ...core.registry import functions as lw
from ...derivatives.tape import Node, Taped, operands
from ...engine.arrays.array import Array, wrapped
from ...engine.arrays.views import family_of
from ...errors import BackendError, TraceError, is_signal
from ...policy import current
from ...tracing.nodes import Block, values_in
from ...tracing.recording.recorder import Traced
from ...tracing.recording.state import Change, Kept, Slot, State, same
from ..calls import HELD, new
from . import sampling
from .amp import casting
from .autograd.engine import _Freed, _freed
from .autograd.modes import no_grad
from .autograd.recording import Leaf, is_enabled, leaf_of, recorder, unrecorded
from .autograd.versions import note_write
from .calling import Draws, built, drawn_before, has_compiler, taken_apart
from .core import dialect
from .nn.modules.hooks import hooks_of_all_modules
from .optim import optimizer as optimizers
from .optim.scheduler import LRScheduler
from .optim.updating import Updating, stand_ins
from .tensor import Tensor
from .views import shares

__all__ = ["Steps", "trains"]

#: The most programs of calls with arguments of one kind, and the most kinds.
_MOST, _KINDS = 8, 64


class UncompiledError(TraceError):
    """The error for a step on a backend whose steps run as they are."""


class KeptError(TraceError):
    """The error for a step that gives a tensor which can still be differentiated."""


def _optimizer_of(f: Any) -> Any:
    """Return the optimizer whose method a function is; None for another function."""
    own = getattr(f, "__self__", None) or getattr(f, "optimizer_of", lambda: None)()
    return own if isinstance(own, optimizers.Optimizer) else None


def trains(f: Any) -> bool:
    """Return whether a function may contain a step of training: it names `backward`, or is an optimizer's `step`."""
    return _optimizer_of(f) is not None or "backward" in _state_of(f, ()).names


def _state_of(f: Any, given: Sequence[Any]) -> State:
    """Find what a function leads to, and objects among its arguments."""
    roots = [(f, getattr(f, "__name__", "")), *[(x, "an argument") for x in given]]
    own = _optimizer_of(f)
    return State(roots if own is None else [*roots, (own, "optimizer")])


def _objects_in(form: Any, found: list[Any]) -> list[Any]:
    """List the arguments that are objects, of a tree that was taken apart."""
    if form is not Tensor:
        if form[0] is not None:
            for part in form[-1]:
                _objects_in(part, found)
        elif hasattr(form[2], "__dict__") or callable(form[2]):
            found.append(form[2])
    return found


# --- what a step holds ------------------------------------------------------------------------------------------------


class _Spec(NamedTuple):
    """What a program depends on of a tensor.

    Attributes
    ----------
    sig: the signature of its array, without the tape.
    shape: its shape.
    recorded: whether it is a leaf that requires a gradient.
    """

    sig: Any
    shape: tuple[int, ...]
    recorded: bool


def _read(x: Any, backend: Any) -> tuple[_Spec, Any] | None:
    """Return the spec of a tensor and its native array; None where no program can have it."""
    a = x._array
    data, sig = a._data, a._sig
    if type(data) is Taped:
        value, node = data.value, data.node
        if type(node) is not Leaf or node.hooks or type(value) is Taped or data.tape.below is not backend:
            return None
        return _Spec(backend.sig_of(value), tuple(backend.shape_of(value)), True), value
    if sig.backend is not backend:
        if getattr(sig.backend, "target", None) is not backend or type(data) is Traced:
            return None
        sig = backend.sig_of(data)  # computed from a recorded tensor where nothing was recorded
    return _Spec(sig, tuple(backend.shape_of(data)), False), data


class _Held:
    """What a step holds.

    Attributes
    ----------
    state: the places that the function leads to, as any traced function.
    tensors: the tensors in these places.
    optimizers: its optimizers.
    kept: the look at the places, which each call takes.
    backend: the backend of the tensors.
    """

    def __init__(self, f: Any, given: Sequence[Any]) -> None:
        self.state = _state_of(f, given)
        found = self.state.objects()
        self.slots = {id(x): slots for x, slots in found}
        self.tensors = [x for x, _ in found if type(x) is Tensor]
        self.optimizers = [x for x, _ in found if isinstance(x, optimizers.Optimizer)]
        own: Any = (Tensor, optimizers.Optimizer, type)
        #: Objects of latticework's that are no tensors, modules or optimizers, as schedulers.
        self.others = [
            x for x, _ in found
            if type(x).__module__.startswith("latticework.") and not isinstance(x, own)
            and not getattr(type(x), "_holds_state", False) and type(getattr(x, "__dict__", None)) is dict
        ]  # fmt: skip
        self._fixed = [(slot, x) for x, slots in found for slot in slots if slot.get() is x]
        first = [*self.tensors, *[p for o in self.optimizers for group in o.param_groups for p in group["params"]]]
        self.backend = _below(first[0]) if first else None
        self.tensors = [x for x in self.tensors if _below(x) is self.backend]

    def look_at(self, others: Sequence[Any]) -> None:
        """Look in each call at the places, and at the attributes of some other objects."""
        fixed = [*self._fixed, *[(Slot("item", x.__dict__, n, n), y) for x in others for n, y in x.__dict__.items()]]
        self.kept = Kept(self.state, [], [], fixed, writes=False)

    def rebind(self, slot: Slot, x: Any) -> None:
        """Bind a place to another tensor, which takes the place of the one before."""
        before = slot.get()
        slot.set(x)
        self.kept.expect(slot, x)
        self.tensors = [x if y is before else y for y in self.tensors]

    def layout(self, changing: set[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return what a program depends on beside the places; the tensors, each once; and the options that are numbers
        and inputs, as groups, names, and positions in a tuple or None.

        Raises
        ------
        TraceError: there are hooks, which no program calls.
        """
        tensors: list[Any] = []
        places: dict[int, int] = {}

        def place(x: Any) -> Any:
            if type(x) is tuple:
                return tuple, *map(place, x)
            if type(x) is not Tensor:
                return type(x), x
            if id(x) not in places:
                places[id(x)] = len(tensors)
                tensors.append(x)
            return places[id(x)]

        form: list[Any] = [place(x) for x in self.tensors]
        numbers: list[tuple[dict[str, Any], str, int | None]] = []
        if self.optimizers and (optimizers._before_all or optimizers._after_all):
            raise TraceError("torch.compile: hooks of optimizers are called in each step, and no program calls them")
        for k, o in enumerate(self.optimizers):
            if o._optimizer_step_pre_hooks or o._optimizer_step_post_hooks:
                raise TraceError(
                    "torch.compile: hooks of an optimizer are called in each step, and no program calls them"
                )
            form.append(o.__dict__.get("step"))
            for n, group in enumerate(o.param_groups):
                for name, x in group.items():
                    if name == "params":
                        form.append([place(p) for p in x])
                    elif type(x) is float and (name == "lr" or (k, n, name) in changing):
                        form.append((name, x == 0 and name != "lr"))
                        numbers.append((group, name, None))
                    elif type(x) is tuple and (k, n, name) in changing and all(type(y) is float for y in x):
                        form.append((name, *[y == 0 for y in x]))
                        numbers += [(group, name, i) for i in range(len(x))]
                    elif name != "initial_lr":
                        form.append((name, place(x)))
            for p, entries in o.state.items():
                form.append((place(p), [(name, place(x)) for name, x in entries.items()]))
        for x in [*tensors]:
            own = x._own
            if own.after:
                raise TraceError("torch.compile: hooks of tensors are called in each step, and no program calls them")
            form.append(None if own.grad is None else place(own.grad))
        return form, tensors, numbers


def _below(x: Any) -> Any:
    backend = x._array._sig.backend
    return backend.target if isinstance(backend, TapedBackend) else backend


# --- programs ---------------------------------------------------------------------------------------------------------


class _New(NamedTuple):
    """A tensor that each call makes.

    Attributes
    ----------
    out: which of the results of the program it has.
    sig: the signature of its array, without the tape.
    rule: what computed it, for a tensor that requires a gradient: its graph is freed. None for another one.
    """

    out: int
    sig: Any
    rule: Any


class _Step:
    """The program of one kind of step.

    Attributes
    ----------
    f: the function.
    form: the arguments without their tensors.
    held: what the function holds.
    """

    def __init__(self, f: Any, form: Any, given: list[Any], changing: set[Any]) -> None:
        self.f, self.form = f, form
        self.held = held = _Held(f, _objects_in(form, []))
        for o in held.optimizers:
            _share_counts(o)
        self.backend = held.backend
        if self.backend is None or self.backend.name == "torch" or self.backend.lazy:
            raise UncompiledError("torch.compile: a step runs as it is on this backend")
        self.layout, self.tensors, self.numbers = held.layout(changing)
        self.values = [_option(*number) for number in self.numbers]
        self.changing = {*changing}
        self.options = [dict(group) for o in held.optimizers for group in o.param_groups]
        read = [_read(x, self.backend) for x in self.tensors]
        of_arguments = [_read(x, self.backend) for x in given]
        if None in read or None in of_arguments or any(spec.recorded for spec, _ in of_arguments):  # type: ignore[misc]
            raise TraceError(
                "torch.compile: a tensor of the step has hooks, or is computed by recorded calls before it"
            )
        self.specs: list[_Spec] = [r[0] for r in read]  # type: ignore[index]
        self.given: list[_Spec] = [r[0] for r in of_arguments]  # type: ignore[index]
        self._check_memory([x._array for x in (*self.tensors, *given)])
        self.mutable = not self.backend.facts.immutable
        #: The places of tensors that are only in the state of optimizers, which put new ones there.
        self.replaced = self._in_states()
        self._trace([r[1] for r in (*read, *of_arguments)])  # type: ignore[index]
        self._sort()
        self._bind(given)

    def _check_memory(self, arrays: list[Array]) -> None:
        """Refuse tensors that share memory: in the program they are different ones."""
        natives = [x._data.value if type(x._data) is Taped else x._data for x in arrays]
        if len({id(x) for x in arrays}) < len(arrays) or (
            self.backend.name == "numpy" and _overlap([x for x in natives if isinstance(x, np.ndarray)])
        ):
            raise TraceError("torch.compile: two tensors of the step share memory")
        families = [family for x in arrays if shares(x) and (family := getattr(x, "_link", None)) is not None]
        roots = [id(f[4] if f else f) for f in families]
        if len({*roots}) < len(roots):
            raise TraceError("torch.compile: a tensor of the step is a view of another one")

    # --- tracing ----------------------------------------------------------------------------------------------------

    def _trace(self, natives: list[Any]) -> None:
        """Trace the step, and keep its program."""
        backend = self.backend
        arrays = [wrapped(x, spec.sig) for x, spec in zip(natives, (*self.specs, *self.given), strict=True)]
        arrays += [_number(x, backend) for x in self.values]
        arrays += [x._array for x in drawn_before(sampling.default_generator)]
        self.outs: list[Any] = []
        draws = len(arrays) - 2
        schedulers = any(isinstance(x, LRScheduler) for x in self.held.others)
        arrays += [_number(x, backend) for x in self.values] if schedulers else []
        graph = trace(self._run, arrays)
        if graph.written or graph._changed or graph.binds:
            raise TraceError(
                "torch.compile: the step writes to an array that is no tensor of its modules or optimizers"
            )
        if not graph._held:
            graph._kept = None  # the places are looked at already
        nodes = {id(v) for node in graph.block.nodes for v in node.uses()}
        leaving = {id(v) for v in values_in(graph.block.outputs)}
        used = nodes | leaving
        inputs = graph.block.inputs
        self.used = [i for i, v in enumerate(inputs) if id(v) in used]
        graph.block = Block([inputs[i] for i in self.used], graph.block.nodes, graph.block.outputs)
        graph.arguments = [graph.arguments[i] for i in self.used]
        graph.__dict__["parameters"] = [f"x{i}" for i in self.used]
        graph.again = None
        if has_compiler(backend):
            graph.compile_natively()
        self.graph, self.function = graph, graph.function
        self.count = len(graph.block.outputs)
        self._shapes = [v.shape for v in graph.block.outputs]
        places = {i: k for k, i in enumerate(self.used)}
        #: Where the state of the generator is among the inputs.
        self._draws = [places.get(draws), places.get(draws + 1)]
        if any(i > draws + 1 for i in self.used):
            raise TraceError("torch.compile: the step reads a learning rate after it has called a scheduler")
        self.held.look_at([x for x in self.held.others if id(x) in self.touched])

    def _run(self, arrays: list[Array]) -> list[Array]:
        """Run the step on arrays of the trace, and return what it leaves; put everything back."""
        tensors = self.tensors
        n, m = len(tensors), len(self.given)
        rest = iter(arrays)
        own = [_unlinked(next(rest)) for _ in range(n)]
        given = [dialect.wrapped(_unlinked(next(rest))) for _ in range(m)]
        options = [dialect.wrapped(_unlinked(next(rest))) for _ in self.numbers]
        draws = Draws(*[dialect.wrapped(next(rest)) for _ in range(2)])
        later = [dialect.wrapped(_unlinked(x)) for x in rest]  # the options after a scheduler was called
        with self._put_back(), _drawing(draws), _watched(self.held.others) as watch:
            for i, (x, a, spec) in enumerate(zip(tensors, own, self.specs, strict=True)):
                if self.mutable and i not in self.replaced:  # it may be written to in place
                    a = lw.copy(a)
                own[i] = a
                x._array = leaf_of(a, x) if spec.recorded else a
            inputs = [x._array for x in tensors]
            starts = [_value(x) for x in inputs]
            of_groups: dict[int, dict[str, Any]] = {}

            def put_options(values: list[Any]) -> None:
                of_groups.clear()
                for (group, name, part), x in zip(self.numbers, values, strict=True):
                    inside = of_groups.setdefault(id(group), {})
                    inside[name] = x if part is None else (*inside.get(name, ()), x)
                    if name == "lr":
                        group[name] = x

            put_options(options)
            watch.then = lambda: put_options(later)
            self._note_before(given)
            with stand_ins(of_groups):
                args, kw = built(self.form, iter(given))
                found = self.f(*args, **kw)
            if sampling.of_thread.get() is not draws:
                raise TraceError("torch.compile: the step puts another generator in the place of the default one")
            self.touched, self.later = watch.touched, watch.later
            if self.later:
                put_options(options)
            return self._collected(found, starts, given, options, draws)

    def _in_states(self) -> set[int]:
        own = {id(x) for x in self.held.tensors}
        states = [o.state for o in self.held.optimizers if isinstance(o, Updating)]
        ids = {id(x) for state in states for entries in state.values() for x in entries.values()} - own
        return {i for i, x in enumerate(self.tensors) if id(x) in ids}

    @contextmanager
    def _put_back(self) -> Iterator[None]:
        """Restore at the end of a block what the step holds."""
        slots = [(x, x._held, x._data, x._sig, x._own.grad) for x in self.tensors]
        states = [(o, o.state, {p: (d, dict(d)) for p, d in o.state.items()}) for o in self.held.optimizers]
        groups = [(o.param_groups, [*o.param_groups], [dict(g) for g in o.param_groups]) for o in self.held.optimizers]
        attributes = [(x.__dict__, dict(x.__dict__)) for x in (*self.held.optimizers, *self.held.others)]
        try:
            yield
        finally:
            for d, before in attributes:
                _restore(d, before)
            for listed, inside, dicts in groups:
                listed[:] = inside
                for group, before in zip(inside, dicts, strict=True):
                    _restore(group, before)
            for o, state, entries in states:
                o.state = state
                for p in [p for p in state if p not in entries]:
                    del state[p]
                for p, (d, before) in entries.items():
                    state[p] = d
                    _restore(d, before)
            self.held.state.restore()
            for x, a, data, sig, grad in slots:
                x._held, x._data, x._sig = a, data, sig
                x._own.grad = grad

    def _note_before(self, given: list[Any]) -> None:
        """Note what the step begins with."""
        held = self.held
        self._grads = [x._own.grad for x in self.tensors]
        self._boxes = [_value(x._array) for x in given]
        self._states = {id(o): {p: dict(d) for p, d in o.state.items()} for o in held.optimizers}
        self._groups = {
            id(o): (o.param_groups, [*o.param_groups], [dict(g) for g in o.param_groups], dict(o.__dict__))
            for o in held.optimizers
        }
        self._others = [dict(x.__dict__) for x in held.others]

    # --- what a step leaves -----------------------------------------------------------------------------------------

    def _collected(self, found: Any, starts: list[Any], given: list[Any], options: list[Any], draws: Any) -> list[Any]:
        """Note where the results of the program go, and return them."""
        tensors, held = self.tensors, self.held
        self.outs, self.news, self.drawn = [], [], draws.drawn
        places = {id(x): ("place", i) for i, x in enumerate(tensors)}
        places |= {id(x): ("argument", i) for i, x in enumerate(given)}
        kept_alive: list[Any] = []

        def source(x: Any) -> tuple[str, int]:
            known = places.get(id(x))
            if known is None:
                kept_alive.append(x)
                known = places[id(x)] = "new", len(self.news)
                self.news.append(self._new(x))
            return known

        for i, x in enumerate(tensors):
            if (type(x._array._data) is Taped) is not self.specs[i].recorded or not x.is_leaf:
                raise TraceError("torch.compile: a recorded call has written to a tensor that the step holds")
        #: The tensors that are written to: the place, and which result.
        self.written = [
            (i, self._out(unrecorded(x._array))) for i, (x, start) in enumerate(zip(tensors, starts, strict=True))
            if _value(x._array) is not start or (self.mutable and i not in self.replaced)
        ]  # fmt: skip
        of_arguments = [
            (i, x) for i, x in enumerate(given) if not self.mutable and _value(x._array) is not self._boxes[i]
        ]
        self.written_arguments = [(i, self._out(unrecorded(x._array))) for i, x in of_arguments]
        #: The gradients that a step leaves, where they are others than before: the place, and where they come from.
        self.grads = []
        for i, x in enumerate(tensors):
            g = x._own.grad
            if g is not self._grads[i]:
                self.grads.append((i, None if g is None else source(g)))
        #: The entries of states: the optimizer, the parameter, the name, and where the tensor comes from.
        self.entries = []
        for o in held.optimizers:
            self._check_groups(o)
            before = self._states[id(o)]
            if any(name not in o.state.get(p, ()) for p, d in before.items() for name in d):
                raise TraceError("torch.compile: the step takes something from the state of an optimizer")
            for p, d in o.state.items():
                for name, x in d.items():
                    old = before.get(p, {}).get(name)
                    if type(x) is not Tensor:
                        if name not in before.get(p, {}) or not same(x, old):
                            raise TraceError(
                                f"torch.compile: the state of an optimizer keeps a number, {name!r}, in each step"
                            )
                    elif x is not old:
                        self.entries.append((o, p, name, source(x)))
        for other, before in zip(held.others, self._others, strict=True):
            d = other.__dict__
            if [*d] != [*before] or any(not same(d[n], x) for n, x in before.items()):
                raise TraceError(
                    "torch.compile: the step changes an object that counts in Python, such as a scheduler. "
                    "Call it outside of the compiled function"
                )
        #: The slots that are bound to other tensors.
        self.bound = []
        for change in held.state.changes():
            if change.slot is None or type(change.after) is not Tensor:
                self._refuse(change)
            if len(held.slots.get(id(change.before), ())) > 1:
                self._refuse(change)
            self.bound.append((change.slot, source(change.after)))
        results: list[Any] = []
        self.result = taken_apart(found, results)
        lrs = {id(x): ("number", i) for i, x in enumerate(options)}
        self.results = [lrs.get(id(x)) or source(x) for x in results]
        return self.outs

    def _refuse(self, change: Change) -> Any:
        raise TraceError(
            f"torch.compile: the step changes {change.name} from {change.before!r} to {change.after!r}, which its program "
            "does not do. Return what is to be kept, and put it there outside of the function"
        )

    def _check_groups(self, o: Any) -> None:
        """Refuse a step that changes the options of an optimizer, or other attributes."""
        listed, inside, dicts, attributes = self._groups[id(o)]
        fine = o.param_groups is listed and [*map(id, listed)] == [*map(id, inside)]
        for group, before in zip(inside, dicts, strict=True):
            fine = fine and [*group] == [*before] and all(group[n] is x for n, x in before.items())
        for name, x in o.__dict__.items():
            fine = fine and (name == "state" or (name in attributes and same(x, attributes[name])))
        if not fine:
            raise TraceError("torch.compile: the step changes the options or attributes of an optimizer")

    def _out(self, a: Array) -> int:
        if not isinstance(a._data, Traced):
            raise TraceError("torch.compile: the step leaves an array that it has not computed")
        self.outs.append(wrapped(a._data, a._sig))
        return len(self.outs) - 1

    def _new(self, x: Any) -> _New:
        """Describe a tensor that each call makes.

        Raises
        ------
        KeptError: it can still be differentiated.
        """
        a, rule = x._array, None
        if type(a._data) is Taped:
            if not _is_freed(a._data.node):
                raise KeptError("torch.compile: the step gives a tensor that can still be differentiated")
            name = a._data.node.rule.name
            rule = _freed.setdefault(name, _Freed(name))
            a = unrecorded(a)
        if x._own.retains or x._own.mark is not None or x._own.grad is not None:
            raise TraceError("torch.compile: the step makes a parameter, or a tensor with a gradient")
        if self._is_view(a):
            raise TraceError("torch.compile: the step gives a view of a tensor that it holds. Give a clone()")
        backend = self.backend
        sig = backend.sig(a._sig.dtype)
        return _New(self._out(a), sig.weakly if a.weak else sig, rule)

    def _is_view(self, a: Array) -> bool:
        """Return whether an array shares memory with a tensor of the step."""
        if not self.mutable:
            family = family_of(a)
            members = family.alive() if family is not None else []
            own = {id(x._array) for x in self.tensors}
            return any(id(x) in own for x in members)
        natives = [_value(x._array) for x in self.tensors]
        native = a._data.native if isinstance(a._data, Traced) else None
        return isinstance(native, np.ndarray) and any(
            isinstance(x, Traced) and isinstance(x.native, np.ndarray) and np.may_share_memory(native, x.native)
            for x in natives
        )

    # --- calls ------------------------------------------------------------------------------------------------------

    def _sort(self) -> None:
        """Have state that each step replaces by a tensor like it keep its tensor, which gets the new array."""
        places = {i for i, _ in self.written}
        of_entries: dict[int, set[Any]] = {}
        for k, (o, p, name, (kind, j)) in enumerate(self.entries):
            old = self._states[id(o)].get(p, {}).get(name)
            i = next((i for i in self.replaced if self.tensors[i] is old), None)
            of_entries.setdefault(j if kind == "new" else ~k, set()).add(i)
        counts = [
            sum(x is self.tensors[i] for d in self._states.values() for e in d.values() for x in e.values())
            for i in range(len(self.tensors))
        ]
        #: The tensors of states that get another array: the place, and which result.
        self.moved: list[tuple[int, int]] = []
        gone = set()
        others = {j for _, s in (*self.grads, *self.bound) if s is not None and s[0] == "new" for j in [s[1]]}
        others |= {j for kind, j in self.results if kind == "new"}
        for j, found in of_entries.items():
            i = next(iter(found))
            if j < 0 or i is None or len(found) > 1 or i in places or j in others:
                continue
            out, sig, rule = self.news[j]
            entries = [e for e in self.entries if e[3] == ("new", j)]
            like = sig is self.specs[i].sig and self._shapes[out] == self.specs[i].shape
            if like and len(entries) == counts[i] and rule is None:
                self.moved.append((i, out))
                gone.add(j)
        self.entries = [e for e in self.entries if e[3][0] != "new" or e[3][1] not in gone]
        #: The tensors that each call makes, by their numbers.
        self.making = [(j, one) for j, one in enumerate(self.news) if j not in gone]
        del self._grads, self._states, self._groups, self._others, self._boxes
        self.tape = recorder(self.backend)
        self.place_of = {i: k for k, i in enumerate(self.used)}

    def _bind(self, given: list[Any]) -> None:
        """Write the function that looks whether the step still holds what it held, and lists the native arrays."""
        held, n, m = self.held, len(self.tensors), len(self.given)
        self.natives: list[Any] = [None] * len(self.used)
        self.data: list[Any] = [x._array._data for x in self.tensors]
        self.now = [*self.tensors]
        self.numbers_now: list[Any] = [None] * len(self.numbers)
        for i, x in enumerate((*self.tensors, *given)):
            if i in self.place_of:
                self.natives[self.place_of[i]] = _value(x._array)
        for i, (group, name, part) in enumerate(self.numbers, n + m):
            if i in self.place_of:
                self.numbers_now[i - n - m] = v = _option(group, name, part)
                self.natives[self.place_of[i]] = _number(v, self.backend)._data
        if not self.mutable:
            for x in self.tensors:
                is_shared(x._array)
        code = _Code()
        code.test(f"{code.name(held.kept.check)}()")
        if held.optimizers:
            code.test(f"not {code.name(optimizers._before_all)}")
            code.test(f"not {code.name(optimizers._after_all)}")
        states: set[int] = set()
        for o in held.optimizers:
            self._look_at_optimizer(code, o, states)
        important = {i for i in range(n) if i in self.place_of} | {i for i, _ in (*self.written, *self.moved)}
        index = {id(x): i for i, x in enumerate(self.tensors)}
        own = {id(x) for x in held.tensors} | states
        #: The gradients that are other tensors in each call, with the text that reads them.
        self.free = free = dict[int, str]()
        for x in self.tensors:
            if id(x) not in own:
                continue  # a gradient
            state = x._own
            code.test(f"not {code.name(state)}.after")
            if state.grad is None:
                code.test(f"{code.name(state)}.grad is None")
                continue
            j = index.get(id(state.grad))
            code.test(f"{code.name(state)}.grad is not None")
            if j is not None and j in important:
                if id(state.grad) in own:
                    code.test(f"{code.name(state)}.grad is {code.name(state.grad)}")
                else:
                    free[j] = f"{code.name(state)}.grad"
        for slot, s in self.bound:
            i = index.get(id(slot.get()))
            if i is not None and i in important:
                if s[0] == "new":
                    free[i] = f"{code.name(slot)}.get()"
                else:  # the tensor itself is looked at again
                    code.test("False")
        for i in sorted(important - {*free}):
            x = self.tensors[i]
            a = code.name(x._array)
            code.test(f"{code.name(x)}._held is {a}")
            code.test(f"{a}._data is {code.name(self.data)}[{i}]")
            if self.specs[i].recorded:
                code.test(f"not {code.name(x._array._data.node)}.hooks")
        for i, path in free.items():
            code.read(path, self.specs[i], self.place_of.get(i), f"{code.name(self.now)}[{i}]")
        for i, spec in enumerate(self.given):
            code.read(f"given[{i}]", spec, self.place_of.get(n + i), None)
        for i in range(len(self.numbers)):
            if n + m + i in self.place_of:
                code.number(self, i, self.place_of[n + m + i])
        self.gather = code.function(self.natives)
        self.put = self._putting()

    def _look_at_optimizer(self, code: _Code, o: Any, states: set[int]) -> None:
        own = code.name(o)
        code.test(f"{own}.param_groups is {code.name(o.param_groups)}")
        code.test(f"len({code.name(o.param_groups)}) == {len(o.param_groups)}")
        code.test(f"not {code.name(o._optimizer_step_pre_hooks)} and not {code.name(o._optimizer_step_post_hooks)}")
        attributes = code.name(o.__dict__)
        code.test(f"{attributes}.get('step') is {code.name(o.__dict__.get('step'))}")
        inputs = {(id(group), name) for group, name, _ in self.numbers}
        for k, group in enumerate(o.param_groups):
            g = code.name(group)
            code.test(f"{code.name(o.param_groups)}[{k}] is {g}")
            for name, x in group.items():
                states.update([id(y) for y in (x if type(x) in (list, tuple) else (x,)) if type(y) is Tensor])
                if name == "params":
                    code.test(f"{g}['params'] is {code.name(x)}")
                    code.test(f"len({code.name(x)}) == {len(x)}")
                    for i, p in enumerate(x):
                        code.test(f"{code.name(x)}[{i}] is {code.name(p)}")
                elif (id(group), name) not in inputs and name != "initial_lr":
                    code.test(f"{g}[{name!r}] is {code.name(x)}")
        state = code.name(o.state)
        code.test(f"{own}.state is {state}")
        code.test(f"len({state}) == {len(o.state)}")
        for p, d in o.state.items():
            code.test(f"{state}.get({code.name(p)}) is {code.name(d)}")
            code.test(f"len({code.name(d)}) == {len(d)}")
            for name, x in d.items():
                if type(x) is Tensor:
                    states.add(id(x))
                key = repr(name) if type(name) is str else code.name(name)
                code.test(f"{code.name(d)}[{key}] is {code.name(x)}")

    def fits(self, given: list[Any]) -> bool:
        """Return whether the program is that of the call, and take the tensors that are there now."""
        held = self.held
        if not held.kept.check() and held.kept.differs():
            return False
        try:
            layout, tensors, numbers = held.layout(self.changing)
        except TraceError:
            return False
        if layout != self.layout:
            return False
        read = [_read(x, self.backend) for x in (*tensors, *given)]
        if any(r is None or r[0] != spec for r, spec in zip(read, (*self.specs, *self.given), strict=True)):
            return False
        try:
            self._check_memory([x._array for x in (*tensors, *given)])
        except TraceError:
            return False
        self.tensors, self.numbers = tensors, numbers
        self._bind(given)
        return True

    def call(self, natives: list[Any], given: list[Any]) -> Any:
        """Run the program, and put what it gives in its places."""
        generator = sampling.of_thread.get() or sampling.default_generator
        if self.drawn:
            for place, x in zip(self._draws, drawn_before(generator), strict=True):
                if place is not None:
                    natives[place] = x._array._data
        try:
            found = self.function(*natives)
        except Exception as error:
            raise dialect.error(error, getattr(self.f, "__name__", "")) from None
        generator._count += self.drawn
        return self.put(found if self.count > 1 else (found,), given)

    def _putting(self) -> Callable[[Any, list[Any]], Any]:
        """Write the function that puts the results of the program in their places, and gives those of the step."""
        code, now, place_of = _Code(), self.now, self.place_of
        lines = code.lines

        for i, out in self.written:
            x = f"now[{i}]"
            if self.mutable:
                lines.append(f"assign({x}, r{out}, {code.name(self.specs[i].sig)})")
                lines.append(f"data[{i}] = {x}._array._data")
                if i in place_of:
                    lines.append(f"natives[{place_of[i]}] = value_of({x}._array)")
                continue
            link = "getattr(a, '_link', ())" if i in self.free else "a._link"
            lines += [
                f"a = {x}._held", f"link = {link}", "if (type(link) is not tuple or link) and is_shared(a):",
                f"    assign({x}, r{out}, {code.name(self.specs[i].sig)})", f"    data[{i}] = None", "else:",
            ]  # fmt: skip
            value = f"r{out}"
            if self.specs[i].recorded:
                lines += [
                    "    old = a._data", "    if getrefcount(old) > 4:", "        note_write(old)",  # a call has it
                    "    node = old.node", f"    node.out = r{out}", f"    old = Taped(r{out}, tape, node)",
                ]  # fmt: skip
                value = "old"
            lines.append(f"    a._data = data[{i}] = {value}")
            if i in place_of:
                lines.append(f"    natives[{place_of[i]}] = r{out}")
        for i, out in self.moved:
            lines.append(f"now[{i}]._array._data = data[{i}] = r{out}")
            if self.mutable:
                lines.append(f"now[{i}]._bind()")
            if i in place_of:
                lines.append(f"natives[{place_of[i]}] = r{out}")
        for i, out in self.written_arguments:
            lines.append(f"assign(given[{i}], r{out}, {code.name(self.given[i].sig)})")
        for j, (out, sig, rule) in self.making:
            if rule is None and not self.mutable:
                lines += [
                    "a = Array()", f"a._data = r{out}", f"a._sig = {code.name(sig)}", f"t{j} = new(Tensor)",
                    f"t{j}._held = a", f"t{j}._data = None", f"t{j}._sig = HELD",
                ]  # fmt: skip
            elif rule is None:
                lines.append(f"t{j} = made(r{out}, {code.name(sig)})")
            else:
                lines.append(f"t{j} = freed(r{out}, tape, {code.name(rule)})")

        def source(s: Any) -> str:
            kind, i = s
            if kind == "number":
                group, name, _ = self.numbers[i]
                return f"{code.name(group)}[{name!r}]"
            return {"new": f"t{i}", "place": f"now[{i}]", "argument": f"given[{i}]"}[kind]

        for i, s in self.grads:
            lines.append(f"{code.name(now[i]._own)}.grad = {'None' if s is None else source(s)}")
        for o, p, name, s in self.entries:
            key = repr(name) if type(name) is str else code.name(name)
            lines.append(f"{code.name(o.state)}[{code.name(p)}][{key}] = {source(s)}")
        for slot, s in self.bound:
            lines.append(f"rebind({code.name(slot)}, {source(s)})")
        results = [source(s) for s in self.results]
        whole = f"built({code.name(self.result)}, iter([{', '.join(results)}]))"
        lines.append(f"found = {results[0] if self.result is Tensor else whole}")
        lines += [f"{code.name(x)}.step()" for x in self.later]
        lines.append("return found")
        taken = "".join([f"r{i}, " for i in range(self.count)])
        text = "\n    ".join(["def put(found, given):", f"{taken}= found" if taken else "pass", *lines])
        names = {
            **code.names, "now": now, "data": self.data, "natives": self.natives, "assign": _assign, "value_of": _value,
            "getrefcount": getrefcount, "note_write": note_write, "Taped": Taped, "tape": self.tape, "Array": Array,
            "new": new, "Tensor": Tensor, "made": _made, "freed": _freed_tensor, "rebind": self.held.rebind,
            "built": built, "is_shared": is_shared,
        }  # fmt: skip
        exec(_compiled(text), names)
        made: Callable[[Any, list[Any]], Any] = names["put"]
        return made


def _made(value: Any, sig: Any) -> Any:
    return dialect.wrapped(wrapped(value, sig))


def _freed_tensor(value: Any, tape: Any, rule: Any) -> Any:
    """Return a tensor that requires a gradient, and whose graph is freed."""
    data = Taped(value, tape, Node(rule, (), {}, value))
    return dialect.wrapped(wrapped(data, tape.inside.sig_of(data)))


class _Code:
    """The text of a function that looks at what a step holds."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"HELD": HELD}
        self.known: dict[int, str] = {}
        self.tests: list[str] = []
        self.lines: list[str] = []

    def name(self, x: Any) -> str:
        """Return the name of an object."""
        if x is None or x is True or x is False:
            return repr(x)
        found = self.known.get(id(x))
        if found is None:
            found = self.known[id(x)] = f"x{len(self.known)}"
            self.names[found] = x
        return found

    def test(self, text: str) -> None:
        if text not in self.tests:
            self.tests.append(text)

    def read(self, path: str, spec: _Spec, place: int | None, keep: str | None) -> None:
        """Add the look at a tensor that is another one in each call."""
        sig, shape = self.name(spec.sig), self.name(spec.shape)
        self.lines += [
            f"t = {path}", "a = t._held if t._sig is HELD else t", "d = a._data",
            f"if a._sig is not {sig} or d.shape != {shape}:", "    return None",
        ]  # fmt: skip
        if place is not None:
            self.lines.append(f"natives[{place}] = d")
        if keep is not None:
            self.lines.append(f"{keep} = t")

    def number(self, step: _Step, i: int, place: int) -> None:
        """Add the look at an option that is an input."""
        group, name, part = step.numbers[i]
        known, value = self.name(step.numbers_now), step.values[i]
        self.lines += [
            f"v = {self.name(group)}[{name!r}]{'' if part is None else f'[{part}]'}", f"if v is not {known}[{i}]:",
            f"    if type(v) is not float{'' if name == 'lr' else f' or (v == 0) is not {value == 0}'}:",
            "        return None",  # what an update does may depend on whether it is zero
            f"    natives[{place}] = {self.name(_number)}(v, {self.name(step.backend)})._data", f"    {known}[{i}] = v",
        ]  # fmt: skip
        if part is not None:
            self.test(f"len({self.name(group)}[{name!r}]) == {len(group[name])}")

    def function(self, natives: list[Any]) -> Callable[[list[Any]], list[Any] | None]:
        """Make the function: it gives the native arrays, or None where something differs."""
        tests = "\n            and ".join(self.tests)
        lines = "\n        ".join(["pass", *self.lines])
        text = f"""
def gather(given):
    try:
        if not (
            {tests}
        ):
            return None
        {lines}
    except (LookupError, ValueError, AttributeError):
        return None
    return natives
"""
        names = {**self.names, "natives": natives}
        exec(_compiled(text), names)
        made: Callable[[list[Any]], list[Any] | None] = names["gather"]
        return made


@lru_cache(1024)
def _compiled(text: str) -> Any:
    return compile(text, "<latticework step>", "exec")


# --- small parts ------------------------------------------------------------------------------------------------------


def _value(a: Array) -> Any:
    """Return the data of an array without the tape."""
    return a._data.value if type(a._data) is Taped else a._data


def _unlinked(a: Array) -> Array:
    return wrapped(a._data, a._sig)


def _option(group: dict[str, Any], name: str, part: int | None) -> Any:
    return group[name] if part is None else group[name][part]


def _number(x: float, backend: Any) -> Array:
    """Return a number as an array without axes."""
    try:
        return lw.asarray(x, dtype="float64", backend=backend.name)  # type: ignore[no-any-return]
    except BackendError:
        return lw.asarray(x, dtype="float32", backend=backend.name)  # type: ignore[no-any-return]


def _restore(d: Any, before: dict[Any, Any]) -> None:
    if [*d] != [*before] or any(d[n] is not x for n, x in before.items()):
        d.clear()
        d.update(before)


class _Watch:
    """What a step does with objects of latticework's that are no tensors, modules or optimizers.

    Attributes
    ----------
    touched: the ids of those whose attributes it reads.
    later: the schedulers whose `step` it calls, which is done after the program.
    then: is called after that.
    """

    def __init__(self) -> None:
        self.touched: set[int] = set()
        self.later: list[Any] = []
        self.then: Callable[[], None] = lambda: None


_watch: ContextVar[_Watch | None] = ContextVar("the watch over a step that is traced", default=None)


@contextmanager
def _watched(others: list[Any]) -> Iterator[_Watch]:
    """Note in a block what is read of objects. Schedulers are not called, but noted."""
    watch, classes = _Watch(), [type(x) for x in others]
    token = _watch.set(watch)
    try:
        for x, cls in zip(others, classes, strict=True):
            try:
                x.__class__ = _watching(cls)
            except TypeError:
                watch.touched.add(id(x))
        yield watch
    finally:
        _watch.reset(token)
        for x, cls in zip(others, classes, strict=True):
            if object.__getattribute__(x, "__class__") is not cls:
                object.__setattr__(x, "__class__", cls)


@cache
def _watching(cls: Any) -> Any:
    """Make the class of watched objects of a class."""

    def read(self: Any, name: str) -> Any:
        watch = _watch.get()
        if watch is not None and name not in ("step", "__class__", "__dict__"):
            watch.touched.add(id(self))
        return super(made, self).__getattribute__(name)

    def step(self: Any, *args: Any, **kw: Any) -> None:
        watch = _watch.get()
        if watch is None or args or kw:
            raise TraceError("torch.compile: the step gives a scheduler an argument. Call it outside of the step")
        watch.later.append(self)
        watch.then()

    members = {"__getattribute__": read, "__slots__": ()}
    made = type(cls.__name__, (cls,), members | ({"step": step} if issubclass(cls, LRScheduler) else {}))
    return made


@contextmanager
def _drawing(draws: Any) -> Iterator[None]:
    token = sampling.of_thread.set(draws)
    try:
        yield
    finally:
        sampling.of_thread.reset(token)


def _is_freed(node: Any) -> bool:
    """Return whether no derivative can go through a call any more: its graph is freed."""
    if type(node.rule) is _Freed:
        return True
    return type(node) is not Leaf and node.rule is not None and all(_is_freed(x.node) for x in operands(node))


def is_shared(a: Array) -> bool:
    """Return whether an array has views that are alive, or is one. Where it is alone, its link is cut."""
    family = family_of(a)
    if family is None or family.alive() == [a]:
        a._link = ()
        return False
    return True


def _share_counts(o: Any) -> None:
    """Have parameters that were updated equally often share one tensor, as an update leaves them."""
    if isinstance(o, Updating) and o.counts:
        found: dict[Any, Any] = {}
        for entries in o.state.values():
            t = entries.get("step")
            if type(t) is Tensor and not t.requires_grad:
                entries["step"] = found.setdefault((t.dtype, t.item()), t)


def _overlap(natives: list[Any]) -> bool:
    """Return whether some of NumPy's arrays may share memory."""
    bounds = sorted([np.lib.array_utils.byte_bounds(x) for x in natives if x.size])
    return any(a[1] > b[0] for a, b in pairwise(bounds))


def _assign(x: Any, value: Any, sig: Any) -> None:
    """Write an array into a tensor, and so into all that shares its memory."""
    with no_grad():
        x._write(dialect.wrapped(wrapped(value, sig)))


# --- the steps of a function ------------------------------------------------------------------------------------------


class Steps:
    """The compiled steps of a function.

    Attributes
    ----------
    kinds: by kind of arguments: the programs, the last used first; and how many calls there were before.
    refused: why the calls of a kind run as they are.
    """

    def __init__(self, f: Callable[..., Any], fullgraph: bool) -> None:
        self.f, self.fullgraph = f, fullgraph
        self.kinds: dict[Any, list[_Step]] = {}
        self.refused: dict[Any, Exception] = {}
        self.changing: set[Any] = set()
        #: How many programs were made one after the other.
        self.missed = 0

    def call(self, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Run the program of a step, or the step as it is; return `NotImplemented` for a function that is no step."""
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
            program = _Step(self.f, form, given, self.changing)
        except Exception as error:
            if is_signal(error):
                raise
            if self.fullgraph and not isinstance(error, (KeptError, UncompiledError)):
                raise
            found = NotImplemented if isinstance(error, KeptError) else self.f(*args, **kw)  # its own error is raised here
            self.refused[key] = error
            return found
        self.missed += 1
        programs.insert(0, program)
        del programs[_MOST:]
        return program.call(program.natives, given)

    def _note_changing(self, programs: list[_Step]) -> None:
        """Have options that have changed be inputs of the next program."""
        for program in programs:
            groups = [(k, n, g) for k, o in enumerate(program.held.optimizers) for n, g in enumerate(o.param_groups)]
            for (k, n, group), before in zip(groups, program.options, strict=False):
                for name, x in group.items():
                    y = before.get(name)
                    alike = type(x) is type(y) and (type(x) is float or (type(x) is tuple and len(x) == len(y)))
                    if alike and x != y and name not in program.held.state.names:
                        self.changing.add((k, n, name))
