"""`torch.autograd.Variable`, PyTorch's old name of a tensor that is recorded: every tensor is an instance."""

from __future__ import annotations

from typing import Any

from .tensors import Recorded

__all__ = ["Variable"]


class VariableMeta(type):
    """The metaclass of `Variable`, which has no instances of its own."""

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Recorded)

    def __call__(cls, data: Any, requires_grad: bool = False, volatile: Any = None) -> Any:
        if not isinstance(data, Recorded):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)


class Variable(metaclass=VariableMeta):
    """Return a tensor with the elements of another, which is recorded if ``requires_grad``.

    Raises
    ------
    TypeError: the data is no tensor.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> x = torch.autograd.Variable(torch.tensor([1.0, 2.0]), requires_grad=True)
    >>> (x**2).sum().backward()
    >>> x.grad, isinstance(x, torch.autograd.Variable)
    (tensor([2., 4.]), True)
    """
