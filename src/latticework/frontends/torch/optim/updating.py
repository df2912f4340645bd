"""How the optimizers update: all new values are computed first, and written afterwards, but for those of programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, ClassVar

from numpy import ndarray

from ....engine.arrays.array import wrapped
from ....policy import current
from ....tracing.recording.recorder import recorder as tracer
from ..autograd.modes import enable_grad
from ..autograd.recording import restore_enabled, set_enabled
from ..autograd.versions import note_memory
from ..core import dialect, ops
from ..dtypes import float32, float64
from ..shaping import view_as_complex, view_as_real
from ..tensor import Tensor, settled
from .optimizer import Optimizer, scalar
from .programs import Program, Run, program_of
from .together import Held, Member

__all__ = ["Updating", "checked", "stand_ins"]

#: In a step that is traced: the tensors in the place of options, by the ids of groups.
_stand_ins: ContextVar[dict[int, dict[str, Any]]] = ContextVar("options that are inputs of a program")


@contextmanager
def stand_ins(of_groups: dict[int, dict[str, Any]]) -> Iterator[None]:
    """Have updates compute with tensors in the place of options in a block.

    Parameters
    ----------
    of_groups: the tensors by the ids of groups and the names of options.
    """
    token = _stand_ins.set(of_groups)
    try:
        yield
    finally:
        _stand_ins.reset(token)


def checked(**bounds: tuple[Any, bool]) -> None:
    """Refuse options that are not as they have to be.

    Parameters
    ----------
    bounds: the words for an option, with ``_`` between them, and its value and whether that is allowed.

    Raises
    ------
    ValueError: an option is not allowed.
    """
    for words, (value, fine) in bounds.items():
        if not fine:
            raise ValueError(f"Invalid {words.replace('_', ' ')}: {value}")


class Updating(Optimizer):
    """An optimizer that computes what to subtract from each parameter, from its gradient and its state alone.

    A class has `update`, which is given tensors that are not recorded, unless the group is ``differentiable``. It
    writes into no tensor: it puts new ones into the state. So a step that ends with an error has changed nothing. The
    program of an update writes over the state, in tensors that the optimizer has made.

    Attributes
    ----------
    zeros: the names of the tensors of the state that are zeros at first, in the shape of the parameter.
    counts: whether the state has the number of steps.
    scalars: the names of the tensors of the state without axes, which `_numbers` and not `update` computes with.
    choices: the options of a group that `update` looks at, where all else that it computes with is in `_numbers`. Its
        calls are then kept as a program, see `programs`. () where it computes with the options themselves.
    """

    zeros: ClassVar[tuple[str, ...]] = ()
    counts: ClassVar[bool] = True
    scalars: ClassVar[tuple[str, ...]] = ("step",)
    choices: ClassVar[tuple[str, ...]] = ()

    def __init__(self, params: Any, lr: Any, options: dict[str, Any]) -> None:
        if type(lr) is Tensor and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        checked(learning_rate=(lr, bool(lr >= 0.0)))
        super().__init__(params, {"lr": lr, **options})
        if options.get("fused"):
            if options["differentiable"]:
                raise RuntimeError("`fused` does not support `differentiable`")
            if options["foreach"]:
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def update(self, group: dict[str, Any], p: Any, g: Any, state: dict[str, Any], n: int) -> Any:
        """Return what to subtract from a parameter, and put new tensors into its state.

        Parameters
        ----------
        p, g: the parameter and its gradient; two components in the place of each complex number.
        state: a copy of the state.
        n: the number of this step, from 1; or what `_numbers` makes of it.
        """
        raise NotImplementedError

    def _numbers(self, group: dict[str, Any], n: int) -> Any:
        """Return the numbers that the update computes with, or the number of the step for it to find them itself.

        Parameters
        ----------
        n: the number of the step, or what `_carried` makes of it.
        """
        return n

    def _carried(self, group: dict[str, Any], n: Any, state: dict[str, Any], known: dict[Any, Any]) -> tuple[Any, Any]:
        """Put the new scalars into the state of a parameter, beside the number of the step.

        Parameters
        ----------
        known: what the class has noted in this step, so that parameters share tensors.

        Returns
        -------
        What tells parameters apart whose scalars differ, and what `_numbers` takes.
        """
        return None, n

    def begun(self, group: dict[str, Any], p: Any) -> dict[str, Any]:
        """Return the state of a parameter that was not updated yet."""
        state = {"step": p.new_zeros((), dtype=float32)} if self.counts else {}
        return state | {name: ops.zeros_like(p) for name in self.zeros}

    def step(self, closure=None):
        """Update the parameters by their gradients, once. Where it ends with an error, nothing has changed.

        Parameters
        ----------
        closure: a function that computes the loss and its gradients again, and returns the loss.

        Returns
        -------
        The loss that the closure has returned; None without one.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        recorded = bool(self.defaults.get("differentiable"))
        before = set_enabled(recorded)
        try:
            planned: list[Any] = []
            counted: dict[Any, Any] = {}
            for group in self.param_groups:
                self._plan(group, planned, counted)
            planned.reverse()
            while planned:  # what was written is let go of
                entry = planned.pop()
                if callable(entry):
                    entry()
                    continue
                p, x, less, state, recorded = entry
                if recorded:
                    p -= less
                else:
                    _subtract(p, x, less)
                if state:
                    lazy = x._array._sig.backend.lazy
                    self.state[p].update({name: computed(s) for name, s in state.items()} if lazy else state)
        finally:
            restore_enabled(before)
        return loss

    def _plan(self, group: dict[str, Any], planned: list[Any], counted: dict[Any, Any]) -> None:
        """Add the parameters of a group: each, itself as a constant, what to subtract, its new state, and whether all
        is recorded. A function is added for those that a program updates in place: updates like it have run before.
        """
        recorded, maximize = group.get("differentiable", False), group.get("maximize")
        traced = tracer.get() is not None
        options = {**group, **_stand_ins.get({}).get(id(group), {})} if traced else group
        if not self.choices:
            group = options
        of_step: dict[Any, tuple[Any, Any]] = {}
        running: dict[tuple[Any, Run], list[Member]] = {}
        policy = current()
        for p in group["params"]:
            g = p.grad
            if g is None:
                continue
            x = p if recorded else p.detach()
            if not recorded:
                g = g.detach() if g.requires_grad else settled(g)
            if maximize:
                g = -g
            before = self.state.get(p)
            state = dict(before) if before else self.begun(group, x)
            n: Any = 0
            key: Any = 0
            if "step" in state:
                t = state["step"]
                if id(t) not in counted:
                    counted[id(t)] = t.to(float64) + 1 if traced else _count(t) + 1
                n = counted[id(t)]
                key = ~id(t) if traced else -n
                if key not in counted:  # parameters that were updated together share one tensor
                    counted[key] = t + 1
                state["step"] = counted[key]
            if len(self.scalars) > 1:
                carried, n = self._carried(options, n, state, counted)
                key = key, carried
            if key not in of_step:
                numbers = self._numbers(options, n)
                program = None if recorded or traced or not self.choices else program_of(self, group, numbers)
                of_step[key] = numbers, program
            numbers, program = of_step[key]
            a, b = x._array, g._array
            if not recorded and type(a._data) is ndarray and not a._data.flags.writeable:  # known before any is written
                raise RuntimeError(
                    f"step: a parameter of shape {list(x.shape)} shows memory that must not change, or its elements "
                    f"share memory. Give the optimizer a copy: x.detach().clone().requires_grad_()"
                )
            if a._sig.dtype.kind == "c":
                less, state = self._of_pairs(group, x, g, state, numbers)
            elif program is not None and (run := program.run_of(a, b, state, numbers, policy)) is not None:
                running.setdefault((key, run), []).append((p, a, b, state))
                continue
            else:
                less = self.update(group, x, g, state, numbers)
            planned.append((p, x, less, state, recorded))
        for (key, run), members in running.items():
            planned.append(partial(self._update_in_place, run, members, *of_step[key]))

    def _update_in_place(self, run: Run, members: list[Member], numbers: Any, program: Program) -> None:
        """Write new values over parameters and their states."""
        every: dict[Any, Held] = self.__dict__.setdefault("_held", {})
        key = run, id(members[0][0])
        held = every.get(key)
        if held is None or held.waits or not held.fits(members):
            ids = {id(member[0]) for member in members}
            before = [every.pop(k) for k, other in [*every.items()] if not ids.isdisjoint(other.ids)]
            held = every[key] = Held(run, members, before)
            for (p, _, _, state), tensors in zip(members, held.tensors, strict=True):
                if state:
                    self.state[p].update(state | dict(zip(run.names, tensors, strict=True)))
        try:
            held.update(members, program.natives(members[0][1]._sig, numbers))
        finally:  # an interrupt may come between two writes
            for _, x, _, _ in members:
                note_memory(x)
        for p, _, _, state in members:
            for name in self.scalars:
                if name in state:
                    self.state[p][name] = state[name]

    def _of_pairs(self, group: dict[str, Any], x: Any, g: Any, state: dict[str, Any], n: Any) -> tuple[Any, Any]:
        """Update a parameter of complex numbers, as pairs of components."""
        state = {name: view_as_real(s) if type(s) is Tensor and s.is_complex() else s for name, s in state.items()}
        less = self.update(group, view_as_real(x), view_as_real(g), state, n)
        whole = {name: view_as_complex(s) for name, s in state.items() if type(s) is Tensor and s.shape == less.shape}
        return view_as_complex(less), state | whole


