"""`tf.nn`: what neural networks are made of."""

from __future__ import annotations

from ..names import export as _export
from . import activations, elementwise, reductions, shaping, windows

_export(globals(), activations, windows)
_export(globals(), elementwise, only="sigmoid softplus softsign tanh")
_export(globals(), reductions, only="in_top_k l2_normalize top_k zero_fraction")
_export(globals(), shaping, only="space_to_batch")
