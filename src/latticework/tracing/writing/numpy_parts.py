"""Functions that traced programs on NumPy call in blocks: `where` without branches, memory that begins at a cache line.

The functions are written into the source of a program, with the import.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["aligned", "select"]


def select(condition: Any, x: Any, y: Any, out: Any, bits: Any) -> None:
    """Write `numpy.where` into an array, which may be x or y itself: as integers, without a branch for each element.

    For 8 bytes this takes longer than branches that follow a pattern: the first 1,024 elements tell."""
    some = condition[:1024]
    if bits.itemsize == 8 and np.count_nonzero(some[1:] != some[:-1]) < 32:
        if out is x:
            x, y, condition = y, x, ~condition
        elif out is not y:
            np.copyto(out, y)
        np.putmask(out, condition, x)
        return
    if out is y:
        x, y, condition = y, x, ~condition
    x, y, out = x.view(bits), y.view(bits), out.view(bits)
    np.bitwise_xor(x, y, out)
    np.multiply(out, condition, out)
    np.bitwise_xor(out, y, out)


def aligned(count: int, dtype: Any) -> Any:
    """Make an array without values that begins at a cache line."""
    size = count * dtype.itemsize
    memory = np.empty(size + 64, np.uint8)
    start = -memory.__array_interface__["data"][0] % 64
    return memory[start : start + size].view(dtype)
