"""Linear algebra: the extension of the standard (2025.12), and more functions of NumPy, SciPy and the frameworks."""

# ruff: noqa: F403, PLE0604 - the namespace is its chapter's names, and the classes of results and errors
from __future__ import annotations

from typing import TYPE_CHECKING

from .api.linalg import __all__ as _functions
from .api.linalg.extension import *
from .api.linalg.extension import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from .api.linalg.matrix_functions import *
from .api.linalg.matrix_functions import PolarResult, SchurResult
from .api.linalg.norms import *
from .api.linalg.solvers import *
from .api.linalg.solvers import LstsqResult, LUFactors, LUResult
from .api.linalg.structured import *
from .namespace import no_attribute

if TYPE_CHECKING:
    from .errors import LinAlgError

__all__ = [
    "EigResult",
    "EighResult",
    "LUFactors",
    "LUResult",
    "LinAlgError",
    "LstsqResult",
    "PolarResult",
    "QRResult",
    "SVDResult",
    "SchurResult",
    "SlogdetResult",
    *_functions,
]


if not TYPE_CHECKING:  # to a type checker, it would make any name exist

    def __getattr__(name: str) -> object:
        if name == "LinAlgError":  # it imports NumPy
            from .errors import LinAlgError

            globals()[name] = LinAlgError
            return LinAlgError
        raise no_attribute("linalg", name)


def __dir__() -> list[str]:
    return sorted(__all__)
