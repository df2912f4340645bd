"""What a step holds: its tensors and optimizers, and what a program of it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ....backends.taped.core import TapedBackend
from ....core.registry import functions as lw
from ....derivatives.tape import Taped
from ....engine.arrays.array import Array
from ....engine.arrays.views import family_of
from ....errors import BackendError, TraceError
from ....tracing.recording.recorder import Traced
from ....tracing.recording.state import Kept, Slot, State
from ..autograd.recording import Leaf
from ..optim import optimizer as optimizers
from ..optim.updating import Updating
from ..tensor import Tensor

__all__ = [
    "Held",
    "Spec",
    "is_shared",
    "number",
    "objects_in",
    "option",
    "overlap",
    "read",
    "share_counts",
    "trains",
    "value_of",
]


class Spec(NamedTuple):
    """What a program depends on of a tensor.

    Attributes
    ----------
    sig: the signature of its array, without the tape.
    shape: its shape.
    recorded: whether it is a leaf that requires a gradient.
    """

    sig: Any
    shape: tuple[Any, ...]
    recorded: bool


def read(x: Any, backend: Any) -> tuple[Spec, Any] | None:
    """Return the spec of a tensor and its native array; None where no program can have it."""
    a = x._array
    data: Any = a._data
    sig: Any = a._sig
    if type(data) is Taped:
        value, node = data.value, data.node
        if type(node) is not Leaf or node.hooks or type(value) is Taped or data.tape.below is not backend:
            return None
        return Spec(backend.sig_of(value), (*backend.shape_of(value),), True), value
    if sig.backend is not backend:
        if not isinstance(sig.backend, TapedBackend) or sig.backend.target is not backend or type(data) is Traced:
            return None
        sig = backend.sig_of(data)  # computed from a recorded tensor where nothing was recorded
    return Spec(sig, (*backend.shape_of(data),), False), data


class Held:
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
        self.state = state_of(f, given)
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
        self.backend: Any = below(first[0]) if first else None
        self.tensors = [x for x in self.tensors if below(x) is self.backend]

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
                    elif isinstance(x, float) and (name == "lr" or (k, n, name) in changing):
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


def below(x: Any) -> Any:
    backend = x._array._sig.backend
    return backend.target if isinstance(backend, TapedBackend) else backend


def optimizer_of(f: Any) -> Any:
    """Return the optimizer whose method a function is; None for another function."""
    own = getattr(f, "__self__", None) or getattr(f, "optimizer_of", lambda: None)()
    return own if isinstance(own, optimizers.Optimizer) else None


def trains(f: Any) -> bool:
    """Return whether a function may contain a step of training: it names `backward`, or is an optimizer's `step`."""
    return optimizer_of(f) is not None or "backward" in state_of(f, ()).names


def state_of(f: Any, given: Sequence[Any]) -> State:
    """Find what a function leads to, and objects among its arguments."""
    roots = [(f, getattr(f, "__name__", "")), *[(x, "an argument") for x in given]]
    own = optimizer_of(f)
    return State(roots if own is None else [*roots, (own, "optimizer")])


def objects_in(form: Any, found: list[Any]) -> list[Any]:
    """List the arguments that are objects, of a tree that was taken apart."""
    if form is not Tensor:
        if form[0] is not None:
            for part in form[-1]:
                objects_in(part, found)
        elif hasattr(form[2], "__dict__") or callable(form[2]):
            found.append(form[2])
    return found


def value_of(a: Array) -> Any:
    """Return the data of an array without the tape."""
    return a._data.value if type(a._data) is Taped else a._data


def option(group: dict[str, Any], name: str, part: int | None) -> Any:
    return group[name] if part is None else group[name][part]


def number(x: float, backend: Any) -> Array:
    """Return a number as an array without axes."""
    try:
        return lw.asarray(x, dtype="float64", backend=backend.name)
    except BackendError:
        return lw.asarray(x, dtype="float32", backend=backend.name)


def share_counts(o: Any) -> None:
    """Have parameters that were updated equally often share the tensors that say so, as an update leaves them."""
    if isinstance(o, Updating) and o.counts:
        found: dict[Any, Any] = {}
        for entries in o.state.values():
            for name in o.scalars:
                t = entries.get(name)
                if type(t) is Tensor and not t.requires_grad:
                    entries[name] = found.setdefault((name, t.dtype, t.item()), t)


def is_shared(a: Array) -> bool:
    """Return whether an array has views that are alive, or is one. Where it is alone, its link is cut."""
    family = family_of(a)
    if family is None or family.alive() == [a]:
        a._link = ()
        return False
    return True


def overlap(natives: list[Any]) -> bool:
    """Return whether some of NumPy's arrays may share memory."""
    bounds = sorted([np.lib.array_utils.byte_bounds(x) for x in natives if x.size])
    return any(a[1] > b[0] for a, b in pairwise(bounds))
