"""Functions of neural networks, a chapter per file. Each takes and gives arrays, and keeps nothing.

The names and parameters are torch.nn.functional's, with `axis` for `dim`.
"""

# ruff: noqa: F403, PLE0604 - the namespace is its chapters' names
from __future__ import annotations

from . import activations as _activations
from . import categories as _categories
from .activations import *
from .categories import *

__all__ = [
    *_activations.__all__,
    *_categories.__all__,
]
