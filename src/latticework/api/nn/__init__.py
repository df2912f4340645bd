"""Functions of neural networks, a chapter per file. Each takes and gives arrays, and keeps nothing.

The names and parameters are torch.nn.functional's, with `axis` for `dim`.
"""

# ruff: noqa: F403, PLE0604 - the namespace is its chapters' names
from __future__ import annotations

from . import activations as _activations
from . import attention as _attention
from . import categories as _categories
from . import convolution as _convolution
from . import ctc as _ctc
from . import dropout as _dropout
from . import layers as _layers
from . import losses as _losses
from . import normalization as _normalization
from . import pooling as _pooling
from . import resampling as _resampling
from .activations import *
from .attention import *
from .categories import *
from .convolution import *
from .ctc import *
from .dropout import *
from .layers import *
from .losses import *
from .normalization import *
from .pooling import *
from .resampling import *

__all__ = [
    *_activations.__all__,
    *_attention.__all__,
    *_categories.__all__,
    *_ctc.__all__,
    *_dropout.__all__,
    *_layers.__all__,
    *_losses.__all__,
    *_normalization.__all__,
    *_convolution.__all__,
    *_pooling.__all__,
    *_resampling.__all__,
]
