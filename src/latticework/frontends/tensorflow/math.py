"""`tf.math`: arithmetic, element by element and along axes."""

from __future__ import annotations

from ..names import export as _export
from . import activations, bessel, elementwise, reductions

#: Names in these chapters that `tf` has and `tf.math` lacks.
_NOT = """
    argsort clip_by_global_norm clip_by_norm clip_by_value complex realdiv searchsorted sort truncatediv truncatemod
    unique unique_with_counts
"""

_export(globals(), activations, only="log_softmax softmax")
_export(globals(), elementwise, reductions, bessel, but=_NOT)
