"""Interpolation and convolutions on Dask: block by block, each with the samples and neighbours that it needs."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da

from .blocks import Kernel, call, kernel, require_known, whole


def interp(
    x: da.Array, xp: da.Array, fp: da.Array, *, left: Any = None, right: Any = None, period: Any = None
) -> da.Array:
    """Interpolate block by block of x; each block gets all samples."""
    if xp.ndim != 1 or fp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        raise ValueError("xp and fp must have one axis of the same extent")
    mine, new = tuple(range(x.ndim)), (x.ndim,)
    run = partial(_interp, run=kernel("interp", x, fp), left=left, right=right, period=period)
    return call(run, mine, x, mine, whole(xp), new, whole(fp), new, dtype=fp.dtype, concatenate=True)


def _interp(x: Any, xp: Any, fp: Any, run: Kernel, **options: Any) -> Any:
    return run(x, xp, fp, **options)


def convolve(x1: da.Array, x2: da.Array, *, mode: Any = "full") -> da.Array:
    """Make each block of the result from a block of the longer array and the neighbours that it needs."""
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError("takes two arrays of one axis")
    require_known(x1)
    require_known(x2)
    if x1.shape[0] < x2.shape[0]:
        x1, x2 = x2, x1
    k = x2.shape[0]
    if not k:
        raise ValueError("takes arrays with elements")
    before, after = {"full": (k - 1, k - 1), "same": (k // 2, (k - 1) // 2), "valid": (0, 0)}[mode]
    run, x2 = kernel("convolve", x1, x2), whole(x2)
    padded = da.concatenate([da.zeros(before, dtype=x1.dtype), x1, da.zeros(after, dtype=x1.dtype)])
    count = padded.shape[0] - k + 1
    parts, start = [], 0
    for i, extent in enumerate(x1.chunks[0]):
        stop = count if i == x1.numblocks[0] - 1 else min(start + extent, count)
        if stop > start:
            block = whole(padded[start : stop + k - 1])
            valid = partial(_valid, run=run)
            parts.append(call(valid, (1,), block, (0,), x2, (2,), dtype=x1.dtype, concatenate=True,
                              new_axes={1: stop - start}))  # fmt: skip
        start = stop
    return da.concatenate(parts)


def _valid(x1: Any, x2: Any, run: Kernel) -> Any:
    return run(x1, x2, mode="valid")
