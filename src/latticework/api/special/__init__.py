"""Special functions under SciPy's names, a chapter per file."""

# ruff: noqa: F403, PLE0604 - the namespace is its chapters' names
from __future__ import annotations

from ..averages import logsumexp
from . import bessel as _bessel
from . import entropy as _entropy
from . import error_functions as _error_functions
from . import gamma_functions as _gamma_functions
from . import incomplete as _incomplete
from .bessel import *
from .entropy import *
from .error_functions import *
from .gamma_functions import *
from .incomplete import *

__all__ = [
    *_bessel.__all__,
    *_entropy.__all__,
    *_error_functions.__all__,
    *_gamma_functions.__all__,
    *_incomplete.__all__,
    "logsumexp",
]
