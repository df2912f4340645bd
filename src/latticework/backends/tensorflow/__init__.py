"""TensorFlow. One line per function where it agrees with the standard; a `def` that says why where it does not.

All functions are made of TensorFlow's own kernels (`tf.raw_ops`), which run eagerly, in `tf.function` and under
`tf.GradientTape` alike. A direct call of a kernel takes half the time of the function around it.
"""

# ruff: noqa: F403 - the chapters' names are this module's names
from . import control_flow as control_flow
from . import fft as fft
from . import linalg as linalg
from . import nn as nn
from . import operators as operators
from . import random as random
from . import special as special
from . import tracing as tracing
from . import transformations as transformations
from .contract import TensorflowBackend
from .creation import *
from .creation import _count as _count
from .creation import _diag as _diag
from .creation import _full as _full
from .elementwise import *
from .elementwise import _clip as _clip
from .elementwise_extended import *
from .histograms import _bincount as _bincount
from .histograms import _count_between as _count_between
from .histograms import _weighted_bincount as _weighted_bincount
from .indexing import *
from .linear_algebra import *
from .linear_algebra import _einsum as _einsum
from .manipulation import *
from .scattering import _positions as _positions
from .scattering import _scatter as _scatter
from .searching import *
from .sets import *
from .sorting import *
from .statistical import *

#: The class that the registry makes the backend of.
BACKEND = TensorflowBackend
