"""TensorFlow. One line per function where it agrees with the standard; a `def` that says why where it does not.

Everything is made of TensorFlow's own kernels (`tf.raw_ops`), which run eagerly, in `tf.function` and under
`tf.GradientTape` alike. Called so they take half the time of the functions around them.
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
from .bits import *
from .building import _diag as _diag
from .core import *
from .creation import *
from .creation import _count as _count
from .creation import _full as _full
from .einsums import _einsum as _einsum
from .elementwise import *
from .elementwise import _clip as _clip
from .elementwise_extended import *
from .fusion import FUSED as FUSED
from .fusion import fused as fused
from .histograms import _bincount as _bincount
from .histograms import _count_between as _count_between
from .histograms import _weighted_bincount as _weighted_bincount
from .indexing import *
from .linear_algebra import *
from .manipulation import *
from .numerical import *
from .scattering import _positions as _positions
from .scattering import _scatter as _scatter
from .searching import *
from .sets import *
from .sorting import *
from .statistical import *
