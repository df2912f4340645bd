"""Cubed's namespace, with what differs from the standard in version 0.27 put right."""

from __future__ import annotations

from typing import Any

import cubed.array_api as xp
import numpy as np

__all__ = ["MENDED"]


def take(x: Any, indices: Any, /, *, axis: int) -> Any:
    """Cubed computes the positions. It takes as many of them as the axis has elements for all elements in order."""
    places = np.asarray(indices.compute())
    n = x.shape[axis]
    key = (slice(None),) * (axis % x.ndim)
    if len(places) != n:
        return x[(*key, places)]
    if not (places != np.arange(n)).any():
        return x
    return x[(*key, np.append(places, places[-1:]))][(*key, slice(0, n))]


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Any:
    """From some chunks Cubed finds no way to chunks of one extent: there the array is made one chunk, which has to fit
    into the memory that is allowed."""
    try:
        return xp.reshape(x, shape, copy=copy)
    except ValueError as error:
        if "regular chunks" not in str(error):
            raise
        return xp.reshape(x.rechunk(x.shape), shape, copy=copy)


class _Mended:
    """The namespace, with functions of this module before its own."""

    __name__ = xp.__name__
    take = staticmethod(take)
    reshape = staticmethod(reshape)

    def __getattr__(self, name: str) -> Any:
        return getattr(xp, name)


MENDED: Any = _Mended()
