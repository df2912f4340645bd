"""Tensors that NumPy computes with, in their own memory.

NumPy sorts, selects and counts in a fraction of the time that PyTorch takes on a processor. It computes where nothing
traces a tensor, no derivative is taken of it and it lies on the CPU; PyTorch's own functions compute elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...backend import get, standing_alone
from ...core.dtypes import Dtype
from ..numpy.core import BFLOAT16


def at_hand(*tensors: Any) -> bool:
    """Tell whether tensors have their elements in NumPy's reach: nothing traces them, and they lie on the CPU."""
    if torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack():
        return False
    return all(
        type(x) is Tensor and x.device.type == "cpu" and not torch._C._functorch.is_functorch_wrapped_tensor(x)
        for x in tensors
    )


def numpy_computes(*tensors: Any) -> bool:
    """Tell whether NumPy can compute in PyTorch's place: the elements are in its reach, and the program does not become
    source that runs without latticework."""
    return not standing_alone.get() and at_hand(*tensors)


def only_values(x: Tensor) -> bool:
    """Tell whether NumPy can compute in PyTorch's place, and no derivative is taken of the elements."""
    if torch.autograd.forward_ad._current_level >= 0 or (x.requires_grad and torch.is_grad_enabled()):
        return False
    return numpy_computes(x)


def recorded(*tensors: Any) -> bool:
    """Tell whether derivatives by tensors may be taken, in any way that PyTorch has."""
    if torch._C._functorch.maybe_current_level() is not None or torch.autograd.forward_ad._current_level >= 0:
        return True
    if torch.is_grad_enabled():
        for x in tensors:
            if isinstance(x, Tensor) and x.requires_grad:
                return True
    return False


def with_derivatives_of(smooth: Tensor, value: Tensor) -> Tensor:
    """Return the value with the derivatives of `smooth`, which equals it but for rounding: the difference is exact."""
    return smooth + (value - smooth).detach()


numpy_computes.in_source = only_values.in_source = False  # type: ignore[attr-defined]  # see tracing/writing/standalone.py


def _in_blocks(*tensors: Any) -> bool:
    """Tell whether calls of elementwise functions may write into parts of new tensors, block by block.

    One thread computes. Nothing traces the tensors, no derivative is taken of them in any way that PyTorch has, and
    they lie one element after the other on the CPU. Those with dimensions are of one shape.
    """
    if not at_hand(*tensors) or torch.jit.is_tracing() or torch.get_num_threads() > 1:
        return False
    if torch._C._functorch.maybe_current_level() is not None or torch.autograd.forward_ad._current_level >= 0:
        return False
    if torch.is_grad_enabled() and any(x.requires_grad for x in tensors):
        return False
    shape = tensors[0].shape
    return all(x.layout is torch.strided and x.is_contiguous() and x.shape == shape for x in tensors if x.dim())


def to_numpy(x: Tensor) -> np.ndarray:
    """Return the elements as a NumPy array, in the same memory."""
    if torch._C._functorch.maybe_current_level() is None:
        return _elements(x)
    with torch._C._DisableFuncTorch():  # a transformation wraps what `detach` and views return
        return _elements(x)


def _elements(x: Tensor) -> np.ndarray:
    x = x.detach()
    if x.dtype is torch.bfloat16:
        return x.view(torch.int16).numpy().view(BFLOAT16)
    result: np.ndarray = x.resolve_conj().resolve_neg().numpy()
    return result


def to_tensor(x: np.ndarray) -> Tensor:
    """Return a NumPy array as a tensor, in the same memory."""
    if x.dtype == BFLOAT16:
        return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(x)


def by_numpy(name: str, dtype: Dtype, *tensors: Tensor, **options: Any) -> Tensor:
    """Call a function of the NumPy backend with tensors at hand."""
    function: Any = get("numpy").function(name, dtype)
    return to_tensor(np.asarray(function(*map(to_numpy, tensors), **options)))
