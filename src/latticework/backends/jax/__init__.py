"""JAX. One line per function where jax.numpy agrees with the standard; a `def` that says why where it does not."""

# ruff: noqa: F403 - the chapters' names are this module's names
from . import control_flow as control_flow
from . import fft as fft
from . import linalg as linalg
from . import nn as nn
from . import pytree as pytree
from . import random as random
from . import special as special
from . import transformations as transformations
from .contract import JaxBackend
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
from .scattering import _add_slices as _add_slices
from .scattering import _dynamic_slice as _dynamic_slice
from .scattering import _dynamic_update_slice as _dynamic_update_slice
from .scattering import _positions as _positions
from .scattering import _scatter as _scatter
from .scattering import _scatter_along_axis as _scatter_along_axis
from .searching import *
from .sets import *
from .sorting import *
from .statistical import *

#: The class that the registry makes the backend of.
BACKEND = JaxBackend
