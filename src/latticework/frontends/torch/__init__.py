"""PyTorch's dialect: ``import latticework.frontends.torch as torch``, and its programs run on the backend in force.

Tensors are `Tensor`, under PyTorch's promotion rules; derivatives are those of `torch.func`.
"""

from __future__ import annotations

from typing import Any

from ..names import export as _export
from . import (  # noqa: F401
    comparing,
    constants,
    creation,
    cuda,
    dtypes,
    elementwise,
    fft,
    func,
    joining,
    legacy,
    linalg,
    methods,
    nn,
    objects,
    picking,
    products,
    reductions,
    running,
    sampling,
    shaping,
    sorting,
    special,
    tensor,
)
from .core import dialect as dialect
from .func import vmap
from .printing import set_printoptions

#: The public submodules.
SUBMODULES = ("cuda", "fft", "func", "linalg", "nn", "nn.functional", "special")

__all__ = ["set_printoptions", "vmap"]
_export(
    globals(), constants, dtypes, objects, tensor, elementwise, comparing, reductions, running, joining, shaping,
    sorting, creation, legacy, picking, products, sampling,
)  # fmt: skip


def __getattr__(name: str) -> Any:
    from .coverage import absence

    raise AttributeError(absence(name), name=name)
