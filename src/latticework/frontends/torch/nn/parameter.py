"""`Parameter`: a tensor that a module trains; and those whose shape is not known yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import default_float, dialect, ops
from ..objects import place
from ..tensor import Tensor

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]


class _Marked(type):
    """A class whose instances are tensors with a mark: every function takes them as it takes other tensors.

    Attributes
    ----------
    made: the class of its instances.
    """

    made = Tensor

    def __instancecheck__(cls, x: Any) -> bool:
        return issubclass(type(x), Tensor) and x._own.mark is cls


class Parameter(metaclass=_Marked):
    """A tensor that requires a gradient, and that a `Module` lists among its parameters when it becomes an attribute.

    Parameters
    ----------
    data: the tensor, whose memory it shares where the backend has views; an empty one by default.
    requires_grad: whether gradients are computed by it.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    if TYPE_CHECKING:  # it is a tensor

        def __getattr__(self, name: str) -> Any: ...

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        made = marked(data, cls)
        return made.requires_grad_() if requires_grad else made


class Buffer(metaclass=_Marked):
    """A tensor that a `Module` lists among its buffers when it becomes an attribute.

    Parameters
    ----------
    data: the tensor; an empty one by default.
    persistent: whether it is part of the module's `state_dict`.
    """

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        made = marked(data, cls)
        made._own.persistent = persistent
        return made


def marked(data: Any, mark: type) -> Any:
    """Make a tensor of another one, with a mark: a leaf with the same memory where the backend has views."""
    if data is None:
        data = Tensor()
    if type(data) is not Tensor:
        raise TypeError(f"a {mark.__name__} is made of a tensor; got {type(data).__name__}")
    made = dialect.wrapped(data.detach()._array)
    made._own.mark = mark
    return made


class _Uninitialized(Tensor):
    """A tensor without a shape. It becomes another tensor by `materialize`; until then no function takes it."""

    __slots__ = ()

    def materialize(self, shape, device=None, dtype=None):
        """Make it a tensor of a shape, with any values, on its device and in its dtype by default."""
        dtype = self.dtype if dtype is None else dtype
        made = ops.zeros(shape, dtype=dtype, device=self._array.device if device is None else place(device))
        needs = self.requires_grad
        self._array = made._array
        self.__class__ = Tensor  # type: ignore[assignment]
        if needs:
            self.requires_grad_()

    @property
    def shape(self) -> Any:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def copy_(self, other, non_blocking=False):
        """Take the shape and the elements of another tensor, if it has any."""
        if isinstance(other, _Uninitialized):
            return self
        self.materialize(other.shape)
        return self.copy_(other)

    def detach(self):
        return self

    def to(self, *args, **kw):
        """One of the same kind in another dtype or on another device."""
        like = dialect.wrapped(Tensor.detach(self)._array).to(*args, **kw)
        return _empty(type(self), self._own.mark, self.requires_grad, like.device, like.dtype)

    def _to(self, dtype: Any, where: Any = None, copy: Any = False) -> Any:
        return self.to(dtype=dtype, device=where)

    def _share(self, other: Any) -> None:
        """Take the dtype and the device of another one."""
        self._array = other._array

    def share_memory_(self):
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = _empty(type(self), self._own.mark, self.requires_grad, self.device, self.dtype)
        return memo[id(self)]

    def __reduce__(self) -> Any:
        return _empty, (type(self), self._own.mark, self.requires_grad, self.device, self.dtype)


class UninitializedParameter(_Uninitialized):
    """A parameter whose shape is not known yet. ``materialize(shape)`` makes it a `Parameter`."""

    __slots__ = ()
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return _empty(cls, Parameter, requires_grad, device, dtype)


class UninitializedBuffer(_Uninitialized):
    """A buffer whose shape is not known yet. ``materialize(shape)`` makes it a tensor."""

    __slots__ = ()
    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        made = _empty(cls, Buffer, requires_grad, device, dtype)
        made._own.persistent = persistent
        return made


def _empty(kind: type, mark: Any, requires_grad: bool, device: Any, dtype: Any) -> Any:
    made: Any = object.__new__(kind)
    to = default_float() if dtype is None else dtype
    made._array = ops.zeros((0,), dtype=to, device=place(device))._array
    made._own.mark = mark
    return made.requires_grad_() if requires_grad else made


def is_lazy(param):
    """Return whether a parameter or buffer has no shape yet."""
    return isinstance(param, _Uninitialized)
