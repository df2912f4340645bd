"""NumPy. One line per function where it agrees with the standard; a `def` that says why where it does not."""

# ruff: noqa: F403 - the chapters' names are this module's names
from . import fft as fft
from . import linalg as linalg
from . import nn as nn
from . import random as random
from . import signal as signal
from . import special as special
from .contract import NumpyBackend
from .creation import *
from .creation import _count as _count
from .creation import _diag as _diag
from .creation import _full as _full
from .creation import _line as _line
from .elementwise import *
from .elementwise import _clip as _clip
from .elementwise_extended import *
from .histograms import _bincount as _bincount
from .histograms import _count_between as _count_between
from .histograms import _sum_between as _sum_between
from .histograms import _weighted_bincount as _weighted_bincount
from .histograms import digitize as digitize
from .linear_algebra import *
from .linear_algebra import _einsum as _einsum
from .manipulation import *
from .scattering import _dynamic_slice as _dynamic_slice
from .scattering import _in_segments as _in_segments
from .scattering import _positions as _positions
from .scattering import _scatter as _scatter
from .scattering import _scatter_along_axis as _scatter_along_axis
from .scattering import _windows as _windows
from .searching import *
from .sets import *
from .sorting import *
from .statistical import *

#: The class that the registry makes the backend of.
BACKEND = NumpyBackend
