"""Shape families of products, linear algebra and Fourier transforms. See `shapes` for what a family is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf
from string import ascii_letters
from typing import Any

from .extents import (
    RULE_BROADCAST,
    Extent,
    MisfitError,
    Shape,
    agree,
    all_or_some,
    broadcast_shapes,
    broadcasts,
    least,
    matched,
    need_axes,
    one_axis,
    one_of,
    replaced,
    sequence,
    shape_of,
    stretched,
    whole,
    without,
)

# --- products -----------------------------------------------------------------------------------------------------


def matmul(x1: Any, x2: Any, **_: Any) -> Shape:
    """The rows of x1 and the columns of x2, of each pair of matrices in two stacks that broadcast."""
    a, b = shape_of(x1), shape_of(x2)
    if not a or not b:
        raise ValueError(f"needs arrays of one axis or more; got shapes {a} and {b}. Scale with lw.multiply")
    inner = b[-2:][0]
    if not agree(a[-1], inner):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: the last axis of x1 has {a[-1]} elements, "
            f"the {'only' if len(b) == 1 else 'last but one'} axis of x2 has {inner}"
        )
    return (*_stacks(a, b), *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _stacks(a: Shape, b: Shape) -> Shape:
    """The shape that two stacks of matrices broadcast to."""
    if not broadcasts(a[:-2], b[:-2]):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: the stacks {a[:-2]} and {b[:-2]} of matrices "
            f"have to be equal or 1 along each axis"
        )
    return broadcast_shapes(a[:-2], b[:-2])


def vecdot(x1: Any, x2: Any, *, axis: Any = -1, **_: Any) -> Shape:
    """The shape that both broadcast to, without the axis of the vectors."""
    a, b = shape_of(x1), shape_of(x2)
    shape, at, _length = _vectors(a, b, axis)
    return without(shape, (at,))


def cross(x1: Any, x2: Any, *, axis: Any = -1, **_: Any) -> Shape:
    """The shape that both broadcast to, with vectors of three elements."""
    a, b = shape_of(x1), shape_of(x2)
    shape, at, length = _vectors(a, b, axis)
    if not agree(length, 3):
        raise ValueError(f"takes vectors of 3 elements; along axis {axis} {a} and {b} have {length}")
    return replaced(shape, at, 3)


def _vectors(a: Shape, b: Shape, axis: Any) -> tuple[Shape, int, Extent]:
    """The shape that two arrays of vectors broadcast to, the axis of the vectors in it and their length."""
    axis = whole(axis, "an axis is an int")
    if axis >= 0 and len(a) != len(b):
        raise ValueError(f"axis {axis} is ambiguous for shapes {a} and {b}. Count it from the end, as -1")
    for shape in (a, b):
        one_axis(axis, shape)
    if not agree(a[axis], b[axis]):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: along axis {axis} they have {a[axis]} and {b[axis]} "
            f"elements, which have to be as many"
        )
    joint = broadcast_shapes(a, b)
    return joint, axis % len(joint), matched((a[axis], b[axis]))


def outer(x1: Any, x2: Any, **_: Any) -> Shape:
    """The extents of two vectors."""
    a, b = shape_of(x1), shape_of(x2)
    if len(a) != 1 or len(b) != 1:
        raise ValueError(f"takes two vectors; got shapes {a} and {b}")
    return (*a, *b)


def tensordot(x1: Any, x2: Any, *, axes: Any = 2, **_: Any) -> Shape:
    """The axes of both that are not summed over."""
    a, b = shape_of(x1), shape_of(x2)
    first, second = _summed_axes(a, b, axes)
    return (*without(a, first), *without(b, second))


def _summed_axes(a: Shape, b: Shape, axes: Any) -> tuple[Sequence[int], Sequence[int]]:
    first: Sequence[int]
    second: Sequence[int]
    shapes = f"arrays of shapes {a} and {b}"
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise ValueError(f"axes are an int or the axes of x1 and of x2; got {axes!r}")
        first, second = _different(axes[0], a, f", for {shapes}"), _different(axes[1], b, f", for {shapes}")
    else:
        count = whole(axes, "axes are an int or the axes of x1 and of x2")
        if not 0 <= count <= min(len(a), len(b)):
            raise ValueError(f"cannot sum over {count} axes of {shapes}")
        first, second = range(len(a) - count, len(a)), range(count)
    if len(first) != len(second) or not all(agree(a[i], b[j]) for i, j in zip(first, second, strict=True)):
        raise ValueError(
            f"axes {tuple(first)} and {tuple(second)} of {shapes} do not fit together. "
            f"They have to be as many and equal in length, pair by pair"
        )
    return first, second


def _different(axes: Any, shape: Shape, where: str = "") -> tuple[int, ...]:
    """Axes counted from the start, each once."""
    found = tuple(one_axis(a, shape) for a in sequence(axes))
    if len({*found}) != len(found):
        raise ValueError(f"axes {sequence(axes)} name one axis twice{where}")
    return found


def einsum(operands: list[Any], *, subscripts: str, **_: Any) -> Shape:
    """The extents of the letters of the result."""
    shapes = [shape_of(x) for x in operands]
    terms, out = _labels(subscripts, [len(s) for s in shapes])
    sizes: dict[str | int, Extent] = {}
    for labels, shape in zip(terms, shapes, strict=True):
        for label in dict.fromkeys(labels):
            extents = [n for c, n in zip(labels, shape, strict=True) if c == label]
            sizes[label] = _size(subscripts, label, sizes, extents, shapes)
    return tuple(sizes[label] for label in out)


#: A letter, or for an axis that three dots stand for its place counted from the last of them: -1, -2 and so on.
_Label = str | int


def _size(
    subscripts: str, label: _Label, sizes: dict[_Label, Extent], extents: list[Extent], shapes: list[Shape]
) -> Extent:
    """What a label stands for after one operand more: its extents there are equal, and broadcast with the others'."""
    try:
        here = matched(extents)
        return stretched(sizes.get(label, 1), here)
    except MisfitError:
        pair = " and ".join(map(str, ([sizes[label]] if label in sizes else []) + extents))
        shown = repr(label) if isinstance(label, str) else "'...'"
        listed = ", ".join(map(str, shapes))
        raise ValueError(f"{shown} in {subscripts!r} is {pair}, for shapes {listed}") from None


