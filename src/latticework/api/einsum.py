"""Einstein sums: the subscripts read, the cheapest order of products found, and the products made two by two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from string import ascii_letters
from typing import Any

from ..core.registry import functions as lw
from ..engine.array import Array
from ..engine.declare import composed, op
from ..engine.output import written
from .conversion import asarray
from .data_types import result_type
from .linear_algebra import extents
from .manipulation import permute_dims, reshape
from .numpy_names import _taken


@composed
def einsum(subscripts: str, /, *operands: Array | complex, optimize: Any = True, out: Array | None = None) -> Array:
    """Sums of products, written in letters for axes.

    Parameters
    ----------
    subscripts: for each operand a letter for each axis, with commas between the operands; then ``->`` and the
        letters of the result. Axes of one letter go together, and a letter that the result lacks is summed over.
        Without ``->`` the result has the letters that occur once, in the order of the alphabet. Three dots stand
        for all other axes, which broadcast.
    operands: numeric dtypes; Python scalars have no letters.
    optimize: taken for NumPy's sake: in which order several operands are multiplied is found out anyway.

    Returns
    -------
    The common dtype of the operands. Integers of every width are computed exactly and wrap around.

    Raises
    ------
    ValueError: letters and shapes that do not fit.
    TypeError: bool operands.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1, 2], [3, 4]])
    >>> lw.einsum("ij,jk->ik", x, x)
    Array([[ 7, 10],
           [15, 22]], dtype=int32)
    >>> lw.einsum("ii", x)
    Array(5, dtype=int32)
    """
    if not operands:
        raise ValueError("einsum: takes at least one operand")
    checked = [x if isinstance(x, (int, float, complex)) else _taken("einsum", x) for x in operands]
    arrays = [x for x in checked if isinstance(x, Array)]
    if len(arrays) < len(checked):
        dtype, device = result_type(*checked), arrays[0].device if arrays else None
        arrays = [x if isinstance(x, Array) else asarray(x, dtype=dtype, device=device) for x in checked]
    result = _einsum(*arrays, subscripts=_in_letters(subscripts, tuple([x.ndim for x in arrays])))
    return result if out is None else written("einsum", result, out)


@op("numeric", shape="einsum")
def _einsum(*operands: Array, subscripts: str) -> Array:
    """`einsum` with a letter for every axis of every operand and of the result."""
    left, _, out = subscripts.partition("->")
    letters = left.split(",")
    if len(operands) > 1:
        for x in operands:
            extents("einsum", x)
    sizes = _sizes(subscripts, letters, operands)
    terms = [_diagonals(tuple(names), x, sizes) for names, x in zip(letters, operands, strict=True)]
    counts = Counter([c for names, _ in terms for c in names])
    counts.update(out)
    terms = [_summed(names, x, {c for c in names if counts[c] > 1}) for names, x in terms]
    while len(terms) > 1:
        i, j = _cheapest([names for names, _ in terms], out, sizes)
        second, first = terms.pop(j), terms.pop(i)
        terms.append(_product(first, second, {*out, *[c for names, _ in terms for c in names]}, sizes))
    names, x = _summed(*terms[0], {*out})
    return permute_dims(x, tuple([names.index(c) for c in out]))


Names = tuple[str, ...]
Term = tuple[Names, Array]


@lru_cache(maxsize=1024)
def _in_letters(subscripts: str, ndims: tuple[int, ...]) -> str:
    """The subscripts with an arrow, without spaces, and with letters of their own for axes that dots stand for."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(ndims):
        raise ValueError(f"einsum: {subscripts!r} is for {len(parts)} operands; got {len(ndims)}")
    free = [c for c in ascii_letters if c not in text]
    names = [_names(subscripts, part, ndim, free) for part, ndim in zip(parts, ndims, strict=True)]
    dots = max((n for n, _ in names), default=0)
    ellipsis_letters = "".join(free[:dots][::-1])
    once = Counter("".join(part for _, part in names))
    if arrow:
        out = right.replace("...", ellipsis_letters, 1)
        if (out and not out.isalpha()) or len({*out}) != len(out):
            raise ValueError(f"einsum: {right!r} is no result, in {subscripts!r}: it has each letter once")
        if missing := [c for c in out if c not in once]:
            raise ValueError(f"einsum: {missing[0]!r} is in the result of {subscripts!r} but in no operand")
    else:
        out = ellipsis_letters + "".join(sorted(c for c, n in once.items() if n == 1 and c not in ellipsis_letters))
    return f"{','.join(part for _, part in names)}->{out}"