def _count(t: Any) -> int:
    """Return how many steps were made. An audit, whose tensors have no values, takes each for the first."""
    return 0 if dialect.is_audited else int(t)


def is_zero(x: Any) -> bool:
    """Return whether an option is the number 0. A tensor is not asked."""
    return type(x) is not Tensor and x == 0


def lr_of(group: dict[str, Any]) -> Any:
    """Return the learning rate of a group: a number, or a tensor without axes."""
    return scalar(group["lr"])


def decayed(group: dict[str, Any], p: Any, g: Any) -> Any:
    """Return a gradient with that of the weight decay."""
    decay = group["weight_decay"]
    return g if is_zero(decay) else g + p * decay


def with_decay(group: dict[str, Any], p: Any, less: Any) -> Any:
    """Return what to subtract from a parameter, and the part of itself by which it decays."""
    decay = group["weight_decay"]
    return less if is_zero(decay) else less + p * (lr_of(group) * decay)


def averaged(x: Any, y: Any, keep: Any) -> Any:
    """Return the moving average x after y has come: it keeps a part of itself."""
    return x * keep + y * (1 - keep)


def _subtract(p: Any, x: Any, less: Any) -> None:
    """Subtract from a parameter, in one write.

    Parameters
    ----------
    x: the parameter as a constant: on backends that have views, with the same memory.
    """
    if _shares(x):
        x -= less
    else:
        p[...] = computed(x - less)


def _shares(x: Any) -> bool:
    """Whether a write into the constant changes the parameter as well."""
    sig = x._array._sig
    return sig.in_place and type(x._array._data) is not sig.scalar


def assign(p: Any, value: Any) -> None:
    """Give a parameter new elements, in one write."""
    x = p.detach()
    if _shares(x):
        x[...] = value
    else:
        p[...] = computed(value)


def computed(x: Any) -> Any:
    """Return a tensor whose elements are computed, where the backend waits: else each step repeats those before."""
    if type(x) is not Tensor or not x._array._sig.backend.lazy:
        return x
    a = x._array
    return dialect.wrapped(wrapped(a._data.persist(), a._sig))
