"""The way from a dialect's function to its kernel: dispatchers of calls with the arrays of a dialect."""

from __future__ import annotations

from .cache import HELD, DialectKernels, Note, Notes, alias, asked, new, notes, shared, told, wrapped
from .elementwise import binary, in_place, operator, reflected, unary, unary_operator
from .remembered import Remembered, remembered
from .twins import twin

__all__ = [
    "FAST", "HELD", "DialectKernels", "Note", "Notes", "Remembered", "alias", "asked", "binary", "in_place", "new",
    "notes", "operator", "reflected", "remembered", "shared", "told", "twin", "unary", "unary_operator", "wrapped",
]  # fmt: skip

#: The dispatchers of functions that have no options, by the form of the latticework function.
FAST = {"unary": unary, "rounding": unary, "binary": binary}
