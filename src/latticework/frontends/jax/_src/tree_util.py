"""The classes that are trees."""

from __future__ import annotations

from ....core.trees import NODES as _registry  # noqa: N811
from ..tree_util import *  # noqa: F403

__all__ = ["_registry"]
