"""`torch.nn.init`: fill tensors in place with the values that a module starts from.

Random numbers are those of the dialect's generator.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import linalg
from ..autograd.modes import no_grad
from ..core import ops
from ..sampling import _key, rand, randn

__all__ = [
    "calculate_gain", "constant", "constant_", "dirac", "dirac_", "eye", "eye_", "kaiming_normal", "kaiming_normal_",
    "kaiming_uniform", "kaiming_uniform_", "normal", "normal_", "ones_", "orthogonal", "orthogonal_", "sparse",
    "sparse_", "trunc_normal_", "uniform", "uniform_", "xavier_normal", "xavier_normal_", "xavier_uniform",
    "xavier_uniform_", "zeros_",
]  # fmt: skip

_GAINS = {
    "linear": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1, "conv_transpose1d": 1, "conv_transpose2d": 1,
    "conv_transpose3d": 1, "sigmoid": 1,
    "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4,
}  # fmt: skip


def calculate_gain(nonlinearity, param=None):
    """Return the factor by which weights are scaled before an activation.

    Parameters
    ----------
    nonlinearity: the name of the activation as a function of `torch.nn.functional`.
    param: of "leaky_relu", its negative slope; 0.01 by default.

    Raises
    ------
    ValueError: the activation is not known, or the slope is no number.

    Examples
    --------
    >>> from latticework.frontends.torch import nn
    >>> nn.init.calculate_gain("leaky_relu", 0.2)
    1.3867504905630728
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Fill a tensor with numbers between `a` and `b`, all equally likely."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Fill a tensor with numbers of the normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Fill a tensor with numbers of the normal distribution that lie between `a` and `b`."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    with no_grad():
        low, high, dtype = (a - mean) / std, (b - mean) / std, tensor.dtype
        made = ops.random.truncated_normal(_key(generator), tensor._array.shape, dtype=dtype, lower=low, upper=high)
        return tensor.copy_(ops.clip(ops.add(ops.multiply(made, std), mean), a, b))


def constant_(tensor, val):
    """Fill a tensor with one value."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor):
    """Fill a tensor with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """Fill a tensor with zeros."""
    return constant_(tensor, 0.0)


def eye_(tensor):
    """Fill a matrix with the identity.

    Raises
    ------
    ValueError: the tensor is no matrix.
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(ops.eye(*tensor.shape, dtype=tensor.dtype))


def dirac_(tensor, groups=1):
    """Fill the weight of a convolution so that it keeps as many channels as it can as they are.

    Parameters
    ----------
    tensor: 3, 4 or 5 axes: channels of the output, of the input, and the places of the kernel.
    groups: the number of groups of channels.

    Raises
    ------
    ValueError: the tensor has another rank, or the channels of the output are no multiple of the groups.
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out, into, *places = tensor.shape
    if out % groups:
        raise ValueError("dim 0 must be divisible by groups")
    made = np.zeros(tuple(tensor.shape), np.float32)
    middle = tuple([n // 2 for n in places])
    for start in range(0, out, out // groups):
        for i in range(min(out // groups, into)):
            made[(start + i, i, *middle)] = 1
    with no_grad():
        return tensor.copy_(ops.asarray(made, dtype=tensor.dtype))


def _calculate_fan_in_and_fan_out(tensor: Any) -> tuple[int, int]:
    """Return how many inputs an output of the weight depends on, and how many outputs an input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    out, into, *places = tensor.shape
    return into * math.prod(places), out * math.prod(places)


def _calculate_correct_fan(tensor: Any, mode: str) -> int:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Fill a weight with uniform numbers by which outputs and gradients keep their scale, after Glorot and Bengio."""
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Fill a weight with normal numbers by which outputs and gradients keep their scale, after Glorot and Bengio."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor)))), generator)


def _kaiming(tensor: Any, a: Any, mode: str, nonlinearity: str, fill: Callable[[float], Any]) -> Any:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return tensor
    return fill(calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode)))


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill a weight with uniform numbers for layers with rectifiers, after He and others.

    Parameters
    ----------
    a: the negative slope of "leaky_relu".
    mode: "fan_in", by which the outputs keep their scale, or "fan_out", by which the gradients do.
    nonlinearity: the activation that follows, as `calculate_gain` takes it.
    """
    root = math.sqrt(3.0)
    return _kaiming(tensor, a, mode, nonlinearity, lambda s: uniform_(tensor, -root * s, root * s, generator))


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill a weight with normal numbers for layers with rectifiers, after He and others. See `kaiming_uniform_`."""
    return _kaiming(tensor, a, mode, nonlinearity, lambda s: normal_(tensor, 0, s, generator))


def orthogonal_(tensor, gain=1, generator=None):
    """Fill a weight with a random matrix whose rows or columns are orthonormal; other axes are flattened.

    Raises
    ------
    ValueError: the tensor has fewer than two axes.
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.numel():
        return tensor
    rows = tensor.shape[0]
    shape = (rows, tensor.numel() // rows)
    with no_grad():
        flat = randn(*shape[:: -1 if rows < shape[1] else 1], generator=generator, dtype=tensor.dtype)
        q, r = linalg.qr(flat)
        q = q * r.diagonal().sign()
        return tensor.copy_((q.t() if rows < shape[1] else q).reshape(tensor.shape) * gain)


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Fill a matrix with normal numbers, and with zeros in a share of each column.

    Parameters
    ----------
    sparsity: the share of the zeros.

    Raises
    ------
    ValueError: the tensor is no matrix.
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    zeros = math.ceil(sparsity * tensor.shape[0])
    with no_grad():
        order = rand(*tensor.shape, generator=generator).argsort(0)
        return tensor.normal_(0, std, generator=generator).masked_fill_(order < zeros, 0)


def _old(f: Any) -> Any:
    """Return a function under its old name, which warns."""
    name = f.__name__.removesuffix("_")

    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{f.__name__}`.", FutureWarning, stacklevel=2
        )
        return f(*args, **kwargs)

    call.__name__, call.__doc__ = name, f"`{f.__name__}` under its old name, with a warning."
    return call


(
    uniform, normal, constant, eye, dirac, xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal, orthogonal,
    sparse,
) = map(_old, (
    uniform_, normal_, constant_, eye_, dirac_, xavier_uniform_, xavier_normal_, kaiming_uniform_, kaiming_normal_,
    orthogonal_, sparse_,
))  # fmt: skip


# The methods that fill, without gradients: packages call them under these names of PyTorch's.


def _no_grad_uniform_(tensor: Any, a: float, b: float, generator: Any = None) -> Any:
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def _no_grad_normal_(tensor: Any, mean: float, std: float, generator: Any = None) -> Any:
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def _no_grad_trunc_normal_(tensor: Any, mean: float, std: float, a: float, b: float, generator: Any = None) -> Any:
    return trunc_normal_(tensor, mean, std, a, b, generator=generator)


def _no_grad_fill_(tensor: Any, val: float) -> Any:
    with no_grad():
        return tensor.fill_(val)


def _no_grad_zero_(tensor: Any) -> Any:
    with no_grad():
        return tensor.zero_()
