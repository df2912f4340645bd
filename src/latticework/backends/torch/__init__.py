"""PyTorch. One line per function where it agrees with the standard; a `def` that says why where it does not."""

# ruff: noqa: F403 - the chapters' names are this module's names
from . import fft as fft
from . import linalg as linalg
from . import nn as nn
from . import pytree as pytree
from . import random as random
from . import signal as signal
from . import special as special
from . import transformations as transformations
from .contract import TorchBackend
from .creation import *
from .creation import _count as _count
from .creation import _diag as _diag
from .creation import _full as _full
from .creation import _line as _line
from .elementwise import *
from .elementwise import _clip as _clip
from .elementwise_extended import *
from .gpu import _replaced as _replaced
from .histograms import _bincount as _bincount
from .histograms import _count_between as _count_between
from .histograms import _sum_between as _sum_between
from .histograms import _weighted_bincount as _weighted_bincount
from .histograms import digitize as digitize
from .indexing import *
from .linear_algebra import *
from .linear_algebra import _einsum as _einsum
from .manipulation import *
from .scattering import _add_slices as _add_slices
from .scattering import _positions as _positions
from .scattering import _scatter as _scatter
from .scattering import _scatter_along_axis as _scatter_along_axis
from .scattering import _windows as _windows
from .searching import *
from .sets import *
from .shared import _in_blocks as _in_blocks
from .sorting import *
from .statistical import *
from .statistical import _finite as _finite
from .statistical import _isclose as _isclose

#: The class that the registry makes the backend of.
BACKEND = TorchBackend

globals().update(_replaced(globals()))  # on a build that has GPUs
