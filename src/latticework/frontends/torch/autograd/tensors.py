"""What a tensor knows of autograd: whether it requires a gradient, what computed it, its gradient, its hooks."""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import TYPE_CHECKING, Any

from numpy import ndarray

from ....derivatives.tape import Node, Taped
from ....engine.arrays.array import Array, wrapped
from ....engine.arrays.views import link
from ....policy import under_this_policy
from ...array import DialectArray
from ...calls import HELD, alias
from ..core import dialect
from .recording import Leaf, is_enabled, is_native, leaf_of, node_of, replace_value, unrecorded

__all__ = ["GradFn", "Handle", "Recorded"]


class State:
    """What a tensor keeps beside its array.

    Attributes
    ----------
    grad: its gradient; on PyTorch the tensor around the gradient that PyTorch keeps.
    after: functions to call when the gradient has been added to.
    retains: whether the gradient of a tensor that is no leaf is kept.
    mark: what it is to modules: the class `nn.Parameter` or `nn.Buffer`; None for another tensor.
    persistent: of a buffer, whether it is part of the state of its module.
    """

    __slots__ = ("after", "grad", "mark", "persistent", "retains")

    def __init__(self) -> None:
        self.grad: Any = None
        self.after: list[Callable[[Any], Any]] = []
        self.mark: type | None = None
        self.retains, self.persistent = False, True


class Handle:
    """What a hook is removed by, as PyTorch's `RemovableHandle`."""

    def __init__(self, remove: Callable[[], None]) -> None:
        self._remove: Callable[[], None] | None = remove

    def remove(self) -> None:
        """Remove the hook."""
        if self._remove is not None:
            self._remove()
            self._remove = None

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


#: The functions whose node has another name in PyTorch than their own.
_NAMES = {
    "subtract": "Sub", "multiply": "Mul", "divide": "Div", "negative": "Neg", "astype": "ToCopy", "copy": "Clone",
    "getitem": "Select", "setitem": "CopySlices", "concat": "Cat", "permute_dims": "Permute", "power": "Pow",
    "matmul": "Mm", "broadcast_to": "Expand", "nn.relu": "Relu",
    "nn.layer_norm": "NativeLayerNorm",
}  # fmt: skip


