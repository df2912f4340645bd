"""Decide the shape of a result from the shapes of the operands, before anything is computed.

A shape family is a function of operands and options. An operand is a shape for an array, the scalar itself for a Python
scalar, None where an optional array is absent; the operands of a function of a sequence come as one list. Options are
all other parameters of the function by name. The family gives the shape of the result, or a list of shapes for several
results, and raises what is wrong with axes and extents, in words without the function's name.

An extent is None where it is not known before the array is computed, in operands as in results.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from . import shapes_linalg as linalg
from .extents import (
    Extent,
    Family,
    Shape,
    agree,
    all_or_some,
    broadcast_shapes,
    broadcasts,
    equal_shapes,
    ints_or_none,
    misfit,
    need_axes,
    one_axis,
    one_of,
    replaced,
    requested,
    resolved,
    sequence,
    several_axes,
    shape_of,
    size_of,
    total,
    whole,
    without,
)

if TYPE_CHECKING:
    import inspect

    from .op import Op

__all__ = ["FAMILIES", "OF", "Family", "Shape", "family_of", "result_shapes"]


# --- element by element -------------------------------------------------------------------------------------------


def broadcast(*operands: Any, **_: Any) -> Shape:
    """The shape that all operands broadcast to."""
    return broadcast_shapes(*[x for x in operands if isinstance(x, tuple)])


def same(x: Any, *_: Any, **__: Any) -> Shape:
    """The shape of the first operand."""
    return shape_of(x)


# --- reductions ---------------------------------------------------------------------------------------------------


def reduce(x: Shape, *, axis: Any = None, keepdims: bool = False, **_: Any) -> Shape:
    """Without the axes reduced, of which there may be none: a sum, whose value for no elements is 0."""
    return without(x, all_or_some(axis, x), keepdims)


def extremum(x: Shape, *, axis: Any = None, keepdims: bool = False, **_: Any) -> Shape:
    """As `reduce`, of functions that have no value for no elements."""
    axes = all_or_some(axis, x)
    _some_elements(x, axes, axis)
    return without(x, axes, keepdims)


def position(x: Shape, *, axis: Any = None, keepdims: bool = False, **_: Any) -> Shape:
    """As `extremum`, along one axis or all: the position of an element."""
    axes = tuple(range(len(x))) if axis is None else (one_axis(axis, x),)
    _some_elements(x, axes, axis)
    return without(x, axes, keepdims)


def _some_elements(x: Shape, axes: tuple[int, ...], axis: Any) -> None:
    if any(x[a] == 0 for a in axes):
        raise ValueError(f"of no elements there is none; got shape {x}, axis={axis}")


def accumulate(x: Shape, *, axis: Any = None, include_initial: bool = False, **_: Any) -> Shape:
    """Along one axis, which only an array of one axis need not name; longer by 1 with the initial value."""
    if axis is None and len(x) != 1:
        raise ValueError(f"axis may be left out only where there is exactly one; got shape {x}")
    a = 0 if axis is None else one_axis(axis, x)
    return replaced(x, a, total(x[a], 1)) if include_initial else x


def difference(x: Shape, prepend: Any = None, append: Any = None, *, axis: Any = -1, n: Any = 1, **_: Any) -> Shape:
    """Shorter by n along one axis, after joining what comes before and after."""
    a = one_axis(axis, x)
    n = whole(n, "n is an int")
    if n < 0:
        raise ValueError(f"n must not be negative; got {n}")
    length = concat([shape_of(part) for part in (prepend, x, append) if part is not None], axis=axis)[a]
    return replaced(x, a, None if length is None else max(length - n, 0))


# --- axes and extents ---------------------------------------------------------------------------------------------


def reshape(x: Shape, *, shape: Any, order: Any = "C", **_: Any) -> Shape:
    """As many elements in another shape, of which one extent may follow from the others."""
    one_of(("C", "F"), "order", order)
    wanted = ints_or_none(shape)
    if min((n for n in wanted if n is not None), default=0) < -1 or wanted.count(-1) > 1:
        wrong = "a shape has one -1 at most and no other negative extents"
        raise ValueError(f"{wrong}; got {wanted} for an array of shape {x}")
    size, others = size_of(x), size_of(n for n in wanted if n != -1)
    if -1 in wanted:
        fits = others != 0 and _divides(others, size)
        n: Extent = None if size is None or others is None else size // (others or 1)
        n = 0 if size == 0 else n
        result = tuple(n if m == -1 else m for m in wanted)
    else:
        fits, result = _made_of(x, others) and _made_of(wanted, size), wanted
    if not fits:
        elements = "unknown" if size is None else size
        raise ValueError(f"an array of {elements} elements, of shape {x}, has not the shape {wanted}")
    return result


def _divides(part: Extent, size: Extent) -> bool:
    return part is None or size is None or size % part == 0


def _made_of(shape: Shape, size: Extent) -> bool:
    """Whether an array of this shape can have that many elements, as far as it is known."""
    known = size_of(n for n in shape if n is not None)
    if size is None or known is None:
        return True
    return known == size if None not in shape else size == 0 or (known != 0 and size % known == 0)


def broadcast_to(x: Shape, *, shape: Any, **_: Any) -> Shape:
    """The shape asked for, which that of the array broadcasts to without changing it."""
    target = requested(shape)
    pairs = zip(reversed(x), reversed(target), strict=False)
    if len(x) > len(target) or not all(n == 1 or agree(n, m) for n, m in pairs):
        raise ValueError(f"an array of shape {x} does not broadcast to {target}")
    return target


def expand_dims(x: Shape, *, axis: Any, **_: Any) -> Shape:
    """With new axes of extent 1, at these places of the result."""
    ndim = len(x) + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    places = several_axes(axis, x, ndim)
    rest = iter(x)
    return tuple(1 if i in places else next(rest) for i in range(ndim))


def squeeze(x: Shape, *, axis: Any, **_: Any) -> Shape:
    """Without some axes of extent 1."""
    axes = several_axes(axis, x, lists=False)
    for a in axes:
        if not agree(x[a], 1):
            raise ValueError(f"only an axis of extent 1 can be left out; axis {a} of an array of shape {x} has {x[a]}")
    return without(x, axes)


def permute_dims(x: Shape, *, axes: Any, **_: Any) -> Shape:
    """With all axes in another order."""
    order = [one_axis(a, x) for a in axes]
    if sorted(order) != [*range(len(x))]:
        raise ValueError(f"takes each axis of an array of shape {x} once; got {tuple(axes)}")
    return tuple(x[a] for a in order)


def moveaxis(x: Shape, *, source: Any, destination: Any, **_: Any) -> Shape:
    """With some axes in other places."""
    sources, places = several_axes(source, x), several_axes(destination, x)
    if len(sources) != len(places):
        raise ValueError(f"takes a destination for each source; got {source} and {destination}")
    order = [a for a in range(len(x)) if a not in sources]
    for place, a in sorted(zip(places, sources, strict=True)):
        order.insert(place, a)
    return tuple(x[a] for a in order)


def matrix_transpose(x: Shape, **_: Any) -> Shape:
    """With the last two axes exchanged."""
    need_axes(x)
    return (*x[:-2], x[-1], x[-2])


def triangle(x: Shape, **_: Any) -> Shape:
    """The shape of x, which has to be one of matrices."""
    if len(x) < 2:
        raise ValueError(f"takes arrays of at least two axes; got {len(x)}, in shape {x}")
    return x


# --- order of elements --------------------------------------------------------------------------------------------


def sort(x: Shape, *, axis: Any = -1, **_: Any) -> Shape:
    """The shape of x, along one axis."""
    one_axis(axis, x)
    return x


def flip(x: Shape, *, axis: Any = None, **_: Any) -> Shape:
    """The shape of x, along some axes or all."""
    if axis is not None:
        several_axes(axis, x)
    return x


def roll(x: Shape, *, shift: Any, axis: Any = None, **_: Any) -> Shape:
    """The shape of x: one shift for all axes, several for one, or one for each."""
    shifts = [whole(n, "a shift is an int") for n in sequence(shift)]
    if axis is None:
        return x
    axes = [one_axis(a, x) for a in sequence(axis)]
    if isinstance(shift, (tuple, list)) and len(axes) != 1 and len(shifts) != len(axes):
        raise ValueError(f"takes as many shifts as axes; got {len(shifts)} shifts for {len(axes)} axes")
    return x


# --- joining, taking apart and repeating --------------------------------------------------------------------------


def concat(arrays: list[Any], *, axis: Any = 0, **_: Any) -> Shape:
    """One after the other along an axis; all elements in a row for None."""
    shapes = _some_arrays(arrays)
    if axis is None:
        return (total(*map(size_of, shapes)),)
    a = one_axis(axis, shapes[0])
    rule = f"They have to be equal but for axis {a}"
    if len({*map(len, shapes)}) > 1:
        raise misfit(shapes, rule)
    try:
        others = equal_shapes([without(s, (a,)) for s in shapes])
    except ValueError:
        raise misfit(shapes, rule) from None
    return (*others[:a], total(*[s[a] for s in shapes]), *others[a:])


def stack(arrays: list[Any], *, axis: Any = 0, **_: Any) -> Shape:
    """One after the other along a new axis."""
    shapes = _some_arrays(arrays)
    x = equal_shapes(shapes)
    place = one_axis(axis, shapes[0], len(x) + 1)
    return (*x[:place], len(shapes), *x[place:])


def _some_arrays(arrays: list[Any]) -> list[Shape]:
    if not arrays:
        raise ValueError("takes at least one array; got none")
    return [shape_of(x) for x in arrays]


def stack_at(ndim: int, axis: int) -> Family:
    """Joined along an axis after each array got the axes that it lacks of so many."""

    def joined(arrays: list[Any], **_: Any) -> Shape:
        shapes = [_raised(s, ndim) for s in _some_arrays(arrays)]
        return concat(shapes, axis=0 if ndim == 1 and len(shapes[0]) == 1 else axis)

    return joined


def _raised(x: Shape, ndim: int) -> Shape:
    """At least so many axes: new ones in front, but of three the third comes last."""
    if ndim == 3 and len(x) < 3:
        return (*_raised(x, 2), 1)
    return (*(1,) * (ndim - len(x)), *x)


def columns(arrays: list[Any], **_: Any) -> Shape:
    """Side by side, arrays of one axis as columns."""
    shapes = _some_arrays(arrays)
    return concat([(size_of(s), 1) if len(s) < 2 else s for s in shapes], axis=1)


def unstack(x: Shape, *, axis: Any = 0, **_: Any) -> list[Shape]:
    """A result for each index along an axis."""
    a = one_axis(axis, x)
    return [without(x, (a,))] * resolved(x, a)


def tile(x: Shape, *, repetitions: Any, **_: Any) -> Shape:
    """Each extent so many times, for the last axes where there are fewer numbers than axes."""
    times = [whole(n, "repetitions are ints") for n in sequence(repetitions)]
    if any(n < 0 for n in times):
        raise ValueError(f"repetitions must not be negative; got {repetitions}")
    ndim = max(len(times), len(x))
    padded, factors = (1,) * (ndim - len(x)) + x, [1] * (ndim - len(times)) + times
    return tuple(size_of(pair) for pair in zip(padded, factors, strict=True))


def repeat(x: Shape, repeats: Any, *, axis: Any = None, **_: Any) -> Shape:
    """Each element so many times. An array of numbers leaves the extent unknown."""
    a = 0 if axis is None else one_axis(axis, x)
    x = (size_of(x),) if axis is None else x
    if isinstance(repeats, tuple):
        if len(repeats) > 1 or not (repeats in ((), (1,)) or agree(repeats[0], x[a])):
            raise ValueError(f"takes one number of repeats or one for each of {x[a]} elements; got shape {repeats}")
        return replaced(x, a, 0 if x[a] == 0 else None)
    times = whole(repeats, "repeats are ints")
    if times < 0:
        raise ValueError(f"repeats must not be negative; got {times}")
    return replaced(x, a, size_of((x[a], times)))


# --- elements by position -----------------------------------------------------------------------------------------


def take(x: Shape, indices: Any, *, axis: Any = None, **_: Any) -> Shape:
    """The shape of the indices in place of one axis."""
    if axis is None and len(x) != 1:
        raise ValueError(f"axis has to be given for an array of {len(x)} axes")
    a = 0 if axis is None else one_axis(axis, x)
    _no_index_fits(x, a, shape_of(indices))
    return replaced(x, a, *shape_of(indices))


def take_along_axis(x: Shape, indices: Any, *, axis: Any = -1, **_: Any) -> Shape:
    """The extent of the indices along one axis; along the others the two broadcast."""
    a, at = one_axis(axis, x), shape_of(indices)
    rule = f"They have to be as many axes, and equal or 1 along each but axis {a}"
    if len(at) != len(x) or not broadcasts(without(x, (a,)), without(at, (a,))):
        raise misfit((x, at), rule)
    others = broadcast_shapes(without(x, (a,)), without(at, (a,)))
    result = (*others[:a], at[a], *others[a:])
    _no_index_fits(x, a, result)
    return result


def _no_index_fits(x: Shape, axis: int, indices: Shape) -> None:
    if x[axis] == 0 and size_of(indices):
        raise IndexError(f"no index is in bounds along axis {axis} of an array of shape {x}, which has no elements")


def search(x1: Shape, x2: Any, sorter: Any = None, *, side: Any = "left", **_: Any) -> Shape:
    """The shape of the values that are looked for in x1, which has one axis."""
    if len(x1) != 1:
        raise ValueError(f"x1 must have exactly one axis; got shape {x1}")
    one_of(("left", "right"), "side", side)
    if sorter is not None and not (len(shape_of(sorter)) == 1 and agree(sorter[0], x1[0])):
        raise ValueError(f"sorter must have the shape of x1, {x1}; got {shape_of(sorter)}")
    return shape_of(x2)


def nonzero(x: Shape, **_: Any) -> list[Shape]:
    """A result for each axis. How many positions there are depends on the values."""
    if not x:
        raise ValueError("x must have at least one axis")
    return [(None,)] * len(x)


def unique(x: Shape, **_: Any) -> Shape:
    """The distinct elements: how many there are depends on the values."""
    return (None,)


def unique_all(x: Shape, **_: Any) -> list[Shape]:
    """Values, indices, inverse indices and counts."""
    return [(None,), (None,), x, (None,)]


def unique_counts(x: Shape, **_: Any) -> list[Shape]:
    """Values and counts."""
    return [(None,), (None,)]


def unique_inverse(x: Shape, **_: Any) -> list[Shape]:
    """Values and inverse indices."""
    return [(None,), x]


# --- creation -----------------------------------------------------------------------------------------------------


def filled(*, shape: Any, **_: Any) -> Shape:
    """The shape asked for."""
    return requested(shape)


def eye(*, n_rows: Any, n_cols: Any = None, **_: Any) -> Shape:
    """Rows and columns, as many of both by default."""
    return requested((n_rows, n_rows if n_cols is None else n_cols))


def counted(*, n: Any, **_: Any) -> Shape:
    """One axis of n elements."""
    return requested((n,))


# --- which function is of which family ----------------------------------------------------------------------------

#: Every family by name.
FAMILIES: dict[str, Family] = {
    f.__name__: f
    for f in (
        broadcast, same, reduce, extremum, position, accumulate, difference, reshape, broadcast_to, expand_dims,
        squeeze, permute_dims, moveaxis, matrix_transpose, triangle, sort, flip, roll, concat, stack, columns, unstack,
        tile, repeat, take, take_along_axis, search, nonzero, unique, unique_all, unique_counts, unique_inverse,
        filled, eye, counted, *linalg.FAMILIES,
    )
} | {"hstack": stack_at(1, 1), "vstack": stack_at(2, 0), "dstack": stack_at(3, 2)}  # fmt: skip

#: Functions of every family but `broadcast`, which the others are of: those that compute element by element.
_FUNCTIONS: dict[str, str] = {
    "same": "_nan_to_num isin",
    "reduce": "all any count_nonzero mean prod std sum var",
    "extremum": "max min",
    "position": "argmax argmin",
    "accumulate": "cumulative_prod cumulative_sum",
    "difference": "diff",
    "triangle": "tril triu",
    "sort": "argsort sort",
    "hstack": "hstack",
    "vstack": "vstack",
    "dstack": "dstack",
    "columns": "column_stack",
    "search": "searchsorted",
    "unique": "unique_values",
    "filled": "_full empty ones zeros",
    "counted": "_count",
    "einsum": "_einsum",
    "square": "linalg.cholesky linalg.inv",
    "power": "linalg.matrix_power",
    "eigenvalues": "linalg.eigvals linalg.eigvalsh",
    "eigenvectors": "linalg.eig linalg.eigh",
    "determinant": "linalg.det",
    "sign_and_log": "linalg.slogdet",
    "fft": "fft.fft fft.ifft",
    "half_fft": "fft.ihfft fft.rfft",
    "whole_fft": "fft.hfft fft.irfft",
    "fftn": "fft.fftn fft.ifftn",
    "half_fftn": "fft.rfftn",
    "whole_fftn": "fft.irfftn",
    **{name: name for name in (
        "broadcast_to concat expand_dims eye flip matmul matrix_transpose moveaxis nonzero permute_dims repeat reshape "
        "roll squeeze stack take take_along_axis tensordot tile unique_all unique_counts unique_inverse unstack vecdot"
    ).split()},
    **{name: f"linalg.{name}" for name in (
        "cross diagonal matrix_norm matrix_rank outer pinv qr solve svd svdvals trace vector_norm"
    ).split()},
}  # fmt: skip

#: function -> its family.
OF: dict[str, str] = {name: family for family, names in _FUNCTIONS.items() for name in names.split()}


def family_of(op: Op) -> Family:
    """The family of a declared function."""
    return FAMILIES[OF.get(op.name, "broadcast")]


@functools.cache
def _signature(function: Any) -> inspect.Signature:
    import inspect  # here, because it takes longer to import than the rest of the package

    return inspect.signature(function)


def result_shapes(op: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[Shape, ...]:
    """Find the shape of each result of a call.

    Parameters
    ----------
    op: the declaration of the function.
    operands: arrays, or anything that has a shape, and Python scalars.
    args, kw: the other arguments, by position and by name.

    Raises
    ------
    ValueError, IndexError, AxisError, TypeError: what the family finds wrong, with the function's name in front.
    """
    try:
        positional, options = _arguments(op, operands, args, kw)
        found = family_of(op)(*positional, **options)
    except (TypeError, ValueError, IndexError) as error:
        raise type(error)(f"{op.name.lstrip('_')}: {error}") from None
    return tuple(found) if isinstance(found, list) else (found,)


def _arguments(
    op: Op, operands: tuple[Any, ...], args: tuple[Any, ...], kw: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Operands and options as a family takes them."""
    leading = ([*operands],) if op.sequence and not op.spread else operands
    bound = _signature(op.function).bind(*leading, *args, **kw)
    bound.apply_defaults()
    given = bound.arguments
    if op.sequence:
        positional: list[Any] = [[_as_shape(x) for x in given.pop(op.operands[0])]]
    else:
        positional = [_as_shape(given.pop(name)) for name in op.operands]
    for name in op.array_options:
        given[name] = _as_shape(given[name])
    return positional, given


def _as_shape(x: Any) -> Any:
    """The shape of an array; a scalar, and None for no array, as they are."""
    return tuple(x.shape) if hasattr(x, "shape") else x
