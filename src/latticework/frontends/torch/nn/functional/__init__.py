"""PyTorch's ``torch.nn.functional``: ``import latticework.frontends.torch.nn.functional as F``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:  # the names of the chapters are given to this module when it is imported

    def __getattr__(name: str) -> Any: ...
