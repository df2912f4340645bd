"""pydata/sparse as a backend of latticework: the class of the backend, and the functions that differ."""

from __future__ import annotations

from .contract import SparseBackend
from .functions import *  # noqa: F403 - the names of functions are this module's names
from .functions import _count as _count
from .functions import _full as _full
from .functions import _scatter as _scatter

BACKEND = SparseBackend
