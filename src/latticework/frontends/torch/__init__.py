"""PyTorch's dialect: ``import latticework.frontends.torch as torch``, and its programs run on the backend in force.

Tensors are `Tensor`, under PyTorch's promotion rules; derivatives are those of `torch.func`.
"""

from __future__ import annotations

from . import dtypes as _dtypes
from . import objects as _objects
from . import tensor as _tensor
from .core import dialect
from .dtypes import *
from .objects import *
from .tensor import *

#: The public submodules.
SUBMODULES: tuple[str, ...] = ()

__all__ = [*_dtypes.__all__, *_objects.__all__, *_tensor.__all__]
