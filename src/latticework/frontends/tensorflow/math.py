"""`tf.math`: arithmetic, element by element and along axes."""

from __future__ import annotations

from . import bessel, elementwise, reductions
from .activations import log_softmax, softmax
from .bessel import *  # noqa: F403 - a chapter
from .elementwise import *  # noqa: F403 - a chapter
from .reductions import *  # noqa: F403 - a chapter

#: What the chapters have that is `tf`'s alone.
_NOT = """
    argsort clip_by_global_norm clip_by_norm clip_by_value complex realdiv searchsorted sort truncatediv truncatemod
    unique unique_with_counts
""".split()

__all__ = ["log_softmax", "softmax"]
__all__ += [n for n in elementwise.__all__ + reductions.__all__ + bessel.__all__ if n not in _NOT]
