"""`torch.sparse`: its functions of tensors. Backends hold all elements, so that a sparse tensor is a dense one here."""

from __future__ import annotations

from . import products, reductions
from .core import complete


# fmt: off
def mm(mat1, mat2): return products.mm(mat1, mat2)
def addmm(mat, mat1, mat2, *, beta=1.0, alpha=1.0): return products.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)
def sum(input, dim=None, dtype=None): return reductions.sum(input, dim, dtype=dtype)
# fmt: on


complete(globals())
