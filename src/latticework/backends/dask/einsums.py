"""Einstein sums on Dask: of two operands at a time, and of these one block with one, as `matmul` does it."""

from __future__ import annotations

from collections import Counter

import dask.array as da

from ...api.einsum import _cheapest, _sizes
from .blocks import is_known, kernel
from .linalg import diagonal
from .linear_algebra import _terms, contracted
from .statistical import sum as _sum

Names = tuple[str, ...]


def _einsum(operands: list[da.Array], *, subscripts: str) -> da.Array:
    left, _, out = subscripts.partition("->")
    letters = left.split(",")
    if all(map(is_known, operands)):
        sizes = _sizes(subscripts, letters, operands)  # raises what is wrong with them
    else:
        sizes = {c: n for names, x in zip(letters, operands, strict=True) for c, n in zip(names, x.shape, strict=True)}
    terms = [_diagonals(tuple(names), x, sizes) for names, x in zip(letters, operands, strict=True)]
    counts = Counter([c for names, _ in terms for c in names])
    counts.update(out)
    terms = [_summed(names, x, {c for c in names if counts[c] > 1}) for names, x in terms]
    while len(terms) > 1:
        i, j = _cheapest([names for names, _ in terms], out, sizes)
        second, first = terms.pop(j), terms.pop(i)
        terms.append(_product(*first, *second, {*out, *[c for names, _ in terms for c in names]}))
    names, x = _summed(*terms[0], {*out})
    return da.transpose(x, [names.index(c) for c in out])


def _diagonals(names: Names, x: da.Array, sizes: dict[str, int]) -> tuple[Names, da.Array]:
    """One axis for each name, and none of extent 1 that stands for more."""
    stretched = [i for i, c in enumerate(names) if x.shape[i] == 1 and sizes[c] != 1]
    if stretched:
        x = x[tuple([0 if i in stretched else slice(None) for i in range(x.ndim)])]
        names = tuple([c for i, c in enumerate(names) if i not in stretched])
    while repeated := [c for c in names if names.count(c) > 1]:
        c = repeated[0]
        i = names.index(c)
        j = names.index(c, i + 1)
        x = diagonal(da.moveaxis(x, (i, j), (-2, -1)))
        names = (*[d for k, d in enumerate(names) if k not in (i, j)], c)
    return names, x


def _summed(names: Names, x: da.Array, keep: set[str]) -> tuple[Names, da.Array]:
    axes = tuple(i for i, c in enumerate(names) if c not in keep)
    return (tuple([c for c in names if c in keep]), _sum(x, axis=axes, dtype=x.dtype)) if axes else (names, x)


def _product(a: Names, x: da.Array, b: Names, y: da.Array, keep: set[str]) -> tuple[Names, da.Array]:
    """The product of two terms, summed over the axes that are in both and not kept."""
    both = [c for c in a if c in b]
    batch, inner = [c for c in both if c in keep], [c for c in both if c not in keep]
    rows, columns = [c for c in a if c not in b], [c for c in b if c not in a]
    names = (*batch, *rows, *columns)
    first = tuple([a.index(c) for c in (*batch, *rows, *inner)])
    second = tuple([b.index(c) for c in (*batch, *inner, *columns)])
    result = contracted(
        _terms, kernel("matmul", x), tuple(map(ord, names)), [*map(ord, inner)], x, tuple(map(ord, a)), y,
        tuple(map(ord, b)), first=first, second=second, widths=(len(batch), len(rows), len(inner)),
    )  # fmt: skip
    return names, result
