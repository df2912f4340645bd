"""`tf.nn`: what neural networks are made of."""

from __future__ import annotations

from . import activations, windows
from .activations import *  # noqa: F403 - its chapters
from .elementwise import sigmoid, softplus, softsign, tanh
from .reductions import in_top_k, l2_normalize, top_k, zero_fraction
from .shaping import space_to_batch
from .windows import *  # noqa: F403 - its chapters

__all__ = ["in_top_k", "l2_normalize", "sigmoid", "softplus", "softsign", "space_to_batch", "tanh", "top_k"]
__all__ += ["zero_fraction"]
__all__ += activations.__all__
__all__ += windows.__all__
