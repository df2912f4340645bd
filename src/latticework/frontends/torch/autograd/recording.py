"""Where autograd records: the graph of each backend, its leaves, and whether it records now.

PyTorch records its own tensors. On every other backend a tensor that requires a gradient holds a value of a tape
(`derivatives.tape`), which is open as long as gradients are enabled. There is one tape for each backend. It keeps no
list of its calls: each result holds the call that computed it, as in PyTorch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any
from weakref import ref

from ....backend import Backend, get
from ....backends.taped.core import TapedBackend
from ....derivatives.tape import Node, Tape, Taped, value_of, without
from ....engine.arrays.array import Array, wrapped
from .versions import note_write

__all__ = [
    "Leaf",
    "Recorder",
    "is_enabled",
    "is_leaf_of",
    "is_native",
    "is_transformed",
    "leaf_of",
    "node_of",
    "recorder",
    "replace_value",
    "restore_enabled",
    "set_enabled",
    "unrecorded",
]

_enabled: ContextVar[bool] = ContextVar("whether gradients are recorded", default=True)

#: Whether the code runs in a function that `torch.func` transforms.
is_transformed: ContextVar[bool] = ContextVar("whether a function is transformed", default=False)


def is_enabled() -> bool:
    """Return whether gradients are recorded."""
    return _enabled.get()


def set_enabled(mode: bool) -> tuple[bool, bool]:
    """Set whether gradients are recorded, by PyTorch too where it is imported. Return what was set before, for both."""
    before = theirs = _enabled.get()
    _enabled.set(mode)
    native = sys.modules.get("torch")
    if native is not None and native.__name__ == "torch":  # a program may have the dialect under this name
        theirs = native.is_grad_enabled()
        if theirs is not mode:
            native.set_grad_enabled(mode)
    return before, theirs


def restore_enabled(before: tuple[bool, bool]) -> None:
    """Set what `set_enabled` returned."""
    mode, theirs = before
    _enabled.set(mode)
    native = sys.modules.get("torch")
    if native is not None and native.__name__ == "torch" and native.is_grad_enabled() is not theirs:
        native.set_grad_enabled(theirs)


class Recorder(Tape):
    """The tape of a backend. It lies outside of the tapes of `torch.func`, and is open while gradients are enabled."""

    __slots__ = ()

    def __init__(self, below: Backend, inside: Backend) -> None:
        self.level, self.forward, self.below, self.inside = 0, False, below, inside

    @property
    def open(self) -> bool:  # type: ignore[override]
        return _enabled.get()

    def assign(self, record: Callable[..., Any], data: Taped, key: Any, value: Any) -> Any:
        """Write to a recorded tensor. Where nothing is recorded, the call that computed it stays what it was.

        Raises
        ------
        RuntimeError: a leaf is written to while calls are recorded.
        """
        node, below = data.node, self.below
        if self.open:
            if type(node) is Leaf:
                raise RuntimeError(
                    "a leaf Variable that requires grad is being used in an in-place operation. Write to it in a block "
                    "of torch.no_grad(), or compute a new tensor"
                )
            if type(value) is Taped and value.node.rule is not None:  # x.mul_(y) reads x before it writes to it
                by = value.node
                by.args = tuple([Taped(x.value, self, x.node, x.place) if x is data else x for x in by.args])
            note_write(data)
            return record(data, key, value)
        note_write(data)
        found = below.assign(data.value, without(self, key), without(self, value))
        if type(node) is Leaf:
            node.out = found
        return Taped(found, self, node, data.place)


class Leaf(Node):
    """What a leaf is to the tape: no call.

    Attributes
    ----------
    tensor: a weak reference to the tensor that gets the gradient.
    """

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any, value: Any) -> None:
        super().__init__(None, (), {}, value)
        self.tensor = ref(tensor)


_recorders: dict[str, Recorder] = {}


def recorder(backend: Backend) -> Recorder:
    """Return the tape of a backend, or of the backend whose calls a tape records."""
    below = backend.target if isinstance(backend, TapedBackend) else backend
    found = _recorders.get(below.name)
    if found is None or found.below is not below:
        inside = getattr(below.transformations, "inside", None) or get(f"taped:{below.name}")
        found = _recorders[below.name] = Recorder(below, inside)
    return found


def is_native(x: Array) -> bool:
    """Return whether PyTorch itself records an array."""
    return x._sig.backend.name == "torch"


def leaf_of(x: Array, tensor: Any) -> Array:
    """Return an array with the same elements that is recorded from now on, for a tensor to hold."""
    tape = recorder(x._sig.backend)
    value = x._sig.backend.native(x._data)
    taped = Taped(value, tape, Leaf(tensor, value))
    return wrapped(taped, tape.inside.sig_of(taped))


def is_leaf_of(data: Any, sig: Any) -> bool:
    """Return whether native data is a leaf whose value has a signature of arrays that are not recorded."""
    if type(data) is not Taped or type(data.node) is not Leaf or data.tape.below is not sig.backend:
        return False
    value = data.value
    return type(value) is not sig.scalar and sig.backend.sig_of(value) is sig


def node_of(x: Array) -> Node | None:
    """Return what computed an array, as the tape has recorded it: a leaf too. None for what is not recorded."""
    data = x._data
    return data.node if type(data) is Taped and data.tape.level == 0 else None


def unrecorded(x: Array) -> Array:
    """Return an array without the tape: the same memory on backends that have views."""
    data = x._data
    if type(data) is Taped and data.tape.level == 0:
        return wrapped(data.value, data.tape.below.sig_of(value_of(data)))
    return x


def replace_value(x: Array, value: Any) -> None:
    """Give a recorded array another value. The call that computed it stays what it was."""
    data = x._data
    note_write(data)
    if type(data.node) is Leaf:
        data.node.out = value
    x._data = Taped(value, data.tape, data.node, data.place)
