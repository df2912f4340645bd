"""PyTorch's dialect: ``import latticework.frontends.torch as torch``, and its programs run on the backend in force.

Tensors are `Tensor`, under PyTorch's promotion rules; derivatives are those of `torch.func`.
"""

from __future__ import annotations

from . import dtypes as _dtypes  # isort: split - the functions need the class of tensors
from . import objects as _objects
from . import printing as _printing
from . import tensor as _tensor

# isort: split
from . import comparing as _comparing
from . import constants as _constants
from . import creation as _creation
from . import elementwise as _elementwise
from . import picking as _picking
from . import products as _products
from . import reductions as _reductions
from . import sampling as _sampling
from . import shaping as _shaping
from . import func
from . import methods as _methods
from .core import dialect
from .constants import *
from .dtypes import *
from .objects import *
from .tensor import *
from .elementwise import *
from .comparing import *
from .reductions import *
from .shaping import *
from .creation import *
from .picking import *
from .products import *
from .sampling import *
from .func import vmap
from .printing import set_printoptions

#: The public submodules.
SUBMODULES = ("func",)

__all__ = [
    *_constants.__all__,
    *_dtypes.__all__,
    *_objects.__all__,
    *_tensor.__all__,
    *_elementwise.__all__,
    *_comparing.__all__,
    *_reductions.__all__,
    *_shaping.__all__,
    *_creation.__all__,
    *_picking.__all__,
    *_products.__all__,
    *_sampling.__all__,
    "set_printoptions",
    "vmap",
]
