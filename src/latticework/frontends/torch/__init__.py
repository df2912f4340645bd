"""PyTorch's dialect: ``import latticework.frontends.torch as torch``, and its programs run on the backend in force.

Tensors are `Tensor`, under PyTorch's promotion rules; derivatives are those of `torch.func`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import comparing as _comparing
from . import constants as _constants
from . import creation as _creation
from . import cuda as cuda
from . import dtypes as _dtypes
from . import elementwise as _elementwise
from . import fft as fft
from . import func as func
from . import joining as _joining
from . import legacy as _legacy
from . import linalg as linalg
from . import methods as _methods  # noqa: F401
from . import nn as nn
from . import objects as _objects
from . import picking as _picking
from . import products as _products
from . import reductions as _reductions
from . import running as _running
from . import sampling as _sampling
from . import shaping as _shaping
from . import sorting as _sorting
from . import special as special
from . import tensor as _tensor
from .comparing import *  # noqa: F403
from .constants import *  # noqa: F403
from .core import dialect as dialect
from .creation import *  # noqa: F403
from .dtypes import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .func import vmap
from .joining import *  # noqa: F403
from .legacy import *  # noqa: F403
from .objects import *  # noqa: F403
from .picking import *  # noqa: F403
from .printing import set_printoptions
from .products import *  # noqa: F403
from .reductions import *  # noqa: F403
from .running import *  # noqa: F403
from .sampling import *  # noqa: F403
from .shaping import *  # noqa: F403
from .sorting import *  # noqa: F403
from .tensor import *  # noqa: F403

#: The public submodules.
SUBMODULES = ("cuda", "fft", "func", "linalg", "nn", "nn.functional", "special")

__all__ = (
    _constants.__all__
    + _dtypes.__all__
    + _objects.__all__
    + _tensor.__all__
    + _elementwise.__all__
    + _comparing.__all__
    + _reductions.__all__
    + _running.__all__
    + _joining.__all__
    + _shaping.__all__
    + _sorting.__all__
    + _creation.__all__
    + _legacy.__all__
    + _picking.__all__
    + _products.__all__
    + _sampling.__all__
    + ["set_printoptions", "vmap"]
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from .coverage import absence

        raise AttributeError(absence(name), name=name)