def _labels(subscripts: str, ndims: list[int]) -> tuple[list[list[_Label]], list[_Label]]:
    """The labels of each operand's axes and of the result's."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(ndims):
        raise ValueError(f"{subscripts!r} is for {len(parts)} operands; got {len(ndims)}")
    terms = [_of_operand(subscripts, part, ndim) for part, ndim in zip(parts, ndims, strict=True)]
    counts = Counter(label for labels in terms for label in labels)
    dots: list[_Label] = sorted(label for label in counts if isinstance(label, int))
    if not arrow:
        return terms, dots + sorted(c for c, n in counts.items() if isinstance(c, str) and n == 1)
    before, ellipsis, after = right.partition("...")
    letters = before + after
    if not {*letters} <= {*ascii_letters} or len({*letters}) < len(letters):
        raise ValueError(f"{right!r} is no result, in {subscripts!r}: it has each letter once")
    if missing := [c for c in letters if c not in counts]:
        raise ValueError(f"{missing[0]!r} is in the result of {subscripts!r} but in no operand")
    return terms, [*before, *(dots if ellipsis else ()), *after]


def _of_operand(subscripts: str, part: str, ndim: int) -> list[_Label]:
    before, ellipsis, after = part.partition("...")
    if not {*before, *after} <= {*ascii_letters}:
        raise ValueError(f"{part!r} in {subscripts!r}: an axis is a letter, and there are three dots or none")
    rest = ndim - len(before) - len(after)
    if rest < 0 or (rest and not ellipsis):
        raise ValueError(f"{part!r} in {subscripts!r} is for an operand of {ndim} axes")
    return [*before, *range(-rest, 0), *after]


# --- matrices -----------------------------------------------------------------------------------------------------


def square(x: Shape, **_: Any) -> Shape:
    """The shape of x, which has to be one of square matrices."""
    if len(x) < 2 or not agree(x[-1], x[-2]):
        raise ValueError(f"takes square matrices, along the last two axes; got shape {x}")
    m = matched(x[-2:])
    return (*x[:-2], m, m)


def power(x: Shape, *, n: Any, **_: Any) -> Shape:
    """As `square`, for a whole number n."""
    whole(n, "n is an int")
    return square(x)


def eigenvalues(x: Shape, **_: Any) -> Shape:
    """One for each row of each square matrix."""
    return square(x)[:-1]


def eigenvectors(x: Shape, **_: Any) -> list[Shape]:
    """Eigenvalues, and vectors as columns."""
    return [square(x)[:-1], square(x)]


def determinant(x: Shape, **_: Any) -> Shape:
    """One for each square matrix."""
    return square(x)[:-2]


def sign_and_log(x: Shape, **_: Any) -> list[Shape]:
    """A sign and a logarithm for each square matrix."""
    return [square(x)[:-2]] * 2


def solve(x1: Any, x2: Any, **_: Any) -> Shape:
    """The shape of a vector for each matrix, where x2 is one vector; else the columns of x2."""
    a, b = square(shape_of(x1)), shape_of(x2)
    if not b or not agree(b[-2:][0], a[-1]):
        raise ValueError(
            f"shapes {a} and {b} do not fit together: x2 is a vector of {a[-1]} elements or has "
            f"matrices of {a[-1]} rows"
        )
    rows = matched((a[-1], b[-2:][0]))
    return (*a[:-2], rows) if len(b) == 1 else (*_stacks(a, b), rows, b[-1])


def qr(x: Shape, *, mode: Any = "reduced", **_: Any) -> list[Shape]:
    """Orthonormal columns and an upper triangle."""
    need_axes(x)
    one_of(("reduced", "complete"), "mode", mode)
    *rest, m, n = x
    k = m if mode == "complete" else least(m, n)
    return [(*rest, m, k), (*rest, k, n)]


def svd(x: Shape, *, full_matrices: bool = True, **_: Any) -> list[Shape]:
    """Orthonormal columns, singular values and orthonormal rows."""
    need_axes(x)
    *rest, m, n = x
    k = least(m, n)
    return [(*rest, m, m if full_matrices else k), (*rest, k), (*rest, n if full_matrices else k, n)]


def svdvals(x: Shape, **_: Any) -> Shape:
    """As many for each matrix as it has rows or columns, whichever are fewer."""
    need_axes(x)
    return (*x[:-2], least(*x[-2:]))


def matrix_rank(x: Shape, *, rtol: Any = None, **_: Any) -> Shape:
    """One for each matrix in a stack, which broadcasts with the tolerances."""
    need_axes(x)
    tolerances = shape_of(rtol)
    if not broadcasts(tolerances, x[:-2]):
        stack = f"the stack {x[:-2]} of matrices"
        raise ValueError(f"rtol of shape {tolerances} does not fit {stack}. {RULE_BROADCAST}")
    return broadcast_shapes(tolerances, x[:-2])


def pinv(x: Shape, *, rtol: Any = None, **_: Any) -> Shape:
    """Columns and rows exchanged, in a stack that broadcasts with the tolerances."""
    return (*matrix_rank(x, rtol=rtol), x[-1], x[-2])


def diagonal(x: Shape, *, offset: Any = 0, **_: Any) -> Shape:
    """The elements of one diagonal of each matrix, none where it lies outside."""
    need_axes(x)
    k = whole(offset, "an offset is an int")
    rows, columns = _less(x[-2], max(-k, 0)), _less(x[-1], max(k, 0))
    return (*x[:-2], least(rows, columns))


def _less(n: Extent, k: int) -> Extent:
    return None if n is None else max(n - k, 0)


def trace(x: Shape, *, offset: Any = 0, **_: Any) -> Shape:
    """One for each matrix."""
    return diagonal(x, offset=offset)[:-1]


# --- norms --------------------------------------------------------------------------------------------------------


def vector_norm(x: Shape, *, axis: Any = None, keepdims: bool = False, ord: Any = 2, **_: Any) -> Shape:  # noqa: A002
    """Without the axes of the vectors."""
    axes = all_or_some(axis, x)
    if (ord < 0 or ord == inf) and any(x[a] == 0 for a in axes):
        raise ValueError(f"there is no norm of order {ord} of no elements; got shape {x}")
    return without(x, axes, keepdims)


_NORMS_OF_MATRICES = (None, "fro", "nuc", 1, -1, 2, -2, inf, -inf)


def matrix_norm(x: Shape, *, keepdims: bool = False, ord: Any = "fro", **_: Any) -> Shape:  # noqa: A002
    """One for each matrix."""
    need_axes(x)
    if ord not in _NORMS_OF_MATRICES:
        raise ValueError(f"ord is one of 'fro', 'nuc', 1, -1, 2, -2, inf, -inf; got {ord!r}")
    values: dict[Any, Extent] = {-1: x[-1], -2: least(*x[-2:]), -inf: x[-2]}
    if values.get(ord) == 0:
        raise ValueError(f"there is no norm of order {ord} of no elements; got shape {x}")
    return without(x, (len(x) - 2, len(x) - 1), keepdims)


# --- Fourier transforms -------------------------------------------------------------------------------------------

_NORMS = ("backward", "ortho", "forward")


def _half(n: Extent) -> Extent:
    """The elements that determine the others, of the transform of n real ones."""
    return None if n is None else n // 2 + 1


def _whole(m: Extent) -> Extent:
    """The elements of which m determine the others, as the default has it."""
    return None if m is None else 2 * (m - 1)


def _transformed(x: Shape, axis: Any, n: Any, default: Extent) -> Extent:
    """How many elements are transformed along an axis, or are the transform."""
    length = default if n is None else whole(n, "a number of elements is an int")
    if length is not None and length < 1:
        raise ValueError(f"needs 1 element or more; got {length} along axis {axis} of shape {x}")
    return length


def _norm(norm: Any) -> None:
    if norm not in _NORMS:
        raise ValueError(f"norm is one of {', '.join(map(repr, _NORMS))}; got {norm!r}")


def fft(x: Shape, *, n: Any = None, axis: Any = -1, norm: Any = "backward", **_: Any) -> Shape:
    """n elements along the axis, as many as x has by default."""
    _norm(norm)
    a = one_axis(axis, x)
    return replaced(x, a, _transformed(x, axis, n, x[a]))


def half_fft(x: Shape, *, n: Any = None, axis: Any = -1, norm: Any = "backward", **_: Any) -> Shape:
    """The half of n elements that determines the other."""
    shape = fft(x, n=n, axis=axis, norm=norm)
    a = one_axis(axis, x)
    return replaced(shape, a, _half(shape[a]))


def whole_fft(x: Shape, *, n: Any = None, axis: Any = -1, norm: Any = "backward", **_: Any) -> Shape:
    """n elements, of which x has the half that determines the other."""
    _norm(norm)
    a = one_axis(axis, x)
    return replaced(x, a, _transformed(x, axis, n, _whole(x[a])))


def fftn(x: Shape, *, s: Any = None, axes: Any = None, norm: Any = "backward", **_: Any) -> Shape:
    """s elements along the axes, as many as x has by default."""
    return _along(x, _axes(x, s, axes, norm), s, whole_last=False)


def half_fftn(x: Shape, *, s: Any = None, axes: Any = None, norm: Any = "backward", **_: Any) -> Shape:
    """As `fftn`, but along the last of the axes the half that determines the other."""
    along = _one_or_more(x, _axes(x, s, axes, norm))
    shape = _along(x, along, s, whole_last=False)
    return replaced(shape, along[-1], _half(shape[along[-1]]))


def whole_fftn(x: Shape, *, s: Any = None, axes: Any = None, norm: Any = "backward", **_: Any) -> Shape:
    """As `fftn`, where x has along the last of the axes the half that determines the other."""
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
        shape = replaced(shape, a, _transformed(x, a, n, default))
    return shape


#: What `shapes.FAMILIES` has of this module.
FAMILIES = (
    matmul, vecdot, cross, outer, tensordot, einsum, square, power, eigenvalues, eigenvectors, determinant,
    sign_and_log, solve, qr, svd, svdvals, matrix_rank, pinv, diagonal, trace, vector_norm, matrix_norm, fft, half_fft,
    whole_fft, fftn, half_fftn, whole_fftn,
)  # fmt: skip
