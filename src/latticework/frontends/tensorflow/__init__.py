"""TensorFlow's dialect: ``import latticework.frontends.tensorflow as tf``.

A program written for TensorFlow runs on the backend in force, with the names, arguments, dtypes and errors that it has
there. Tensors promote nothing unless `tf.experimental.numpy.experimental_enable_numpy_behavior` switches that.
"""

from __future__ import annotations

from . import bitwise as bitwise
from . import chapters as _chapters
from . import control as _control
from . import conversion as _conversion
from . import dtypes as dtypes
from . import errors as errors
from . import experimental as experimental
from . import image as image
from . import linalg as linalg
from . import math as math
from . import nest as nest
from . import nn as nn
from . import printing as _printing
from . import promoting as _promoting
from . import random as random
from . import shaping as _shaping
from . import signal as signal
from .chapters import *  # noqa: F403 - a chapter
from .control import *  # noqa: F403 - a chapter
from .conversion import *  # noqa: F403 - a chapter
from .dtypes import *  # noqa: F403 - a chapter
from .linalg import eig, eigvals, einsum, matmul, norm, tensordot
from .printing import print as print
from .promoting import *  # noqa: F403 - a chapter
from .shapes import TensorShape, TensorSpec
from .shaping import *  # noqa: F403 - a chapter
from .taping import GradientTape, UnconnectedGradients
from .tensor import Tensor
from .variables import Variable

#: The public submodules.
SUBMODULES = (
    "bitwise", "dtypes", "errors", "experimental", "experimental.numpy", "image", "linalg", "math", "nest", "nn",
    "random", "signal",
)  # fmt: skip

newaxis = None
__version__ = "2.21.0"

__all__ = ["GradientTape", "Tensor", "TensorShape", "TensorSpec", "UnconnectedGradients", "Variable", "newaxis"]
__all__ += ["eig", "eigvals", "einsum", "matmul", "norm", "tensordot"]
__all__ += _chapters.__all__
__all__ += dtypes.__all__
__all__ += _control.__all__
__all__ += _conversion.__all__
__all__ += _shaping.__all__
__all__ += _promoting.__all__
__all__ += _printing.__all__
