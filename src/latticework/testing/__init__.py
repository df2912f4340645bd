"""The kit for authors of backends: what a backend computes, compared with the NumPy backend.

``python -m latticework.testing NAME`` runs all of it and prints a table: what differs, what is refused and why. The
exit code is 1 where anything differs. A test of a package's own is one line: ``assert not check("NAME").differences``.

It runs every function on every dtype that the backend has; on arrays without elements and without axes, on arrays that
broadcast, on arrays that are every other element of another, and on nan, infinities and the ends of the range. It reads
and writes by keys, converts, draws random numbers, differentiates and traces programs.
"""

from __future__ import annotations

from .checking import AREAS as AREAS
from .checking import check as check
from .findings import Finding as Finding
from .findings import Report as Report


def __getattr__(name: str) -> object:
    said = "; it is the kit for authors of backends"
    if name.startswith("assert_"):
        said += f". To compare arrays, write numpy.testing.{name}(lw.to_numpy(x), lw.to_numpy(y))"
    raise AttributeError(f"latticework.testing.{name}: no such name{said}", name=name)
