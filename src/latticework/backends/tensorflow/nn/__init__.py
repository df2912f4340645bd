"""Functions of neural networks on TensorFlow, a chapter per file."""

# ruff: noqa: F403 - the chapters' names are this module's names
from .activations import *
from .activations import _erf as _erf
from .categories import *
from .categories import _forward as _forward
from .convolution import *
from .pooling import *
from .pooling import _first_greatest as _first_greatest
