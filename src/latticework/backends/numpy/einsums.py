"""Einstein sums on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def _einsum(operands: list[Any], *, subscripts: str) -> Any:
    """In one loop over all indices, which takes less time for few elements than to find out about matrix products."""
    return np.einsum(subscripts, *operands, optimize=sum([x.size for x in operands]) > 512)


def _of_wide_numbers(operands: list[Any], *, subscripts: str) -> bool:
    """Tell whether the operands have more than 16 bits, or are integers.

    np.einsum has no loop for bfloat16, and a slow one for float16."""
    return all(x.dtype.itemsize > 2 or x.dtype.kind in "iu" for x in operands)


_einsum.when = _of_wide_numbers  # type: ignore[attr-defined]
