"""Einstein sums, composed of matrix products."""

from __future__ import annotations

from math import prod
from typing import Any, Never

from ..core.registry import functions as lw
from ..engine.arrays.array import Array
from ..engine.declare import composed, op
from ..engine.exchange.output import written
from ..engine.plans.advice import unexpected
from ..engine.shapes.subscripts import Steps, contract, extents_of, in_letters
from .conversion import asarray
from .data_types import result_type
from .linear_algebra import extents
from .manipulation import permute_dims, reshape
from .numpy_names import _taken


@composed
def einsum(
    subscripts: str, /, *operands: Array | complex, optimize: Any = True, out: Array | None = None, **unknown: Never
) -> Array:
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
    if unknown:
        raise unexpected("einsum", unknown)
    if not operands:
        raise ValueError("einsum: takes at least one operand")
    checked = [x if isinstance(x, (int, float, complex)) else _taken("einsum", x) for x in operands]
    arrays = [x for x in checked if isinstance(x, Array)]
    if len(arrays) < len(checked):
        dtype, device = result_type(*checked), arrays[0].device if arrays else None
        arrays = [x if isinstance(x, Array) else asarray(x, dtype=dtype, device=device) for x in checked]
    try:
        letters = in_letters(subscripts, tuple([x.ndim for x in arrays]))
    except ValueError as error:
        raise ValueError(f"einsum: {error}") from None
    result = _einsum(*arrays, subscripts=letters)
    return result if out is None else written("einsum", result, out)


@op("numeric", shape="einsum")
def _einsum(*operands: Array, subscripts: str) -> Array:
    """`einsum` with a letter for every axis of every operand and of the result."""
    if len(operands) > 1:
        for x in operands:
            extents("einsum", x)
    try:
        sizes = extents_of(subscripts, subscripts.partition("->")[0].split(","), [x.shape for x in operands])
    except ValueError as error:
        raise ValueError(f"einsum: {error}") from None
    steps = Steps(lw.squeeze, _diagonal, _total, _product, permute_dims)
    result: Array = contract(subscripts, operands, sizes, steps)
    return result


def _diagonal(x: Array, i: int, j: int) -> Array:
    return lw.linalg.diagonal(lw.moveaxis(x, (i, j), (-2, -1)))


def _total(x: Array, axes: tuple[int, ...]) -> Array:
    return lw.sum(x, axis=axes, dtype=x.dtype)


def _product(first: Any, second: Any, keep: set[Any], sizes: Any) -> tuple[tuple[Any, ...], Array]:
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


@composed
def einsum_path(subscripts: str, /, *operands: Array, optimize: Any = "greedy") -> tuple[list[Any], str]:
    """Find in which order NumPy would multiply the operands of an Einstein sum.

    Parameters
    ----------
    subscripts: as for `einsum`.
    operands: arrays of any backend, of which the shapes alone are looked at.
    optimize: ``"greedy"``, ``"optimal"``, True, False, or a pair of one of these names and the most elements that an
        intermediate result may have: as for `numpy.einsum_path`.

    Returns
    -------
    The path, as NumPy's: ``"einsum_path"`` and for each step the operands that are multiplied. And a text that
    describes it. `einsum` finds its own order, and takes no path.

    Raises
    ------
    ValueError: letters and shapes that do not fit.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.einsum_path("ij,jk,kl->il", lw.zeros((2, 9)), lw.zeros((9, 9)), lw.zeros((9, 3)))[0]
    ['einsum_path', (0, 1), (0, 1)]
    """
    import numpy as np

    shapes = [extents("einsum_path", _taken("einsum_path", x)) for x in operands]
    blanks = [np.broadcast_to(np.zeros(()), shape) for shape in shapes]
    path, text = np.einsum_path(subscripts, *blanks, optimize=optimize)
    return path, text
