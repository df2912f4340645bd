"""Linear algebra: the standard's extension, and what NumPy, SciPy and the frameworks have beyond it."""

# ruff: noqa: F403 - the namespace is its chapters' names
from __future__ import annotations

from . import extension, matrix_functions, norms, solvers, structured
from .extension import *
from .matrix_functions import *
from .norms import *
from .solvers import *
from .structured import *

_chapters = (extension, norms, solvers, matrix_functions, structured)
__all__ = sorted([name for chapter in _chapters for name in chapter.__all__])  # noqa: PLE0605
