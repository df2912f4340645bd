"""Linear algebra of the main namespace on Dask: products of blocks, which are then added up, in a tree.

Products of float16 and bfloat16 are in float32 until they are added up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from ...api.linear_algebra import _pairs
from ...core.registry import OPS
from ...engine.shapes.families import result_shapes
from .blocks import Kernel, accumulator, call, is_known, kernel, with_axes
from .core import shape_of
from .statistical import sum as _sum


def check(name: str, *operands: da.Array, **options: Any) -> None:
    """Raise the error for wrong arguments that frameworks raise when they compute at once."""
    if all(map(is_known, operands)):
        result_shapes(OPS[name], operands, (), options)


def matrix_transpose(x: da.Array) -> da.Array:
    check("matrix_transpose", x)
    return x.swapaxes(-1, -2)


def matmul(x1: da.Array, x2: da.Array) -> da.Array:
    if not (x1.ndim == x2.ndim == 2 and x1.shape[1] == x2.shape[0]):  # else two matrices that fit, as nearly always
        check("matmul", x1, x2)
    a = x1 if x1.ndim > 1 else x1[None, :]
    b = x2 if x2.ndim > 1 else x2[:, None]
    stack = max(a.ndim, b.ndim) - 2
    front = tuple(range(stack))
    m, k, n = stack, stack + 1, stack + 2
    result = contracted(
        _products, kernel("matmul", x1), (*front, m, n), [k], a, (*front[stack - a.ndim + 2 :], m, k), b,
        (*front[stack - b.ndim + 2 :], k, n),
    )  # fmt: skip
    if x1.ndim == 1:
        result = result[..., 0, :]
    return result if x2.ndim > 1 else result[..., 0]


def vecdot(x1: da.Array, x2: da.Array, *, axis: int = -1) -> da.Array:
    check("vecdot", x1, x2, axis=axis)
    x1, x2 = da.moveaxis(x1, axis, -1), da.moveaxis(x2, axis, -1)
    ndim = max(x1.ndim, x2.ndim)
    return contracted(
        _vectors, kernel("vecdot", x1), tuple(range(ndim - 1)), [ndim - 1], x1, tuple(range(ndim - x1.ndim, ndim)), x2,
        tuple(range(ndim - x2.ndim, ndim)),
    )  # fmt: skip


def tensordot(x1: da.Array, x2: da.Array, *, axes: Any = 2) -> da.Array:
    """Contract block by block. The composition would rechunk the axes to reshape them."""
    first, second = _pairs(shape_of(x1), shape_of(x2), axes)
    mine = tuple(range(x1.ndim))
    others = [x1.ndim + i for i in range(x2.ndim)]
    for i, j in zip(first, second, strict=True):
        others[j] = i
    out = (*(i for i in mine if i not in first), *(i for i in others if i >= x1.ndim))
    return contracted(
        _tensors, kernel("matmul", x1), out, first, x1, mine, x2, tuple(others), axes=(tuple(first), tuple(second))
    )


def contracted(
    product: Callable[..., Any],
    of: Kernel,
    out: tuple[int, ...],
    over: Sequence[int],
    x1: da.Array,
    axes1: tuple[int, ...],
    x2: da.Array,
    axes2: tuple[int, ...],
    **options: Any,
) -> da.Array:
    """Call `product` with each pair of blocks and `of`, and sum along the axes `over` where they have several blocks.
    These blocks are multiplied in the dtype of the sum."""
    dtype = x1.dtype
    chunks = {i: n for x, axes in ((x1, axes1), (x2, axes2)) for i, n in zip(axes, x.numblocks, strict=True)}
    single = all(chunks[i] == 1 for i in over)
    work = dtype if single else accumulator(dtype)
    function = partial(product, of=of, to=work, **options)
    if single:
        return call(function, out, x1, axes1, x2, axes2, dtype=dtype, concatenate=True)
    function = partial(with_axes, function=function, n=len(over))
    result = call(
        function, (*over, *out), x1, axes1, x2, axes2, dtype=work, adjust_chunks=dict.fromkeys(over, lambda n: 1)
    )
    return _sum(result, axis=tuple(range(len(over))), dtype=dtype)


def _to(blocks: Sequence[np.ndarray], to: np.dtype) -> Sequence[np.ndarray]:
    return [b.astype(to, copy=False) for b in blocks]


def _products(a: np.ndarray, b: np.ndarray, of: Kernel, to: np.dtype) -> Any:
    return np.matmul(*_to((a, b), to)) if to != a.dtype else of(a, b)


def _vectors(a: np.ndarray, b: np.ndarray, of: Kernel, to: np.dtype) -> Any:
    return np.vecdot(*_to((a, b), to)) if to != a.dtype else of(a, b)


def _tensors(a: np.ndarray, b: np.ndarray, of: Kernel, to: np.dtype, axes: Any) -> Any:
    first, second = axes
    rows = [i for i in range(a.ndim) if i not in first]
    columns = [i for i in range(b.ndim) if i not in second]
    shape = (*(a.shape[i] for i in rows), *(b.shape[i] for i in columns))
    k = int(np.prod([a.shape[i] for i in first], dtype=int))
    left = a.transpose([*rows, *first]).reshape(int(np.prod(shape[: len(rows)], dtype=int)), k)
    right = b.transpose([*second, *columns]).reshape(k, int(np.prod(shape[len(rows) :], dtype=int)))
    return np.asarray(_products(left, right, of, to)).reshape(shape)


def _terms(
    a: np.ndarray,
    b: np.ndarray,
    of: Kernel,
    to: np.dtype,
    first: tuple[int, ...],
    second: tuple[int, ...],
    widths: tuple[int, int, int],
) -> Any:
    """Multiply two blocks for an Einstein sum. `first` and `second` order the axes: those of both that stay, those of a
    alone, those that are summed over, and last those of b alone. `widths` are the numbers of the first three."""
    a, b = a.transpose(first), b.transpose(second)
    batch, rows = widths[0], widths[0] + widths[1]
    stack, inner, columns = a.shape[:batch], a.shape[rows:], b.shape[batch + widths[2] :]
    shape = (*a.shape[:rows], *columns)
    m, k, n = map(math.prod, (a.shape[batch:rows], inner, columns))
    if not inner:
        return np.multiply(a.reshape(*stack, m, 1), b.reshape(*stack, 1, n)).reshape(shape)
    front = (math.prod(stack),) if stack else ()
    return np.asarray(_products(a.reshape(*front, m, k), b.reshape(*front, k, n), of, to)).reshape(shape)
