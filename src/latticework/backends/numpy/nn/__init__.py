"""Functions of neural networks on NumPy, a chapter per file."""

# ruff: noqa: F403 - the chapters' names are this module's names
from . import activations as _activations
from .activations import *
from .categories import *
from .categories import _one_hot as _one_hot
from .convolution import *
from .losses import *
from .normalization import *
from .normalization import _by_batch as _by_batch
from .normalization import _by_statistics as _by_statistics
from .resampling import *

if hasattr(_activations, "_erf"):  # where there is SciPy
    _erf = _activations._erf
