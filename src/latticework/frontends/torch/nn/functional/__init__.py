"""PyTorch's ``torch.nn.functional``: ``import latticework.frontends.torch.nn.functional as F``."""

from __future__ import annotations

from ....names import export as _export
from ...core import dialect
from . import (
    activations,
    attention,
    convolutions,
    distances,
    dropping,
    layers,
    losses,
    norms,
    pooling,
    resampling,
)

_export(
    globals(), activations, attention, convolutions, distances, dropping, layers, losses, norms, pooling, resampling
)
dialect.finish(globals())
