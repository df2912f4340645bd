"""The program of one kind of step: its trace, and its calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ....api.tracing import trace
from ....core.registry import functions as lw
from ....derivatives.tape import Taped, operands
from ....engine.arrays.array import Array, wrapped
from ....engine.arrays.views import family_of
from ....errors import TraceError
from ....tracing.nodes import Block, values_in
from ....tracing.recording.keeping import refusal
from ....tracing.recording.recorder import Traced
from ....tracing.recording.state import Change, Slot, same
from ....tracing.running import StaleError
from .. import sampling
from ..autograd.engine import _Freed, _freed
from ..autograd.recording import Leaf, leaf_of, recorder, unrecorded
from ..calling import Draws, built, drawn_before, has_compiler, taken_apart
from ..core import dialect
from ..optim.scheduler import LRScheduler
from ..optim.updating import Updating, stand_ins
from ..tensor import Tensor
from ..views import shares
from .held import (
    Held,
    is_shared,
    number,
    objects_in,
    option,
    overlap,
    read,
    share_counts,
    value_of,
)
from .texts import looking, putting
from .watching import drawing, restore, watched

__all__ = ["KeptError", "Step", "UncompiledError"]


class UncompiledError(TraceError):
    """The error for a step on a backend whose steps run as they are."""


class KeptError(TraceError):
    """The error for a step that gives a tensor which can still be differentiated."""


class New(NamedTuple):
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


class Step:
    """The program of one kind of step.

    Attributes
    ----------
    f: the function.
    form: the arguments without their tensors.
    held: what the function holds.
    """

    def __init__(self, f: Any, form: Any, given: list[Any], changing: set[Any]) -> None:
        self.f, self.form = f, form
        self.held = held = Held(f, objects_in(form, []))
        for o in held.optimizers:
            share_counts(o)
        self.backend = held.backend
        if self.backend is None or self.backend.name == "torch" or self.backend.lazy:
            raise UncompiledError("torch.compile: a step runs as it is on this backend")
        self.layout, self.tensors, self.numbers = held.layout(changing)
        self.values = [option(*number) for number in self.numbers]
        self.changing = {*changing}
        self.options = [dict(group) for o in held.optimizers for group in o.param_groups]
        found = [r for x in (*self.tensors, *given) if (r := read(x, self.backend)) is not None]
        specs, count = [spec for spec, _ in found], len(self.tensors)
        if len(specs) < count + len(given) or any(spec.recorded for spec in specs[count:]):
            raise TraceError(
                "torch.compile: a tensor of the step has hooks, or is computed by recorded calls before it"
            )
        self.specs, self.given = specs[:count], specs[count:]
        self._check_memory([x._array for x in (*self.tensors, *given)])
        self.mutable = not self.backend.facts.immutable
        #: The places of tensors that are only in the state of optimizers, which put new ones there.
        self.replaced = self._in_states()
        self._trace([native for _, native in found])
        self._sort()
        self._bind(given)

    def _check_memory(self, arrays: list[Array]) -> None:
        """Refuse tensors that share memory: in the program they are different ones."""
        natives = [x._data.value if type(x._data) is Taped else x._data for x in arrays]
        if len({id(x) for x in arrays}) < len(arrays) or (
            self.backend.name == "numpy" and overlap([x for x in natives if isinstance(x, np.ndarray)])
        ):
            raise TraceError("torch.compile: two tensors of the step share memory")
        families = [family for x in arrays if shares(x) and (family := getattr(x, "_link", None)) is not None]
        roots = [id(f[4] if f else f) for f in families]
        if len({*roots}) < len(roots):
            raise TraceError("torch.compile: a tensor of the step is a view of another one")

    def _trace(self, natives: list[Any]) -> None:
        """Trace the step, and keep its program."""
        backend = self.backend
        arrays = [wrapped(x, spec.sig) for x, spec in zip(natives, (*self.specs, *self.given), strict=True)]
        arrays += [number(x, backend) for x in self.values]
        arrays += [x._array for x in drawn_before(sampling.default_generator)]
        self.outs: list[Any] = []
        draws = len(arrays) - 2
        schedulers = any(isinstance(x, LRScheduler) for x in self.held.others)
        arrays += [number(x, backend) for x in self.values] if schedulers else []
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
        own = [unlinked(next(rest)) for _ in range(n)]
        given = [dialect.wrapped(unlinked(next(rest))) for _ in range(m)]
        options = [dialect.wrapped(unlinked(next(rest))) for _ in self.numbers]
        draws = Draws(*[dialect.wrapped(next(rest)) for _ in range(2)])
        later = [dialect.wrapped(unlinked(x)) for x in rest]  # the options after a scheduler was called
        with self._put_back(), drawing(draws), watched(self.held.others) as watch:
            for i, (x, a, spec) in enumerate(zip(tensors, own, self.specs, strict=True)):
                if self.mutable and i not in self.replaced:  # it may be written to in place
                    a = lw.copy(a)
                own[i] = a
                x._array = leaf_of(a, x) if spec.recorded else a
            inputs = [x._array for x in tensors]
            starts = [value_of(x) for x in inputs]
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
                restore(d, before)
            for listed, inside, dicts in groups:
                listed[:] = inside
                for group, before in zip(inside, dicts, strict=True):
                    restore(group, before)
            for o, state, entries in states:
                o.state = state
                for p in [p for p in state if p not in entries]:
                    del state[p]
                for p, (d, before) in entries.items():
                    state[p] = d
                    restore(d, before)
            self.held.state.restore()
            for x, a, data, sig, grad in slots:
                x._held, x._data, x._sig = a, data, sig
                x._own.grad = grad

    def _note_before(self, given: list[Any]) -> None:
        """Note what the step begins with."""
        held = self.held
        self._grads = [x._own.grad for x in self.tensors]
        self._boxes = [value_of(x._array) for x in given]
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
        self.outs, self.drawn = [], draws.drawn
        self.news: list[New] = []
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
        self.written: list[tuple[int, int]] = [
            (i, self._out(unrecorded(x._array))) for i, (x, start) in enumerate(zip(tensors, starts, strict=True))
            if value_of(x._array) is not start or (self.mutable and i not in self.replaced)
        ]  # fmt: skip
        of_arguments = [
            (i, x) for i, x in enumerate(given) if not self.mutable and value_of(x._array) is not self._boxes[i]
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
        self.bound: list[tuple[Slot, tuple[str, int]]] = []
        for change in held.state.changes():
            several = len(held.slots.get(id(change.before), ())) > 1
            if change.slot is None or type(change.after) is not Tensor or several:
                raise self._refusal(change)
            self.bound.append((change.slot, source(change.after)))
        results: list[Any] = []
        self.result = taken_apart(found, results)
        lrs = {id(x): ("number", i) for i, x in enumerate(options)}
        self.results = [lrs.get(id(x)) or source(x) for x in results]
        return self.outs

    @staticmethod
    def _refusal(change: Change) -> TraceError:
        if type(change.after) is Tensor:
            name = change.name
            return TraceError(f"torch.compile: the step binds {name}, which has other names too, to another tensor")
        return refusal(change, None)

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

    def _new(self, x: Any) -> New:
        """Describe a tensor that each call makes.

        Raises
        ------
        KeptError: it can still be differentiated.
        """
        a, rule = x._array, None
        if type(a._data) is Taped:
            if not is_freed(a._data.node):
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
        return New(self._out(a), sig.weakly if a.weak else sig, rule)

    def _is_view(self, a: Array) -> bool:
        """Return whether an array shares memory with a tensor of the step."""
        if not self.mutable:
            family = family_of(a)
            members = family.alive() if family is not None else []
            own = {id(x._array) for x in self.tensors}
            return any(id(x) in own for x in members)
        natives = [value_of(x._array) for x in self.tensors]
        native = a._data.native if isinstance(a._data, Traced) else None
        return isinstance(native, np.ndarray) and any(
            isinstance(x, Traced) and isinstance(x.native, np.ndarray) and np.may_share_memory(native, x.native)
            for x in natives
        )

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

    # --- calls ------------------------------------------------------------------------------------------------------

    def _bind(self, given: list[Any]) -> None:
        """Take the tensors that are there now."""
        n, m = len(self.tensors), len(self.given)
        self.natives: list[Any] = [None] * len(self.used)
        self.data: list[Any] = [x._array._data for x in self.tensors]
        self.now = [*self.tensors]
        #: The tensors that are others in each call, with the text that reads them.
        self.free: dict[int, str] = {}
        self.numbers_now: list[Any] = [None] * len(self.numbers)
        for i, x in enumerate((*self.tensors, *given)):
            if i in self.place_of:
                self.natives[self.place_of[i]] = value_of(x._array)
        for i, (group, name, part) in enumerate(self.numbers, n + m):
            if i in self.place_of:
                self.numbers_now[i - n - m] = v = option(group, name, part)
                self.natives[self.place_of[i]] = number(v, self.backend)._data
        if not self.mutable:
            for x in self.tensors:
                is_shared(x._array)
        self.gather, self.put = looking(self), putting(self)

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
        found = [read(x, self.backend) for x in (*tensors, *given)]
        if any(r is None or r[0] != spec for r, spec in zip(found, (*self.specs, *self.given), strict=True)):
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
        except StaleError:  # something that is no tensor of the step is another one
            args, kw = built(self.form, iter(given))
            return self.f(*args, **kw)
        except Exception as error:
            raise dialect.error(error, getattr(self.f, "__name__", "")) from None
        generator._count += self.drawn
        return self.put(found if self.count > 1 else (found,), given)


def unlinked(a: Array) -> Array:
    return wrapped(a._data, a._sig)


def is_freed(node: Any) -> bool:
    """Return whether no derivative can go through a call any more: its graph is freed."""
    if type(node.rule) is _Freed:
        return True
    return type(node) is not Leaf and node.rule is not None and all(is_freed(x.node) for x in operands(node))
