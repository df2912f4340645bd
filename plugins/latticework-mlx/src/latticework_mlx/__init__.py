"""MLX as a backend of latticework: the class of the backend, and the functions that differ from the standard's."""

from __future__ import annotations

from .contract import MlxBackend
from .functions import *  # noqa: F403 - the names of functions are this module's names
from .functions import _full as _full

BACKEND = MlxBackend