class GradFn:
    """The call that computed a tensor, as ``x.grad_fn`` shows it."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def name(self) -> str:
        """The name of the call: "MulBackward0"."""
        if type(self.node) is Leaf:
            return "struct torch::autograd::AccumulateGrad"
        own = self.node.rule.name.rpartition(".")[2]
        words = _NAMES.get(self.node.rule.name) or "".join(w.capitalize() for w in own.split("_"))
        return f"{words}Backward0"

    @property
    def next_functions(self) -> tuple[tuple[GradFn, int], ...]:
        """The calls that computed its arguments, each with the number of the result."""
        from ....derivatives.tape import operands

        return tuple([(GradFn(x.node), x.place) for x in operands(self.node)])

    @property
    def variable(self) -> Any:
        """The leaf itself."""
        if type(self.node) is not Leaf:
            raise AttributeError("variable")
        return self.node.tensor()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradFn) and other.node is self.node

    def __hash__(self) -> int:
        return hash(id(self.node))

    def __repr__(self) -> str:
        name = "AccumulateGrad" if type(self.node) is Leaf else self.name()
        return f"<{name} object at {id(self.node):#x}>"


class Recorded(DialectArray):
    """The part of `Tensor` that is about derivatives."""

    __slots__ = ("_state",)

    _state: State

    if TYPE_CHECKING:  # what `Tensor` has

        @property
        def dtype(self) -> Any: ...

        def numel(self) -> int: ...

        def _detached(self) -> Any: ...

        def _as_numpy(self) -> Any: ...

    @property
    def _own(self) -> State:
        """What it keeps for autograd, made where it is first asked for."""
        try:
            return self._state
        except AttributeError:
            self._state = State()
            return self._state

    # --- what it is -------------------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether calls with it are recorded, for derivatives by it or by what it was computed from."""
        x = self._held
        if x is None:
            x = self._array
        if type(x._data) is Taped:
            return True
        return is_native(x) and bool(getattr(x._data, "requires_grad", False))

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded call computed it."""
        x = self._array
        if is_native(x):
            return bool(getattr(x._data, "is_leaf", True))
        node = node_of(x)
        return node is None or type(node) is Leaf

    @property
    def grad_fn(self) -> Any:
        """The call that computed it; None for a leaf."""
        x = self._array
        if is_native(x):
            return getattr(x._data, "grad_fn", None)
        node = node_of(x)
        return None if node is None or type(node) is Leaf else GradFn(node)

    @property
    def output_nr(self) -> int:
        """Which of the results of its call it is."""
        data = self._array._data
        return data.place if type(data) is Taped else int(getattr(data, "output_nr", 0))

    @property
    def retains_grad(self) -> bool:
        """Whether the gradient is kept though it is no leaf."""
        x = self._array
        return bool(x._data.retains_grad) if is_native(x) else self._own.retains

    @property
    def grad(self) -> Any:
        """The sum of the gradients that `backward` has computed by it; None before there is one."""
        x = self._held
        if x is None:
            x = self._array
        own = self._own
        if not is_native(x):
            return own.grad
        data = x._data
        if not (data.is_leaf or data.retains_grad):
            return None
        native = data.grad
        if native is None:
            own.grad = None
        elif own.grad is None or own.grad._array._data is not native:
            own.grad = dialect.wrapped(wrapped(native, x._sig.backend.sig_of(native)))
        return own.grad

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None:
            self._check_gradient(value)
        x = self._array
        if is_native(x):
            x._data.grad = None if value is None else value._array._data
        self._own.grad = value

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    def _check_gradient(self, value: Any) -> None:
        if not isinstance(value, Recorded):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__!r}"
            )
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        for what in ("dtype", "shape"):
            ours, theirs = getattr(self, what), getattr(value, what)
            if ours != theirs:
                raise RuntimeError(
                    f"assigned grad has data of a different {what}: it is {theirs}, and that of the tensor is {ours}"
                )

    # --- to record or not -------------------------------------------------------------------------------------------

    def requires_grad_(self, requires_grad=True):
        """Have the calls with it recorded from now on, or not. The tensor is returned."""
        x = self._array
        if requires_grad and x.dtype.kind not in "fc":
            raise RuntimeError(
                f"only Tensors of floating point and complex dtype can require gradients, and this one is {self.dtype}"
            )
        if not self.is_leaf:
            if not requires_grad:
                raise RuntimeError(
                    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable "
                    "in a subgraph that doesn't require differentiation use var_no_grad = var.detach()"
                )
        elif is_native(x):
            native = x._sig.backend.native(x._data)
            if bool(requires_grad) != native.requires_grad:
                self._array = wrapped(native.detach().requires_grad_(bool(requires_grad)), x._sig)
        elif requires_grad:
            if type(x._data) is not Taped:
                leaf = leaf_of(x, self)
                if x._sig.immutable:
                    _link_constant(leaf, x)
                self._array = leaf
        else:
            self._array = unrecorded(x)
        return self

    def detach(self):
        """The tensor as a constant: with the same memory on backends that have views."""
        x = self._array
        if is_native(x):
            native = x._sig.backend.native(x._data)
            return dialect.wrapped(wrapped(native.detach(), x._sig)) if native.requires_grad else self._detached()
        node = node_of(x)
        if node is None:
            return self._detached()
        made = dialect.wrapped(unrecorded(x))
        if made._array._sig.immutable or type(node) is not Leaf:  # a recorded write gives it new memory
            _link_constant(made._array, x)
        return made

    def _beside_recorded(self, value: Any) -> Any:
        """Be ready for a recorded value that is written into the tensor; return the value to write."""
        y = value._array
        if type(y._data) is not Taped:  # it was computed from a recorded tensor where nothing was recorded
            below = y._sig.backend.target
            return (
                dialect.wrapped(wrapped(y._data, below.sig_of(y._data))) if self._array._sig.backend is below else value
            )
        if not is_enabled():
            return value.detach()
        x, node = self._array, node_of(y)
        if node is not None and type(x._data) is not Taped:
            base = getattr(x._data, "base", None) if x._sig.in_place else None
            if type(base) is ndarray and getrefcount(base) > 3:  # the view, the name here, and the argument
                raise RuntimeError(
                    "a recorded tensor is written into a view of a tensor that is not recorded, which would have to be "
                    "recorded from here on too. Write to that tensor itself: x[0] = y, not x[0].copy_(y)"
                )
            x._sig = value._array._data.tape.inside.sig_of(x._data)
            self._sig = HELD
        return value

    def _to_read(self) -> Any:
        """The tensor for a call whose result is written into it next: the derivative has what it was before."""
        x = self._array
        data = x._data
        if type(data) is Taped:
            return dialect.wrapped(wrapped(Taped(data.value, data.tape, data.node, data.place), x._sig))
        if is_native(x) and is_enabled() and self.requires_grad and not self.is_leaf:
            return dialect.wrapped(x.copy())
        return self

    def _take_data(self, other: Any) -> None:
        """Hold the elements of another tensor, in its dtype and shape. A leaf stays the leaf that it is."""
        x, new = self._array, unrecorded(other._array)
        if not self.requires_grad:
            self._become(alias(other))
        elif is_native(x) and is_native(new):
            native = x._sig.backend.native(x._data)
            native.data = new._sig.backend.native(new._data).detach()
            self._array = wrapped(native, new._sig)
        elif is_native(x) or is_native(new):  # the backend is another one
            self._array = new
            self.requires_grad_()
        else:
            replace_value(x, new._data)
            self._array = wrapped(x._data, x._sig.backend.sig_of(x._data))

    def detach_(self):
        """Make it a leaf that requires no gradient. The tensor is returned."""
        x = self._array
        if is_native(x):
            x._data.detach_()
        elif node_of(x) is not None:
            made = unrecorded(x)
            x._data, x._sig = made._data, made._sig  # what shares its memory is linked to this array
            self._array = x
        return self

    # --- derivatives ------------------------------------------------------------------------------------------------

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Add the derivatives of the tensor by each leaf to the gradients of the leaves.

        Parameters
        ----------
        gradient: what to weight the elements by; None for a tensor of one element.
        retain_graph: whether to keep what a second `backward` needs; as `create_graph` by default.
        create_graph: whether the derivatives are recorded themselves.
        inputs: the tensors by which alone derivatives are taken; all leaves by default.
        """
        from . import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook):
        """Have a function called with each gradient by the tensor. It may return another one."""
        x = self._array
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if is_native(x):
            return x._data.register_hook(under_this_policy(_of_natives(hook, x._sig.backend)))

        def call(g: Array) -> Array:
            given = dialect.wrapped(g)
            found = hook(given)
            return g if found is None else found._array

        return self._hooked(call)

    def _hooked(self, call: Callable[[Array], Array], *, last: bool = False) -> Handle:
        data = self._array._data
        node, place = data.node, data.place
        if node.hooks is None:
            node.hooks = {}
        hooks = node.hooks.setdefault(place, [])
        hooks.insert(len(hooks) - (not last and bool(hooks) and hooks[-1].__name__ == "keep"), call)
        return Handle(lambda: hooks.remove(call) if call in hooks else None)

    def register_post_accumulate_grad_hook(self, hook):
        """Have a function called with the leaf each time that its gradient has been added to."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        if is_native(self._array):
            return self._array._data.register_post_accumulate_grad_hook(under_this_policy(lambda _: hook(self)))
        after = self._own.after
        after.append(hook)
        return Handle(lambda: after.remove(hook) if hook in after else None)

    def retain_grad(self):
        """Keep the gradient by it, though it is no leaf."""
        own = self._own
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self.is_leaf or own.retains:
            return
        own.retains = True
        if is_native(self._array):
            self._array._data.retain_grad()
            return

        def keep(g: Array) -> Array:
            found = dialect.wrapped(g)
            own.grad = found if own.grad is None else own.grad + found
            return g

        self._hooked(keep, last=True)

    # --- to Python and to others ------------------------------------------------------------------------------------

    def numpy(self, *, force=False):
        """Return it as a NumPy array: without a copy where it lies in CPU memory."""
        if self.requires_grad:
            if not force:
                raise RuntimeError(
                    "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
                )
            return self.detach().numpy()
        return self._as_numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.requires_grad and type(self._array._data) is Taped:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self._array.__array__(dtype, copy)

    def __reduce__(self) -> Any:
        own = self._own
        if own.mark is None and not self.requires_grad:
            return super().__reduce__()
        if not self.is_leaf:
            raise RuntimeError("only leaves can be pickled: x.detach() gives one of a tensor that was computed")
        return _restored, (self.detach(), self.requires_grad, own.mark, own.persistent)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment"
            )
        if id(self) in memo:
            return memo[id(self)]
        made = dialect.wrapped(self.detach()._array.copy())
        if self.requires_grad:
            made.requires_grad_()
        memo[id(self)] = made
        own = self._own
        made._own.mark, made._own.persistent = own.mark, own.persistent
        if self.grad is not None:
            made.grad = self.grad.detach().clone()
        return made


def _link_constant(x: Array, source: Array) -> None:
    """Link an array to the one that has the same elements, recorded or as a constant."""
    from ..views import constant

    link(x, source, constant)


def _restored(x: Any, requires_grad: bool, mark: type | None, persistent: bool) -> Any:
    """Return a tensor as it was before it was pickled."""
    x._own.mark, x._own.persistent = mark, persistent
    return x.requires_grad_(requires_grad)


def _of_natives(hook: Callable[[Any], Any], backend: Any) -> Callable[[Any], Any]:
    """Make a hook of PyTorch's own of one for tensors of the dialect."""

    def call(g: Any) -> Any:
        found = hook(dialect.wrapped(wrapped(g, backend.sig_of(g))))
        return None if found is None else found._array._data

    return call
