"""`torch.nn.utils`: gradients that are clipped, weights that are computed, sequences that are packed."""

from __future__ import annotations

from ....names import export as _export
from . import clip_grad, convert_parameters, fusion, parametrizations, parametrize, rnn, stateless
from . import prune as prune
from . import spectral_norm as _spectral
from . import weight_norm as _weight

__all__ = ["parametrizations", "parametrize", "rnn", "stateless"]
_export(globals(), clip_grad, convert_parameters, fusion)
_export(globals(), _weight, only="weight_norm remove_weight_norm")
_export(globals(), _spectral, only="spectral_norm remove_spectral_norm")
