"""Functions of neural networks on JAX, a chapter per file."""

# ruff: noqa: F403 - the chapters' names are this module's names
from .activations import *
from .activations import _erf as _erf
from .convolution import *
from .convolution import _first_greatest as _first_greatest
from .layers import *
from .layers import _by_batch as _by_batch
from .layers import _by_statistics as _by_statistics
from .layers import _lstm_cell as _lstm_cell
from .losses import *
from .losses import _forward as _forward
from .losses import _one_hot as _one_hot
