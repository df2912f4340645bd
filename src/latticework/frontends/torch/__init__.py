"""PyTorch's dialect: ``import latticework.frontends.torch as torch``, and its programs run on the backend in force.

Tensors are `Tensor`, under PyTorch's promotion rules; derivatives are those of `torch.func`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..names import export as _export
from . import (  # noqa: F401
    accelerator,
    amp,
    autograd,
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
    multiprocessing,
    nn,
    objects,
    onnx,
    optim,
    picking,
    products,
    random,
    recurrent,
    reductions,
    running,
    sampling,
    shaping,
    sorting,
    sparse,
    special,
    tensor,
    types,
    version,
)
from .amp import autocast_mode
from .autograd import modes
from .core import dialect as dialect
from .func import vmap
from .optimized import compile
from .printing import set_printoptions
from .serialization import load, save
from .underscored import NAMES as _UNDERSCORED

#: The public submodules.
SUBMODULES = (
    "accelerator", "amp", "autograd", "backends", "backends.cuda", "backends.cudnn", "backends.mkl",
    "backends.mkldnn", "backends.mps", "backends.openmp", "backends.opt_einsum", "compiler", "cuda", "cuda.amp",
    "distributed", "distributions", "distributions.constraints", "distributions.transforms", "fft", "func", "fx",
    "jit", "linalg", "multiprocessing", "nn", "nn.attention", "nn.common_types", "nn.functional", "nn.init",
    "nn.modules", "nn.parallel", "nn.parameter", "nn.utils", "nn.utils.parametrizations", "nn.utils.parametrize",
    "nn.utils.prune", "nn.utils.rnn", "nn.utils.stateless", "onnx", "optim", "optim.lr_scheduler", "optim.swa_utils",
    "overrides", "profiler", "quasirandom", "random", "serialization", "sparse", "special", "testing", "types",
    "utils", "utils.checkpoint", "utils.data", "version",
)  # fmt: skip
#: Those of them that are programs of the dialect: they are loaded when they are first asked for.
_PROGRAMS = frozenset(
    "backends compiler distributed distributions fx jit overrides profiler quasirandom testing utils".split()
)

__all__ = ["compile", "load", "save", "set_printoptions", "vmap"]
_export(
    globals(), constants, dtypes, objects, modes, tensor, elementwise, comparing, reductions, running, joining, shaping,
    sorting, creation, legacy, picking, products, recurrent, sampling,
)  # fmt: skip
globals().update(_UNDERSCORED)
_export(globals(), autocast_mode, but="custom_bwd custom_fwd is_autocast_available")


def __getattr__(name: str) -> Any:
    if name in _PROGRAMS:
        return import_module(f"{__name__}.{name}")
    from .coverage import absence

    raise AttributeError(absence(name), name=name)
