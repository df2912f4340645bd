"""The special cases where a backend's values differ from the standard, and why they are left so.

Each costs more to mend than it is worth: an extra pass over the data in the ordinary case. A backend of latticework
lists its own in ``special_cases.json``, by reason; ``"as"`` names backends whose functions it calls, and whose cases
it shares. Tests read this data: a deviation that no longer shows up fails them. A package outside has
``deviations.json`` in its place, which the kit for authors reads (`latticework.testing`).
"""

from __future__ import annotations

import json
from functools import cache
from typing import NamedTuple

from .facts import inside_facts, plugin_of

__all__ = ["Deviation", "deviations"]


class Deviation(NamedTuple):
    """A difference: on this backend, for these dtypes, the function gives `gives` where `standard` is asked.

    `dtypes` are names of dtypes, or of a category. `case` has the arguments, arrays in brackets and scalars without.
    `case` and the two values are Python expressions with `inf`, `nan`, `pi`, and `max` and `tiny` for the largest and
    smallest normal numbers of the dtype. Where extents depend on values, the two values are shapes, of the result or
    the first of several.
    """

    backend: str
    function: str
    dtypes: str
    case: str
    standard: str
    gives: str
    reason: str


@cache
def deviations() -> tuple[Deviation, ...]:
    """Read the deviations of all backends of latticework, without an import of a framework."""
    return tuple(d for backend in sorted(inside_facts()) for d in _of(backend))


def _of(backend: str) -> list[Deviation]:
    plugin = plugin_of(backend)
    path = None if plugin is None else plugin.folder / "special_cases.json"
    if path is None or not path.exists():
        return []
    read = json.loads(path.read_text(encoding="utf-8"))
    own = [Deviation._make([backend, *case, entry["reason"]]) for entry in read["listed"] for case in entry["cases"]]
    return own + [d._replace(backend=backend) for other in read.get("as", ()) for d in _of(other)]
