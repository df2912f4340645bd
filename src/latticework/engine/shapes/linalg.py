"""Shape families of products, linear algebra and Fourier transforms. See `shapes` for what a family is."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from .extents import (
    RULE_BROADCAST,
    Extent,
    Shape,
    all_or_some,
    as_int,
    broadcast_shapes,
    broadcasts,
    check_word,
    drop_axes,
    equal_extent,
    may_equal,
    min_of,
    need_axes,
    one_axis,
    replace_axis,
    sequence,
    shape_of,
)
from .subscripts import extents_of, read_subscripts

# --- products -----------------------------------------------------------------------------------------------------


def matmul(x1: Any, x2: Any, **_: Any) -> Shape:
    """Take the rows of x1 and the columns of x2, and broadcast the stacks of matrices."""
    a, b = shape_of(x1), shape_of(x2)
    if not a or not b:
        raise ValueError(f"needs arrays of one axis or more; got shapes {a} and {b}. Scale with lw.multiply")
    inner = b[-2:][0]
    if not may_equal(a[-1], inner):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: the last axis of x1 has {a[-1]} elements, "
            f"the {'only' if len(b) == 1 else 'last but one'} axis of x2 has {inner}"
        )
    return (*_stacks(a, b), *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _stacks(a: Shape, b: Shape) -> Shape:
    """Broadcast two stacks of matrices."""
    if not broadcasts(a[:-2], b[:-2]):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: the stacks {a[:-2]} and {b[:-2]} of matrices "
            f"have to be equal or 1 along each axis"
        )
    return broadcast_shapes(a[:-2], b[:-2])


def vecdot(x1: Any, x2: Any, *, axis: Any = -1, **_: Any) -> Shape:
    """Broadcast both and drop the axis of the vectors."""
    a, b = shape_of(x1), shape_of(x2)
    shape, at, _length = _vectors(a, b, axis)
    return drop_axes(shape, (at,))


def cross(x1: Any, x2: Any, *, axis: Any = -1, **_: Any) -> Shape:
    """Broadcast both and check that the vectors have three elements."""
    a, b = shape_of(x1), shape_of(x2)
    shape, at, length = _vectors(a, b, axis)
    if not may_equal(length, 3):
        raise ValueError(f"takes vectors of 3 elements; along axis {axis} {a} and {b} have {length}")
    return replace_axis(shape, at, 3)


def _vectors(a: Shape, b: Shape, axis: Any) -> tuple[Shape, int, Extent]:
    """Broadcast two arrays of vectors. Returns the shape, the axis of the vectors in it and their length."""
    axis = as_int(axis, "an axis is an int")
    if axis >= 0 and len(a) != len(b):
        raise ValueError(f"axis {axis} is ambiguous for shapes {a} and {b}. Count it from the end, as -1")
    for shape in (a, b):
        one_axis(axis, shape)
    if not may_equal(a[axis], b[axis]):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: along axis {axis} they have {a[axis]} and {b[axis]} "
            f"elements, which have to be as many"
        )
    joint = broadcast_shapes(a, b)
    return joint, axis % len(joint), equal_extent((a[axis], b[axis]))


def outer(x1: Any, x2: Any, **_: Any) -> Shape:
    """Combine the extents of two vectors."""
    a, b = shape_of(x1), shape_of(x2)
    if len(a) != 1 or len(b) != 1:
        raise ValueError(f"takes two vectors; got shapes {a} and {b}")
    return (*a, *b)


def tensordot(x1: Any, x2: Any, *, axes: Any = 2, **_: Any) -> Shape:
    """Combine the axes of both that are not summed over."""
    a, b = shape_of(x1), shape_of(x2)
    first, second = _summed_axes(a, b, axes)
    return (*drop_axes(a, first), *drop_axes(b, second))


def _summed_axes(a: Shape, b: Shape, axes: Any) -> tuple[Sequence[int], Sequence[int]]:
    first: Sequence[int]
    second: Sequence[int]
    shapes = f"arrays of shapes {a} and {b}"
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise ValueError(f"axes are an int or the axes of x1 and of x2; got {axes!r}")
        first, second = _different(axes[0], a, f", for {shapes}"), _different(axes[1], b, f", for {shapes}")
    else:
        count = as_int(axes, "axes are an int or the axes of x1 and of x2")
        if not 0 <= count <= min(len(a), len(b)):
            raise ValueError(f"cannot sum over {count} axes of {shapes}")
        first, second = range(len(a) - count, len(a)), range(count)
    if len(first) != len(second) or not all(may_equal(a[i], b[j]) for i, j in zip(first, second, strict=True)):
        raise ValueError(
            f"axes {tuple(first)} and {tuple(second)} of {shapes} do not fit together. "
            f"They have to be as many and equal in length, pair by pair"
        )
    return first, second


def _different(axes: Any, shape: Shape, where: str = "") -> tuple[int, ...]:
    """Count axes from the start and check that none comes twice."""
    found = tuple(one_axis(a, shape) for a in sequence(axes))
    if len({*found}) != len(found):
        raise ValueError(f"axes {sequence(axes)} name one axis twice{where}")
    return found


def einsum(operands: list[Any], *, subscripts: str, **_: Any) -> Shape:
    """Find the extent of each letter of the result."""
    shapes = [shape_of(x) for x in operands]
    terms, out = read_subscripts(subscripts, tuple([len(s) for s in shapes]))
    sizes = extents_of(subscripts, terms, shapes)
    return tuple(sizes[label] for label in out)


# --- matrices -----------------------------------------------------------------------------------------------------


def square(x: Shape, **_: Any) -> Shape:
    """Keep the shape of square matrices."""
    if len(x) < 2 or not may_equal(x[-1], x[-2]):
        raise ValueError(f"takes square matrices, along the last two axes; got shape {x}")
    m = equal_extent(x[-2:])
    return (*x[:-2], m, m)


def matrix_power(x: Shape, *, n: Any, **_: Any) -> Shape:
    """Keep the shape of square matrices, and check that n is an int."""
    as_int(n, "n is an int")
    return square(x)


def eigenvalues(x: Shape, **_: Any) -> Shape:
    """Return one eigenvalue for each row of a square matrix."""
    return square(x)[:-1]


def eigenvectors(x: Shape, **_: Any) -> list[Shape]:
    """Return the shapes of eigenvalues, and of vectors as columns."""
    return [square(x)[:-1], square(x)]


def det(x: Shape, **_: Any) -> Shape:
    """Return one number for each square matrix."""
    return square(x)[:-2]


def slogdet(x: Shape, **_: Any) -> list[Shape]:
    """Return the shapes of a sign and a logarithm for each square matrix."""
    return [square(x)[:-2]] * 2


def solve(x1: Any, x2: Any, **_: Any) -> Shape:
    """Solve for one vector with each matrix where x2 has one axis, else for the columns of x2."""
    a, b = square(shape_of(x1)), shape_of(x2)
    if not b or not may_equal(b[-2:][0], a[-1]):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: x2 is a vector of {a[-1]} elements or has "
            f"matrices of {a[-1]} rows"
        )
    rows = equal_extent((a[-1], b[-2:][0]))
    return (*a[:-2], rows) if len(b) == 1 else (*_stacks(a, b), rows, b[-1])


def qr(x: Shape, *, mode: Any = "reduced", **_: Any) -> list[Shape]:
    """Return the shapes of orthonormal columns and an upper triangle."""
    need_axes(x)
    check_word(("reduced", "complete"), "mode", mode)
    *rest, m, n = x
    k = m if mode == "complete" else min_of(m, n)
    return [(*rest, m, k), (*rest, k, n)]


def svd(x: Shape, *, full_matrices: bool = True, **_: Any) -> list[Shape]:
    """Return the shapes of orthonormal columns, singular values and orthonormal rows."""
    need_axes(x)
    *rest, m, n = x
    k = min_of(m, n)
    return [(*rest, m, m if full_matrices else k), (*rest, k), (*rest, n if full_matrices else k, n)]


def svdvals(x: Shape, **_: Any) -> Shape:
    """Return as many values for each matrix as it has rows or columns, whichever are fewer."""
    need_axes(x)
    return (*x[:-2], min_of(*x[-2:]))


def matrix_rank(x: Shape, *, rtol: Any = None, **_: Any) -> Shape:
    """Return one number for each matrix of a stack, which broadcasts with the tolerances."""
    need_axes(x)
    tolerances = shape_of(rtol)
    if not broadcasts(tolerances, x[:-2]):
        stack = f"the stack {x[:-2]} of matrices"
        raise ValueError(f"rtol of shape {tolerances} does not fit {stack}. {RULE_BROADCAST}")
    return broadcast_shapes(tolerances, x[:-2])


def pinv(x: Shape, *, rtol: Any = None, **_: Any) -> Shape:
    """Exchange columns and rows in a stack, which broadcasts with the tolerances."""
    return (*matrix_rank(x, rtol=rtol), x[-1], x[-2])


def diagonal(x: Shape, *, offset: Any = 0, **_: Any) -> Shape:
    """Replace each matrix by a diagonal, which has no elements if it lies outside."""
    need_axes(x)
    k = as_int(offset, "an offset is an int")
    rows, columns = _less(x[-2], max(-k, 0)), _less(x[-1], max(k, 0))
    return (*x[:-2], min_of(rows, columns))


def _less(n: Extent, k: int) -> Extent:
    return None if n is None else max(n - k, 0)


def trace(x: Shape, *, offset: Any = 0, **_: Any) -> Shape:
    """Return one number for each matrix."""
    return diagonal(x, offset=offset)[:-1]


# --- norms --------------------------------------------------------------------------------------------------------


def vector_norm(x: Shape, *, axis: Any = None, keepdims: bool = False, ord: Any = 2, **_: Any) -> Shape:  # noqa: A002
    """Reduce the axes of the vectors."""
    axes = all_or_some(axis, x)
    if not hasattr(ord, "__float__"):
        way_out = f". Of matrices: lw.linalg.matrix_norm(x, ord={ord!r})" if isinstance(ord, str) else ""
        raise TypeError(f"ord is a number, inf or -inf; got {ord!r}{way_out}")
    if (ord < 0 or ord == inf) and any(x[a] == 0 for a in axes):
        raise ValueError(f"there is no norm of order {ord} of no elements; got shape {x}")
    return drop_axes(x, axes, keepdims)


_NORMS_OF_MATRICES = (None, "fro", "nuc", 1, -1, 2, -2, inf, -inf)


def matrix_norm(x: Shape, *, keepdims: bool = False, ord: Any = "fro", **_: Any) -> Shape:  # noqa: A002
    """Return one number for each matrix."""
    need_axes(x)
    if ord not in _NORMS_OF_MATRICES:
        raise ValueError(f"ord is one of 'fro', 'nuc', 1, -1, 2, -2, inf, -inf; got {ord!r}")
    values: dict[Any, Extent] = {-1: x[-1], -2: min_of(*x[-2:]), -inf: x[-2]}
    if values.get(ord) == 0:
        raise ValueError(f"there is no norm of order {ord} of no elements; got shape {x}")
    return drop_axes(x, (len(x) - 2, len(x) - 1), keepdims)


# --- Fourier transforms -------------------------------------------------------------------------------------------

_NORMS = ("backward", "ortho", "forward")


def _half(n: Extent) -> Extent:
    """Return how many elements determine the others in the transform of n real ones."""
    return None if n is None else n // 2 + 1


def _whole(m: Extent) -> Extent:
    """Return how many elements m of them determine, if the number is even."""
    return None if m is None else 2 * (m - 1)


def _transformed(x: Shape, axis: Any, n: Any, default: Extent) -> Extent:
    """Return the requested number of elements along an axis, or the default one."""
    length = default if n is None else as_int(n, "a number of elements is an int")
    if length is not None and length < 1:
        raise ValueError(f"needs 1 element or more; got {length} along axis {axis} of shape {x}")
    return length


def _norm(norm: Any) -> None:
    if norm not in _NORMS:
        raise ValueError(f"norm is one of {', '.join(map(repr, _NORMS))}; got {norm!r}")


def fft(x: Shape, *, n: Any = None, axis: Any = -1, norm: Any = "backward", **_: Any) -> Shape:
    """Transform n elements along the axis, by default all."""
    _norm(norm)
    a = one_axis(axis, x)
    return replace_axis(x, a, _transformed(x, axis, n, x[a]))


def rfft(x: Shape, *, n: Any = None, axis: Any = -1, norm: Any = "backward", **_: Any) -> Shape:
    """Transform n real elements: half of the result determines the other half."""
    shape = fft(x, n=n, axis=axis, norm=norm)
    a = one_axis(axis, x)
    return replace_axis(shape, a, _half(shape[a]))


def irfft(x: Shape, *, n: Any = None, axis: Any = -1, norm: Any = "backward", **_: Any) -> Shape:
    """Transform the half that determines the other to n real elements."""
    _norm(norm)
    a = one_axis(axis, x)
    return replace_axis(x, a, _transformed(x, axis, n, _whole(x[a])))


def fftn(x: Shape, *, s: Any = None, axes: Any = None, norm: Any = "backward", **_: Any) -> Shape:
    """Transform s elements along the axes, by default all."""
    return _along(x, _axes(x, s, axes, norm), s, whole_last=False)


def rfftn(x: Shape, *, s: Any = None, axes: Any = None, norm: Any = "backward", **_: Any) -> Shape:
    """Transform as `fftn`, and as `rfft` along the last of the axes."""
    along = _one_or_more(x, _axes(x, s, axes, norm))
    shape = _along(x, along, s, whole_last=False)
    return replace_axis(shape, along[-1], _half(shape[along[-1]]))


def irfftn(x: Shape, *, s: Any = None, axes: Any = None, norm: Any = "backward", **_: Any) -> Shape:
    """Transform as `fftn`, and as `irfft` along the last of the axes."""
    return _along(x, _one_or_more(x, _axes(x, s, axes, norm)), s, whole_last=True)


def _axes(x: Shape, s: Any, axes: Any, norm: Any) -> tuple[int, ...]:
    _norm(norm)
    if s is not None and (axes is None or len(sequence(s)) != len(sequence(axes))):
        raise ValueError(f"s needs as many axes, each given; got s={sequence(s)} and axes={axes!r}")
    return tuple(range(len(x))) if axes is None else _different(axes, x)


def _one_or_more(x: Shape, axes: tuple[int, ...]) -> tuple[int, ...]:
    if not axes:
        raise ValueError(f"there is no axis to transform along; got shape {x}")
    return axes


def _along(x: Shape, axes: tuple[int, ...], s: Any, *, whole_last: bool) -> Shape:
    shape, lengths = x, None if s is None else sequence(s)
    for i, a in enumerate(axes):
        default = _whole(x[a]) if whole_last and i == len(axes) - 1 else x[a]
        n = None if lengths is None or lengths[i] == -1 else lengths[i]
        shape = replace_axis(shape, a, _transformed(x, a, n, default))
    return shape


#: The families of this module, for `shapes.FAMILIES`.
FAMILIES = (
    matmul, vecdot, cross, outer, tensordot, einsum, square, matrix_power, eigenvalues, eigenvectors, det,
    slogdet, solve, qr, svd, svdvals, matrix_rank, pinv, diagonal, trace, vector_norm, matrix_norm, fft, rfft,
    irfft, fftn, rfftn, irfftn,
)  # fmt: skip
