"""Products of matrices, and other layers that have a function of latticework."""

from __future__ import annotations

from typing import Any

import numpy as np

import latticework as lw

from .table import Call, reads

__all__: list[str] = []


@reads("Gemm")
def _gemm(c: Call, a: Any, b: Any, more: Any = None) -> Any:
    """``alpha * a @ b + beta * c``, of matrices that may be transposed."""
    a = lw.matrix_transpose(a) if c.get("transA", 0) else a
    b = lw.matrix_transpose(b) if c.get("transB", 0) else b
    found = a @ b
    found = _scaled(found, c.get("alpha", 1.0))
    return found if more is None else found + _scaled(more, c.get("beta", 1.0))


def _scaled(x: Any, factor: float) -> Any:
    if factor == 1:
        return x
    return x * (factor if x.dtype.kind == "f" else int(factor))


@reads("Einsum")
def _einsum(c: Call, *arrays: Any) -> Any:
    return lw.einsum(c.get("equation").replace(" ", ""), *arrays)


@reads("Det")
def _det(c: Call, x: Any) -> Any:
    return lw.linalg.det(x)


@reads("Dropout", host=(1, 2))
def _dropout(c: Call, x: Any, ratio: Any = None, training: Any = None) -> Any:
    """Return the array: dropout is not read in training, but for a ratio of 0."""
    ratio = 0.5 if ratio is None else float(np.asarray(ratio))
    if training is not None and bool(np.asarray(training)) and ratio:
        raise c.refuse("dropout in training is random, which is not read. Export the model for inference")
    return x, lw.ones_like(x, dtype=lw.bool)
