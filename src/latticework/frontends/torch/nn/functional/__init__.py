"""PyTorch's ``torch.nn.functional``: ``import latticework.frontends.torch.nn.functional as F``."""

# ruff: noqa: F403 - the namespace is its chapters' names
from __future__ import annotations

from ...core import dialect
from . import activations as _activations
from . import attention as _attention
from . import convolutions as _convolutions
from . import distances as _distances
from . import dropping as _dropping
from . import layers as _layers
from . import losses as _losses
from . import norms as _norms
from . import pooling as _pooling
from . import resampling as _resampling
from .activations import *
from .attention import *
from .convolutions import *
from .distances import *
from .dropping import *
from .layers import *
from .losses import *
from .norms import *
from .pooling import *
from .resampling import *

__all__ = (
    _activations.__all__
    + _attention.__all__
    + _convolutions.__all__
    + _distances.__all__
    + _dropping.__all__
    + _layers.__all__
    + _losses.__all__
    + _norms.__all__
    + _pooling.__all__
    + _resampling.__all__
)

dialect.finish(globals())
