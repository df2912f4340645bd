"""Layers of linear maps."""

from __future__ import annotations

from math import sqrt
from typing import Any, ClassVar

from .. import functional as F
from .. import init
from .layer import Lazy, hold
from .module import Module

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Return the input as it is, whatever the layer was made with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input


def reset_by_fan_in(weight: Any, bias: Any) -> None:
    """Draw a weight and a bias from a uniform distribution that depends on the number of inputs to an output."""
    init.kaiming_uniform_(weight, a=sqrt(5))
    if bias is not None:
        fan_in, _ = getattr(init, "_calculate_fan_in_and_fan_out")(weight)  # noqa: B009  # the stub does not have it
        bound = 1 / sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)


class Linear(Module):
    """Compute ``x @ weight.T + bias``.

    Parameters
    ----------
    in_features, out_features: the extents of the last axis of the input and of the result.
    bias: whether there is a bias.

    Attributes
    ----------
    weight: of shape (out_features, in_features).
    bias: of shape (out_features,), or None.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    >>> layer(torch.ones(4, 3)).shape
    torch.Size([4, 2])
    """

    __constants__: ClassVar[list[str]] = ["in_features", "out_features"]

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        hold(self, device, dtype, weight=(out_features, in_features), bias=(out_features,) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        reset_by_fan_in(self.weight, self.bias)

    def forward(self, input: Any) -> Any:
        """Call `torch.nn.functional.linear` with the parameters."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The numbers of features."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """The linear map at the end of attention, which has a class of its own in PyTorch."""


class Bilinear(Module):
    """Compute ``x1 @ weight[k] @ x2 + bias[k]`` for each feature k of the result.

    Parameters
    ----------
    in1_features, in2_features, out_features: the extents of the last axis of the inputs and of the result.
    bias: whether there is a bias.
    """

    __constants__: ClassVar[list[str]] = ["in1_features", "in2_features", "out_features"]

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None) -> None:
        super().__init__()
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        shape = (out_features, in1_features, in2_features)
        hold(self, device, dtype, weight=shape, bias=(out_features,) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew.

        Raises
        ------
        ValueError: the first input has no features.
        """
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / sqrt(self.in1_features)
        for parameter in (self.weight, self.bias):
            if parameter is not None:
                init.uniform_(parameter, -bound, bound)

    def forward(self, input1: Any, input2: Any) -> Any:
        """Call `torch.nn.functional.bilinear` with the parameters."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The numbers of features."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class LazyLinear(Lazy, Linear):
    """A `Linear` that learns the number of its input features from its first input."""

    cls_to_become = Linear

    def __init__(self, out_features, bias=True, device=None, dtype=None) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        self._wait(device, dtype, "weight", *["bias"] * bool(bias))

    def reset_parameters(self) -> None:
        """Draw the parameters anew, where they are there already."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Any) -> None:
        """Make the parameters for an input."""
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            self._make(weight=(self.out_features, self.in_features), bias=(self.out_features,))
        elif self.in_features == 0:
            self.in_features = input.shape[-1]
