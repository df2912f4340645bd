"""Functions of neural networks on PyTorch, a chapter per file."""

# ruff: noqa: F403 - the chapters' names are this module's names
from .activations import *
from .activations import _erf as _erf
from .convolution import *
from .layers import *
from .layers import _lstm_cell as _lstm_cell
from .losses import *
from .losses import _one_hot as _one_hot
from .normalization import *
from .normalization import _by_batch as _by_batch
from .normalization import _by_statistics as _by_statistics
from .normalization import _in_training as _in_training
from .pooling import *
from .pooling import _first_greatest as _first_greatest
from .resampling import *
