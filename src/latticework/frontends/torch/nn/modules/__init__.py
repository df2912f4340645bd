"""The classes of `torch.nn`, a file for each chapter."""

from __future__ import annotations

from ....names import export as _export
from . import (
    activation,
    adaptive,
    batchnorm,
    channelshuffle,
    container,
    conv,
    distance,
    dropout,
    flatten,
    fold,
    instancenorm,
    lazy,  # noqa: F401
    linear,
    loss,
    module,
    normalization,
    padding,
    pixelshuffle,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
)

__all__ = ["Module"]
Module = module.Module
_export(
    globals(), activation, adaptive, batchnorm, channelshuffle, container, conv, distance, dropout, flatten, fold,
    instancenorm, linear, loss, normalization, padding, pixelshuffle, pooling, rnn, sparse, transformer, upsampling,
)  # fmt: skip
