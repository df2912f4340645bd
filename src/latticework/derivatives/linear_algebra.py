"""Rules of products of matrices and vectors."""

from __future__ import annotations

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from .rules import bilinear, conj


def _matrices(g: Array, x1: Array, x2: Array) -> tuple[Array, Array, Array]:
    """Return the cotangent and the operands of a product as matrices: a vector is a row on the left, else a column."""
    if x1.ndim == 1:
        g, x1 = lw.expand_dims(g, -2 if x2.ndim > 1 and g.ndim else 0), lw.expand_dims(x1, 0)
    if x2.ndim == 1:
        g, x2 = lw.expand_dims(g, -1), lw.expand_dims(x2, 1)
    return g, x1, x2


def _matmul_1(g: Array, x1: Array, x2: Array, /) -> Array:
    g, _, b = _matrices(g, x1, x2)
    found = lw.matmul(g, lw.matrix_transpose(conj(b)))
    return lw.squeeze(found, -2) if x1.ndim == 1 else found


def _matmul_2(g: Array, x1: Array, x2: Array, /) -> Array:
    g, a, _ = _matrices(g, x1, x2)
    if x2.ndim <= 2 < a.ndim:  # one product of all examples, which sums them
        a, g = lw.reshape(a, (-1, a.shape[-1])), lw.reshape(g, (-1, g.shape[-1]))
    found = lw.matmul(lw.matrix_transpose(conj(a)), g)
    return lw.squeeze(found, -1) if x2.ndim == 1 else found


bilinear("matmul", _matmul_1, _matmul_2)


def _vecdot_1(g: Array, x1: Array, x2: Array, /, axis: int = -1) -> Array:
    found: Array = conj(lw.expand_dims(g, axis)) * x2
    return found


def _vecdot_2(g: Array, x1: Array, x2: Array, /, axis: int = -1) -> Array:
    return lw.expand_dims(g, axis) * x1


bilinear("vecdot", _vecdot_1, _vecdot_2)
