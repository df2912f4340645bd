"""Where a backend's values differ from what the standard says of special cases, and why that is left so.

Data, which tests read: a deviation that no longer shows up fails them. Each costs more to mend than it is worth,
an extra pass over the data in the ordinary case.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DEVIATIONS", "Deviation"]


class Deviation(NamedTuple):
    """One difference: on this backend, for these dtypes, this function gives `gives` where `standard` is asked."""

    backend: str
    function: str
    dtypes: str
    case: str
    standard: str
    gives: str
    reason: str


DEVIATIONS: tuple[Deviation, ...] = ()
