"""The linear algebra extension on Dask. Stacks of matrices are computed block by block; a matrix is in one block.

A matrix in several blocks of rows, or of columns, stays so for the reduced `qr`, `svd` and `svdvals`: each block is
decomposed, then the triangles that result (Benson, Gleich and Demmel 2013, the direct TSQR). Only the triangles
together have to fit into memory: for each block as many rows as there are columns.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ....backend.arguments import check_mode
from ....backend.unsupported import refused
from ....core.registry import OPS
from ....engine.shapes.families import result_shapes
from ..blocks import (
    Kernel,
    call,
    complex_dtype,
    is_known,
    kernel,
    parts,
    pick,
    real_dtype,
    require_known,
    whole,
)  # fmt: skip
from ..core import REFUSED
from ..linear_algebra import check


def _one(name: str, result: Any, dropped: int, x: da.Array, **options: Any) -> da.Array:
    """Return the result of a function of square matrices: a matrix, or fewer axes."""
    require_known(x, range(x.ndim)[-2:])
    result_shapes(OPS[f"linalg.{name}"], (x,), (), {})  # refuses what are no square matrices
    function = partial(kernel(f"linalg.{name}", x), **options)
    n = x.shape[-1]
    stack = tuple(range(x.ndim - 2))
    shape = (*stack, 100, 101)
    out = (*stack, *(102, 103)[: 2 - dropped])
    return call(
        function, out, x, shape, dtype=result(x.dtype), concatenate=True, new_axes=dict.fromkeys(out[x.ndim - 2 :], n)
    )


def _same(dtype: np.dtype) -> np.dtype:
    return dtype


def cholesky(x: da.Array, *, upper: bool = False) -> da.Array:
    return _one("cholesky", _same, 0, x, upper=upper)


def inv(x: da.Array) -> da.Array:
    return _one("inv", _same, 0, x)


def det(x: da.Array) -> da.Array:
    return _one("det", _same, 2, x)


def eigvals(x: da.Array) -> da.Array:
    return _one("eigvals", complex_dtype, 1, x)


def eigvalsh(x: da.Array) -> da.Array:
    return _one("eigvalsh", real_dtype, 1, x)


def _several(name: str, x: da.Array, *results: tuple[np.dtype, int]) -> tuple[da.Array, ...]:
    """Return the results of a function of square matrices, each with a dtype and a number of axes."""
    require_known(x, range(x.ndim)[-2:])
    result_shapes(OPS[f"linalg.{name}"], (x,), (), {})  # refuses what are no square matrices
    n = x.shape[-1]
    return parts(kernel(f"linalg.{name}", x), [(dtype, (n,) * ndim) for dtype, ndim in results], (x, 2))


def eig(x: da.Array) -> tuple[da.Array, ...]:
    return _several("eig", x, (complex_dtype(x.dtype), 1), (complex_dtype(x.dtype), 2))


def eigh(x: da.Array) -> tuple[da.Array, ...]:
    return _several("eigh", x, (real_dtype(x.dtype), 1), (x.dtype, 2))


def slogdet(x: da.Array) -> tuple[da.Array, ...]:
    return _several("slogdet", x, (x.dtype, 0), (real_dtype(x.dtype), 0))


def solve(x1: da.Array, x2: da.Array) -> da.Array:
    check("linalg.solve", x1, x2)
    vector = x2.ndim == 1
    stack = max(x1.ndim - 2, 0 if vector else x2.ndim - 2)
    front = tuple(range(stack))
    matrices, columns = (*front[stack - x1.ndim + 2 :], 100, 101), 103
    right: tuple[int, ...]
    out: tuple[int, ...]
    if vector:
        right, out = (101,), (*front, 102)
    else:
        right, out = (*front[stack - x2.ndim + 2 :], 101, columns), (*front, 102, columns)
    # 101 is an axis of both: the columns of the matrices, the rows of the right-hand sides.
    return call(
        kernel("linalg.solve", x1, x2), out, x1, matrices, x2, right, dtype=x1.dtype, concatenate=True,
        new_axes={102: x1.shape[-1]},
    )  # fmt: skip


def diagonal(x: da.Array, *, offset: int = 0) -> da.Array:
    """Take the part of the diagonal in each block. Where some blocks are empty, Dask's function goes wrong: then the
    blocks along the last two axes are joined."""
    check("linalg.diagonal", x)
    require_known(x, (-2, -1))
    m, n = x.shape[-2:]
    length = max(min(m, n - offset) if offset > 0 else min(m + offset, n), 0)
    if length and x.numblocks[-2:] != (1, 1) and 0 not in (*x.chunks[-2], *x.chunks[-1]):
        return da.diagonal(x, offset, x.ndim - 2, x.ndim - 1)
    stack = tuple(range(x.ndim - 2))
    return call(
        partial(_diagonal, offset=offset), (*stack, 102), x, (*stack, 100, 101), dtype=x.dtype, concatenate=True,
        new_axes={102: length},
    )  # fmt: skip


def _diagonal(block: np.ndarray, offset: int) -> np.ndarray:
    return np.diagonal(block, offset, -2, -1)


# --- decompositions of one matrix in many blocks ------------------------------------------------------------------


def qr(x: da.Array, *, mode: str = "reduced") -> tuple[da.Array, ...]:
    check("linalg.qr", x)
    check_mode(mode)
    if mode == "reduced" and _is_tall(x):
        first, second, k = _tall(x, "qr")
        return _left(x, first, second, k), pick(second, 1, x.dtype, (k, x.shape[1]))
    require_known(x, (-2, -1))
    m, n = x.shape[-2:]
    k = m if mode == "complete" else min(m, n)
    return parts(partial(kernel("linalg.qr", x), mode=mode), [(x.dtype, (m, k)), (x.dtype, (k, n))], (x, 2))


def svd(x: da.Array, *, full_matrices: bool = True) -> tuple[da.Array, ...]:
    check("linalg.svd", x)
    real = real_dtype(x.dtype)
    if not full_matrices and _is_tall(x):
        first, second, k = _tall(x, "svd")
        return _left(x, first, second, k), pick(second, 1, real, (k,)), pick(second, 2, x.dtype, (k, x.shape[1]))
    if not full_matrices and x.ndim == 2 and _is_tall(x.T):
        U, S, Vh = svd(x.T, full_matrices=False)
        return Vh.T, S, U.T
    require_known(x, (-2, -1))
    m, n = x.shape[-2:]
    k = min(m, n)
    shapes = [(x.dtype, (m, m if full_matrices else k)), (real, (k,)), (x.dtype, (n if full_matrices else k, n))]
    return parts(partial(kernel("linalg.svd", x), full_matrices=full_matrices), shapes, (x, 2))


def svdvals(x: da.Array) -> da.Array:
    check("linalg.svdvals", x)
    if x.ndim == 2 and _is_tall(x.T):
        x = x.T
    if _is_tall(x):
        _, second, k = _tall(x, "svdvals")
        return pick(second, 0, real_dtype(x.dtype), (k,))
    require_known(x, (-2, -1))
    stack = tuple(range(x.ndim - 2))
    return call(
        kernel("linalg.svdvals", x), (*stack, 102), x, (*stack, 100, 101), dtype=real_dtype(x.dtype), concatenate=True,
        new_axes={102: min(x.shape[-2:])},
    )  # fmt: skip


def _is_tall(x: da.Array) -> bool:
    """Return whether x is one matrix, no wider than tall, with rows in several blocks or of unknown number."""
    if x.ndim != 2 or not is_known(x, (1,)):
        return False
    return (x.numblocks[0] > 1 or not is_known(x, (0,))) and not x.shape[0] < x.shape[1]


def _tall(x: da.Array, last: str) -> tuple[da.Array, da.Array, Any]:
    """Return the QR decompositions of the blocks, the decomposition `last` of all triangles, and Q's number of columns.

    Blocks of the first are (Q, R) of a block of rows. The second is one block: its first factor in parts, one for each
    block of the first, and the other factors.
    """
    require_known(x, (1,))
    x = whole(x, (1,))
    first = call(kernel("linalg.qr", x), (0,), x, (0, 1), dtype=object, concatenate=True)
    triangles = call(_triangle, (0,), first, (0,), dtype=object)  # all of a block that is kept where Q is not needed
    second = call(partial(_of_triangles, of=kernel(f"linalg.{last}", x)), (), triangles, (0,), dtype=object)
    return first, second, x.shape[1]


def _triangle(first: tuple[Any, ...]) -> Any:
    return first[1]


def _of_triangles(triangles: list[Any], of: Kernel) -> tuple[Any, ...]:
    together = np.concatenate(triangles)
    if together.shape[0] < together.shape[1]:
        raise ValueError(
            f"{of.name}: the array, whose number of rows was not known, has fewer rows than its {together.shape[1]} "
            f"columns: {together.shape[0]}. Find it out before with x.data.compute_chunk_sizes()"
        )
    if of.name == "linalg.svdvals":
        return (of(together),)
    left, *others = of(together) if of.name == "linalg.qr" else of(together, full_matrices=False)
    ends = np.cumsum([len(r) for r in triangles])[:-1]
    return np.split(left, ends), *others


def _left(x: da.Array, first: da.Array, second: da.Array, k: Any) -> da.Array:
    """Return the first factor of the whole: for each block, Q times its part of the first factor of the triangles."""
    number = da.arange(x.numblocks[0], chunks=1)
    number = da.Array(number.dask, number.name, (x.chunks[0],), meta=number._meta)  # as many blocks as x
    return call(
        _left_of_block, (0, 1), first, (0,), second, (), number, (0,), dtype=x.dtype, new_axes={1: k},
        align_arrays=False,
    )  # fmt: skip


def _left_of_block(first: tuple[Any, ...], second: tuple[Any, ...], number: np.ndarray) -> np.ndarray:
    result: np.ndarray = first[0] @ second[0][int(number[0])]
    return result


REFUSED.update(refused("linalg"))
