"""The text that shows an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.registry import functions as lw

if TYPE_CHECKING:
    from .array import Array

_EDGE = 3
_THRESHOLD = 1000


def array_repr(x: Array) -> str:
    """Return ``Array([...], dtype=float32)``, cut in the middle if it is long; with the device if it is not the CPU."""
    import numpy as np

    text: str | None = x._sig.backend.describe(x._data)
    if text is not None:  # nothing is computed to be shown
        return f"Array(<{x._sig.backend.label}>, {text}, dtype={x.dtype})"
    if x.device == "meta":  # shapes without data
        return f"Array(..., shape={x.shape}, dtype={x.dtype}, device='meta')"
    cut = x
    if x.size > _THRESHOLD:  # fetch no more of a big array than is shown: it may lie on another device
        for axis, extent in enumerate(x.shape):
            if extent > 2 * _EDGE + 1:
                before = (slice(None),) * axis
                cut = _edges(cut, before)
    values = cut._sig.reads.values(cut._data)
    summarised = cut is not x
    if summarised:
        # Edges only are at hand; a threshold of 0 makes NumPy put the dots between them.
        text = np.array2string(values, separator=", ", prefix="Array(", threshold=0, edgeitems=_EDGE)
    else:
        text = np.array2string(values, separator=", ", prefix="Array(")
    facts = [f"dtype={x.dtype}"]
    if summarised or (x.size == 0 and x.shape != (0,)):
        facts.insert(0, f"shape={x.shape}")
    if x.device != "cpu":
        facts.append(f"device={str(x.device)!r}")
    return f"Array({text}, {', '.join(facts)})"


def _edges(x: Array, before: tuple[slice, ...]) -> Array:
    """Return the first and last elements along one axis, and one between them that stands for the rest."""
    axis = len(before)
    return lw.concat([x[(*before, slice(0, _EDGE + 1), ...)], x[(*before, slice(-_EDGE, None), ...)]], axis=axis)