def _names(subscripts: str, part: str, ndim: int, free: list[str]) -> tuple[int, str]:
    """How many axes the dots of one operand stand for, and its letters. The last of these axes has the first letter."""
    before, ellipsis, after = part.partition("...")
    if before + after and not (before + after).isalpha():
        raise ValueError(f"einsum: {part!r} in {subscripts!r}: an axis is a letter, and there are three dots or none")
    rest = ndim - len(before) - len(after)
    if rest < 0 or (rest and not ellipsis):
        raise ValueError(f"einsum: {part!r} in {subscripts!r} is for an operand of {ndim} axes")
    return rest, before + "".join(free[:rest][::-1]) + after


def _sizes(subscripts: str, letters: Sequence[str], arrays: Sequence[Array]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for names, x in zip(letters, arrays, strict=True):
        own: dict[str, int] = {}  # within one operand, an extent of 1 stands for no other
        for c, n in zip(names, x.shape, strict=True):
            if own.setdefault(c, n) != n or (sizes.get(c, 1) not in (1, n) and n != 1):
                shapes = ", ".join(str(x.shape) for x in arrays)
                found = own[c] if own[c] != n else sizes[c]
                raise ValueError(f"einsum: {c!r} in {subscripts!r} is {found} and {n}, for shapes {shapes}")
            sizes[c] = n if sizes.get(c, 1) == 1 else sizes[c]
    return sizes


def _diagonals(names: Names, x: Array, sizes: dict[str, int]) -> Term:
    """One axis for each name, and none of extent 1 that stands for more."""
    stretched = tuple(i for i, c in enumerate(names) if x.shape[i] == 1 and sizes[c] != 1)
    if stretched:
        x, names = lw.squeeze(x, stretched), tuple([c for i, c in enumerate(names) if i not in stretched])
    while repeated := [c for c in names if names.count(c) > 1]:
        c = repeated[0]
        i = names.index(c)
        j = names.index(c, i + 1)
        x = lw.linalg.diagonal(lw.moveaxis(x, (i, j), (-2, -1)))
        names = (*[d for k, d in enumerate(names) if k not in (i, j)], c)
    return names, x


def _summed(names: Names, x: Array, keep: set[str]) -> Term:
    axes = tuple(i for i, c in enumerate(names) if c not in keep)
    return (tuple([c for c in names if c in keep]), lw.sum(x, axis=axes, dtype=x.dtype)) if axes else (names, x)


def _cheapest(terms: list[Names], out: str, sizes: dict[str, int]) -> tuple[int, int]:
    """Which two terms to multiply first: those whose product is smallest, compared with themselves."""

    def growth(pair: tuple[int, int]) -> int:
        rest = {c for i, names in enumerate(terms) if i not in pair for c in names} | {*out}
        a, b = ({*terms[i]} for i in pair)
        return sum(k * prod(sizes[c] for c in part) for k, part in ((1, (a | b) & rest), (-1, a), (-1, b)))

    return min(((i, j) for j in range(len(terms)) for i in range(j)), key=growth)


def _product(first: Term, second: Term, keep: set[str], sizes: dict[str, int]) -> Term:
    """The product of two terms, summed over the axes that are in both and not kept: as a matrix product."""
    (a, x), (b, y) = first, second
    both = [c for c in a if c in b]
    batch, inner = [c for c in both if c in keep], [c for c in both if c not in keep]
    rows, columns = [c for c in a if c not in b], [c for c in b if c not in a]
    x = permute_dims(x, tuple([a.index(c) for c in (*batch, *rows, *inner)]))
    y = permute_dims(y, tuple([b.index(c) for c in (*batch, *inner, *columns)]))
    names = (*batch, *rows, *columns)
    if not inner:
        y = reshape(y, (*y.shape[: len(batch)], *(1 for _ in rows), *y.shape[len(batch) :]))
        x = reshape(x, (*x.shape, *(1 for _ in columns)))
        return names, x * y
    m, k, n = (prod(sizes[c] for c in part) for part in (rows, inner, columns))
    stack = (prod(sizes[c] for c in batch),) if batch else ()
    product = lw.matmul(reshape(x, (*stack, m, k)), reshape(y, (*stack, k, n)))
    return names, reshape(product, tuple([sizes[c] for c in names]))
