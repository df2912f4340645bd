"""Dask: arrays in chunks, computed when they are asked for. The NumPy backend's functions compute the blocks.

An array keeps its chunks: ``lw.asarray(dask_array)`` takes it as it is. Its blocks have to be NumPy arrays; others
(CuPy's, sparse or masked ones) are refused. New arrays have the chunks that Dask's setting ``array.chunk-size`` says.
``x.chunks`` and ``x.rechunk(...)`` are Dask's own, and ``x.data`` is the Dask array.

Only these calls compute: ``x.compute()`` and functions that return an object of Python or NumPy: ``bool``, ``int``,
``float``, ``complex``, ``item``, ``tolist``, ``in``, `numpy.asarray`, `lw.allclose`, `lw.array_equal`; `lw.arange` and
`lw.linspace` of 0-d arrays; `lw.astype` with ``check=True``; and Dask's own `compute` and `persist`, to which an
`Array` is a collection. It is the same on a cluster: whichever scheduler is set computes.

Chunks stay along every axis that stays. Functions go block by block, or combine the results of the blocks. These need
more, without a warning:

- one block along the reduced axes: `median`, `quantile` and the others of their kind
- one block along the axis: `sort`, `argsort`, `partition`, the functions of ``fft`` (along one axis after the other)
- one block for each matrix: ``linalg``'s `cholesky`, `det`, `eig`, `eigh`, `eigvals`, `eigvalsh`, `inv`, `slogdet`,
  `solve`, `svd` and `qr` in full; in the reduced form those two, and `svdvals`, only along the shorter axis
- one block along all axes but the first: `nonzero`
- neighbouring blocks together: `reshape` where axes are joined or split, as Dask's own does it
- for each block that is written to, all positions and values: ``x[positions] = values``

The number of elements that a mask selects, or that `nonzero`, `repeat` and the unique functions find, is not known
before it is computed: the shape has None there. Functions that need the extent raise a ValueError that says how to
find it out.
"""

# ruff: noqa: F403 - the chapters' names are this module's names
from . import collection as collection
from . import fft as fft
from . import linalg as linalg
from . import nn as nn
from . import random as random
from . import special as special
from .contract import DaskBackend
from .creation import *
from .creation import _count as _count
from .creation import _full as _full
from .einsums import _einsum as _einsum
from .elementwise import *
from .elementwise import _clip as _clip
from .elementwise_extended import *
from .histograms import _bincount as _bincount
from .histograms import _count_between as _count_between
from .histograms import _sum_between as _sum_between
from .histograms import _weighted_bincount as _weighted_bincount
from .histograms import digitize as digitize
from .indexing import *
from .linear_algebra import *
from .manipulation import *
from .nan_functions import *
from .numerical import *
from .running import *
from .scattering import _positions as _positions
from .scattering import _scatter as _scatter
from .scattering import _windows as _windows
from .searching import *
from .sets import *
from .sorting import *
from .statistical import *

#: The class that the registry makes the backend of.
BACKEND = DaskBackend
