"""Layers that pad."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import functional as F
from .module import Module
from .utils import _ntuple

# fmt: off
__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]
# fmt: on


class _Pad(Module):
    """The base of layers that pad: the last axis first, with two numbers for each axis, or one for all."""

    __constants__: ClassVar[list[str]] = ["padding"]
    _mode, _count = "", 0

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._count)(padding)

    def forward(self, input: Any) -> Any:
        """Call `torch.nn.functional.pad` with the padding."""
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """The padding."""
        return f"{self.padding}"


class _CircularPadNd(_Pad):
    _mode = "circular"

    def _check_input_dim(self, input: Any) -> None:
        if input.dim() not in (self._count + 1, self._count + 2):
            raise ValueError(f"expected {self._count + 1}D or {self._count + 2}D input (got {input.dim()}D input)")

    def forward(self, input: Any) -> Any:
        """Call `torch.nn.functional.pad` with the padding."""
        self._check_input_dim(input)
        return super().forward(input)


class _ConstantPadNd(_Pad):
    __constants__: ClassVar[list[str]] = ["padding", "value"]
    _mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Any:
        """Call `torch.nn.functional.pad` with the padding and the value."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """The padding and the value."""
        return f"padding={self.padding}, value={self.value}"


class _ReflectionPadNd(_Pad):
    _mode = "reflect"


class _ReplicationPadNd(_Pad):
    _mode = "replicate"


class _Zeros(_ConstantPadNd):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _Pad.extra_repr


class CircularPad1d(_CircularPadNd):
    """Pad the last axis with the elements of its other end."""

    _count = 1


class CircularPad2d(_CircularPadNd):
    """Pad the last two axes with the elements of their other ends."""

    _count = 2


class CircularPad3d(_CircularPadNd):
    """Pad the last three axes with the elements of their other ends."""

    _count = 3


class ConstantPad1d(_ConstantPadNd):
    """Pad the last axis with a value."""

    _count = 1


class ConstantPad2d(_ConstantPadNd):
    """Pad the last two axes with a value.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> torch.nn.ConstantPad2d((1, 0, 0, 1), 7.0)(torch.zeros(1, 1, 2))
    tensor([[[7., 0., 0.],
             [7., 7., 7.]]])
    """

    _count = 2


class ConstantPad3d(_ConstantPadNd):
    """Pad the last three axes with a value."""

    _count = 3


class ReflectionPad1d(_ReflectionPadNd):
    """Pad the last axis with its elements in reverse, without the last one."""

    _count = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Pad the last two axes with their elements in reverse, without the last ones."""

    _count = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Pad the last three axes with their elements in reverse, without the last ones."""

    _count = 3


class ReplicationPad1d(_ReplicationPadNd):
    """Pad the last axis with the elements at its ends."""

    _count = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Pad the last two axes with the elements at their ends."""

    _count = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Pad the last three axes with the elements at their ends."""

    _count = 3


class ZeroPad1d(_Zeros, ConstantPad1d):
    """Pad the last axis with zeros."""


class ZeroPad2d(_Zeros, ConstantPad2d):
    """Pad the last two axes with zeros."""


class ZeroPad3d(_Zeros, ConstantPad3d):
    """Pad the last three axes with zeros."""
