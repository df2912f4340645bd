"""Einstein sums on Dask: of two operands at a time, and of these a block with a block, like `matmul`."""

from __future__ import annotations

from typing import Any

import dask.array as da

from ...engine.shapes.subscripts import Steps, contract, extents_of
from .blocks import kernel
from .core import shape_of
from .linalg import diagonal
from .linear_algebra import _terms, contracted
from .statistical import sum as _sum

#: Letters, and an array with an axis for each letter.
Term = tuple[tuple[str, ...], da.Array]


def _einsum(operands: list[da.Array], *, subscripts: str) -> da.Array:
    sizes = extents_of(subscripts, subscripts.partition("->")[0].split(","), [*map(shape_of, operands)])
    return contract(subscripts, operands, sizes, Steps(_squeeze, _diagonal, _total, _product, da.transpose))


def _squeeze(x: da.Array, axes: tuple[int, ...]) -> da.Array:
    return x[tuple([0 if i in axes else slice(None) for i in range(x.ndim)])]


def _diagonal(x: da.Array, i: int, j: int) -> da.Array:
    return diagonal(da.moveaxis(x, (i, j), (-2, -1)))


def _total(x: da.Array, axes: tuple[int, ...]) -> da.Array:
    return _sum(x, axis=axes, dtype=x.dtype)


def _product(first: Term, second: Term, keep: set[Any], sizes: Any) -> Term:
    """Multiply two terms, and sum over the axes that are in both and not kept."""
    (a, x), (b, y) = first, second
    both = [c for c in a if c in b]
    batch, inner = [c for c in both if c in keep], [c for c in both if c not in keep]
    rows, columns = [c for c in a if c not in b], [c for c in b if c not in a]
    names = (*batch, *rows, *columns)
    result = contracted(
        _terms, kernel("matmul", x), tuple(map(ord, names)), [*map(ord, inner)], x, tuple(map(ord, a)), y,
        tuple(map(ord, b)), first=tuple([a.index(c) for c in (*batch, *rows, *inner)]),
        second=tuple([b.index(c) for c in (*batch, *inner, *columns)]), widths=(len(batch), len(rows), len(inner)),
    )  # fmt: skip
    return names, result
