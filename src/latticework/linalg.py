"""The linear algebra extension of the standard (2025.12): decompositions, solvers, norms and products of matrices."""

# ruff: noqa: F403, PLE0604 - the namespace is its chapter's names, and the classes of results and errors
from __future__ import annotations

from typing import TYPE_CHECKING

from .api.linalg import *
from .api.linalg import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from .api.linalg import __all__ as _functions
from .namespace import no_attribute

if TYPE_CHECKING:
    from .errors import LinAlgError

__all__ = ["EigResult", "EighResult", "LinAlgError", "QRResult", "SVDResult", "SlogdetResult", *_functions]


if not TYPE_CHECKING:  # to a type checker, it would make any name one that there is

    def __getattr__(name: str) -> object:
        if name == "LinAlgError":  # which brings NumPy in
            from .errors import LinAlgError

            globals()[name] = LinAlgError
            return LinAlgError
        raise no_attribute("linalg", name)


def __dir__() -> list[str]:
    return sorted(__all__)
